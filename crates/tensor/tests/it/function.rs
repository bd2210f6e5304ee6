//! `autograd::Function`: the arguments of forward and backward, optional results, and refused
//! calls.

use crate::common::*;
use lanthorn_tensor::autograd::{Context, Function, Gradients, apply, enable_grad};
use std::{cell::Cell, rc::Rc};

/// A function of two closures.
struct Of<F, B>(&'static str, F, B, bool);

impl<F, B> Function for Of<F, B>
where
    F: Fn(&Context, &[Tensor]) -> Result<Vec<Tensor>>,
    B: Fn(&Context, &Gradients) -> Result<Vec<Option<Tensor>>>,
{
    fn name(&self) -> &'static str {
        self.0
    }
    fn once_differentiable(&self) -> bool {
        self.3
    }
    fn forward(&self, ctx: &Context, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        (self.1)(ctx, inputs)
    }
    fn backward(&self, ctx: &Context, grads: &Gradients) -> Result<Vec<Option<Tensor>>> {
        (self.2)(ctx, grads)
    }
}

fn of<F, B>(name: &'static str, forward: F, backward: B) -> Of<F, B>
where
    F: Fn(&Context, &[Tensor]) -> Result<Vec<Tensor>>,
    B: Fn(&Context, &Gradients) -> Result<Vec<Option<Tensor>>>,
{
    Of(name, forward, backward, false)
}

/// `x³`, from its saved input.
fn cube(x: &Tensor) -> Result<Tensor> {
    let forward = |ctx: &Context, inputs: &[Tensor]| {
        ctx.save_for_backward(&[&inputs[0]]);
        Ok(vec![inputs[0].pow(3.0)?])
    };
    let backward =
        |ctx: &Context, grads: &Gradients| Ok(vec![Some(grads.at(0)?.mul(&ctx.saved(0)?.square()?.mul(3.0)?)?)]);
    Ok(apply(of("cube", forward, backward), std::slice::from_ref(x))?.remove(0))
}

/// `exp(x)`, from its saved output.
fn exponential(x: &Tensor) -> Result<Tensor> {
    let forward = |ctx: &Context, inputs: &[Tensor]| {
        let y = inputs[0].exp()?;
        ctx.save_for_backward(&[&y]);
        Ok(vec![y])
    };
    let backward = |ctx: &Context, grads: &Gradients| Ok(vec![Some(grads.at(0)?.mul(&ctx.saved(0)?)?)]);
    Ok(apply(of("exponential", forward, backward), std::slice::from_ref(x))?.remove(0))
}

#[test]
fn derivatives_of_every_order_from_saved_inputs_and_saved_outputs() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0, -1.0], &[2]);
    cube(&x)?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [12.0, 3.0]);
    let x = leaf(&[2.0], &[]);
    let first = grad(&[cube(&x)?], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
    let second = grad(&[first], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
    let third = grad(std::slice::from_ref(&second), std::slice::from_ref(&x), &[], RETAIN)?.remove(0).unwrap();
    assert_eq!((item(&second), item(&third)), (12.0, 6.0));
    let mut y = exponential(&x)?;
    for _ in 0..3 {
        y = grad(&[y], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
        close(item(&y), 2f64.exp());
    }
    assert_eq!(cube(&x)?.grad_fn().map(|node| node.name()), Some("cube"));
    Ok(())
}

/// `(x + y, x * y)`, counting what backward was given.
fn pair(x: &Tensor, y: &Tensor, materialize: bool, given: &Rc<Cell<(bool, bool)>>) -> Result<Vec<Tensor>> {
    let forward = move |ctx: &Context, inputs: &[Tensor]| {
        ctx.set_materialize_grads(materialize);
        let (x, y) = (&inputs[0], &inputs[1]);
        ctx.save_for_backward(&[x, y]);
        Ok(vec![x.add(y)?, x.mul(y)?])
    };
    let given = given.clone();
    let backward = move |ctx: &Context, grads: &Gradients| {
        given.set((grads[0].is_some(), grads[1].is_some()));
        let or_zeros = |grad: &Option<Tensor>| grad.clone().map_or_else(|| ctx.saved(0)?.zeros_like(), Ok);
        let (sum, product) = (or_zeros(&grads[0])?, or_zeros(&grads[1])?);
        let of = |other: usize| -> Result<Option<Tensor>> { Ok(Some(sum.add(&product.mul(&ctx.saved(other)?)?)?)) };
        let wanted = |input: usize, other: usize| if ctx.needs_input_grad(input) { of(other) } else { Ok(None) };
        Ok(vec![wanted(0, 1)?, wanted(1, 0)?])
    };
    apply(of("pair", forward, backward), &[x.clone(), y.clone()])
}

#[test]
fn several_outputs_go_through_backward_once() -> Result<()> {
    let _device = device();
    let given = Rc::new(Cell::new((false, false)));
    let (x, y) = (leaf(&[2.0, 3.0], &[2]), leaf(&[5.0, 7.0], &[2]));
    let outputs = pair(&x, &y, true, &given)?;
    outputs[0].mul(10.0)?.add(&outputs[1])?.sum((), false)?.backward()?;
    assert_eq!((grad_of(&x), grad_of(&y)), (vec![15.0, 17.0], vec![12.0, 13.0]));
    assert_eq!(given.get(), (true, true));
    // One output alone: the other's gradient is zeros, or nothing.
    for (materialize, expected) in [(true, (true, true)), (false, (false, true))] {
        let fixed = tensor(&[5.0, 7.0], &[2]);
        let outputs = pair(&x, &fixed, materialize, &given)?;
        let found =
            grad(&outputs[1..], std::slice::from_ref(&x), &[tensor(&[1.0, 1.0], &[2])], GradOptions::default())?;
        assert_eq!(read(found[0].as_ref().unwrap()), [5.0, 7.0]);
        assert_eq!(given.get(), expected);
    }
    // The gradients of both outputs by themselves: their keys differ though their node is one.
    let outputs = pair(&x, &y, true, &given)?;
    let total = outputs[0].mul(3.0)?.add(&outputs[1].mul(4.0)?)?.sum((), false)?;
    let found = grad(&[total], &outputs, &[], GradOptions::default())?;
    assert_eq!(read(found[0].as_ref().unwrap()), [3.0, 3.0]);
    assert_eq!(read(found[1].as_ref().unwrap()), [4.0, 4.0]);
    Ok(())
}

#[test]
fn hooks_and_retained_gradients_of_each_output() -> Result<()> {
    let _device = device();
    let given = Rc::new(Cell::new((false, false)));
    let (x, y) = (leaf(&[2.0], &[1]), leaf(&[5.0], &[1]));
    let outputs = pair(&x, &y, true, &given)?;
    let handle = outputs[1].register_hook(|grad| grad.mul(100.0).map(Some))?;
    outputs.iter().try_for_each(Tensor::retain_grad)?;
    outputs[0].add(&outputs[1])?.backward()?;
    assert_eq!((grad_of(&outputs[0]), grad_of(&outputs[1])), (vec![1.0], vec![100.0]));
    assert_eq!((grad_of(&x), grad_of(&y)), (vec![501.0], vec![201.0]));
    handle.remove();
    Ok(())
}

#[test]
fn an_overwritten_saved_tensor_is_the_error_of_built_in_ops() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let inner = x.mul(1.0)?;
    let y = cube(&inner)?;
    inner.add_(1.0)?;
    refused(y.backward(), "autograd", &["gradient of cube", "changed in place", "version 1"]);
    let y = exponential(&x)?;
    y.mul_(2.0)?;
    refused(y.backward(), "autograd", &["gradient of exponential", "changed in place"]);
    // All is well afterwards.
    x.set_grad(None)?;
    exponential(&x)?.backward()?;
    close(f64::from(grad_of(&x)[0]), 2f64.exp());
    Ok(())
}

#[test]
fn nothing_is_recorded_without_need() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    assert!(!no_grad(|| cube(&x))?.requires_grad());
    assert!(!cube(&tensor(&[2.0], &[1]))?.requires_grad());
    let seen = Rc::new(Cell::new(true));
    let inner = seen.clone();
    let forward = move |_: &Context, inputs: &[Tensor]| {
        let y = inputs[0].mul(2.0)?;
        inner.set(y.requires_grad());
        Ok(vec![y])
    };
    apply(of("seen", forward, |_: &Context, _: &Gradients| Ok(vec![None])), std::slice::from_ref(&x))?;
    assert!(!seen.get(), "forward records nothing");
    Ok(())
}

