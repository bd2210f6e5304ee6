//! The inverses of pooling and of window extraction.

use super::{Given, Output, arg, convert, optional_ints, reshape_to, sizes, tensor, with};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Dispatch, Error, Result, Value, value::ints};

/// The largest size of a dimension, and the largest number in arithmetic on sizes.
const MAX_SIZE: i64 = i32::MAX as i64;

/// The most elements of a block in [`col2im`].
const MAX_BLOCK: i64 = 4096;

/// Writes elements at their indices into zeros.
pub fn max_unpool<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, indices) = (args.tensor("X")?, args.tensor("I")?);
    let own = sizes(d, x);
    let kernel = args.ints("kernel_shape")?;
    let rank = kernel.len();
    let strides = optional_ints(&args, "strides").unwrap_or_else(|| vec![1; rank]);
    let pads = optional_ints(&args, "pads").unwrap_or_else(|| vec![0; 2 * rank]);
    let lists = [&kernel, &strides, &pads];
    let small = lists.iter().all(|list| list.iter().all(|item| (0..=MAX_SIZE).contains(item)));
    if !small || own.len() != rank + 2 || strides.len() != rank || pads.len() != 2 * rank || sizes(d, indices) != own {
        let message = format!(
            "a kernel {kernel:?}, strides {strides:?}, pads {pads:?} and indices of shape {:?} for the shape {own:?}",
            d.shape(indices)
        );
        return Err(Error::argument(args.op(), message));
    }
    let sides = (0..rank).map(|dim| (own[dim + 2] - 1) * strides[dim] - pads[dim] - pads[rank + dim] + kernel[dim]);
    let shape: Vec<i64> = own[..2].iter().copied().chain(sides).collect();
    let wanted = optional_ints(&args, "output_shape").unwrap_or_else(|| shape.clone());
    let count = shape.iter().try_fold(1_i64, |product, &size| product.checked_mul(size));
    let fits = wanted.len() == shape.len() && shape.iter().chain(&wanted).all(|size| (0..=MAX_SIZE).contains(size));
    let Some(count) = count.filter(|_| fits) else {
        return Err(Error::argument(args.op(), format!("the output_shape {wanted:?} for the shape {shape:?}")));
    };
    let zeros = with(d, "zeros", [ints([count])], &[("dtype", super::of_type(d.dtype(x)))])?;
    let flat = |x: &D::Tensor| reshape_to(d, x, [-1]);
    let all = tensor(d, "scatter", [arg(&zeros), Value::Int(0), arg(&flat(indices)?), arg(&flat(x)?)])?;
    // The indices are relative to the shape without `output_shape`, which only appends zeros.
    let all = reshape_to(d, &all, shape.iter().copied())?;
    let pads = (0..shape.len()).rev().flat_map(|dim| [0, wanted[dim] - shape[dim]]);
    match shape == wanted {
        true => Ok(Value::Tensor(all)),
        false => tensor(d, "constant_pad_nd", [arg(&all), ints(pads), Value::Int(0)]).map(Value::Tensor),
    }
}

/// Adds overlapping blocks to an image: the inverse of taking windows.
pub fn col2im<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let (image, block) = (args.ints("image_shape")?, args.ints("block_shape")?);
    let rank = image.len();
    let list = |name: &str, length: usize, value: i64| {
        let list = optional_ints(&args, name).unwrap_or_else(|| vec![value; length]);
        match list.len() == length && list.iter().all(|item| (value..=MAX_SIZE).contains(item)) {
            true => Ok(list),
            false => Err(Error::argument(args.op(), format!("{name} {list:?} for {rank} dimensions"))),
        }
    };
    let (pads, strides, dilations) =
        (list("pads", 2 * rank, 0)?, list("strides", rank, 1)?, list("dilations", rank, 1)?);
    let sized = image.iter().chain(&block).all(|size| (1..=MAX_SIZE).contains(size));
    if !(1..=3).contains(&rank) || block.len() != rank || !sized {
        return Err(Error::unsupported(format!("{} of blocks {block:?} in images {image:?}", args.op())));
    }
    let padded: Vec<i64> = (0..rank).map(|dim| image[dim] + pads[dim] + pads[rank + dim]).collect();
    let whole = match rank {
        2 => {
            let lists = [&dilations[..], &[0, 0], &strides[..]].map(|list| ints(list.iter().copied()));
            let call = [arg(x), ints(padded.iter().copied()), ints(block.iter().copied())];
            tensor(d, "col2im", call.into_iter().chain(lists))?
        }
        _ => add_blocks(d, &args, x, &block, &strides, &dilations, &padded)?,
    };
    let cut = (0..rank).rev().flat_map(|dim| [-pads[dim], image[dim] + pads[dim] - sizes(d, &whole)[dim + 2]]);
    tensor(d, "constant_pad_nd", [arg(&whole), ints(cut.collect::<Vec<_>>()), Value::Int(0)]).map(Value::Tensor)
}

/// Adds blocks by a transposed convolution with a one-hot weight, which moves each element to its
/// position in the block.
fn add_blocks<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    x: &D::Tensor,
    block: &[i64],
    strides: &[i64],
    dilations: &[i64],
    padded: &[i64],
) -> Result<D::Tensor> {
    let rank = block.len();
    let elements = block.iter().try_fold(1_i64, |product, &size| product.checked_mul(size));
    let Some(elements) = elements.filter(|&elements| elements <= MAX_BLOCK) else {
        return Err(Error::Limit(format!("{} of blocks of more than {MAX_BLOCK} elements", args.op())));
    };
    let blocks: Vec<i64> = (0..rank)
        .map(|dim| (padded[dim] - dilations[dim] * (block[dim] - 1) - 1).div_euclid(strides[dim]) + 1)
        .collect();
    let (batch, channels) = match sizes(d, x)[..] {
        [batch, rows, count] if rows % elements == 0 && count == blocks.iter().product::<i64>() => {
            (batch, rows / elements)
        }
        ref shape => {
            let message = format!("an input of shape {shape:?} for blocks {block:?} in {padded:?}");
            return Err(Error::argument(args.op(), message));
        }
    };
    let one_hot = (0..elements * elements).map(|index| f32::from(u8::from(index % (elements + 1) == 0)));
    let bytes: Vec<u8> = one_hot.flat_map(f32::to_le_bytes).collect();
    let data = TensorData::new(DType::F32, vec![elements as usize, elements as usize], bytes);
    let weight = d.constant(data.ok_or_else(|| Error::malformed("a weight of another size"))?)?;
    let weight = reshape_to(d, &weight, [elements, 1].into_iter().chain(block.iter().copied()))?;
    let weight = convert(d, &weight, d.dtype(x))?;
    let split = reshape_to(d, x, [batch * channels, elements].into_iter().chain(blocks))?;
    let list = |values: &[i64]| ints(values.iter().copied());
    let zeros = vec![0; rank];
    let call = [
        arg(&split),
        arg(&weight),
        Value::None,
        list(strides),
        list(&zeros),
        list(&zeros),
        Value::Int(1),
        list(dilations),
    ];
    let result = tensor(d, &format!("conv_transpose{rank}d"), call)?;
    let shape = sizes(d, &result);
    reshape_to(d, &result, [batch, channels].into_iter().chain(shape[2..].iter().copied()))
}
