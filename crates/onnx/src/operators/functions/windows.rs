//! Convolutions and pooling: windows that move over the dimensions after the first two.

use super::{Given, Output, arg, convert, optional_ints, reshape_to, sizes, tensor, tensors, with, word};
use lanthorn_io::DType;
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    value::{ints, is_floating_point},
};

/// The windows of an operator.
struct Windows {
    /// The sizes of the dimensions that windows move over.
    image: Vec<i64>,
    kernel: Vec<i64>,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    before: Vec<i64>,
    after: Vec<i64>,
}

impl Windows {
    /// Returns the windows of an operator's attributes, for a kernel of these sizes.
    fn new<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor, kernel: Vec<i64>) -> Result<Windows> {
        let image = sizes(d, x).get(2..).unwrap_or_default().to_vec();
        let rank = image.len();
        let list = |name: &str, length: usize, value: i64| {
            let list = optional_ints(args, name).unwrap_or_else(|| vec![value; length]);
            if list.len() == length && list.iter().all(|&item| item >= value.min(0)) {
                return Ok(list);
            }
            Err(Error::argument(args.op(), format!("{name} {list:?} for {rank} dimensions")))
        };
        let (strides, dilations) = (list("strides", rank, 1)?, list("dilations", rank, 1)?);
        let pads = match optional_ints(args, "pads") {
            Some(pads) => pads,
            None => vec![0; 2 * rank],
        };
        if pads.len() != 2 * rank || kernel.len() != rank || !(1..=3).contains(&rank) || strides.contains(&0) {
            let message = format!("a kernel {kernel:?}, pads {pads:?}, strides {strides:?} for {rank} dimensions");
            return Err(Error::argument(args.op(), message));
        }
        let (mut before, mut after) = (pads[..rank].to_vec(), pads[rank..].to_vec());
        let same = match word(args, "auto_pad") {
            "" | "NOTSET" => None,
            "VALID" => {
                (before, after) = (vec![0; rank], vec![0; rank]);
                None
            }
            "SAME_UPPER" => Some(false),
            "SAME_LOWER" => Some(true),
            other => return Err(Error::argument(args.op(), format!("auto_pad {other:?}"))),
        };
        if let Some(lower) = same {
            for dim in 0..rank {
                let results = (image[dim] + strides[dim] - 1) / strides[dim];
                let extent = dilations[dim] * (kernel[dim] - 1) + 1;
                let total = ((results - 1) * strides[dim] + extent - image[dim]).max(0);
                let (small, large) = (total / 2, total - total / 2);
                (before[dim], after[dim]) = if lower { (large, small) } else { (small, large) };
            }
        }
        Ok(Windows { image, kernel, strides, dilations, before, after })
    }

    fn rank(&self) -> usize {
        self.image.len()
    }

    fn is_symmetric(&self) -> bool {
        self.before == self.after
    }

    /// Returns pads in PyTorch's order that make the number of windows whole, rounded up or down.
    fn pads(&self, ceil: bool) -> Vec<i64> {
        let dims = (0..self.rank()).rev().flat_map(|dim| {
            let extent = self.dilations[dim] * (self.kernel[dim] - 1) + 1;
            let padded = self.image[dim] + self.before[dim] + self.after[dim];
            let room = padded - extent;
            let mut results = room.div_euclid(self.strides[dim]) + 1;
            if ceil && room.rem_euclid(self.strides[dim]) != 0 {
                // A window that would begin after the image and its leading padding is dropped.
                if results * self.strides[dim] < self.image[dim] + self.before[dim] {
                    results += 1;
                }
            }
            let needed = (results - 1) * self.strides[dim] + extent - self.image[dim] - self.before[dim];
            [self.before[dim], needed.max(self.after[dim].min(needed.max(0)))]
        });
        dims.collect()
    }

    /// Pads a tensor with a value.
    fn pad<D: Dispatch>(&self, d: &D, x: &D::Tensor, ceil: bool, value: Value<D::Tensor>) -> Result<D::Tensor> {
        let pads = self.pads(ceil);
        if pads.iter().all(|&pad| pad == 0) {
            return Ok(x.clone());
        }
        tensor(d, "constant_pad_nd", [arg(x), ints(pads), value])
    }

    /// Sums windows of each channel by a convolution with ones.
    fn sums<D: Dispatch>(&self, d: &D, x: &D::Tensor, ceil: bool) -> Result<D::Tensor> {
        let padded = self.pad(d, x, ceil, Value::Int(0))?;
        let shape = sizes(d, &padded);
        let flat = reshape_to(d, &padded, [shape[0] * shape[1], 1].into_iter().chain(shape[2..].iter().copied()))?;
        let ones = [1, 1].into_iter().chain(self.kernel.iter().copied());
        let weight = with(d, "ones", [ints(ones)], &[("dtype", super::of_type(d.dtype(x)))])?;
        let call = [
            arg(&flat),
            arg(&weight),
            Value::None,
            ints(self.strides.iter().copied()),
            ints(vec![0; self.rank()]),
            ints(self.dilations.iter().copied()),
        ];
        let sums = tensor(d, &format!("conv{}d", self.rank()), call)?;
        let result = sizes(d, &sums);
        reshape_to(d, &sums, shape[..2].iter().copied().chain(result[2..].iter().copied()))
    }
}