#[test]
fn outputs_that_have_no_gradient() -> Result<()> {
    let _device = device();
    let x = leaf(&[3.0, 1.0, 2.0], &[3]);
    let forward = |ctx: &Context, inputs: &[Tensor]| {
        let (values, indices) = inputs[0].sort(0, false)?;
        let ranks = indices.to(DType::F32)?;
        ctx.mark_non_differentiable(&[&ranks]);
        ctx.set(inputs[0].shape().clone());
        ctx.save_for_backward(&[&indices]);
        Ok(vec![values, indices, ranks])
    };
    let backward = |ctx: &Context, grads: &Gradients| {
        assert_eq!(grads.len(), 3);
        let shape = ctx.get::<lanthorn_tensor::Shape>()?;
        let zeros = Tensor::zeros(&*shape)?;
        Ok(vec![Some(zeros.scatter(0, &ctx.saved(0)?, grads.at(0)?)?)])
    };
    let outputs = apply(of("ordered", forward, backward), std::slice::from_ref(&x))?;
    assert_eq!([true, false, false], [0, 1, 2].map(|output: usize| outputs[output].requires_grad()));
    outputs[0].mul(tensor(&[1.0, 10.0, 100.0], &[3]))?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [100.0, 1.0, 10.0]);
    refused(outputs[2].sum((), false)?.backward(), "autograd", &["does not require"]);
    Ok(())
}

