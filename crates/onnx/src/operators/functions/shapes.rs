//! Views, joins, slices and repetitions.

use super::{
    Given, Output, arg, axes_of, axis_of, integers, list, optional_ints, permute, reshape_to, sizes, tensor, word,
};
use lanthorn_program::{
    Dispatch, Error, Value,
    value::{ints, tensors},
};

/// Crops or pads a tensor around its center to a shape.
pub fn center_crop_pad<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut x = args.tensor("input_data")?.clone();
    let wanted = args.ints("shape")?;
    let rank = d.shape(&x).len();
    let axes = optional_ints(&args, "axes").unwrap_or_else(|| (0..rank as i64).collect());
    let axes = axes_of(&args, &axes, rank)?;
    if axes.len() != wanted.len() {
        return Err(Error::argument(args.op(), format!("{} sizes for {} axes", wanted.len(), axes.len())));
    }
    for (&axis, &size) in axes.iter().zip(&wanted) {
        let own = d.shape(&x)[axis] as i64;
        if size < own {
            let start = Value::Int((own - size) / 2);
            x = tensor(d, "narrow", [arg(&x), Value::Int(axis as i64), start, Value::Int(size)])?;
        } else if size > own {
            let before = (size - own) / 2;
            let mut pads = vec![0; 2 * (rank - axis)];
            let last = pads.len() - 2;
            pads[last] = before;
            pads[last + 1] = size - own - before;
            x = tensor(d, "constant_pad_nd", [arg(&x), ints(pads)])?;
        }
    }
    Ok(Value::Tensor(x))
}

/// Concatenates tensors along an axis.
pub fn concat<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let inputs = list(&args, "inputs");
    let rank = inputs.first().map_or(0, |x| d.shape(x).len());
    let axis = axis_of(&args, args.int("axis")?, rank)?;
    tensor(d, "cat", [tensors(inputs), Value::Int(axis as i64)]).map(Value::Tensor)
}

/// Returns the four sizes of an image.
fn image<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor) -> lanthorn_program::Result<[i64; 4]> {
    <[i64; 4]>::try_from(sizes(d, x))
        .map_err(|_| Error::argument(args.op(), format!("takes four dimensions, not the shape {:?}", d.shape(x))))
}

fn block<D: Dispatch>(args: &Given<D>) -> lanthorn_program::Result<i64> {
    match args.int("blocksize")? {
        size if size > 0 => Ok(size),
        size => Err(Error::argument(args.op(), format!("the block size {size}"))),
    }
}

/// Moves channels into blocks of pixels.
pub fn depth_to_space<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let [batch, channels, rows, columns] = image(d, &args, x)?;
    let size = block::<D>(&args)?;
    let depth = channels / (size * size);
    let (shape, order) = match word(&args, "mode") {
        "CRD" => ([batch, depth, size, size, rows, columns], [0, 1, 4, 2, 5, 3]),
        _ => ([batch, size, size, depth, rows, columns], [0, 3, 4, 1, 5, 2]),
    };
    let split = reshape_to(d, x, shape)?;
    let ordered = permute(d, &split, order)?;
    reshape_to(d, &ordered, [batch, depth, rows * size, columns * size]).map(Value::Tensor)
}

/// Moves blocks of pixels into channels.
pub fn space_to_depth<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let [batch, channels, rows, columns] = image(d, &args, x)?;
    let size = block::<D>(&args)?;
    let split = reshape_to(d, x, [batch, channels, rows / size, size, columns / size, size])?;
    let order = if word(&args, "mode") == "CRD" { [0, 1, 3, 5, 2, 4] } else { [0, 3, 5, 1, 2, 4] };
    let ordered = permute(d, &split, order)?;
    reshape_to(d, &ordered, [batch, channels * size * size, rows / size, columns / size]).map(Value::Tensor)
}

