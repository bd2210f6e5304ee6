//! Functions of functions: nested derivatives and batches, with numbers that follow from their
//! definitions. The conformance tests run every op within `vmap`.

use crate::common::*;
use lanthorn_tensor::{
    GradOptions,
    autograd::{self, Function},
    compile::compile,
    func::{self, Randomness, VmapOptions},
};
use std::slice::from_ref;

fn over(in_dims: &[Option<i64>]) -> VmapOptions {
    VmapOptions { in_dims: in_dims.to_vec(), ..VmapOptions::default() }
}

fn assert_close(found: &[f32], wanted: &[f32]) {
    let is_close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(is_close), "{found:?} beside {wanted:?}");
}

/// The loss of a network of two layers for one sample.
fn loss(x: &[Tensor]) -> Result<Tensor> {
    let [first, second, sample] = x else { panic!("three tensors") };
    first.matmul(sample)?.tanh()?.mul(second)?.sum((), false)?.square()
}

fn network() -> (Tensor, Tensor, Tensor) {
    let wave =
        |count: usize, shape: &[i64]| tensor(&(0..count).map(|i| (i as f32 * 1.3).sin()).collect::<Vec<_>>(), shape);
    (wave(12, &[4, 3]), wave(4, &[4]), wave(15, &[5, 3]))
}

#[test]
fn gradients_of_each_sample_are_those_of_a_loop() -> Result<()> {
    let _device = device();
    let (first, second, samples) = network();
    let of_each = func::vmap(func::grad(loss, &[0, 1, 2]), over(&[None, None, Some(0)]));
    let batch = of_each(&[first.clone(), second.clone(), samples.clone()])?;
    for i in 0..5 {
        let alone = func::grad(loss, &[0, 1, 2])(&[first.clone(), second.clone(), samples.select(0, i)?])?;
        for (batch, alone) in batch.iter().zip(&alone) {
            assert_close(&read(&batch.select(0, i)?), &read(alone));
        }
    }
    // The gradient of the mean over the samples sums over them.
    let mean = |x: &[Tensor]| {
        let values = func::vmap(|x: &[Tensor]| Ok(vec![loss(x)?]), over(&[None, None, Some(0)]))(x)?;
        values[0].mean((), false)
    };
    let gradients = func::grad(mean, &[0, 1])(&[first, second, samples])?;
    for (gradient, batch) in gradients.iter().zip(&batch) {
        assert_close(&read(gradient), &read(&batch.mean(0, false)?));
    }
    Ok(())
}

#[test]
fn transforms_nest_in_any_order() -> Result<()> {
    let _device = device();
    let cube = |x: &[Tensor]| x[0].pow(3.0)?.sum((), false);
    let x = tensor(&[1.0, 2.0, 3.0], &[3]);
    let second = func::grad(|x| func::grad(cube, &[0])(x)?[0].sum((), false), &[0])(from_ref(&x))?;
    assert_eq!(read(&second[0]), [6.0, 12.0, 18.0]);
    let third = |x: &[Tensor]| -> Result<Tensor> {
        func::grad(|x| func::grad(cube, &[0])(x)?[0].sum((), false), &[0])(x)?[0].sum((), false)
    };
    assert_eq!(read(&func::grad(third, &[0])(from_ref(&x))?[0]), [6.0, 6.0, 6.0]);
    let diagonal = [6.0, 0.0, 0.0, 0.0, 12.0, 0.0, 0.0, 0.0, 18.0];
    assert_eq!(read(&func::hessian(cube, 0)(from_ref(&x))?), diagonal);
    let gradient = |x: &[Tensor]| Ok(func::grad(cube, &[0])(x)?.remove(0));
    assert_eq!(read(&func::jacrev(gradient, 0)(from_ref(&x))?), diagonal);
    assert_eq!(read(&func::jacfwd(gradient, 0)(from_ref(&x))?), diagonal);
    let direction = tensor(&[1.0, -1.0, 2.0], &[3]);
    let (value, products) = func::hvp(cube, from_ref(&x), from_ref(&direction))?;
    assert_eq!((read(&value), read(&products[0])), (vec![36.0], vec![6.0, -12.0, 36.0]));
    // A forward derivative of a forward derivative.
    let along = |x: &[Tensor]| Ok(func::jvp(|x| Ok(vec![cube(x)?]), x, from_ref(&direction))?.1);
    assert_eq!(read(&func::jvp(along, from_ref(&x), from_ref(&direction))?.1[0]), [6.0 + 12.0 + 72.0]);
    // Hessians of each sample, within two batches.
    let samples = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[3, 2, 1]);
    let of_one = |x: &[Tensor]| Ok(vec![func::hessian(cube, 0)(x)?]);
    let of_all = func::vmap(func::vmap(of_one, VmapOptions::default()), over(&[Some(1)]));
    let hessians = of_all(&[samples])?;
    assert_eq!(hessians[0].shape()[..], [2, 3, 1, 1]);
    assert_eq!(read(&hessians[0]), [6.0, 18.0, 30.0, 12.0, 24.0, 36.0]);
    Ok(())
}