#[test]
fn once_differentiable_names_the_function_at_the_second_time() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let square = || {
        let forward = |ctx: &Context, inputs: &[Tensor]| {
            ctx.save_for_backward(&[&inputs[0]]);
            Ok(vec![inputs[0].square()?])
        };
        let backward = |ctx: &Context, grads: &Gradients| {
            let grad = grads.at(0)?.mul(&ctx.saved(0)?.mul(2.0)?)?;
            assert!(!grad.requires_grad());
            Ok(vec![Some(grad)])
        };
        Ok::<_, Error>(apply(Of("square_once", forward, backward, true), std::slice::from_ref(&x))?.remove(0))
    };
    square()?.backward()?;
    assert_eq!(grad_of(&x), [4.0]);
    let first = grad(&[square()?], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
    assert_eq!(read(&first), [4.0]);
    refused(first.backward(), "autograd", &["square_once", "once"]);
    Ok(())
}

#[test]
fn errors_of_users_arrive_unchanged() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let own = || Error::data("mine", "no such thing");
    let forward = move |_: &Context, _: &[Tensor]| Err(own());
    let nothing = |_: &Context, _: &Gradients| Ok(vec![None]);
    assert_eq!(apply(of("f", forward, nothing), std::slice::from_ref(&x)).unwrap_err(), own());
    assert!(lanthorn_tensor::is_grad_enabled());
    let forward = |_: &Context, inputs: &[Tensor]| Ok(vec![inputs[0].mul(2.0)?]);
    let y = apply(of("f", forward, move |_: &Context, _: &Gradients| Err(own())), std::slice::from_ref(&x))?.remove(0);
    assert_eq!(y.backward_with(None, RETAIN).unwrap_err(), own());
    assert!(x.grad().is_none() && lanthorn_tensor::is_grad_enabled());
    // A panic leaves recording as it was.
    let panics = |_: &Context, _: &[Tensor]| -> Result<Vec<Tensor>> { panic!("in forward") };
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        apply(of("f", panics, nothing), std::slice::from_ref(&x))
    }));
    assert!(caught.is_err() && lanthorn_tensor::is_grad_enabled());
    cube(&x)?.backward()?;
    assert_eq!(grad_of(&x), [12.0]);
    Ok(())
}

