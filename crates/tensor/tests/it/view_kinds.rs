//! Every kind of view: writes reach the base, gradients flow through written values, and
//! overlapping views are read-only.

use crate::common::*;

/// Views of a matrix that name no element twice.
fn views(x: &Tensor) -> Result<Vec<Tensor>> {
    let mut views = vec![
        x.diagonal(1, 0, 1)?,
        x.numpy_t()?,
        x.mt()?,
        x.movedim(0, 1)?,
        x.as_strided([2, 3], [5, 1], 1)?,
        x.unfold(1, 2, 2)?,
        x.unsqueeze(0)?.diagonal(0, 0, 2)?,
        Tensor::atleast_3d(x)?,
        x.ravel()?,
    ];
    views.extend(x.unbind(1)?);
    views.extend(x.split(2, 0)?);
    views.extend(x.chunk(3, 1)?);
    views.extend(x.tensor_split_indices([1, 2], -1)?);
    Ok(views)
}

fn count_of_views() -> usize {
    views(&count(&[3, 4])).unwrap().len()
}

#[test]
fn a_write_through_a_view_is_a_write_to_the_base() -> Result<()> {
    let _device = device();
    for kind in 0..count_of_views() {
        // The view of a tensor of offsets contains the offsets of its elements.
        let named: Vec<f32> = read(&views(&count(&[3, 4]))?[kind]);
        let x = count(&[3, 4]);
        let view = views(&x)?.swap_remove(kind);
        view.add_(100.0)?;
        let want: Vec<f32> =
            (0..12).map(|i| i as f32).map(|i| if named.contains(&i) { i + 100.0 } else { i }).collect();
        assert_eq!((read(&x), view.shares_storage_with(&x), x.version()), (want, true, 1), "view {kind}");
    }
    Ok(())
}

#[test]
fn gradients_flow_through_a_write_to_a_view() -> Result<()> {
    let _device = device();
    let weights = count(&[3, 4]).add(1.0)?;
    for kind in 0..count_of_views() {
        let named: Vec<f32> = read(&views(&count(&[3, 4]))?[kind]);
        let x = leaf(&[0.5; 12], &[3, 4]);
        let y = x.mul(1.0)?;
        views(&y)?[kind].mul_(3.0)?;
        // Made after the write, another view of the same base sees it, and its gradient too.
        views(&y)?[kind].mul(0.0)?.sum((), false)?.add(y.mul(&weights)?.sum((), false)?)?.backward()?;
        let want: Vec<f32> =
            (0..12).map(|i| i as f32).map(|i| (i + 1.0) * if named.contains(&i) { 3.0 } else { 1.0 }).collect();
        assert_eq!(grad_of(&x), want, "view {kind}");
    }
    Ok(())
}

#[test]
fn what_was_saved_through_a_view_is_checked() -> Result<()> {
    let _device = device();
    for kind in 0..count_of_views() {
        let x = leaf(&[0.5; 12], &[3, 4]);
        let y = x.mul(1.0)?;
        let square = y.square()?;
        views(&y)?[kind].add_(1.0)?;
        refused(square.sum((), false)?.backward(), "autograd", &["version 1", "version 0"]);
    }
    Ok(())
}

#[test]
fn overlapping_views_are_read_and_not_written() -> Result<()> {
    let _device = device();
    let x = count(&[5]);
    refused(x.unfold(0, 3, 1)?.add_(1.0), "argument", &["add_"]);
    refused(x.as_strided([2, 3], [1, 1], None)?.mul_(0.0), "argument", &["mul_"]);
    refused(x.as_strided_scatter(&count(&[2, 3]), [2, 3], [1, 1], None), "argument", &["as_strided_scatter"]);
    assert_eq!(read(&x), [0.0, 1.0, 2.0, 3.0, 4.0]);
    let x = leaf(&[0.0; 5], &[5]);
    x.unfold(0, 3, 1)?.mul(count(&[3, 3]))?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [0.0, 4.0, 12.0, 12.0, 8.0]);
    // Two rows of one memory share the gradient of an element, as in PyTorch.
    let x = leaf(&[1.0, 2.0], &[2]);
    x.expand([3, 2])?.as_strided([2], [1], None)?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), [1.0, 1.0]);
    Ok(())
}

#[test]
fn strides_and_offsets_must_lie_in_the_storage() -> Result<()> {
    let _device = device();
    let x = count(&[6]).narrow(0, 2, 4)?;
    assert_eq!(read(&x.as_strided([2], [1], None)?), [2.0, 3.0]);
    assert_eq!(read(&x.as_strided([2], [5], 0)?), [0.0, 5.0]);
    refused(x.as_strided([2], [4], None), "shape", &["as_strided", "6 elements"]);
    refused(x.as_strided([2], [-1], None), "argument", &["-1"]);
    refused(x.as_strided([2], [1, 1], None), "argument", &["as many"]);
    refused(x.as_strided([i64::MAX], [i64::MAX], i64::MAX), "shape", &["as_strided"]);
    assert_eq!(shape_of(&x.as_strided([0, 2], [9, 9], 99)?), [0, 2]);
    refused(x.diagonal(0, 0, 1), "index", &["diagonal"]);
    refused(count(&[2, 2]).diagonal(0, 1, -1), "argument", &["differ"]);
    refused(x.unfold(0, 5, 1), "argument", &["unfold"]);
    refused(x.unfold(0, 2, 0), "argument", &["unfold"]);
    refused(x.split_with_sizes([1, 2], 0), "shape", &["split_with_sizes"]);
    refused(x.movedim([0, 0], [0, 0]), "argument", &["movedim"]);
    refused(x.chunk(0, 0), "argument", &["chunk"]);
    refused(Tensor::scalar(1.0f32, x.device())?.unbind(0), "index", &["unbind"]);
    Ok(())
}
