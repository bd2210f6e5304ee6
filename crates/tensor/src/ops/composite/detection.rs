//! Boxes of object detection, as torchvision has them. A box is `x1, y1, x2, y2`.

use crate::{DType, Error, Ints, Result, Tensor, ops::Op, samples};
use lanthorn_macros::op;
use std::collections::HashMap;

/// Whether the intersection of two boxes is more than `threshold` times their union, in PyTorch's
/// order of operations.
fn overlap(a: [f32; 4], b: [f32; 4], threshold: f32) -> bool {
    let area = |[x1, y1, x2, y2]: [f32; 4]| (x2 - x1) * (y2 - y1);
    let width = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
    let height = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
    let common = width * height;
    common / (area(a) + area(b) - common) > threshold
}

/// The boxes that stay, by decreasing score: one that overlaps a better one of its class is left
/// out.
async fn keep(op: &str, boxes: &Tensor, scores: &Tensor, classes: Option<&Tensor>, threshold: f64) -> Result<Tensor> {
    let count = scores.shape().first().copied().unwrap_or(0);
    let fits = boxes.shape()[..] == [count, 4]
        && scores.rank() == 1
        && classes.is_none_or(|classes| classes.shape()[..] == [count]);
    if !fits {
        let message = format!("boxes [N, 4] and scores [N] are needed, not {} and {}", boxes.shape(), scores.shape());
        return Err(Error::shape(op, message));
    }
    if !boxes.dtype().is_floating_point() || boxes.dtype() != scores.dtype() {
        let message =
            format!("takes boxes and scores of one floating-point type, not {} and {}", boxes.dtype(), scores.dtype());
        return Err(Error::dtype(op, message));
    }
    let corners = boxes.detach().to(DType::F32)?.to_vec::<f32>().await?;
    let scores = scores.detach().to(DType::F32)?.to_vec::<f32>().await?;
    let classes = match classes {
        Some(classes) => classes.to(DType::I32)?.to_vec::<i32>().await?,
        None => vec![0; count],
    };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let (corners, _) = corners.as_chunks::<4>();
    let mut of_class: HashMap<i32, Vec<usize>> = HashMap::new();
    let mut all = Vec::new();
    for index in order {
        let own = of_class.entry(classes[index]).or_default();
        if !own.iter().any(|&better| overlap(corners[better], corners[index], threshold as f32)) {
            own.push(index);
            all.push(index as i32);
        }
    }
    Tensor::from_slice(&all, [all.len() as i64], boxes.device())
}

/// The indices of the boxes that stay when each box that overlaps a better one is left out, as
/// `torchvision.ops.nms`: non-maximum suppression.
///
/// `boxes: [N, 4]` are corners `x1, y1, x2, y2` with `x1 < x2` and `y1 < y2`, `scores: [N]`. Boxes
/// overlap if their intersection is more than `iou_threshold` of their union. The result is `[K]`
/// in int32 (torchvision: int64), by decreasing score; boxes with equal scores keep their order.
/// The op reads both tensors, and the result is awaited. There is no gradient.
///
/// Errors: `shape` if the shapes are others; `dtype` if both do not have one floating-point type.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let boxes = [0.0f32, 0.0, 2.0, 2.0, 0.0, 0.0, 2.0, 1.9, 3.0, 3.0, 4.0, 4.0];
/// let boxes = Tensor::from_slice(&boxes, [3, 4], &device)?;
/// let scores = Tensor::from_slice(&[0.5f32, 0.9, 0.1], [3], &device)?;
/// let kept = pollster::block_on(Tensor::nms(&boxes, &scores, 0.5))?;
/// assert_eq!(pollster::block_on(kept.to_vec::<i32>())?, [1, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "nms(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[6, 4], 0.0, 4.0), samples::real(&[6], 0.0, 1.0), samples::float(0.3)],
        vec![samples::real(&[0, 4], 0.0, 4.0), samples::real(&[0], 0.0, 1.0), samples::float(0.3)],
    ])
)]
async fn nms(boxes: &Tensor, scores: &Tensor, iou_threshold: f64) -> Result<Tensor> {
    keep("nms", boxes, scores, None, iou_threshold).await
}

