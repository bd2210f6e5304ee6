//! Divided optimizer states.

use super::common::*;
use lanthorn_distributed::{DdpOptions, DistributedDataParallel, ZeroRedundancyOptimizer};
use lanthorn_nn::{Layer, Linear, Module, ReLU, Sequential};
use lanthorn_optim::{Adam, AdamOptions, Optimizer};
use lanthorn_tensor::{Device, Tensor};

fn network() -> Result<Sequential> {
    Device::default_device()?.manual_seed(3);
    Ok(Sequential::new(vec![Box::new(Linear::new(5, 7)?), Box::new(ReLU), Box::new(Linear::new(7, 3)?)]))
}

fn adam(parameters: Vec<Tensor>) -> Result<Optimizer> {
    Adam::new(parameters, AdamOptions { lr: 0.02, ..Default::default() })
}

fn train(model: &dyn Layer, rank: usize, mut step: impl FnMut() -> Result<()>) -> Result<Vec<Vec<f32>>> {
    for count in 0..4 {
        let input = Tensor::full([3, 5], (rank + 1 + count) as f64 * 0.25)?;
        model.forward(&input)?.square()?.mean((), false)?.backward()?;
        step()?;
    }
    Ok(model.parameters().iter().map(read).collect())
}

#[test]
fn the_steps_are_those_of_the_whole_optimizer_and_the_states_are_shared() {
    for count in [1, 2, 4, 6] {
        let found = ranks(count, move |group| {
            let whole = DistributedDataParallel::new(network()?, group, DdpOptions::default())?;
            let optimizer = adam(whole.parameters())?;
            let expected = train(&whole, group.rank(), || optimizer.step().and_then(|()| optimizer.zero_grad()))?;

            let model = DistributedDataParallel::new(network()?, group, DdpOptions::default())?;
            let zero = ZeroRedundancyOptimizer::new(model.parameters(), group, adam)?;
            let found = train(&model, group.rank(), || zero.step().and_then(|()| zero.zero_grad()))?;
            assert_eq!(found, expected, "to the bit");
            assert!(model.parameters().iter().all(|parameter| parameter.grad().is_none()));
            let states = zero.local().map_or(Ok(0), |local| local.state_dict().map(|state| state.state.len()))?;
            assert_eq!(states, zero.share(group.rank())?.len());
            Ok((found, states))
        });
        assert!(found.iter().all(|(values, _)| *values == found[0].0));
        assert_eq!(found.iter().map(|(_, states)| states).sum::<usize>(), 4);
        assert!(count < 2 || found.iter().all(|(_, states)| *states < 4));
    }
}

#[test]
fn the_whole_state_comes_to_one_rank_and_goes_on_elsewhere() {
    for count in [1, 2, 6] {
        ranks(count, move |group| {
            let model = DistributedDataParallel::new(network()?, group, DdpOptions::default())?;
            let whole = adam(model.parameters())?;
            train(&model, group.rank(), || whole.step().and_then(|()| whole.zero_grad()))?;
            let expected = whole.state_dict()?;

            let model = DistributedDataParallel::new(network()?, group, DdpOptions::default())?;
            let zero = ZeroRedundancyOptimizer::new(model.parameters(), group, adam)?;
            train(&model, group.rank(), || zero.step().and_then(|()| zero.zero_grad()))?;
            let to = count - 1;
            let found = zero.consolidate_state_dict(to)?;
            assert_eq!(found.is_some(), group.rank() == to);
            let moments = |state: &lanthorn_optim::OptimizerState| -> Vec<(usize, String, Vec<f32>)> {
                let values = state.state.iter().flat_map(|(position, entries)| {
                    entries.iter().map(|(name, value)| match value {
                        lanthorn_optim::StateValue::Tensor(tensor) => (*position, name.clone(), read(tensor)),
                        other => panic!("Adam has tensors, not {other:?}"),
                    })
                });
                values.collect()
            };
            if let Some(found) = found {
                assert_eq!(moments(&found), moments(&expected), "to the bit");
                assert_eq!(moments(&found).len(), 4 * 3);
            }
            // A new optimizer continues like the undivided one would.
            let next = ZeroRedundancyOptimizer::new(model.parameters(), group, adam)?;
            next.load_state_dict(&expected)?;
            let [resumed, continued] = [next.consolidate_state_dict(0)?, zero.consolidate_state_dict(0)?];
            assert_eq!(resumed.as_ref().map(moments), continued.as_ref().map(moments));
            let mut short = expected.clone();
            short.param_groups[0].params.pop();
            assert!(next.load_state_dict(&short).unwrap_err().is_argument());
            assert!(zero.consolidate_state_dict(count).map(drop).unwrap_err().is_argument());
            group.barrier()
        });
    }
}

#[test]
fn ranks_with_other_parameters_are_refused() {
    let results = try_ranks(
        2,
        |options| options,
        |group| {
            let parameter = Tensor::zeros([3 + group.rank() as i64])?.requires_grad_(true)?;
            ZeroRedundancyOptimizer::new(vec![parameter], group, adam).map(drop)
        },
    );
    for result in results {
        let error = result.unwrap_err();
        assert!(error.is_distributed() && error.message().contains("parameter 0 is float32 [4] on rank 1"), "{error}");
    }
    ranks(1, |group| {
        assert!(ZeroRedundancyOptimizer::new(vec![], group, adam).map(drop).unwrap_err().is_argument());
        Ok(())
    });
}
