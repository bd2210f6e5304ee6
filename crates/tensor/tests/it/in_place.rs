//! In-place ops and the graph: PyTorch's gradients, and PyTorch's refusals.

use crate::common::*;

#[test]
fn a_saved_tensor_that_changed_is_an_error_that_names_the_op() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0, 3.0], &[2]);
    type Change = fn(&Tensor) -> Result<()>;
    let changes: [Change; 4] = [
        |y| y.mul_(2.0),
        |y| y.select(0, 1)?.add_(1.0),
        |y| y.detach().add_(1.0),
        |y| no_grad(|| y.reshape([2, 1])?.slice(0, 0, 1, 1)?.copy_(&tensor(&[7.0], &[1]))),
    ];
    for change in changes {
        let y = x.mul(1.0)?;
        let z = y.square()?.sum((), false)?;
        change(&y)?;
        refused(z.backward(), "autograd", &["square", "[2]", "version 1", "version 0", "clone"]);
    }
    // A value that the gradient does not need may change.
    let y = x.mul(1.0)?;
    let z = y.add(1.0)?.mul(3.0)?.sum((), false)?;
    y.mul_(2.0)?;
    z.backward()?;
    assert_eq!(grad_of(&x), [3.0, 3.0]);
    Ok(())
}

#[test]
fn a_leaf_that_requires_gradients_is_not_changed_in_place() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0], &[2]);
    refused(x.add_(1.0), "autograd", &["add_", "leaf", "no_grad"]);
    refused(x.select(0, 0)?.add_(1.0), "autograd", &["leaf"]);
    refused(x.copy_(&tensor(&[0.0], &[1])), "autograd", &["copy_"]);
    assert_eq!((read(&x), x.version()), (vec![1.0, 2.0], 0));
    no_grad(|| x.add_(1.0))?;
    assert_eq!((read(&x), x.version(), x.is_leaf(), x.requires_grad()), (vec![2.0, 3.0], 1, true, true));
    x.square()?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [4.0, 6.0]);
    Ok(())
}

#[test]
fn an_in_place_op_has_its_own_node_in_the_graph() -> Result<()> {
    let _device = device();
    let x = leaf(&[2.0], &[1]);
    let y = x.mul(3.0)?;
    y.mul_(2.0)?;
    y.add_(1.0)?;
    assert_eq!(y.grad_fn().map(|node| node.name()), Some("add"));
    y.square()?.backward()?; // (6x + 1)^2
    assert_eq!((read(&y), grad_of(&x)), (vec![13.0], vec![156.0]));
    // A value overwritten by a number without a gradient has gradient 0, and is still part of the
    // graph.
    let x = leaf(&[2.0], &[1]);
    let y = x.mul(3.0)?;
    y.copy_(&tensor(&[1.0], &[1]))?;
    y.square()?.backward()?;
    assert_eq!((read(&y), grad_of(&x)), (vec![1.0], vec![0.0]));
    // A tensor without a gradient gets one by the written value.
    let (plain, w) = (tensor(&[5.0], &[1]), leaf(&[4.0], &[1]));
    plain.mul_(&w)?;
    plain.backward()?;
    assert_eq!((read(&plain), grad_of(&w)), (vec![20.0], vec![5.0]));
    Ok(())
}

