//! Backward: the gradients of leaves, of every order, and refused calls.

use crate::common::*;
use lanthorn_tensor::autograd;
use std::{cell::Cell, rc::Rc, slice::from_ref};

#[test]
fn gradients_add_up_over_uses_and_over_calls() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0, -3.0], &[2]);
    let y = x.mul(&x)?.add(&x)?.add(&x.mul(4.0)?)?;
    y.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [9.0, -1.0]);
    x.mul(10.0)?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [19.0, 9.0]);
    x.set_grad(None)?;
    assert!(x.grad().is_none());
    Ok(())
}

#[test]
fn a_diamond_goes_through_each_op_once() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.5], &[1]);
    // 2^40 paths from end to start, 80 nodes.
    let mut y = x.clone();
    for _ in 0..40 {
        y = y.add(&y.mul(1.0)?)?.mul(0.5)?;
    }
    y.backward()?;
    assert_eq!(grad_of(&x), [1.0]);
    Ok(())
}

#[test]
fn a_second_backward_needs_the_graph() -> Result<()> {
    let _device = device();
    let x = leaf(&[3.0], &[1]);
    let y = x.square()?;
    y.backward_with(None, RETAIN)?;
    y.backward()?;
    assert_eq!(grad_of(&x), [12.0]);
    refused(y.backward(), "autograd", &["retain_graph", "square"]);
    assert_eq!(grad_of(&x), [12.0]);
    Ok(())
}

/// The derivatives of orders 1 to 3 of a function of one number.
fn derivatives(function: impl Fn(&Tensor) -> Result<Tensor>, at: f32) -> Result<[f64; 3]> {
    let x = leaf(&[at], &[]);
    let mut y = function(&x)?;
    let mut found = [0.0; 3];
    for derivative in &mut found {
        y = grad(&[y], std::slice::from_ref(&x), &[], CREATE)?.remove(0).expect("it depends on x");
        *derivative = item(&y);
    }
    Ok(found)
}

#[test]
fn derivatives_of_higher_order() -> Result<()> {
    let _device = device();
    let check = |got: [f64; 3], want: [f64; 3]| got.iter().zip(want).for_each(|(&got, want)| close(got, want));
    check(derivatives(|x| x.pow(4.0), 1.5)?, [13.5, 27.0, 36.0]);
    check(derivatives(|x| x.mul(x)?.mul(x)?.mul(x), 1.5)?, [13.5, 27.0, 36.0]);
    // exp(2x): factors 2, 4, 8.
    let e = 1f64.exp();
    check(derivatives(|x| x.mul(2.0)?.exp(), 0.5)?, [2.0 * e, 4.0 * e, 8.0 * e]);
    // tanh: with t = tanh(x), s = 1 - t^2 the derivatives are s, -2ts, -2s(s - 2t^2).
    let t = 0.3f64.tanh();
    let s = 1.0 - t * t;
    check(derivatives(Tensor::tanh, 0.3)?, [s, -2.0 * t * s, -2.0 * s * (s - 2.0 * t * t)]);
    // exp(tanh(x)): f' = s f, f'' = (s^2 - 2ts) f, f''' = (s^3 - 6ts^2 - 2s^2 + 4t^2 s) f.
    let f = t.exp();
    check(
        derivatives(|x| x.tanh()?.exp(), 0.3)?,
        [s * f, (s * s - 2.0 * t * s) * f, (s.powi(3) - 6.0 * t * s * s - 2.0 * s * s + 4.0 * t * t * s) * f],
    );
    // Through views: x -> [x, x^2] -> the second element, cubed.
    let through_views =
        |x: &Tensor| Tensor::stack(&[x.clone(), x.square()?], 0)?.select(0, 1)?.unsqueeze(0)?.pow(3.0)?.sum((), false);
    check(derivatives(through_views, 1.2)?, [6.0 * 1.2f64.powi(5), 30.0 * 1.2f64.powi(4), 120.0 * 1.2f64.powi(3)]);
    Ok(())
}

#[test]
fn create_graph_makes_the_gradient_part_of_the_graph() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    x.pow(3.0)?.backward_with(None, CREATE)?;
    let first = x.grad().unwrap();
    assert!(first.requires_grad());
    x.set_grad(None)?;
    first.square()?.backward()?; // d (3x^2)^2 = 36 x^3
    assert_eq!(grad_of(&x), [288.0]);
    let y = leaf(&[2.0], &[1]);
    y.pow(3.0)?.backward()?;
    assert!(!y.grad().unwrap().requires_grad());
    Ok(())
}