#[test]
fn derivatives_reach_tensors_around() -> Result<()> {
    let _device = device();
    // The gradient of a gradient's norm for a tensor that the function captures.
    let weight = leaf(&[2.0], &[1]);
    let x = tensor(&[3.0], &[1]);
    let gradient = func::grad(|x: &[Tensor]| x[0].square()?.mul(&weight)?.sum((), false), &[0])(from_ref(&x))?;
    gradient[0].square()?.sum((), false)?.backward()?;
    // d/dw (2 x w)^2 = 8 x^2 w.
    assert_eq!(grad_of(&weight), [144.0]);
    // The same within a batch, whose samples share the captured tensor.
    weight.set_grad(None)?;
    let samples = tensor(&[3.0, 1.0], &[2, 1]);
    let norm = |x: &[Tensor]| {
        let inner = |x: &[Tensor]| x[0].square()?.mul(&weight)?.sum((), false);
        Ok(vec![func::grad(inner, &[0])(x)?[0].square()?.sum((), false)?])
    };
    func::vmap(norm, VmapOptions::default())(&[samples])?[0].sum((), false)?.backward()?;
    assert_eq!(grad_of(&weight), [144.0 + 16.0]);
    // A function that no input reaches has zeros.
    let constant = func::grad(|_: &[Tensor]| Tensor::scalar(1.0f32, x.device()), &[0])(from_ref(&x))?;
    assert_eq!(read(&constant[0]), [0.0]);
    Ok(())
}