/// Broadcasts a tensor and a shape with each other: a size of 1 on either side repeats.
pub fn expand<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let mut wanted = args.ints("shape")?;
    let own = sizes(d, x);
    while wanted.len() < own.len() {
        wanted.insert(0, 1);
    }
    let added = wanted.len() - own.len();
    for (size, &own) in wanted[added..].iter_mut().zip(&own) {
        if *size == 1 || *size == -1 {
            *size = own;
        }
    }
    tensor(d, "expand", [arg(x), ints(wanted)]).map(Value::Tensor)
}

/// Returns a matrix of the dimensions before an axis by the others.
pub fn flatten<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let shape = sizes(d, x);
    // The axis may be the rank.
    let axis = args.int("axis")?;
    let axis = if axis < 0 { axis + shape.len() as i64 } else { axis };
    let Some((rows, columns)) = usize::try_from(axis).ok().and_then(|axis| shape.split_at_checked(axis)) else {
        return Err(Error::argument(args.op(), format!("the axis {axis} of the shape {shape:?}")));
    };
    reshape_to(d, x, [rows.iter().product(), columns.iter().product()]).map(Value::Tensor)
}

/// Returns its argument: a tensor, a sequence or nothing.
pub fn identity<D: Dispatch>(_: &D, mut args: Given<D>) -> Output<D> {
    Ok(args.take("input"))
}

/// Reshapes a tensor. 0 keeps a size, and -1 is computed.
pub fn reshape<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("data")?;
    let own = sizes(d, x);
    let mut shape = args.ints("shape")?;
    if !args.bool("allowzero") {
        for (dim, size) in shape.iter_mut().enumerate().filter(|(_, size)| **size == 0) {
            *size = own.get(dim).copied().ok_or_else(|| {
                Error::argument(args.op(), format!("keeps the size of dimension {dim} of the shape {own:?}"))
            })?;
        }
    }
    // Next to a size of 0, the number of elements does not determine the missing size.
    if own.contains(&0) && shape.contains(&-1) {
        let rest: i64 = shape.iter().filter(|&&size| size > 0).product();
        let known: i64 = own.iter().filter(|&&size| size > 0).product();
        let zero = shape.contains(&0);
        let missing = if zero { known / rest.max(1) } else { 0 };
        shape.iter_mut().filter(|size| **size == -1).for_each(|size| *size = missing);
    }
    reshape_to(d, x, shape).map(Value::Tensor)
}

/// Returns the sizes of a range of dimensions.
pub fn shape<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let sizes = sizes(d, args.tensor("data")?);
    let rank = sizes.len() as i64;
    let position = |at: i64| (if at < 0 { at + rank } else { at }).clamp(0, rank) as usize;
    let start = position(args.int("start")?);
    let end = position(args.get("end").as_int().unwrap_or(rank)).max(start);
    integers(d, vec![end - start], &sizes[start..end]).map(Value::Tensor)
}

/// Returns the number of elements.
pub fn size<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let count = sizes(d, args.tensor("data")?).iter().product();
    integers(d, vec![], &[count]).map(Value::Tensor)
}

/// Slices dimensions. Steps may be negative.
pub fn slice<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let mut x = args.tensor("data")?.clone();
    let (starts, ends) = (args.ints("starts")?, args.ints("ends")?);
    let axes = optional_ints(&args, "axes").unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = optional_ints(&args, "steps").unwrap_or_else(|| vec![1; starts.len()]);
    if ends.len() != starts.len() || axes.len() != starts.len() || steps.len() != starts.len() {
        let message = format!("{} starts, {} ends, {} axes", starts.len(), ends.len(), axes.len());
        return Err(Error::argument(args.op(), message));
    }
    let axes = axes_of(&args, &axes, d.shape(&x).len())?;
    for (((&axis, &start), &end), &step) in axes.iter().zip(&starts).zip(&ends).zip(&steps) {
        let size = *d.shape(&x).get(axis).unwrap_or(&1) as i64;
        let wrap_negative = |at: i64| if at < 0 { at.saturating_add(size) } else { at };
        let dim = Value::Int(axis as i64);
        if step > 0 {
            let (start, end) = (wrap_negative(start).clamp(0, size), wrap_negative(end).clamp(0, size));
            if (start, end, step) != (0, size, 1) {
                let end = end.max(start);
                x = tensor(d, "slice", [arg(&x), dim, Value::Int(start), Value::Int(end), Value::Int(step)])?;
            }
        } else if step < 0 {
            // A slice backwards from `start`, without `end`, is a slice forwards over the flipped
            // dimension.
            let start = wrap_negative(start).clamp(-1, size - 1);
            let end = wrap_negative(end).clamp(-1, size - 1);
            let flipped = tensor(d, "flip", [arg(&x), ints([axis as i64])])?;
            let (from, to) = (size - 1 - start, (size - 1 - end).max(size - 1 - start));
            let step = Value::Int(step.saturating_neg());
            x = tensor(d, "slice", [arg(&flipped), dim, Value::Int(from), Value::Int(to), step])?;
        } else {
            return Err(Error::argument(args.op(), "a step of 0"));
        }
    }
    Ok(Value::Tensor(x))
}