#[test]
fn grad_gives_what_was_asked_for_and_leaves_the_leaves_alone() -> Result<()> {
    let _device = device();
    let (x, unused) = (leaf(&[2.0], &[1]), leaf(&[1.0], &[1]));
    let middle = x.mul(3.0)?;
    let (y, z) = (middle.square()?, x.neg()?);
    let weight = tensor(&[10.0], &[1]);
    let inputs = [unused.clone(), middle.clone(), x.clone(), y.clone()];
    let got = grad(&[y.clone(), z.clone()], &inputs, &[weight.clone(), weight.clone()], RETAIN)?;
    assert!(got[0].is_none());
    let got: Vec<f32> = got[1..].iter().map(|grad| read(grad.as_ref().unwrap())[0]).collect();
    assert_eq!(got, [120.0, 350.0, 10.0]);
    assert!(x.grad().is_none() && middle.grad().is_none());
    refused(grad(std::slice::from_ref(&y), std::slice::from_ref(&weight), &[], RETAIN), "autograd", &["require"]);
    refused(grad(&[y, z], &[x], &[weight], RETAIN), "argument", &["grad_outputs"]);
    Ok(())
}

#[test]
fn what_backward_refuses() -> Result<()> {
    let device = device();
    let x = leaf(&[1.0, 2.0], &[2]);
    refused(x.mul(2.0)?.backward(), "autograd", &["one element", "[2]"]);
    refused(x.detach().sum((), false)?.backward(), "autograd", &["does not require"]);
    refused(x.mul(2.0)?.backward_with(Some(&tensor(&[1.0], &[1])), RETAIN), "shape", &["[1]", "[2]"]);
    let double = Tensor::from_slice(&[1.0f64, 1.0], [2], &device)?;
    refused(x.backward_with(Some(&double), RETAIN), "shape", &["float64", "float32"]);
    refused(ints(&[1], &[1]).requires_grad_(true), "dtype", &["int32"]);
    refused(x.mul(2.0)?.requires_grad_(false), "autograd", &["detach"]);
    refused(x.set_grad(Some(tensor(&[1.0], &[1]))), "shape", &["[1]", "[2]"]);
    assert!(x.grad().is_none());
    x.mul(2.0)?.backward_with(Some(&tensor(&[1.0, 10.0], &[2])), RETAIN)?;
    assert_eq!(grad_of(&x), [2.0, 20.0]);
    Ok(())
}

#[test]
fn detach_and_no_grad_end_the_graph() -> Result<()> {
    let _device = device();
    let x = leaf(&[3.0], &[1]);
    let y = x.detach().mul(&x)?;
    y.backward()?;
    assert_eq!(grad_of(&x), [3.0]);
    let z = no_grad(|| x.mul(2.0))?;
    assert!(!z.requires_grad() && z.is_leaf() && z.grad_fn().is_none());
    assert!(no_grad(|| x.requires_grad()));
    // A comparison carries no gradient, nor does an integer.
    assert!(
        !x.gt(0.0)?.requires_grad() && !x.to(DType::I32)?.requires_grad() && !x.argmax(None, false)?.requires_grad()
    );
    let frozen = leaf(&[1.0], &[1]).requires_grad_(false)?;
    assert!(!frozen.mul(2.0)?.requires_grad());
    Ok(())
}

#[test]
fn a_gradient_has_its_tensors_type_and_shape() -> Result<()> {
    let device = device();
    let x = leaf(&[1.0, 2.0, 3.0], &[3]);
    let y = Tensor::from_slice(&[2.0f64, 3.0], [2, 1], &device)?.requires_grad_(true)?;
    let scalar = leaf(&[4.0], &[]);
    // float32 [3] * float64 [2, 1] * float32 [] is float64 [2, 3].
    let product = x.mul(&y)?.mul(&scalar)?;
    assert_eq!((product.dtype(), shape_of(&product)), (DType::F64, vec![2, 3]));
    product.to(DType::F32)?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [20.0, 20.0, 20.0]);
    assert_eq!(pollster::block_on(y.grad().unwrap().to_vec::<f64>())?, [24.0, 24.0]);
    assert_eq!((y.grad().unwrap().shape().to_vec(), item(&scalar.grad().unwrap())), (vec![2, 1], 30.0));
    // Where one side is an integer, only the other gets a gradient.
    let z = leaf(&[1.5, 2.5], &[2]);
    Tensor::r#where(&ints(&[1, 0], &[2]), &z, ints(&[7, 7], &[2]))?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&z), [1.0, 0.0]);
    Ok(())
}

