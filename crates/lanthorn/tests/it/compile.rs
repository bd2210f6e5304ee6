//! Compiled functions beside the same functions, called.

use lanthorn::{
    DType, Device, Result, Tensor, autocast, compile,
    nn::{BatchNorm1d, Dropout, Layer, Linear, Module, ReLU, Sequential},
    no_grad,
    ops::Arg,
    optim::{
        Optimizer, ParameterGroup, Sgd, SgdOptions,
        averaged::{AveragedModel, Averaging},
        schedule::StepLR,
        table,
    },
};
use pollster::block_on;

/// Both devices of this machine, each with its name.
fn devices() -> Vec<Device> {
    vec![lanthorn::cpu(), block_on(lanthorn::wgpu()).expect("there is an adapter")]
}

fn values(x: &Tensor) -> Vec<f32> {
    block_on(x.to_vec::<f32>()).expect("the elements are there")
}

fn data(shape: [i64; 2], seed: u64, device: &Device) -> Result<Tensor> {
    device.manual_seed(seed);
    Tensor::randn_with(shape, None, Some(device))
}

/// A network with state, random numbers and modes.
fn network(device: &Device) -> Result<Sequential> {
    device.manual_seed(3);
    device.set_default();
    Ok(Sequential::new(vec![
        Box::new(Linear::new(6, 8)?),
        Box::new(BatchNorm1d::new(8)?),
        Box::new(ReLU),
        Box::new(Dropout::new(0.25)?),
        Box::new(Linear::new(8, 4)?),
    ]))
}

fn optimizer(name: &str, parameters: Vec<Tensor>) -> Result<Optimizer> {
    table::build(name, &[], vec![ParameterGroup { parameters, options: vec![] }])
}

fn step(net: &Sequential, optimizer: &Optimizer, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    optimizer.zero_grad()?;
    let loss = net.forward(x)?.sub(y)?.square()?.mean((), false)?;
    loss.backward()?;
    optimizer.step()?;
    Ok(loss)
}

/// The losses of steps, the gradients and buffers after them, and the random state.
fn train(name: &str, device: &Device, compiled: bool) -> Result<(Vec<f32>, Vec<Vec<f32>>, u64)> {
    let net = network(device)?;
    let of = if name == "Muon" {
        net.parameters().into_iter().filter(|parameter| parameter.rank() == 2).collect()
    } else {
        net.parameters()
    };
    let optimizer = optimizer(name, of)?;
    let function = compile(|xs: &[Tensor]| Ok(vec![step(&net, &optimizer, &xs[0], &xs[1])?]));
    let (mut losses, y) = (vec![], data([5, 4], 9, device)?);
    device.manual_seed(17);
    for number in 0..9 {
        let x = Tensor::randn_with([5, 6], None, Some(device))?;
        // A rate and a momentum that change are data.
        optimizer.set_learning_rate(0.01 / (1.0 + f64::from(number)))?;
        if optimizer.has_option("momentum") {
            optimizer.set_option(0, "momentum", Arg::Scalar((0.5 + 0.01 * f64::from(number)).into()))?;
        }
        if number == 6 {
            net.train(false);
        }
        let loss = match compiled {
            true => function.call(&[x, y.clone()])?.remove(0),
            false => step(&net, &optimizer, &x, &y)?,
        };
        losses.extend(values(&loss));
    }
    let mut state: Vec<Vec<f32>> = net
        .parameters()
        .iter()
        .chain(net.named_buffers().iter().map(|(_, buffer)| buffer))
        .map(|x| values(&x.detach().to(DType::F32).expect("numbers")))
        .collect();
    state.extend(net.parameters().iter().filter_map(|parameter| parameter.grad()).map(|grad| values(&grad)));
    Ok((losses, state, function.explain().replays))
}

#[test]
fn a_compiled_step_is_the_step_with_every_optimizer() -> Result<()> {
    for device in devices() {
        // Of the kernels of all rules on WebGPU other tests know more.
        let is_wanted = |name: &str| device.name() == "cpu" || name == "AdamW";
        for spec in table::OPTIMIZERS.iter().filter(|spec| !spec.needs_closure() && is_wanted(spec.name)) {
            let (losses, state, _) = train(spec.name, &device, false)?;
            let (compiled, compiled_state, replays) = train(spec.name, &device, true)?;
            assert_eq!(losses, compiled, "{} on {}", spec.name, device.name());
            assert_eq!(state, compiled_state, "{} on {}", spec.name, device.name());
            // The first step, the second, and the first in evaluation mode are recorded. RAdam
            // begins with other steps.
            let least = if spec.name == "RAdam" { 3 } else { 6 };
            assert!(replays >= least, "{}: {replays} replays", spec.name);
        }
    }
    Ok(())
}