/// [`nms`](Tensor::nms) within each class, as `torchvision.ops.batched_nms`.
///
/// `boxes: [N, 4]`, `scores: [N]`, and `idxs: [N]`, integers that are the classes. The result is as
/// of [`nms`](Tensor::nms), with boxes of all classes by decreasing score.
///
/// Errors: as of [`nms`](Tensor::nms).
#[op(
    composite,
    "batched_nms(Tensor boxes, Tensor scores, Tensor idxs, float iou_threshold) -> Tensor",
    samples = || samples::calls([vec![
        samples::real(&[8, 4], 0.0, 4.0),
        samples::real(&[8], 0.0, 1.0),
        samples::index(&[8], 2),
        samples::float(0.3),
    ]])
)]
async fn batched_nms(boxes: &Tensor, scores: &Tensor, idxs: &Tensor, iou_threshold: f64) -> Result<Tensor> {
    keep("batched_nms", boxes, scores, Some(idxs), iou_threshold).await
}

/// The weights of the elements of one dimension in the bins of each box, `[K, bins, size]`: the
/// mean of linear interpolation at points that divide a bin into equal parts.
fn bin_weights(start: &Tensor, extent: &Tensor, bins: i64, size: usize, sampling: i64) -> Result<Tensor> {
    let range = |count: i64, shape: [i64; 4]| {
        Tensor::arange_with(0, count, 1, Some(start.dtype()), Some(start.device()))?.reshape(shape)
    };
    let column = |x: &Tensor| x.reshape([-1, 1, 1, 1]);
    let (size_of, last) = (size as i64, size as f64 - 1.0);
    let bin = column(extent)?.div(bins as f64)?;
    let first = range(bins, [1, bins, 1, 1])?.mul(&bin)?.add(&column(start)?)?;
    // [K, bins, points, 1], and the number of points of a bin.
    let (number, index, points) = if sampling > 0 {
        (None, range(sampling, [1, 1, sampling, 1])?, bin.div(sampling as f64)?)
    } else {
        let number = bin.ceil()?.clamp_min(0.0)?;
        let step = bin.div(&number.clamp_min(1.0)?)?;
        // Points are more than half an element apart, so that few are in the input; points before
        // the input are skipped.
        let skipped = first.add(1.0)?.neg()?.div(&step)?.sub(0.5)?.ceil()?.clamp_min(0.0)?;
        let skipped = Tensor::r#where(&step.gt(0.0)?, &skipped, 0.0)?;
        let count = 2 * size_of + 4;
        (Some(number), range(count, [1, 1, count, 1])?.add(&skipped)?, step)
    };
    let at = index.add(0.5)?.mul(&points)?.add(&first)?;
    let mut inside = at.ge(-1.0)?.logical_and(&at.le(size as f64)?)?;
    if let Some(number) = &number {
        inside = inside.logical_and(&index.lt(number)?)?;
    }
    let position = range(size_of, [1, 1, 1, size_of])?;
    let near = at.clamp_min(0.0)?.clamp_max(last)?.sub(&position)?.abs()?.neg()?.add(1.0)?.clamp_min(0.0)?;
    let sum = Tensor::r#where(&inside, &near, 0.0)?.sum(2, false)?;
    match number {
        Some(number) => sum.div(&number.clamp_min(1.0)?.reshape([-1, 1, 1])?),
        None => sum.div(sampling as f64),
    }
}