#[test]
fn gradients_that_do_not_fit_are_refused() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0, 3.0], &[2]);
    let with = |backward: fn(&Gradients) -> Result<Vec<Option<Tensor>>>| -> Result<Vec<f32>> {
        let forward = |_: &Context, inputs: &[Tensor]| Ok(vec![inputs[0].mul(2.0)?]);
        let y = apply(
            of("misfit", forward, move |_: &Context, grads: &Gradients| backward(grads)),
            std::slice::from_ref(&x),
        )?
        .remove(0);
        x.set_grad(None)?;
        y.sum((), false)?.backward()?;
        Ok(grad_of(&x))
    };
    refused(with(|_| Ok(vec![])), "autograd", &["misfit", "0 gradients for 1 inputs"]);
    refused(with(|grads| Ok(vec![grads[0].clone(), None])), "autograd", &["misfit", "2 gradients for 1 inputs"]);
    let longer = |_: &Gradients| Ok(vec![Some(Tensor::ones([3])?)]);
    refused(with(longer), "autograd", &["misfit", "input 0 has shape [3], the input [2]"]);
    refused(with(|_| Ok(vec![Some(ints(&[1, 1], &[2]))])), "autograd", &["misfit", "int32"]);
    refused(with(|grads| grads.at(1).map(|grad| vec![Some(grad.clone())])), "autograd", &["misfit", "output 1"]);
    // As in PyTorch, a broadcast gradient is summed, and another floating-point type is converted.
    assert_eq!(with(|_| Ok(vec![Some(Tensor::ones([4, 2])?.to(DType::F64)?)]))?, [4.0, 4.0]);
    Ok(())
}

#[test]
fn inputs_given_back_and_views_of_them_are_tensors_of_their_own() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    let forward = |_: &Context, inputs: &[Tensor]| {
        Ok(vec![inputs[0].clone(), inputs[0].transpose(0, 1)?, inputs[0].detach(), inputs[0].clone()])
    };
    let backward = |_: &Context, grads: &Gradients| {
        Ok(vec![Some(
            grads
                .at(0)?
                .mul(1000.0)?
                .add(&grads.at(1)?.mul(100.0)?)?
                .add(&grads.at(2)?.mul(10.0)?)?
                .add(grads.at(3)?)?,
        )])
    };
    let outputs = apply(of("same", forward, backward), std::slice::from_ref(&x))?;
    for output in &outputs {
        assert!(!output.is(&x) && !output.shares_storage_with(&x));
        assert_eq!(output.grad_fn().map(|node| node.name()), Some("same"));
    }
    assert_eq!(read(&outputs[1]), [1.0, 3.0, 2.0, 4.0]);
    let weight = |output: usize, weight: f32| outputs[output].mul(weight);
    weight(0, 1.0)?.add(&weight(1, 2.0)?)?.add(&weight(2, 3.0)?)?.add(&weight(3, 4.0)?)?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [1234.0; 4]);
    // A write to an output concerns neither the input nor another output.
    no_grad(|| outputs[0].zero_())?;
    assert_eq!((read(&x), read(&outputs[3])), (vec![1.0, 2.0, 3.0, 4.0], vec![1.0, 2.0, 3.0, 4.0]));
    Ok(())
}

/// Doubles its input in place; the derivative is 3, to differ from the true derivative.
fn double_(x: &Tensor) -> Result<Tensor> {
    let forward = |ctx: &Context, inputs: &[Tensor]| {
        inputs[0].mul_(2.0)?;
        ctx.mark_dirty(&[&inputs[0]]);
        ctx.save_for_backward(&[&inputs[0]]);
        Ok(vec![inputs[0].clone()])
    };
    let backward = |ctx: &Context, grads: &Gradients| {
        assert!(ctx.saved(0)?.requires_grad());
        Ok(vec![Some(grads.at(0)?.mul(6.0)?)])
    };
    Ok(apply(of("double_", forward, backward), std::slice::from_ref(x))?.remove(0))
}

#[test]
fn a_dirty_input_has_the_functions_node_in_the_graph() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0], &[2]);
    let y = x.mul(1.0)?;
    let z = double_(&y)?;
    assert!(z.is(&y));
    assert_eq!((read(&y), y.grad_fn().map(|node| node.name())), (vec![2.0, 4.0], Some("double_")));
    y.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [6.0, 6.0]);
    // Through a view, the write is the base's too.
    x.set_grad(None)?;
    let base = x.mul(1.0)?;
    double_(&base.select(0, 1)?)?;
    assert_eq!(read(&base), [1.0, 4.0]);
    base.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [1.0, 6.0]);
    refused(double_(&x), "autograd", &["double_", "input 0 is a leaf"]);
    Ok(())
}