/// Returns the sizes of a weight after its first two dimensions.
fn kernel_of<D: Dispatch>(d: &D, weight: &D::Tensor) -> Vec<i64> {
    sizes(d, weight).get(2..).unwrap_or_default().to_vec()
}

/// A convolution.
pub fn conv<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let bias = args.get("B").clone();
    convolution(d, &args, args.tensor("X")?, args.tensor("W")?, bias).map(Value::Tensor)
}

/// A convolution with given windows.
pub fn convolution<D: Dispatch>(
    d: &D,
    args: &Given<D>,
    x: &D::Tensor,
    weight: &D::Tensor,
    bias: Value<D::Tensor>,
) -> Result<D::Tensor> {
    let windows = Windows::new(d, args, x, kernel_of(d, weight))?;
    let (x, padding) = match windows.is_symmetric() {
        true => (x.clone(), windows.before.clone()),
        false => (windows.pad(d, x, false, Value::Int(0))?, vec![0; windows.rank()]),
    };
    let call = [
        arg(&x),
        arg(weight),
        bias,
        ints(windows.strides.iter().copied()),
        ints(padding),
        ints(windows.dilations.iter().copied()),
        Value::Int(args.int("group")?),
    ];
    tensor(d, &format!("conv{}d", windows.rank()), call)
}

/// A transposed convolution. If its pads differ between sides, the full result is cropped.
pub fn conv_transpose<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (x, weight) = (args.tensor("X")?, args.tensor("W")?);
    let mut windows = Windows::new(d, &args, x, kernel_of(d, weight))?;
    let rank = windows.rank();
    let extra = optional_ints(&args, "output_padding").unwrap_or_else(|| vec![0; rank]);
    if extra.len() != rank {
        return Err(Error::argument(args.op(), format!("output_padding {extra:?} for {rank} dimensions")));
    }
    let whole = |dim: usize| {
        let extent = windows.dilations[dim] * (windows.kernel[dim] - 1) + 1;
        windows.strides[dim] * (windows.image[dim] - 1) + extent + extra[dim]
    };
    let auto = word(&args, "auto_pad").to_string();
    let wanted = match optional_ints(&args, "output_shape") {
        Some(shape) if shape.len() >= rank => Some(shape[shape.len() - rank..].to_vec()),
        _ if auto.starts_with("SAME") => Some((0..rank).map(|dim| windows.image[dim] * windows.strides[dim]).collect()),
        _ => None,
    };
    if let Some(wanted) = wanted {
        let total = (0..rank).map(|dim| whole(dim) - wanted[dim]);
        let halves = total.map(|total| (total.div_euclid(2), total - total.div_euclid(2)));
        let (small, large): (Vec<i64>, Vec<i64>) = halves.unzip();
        (windows.before, windows.after) = if auto == "SAME_UPPER" { (small, large) } else { (large, small) };
    }
    let symmetric = windows.is_symmetric() && windows.before.iter().all(|&pad| pad >= 0);
    // PyTorch requires an output padding less than a stride or a dilation.
    let fits = (0..rank).all(|dim| extra[dim] < windows.strides[dim].max(windows.dilations[dim]));
    let direct = symmetric && fits;
    let padding = if direct { windows.before.clone() } else { vec![0; rank] };
    let call = [
        arg(x),
        arg(weight),
        args.get("B").clone(),
        ints(windows.strides.iter().copied()),
        ints(padding),
        ints(if direct { extra.clone() } else { vec![0; rank] }),
        Value::Int(args.int("group")?),
        ints(windows.dilations.iter().copied()),
    ];
    let result = tensor(d, &format!("conv_transpose{rank}d"), call)?;
    if direct {
        return Ok(Value::Tensor(result));
    }
    // Elements outside of all windows are the bias.
    let pads: Vec<i64> =
        (0..rank).rev().flat_map(|dim| [-windows.before[dim], extra[dim] - windows.after[dim]]).collect();
    if pads.iter().any(|&pad| pad > 0) && args.is_given("B") {
        return Err(Error::unsupported(format!("{} with an output larger than its windows and a bias", args.op())));
    }
    tensor(d, "constant_pad_nd", [arg(&result), ints(pads), Value::Int(0)]).map(Value::Tensor)
}

