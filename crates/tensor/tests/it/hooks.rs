//! Hooks and kept gradients.

use crate::common::*;
use std::{cell::RefCell, rc::Rc};

#[test]
fn hooks_replace_in_order_until_they_are_removed() -> Result<()> {
    let _device = device();
    for on_leaf in [true, false] {
        let leaf = leaf(&[3.0], &[1]);
        let x = if on_leaf { leaf.clone() } else { leaf.mul(1.0)? };
        let seen = Rc::new(RefCell::new(Vec::new()));
        let watch = seen.clone();
        let plus = x.register_hook(|grad| grad.add(1.0).map(Some))?;
        let times = x.register_hook(|grad| grad.mul(10.0).map(Some))?;
        let _watch = x.register_hook(move |grad| {
            watch.borrow_mut().push(read(grad)[0]);
            Ok(None)
        })?;
        // Both uses arrive in one gradient, and the hooks run once.
        let y = x.square()?.add(&x)?;
        y.backward_with(None, RETAIN)?;
        assert_eq!((grad_of(&leaf), seen.take()), (vec![80.0], vec![80.0]), "on a leaf: {on_leaf}");
        times.remove();
        leaf.set_grad(None)?;
        y.backward_with(None, RETAIN)?;
        assert_eq!((grad_of(&leaf), seen.take()), (vec![8.0], vec![8.0]));
        plus.remove();
        leaf.set_grad(None)?;
        y.backward()?;
        assert_eq!((grad_of(&leaf), seen.take()), (vec![7.0], vec![7.0]));
    }
    Ok(())
}

#[test]
fn a_hook_must_keep_shape_and_type() -> Result<()> {
    let _device = device();
    for on_leaf in [true, false] {
        let leaf = leaf(&[3.0, 4.0], &[2]);
        let x = if on_leaf { leaf.clone() } else { leaf.mul(1.0)? };
        let handle = x.register_hook(|grad| grad.sum((), false).map(Some))?;
        refused(x.square()?.sum((), false)?.backward(), "shape", &["[2]", "[]"]);
        assert!(leaf.grad().is_none());
        handle.remove();
        let handle = x.register_hook(|grad| grad.to(DType::F64).map(Some))?;
        refused(x.square()?.sum((), false)?.backward_with(None, RETAIN), "shape", &["float64"]);
        handle.remove();
        let _handle = x.register_hook(|_| Err(Error::argument("mine", "no")))?;
        refused(x.square()?.sum((), false)?.backward_with(None, RETAIN), "argument", &["mine"]);
        assert!(leaf.grad().is_none());
    }
    refused(tensor(&[1.0], &[1]).register_hook(|_| Ok(None)), "autograd", &["require"]);
    Ok(())
}

#[test]
fn a_kept_gradient_is_that_after_the_hooks_and_adds_up() -> Result<()> {
    let _device = device();
    let x = leaf(&[3.0], &[1]);
    let y = x.mul(2.0)?;
    y.retain_grad()?;
    y.retain_grad()?;
    let _handle = y.register_hook(|grad| grad.mul(10.0).map(Some))?;
    let z = y.square()?;
    z.backward_with(None, RETAIN)?;
    assert_eq!((grad_of(&y), grad_of(&x)), (vec![120.0], vec![240.0]));
    z.backward()?;
    assert_eq!((grad_of(&y), grad_of(&x)), (vec![240.0], vec![480.0]));
    // It is the gradient of the tensor as it is in the end, written to directly or through its base.
    for through_base in [false, true] {
        let base = x.mul(2.0)?;
        let y = if through_base { base.reshape([1, 1])? } else { base.clone() };
        y.retain_grad()?;
        base.mul_(10.0)?;
        y.mul(3.0)?.sum((), false)?.backward()?;
        assert_eq!(grad_of(&y), [3.0], "through the base: {through_base}");
    }
    // Without it, an inner tensor keeps none.
    let inner = x.mul(2.0)?;
    inner.square()?.backward()?;
    assert!(inner.grad().is_none());
    Ok(())
}

#[test]
fn a_hook_may_run_ops_reads_and_another_backward() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let other = leaf(&[5.0], &[1]);
    let (inner, loss) = (other.detach(), other.square()?);
    let _handle = x.register_hook(move |grad| {
        loss.backward()?;
        assert_eq!(read(grad), [4.0]);
        Ok(Some(grad.add(&inner)?))
    })?;
    x.square()?.backward()?;
    assert_eq!((grad_of(&x), grad_of(&other)), (vec![9.0], vec![10.0]));
    Ok(())
}