#[test]
fn batches_write_and_draw_as_their_samples_do() -> Result<()> {
    let device = device();
    let x = count(&[3, 4]);
    let options = |randomness| VmapOptions { randomness, ..VmapOptions::default() };
    // Writes through a view of an own copy.
    let written = func::vmap(
        |x: &[Tensor]| {
            let own = x[0].clone_tensor()?;
            own.slice(0, 0, 2, 1)?.mul_(&x[0].sum((), false)?)?;
            Ok(vec![own])
        },
        VmapOptions::default(),
    )(from_ref(&x))?;
    let rows = [[0.0, 6.0, 2.0, 3.0], [88.0, 110.0, 6.0, 7.0], [304.0, 342.0, 10.0, 11.0]];
    assert_eq!(read(&written[0]), rows.concat());
    // A tensor of zeros that the samples share becomes one for each.
    let set = func::vmap(
        |x: &[Tensor]| Ok(vec![Tensor::zeros([6])?.scatter(0, &ints(&[5, 0, 2, 1], &[4]), &x[0])?]),
        VmapOptions::default(),
    )(from_ref(&x))?;
    assert_eq!(read(&set[0].select(0, 1)?), [5.0, 7.0, 6.0, 0.0, 0.0, 4.0]);
    let shared = Tensor::zeros([4])?;
    let error = func::vmap(|x: &[Tensor]| shared.add_(&x[0]).map(|()| vec![]), VmapOptions::default())(from_ref(&x));
    refused(error, "argument", &["add_", "samples share"]);
    // Random numbers.
    let draws = |randomness| func::vmap(|x: &[Tensor]| Ok(vec![x[0].rand_like()?]), options(randomness));
    refused(draws(Randomness::Error)(from_ref(&x)), "argument", &["rand", "randomness"]);
    device.manual_seed(3);
    let plain = read(&Tensor::rand([12])?);
    device.manual_seed(3);
    assert_eq!(read(&draws(Randomness::Different)(from_ref(&x))?[0]), plain);
    device.manual_seed(3);
    assert_eq!(read(&draws(Randomness::Same)(from_ref(&x))?[0]), [&plain[..4]; 3].concat());
    // Numbers that differ between the outer samples alone, and between the inner ones alone.
    for (outer, inner) in [(Randomness::Different, Randomness::Same), (Randomness::Same, Randomness::Different)] {
        let of_row = func::vmap(|x: &[Tensor]| Ok(vec![x[0].rand_like()?]), options(inner));
        let all = func::vmap(|x: &[Tensor]| of_row(x), options(outer))(&[Tensor::zeros([2, 3, 4])?])?;
        let sample = |i: i64, j: i64| all[0].select(0, i).and_then(|rows| rows.select(0, j)).map(|row| read(&row));
        let is_outer = outer == Randomness::Different;
        assert_eq!(sample(0, 0)? == sample(0, 1)?, is_outer);
        assert_eq!(sample(0, 0)? == sample(1, 0)?, !is_outer);
        assert_eq!(sample(1, 2)? == sample(1, 1)?, is_outer);
    }
    let orders = func::vmap(|_: &[Tensor]| Ok(vec![Tensor::randperm(50)?]), options(Randomness::Different))(&[x])?;
    let orders = pollster::block_on(orders[0].to_vec::<i32>())?;
    assert_ne!(orders[..50], orders[50..100]);
    Ok(())
}

#[test]
fn shared_weights_are_multiplied_once() -> Result<()> {
    let _device = device();
    let (weight, samples) = (count(&[4, 3]), count(&[5, 2, 4]));
    let product = func::vmap(|x: &[Tensor]| Ok(vec![x[0].matmul(&x[1])?]), over(&[Some(0), None]));
    let found = product(&[samples.clone(), weight.clone()])?;
    assert_eq!(read(&found[0]), read(&samples.matmul(&weight)?));
    // The samples along the last dimension, to the last dimension, two at a time.
    let options = VmapOptions { in_dims: vec![Some(-1), None], out_dims: vec![-1], chunk_size: Some(2), ..over(&[]) };
    let moved = func::vmap(|x: &[Tensor]| Ok(vec![x[0].matmul(&x[1])?]), options);
    let turned = samples.movedim(0, -1)?;
    assert_eq!(read(&moved(&[turned, weight])?[0].movedim(-1, 0)?), read(&found[0]));
    Ok(())
}

/// `2 x`, with a custom derivative.
struct Double;

impl Function for Double {
    fn name(&self) -> &'static str {
        "double_of_test"
    }

    fn forward(&self, _: &autograd::Context, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![inputs[0].mul(2.0)?])
    }

    fn backward(&self, _: &autograd::Context, grads: &autograd::Gradients) -> Result<Vec<Option<Tensor>>> {
        Ok(vec![Some(grads.at(0)?.mul(2.0)?)])
    }
}

#[test]
fn functions_and_compiled_ones_are_batched() -> Result<()> {
    let _device = device();
    let x = count(&[3, 2]);
    let own = |x: &[Tensor]| autograd::apply(Double, x)?[0].square()?.sum((), false);
    let gradients = func::vmap(func::grad(own, &[0]), VmapOptions::default())(from_ref(&x))?;
    assert_eq!(read(&gradients[0]), [0.0, 8.0, 16.0, 24.0, 32.0, 40.0]);
    let of_all = func::vmap(func::grad(own, &[0]), VmapOptions::default());
    let compiled = compile(move |x: &[Tensor]| of_all(x));
    for _ in 0..3 {
        assert_eq!(read(&compiled.call(from_ref(&x))?[0]), read(&gradients[0]));
    }
    Ok(())
}