/// Averages windows, with or without padding.
pub fn average_pool<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    average(d, &args, args.tensor("X")?).map(Value::Tensor)
}

/// Averages given windows.
pub fn average<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor) -> Result<D::Tensor> {
    let windows = Windows::new(d, args, x, args.ints("kernel_shape")?)?;
    let (ceil, counts) = (args.bool("ceil_mode"), args.bool("count_include_pad"));
    let small = (0..windows.rank()).all(|dim| 2 * windows.before[dim] <= windows.kernel[dim]);
    if windows.is_symmetric() && !ceil && small && windows.dilations.iter().all(|&step| step == 1) {
        let call = [
            arg(x),
            ints(windows.kernel.iter().copied()),
            ints(windows.strides.iter().copied()),
            ints(windows.before.iter().copied()),
            Value::Bool(false),
            Value::Bool(counts),
        ];
        return tensor(d, &format!("avg_pool{}d", windows.rank()), call);
    }
    let sums = windows.sums(d, x, ceil)?;
    // Ones for the elements that count: the image, and optionally its padding.
    let shape = [1, 1].into_iter().chain(windows.image.iter().copied());
    let ones = with(d, "ones", [ints(shape)], &[("dtype", super::of_type(d.dtype(x)))])?;
    let divisors = match counts {
        true => {
            let pads = (0..windows.rank()).rev().flat_map(|dim| [windows.before[dim], windows.after[dim]]);
            let counted = tensor(d, "constant_pad_nd", [arg(&ones), ints(pads), Value::Int(1)])?;
            let padded = Windows {
                image: sizes(d, &counted)[2..].to_vec(),
                before: vec![0; windows.rank()],
                after: vec![0; windows.rank()],
                ..windows
            };
            // Windows of the padded image, with the same rounding.
            let divisors = padded.sums(d, &counted, ceil)?;
            crop(d, &divisors, &sums)?
        }
        false => windows.sums(d, &ones, ceil)?,
    };
    tensor(d, "div", [arg(&sums), arg(&divisors)])
}

/// Crops a tensor to the sizes of another one.
fn crop<D: Dispatch>(d: &D, x: &D::Tensor, like: &D::Tensor) -> Result<D::Tensor> {
    let mut x = x.clone();
    for (dim, &size) in sizes(d, like).iter().enumerate().skip(2) {
        if sizes(d, &x)[dim] > size {
            x = tensor(d, "narrow", [arg(&x), Value::Int(dim as i64), Value::Int(0), Value::Int(size)])?;
        }
    }
    Ok(x)
}

/// Returns the p-norms of windows.
pub fn lp_pool<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let windows = Windows::new(d, &args, x, args.ints("kernel_shape")?)?;
    let p = args.int("p")?;
    let size = tensor(d, "abs", [arg(x)])?;
    let powers = tensor(d, "pow", [arg(&size), Value::Int(p)])?;
    let sums = windows.sums(d, &powers, args.bool("ceil_mode"))?;
    tensor(d, "pow", [arg(&sums), Value::Float(1.0 / p as f64)]).map(Value::Tensor)
}