/// Splits along an axis into given sizes, or into equal sizes of which the last may be smaller.
pub fn split<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let axis = axis_of(&args, args.int("axis")?, d.shape(x).len())?;
    let size = *d.shape(x).get(axis).unwrap_or(&1) as i64;
    let parts = args.get("num_outputs").as_int().unwrap_or(args.int("outputs")?);
    super::bounded(format_args!("{}: num_outputs", args.op()), parts)?;
    let lengths = match optional_ints(&args, "split") {
        Some(lengths) if !lengths.is_empty() => lengths,
        _ if parts <= 0 => return Err(Error::argument(args.op(), format!("{parts} parts"))),
        _ => {
            let length = size.div_euclid(parts) + i64::from(size % parts != 0);
            (0..parts).map(|part| length.min(size - (part * length).min(size))).collect()
        }
    };
    if lengths.iter().sum::<i64>() != size || lengths.iter().any(|&length| length < 0) {
        return Err(Error::argument(args.op(), format!("parts of {lengths:?} of a dimension of size {size}")));
    }
    let parts = super::tensors(d, "split_with_sizes", [arg(x), ints(lengths), Value::Int(axis as i64)])?;
    Ok(tensors(parts))
}

/// Repeats a tensor along its dimensions.
pub fn tile<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    tensor(d, "repeat", [arg(args.tensor("input")?), ints(args.ints("repeats")?)]).map(Value::Tensor)
}

/// Permutes dimensions; without a permutation, reverses them.
pub fn transpose<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("data")?;
    let rank = d.shape(x).len() as i64;
    let order = optional_ints(&args, "perm").unwrap_or_else(|| (0..rank).rev().collect());
    permute(d, x, order).map(Value::Tensor)
}

/// Keeps the part of matrices above or below a diagonal.
pub fn trilu<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let name = if args.bool("upper") { "triu" } else { "tril" };
    let x = args.tensor("input")?;
    // Beyond this offset, every diagonal is outside of the matrix.
    let limit = sizes(d, x).iter().copied().max().unwrap_or(0) + 1;
    let k = args.int("k")?.clamp(-limit, limit);
    tensor(d, name, [arg(x), Value::Int(k)]).map(Value::Tensor)
}

/// Inserts dimensions of size 1 at indices of the result.
pub fn unsqueeze<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("data")?;
    let axes = args.ints("axes")?;
    let mut axes = axes_of(&args, &axes, d.shape(x).len() + axes.len())?;
    axes.sort_unstable();
    if axes.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Error::argument(args.op(), format!("the axes {axes:?}, one of them twice")));
    }
    let mut shape = sizes(d, x);
    axes.iter().for_each(|&axis| shape.insert(axis, 1));
    if shape.contains(&0) || axes.len() > 1 {
        return reshape_to(d, x, shape).map(Value::Tensor);
    }
    match axes.first() {
        Some(&axis) => tensor(d, "unsqueeze", [arg(x), Value::Int(axis as i64)]).map(Value::Tensor),
        None => Ok(arg(x)),
    }
}