#[test]
fn a_leaf_owns_its_gradient() -> Result<()> {
    let _device = device();
    // The gradient of a sum is one number everywhere; in the leaf it can be changed in place.
    let x = leaf(&[1.0, 2.0, 3.0], &[3]);
    x.sum((), false)?.backward()?;
    let held = x.grad().unwrap();
    assert!(held.is_contiguous());
    held.select(0, 1)?.mul_(5.0)?;
    assert_eq!(grad_of(&x), [1.0, 5.0, 1.0]);
    // A gradient that the caller gave stays the caller's.
    let (a, given) = (leaf(&[0.0, 0.0], &[2]), tensor(&[1.0, 2.0], &[2]));
    a.reshape([2, 1])?.backward_with(Some(&given.reshape([2, 1])?), RETAIN)?;
    a.grad().unwrap().mul_(10.0)?;
    assert_eq!((read(&given), grad_of(&a)), (vec![1.0, 2.0], vec![10.0, 20.0]));
    a.backward_with(Some(&given), RETAIN)?;
    let (b, c) = (leaf(&[0.0], &[1]), leaf(&[0.0], &[1]));
    Tensor::cat(&[b.clone(), c.clone()], 0)?.backward_with(Some(&given), RETAIN)?;
    b.grad().unwrap().mul_(0.0)?;
    assert_eq!((grad_of(&b), grad_of(&c), grad_of(&a)), (vec![0.0], vec![2.0], vec![11.0, 22.0]));
    assert_eq!(read(&given), [1.0, 2.0]);
    Ok(())
}

#[test]
fn a_checkpoint_computes_its_function_again_in_the_backward_pass() -> Result<()> {
    let device = device();
    let weight = leaf(&[0.5, -1.0, 2.0], &[3]);
    let calls = Rc::new(Cell::new(0));
    let counted = calls.clone();
    let taken = weight.clone();
    let block = move |x: &[Tensor]| {
        counted.set(counted.get() + 1);
        let hidden = x[0].mul(&taken)?.tanh()?.exp()?;
        Ok(vec![hidden.mul(hidden.rand_like()?)?.sin()?])
    };
    let run = |x: &Tensor, is_checkpointed: bool| {
        device.manual_seed(5);
        match is_checkpointed {
            true => autograd::checkpoint(block.clone(), from_ref(x)),
            false => block(from_ref(x)),
        }
    };
    let mut found = vec![];
    for is_checkpointed in [false, true] {
        let x = leaf(&[1.0, 2.0, 3.0], &[3]);
        weight.set_grad(None)?;
        let y = run(&x, is_checkpointed)?.remove(0);
        let drawn = device.generator().state();
        y.square()?.sum((), false)?.backward()?;
        assert_eq!(device.generator().state(), drawn, "the second computation draws no new numbers");
        // Second derivatives go through the tensors that were computed again.
        let first = grad(&[run(&x, is_checkpointed)?.remove(0).sum((), false)?], from_ref(&x), &[], CREATE)?;
        let second = grad(&[first[0].clone().unwrap().sum((), false)?], from_ref(&x), &[], RETAIN)?;
        found.push([read(&y), grad_of(&x), grad_of(&weight), read(second[0].as_ref().unwrap())]);
    }
    assert_eq!(found[0], found[1]);
    // Twice, and again for each of three passes.
    assert_eq!(calls.get(), 2 + 2 + 3);
    // Without a graph nothing is kept, and nothing computed again.
    no_grad(|| run(&leaf(&[1.0, 2.0, 3.0], &[3]), true))?;
    assert_eq!(calls.get(), 8);
    let unsteady = Cell::new(false);
    let x = leaf(&[1.0], &[1]);
    let other = autograd::checkpoint(
        move |x| Ok(vec![if unsteady.replace(true) { x[0].clone() } else { x[0].exp()?.exp()? }]),
        &[x],
    )?;
    refused(other[0].backward(), "autograd", &["checkpoint", "saved 0 tensors", "the same"]);
    Ok(())
}

#[test]
fn checkpoints_need_less_memory() -> Result<()> {
    let peak = |segments: Option<usize>| -> Result<(u64, Vec<f32>)> {
        let device = device();
        let x = leaf(&[0.01; 1 << 14], &[128, 128]);
        let block = |weight: Tensor| -> autograd::Segment {
            Box::new(move |x| x.matmul(&weight)?.tanh()?.matmul(&weight)?.tanh()?.matmul(&weight)?.tanh())
        };
        let weight = leaf(&[0.02; 1 << 14], &[128, 128]);
        let blocks: Vec<autograd::Segment> = (0..12).map(|_| block(weight.clone())).collect();
        let y = match segments {
            Some(count) => autograd::checkpoint_sequential(blocks, count, &x)?,
            None => blocks.iter().try_fold(x.clone(), |x, block| block(&x))?,
        };
        y.sum((), false)?.backward()?;
        let gradient = grad_of(&x);
        Ok((device.inspect().stats().memory.peak_bytes, gradient))
    };
    let (plain, gradient) = peak(None)?;
    let (less, same) = peak(Some(12))?;
    assert_eq!(gradient, same);
    assert!(2 * less <= plain, "{less} bytes with checkpoints, {plain} without");
    let _device = device();
    refused(autograd::checkpoint_sequential(vec![], 1, &count(&[1])), "argument", &["1 segments", "0"]);
    Ok(())
}