/// The mean of the input in a grid of bins within each box, as `torchvision.ops.roi_align`.
///
/// Shapes: `self: [N, C, H, W]`, `boxes: [K, 5]` with the index of the image before `x1, y1, x2,
/// y2`, `output_size` one number or `[PH, PW]`, `result: [K, C, PH, PW]`. The coordinates of boxes
/// are multiplied by `spatial_scale`. In each bin, the input is interpolated bilinearly at
/// `sampling_ratio` points along each dimension, or if that is not positive at as many as a bin has
/// elements, rounded up. With `aligned`, a position is the position of an element's center;
/// without, boxes are half an element lower and to the right, and at least of size 1. `boxes` may
/// have any type, and no gradient passes to them.
///
/// Errors: `shape` if the shapes do not fit; `argument` if `output_size` is not positive or has
/// another number of elements; `dtype` if the input is not floating point. A box of an image that
/// does not exist has the result 0.
///
/// Source: He et al., "Mask R-CNN" (2017). Interpolation and means are linear along each dimension,
/// so that they are two products of matrices.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [1, 1, 2, 2], &device)?;
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 2.0, 2.0], [1, 5], &device)?;
/// let y = x.roi_align(&boxes, 1, 1.0, 2, true)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [2.5]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "roi_align(Tensor self, Tensor boxes, int[] output_size, float spatial_scale=1.0, int sampling_ratio=-1, bool aligned=False) -> Tensor",
    opmath,
    samples = || {
        // Integers, because no gradient passes to boxes.
        let boxes = || samples::tensor(&[3, 5], DType::I32, 0.0, 1.9);
        samples::calls([
            vec![samples::real(&[2, 3, 4, 5], -1.0, 1.0), boxes(), samples::ints(&[2, 3]), samples::float(1.75), samples::int(2)],
            vec![samples::real(&[2, 2, 4, 4], -1.0, 1.0), boxes(), samples::int(2), samples::float(2.75), samples::int(-1), samples::flag(true)],
        ])
    }
)]
fn roi_align(
    x: &Tensor,
    boxes: &Tensor,
    output_size: &Ints,
    spatial_scale: f64,
    sampling_ratio: i64,
    aligned: bool,
) -> Result<Tensor> {
    let op = "roi_align";
    let (&[images, channels, height, width], &[count, 5]) = (&x.shape()[..], &boxes.shape()[..]) else {
        let message =
            format!("images [N, C, H, W] and boxes [K, 5] are needed, not {} and {}", x.shape(), boxes.shape());
        return Err(Error::shape(op, message));
    };
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype(op, format!("takes an input of a floating-point type, not {}", x.dtype())));
    }
    let (rows, columns) = match output_size[..] {
        [size] if size > 0 => (size, size),
        [rows, columns] if rows > 0 && columns > 0 => (rows, columns),
        _ => {
            return Err(Error::argument(op, format!("output_size takes one or two sizes, not {:?}", &output_size[..])));
        }
    };
    let boxes = boxes.detach().to(x.dtype())?;
    let shift = if aligned { 0.5 } else { 0.0 };
    let corner = |index: i64| boxes.select(1, index)?.mul(spatial_scale)?.sub(shift);
    let along = |low: i64, bins: i64, size: usize| -> Result<Tensor> {
        let start = corner(low)?;
        let extent = corner(low + 2)?.sub(&start)?;
        let extent = if aligned { extent } else { extent.clamp_min(1.0)? };
        bin_weights(&start, &extent, bins, size, sampling_ratio)
    };
    let [images, channels, height_of, width_of, count] =
        [images, channels, height, width, count].map(|size| size as i64);
    let (vertical, horizontal) = (along(2, rows, height)?, along(1, columns, width)?);
    // The elements of all images are one dimension; a box weighs the elements of its own image.
    let image = Tensor::arange_with(0, images, 1, Some(x.dtype()), Some(x.device()))?;
    let own = boxes.select(1, 0)?.trunc()?.reshape([count, 1, 1, 1])?.eq(&image.reshape([1, 1, images, 1])?)?;
    let vertical = Tensor::r#where(&own, &vertical.reshape([count, rows, 1, height_of])?, 0.0)?;
    let elements = x.permute([0, 2, 1, 3])?.reshape([images * height_of, channels * width_of])?;
    let lines = vertical.reshape([count * rows, images * height_of])?.matmul(&elements)?;
    let lines = lines.reshape([count, rows * channels, width_of])?;
    let bins = lines.matmul(&horizontal.transpose(1, 2)?)?;
    bins.reshape([count, rows, channels, columns])?.permute([0, 2, 1, 3])
}

pub(crate) static OPS: &[&Op] = &[&NMS, &BATCHED_NMS, &ROI_ALIGN];