#[test]
fn a_change_that_is_not_declared_is_refused() -> Result<()> {
    let _device = device();
    let nothing = |_: &Context, _: &Gradients| Ok(vec![None]);
    let y = leaf(&[1.0], &[1]).mul(1.0)?;
    let forward = |_: &Context, inputs: &[Tensor]| {
        inputs[0].add_(1.0)?;
        Ok(vec![inputs[0].mul(2.0)?])
    };
    refused(
        apply(of("sly", forward, nothing), std::slice::from_ref(&y)),
        "autograd",
        &["sly", "changed input 0", "mark_dirty"],
    );
    let forward = |ctx: &Context, inputs: &[Tensor]| {
        inputs[0].add_(1.0)?;
        ctx.mark_dirty(&[&inputs[0]]);
        Ok(vec![inputs[0].mul(2.0)?])
    };
    refused(apply(of("lost", forward, nothing), std::slice::from_ref(&y)), "autograd", &["lost", "must return it"]);
    let forward = |ctx: &Context, inputs: &[Tensor]| {
        let y = inputs[0].mul(2.0)?;
        ctx.mark_dirty(&[&y]);
        Ok(vec![y])
    };
    refused(apply(of("odd", forward, nothing), &[y]), "autograd", &["odd", "no input"]);
    Ok(())
}

/// A part of a network whose intermediate values are not kept: they are computed again in backward,
/// by a backward of their own.
#[test]
fn backward_may_call_backward() -> Result<()> {
    let _device = device();
    let x = leaf(&[0.5], &[1]);
    let part = |x: &Tensor| -> Result<Tensor> { cube(&x.sin()?)?.exp() };
    let checkpointed = |x: &Tensor| {
        let forward = move |ctx: &Context, inputs: &[Tensor]| {
            ctx.save_for_backward(&[&inputs[0]]);
            Ok(vec![part(&inputs[0])?])
        };
        let backward = move |ctx: &Context, grads: &Gradients| {
            let x = ctx.saved(0)?.detach().requires_grad_(true)?;
            let y = enable_grad(|| part(&x))?;
            y.backward_with(Some(grads.at(0)?), GradOptions::default())?;
            Ok(vec![x.grad()])
        };
        apply(of("checkpoint", forward, backward), std::slice::from_ref(x)).map(|mut outputs| outputs.remove(0))
    };
    checkpointed(&checkpointed(&x)?)?.backward()?;
    let found = grad_of(&x);
    x.set_grad(None)?;
    part(&part(&x)?)?.backward()?;
    assert_eq!(found, grad_of(&x));
    Ok(())
}

#[test]
fn the_graph_goes_as_with_built_in_ops() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0], &[1]);
    // A node that saved its own result does not keep itself alive.
    let held = Rc::new(());
    let (weak, inner) = (Rc::downgrade(&held), held);
    let forward = move |ctx: &Context, inputs: &[Tensor]| {
        let y = inputs[0].exp()?;
        ctx.save_for_backward(&[&y]);
        ctx.set(inner.clone());
        Ok(vec![y])
    };
    let y = apply(of("held", forward, |_: &Context, _: &Gradients| Ok(vec![None])), std::slice::from_ref(&x))?;
    assert!(weak.upgrade().is_some());
    drop(y);
    assert!(weak.upgrade().is_none());
    // Long chains are taken apart without recursion.
    let mut y = x.clone();
    for _ in 0..20_000 {
        y = cube(&y)?;
    }
    drop(y);
    let y = cube(&x)?;
    y.backward()?;
    refused(y.backward(), "autograd", &["retain_graph", "cube"]);
    Ok(())
}

struct Generic<T>(T);

impl Function for Generic<Vec<u8>> {
    fn forward(&self, _: &Context, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(vec![inputs[0].mul(self.0.len() as f64)?])
    }
    fn backward(&self, ctx: &Context, _: &Gradients) -> Result<Vec<Option<Tensor>>> {
        ctx.saved(2)?;
        Ok(vec![])
    }
}

#[test]
fn a_functions_name_is_its_types() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0], &[1]);
    let y = apply(Generic(vec![0; 3]), &[x])?.remove(0);
    assert_eq!((read(&y), y.grad_fn().map(|node| node.name())), (vec![3.0], Some("Generic")));
    refused(y.backward(), "autograd", &["Generic", "saved tensor 2", "given 0"]);
    Ok(())
}
