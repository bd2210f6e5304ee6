//! Compares data parallelism with one process that has the whole batch.

use super::common::*;
use lanthorn_distributed::{DdpOptions, DistributedDataParallel, ProcessGroup};
use lanthorn_nn::{BatchNorm1d, Layer, Linear, Module, ReLU, Sequential, state_dict};
use lanthorn_optim::{Sgd, SgdOptions};
use lanthorn_tensor::{Device, Tensor, no_grad};

/// A small network whose weights depend on the seed, so ranks differ until weights are copied.
fn network(seed: u64) -> Result<Sequential> {
    Device::default_device()?.manual_seed(seed);
    Ok(Sequential::new(vec![
        Box::new(Linear::new(6, 16)?),
        Box::new(ReLU),
        Box::new(Linear::new(16, 8)?),
        Box::new(ReLU),
        Box::new(Linear::new(8, 1)?),
    ]))
}

/// `count` rows that depend on the seed.
fn batch(seed: u64, count: i64) -> Result<Tensor> {
    let device = Device::default_device()?;
    device.manual_seed(seed + 1000);
    Tensor::randn([count, 6])
}

/// The rows of this rank.
fn rows(group: &ProcessGroup, batch: &Tensor) -> Result<Tensor> {
    let share = batch.shape()[0] as i64 / group.world_size() as i64;
    batch.narrow(0, group.rank() as i64 * share, share)
}

fn loss(model: &dyn Layer, batch: &Tensor) -> Result<Tensor> {
    model.forward(batch)?.sub(&batch.sum([1], true)?)?.square()?.mean((), false)
}

fn values(model: &dyn Module) -> Vec<Vec<f32>> {
    model.parameters().iter().map(read).collect()
}

fn assert_close(found: &[Vec<f32>], expected: &[Vec<f32>]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.concat().iter().zip(expected.concat()) {
        assert!((found - expected).abs() <= 1e-6 + 1e-5 * expected.abs(), "{found} and {expected}");
    }
}

/// Small buckets, so there are several.
const SMALL: DdpOptions =
    DdpOptions { bucket_bytes: 200, first_bucket_bytes: 64, broadcast_buffers: true, find_unused_parameters: false };

fn single(steps: u64) -> Result<Vec<Vec<f32>>> {
    let _device = cpu();
    let model = network(0)?;
    let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.05, momentum: 0.9, ..Default::default() })?;
    for step in 0..steps {
        optimizer.zero_grad()?;
        loss(&model, &batch(step, 12)?)?.backward()?;
        optimizer.step()?;
    }
    Ok(values(&model))
}

#[test]
fn ranks_take_the_steps_of_one_process_with_the_whole_batch() {
    let expected = single(5).unwrap();
    for (count, options) in [(1, SMALL), (2, SMALL), (4, SMALL), (2, DdpOptions::default())] {
        let found = ranks(count, move |group| {
            let model = DistributedDataParallel::new(network(group.rank() as u64)?, group, options)?;
            let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.05, momentum: 0.9, ..Default::default() })?;
            for step in 0..5 {
                optimizer.zero_grad()?;
                loss(&model, &rows(group, &batch(step, 12)?)?)?.backward()?;
                optimizer.step()?;
            }
            Ok(values(&model))
        });
        for values in &found {
            assert_eq!(*values, found[0], "all ranks have the same bits");
            assert_close(values, &expected);
        }
    }
}

#[test]
fn gradients_accumulate_without_exchange_and_are_averaged_once() {
    let expected = {
        let _device = cpu();
        let model = network(0).unwrap();
        for step in 0..3 {
            loss(&model, &batch(step, 8).unwrap()).unwrap().backward().unwrap();
        }
        model.parameters().iter().map(|parameter| read(&parameter.grad().unwrap())).collect::<Vec<_>>()
    };
    let found = ranks(2, |group| {
        let model = DistributedDataParallel::new(network(0)?, group, SMALL)?;
        let grads = |model: &dyn Module| -> Vec<Vec<f32>> {
            model.parameters().iter().map(|parameter| read(&parameter.grad().unwrap())).collect()
        };
        let share = |step| rows(group, &batch(step, 8)?);
        model.no_sync(|| {
            loss(&model, &share(0)?)?.backward()?;
            loss(&model, &share(1)?)?.backward()
        })?;
        let local = grads(&model);
        loss(&model, &share(2)?)?.backward()?;
        Ok((local, grads(&model)))
    });
    assert_ne!(found[0].0, found[1].0, "nothing is averaged in no_sync");
    assert_eq!(found[0].1, found[1].1);
    assert_close(&found[0].1, &expected);
}

