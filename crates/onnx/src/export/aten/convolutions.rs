//! Convolutions.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Item},
    },
    Call, Functions, check_count,
};
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_convolution", convolution),
    ("_convolution_mode", conv),
    ("conv1d", conv),
    ("conv2d", conv),
    ("conv3d", conv),
    ("conv_transpose1d", conv),
    ("conv_transpose2d", conv),
    ("conv_transpose3d", conv),
    ("convolution", convolution),
    ("col2im", col2im),
    ("im2col", im2col),
];

fn conv(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    write(exporter, call, call.base.starts_with("conv_transpose"))
}

fn convolution(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    write(exporter, call, call.args.bool("transposed"))
}

fn write(exporter: &mut Exporter<'_>, call: &Call, transposed: bool) -> Result<Arg> {
    let (mut item, weight) = (call.tensor("input")?, call.tensor("weight")?);
    let spatial = usize::try_from(weight.rank()? - 2).map_err(|_| Error::malformed("a weight without channels"))?;
    let unbatched = item.rank()? as usize == spatial + 1;
    if unbatched {
        item = exporter.unsqueeze(&item, &[0])?;
    }
    let kernel: Vec<i64> = (0..spatial).map(|dim| weight.size(dim as i64 + 2)).collect::<Result<_>>()?;
    let (strides, dilations) = (call.per_dim("stride", spatial)?, call.per_dim("dilation", spatial)?);
    let pads = match call.args.get("padding") {
        Value::Str(mode) if mode == "valid" => vec![0; 2 * spatial],
        // An odd element of padding is at the end.
        Value::Str(_) => {
            let total = |dim: usize| dilations[dim] * (kernel[dim] - 1);
            (0..spatial).map(|dim| total(dim) / 2).chain((0..spatial).map(|dim| total(dim) - total(dim) / 2)).collect()
        }
        _ => [call.per_dim("padding", spatial)?, call.per_dim("padding", spatial)?].concat(),
    };
    let mut attributes = vec![
        ("kernel_shape", Attr::Ints(kernel)),
        ("strides", Attr::Ints(strides)),
        ("pads", Attr::Ints(pads)),
        ("dilations", Attr::Ints(dilations)),
        ("group", Attr::Int(call.int("groups")?)),
    ];
    if transposed {
        attributes.push(("output_padding", Attr::Ints(call.per_dim("output_padding", spatial)?)));
    }
    let bias = call.optional("bias");
    let inputs: Vec<&Item> = [&item, &weight].into_iter().chain(&bias).collect();
    let result = exporter.op(if transposed { "ConvTranspose" } else { "Conv" }, &inputs, &attributes);
    if !unbatched {
        return Ok(Value::Tensor(result));
    }
    let first = exporter.ints(&[0])?;
    Ok(Value::Tensor(exporter.op("Squeeze", &[&result, &first], &[])))
}

fn col2im(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    if item.rank()? != 3 {
        return Err(Error::unsupported("without a batch"));
    }
    let (image, block) = (exporter.dims(call.args.get("output_size"))?, call.per_dim("kernel_size", 2)?);
    let (image, block) = (exporter.shape(&image)?, exporter.ints(&block)?);
    let padding = call.per_dim("padding", 2)?;
    let attributes = [
        ("dilations", Attr::Ints(call.per_dim("dilation", 2)?)),
        ("pads", Attr::Ints([padding.clone(), padding].concat())),
        ("strides", Attr::Ints(call.per_dim("stride", 2)?)),
    ];
    Ok(Value::Tensor(exporter.op("Col2Im", &[&item, &image, &block], &attributes)))
}

/// Writes patches as columns, which constant indices gather from rows and columns of the image.
fn im2col(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    if item.rank()? != 4 {
        return Err(Error::unsupported("without a batch"));
    }
    let names = ["kernel_size", "dilation", "padding", "stride"];
    let [kernel, dilation, padding, stride] = names.map(|name| call.per_dim(name, 2));
    let (kernel, dilation, padding, stride) = (kernel?, dilation?, padding?, stride?);
    let pads = [0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]];
    let pads = exporter.ints(&pads)?;
    let mut patches = exporter.op("Pad", &[&item, &pads], &[]);
    for (dim, axis) in [(0usize, 2), (1, 4)] {
        let size = item.size(dim as i64 + 2)? + 2 * padding[dim];
        let count = (size - dilation[dim] * (kernel[dim] - 1) - 1) / stride[dim].max(1) + 1;
        check_count(&[kernel[dim], count])?;
        let at = |tap: i64, window: i64| (tap * dilation[dim] + window * stride[dim]) as f64;
        let indices: Vec<f64> =
            (0..kernel[dim]).flat_map(|tap| (0..count).map(move |window| at(tap, window))).collect();
        let shape = vec![kernel[dim] as usize, count.max(0) as usize];
        let indices = exporter.numbers(&indices, shape, lanthorn_io::DType::I64)?;
        patches = exporter.op("Gather", &[&patches, &indices], &[("axis", Attr::Int(axis))]);
    }
    // [N, C, kh, H, kw, W] to [N, C·kh·kw, H·W].
    let moved = exporter.op("Transpose", &[&patches], &[("perm", Attr::Ints(vec![0, 1, 2, 4, 3, 5]))]);
    let result = call.result()?.clone();
    exporter.reshape_to(&moved, &result, |_| Err(Error::unsupported("of dynamic sizes"))).map(Value::Tensor)
}