#[test]
fn a_compiled_step_launches_what_it_recorded_and_records_nothing() -> Result<()> {
    let device = lanthorn::cpu();
    let (x, y) = (data([5, 6], 1, &device)?, data([5, 4], 2, &device)?);
    let net = network(&device)?;
    let optimizer = Sgd::new(net.parameters(), SgdOptions { lr: 0.1, ..Default::default() })?;
    let function = compile(|xs: &[Tensor]| Ok(vec![step(&net, &optimizer, &xs[0], &xs[1])?]));
    for _ in 0..2 {
        values(&function.call(&[x.clone(), y.clone()])?[0]);
    }
    let before = device.inspect().stats();
    for _ in 0..3 {
        values(&function.call(&[x.clone(), y.clone()])?[0]);
    }
    let after = device.inspect().stats();
    let report = function.explain();
    assert_eq!((report.replays, report.calls, report.recordings.len()), (4, 1, 1), "{report}");
    assert_eq!(after.plan_hits, before.plan_hits, "no plan is looked up");
    assert_eq!(after.launches - before.launches, 3 * report.recordings[0] as u64);
    assert_eq!(after.submissions - before.submissions, 6, "a submission and a read each");
    assert_eq!(after.memory.buffers_created, before.memory.buffers_created);
    Ok(())
}

#[test]
fn calls_on_each_others_results_and_a_read_are_one_submission() -> Result<()> {
    for device in devices() {
        let double = compile(|xs: &[Tensor]| Ok(vec![xs[0].mul(2.0)?.sin()?]));
        let sum = compile(|xs: &[Tensor]| Ok(vec![xs[0].cumsum(1)?]));
        let x = data([4, 6], 3, &device)?;
        let both = |x: &Tensor| {
            no_grad(|| Ok::<_, lanthorn::Error>(sum.call(&double.call(std::slice::from_ref(x))?)?.remove(0)))
        };
        let expected = values(&both(&x)?);
        let before = device.inspect().stats();
        assert_eq!(values(&both(&x)?), expected);
        let after = device.inspect().stats();
        assert_eq!((after.launches - before.launches, after.submissions - before.submissions), (2, 1));
        // Without a read they do not pile up.
        let results: Vec<Tensor> = (0..12).map(|_| both(&x)).collect::<Result<_>>()?;
        assert!(device.inspect().stats().submissions - after.submissions >= 5);
        assert!(results.iter().all(|result| values(result) == expected));
    }
    Ok(())
}

#[test]
fn arguments_are_guarded_and_each_case_is_recorded_once() -> Result<()> {
    let device = lanthorn::cpu();
    let function = compile(|xs: &[Tensor]| Ok(vec![xs[0].mul(&xs[1])?.sum((), false)?]));
    let call = |a: &Tensor, b: &Tensor| -> Result<f32> { Ok(values(&function.call(&[a.clone(), b.clone()])?[0])[0]) };
    let (a, b) =
        (Tensor::arange(0.0, 6.0, 1.0)?.reshape([2, 3])?, Tensor::full_with([2, 3], 2.0, DType::F32, Some(&device))?);
    assert_eq!([call(&a, &b)?, call(&a, &b)?], [30.0, 30.0]);
    // Other sizes, another layout, another type, one tensor twice.
    let (c, d) = (Tensor::ones([4, 3])?, Tensor::ones([4, 3])?);
    assert_eq!([call(&c, &d)?, call(&c, &d)?], [12.0, 12.0]);
    let (t, u) = (a.transpose(0, 1)?, b.transpose(0, 1)?);
    assert_eq!([call(&t, &u)?, call(&t, &u)?], [30.0, 30.0]);
    assert_eq!([call(&a, &a)?, call(&a, &a)?, call(&a, &b)?], [55.0, 55.0, 30.0]);
    let wide = a.to(DType::F64)?;
    assert_eq!(block_on(function.call(&[wide.clone(), wide])?[0].item())?, 55.0);
    let report = function.explain();
    assert_eq!((report.recordings.len(), report.calls, report.replays), (5, 5, 5), "{report}");
    assert!(report.breaks.is_empty());
    Ok(())
}