#[test]
fn hooks_see_gradients_that_can_be_differentiated() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let _handle = x.register_hook(|grad| grad.square().map(Some))?;
    let first = grad(&[x.pow(3.0)?], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap(); // (3x^2)^2
    assert_eq!(read(&first), [144.0]);
    let fresh = grad(&[first], &[x], &[], RETAIN)?.remove(0).unwrap(); // (36 x^3)^2: the hook again
    assert_eq!(read(&fresh), [82944.0]);
    Ok(())
}

#[test]
fn a_leaf_is_told_when_its_gradient_is_accumulated_before_the_pass_ends() -> Result<()> {
    let _device = device();
    // y = ((x * a) + b) * a: `a` has two uses, `b` is nearer to the result than the first of them.
    let [x, a, b] = [2.0, 3.0, 5.0].map(|value| leaf(&[value], &[1]));
    let order = Rc::new(RefCell::new(Vec::new()));
    let mut handles = Vec::new();
    for (name, leaf) in [("x", &x), ("a", &a), ("b", &b)] {
        let (order, leaves) = (order.clone(), [x.clone(), a.clone(), b.clone()]);
        handles.push(leaf.register_post_accumulate_grad_hook(move |leaf| {
            let there: Vec<bool> = leaves.iter().map(|leaf| leaf.grad().is_some()).collect();
            order.borrow_mut().push((name, read(&leaf.grad().unwrap())[0], there));
            Ok(())
        })?);
    }
    let run = || x.mul(&a)?.add(&b)?.mul(&a)?.backward();
    run()?;
    let seen = order.take();
    assert_eq!(seen[0], ("b", 3.0, vec![false, false, true]));
    // All uses of `a` in one gradient: d/da (x a² + b a) = 2 x a + b.
    let of = |name: &str| seen.iter().find(|row| row.0 == name).unwrap().1;
    assert_eq!((seen.len(), of("a"), of("x")), (3, 17.0, 9.0));
    run()?;
    assert_eq!(order.take().iter().find(|row| row.0 == "a").unwrap().1, 34.0, "the sum of both passes");
    handles.into_iter().for_each(lanthorn_tensor::HookHandle::remove);
    run()?;
    assert!(order.take().is_empty());
    assert_eq!(grad_of(&a), [51.0]);
    Ok(())
}

#[test]
fn a_gradient_that_is_asked_for_accumulates_nothing_and_calls_no_hook_of_it() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let calls = Rc::new(RefCell::new(0));
    let counter = calls.clone();
    let _handle = x.register_post_accumulate_grad_hook(move |_| {
        *counter.borrow_mut() += 1;
        Ok(())
    })?;
    let y = x.square()?;
    let found = lanthorn_tensor::grad(&[y], std::slice::from_ref(&x), &[], Default::default())?;
    assert_eq!((read(found[0].as_ref().unwrap()), *calls.borrow(), x.grad().is_none()), (vec![4.0], 0, true));
    // A leaf that is the root itself.
    x.backward()?;
    assert_eq!((grad_of(&x), *calls.borrow()), (vec![1.0], 1));
    assert!(x.square()?.register_post_accumulate_grad_hook(|_| Ok(())).map(|_| ()).unwrap_err().is_autograd());
    assert!(x.detach().register_post_accumulate_grad_hook(|_| Ok(())).map(|_| ()).unwrap_err().is_autograd());
    Ok(())
}

#[test]
fn an_error_of_a_hook_ends_the_pass_and_the_next_one_works() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let handle = x.register_post_accumulate_grad_hook(|_| Err(lanthorn_tensor::Error::data("hook", "no")))?;
    assert!(x.square()?.backward().unwrap_err().is_data());
    handle.remove();
    x.set_grad(None)?;
    x.square()?.backward()?;
    assert_eq!(grad_of(&x), [4.0]);
    Ok(())
}

