//! The values of regions of feature maps.

use crate::host::arange;
use lanthorn_tensor::{DType, Error, Result, Tensor};

/// Boxes of each image of a batch as regions: `[k, 5]` with the image's index before the corners.
///
/// `boxes[i]` has the shape `[k_i, 4]` with the corners of the boxes of image `i`. A region is an
/// argument of [`roi_align`] and the other functions of regions.
///
/// # Errors
/// `shape` if the boxes do not have four coordinates; `argument` if the list is empty.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::convert_boxes_to_roi_format};
/// let boxes = Tensor::ones([1, 4])?;
/// let regions = convert_boxes_to_roi_format(&[boxes.clone(), boxes])?;
/// assert_eq!(pollster::block_on(regions.select(1, 0)?.to_vec::<f32>())?, [0.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn convert_boxes_to_roi_format(boxes: &[Tensor]) -> Result<Tensor> {
    if boxes.is_empty() {
        return Err(Error::argument(
            "convert_boxes_to_roi_format",
            "boxes must have a tensor for each image".to_string(),
        ));
    }
    let mut regions = vec![];
    for (index, own) in boxes.iter().enumerate() {
        if own.rank() != 2 || own.shape()[1] != 4 {
            let shape = own.shape();
            let message = format!("boxes must have shape [k, 4] for each image, and boxes[{index}] has shape {shape}");
            return Err(Error::shape("convert_boxes_to_roi_format", message));
        }
        let image = own.narrow(1, 0, 1)?.full_like(index as f64)?;
        regions.push(Tensor::cat(&[image, own.clone()], 1)?);
    }
    Tensor::cat(&regions, 0)
}

/// The two numbers of an output size.
fn pair(op: &str, output_size: &[usize]) -> Result<(usize, usize)> {
    let is_valid = (output_size.len() == 1 || output_size.len() == 2) && output_size.iter().all(|size| *size > 0);
    if !is_valid {
        return Err(Error::argument(op, "output_size must be one or two positive numbers".to_string()));
    }
    Ok((output_size[0], output_size[output_size.len() - 1]))
}

fn check_regions(op: &str, input: &Tensor, boxes: &Tensor) -> Result<()> {
    if input.rank() != 4 || boxes.rank() != 2 || boxes.shape()[1] != 5 {
        let (own, other) = (input.shape(), boxes.shape());
        let message = format!("input must have shape [n, c, h, w] and boxes [k, 5], and they have {own} and {other}");
        return Err(Error::shape(op, message));
    }
    Ok(())
}

/// The mean of the input in a grid of bins within each region, as `torchvision.ops.roi_align`.
///
/// `input` has the shape `[n, c, h, w]`, and `boxes` the shape `[k, 5]` with the index of the image
/// before the corners (see [`convert_boxes_to_roi_format`]); the result has the shape `[k, c,
/// *output_size]`. Corners are multiplied by `spatial_scale`. In each bin the input is interpolated
/// at `sampling_ratio` points along each dimension, or if that is not positive at as many as a bin
/// has elements, rounded up. With `aligned` a position is the position of an element's center.
///
/// Source: He et al., "Mask R-CNN" (2017).
///
/// # Errors
/// `shape` if the shapes do not fit; `argument` if `output_size` is not one or two positive
/// numbers.
///
/// Defaults: spatial_scale = 1, sampling_ratio = -1, aligned = false.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::roi_align};
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [1, 1, 2, 2], &device)?;
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 2.0, 2.0], [1, 5], &device)?;
/// assert_eq!(pollster::block_on(roi_align(&x, &boxes, &[1], 1.0, 2, true)?.item())?, 2.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn roi_align(
    input: &Tensor,
    boxes: &Tensor,
    output_size: &[usize],
    spatial_scale: f64,
    sampling_ratio: i64,
    aligned: bool,
) -> Result<Tensor> {
    check_regions("roi_align", input, boxes)?;
    let (height, width) = pair("roi_align", output_size)?;
    input.roi_align(boxes, [height as i64, width as i64], spatial_scale, sampling_ratio, aligned)
}

/// The mean of the input in each bin of each region, each bin from separate channels, as
/// `torchvision.ops.ps_roi_align`.
///
/// `input` has the shape `[n, c * ph * pw, h, w]`, where `ph, pw` is `output_size`, and `boxes` the
/// shape `[k, 5]`; the result has the shape `[k, c, ph, pw]`. The other arguments are as in
/// [`roi_align`].
///
/// Source: Li et al., "Light-Head R-CNN" (2017).
///
/// # Errors
/// `shape` if the shapes do not fit; `argument` if `output_size` is not one or two positive
/// numbers.
///
/// Defaults: spatial_scale = 1, sampling_ratio = -1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::ps_roi_align};
/// let x = Tensor::ones([1, 4, 3, 3])?;
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 2.0, 2.0], [1, 5], &device)?;
/// assert_eq!(ps_roi_align(&x, &boxes, &[2], 1.0, 2)?.shape()[..], [1, 1, 2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn ps_roi_align(
    input: &Tensor,
    boxes: &Tensor,
    output_size: &[usize],
    spatial_scale: f64,
    sampling_ratio: i64,
) -> Result<Tensor> {
    check_regions("ps_roi_align", input, boxes)?;
    let (height, width) = pair("ps_roi_align", output_size)?;
    let channels = check_channels("ps_roi_align", input, height, width)?;
    let (count, ph, pw) = (boxes.shape()[0] as i64, height as i64, width as i64);
    let all = input.roi_align(boxes, [ph, pw], spatial_scale, sampling_ratio, true)?;
    let grouped = all.reshape([count, channels as i64, ph, pw, ph, pw])?;
    grouped.diagonal(0, 2, 4)?.diagonal(0, 2, 3)
}