#[test]
fn gradients_accumulate_as_without_compiling() -> Result<()> {
    let device = lanthorn::cpu();
    let run = |compiled: bool| -> Result<Vec<f32>> {
        let w = data([3, 2], 4, &device)?.requires_grad_(true)?;
        let backward = |xs: &[Tensor]| -> Result<Vec<Tensor>> {
            xs[0].matmul(&w)?.square()?.sum((), false)?.backward()?;
            Ok(vec![])
        };
        let function = compile(backward);
        for seed in 0..5 {
            let x = data([4, 3], seed, &device)?;
            if seed == 3 {
                w.set_grad(None)?;
            }
            if compiled {
                function.call(&[x])?
            } else {
                backward(&[x])?
            };
        }
        if compiled {
            assert_eq!((function.explain().calls, function.explain().replays), (2, 3), "{}", function.explain());
        }
        Ok(values(&w.grad().expect("it has a gradient")))
    };
    assert_eq!(run(true)?, run(false)?);
    Ok(())
}

#[test]
fn what_a_call_leaves_aliased_is_not_overwritten_later() -> Result<()> {
    let device = lanthorn::cpu();
    let w = Tensor::ones([3])?;
    let grow = compile(|_: &[Tensor]| {
        w.copy_(&w.mul(2.0)?)?;
        Ok(vec![w.detach()])
    });
    let other = Tensor::zeros([3])?;
    for round in 1..6 {
        let result = grow.call(&[])?.remove(0);
        let expected = 2f32.powi(round);
        assert_eq!(values(&result), [expected; 3]);
        assert!(result.shares_storage_with(&w));
        if round == 3 {
            // Shares the value, and not the storage.
            other.copy_(&w)?;
        }
        assert_eq!(values(&other)[0], if round < 3 { 0.0 } else { 8.0 });
    }
    assert!(grow.explain().replays >= 3, "{}", grow.explain());
    drop(device);
    Ok(())
}

#[test]
fn random_numbers_go_on() -> Result<()> {
    for device in devices() {
        device.set_default();
        let noise = |_: &[Tensor]| Ok(vec![Tensor::rand([4])?, Tensor::randn([3])?]);
        let compiled = compile(noise);
        let draw = |compiled: Option<&dyn Fn() -> Result<Vec<Tensor>>>| -> Result<Vec<Vec<f32>>> {
            device.manual_seed(5);
            let mut drawn = vec![];
            for number in 0..4 {
                if number == 2 {
                    drawn.push(values(&Tensor::rand([2])?));
                }
                let made = compiled.map_or_else(|| noise(&[]), |call| call())?;
                drawn.extend(made.iter().map(values));
            }
            Ok(drawn)
        };
        let expected = draw(None)?;
        assert_eq!(draw(Some(&|| compiled.call(&[])))?, expected);
        assert_eq!((compiled.explain().calls, compiled.explain().replays), (1, 3));
    }
    Ok(())
}

#[test]
fn breaks_are_ordinary_calls_and_are_listed() -> Result<()> {
    let device = lanthorn::cpu();
    let x = Tensor::ones([3])?;
    let reads = compile(|xs: &[Tensor]| {
        let total = block_on(xs[0].sum((), false)?.item())?;
        Ok(vec![xs[0].mul(total)?])
    });
    for scale in [1.0, 2.0, 3.0] {
        assert_eq!(values(&reads.call(&[x.mul(scale)?])?[0])[0] as f64, 3.0 * scale * scale);
    }
    let report = reads.explain();
    assert_eq!((report.replays, report.calls), (0, 3));
    assert!(report.breaks[0].contains("read"), "{report}");

    let w = Tensor::ones([3])?.requires_grad_(true)?;
    let hook = w.register_hook(|grad| grad.mul(2.0).map(Some))?;
    let hooked = compile(|_: &[Tensor]| {
        w.set_grad(None)?;
        w.square()?.sum((), false)?.backward()?;
        Ok(vec![])
    });
    for _ in 0..3 {
        hooked.call(&[])?;
        assert_eq!(values(&w.grad().expect("it has a gradient")), [4.0; 3]);
    }
    assert!(hooked.explain().replays == 0 && hooked.explain().breaks[0].contains("hook"), "{}", hooked.explain());
    hook.remove();
    for _ in 0..3 {
        hooked.call(&[])?;
        assert_eq!(values(&w.grad().expect("it has a gradient")), [2.0; 3]);
    }
    assert_eq!(hooked.explain().replays, 2);

    drop(device);
    Ok(())
}