#[test]
fn a_hook_of_several_tensors_runs_once_in_a_pass() -> Result<()> {
    use lanthorn_tensor::autograd::{register_any_grad_hook, register_multi_grad_hook};
    let _device = device();
    let (a, b, c, unused) = (leaf(&[2.0], &[1]), leaf(&[3.0], &[1]), leaf(&[5.0], &[1]), leaf(&[1.0], &[1]));
    let (sum, product) = (a.add(&b)?, a.mul(&c)?);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let value = |grad: &Option<Tensor>| grad.as_ref().map(|grad| read(grad)[0]);
    let (all, any) = (seen.clone(), Rc::new(RefCell::new(Vec::new())));
    let tensors = [sum.clone(), b.clone(), product.clone(), unused.clone()];
    let handle = register_multi_grad_hook(&tensors, move |grads| {
        all.borrow_mut().push(grads.iter().map(value).collect::<Vec<_>>());
        Ok(())
    })?;
    let first = any.clone();
    let any_handle = register_any_grad_hook(&tensors, move |grad| {
        first.borrow_mut().push(read(grad)[0]);
        Ok(())
    })?;
    // PyTorch's gradients of a + b, b, a * c and an unused leaf.
    let y = sum.mul(&product)?;
    y.backward_with(None, RETAIN)?;
    assert_eq!(seen.take(), [[Some(10.0), Some(10.0), Some(5.0), None]]);
    assert_eq!(any.take().len(), 1);
    // Only one of them is below this result; each pass is counted on its own, also within another.
    let inner = product.square()?;
    let within = y.register_hook(move |_| inner.backward_with(None, RETAIN).map(|()| None))?;
    sum.square()?.backward_with(None, RETAIN)?;
    assert_eq!(seen.take(), [[Some(10.0), Some(10.0), None, None]]);
    y.backward_with(None, RETAIN)?;
    assert_eq!(seen.take(), [[None, None, Some(20.0), None], [Some(10.0), Some(10.0), Some(5.0), None]]);
    assert_eq!(any.take().len(), 3);
    within.remove();
    handle.remove();
    any_handle.remove();
    y.backward_with(None, RETAIN)?;
    assert!(seen.borrow().is_empty() && any.borrow().is_empty());
    let failing = register_multi_grad_hook(std::slice::from_ref(&a), |_| Err(Error::argument("mine", "no")))?;
    refused(y.backward(), "argument", &["mine"]);
    failing.remove();
    refused(register_multi_grad_hook(&[], |_| Ok(())), "argument", &["at least one"]);
    refused(register_any_grad_hook(&[tensor(&[1.0], &[1])], |_| Ok(())), "autograd", &["tensor 0"]);
    Ok(())
}

/// The derivative returns no gradient for one of its inputs, so that the hook waits until the pass
/// ends.
#[test]
fn a_hook_of_several_tensors_does_not_wait_for_a_gradient_that_never_comes() -> Result<()> {
    use lanthorn_tensor::autograd::{Context, Function, Gradients, apply, register_multi_grad_hook};
    struct First;
    impl Function for First {
        fn name(&self) -> &'static str {
            "first"
        }
        fn forward(&self, _: &Context, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
            Ok(vec![inputs[0].mul(1.0)?])
        }
        fn backward(&self, _: &Context, grads: &Gradients<'_>) -> Result<Vec<Option<Tensor>>> {
            Ok(vec![grads[0].clone(), None])
        }
    }
    let _device = device();
    let (a, b) = (leaf(&[2.0], &[1]), leaf(&[3.0], &[1]));
    let seen = Rc::new(RefCell::new(Vec::new()));
    let all = seen.clone();
    let _handle = register_multi_grad_hook(&[a.clone(), b.clone()], move |grads| {
        all.borrow_mut().push(grads.iter().map(Option::is_some).collect::<Vec<_>>());
        Ok(())
    })?;
    let outputs = apply(First, &[a, b])?;
    outputs[0].backward()?;
    assert_eq!(*seen.borrow(), [[true, false]]);
    Ok(())
}

#[test]
fn the_graph_is_walked_from_a_result_to_its_leaves() -> Result<()> {
    let _device = device();
    let (x, w) = (leaf(&[2.0, 3.0], &[2]), leaf(&[1.0, 2.0], &[2]));
    let parts = x.mul(&w)?.split(1, 0)?;
    let y = parts[0].add(&parts[1])?.mul(tensor(&[4.0], &[1]))?;
    let node = y.grad_fn().expect("it was computed");
    let next = node.next_functions();
    assert_eq!((node.name(), next.len(), next[1].is_none()), ("mul", 2, true));
    let add = next[0].clone().expect("a gradient flows").0;
    let products: Vec<_> = add.next_functions().into_iter().flatten().map(|(view, _)| view.next_functions()).collect();
    let product = |index: usize| products[index][0].clone().expect("a gradient flows").0;
    // Both parts are of one product, whose leaves accumulate gradients.
    assert!(product(0) == product(1) && product(0) != add);
    let leaves = product(0).next_functions().into_iter().flatten().map(|(node, _)| node);
    let leaves: Vec<_> = leaves.map(|node| (node.name(), node.variable().expect("a leaf"))).collect();
    assert!(leaves.iter().all(|(name, _)| *name == "AccumulateGrad"));
    assert!(leaves[0].1.is(&x) && leaves[1].1.is(&w));
    assert!(x.grad_fn().is_none() && y.detach().grad_fn().is_none());
    Ok(())
}