/// The number of channels of a result whose bins have channels of their own.
fn check_channels(op: &str, input: &Tensor, height: usize, width: usize) -> Result<usize> {
    let channels = input.shape()[1];
    if channels % (height * width) != 0 {
        let message = format!("input must have a multiple of {height} * {width} channels, and has {channels}");
        return Err(Error::shape(op, message));
    }
    Ok(channels / (height * width))
}

/// The elements of the bins along one dimension, and a mask of them: `[k, bins, size]`.
struct Bins {
    is_inside: Tensor,
    count: Tensor,
}

/// The bins from the corners `first` and `last`, `[k]`. An end is at most `limit`.
fn bins(start: &Tensor, length: &Tensor, count: usize, size: usize, limit: usize) -> Result<Bins> {
    let step = (length * (1.0 / count as f64))?.unsqueeze(-1)?;
    let index = arange(count, start)?;
    let start = start.unsqueeze(-1)?;
    let low = ((&step * &index)?.floor()? + &start)?.clamp_min(0.0)?.clamp_max(limit as f64)?;
    let high = ((&step * &(index + 1.0)?)?.ceil()? + &start)?.clamp_min(0.0)?.clamp_max(limit as f64)?;
    let position = arange(size, &start)?;
    let (from, to) = (low.unsqueeze(-1)?, high.unsqueeze(-1)?);
    let is_inside = position.ge(&from)?.logical_and(&position.lt(&to)?)?;
    Ok(Bins { is_inside, count: (high - low)?.clamp_min(0.0)? })
}

/// The images of regions: `[k, c, h, w]`.
fn images(input: &Tensor, boxes: &Tensor) -> Result<Tensor> {
    input.index_select(0, &boxes.select(1, 0)?.to(DType::I32)?)
}

/// Positions rounded half away from zero.
fn round_away(x: &Tensor) -> Result<Tensor> {
    (x.abs()? + 0.5)?.floor()? * x.sign()?
}

/// The largest element of the input in each bin of each region, as `torchvision.ops.roi_pool`.
///
/// `input` has the shape `[n, c, h, w]`, and `boxes` the shape `[k, 5]` with the index of the image
/// before the corners; the result has the shape `[k, c, *output_size]`. Corners are multiplied by
/// `spatial_scale` and rounded. A bin without an element has the value 0.
///
/// Source: Girshick, "Fast R-CNN" (2015).
///
/// # Errors
/// `shape` if the shapes do not fit; `argument` if `output_size` is not one or two positive
/// numbers.
///
/// Defaults: spatial_scale = 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::roi_pool};
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [1, 1, 2, 2], &device)?;
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 1.0, 0.0], [1, 5], &device)?;
/// assert_eq!(pollster::block_on(roi_pool(&x, &boxes, &[1], 1.0)?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn roi_pool(input: &Tensor, boxes: &Tensor, output_size: &[usize], spatial_scale: f64) -> Result<Tensor> {
    check_regions("roi_pool", input, boxes)?;
    let (height, width) = pair("roi_pool", output_size)?;
    let corners = round_away(&(boxes.narrow(1, 1, 4)? * spatial_scale)?)?.unbind(1)?;
    let across = ((&corners[2] - &corners[0])? + 1.0)?.clamp_min(1.0)?;
    let down = ((&corners[3] - &corners[1])? + 1.0)?.clamp_min(1.0)?;
    let (rows, columns) = (input.shape()[2], input.shape()[3]);
    let horizontal = bins(&corners[0], &across, width, columns, columns)?;
    let vertical = bins(&corners[1], &down, height, rows, rows)?;
    let x = images(input, boxes)?;
    // [k, c, h, pw] from [k, c, h, 1, w] and [k, 1, 1, pw, w].
    let is_column = horizontal.is_inside.unsqueeze(1)?.unsqueeze(1)?;
    let across = Tensor::r#where(&is_column, &x.unsqueeze(3)?, f64::NEG_INFINITY)?.amax(-1, false)?;
    // [k, c, ph, pw] from [k, c, 1, h, pw] and [k, 1, ph, h, 1].
    let is_row = vertical.is_inside.unsqueeze(1)?.unsqueeze(-1)?;
    let most = Tensor::r#where(&is_row, &across.unsqueeze(2)?, f64::NEG_INFINITY)?.amax(3, false)?;
    let is_empty = empty_bins(&vertical, &horizontal)?;
    Tensor::r#where(&is_empty, 0.0, &most)
}