#[test]
fn errors_are_those_of_the_function_and_it_works_on() -> Result<()> {
    let _device = lanthorn::cpu();
    let function = compile(|xs: &[Tensor]| Ok(vec![xs[0].add(&xs[1])?]));
    let (a, b) = (Tensor::ones([3])?, Tensor::ones([2])?);
    for _ in 0..2 {
        let error = function.call(&[a.clone(), b.clone()]).expect_err("the shapes do not fit");
        assert_eq!(error.to_string(), a.add(&b).expect_err("the shapes do not fit").to_string());
        assert_eq!(values(&function.call(&[a.clone(), a.clone()])?[0]), [2.0; 3]);
    }
    assert_eq!(function.explain().replays, 1);
    Ok(())
}

#[test]
fn modes_flags_and_the_count_of_an_average_are_guards() -> Result<()> {
    let device = lanthorn::cpu();
    let w = data([3, 3], 1, &device)?;
    let function = compile(|xs: &[Tensor]| Ok(vec![xs[0].matmul(&w)?]));
    let x = data([2, 3], 2, &device)?;
    let plain = function.call(std::slice::from_ref(&x))?.remove(0);
    let half = autocast(DType::BF16, || function.call(std::slice::from_ref(&x)))??.remove(0);
    assert_eq!((plain.dtype(), half.dtype()), (DType::F32, DType::BF16));
    w.requires_grad_(true)?;
    assert!(function.call(std::slice::from_ref(&x))?[0].requires_grad());
    assert!(!no_grad(|| function.call(std::slice::from_ref(&x)))?[0].requires_grad());

    let weights = [data([2, 2], 5, &device)?];
    let means = [false, true].map(|compiled| -> Result<Vec<f32>> {
        let average = AveragedModel::new(&weights, Averaging::Equal)?;
        let update = compile(|xs: &[Tensor]| average.update(xs).map(|()| vec![]));
        for seed in 0..6 {
            let weights = [data([2, 2], seed, &device)?];
            if compiled {
                update.call(&weights)?;
            } else {
                average.update(&weights)?;
            }
        }
        assert_eq!(average.n_averaged(), 6);
        assert_eq!(update.explain().replays, if compiled { 4 } else { 0 }, "{}", update.explain());
        Ok(values(&average.tensors()[0]))
    });
    let [eager, compiled] = means;
    assert_eq!(eager?, compiled?);
    Ok(())
}

#[test]
fn a_schedule_in_the_function_breaks_it() -> Result<()> {
    let _device = lanthorn::cpu();
    let w = Tensor::ones([2])?.requires_grad_(true)?;
    let optimizer = Sgd::new(vec![w.clone()], SgdOptions { lr: 0.1, ..Default::default() })?;
    let schedule = StepLR { step_size: 1, gamma: 0.5 }.on(&optimizer)?;
    let function = compile(|_: &[Tensor]| {
        optimizer.zero_grad()?;
        w.sum((), false)?.backward()?;
        optimizer.step()?;
        schedule.step()?;
        Ok(vec![])
    });
    for expected in [0.9, 0.85, 0.825] {
        function.call(&[])?;
        assert!((values(&w)[0] - expected).abs() < 1e-6);
    }
    assert!(function.explain().breaks.iter().any(|reason| reason.contains("option")), "{}", function.explain());
    Ok(())
}

/// The losses of a training whose forward pass is compiled or not, with its weights.
fn train_through(device: &Device, compiled: bool) -> Result<(Vec<f32>, Vec<Vec<f32>>, u64)> {
    let net = network(device)?;
    let optimizer = optimizer("AdamW", net.parameters())?;
    let forward = compile(|xs: &[Tensor]| Ok(vec![net.forward(&xs[0])?]));
    let y = data([5, 4], 9, device)?;
    device.manual_seed(17);
    let mut losses = vec![];
    for number in 0..8 {
        let x = Tensor::randn_with([5, 6], None, Some(device))?.requires_grad_(number % 2 == 1)?;
        net.train(number != 5);
        let output = if compiled { forward.call(std::slice::from_ref(&x))?.remove(0) } else { net.forward(&x)? };
        optimizer.zero_grad()?;
        let loss = output.sub(&y)?.square()?.mean((), false)?;
        loss.backward()?;
        optimizer.step()?;
        losses.extend(values(&loss));
        losses.extend(x.grad().map(|grad| values(&grad)).unwrap_or_default());
    }
    let tensors = net.parameters().into_iter().chain(net.named_buffers().into_iter().map(|(_, buffer)| buffer));
    let state = tensors.map(|x| values(&x.detach().to(DType::F32).expect("numbers")));
    Ok((losses, state.collect(), forward.explain().replays))
}