#[test]
fn parameters_and_buffers_are_those_of_rank_0() {
    let states = ranks(3, |group| {
        Device::default_device()?.manual_seed(group.rank() as u64);
        let norm = BatchNorm1d::new(6)?;
        let model = Sequential::new(vec![Box::new(Linear::new(6, 6)?), Box::new(norm)]);
        let model = DistributedDataParallel::new(model, group, DdpOptions::default())?;
        for step in 0..3 {
            let input = batch(step * 10 + group.rank() as u64, 4)?;
            model.forward(&input)?.square()?.mean((), false)?.backward()?;
        }
        // Each rank's batch changes its buffers after they were copied. The next forward copies
        // them again.
        let before = read(&model.named_buffers()[0].1);
        model.forward(&Tensor::zeros([4, 6])?)?;
        let after = read(&model.named_buffers()[0].1);
        let names: Vec<String> = state_dict(&model).into_keys().collect();
        Ok((before, after, values(&model), names))
    });
    assert_ne!(states[0].0, states[1].0);
    for state in &states {
        assert_eq!((&state.1, &state.2), (&states[0].1, &states[0].2));
        assert!(state.3.contains(&"module.0.weight".to_string()), "{:?}", state.3);
        assert!(state.3.contains(&"module.1.running_mean".to_string()), "{:?}", state.3);
    }
}

/// Two layers. A forward uses one or both.
struct Branches {
    first: Linear,
    second: Linear,
    uses_second: std::cell::Cell<bool>,
}

impl Module for Branches {
    fn children(&self) -> Vec<(String, &dyn Module)> {
        vec![("first".into(), &self.first), ("second".into(), &self.second)]
    }

    fn call(&self, inputs: &lanthorn_tensor::ops::Args<'_>) -> Result<lanthorn_tensor::ops::Output> {
        Ok(self.forward(inputs.tensor(0))?.into())
    }
}

impl Layer for Branches {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let output = self.first.forward(input)?;
        if self.uses_second.get() { output.add(&self.second.forward(input)?) } else { Ok(output) }
    }
}

fn branches() -> Result<Branches> {
    Ok(Branches {
        first: Linear::builder(6, 1).bias(false).build()?,
        second: Linear::builder(6, 1).bias(false).build()?,
        uses_second: std::cell::Cell::new(true),
    })
}

#[test]
fn a_parameter_that_some_ranks_do_not_use_is_averaged_if_that_is_asked_for() {
    let options = DdpOptions { find_unused_parameters: true, ..SMALL };
    let found = ranks(2, move |group| {
        let model = DistributedDataParallel::new(branches()?, group, options)?;
        let second = model.module().second.parameters()[0].clone();
        let run = |uses: bool| -> Result<Option<Vec<f32>>> {
            model.module().uses_second.set(uses);
            model.parameters().iter().try_for_each(|parameter| parameter.set_grad(None))?;
            model.forward(&Tensor::ones([2, 6])?)?.sum((), false)?.backward()?;
            assert_eq!(read(&model.module().first.parameters()[0].grad().unwrap()), [2.0; 6]);
            Ok(second.grad().as_ref().map(read))
        };
        Ok([run(true)?, run(group.rank() == 0)?, run(false)?, run(true)?])
    });
    for found in found {
        assert_eq!(found, [Some(vec![2.0; 6]), Some(vec![1.0; 6]), None, Some(vec![2.0; 6])]);
    }
}

#[test]
fn a_parameter_without_gradient_is_named_at_the_next_forward() {
    let results = try_ranks(
        2,
        |options| options,
        |group| {
            let model = DistributedDataParallel::new(branches()?, group, SMALL)?;
            model.module().uses_second.set(false);
            let step = || model.forward(&Tensor::ones([2, 6])?)?.sum((), false)?.backward();
            step()?;
            let error = step().unwrap_err();
            assert!(error.message().contains("[second.weight]") || error.is_distributed(), "{error}");
            Ok(error.message().contains("[second.weight]"))
        },
    );
    assert!(results.into_iter().any(|result| result.unwrap()));
}