/// Returns the maxima of windows, and their indices in the whole tensor.
pub fn max_pool<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let dtype = d.dtype(x);
    let windows = Windows::new(d, &args, x, args.ints("kernel_shape")?)?;
    let rank = windows.rank();
    let name = format!("max_pool{rank}d");
    let ceil = args.bool("ceil_mode");
    let small = (0..rank).all(|dim| 2 * windows.before[dim] <= windows.kernel[dim]);
    let direct = windows.is_symmetric() && !ceil && small && is_floating_point(dtype);
    let (input, pads) = match direct {
        true => (x.clone(), vec![0; 2 * rank]),
        false => {
            let lowest = if is_floating_point(dtype) { Value::Float(f64::NEG_INFINITY) } else { Value::Int(-128) };
            let wide = convert(d, x, if is_floating_point(dtype) { dtype } else { DType::F32 })?;
            (windows.pad(d, &wide, ceil, lowest)?, windows.pads(ceil))
        }
    };
    let padding = if direct { windows.before.clone() } else { vec![0; rank] };
    let call = [
        arg(&input),
        ints(windows.kernel.iter().copied()),
        ints(windows.strides.iter().copied()),
        ints(padding),
        ints(windows.dilations.iter().copied()),
    ];
    if args.int("outputs")? < 2 {
        let result = tensor(d, &name, call)?;
        return convert(d, &result, dtype).map(Value::Tensor);
    }
    let pair = tensors(d, &format!("{name}.with_indices"), call)?;
    let [values, indices] = &pair[..] else { return Err(Error::malformed("a pool did not return two tensors")) };
    let column_major = args.int("storage_order")? == 1;
    let indices = unpad_indices(d, indices, &sizes(d, x), &sizes(d, &input), &pads, column_major)?;
    Ok(Value::Tuple(vec![Value::Tensor(convert(d, values, dtype)?), Value::Tensor(indices)]))
}

/// Converts indices within a padded plane to indices in the whole tensor.
fn unpad_indices<D: Dispatch>(
    d: &D,
    indices: &D::Tensor,
    own: &[i64],
    padded: &[i64],
    pads: &[i64],
    column_major: bool,
) -> Result<D::Tensor> {
    let rank = own.len() - 2;
    let plane: i64 = own[2..].iter().product();
    let starts: Vec<i64> = (0..own[0] * own[1]).map(|channel| channel * plane).collect();
    let starts = super::integers(d, vec![starts.len()], &starts)?;
    let view = own[..2].iter().copied().chain(std::iter::repeat_n(1, rank));
    let mut total = reshape_to(d, &convert(d, &starts, d.dtype(indices))?, view)?;
    let mut rest = indices.clone();
    for dim in (0..rank).rev() {
        let size = Value::Int(padded[2 + dim]);
        let at = tensor(d, "remainder", [arg(&rest), size.clone()])?;
        rest = tensor(d, "floor_divide", [arg(&rest), size])?;
        let at = tensor(d, "sub", [arg(&at), Value::Int(pads[2 * (rank - 1 - dim)])])?;
        let step: i64 = if column_major { own[2..2 + dim].iter().product() } else { own[3 + dim..].iter().product() };
        let at = tensor(d, "mul", [arg(&at), Value::Int(step)])?;
        total = tensor(d, "add", [arg(&total), arg(&at)])?;
    }
    Ok(total)
}

/// Reduces each channel to its mean, maximum or p-norm.
pub fn global_pool<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("X")?;
    let dims = || ints(2..d.shape(x).len() as i64);
    let keep = Value::Bool(true);
    match args.op() {
        "GlobalAveragePool" => tensor(d, "mean", [arg(x), dims(), keep]),
        "GlobalMaxPool" => tensor(d, "amax", [arg(x), dims(), keep]),
        _ => tensor(d, "norm", [arg(x), Value::Int(args.int("p")?), dims(), keep]),
    }
    .map(Value::Tensor)
}