#[test]
fn gradients_go_through_a_compiled_forward_pass() -> Result<()> {
    for device in devices() {
        let (losses, state, _) = train_through(&device, false)?;
        let (compiled, compiled_state, replays) = train_through(&device, true)?;
        let near = |a: &f32, b: &f32| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
        assert!(losses.iter().zip(&compiled).all(|(a, b)| near(a, b)), "{losses:?}\n{compiled:?}");
        let (flat, compiled_flat) = (state.concat(), compiled_state.concat());
        assert!(flat.iter().zip(&compiled_flat).all(|(a, b)| near(a, b)), "{flat:?}\n{compiled_flat:?}");
        // Recorded: plain, with an argument's gradient, in evaluation mode.
        assert_eq!(replays, 5);
    }
    Ok(())
}

#[test]
fn a_compiled_function_has_first_derivatives_of_some_or_all_results() -> Result<()> {
    let device = lanthorn::cpu();
    let w = data([3, 3], 1, &device)?.requires_grad_(true)?;
    let function = compile(|xs: &[Tensor]| {
        let h = xs[0].matmul(&w)?;
        Ok(vec![h.tanh()?, h.detach(), h.exp()?.sum((), false)?])
    });
    for round in 0..4 {
        let x = data([2, 3], round, &device)?;
        let expected = |weights: [f64; 2]| -> Result<Vec<f32>> {
            let h = x.matmul(&w)?;
            let first = h.tanh()?.sum((), false)?.mul(weights[0])?;
            let loss = first.add(&h.exp()?.sum((), false)?.mul(weights[1])?)?;
            Ok(values(
                lanthorn::grad(&[loss], std::slice::from_ref(&w), &[], Default::default())?[0]
                    .as_ref()
                    .expect("it is used"),
            ))
        };
        let results = function.call(std::slice::from_ref(&x))?;
        assert_eq!([true, false, true], [0, 1, 2].map(|index: usize| results[index].requires_grad()));
        let options = lanthorn::GradOptions { retain_graph: true, ..Default::default() };
        let found = |outputs: &[Tensor], grads: &[Tensor]| -> Result<Vec<f32>> {
            Ok(values(
                lanthorn::grad(outputs, std::slice::from_ref(&w), grads, options)?[0].as_ref().expect("it is used"),
            ))
        };
        // An expanded gradient is laid out as the recorded one was.
        let ones = Tensor::ones([1, 1])?.expand([2, 3])?;
        assert_eq!(found(&results[..1], std::slice::from_ref(&ones))?, expected([1.0, 0.0])?);
        assert_eq!(found(&results[2..], &[])?, expected([0.0, 1.0])?);
        let both = found(&[results[0].clone(), results[2].clone()], &[ones, Tensor::scalar(1.0f32, &device)?])?;
        assert!(both.iter().zip(expected([1.0, 1.0])?).all(|(a, b)| (a - b).abs() < 1e-5));
        let second = lanthorn::GradOptions { create_graph: true, ..Default::default() };
        let error =
            lanthorn::grad(&results[2..], std::slice::from_ref(&w), &[], second).expect_err("there is no second one");
        assert!(error.to_string().contains("first derivatives"), "{error}");
        // Backward uses the values of the forward pass, even after later writes.
        no_grad(|| w.mul_(1.1))?;
    }
    assert_eq!(function.explain().replays, 3, "{}", function.explain());
    Ok(())
}

#[test]
fn kernels_that_read_only_constants_run_once() -> Result<()> {
    for device in devices() {
        let (a, b) = (data([48, 64], 1, &device)?, data([48, 64], 2, &device)?);
        let weights = || Tensor::cat(&[b.clone(), a.clone()], 0)?.cumsum(1)?.t()?.contiguous();
        let function = compile(|xs: &[Tensor]| no_grad(|| Ok(vec![xs[0].matmul(&weights()?)?])));
        let x = data([2, 64], 3, &device)?;
        let call = |count: usize| -> Result<()> {
            for _ in 0..count {
                let found = function.call(std::slice::from_ref(&x))?;
                assert_eq!(values(&found[0]), values(&x.matmul(&weights()?)?));
            }
            Ok(())
        };
        call(3)?;
        let report = function.explain();
        assert_eq!((report.recordings, report.replays), (vec![1], 2));
        // Constants that change are noticed, and after several changes they are not constants.
        for _ in 0..4 {
            no_grad(|| a.add_(1.0))?;
            call(3)?;
        }
        let report = function.explain();
        assert!(report.recordings.len() == 1 && report.recordings[0] > 1, "{report}");
        assert_eq!((report.calls, report.replays), (3, 12), "{report}");
    }
    Ok(())
}