#[test]
fn frozen_parameters_and_evaluation_exchange_nothing() {
    ranks(2, |group| {
        let net = network(0)?;
        net.parameters()[0].requires_grad_(false)?;
        let model = DistributedDataParallel::new(net, group, SMALL)?;
        loss(&model, &batch(group.rank() as u64, 4)?)?.backward()?;
        if group.rank() == 0 {
            // Only this rank calls it; the other rank makes no call.
            no_grad(|| loss(&model, &batch(9, 4)?))?;
        }
        assert!(model.parameters()[0].grad().is_none() && model.parameters()[1].grad().is_some());
        let frozen = Linear::builder(2, 2).bias(false).build()?;
        frozen.parameters()[0].requires_grad_(false)?;
        assert!(DistributedDataParallel::new(frozen, group, SMALL).map(drop).unwrap_err().is_argument());
        group.barrier()
    });
}

#[test]
fn ranks_with_fewer_batches_join_the_exchanges_of_the_others() {
    for count in [2u64, 3] {
        let found = ranks(count as usize, move |group| {
            let model = DistributedDataParallel::new(network(0)?, group, SMALL)?;
            let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.05, ..Default::default() })?;
            let me = group.rank() as u64;
            let steps = model.join(|| {
                for step in 0..2 + 2 * me {
                    optimizer.zero_grad()?;
                    loss(&model, &batch(step * count + me, 4)?)?.backward()?;
                    optimizer.step()?;
                }
                Ok(2 + 2 * me)
            })?;
            assert_eq!(steps, 2 + 2 * me);
            // An ordinary step still works afterwards.
            loss(&model, &batch(me, 4)?)?.backward()?;
            Ok(values(&model))
        });
        // Compares with gradients summed in one process and divided by the number of ranks.
        let _device = cpu();
        let model = network(0).unwrap();
        let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.05, ..Default::default() }).unwrap();
        for step in 0..2 * count {
            optimizer.zero_grad().unwrap();
            for rank in (0..count).filter(|rank| step < 2 + 2 * rank) {
                let batch = batch(step * count + rank, 4).unwrap();
                loss(&model, &batch).unwrap().div(count as f64).unwrap().backward().unwrap();
            }
            optimizer.step().unwrap();
        }
        for values in &found {
            assert_eq!(*values, found[0]);
            assert_close(values, &super::ddp::values(&model));
        }
    }
}

#[test]
fn an_error_in_a_joined_loop_ends_the_other_ranks() {
    let results = try_ranks(
        2,
        |options| options,
        |group| {
            let model = DistributedDataParallel::new(network(0)?, group, SMALL)?;
            model.join(|| {
                if group.rank() == 1 {
                    return Tensor::zeros([2])?.add(&Tensor::zeros([3])?).map(drop);
                }
                Ok(())
            })
        },
    );
    assert!(results[1].as_ref().unwrap_err().is_shape());
    let error = results[0].as_ref().unwrap_err();
    assert!(error.is_distributed() && error.message().contains("add"), "{error}");
}

#[test]
fn buckets_are_exchanged_while_the_backward_pass_goes_on() {
    ranks(2, |group| {
        let model = DistributedDataParallel::new(network(0)?, group, SMALL)?;
        let device = Device::default_device()?;
        let input = batch(group.rank() as u64, 4)?;
        for _ in 0..3 {
            loss(&model, &input)?.backward()?;
        }
        let before = device.inspect().stats().submissions;
        let first = model.parameters()[0].clone();
        let seen = std::rc::Rc::new(std::cell::Cell::new(0));
        let (at_first, stats) = (seen.clone(), device.clone());
        let _hook = first.register_hook(move |_| {
            at_first.set(stats.inspect().stats().submissions - before);
            Ok(None)
        })?;
        loss(&model, &input)?.backward()?;
        // Six parameters in buckets of 9, 8, 128, 16 and 96 elements. Each bucket except the last,
        // which has the weight of the first layer, was read in a submission before that gradient
        // was known.
        assert_eq!((seen.get(), device.inspect().stats().submissions - before), (4, 5));
        Ok(())
    });
}
