//! torchvision's operators, whose sizes are separate numbers; the table's are lists.

use super::{Given, Output, tensor};
use crate::{Dispatch, Result, Value, value::ints};

/// Deformable convolution. Without `use_mask`, the mask is ignored.
pub fn deform_conv2d<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let pair = |kind: &str| -> Result<Value<D::Tensor>> {
        Ok(ints([args.int(&format!("{kind}_h"))?, args.int(&format!("{kind}_w"))?]))
    };
    let (stride, padding, dilation) = (pair("stride")?, pair("pad")?, pair("dilation")?);
    let mask = if args.bool("use_mask") { args.take("mask") } else { Value::None };
    let tensors = ["input", "offset", "weight", "bias"].map(|name| args.take(name));
    tensor(dispatch, "deform_conv2d", tensors.into_iter().chain([stride, padding, dilation, mask])).map(Value::Tensor)
}

/// Averages the input in a grid of bins within each box.
pub fn roi_align<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let size = ints([args.int("pooled_height")?, args.int("pooled_width")?]);
    let [input, rois, scale, ratio, aligned] =
        ["input", "rois", "spatial_scale", "sampling_ratio", "aligned"].map(|name| args.take(name));
    tensor(dispatch, "roi_align", [input, rois, size, scale, ratio, aligned]).map(Value::Tensor)
}

#[cfg(all(test, feature = "tensor"))]
mod tests {
    use crate::{Native, Outcome, Value, aten};
    use lanthorn_tensor::{Device, Tensor};

    fn numbers(tensor: &Tensor) -> Vec<f32> {
        pollster::block_on(tensor.to_vec::<f32>()).unwrap()
    }

    #[test]
    fn torchvisions_operators_are_those_of_the_table() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        device.set_default();
        let native = Native::new(&device);
        let call = |name: &str, args: Vec<Value<Tensor>>| match aten::call(&native, name, args, vec![]).unwrap() {
            Outcome::Ready(Value::Tensor(result)) => result,
            _ => panic!("{name} did not return one tensor at once"),
        };
        let range = |shape: &[i64], step: f64| {
            let count = shape.iter().product::<i64>();
            Tensor::arange(0, count, 1).unwrap().mul(step).unwrap().reshape(shape.to_vec()).unwrap()
        };
        let tensor = |x: &Tensor| Value::Tensor(x.clone());
        let (x, boxes) = (range(&[1, 2, 4, 5], 0.25), range(&[1, 5], 0.75));
        let (int, no) = (Value::Int, Value::Bool(false));
        let found = call("roi_align", vec![tensor(&x), tensor(&boxes), Value::Float(0.5), int(2), int(3), int(2), no]);
        let wanted = x.roi_align(&boxes, [2, 3], 0.5, 2, false).unwrap();
        assert_eq!((found.shape(), numbers(&found)), (wanted.shape(), numbers(&wanted)));

        let (weight, offset, mask) =
            (range(&[1, 2, 2, 1], 0.5), range(&[1, 4, 2, 3], 0.125), range(&[1, 2, 2, 3], 0.1));
        let bias = range(&[1], 1.0);
        let sizes = [2, 2, 0, 0, 1, 1, 1, 1].map(int);
        for use_mask in [true, false] {
            let tensors = [&x, &weight, &offset, &mask, &bias].map(tensor);
            let args = tensors.into_iter().chain(sizes.clone()).chain([Value::Bool(use_mask)]).collect();
            let found = call("deform_conv2d", args);
            let mask = use_mask.then_some(&mask);
            let wanted = x.deform_conv2d(&offset, &weight, Some(&bias), 2, 0, 1, mask).unwrap();
            assert_eq!((found.shape(), numbers(&found)), (wanted.shape(), numbers(&wanted)));
        }
    }
}