#[test]
fn an_in_place_op_saves_what_was_there_before_it() -> Result<()> {
    let _device = device();
    let check = |change: &dyn Fn(&Tensor) -> Result<()>, value: f32, gradient: f32| -> Result<()> {
        let x = leaf(&[2.0], &[1]);
        let y = x.mul(3.0)?;
        change(&y)?;
        y.backward()?;
        assert!((read(&y)[0] - value).abs() < 1e-5 && (grad_of(&x)[0] - gradient).abs() < 1e-4);
        Ok(())
    };
    check(&|y| y.square_(), 36.0, 36.0)?;
    check(&|y| y.relu_(), 6.0, 3.0)?;
    check(&|y| y.pow_(3.0), 216.0, 324.0)?;
    check(&|y| y.reciprocal_(), 1.0 / 6.0, -3.0 / 36.0)?;
    check(&|y| y.log_(), 6f32.ln(), 0.5)?;
    let (x, w) = (leaf(&[2.0], &[1]), leaf(&[5.0], &[1]));
    let y = x.mul(3.0)?;
    y.mul_(&w)?;
    y.backward()?;
    assert_eq!((grad_of(&x), grad_of(&w)), (vec![15.0], vec![6.0]));
    // The dynamic form too.
    let y = x.mul(3.0)?;
    let args = [lanthorn_tensor::ops::Arg::Tensor(y.clone())];
    lanthorn_tensor::ops::Op::find("square").unwrap().run_in_place(&args)?;
    y.backward()?;
    assert_eq!(grad_of(&x), [15.0 + 36.0]);
    // The saved tensor can be differentiated again.
    let x = leaf(&[2.0], &[1]);
    let y = x.mul(1.0)?;
    y.pow_(3.0)?;
    let first = grad(&[y], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
    let second = grad(&[first], &[x], &[], RETAIN)?.remove(0).unwrap();
    assert_eq!(read(&second), [12.0]);
    Ok(())
}

#[test]
fn a_write_through_a_view_reaches_the_base() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    let y = x.mul(1.0)?;
    y.select(0, 1)?.mul_(10.0)?;
    y.transpose(0, 1)?.slice(0, 0, 2, 1)?.mul_(2.0)?;
    assert_eq!(read(&y), [2.0, 4.0, 3.0, 80.0, 100.0, 60.0]);
    y.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [2.0, 2.0, 1.0, 20.0, 20.0, 10.0]);
    // A source that requires gradients gets the gradients of its elements, also in a base that had
    // none.
    let (base, source) = (tensor(&[0.0; 4], &[2, 2]), leaf(&[1.0, 2.0], &[2]));
    base.select(1, 0)?.copy_(&source)?;
    assert!(base.requires_grad() && !base.is_leaf());
    base.mul(tensor(&[1.0, 2.0, 3.0, 4.0], &[2, 2]))?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&source), [1.0, 3.0]);
    // Overwritten elements have no gradient any more.
    let x = leaf(&[1.0, 2.0, 3.0], &[3]);
    let y = x.mul(2.0)?;
    y.slice(0, 1, None, 1)?.copy_(&tensor(&[9.0], &[1]))?;
    y.square()?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [8.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn views_made_before_a_write_see_it() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0, 3.0], &[3]);
    let y = x.mul(1.0)?;
    let (head, tail) = (y.slice(0, 0, 2, 1)?, y.slice(0, 1, None, 1)?);
    y.mul_(3.0)?;
    head.mul_(5.0)?;
    assert_eq!((read(&head), read(&tail), read(&y)), (vec![15.0, 30.0], vec![30.0, 9.0], vec![15.0, 30.0, 9.0]));
    tail.square()?.sum((), false)?.backward_with(None, RETAIN)?; // (15 x1)^2 + (3 x2)^2
    assert_eq!(grad_of(&x), [0.0, 900.0, 54.0]);
    x.set_grad(None)?;
    head.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [15.0, 15.0, 0.0]);
    // A view made of a tensor that required no gradient.
    let (plain, w) = (tensor(&[1.0, 2.0], &[2]), leaf(&[3.0], &[1]));
    let view = plain.select(0, 1)?;
    plain.mul_(&w)?;
    view.backward()?;
    assert_eq!(grad_of(&w), [2.0]);
    Ok(())
}