/// Whether a bin has no element: `[k, 1, ph, pw]`.
fn empty_bins(vertical: &Bins, horizontal: &Bins) -> Result<Tensor> {
    let (down, across) = (vertical.count.unsqueeze(-1)?, horizontal.count.unsqueeze(1)?);
    (down * across)?.eq(0.0)?.unsqueeze(1)
}

/// The mean of the input in each bin of each region, each bin from separate channels and of whole
/// elements, as `torchvision.ops.ps_roi_pool`.
///
/// `input` has the shape `[n, c * ph * pw, h, w]`, where `ph, pw` is `output_size`, and `boxes` the
/// shape `[k, 5]`; the result has the shape `[k, c, ph, pw]`. Corners are multiplied by
/// `spatial_scale` and rounded. A bin without an element has the value 0.
///
/// Source: Dai et al., "R-FCN" (2016).
///
/// # Errors
/// `shape` if the shapes do not fit; `argument` if `output_size` is not one or two positive
/// numbers.
///
/// Defaults: spatial_scale = 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::ps_roi_pool};
/// let x = Tensor::ones([1, 4, 5, 5])?;
/// let boxes = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 3.0, 3.0], [1, 5], &device)?;
/// let y = ps_roi_pool(&x, &boxes, &[2], 1.0)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn ps_roi_pool(input: &Tensor, boxes: &Tensor, output_size: &[usize], spatial_scale: f64) -> Result<Tensor> {
    check_regions("ps_roi_pool", input, boxes)?;
    let (height, width) = pair("ps_roi_pool", output_size)?;
    let channels = check_channels("ps_roi_pool", input, height, width)?;
    let corners = round_away(&(boxes.narrow(1, 1, 4)? * spatial_scale)?)?.unbind(1)?;
    let (across, down) = ((&corners[2] - &corners[0])?.clamp_min(0.1)?, (&corners[3] - &corners[1])?.clamp_min(0.1)?);
    let (rows, columns) = (input.shape()[2], input.shape()[3]);
    let horizontal = bins(&corners[0], &across, width, columns, columns - 1)?;
    let vertical = bins(&corners[1], &down, height, rows, rows - 1)?;
    let (count, ph, pw) = (boxes.shape()[0] as i64, height as i64, width as i64);
    let sizes = [count, channels as i64, ph, pw, rows as i64, columns as i64];
    let x = images(input, boxes)?.reshape(sizes)?;
    let is_row = vertical.is_inside.reshape([count, 1, ph, 1, rows as i64, 1])?;
    let is_column = horizontal.is_inside.reshape([count, 1, 1, pw, 1, columns as i64])?;
    let total = Tensor::r#where(&is_row.logical_and(&is_column)?, &x, 0.0)?.sum([4, 5], false)?;
    let area = (vertical.count.unsqueeze(-1)? * horizontal.count.unsqueeze(1)?)?;
    total / area.clamp_min(1.0)?.unsqueeze(1)?
}

/// The convolution of the input at displaced positions, as `torchvision.ops.deform_conv2d`.
///
/// `input` has the shape `[n, c, h, w]`, and `weight` the shape `[c_out, c / groups, kh, kw]`.
/// `offset` has the displacements `y, x` of each element of the kernel for each position of the
/// result, `[n, 2 * offset_groups * kh * kw, h_out, w_out]`, and `mask` a factor for each, `[n,
/// offset_groups * kh * kw, h_out, w_out]`. `stride`, `padding` and `dilation` are one or two
/// numbers.
///
/// Source: Zhu et al., "Deformable ConvNets v2" (2019).
///
/// # Errors
/// `shape` if the shapes do not fit; `argument` for a stride, padding or dilation that is not one
/// or two numbers.
///
/// Defaults: stride = [1], padding = [0], dilation = [1].
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::ops::deform_conv2d};
/// let x = Tensor::ones([1, 1, 3, 3])?;
/// let offset = Tensor::zeros([1, 2, 3, 3])?;
/// let weight = Tensor::ones([1, 1, 1, 1])?;
/// let y = deform_conv2d(&x, &offset, &weight, None, &[1], &[0], &[1], None)?;
/// assert_eq!(pollster::block_on(y.sum((), false)?.item())?, 9.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[allow(clippy::too_many_arguments)]
pub fn deform_conv2d(
    input: &Tensor,
    offset: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: &[i64],
    padding: &[i64],
    dilation: &[i64],
    mask: Option<&Tensor>,
) -> Result<Tensor> {
    input.deform_conv2d(offset, weight, bias, stride, padding, dilation, mask)
}
