//! torchvision's operators, whose sizes are numbers where the table has lists.

use super::{Given, Output, tensor};
use crate::{Dispatch, Result, Value, value::ints};

/// A convolution whose taps move. Without `use_mask` the mask is not read.
pub fn deform_conv2d<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let pair = |kind: &str| -> Result<Value<D::Tensor>> {
        Ok(ints([args.int(&format!("{kind}_h"))?, args.int(&format!("{kind}_w"))?]))
    };
    let (stride, padding, dilation) = (pair("stride")?, pair("pad")?, pair("dilation")?);
    let mask = if args.bool("use_mask") { args.take("mask") } else { Value::None };
    let tensors = ["input", "offset", "weight", "bias"].map(|name| args.take(name));
    tensor(dispatch, "deform_conv2d", tensors.into_iter().chain([stride, padding, dilation, mask])).map(Value::Tensor)
}

/// The mean of the input in a grid of bins within each box.
pub fn roi_align<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let size = ints([args.int("pooled_height")?, args.int("pooled_width")?]);
    let [input, rois, scale, ratio, aligned] =
        ["input", "rois", "spatial_scale", "sampling_ratio", "aligned"].map(|name| args.take(name));
    tensor(dispatch, "roi_align", [input, rois, size, scale, ratio, aligned]).map(Value::Tensor)
}