#[test]
fn a_part_without_its_base_is_a_base_itself() -> Result<()> {
    let _device = device();
    let w = leaf(&[3.0], &[1]);
    let part = tensor(&[1.0, 2.0, 3.0, 4.0], &[4]).slice(0, 1, 3, 1)?.detach();
    part.slice(0, 1, 2, 1)?.mul_(&w)?;
    assert_eq!(read(&part), [2.0, 9.0]);
    part.sum((), false)?.backward()?;
    assert_eq!(grad_of(&w), [3.0]);
    Ok(())
}

#[test]
fn what_in_place_refuses() -> Result<()> {
    let _device = device();
    let x = tensor(&[1.0, 2.0], &[2]);
    refused(x.expand([3, 2])?.add_(1.0), "argument", &["add_", "expanded", "clone"]);
    refused(x.add_(tensor(&[0.0; 6], &[3, 2])), "shape", &["add_", "[3, 2]", "[2]"]);
    refused(x.copy_(&tensor(&[0.0; 3], &[3])), "shape", &["copy_", "[3]", "[2]"]);
    let i = ints(&[1, 2], &[2]);
    refused(i.add_(1.5), "dtype", &["add_", "floating point", "int32"]);
    refused(i.div_(2), "dtype", &["div_", "int32"]);
    refused(i.gt(0)?.add_(1), "dtype", &["add_", "integral", "bool"]);
    assert_eq!((read(&x), x.version(), i.version()), (vec![1.0, 2.0], 0, 0));
    // An expansion to the same shape repeats nothing.
    x.expand([2])?.add_(1.0)?;
    assert_eq!(read(&x), [2.0, 3.0]);
    Ok(())
}

#[test]
fn an_in_place_view_is_the_same_memory_in_another_shape() -> Result<()> {
    let _device = device();
    let mut x = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    let other = x.clone();
    x.t_()?;
    x.unsqueeze_(0)?;
    assert_eq!((x.shape().to_vec(), read(&x)), (vec![1, 3, 2], vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    // Another handle keeps its shape, and sees the write.
    x.select(1, 0)?.mul_(10.0)?;
    assert_eq!((other.shape().to_vec(), read(&other)), (vec![2, 3], vec![10.0, 2.0, 3.0, 40.0, 5.0, 6.0]));
    x.squeeze_(())?;
    x.transpose_(0, -1)?;
    assert_eq!(read(&x), read(&other));
    refused(x.transpose_(0, 2), "index", &["transpose", "[2, 3]"]);
    assert_eq!(x.shape().to_vec(), [2, 3]);
    Ok(())
}

#[test]
fn an_in_place_view_is_part_of_the_graph() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    let mut y = x.mul(2.0)?;
    y.t_()?;
    y.select(0, 1)?.mul_(3.0)?;
    assert_eq!(read(&y), [2.0, 6.0, 12.0, 24.0]);
    y.mul(tensor(&[1.0, 10.0, 100.0, 1000.0], &[2, 2]))?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [2.0, 600.0, 20.0, 6000.0]);
    // Without recording, a computed tensor keeps what computed it.
    let mut y = x.mul(2.0)?;
    no_grad(|| y.t_())?;
    assert!(!y.is_leaf());
    Ok(())
}

#[test]
fn a_leaf_that_requires_gradients_takes_another_view_only_without_recording() -> Result<()> {
    let _device = device();
    let mut x = leaf(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    refused(x.t_(), "autograd", &["t_", "leaf", "no_grad"]);
    refused(x.select(0, 0)?.unsqueeze_(0), "autograd", &["unsqueeze_", "leaf"]);
    no_grad(|| x.t_())?;
    assert!(x.is_leaf() && x.requires_grad());
    no_grad(|| x.mul_(2.0))?;
    assert!(x.is_leaf());
    x.mul(tensor(&[1.0, 2.0, 3.0, 4.0], &[2, 2]))?.sum((), false)?.backward()?;
    assert_eq!((read(&x), grad_of(&x)), (vec![2.0, 6.0, 4.0, 8.0], vec![1.0, 2.0, 3.0, 4.0]));
    Ok(())
}