#[test]
fn mistakes_within_transforms_are_errors_at_the_call() -> Result<()> {
    let _device = device();
    let x = count(&[3, 2]);
    let run = |x: &[Tensor]| Ok(x.to_vec());
    let none = VmapOptions::default;
    refused(func::vmap(run, none())(&[x.clone(), count(&[4])]), "shape", &["vmap", "input 0", "3", "input 1", "4"]);
    refused(func::vmap(run, over(&[None]))(from_ref(&x)), "argument", &["vmap", "in_dims"]);
    refused(func::vmap(run, over(&[Some(2)]))(from_ref(&x)), "index", &["vmap", "2"]);
    refused(func::vmap(run, over(&[Some(0), None]))(from_ref(&x)), "argument", &["in_dims", "2", "1"]);
    refused(func::vmap(run, none())(&[Tensor::zeros([0, 2])?]), "shape", &["vmap", "no samples"]);
    refused(func::vmap(run, none())(&[Tensor::scalar(1.0f32, x.device())?]), "index", &["vmap", "no dimensions"]);
    let reads = |x: &[Tensor]| pollster::block_on(x[0].sum((), false)?.item()).map(|_| vec![]);
    refused(func::vmap(reads, none())(from_ref(&x)), "argument", &["vmap", "sample"]);
    let shapes = |x: &[Tensor]| pollster::block_on(x[0].nonzero()).map(|found| vec![found]);
    refused(func::vmap(shapes, none())(from_ref(&x)), "argument", &["vmap", "sample"]);
    let weight = leaf(&[1.0, 1.0], &[2]);
    let backward = |x: &[Tensor]| x[0].mul(&weight)?.sum((), false)?.backward().map(|()| vec![]);
    refused(func::vmap(backward, none())(from_ref(&x)), "autograd", &["backward", "func::grad"]);
    // A sample that outlives its vmap is not read for another's.
    let mut kept = None;
    let kept_of = std::cell::RefCell::new(&mut kept);
    func::vmap(
        |x: &[Tensor]| {
            **kept_of.borrow_mut() = Some(x[0].clone());
            Ok(x.to_vec())
        },
        none(),
    )(from_ref(&x))?;
    refused(pollster::block_on(kept.unwrap().to_vec::<f32>()), "argument", &["vmap"]);
    let sum = |x: &[Tensor]| x[0].sum((), false);
    refused(func::grad(sum, &[1])(from_ref(&x)), "argument", &["grad", "input 1", "1 inputs"]);
    refused(func::grad(|x: &[Tensor]| Ok(x[0].clone()), &[0])(from_ref(&x)), "autograd", &["grad", "one element"]);
    refused(func::grad(sum, &[0])(&[ints(&[1], &[1])]), "dtype", &["grad", "int32"]);
    refused(func::jvp(run, from_ref(&x), &[count(&[2, 3])]), "shape", &["jvp", "tangent 0", "[2, 3]", "[3, 2]"]);
    refused(func::jvp(run, from_ref(&x), &[]), "argument", &["jvp", "0 tangents", "1"]);
    // After an error nothing of the batch is left.
    assert_eq!(read(&x.add(1.0)?), read(&count(&[3, 2]).add(1.0)?));
    let options = GradOptions::default();
    refused(autograd::grad(from_ref(&x), from_ref(&x), &[], options), "autograd", &["grad"]);
    Ok(())
}

#[test]
fn jacobians_of_compiled_functions_are_those_of_the_functions() -> Result<()> {
    let _device = device();
    let function = |x: &[Tensor]| -> Result<Vec<Tensor>> { Ok(vec![x[0].sin()?.mul(&x[0])?.cumsum(0)?]) };
    let compiled = compile(function);
    let x = tensor(&[0.5, 1.0, 2.0], &[3]);
    let of_compiled = |x: &[Tensor]| Ok(compiled.call(x)?.remove(0));
    let wanted = read(&func::jacrev(|x| Ok(function(x)?.remove(0)), 0)(from_ref(&x))?);
    for _ in 0..4 {
        assert_close(&read(&func::jacrev(of_compiled, 0)(from_ref(&x))?), &wanted);
    }
    Ok(())
}
