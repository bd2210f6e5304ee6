//! Complex numbers as pairs along a last dimension, and spectra of frames of a signal.

use super::{Given, Output, arg, tensor, text, with};
use crate::{
    Dispatch, Error, Outcome, Result, Value,
    operators::Args,
    value::{elements, ints},
};

fn part<D: Dispatch>(dispatch: &D, mut args: Given<D>, index: i64) -> Output<D> {
    tensor(dispatch, "select", vec![args.take("self"), Value::Int(-1), Value::Int(index)]).map(Value::Tensor)
}

/// Returns the real parts.
pub fn real<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    part(dispatch, args, 0)
}

/// Returns the imaginary parts.
pub fn imag<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    part(dispatch, args, 1)
}

/// Returns true for each element of a real tensor.
pub fn isreal<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    with(dispatch, "ones_like", vec![args.take("self")], &[("dtype", text("bool"))]).map(Value::Tensor)
}

/// Joins real and imaginary parts to complex numbers.
pub fn complex<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let parts = Value::List(vec![args.take("real"), args.take("imag")]);
    tensor(dispatch, "stack", vec![parts, Value::Int(-1)]).map(Value::Tensor)
}

/// Splits complex numbers into real and imaginary parts.
fn parts<D: Dispatch>(dispatch: &D, x: &Value<D::Tensor>) -> Result<[D::Tensor; 2]> {
    let part = |index| tensor(dispatch, "select", vec![x.clone(), Value::Int(-1), Value::Int(index)]);
    Ok([part(0)?, part(1)?])
}

fn pair<D: Dispatch>(dispatch: &D, real: D::Tensor, imag: D::Tensor) -> Output<D> {
    tensor(dispatch, "stack", vec![crate::value::tensors([real, imag]), Value::Int(-1)]).map(Value::Tensor)
}

/// Returns the angles of real numbers: 0 or pi.
pub fn angle<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let x = args.get("self").clone();
    let zeros = tensor(dispatch, "zeros_like", vec![x.clone()])?;
    tensor(dispatch, "atan2", vec![Value::Tensor(zeros), x]).map(Value::Tensor)
}

/// Returns the angles of complex numbers.
pub fn complex_angle<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let [real, imag] = parts(dispatch, args.get("self"))?;
    tensor(dispatch, "atan2", vec![Value::Tensor(imag), Value::Tensor(real)]).map(Value::Tensor)
}

/// Conjugates complex numbers.
pub fn complex_conj<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let [real, imag] = parts(dispatch, args.get("self"))?;
    let imag = tensor(dispatch, "neg", vec![Value::Tensor(imag)])?;
    pair(dispatch, real, imag)
}

/// Creates complex numbers from absolute values and angles.
pub fn polar<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    let (abs, angle) = (args.tensor("abs")?, args.tensor("angle")?);
    let mut parts = Vec::new();
    for function in ["cos", "sin"] {
        let factor = tensor(dispatch, function, vec![arg(angle)])?;
        parts.push(Value::Tensor(tensor(dispatch, "mul", vec![arg(abs), Value::Tensor(factor)])?));
    }
    tensor(dispatch, "stack", vec![Value::List(parts), Value::Int(-1)]).map(Value::Tensor)
}

/// The sizes of a short-time Fourier transform.
struct Windows {
    n_fft: i64,
    hop: i64,
    length: i64,
}

impl Windows {
    fn of<T: Clone>(args: &Args<T>) -> Result<Windows> {
        let n_fft = args.int("n_fft")?;
        let hop = args.get("hop_length").as_int().unwrap_or(n_fft / 4);
        let length = args.get("win_length").as_int().unwrap_or(n_fft);
        match n_fft >= 1 && hop >= 1 && (1..=n_fft).contains(&length) {
            true => Ok(Windows { n_fft, hop, length }),
            false => Err(Error::argument(args.op(), format!("n_fft {n_fft}, hop_length {hop}, win_length {length}"))),
        }
    }

    /// Returns whether windows of ones cover all samples from `start` to `end`.
    fn cover(&self, count: i64, start: i64, end: i64) -> bool {
        let first = (self.n_fft - self.length) / 2;
        let last = first + (count - 1) * self.hop + self.length;
        // Between two windows that do not touch, samples have none.
        let has_gap = |frame: i64| {
            let gap = first + frame * self.hop + self.length..first + (frame + 1) * self.hop;
            gap.start.max(start) < gap.end.min(end)
        };
        first <= start && end <= last && !(0..count - 1).any(has_gap)
    }

    /// Returns the window of `n_fft` factors: the given window, or ones, padded with zeros. Returns
    /// `None` if all factors are 1.
    fn factors<D: Dispatch>(
        &self,
        dispatch: &D,
        args: &Args<D::Tensor>,
        like: &D::Tensor,
    ) -> Result<Option<D::Tensor>> {
        let &Windows { n_fft, length, .. } = self;
        let window = match args.get("window") {
            Value::None if length == n_fft => return Ok(None),
            Value::None => tensor(dispatch, "new_ones", vec![arg(like), ints([length])])?,
            _ => args.tensor("window")?.clone(),
        };
        let left = (n_fft - length) / 2;
        match length < n_fft {
            true => tensor(dispatch, "pad", vec![arg(&window), ints([left, n_fft - length - left])]).map(Some),
            false => Ok(Some(window)),
        }
    }
}

/// Returns the normalization of a short-time Fourier transform.
fn norm_of_windows<T: Clone>(args: &Args<T>) -> Value<T> {
    text(if args.bool("normalized") { "ortho" } else { "backward" })
}

/// Returns the spectra of overlapping frames of a signal.
pub fn stft<D: Dispatch>(dispatch: &D, args: Given<D>) -> Output<D> {
    if args.get("onesided").as_bool() == Some(false) {
        return Err(Error::unsupported("stft with onesided=False"));
    }
    let windows = Windows::of(&args)?;
    let Windows { n_fft, hop, .. } = windows;
    let mut x = args.tensor("self")?.clone();
    let batched = dispatch.shape(&x).len() > 1;
    if !batched {
        x = tensor(dispatch, "unsqueeze", vec![arg(&x), Value::Int(0)])?;
    }
    if args.bool("center") {
        let sides = ints([n_fft / 2, n_fft / 2]);
        x = tensor(dispatch, "pad", vec![arg(&x), sides, args.get("pad_mode").clone()])?;
    }
    // [batch, frame, n_fft]
    let mut frames = tensor(dispatch, "unfold", vec![arg(&x), Value::Int(-1), Value::Int(n_fft), Value::Int(hop)])?;
    if let Some(window) = windows.factors(dispatch, &args, &x)? {
        frames = tensor(dispatch, "mul", vec![arg(&frames), arg(&window)])?;
    }
    let call = vec![arg(&frames), Value::None, Value::Int(-1), norm_of_windows(&args)];
    let spectra = tensor(dispatch, "fft_rfft", call)?;
    // [batch, frame, frequency, 2] to [batch, frequency, frame, 2]
    let spectra = tensor(dispatch, "transpose", vec![Value::Tensor(spectra), Value::Int(1), Value::Int(2)])?;
    if batched {
        return Ok(Value::Tensor(spectra));
    }
    tensor(dispatch, "squeeze", vec![Value::Tensor(spectra), Value::Int(0)]).map(Value::Tensor)
}

/// The least sum of the squares of the windows at a sample, as in PyTorch.
const MIN_OVERLAP: f64 = 1e-11;

/// Builds the error for windows that leave samples out.
fn overlap_error() -> Error {
    let message = "window overlap add min: 1. The squares of the windows add up to less than 1e-11 at a sample; take \
                   a smaller hop_length, or a window without zeros there";
    Error::argument("istft", message)
}

/// Reconstructs a signal from spectra of overlapping frames: adds the frames, and divides by the
/// sum of the squared window factors. Reads the least sum if a window is given; without a window the
/// sizes decide whether a sum is 0.
pub fn istft<D: Dispatch>(dispatch: &D, args: Given<D>) -> Result<Outcome<'_, D::Tensor>> {
    if args.get("onesided").as_bool() == Some(false) || args.bool("return_complex") {
        return Err(Error::unsupported("istft with onesided=False or return_complex=True"));
    }
    let windows = Windows::of(&args)?;
    let Windows { n_fft, hop, .. } = windows;
    let mut x = args.tensor("self")?.clone();
    let batched = dispatch.shape(&x).len() == 4;
    if !batched {
        x = tensor(dispatch, "unsqueeze", vec![arg(&x), Value::Int(0)])?;
    }
    let [_, frequencies, count, 2] = dispatch.shape(&x)[..] else {
        return Err(Error::argument("istft", "takes complex spectra [frequency, frame], or a batch of them"));
    };
    let count = count as i64;
    if frequencies as i64 != n_fft / 2 + 1 || count == 0 {
        let message =
            format!("{frequencies} frequencies in {count} frames, where n_fft {n_fft} takes {}", n_fft / 2 + 1);
        return Err(Error::argument("istft", message));
    }
    // [batch, frequency, frame, 2] to [batch, frame, n_fft]
    let spectra = tensor(dispatch, "transpose", vec![arg(&x), Value::Int(1), Value::Int(2)])?;
    let call = vec![Value::Tensor(spectra), Value::Int(n_fft), Value::Int(-1), norm_of_windows(&args)];
    let mut frames = tensor(dispatch, "fft_irfft", call)?;
    let window = match windows.factors(dispatch, &args, &frames)? {
        Some(window) => {
            frames = tensor(dispatch, "mul", vec![arg(&frames), arg(&window)])?;
            window
        }
        None => tensor(dispatch, "new_ones", vec![arg(&frames), ints([n_fft])])?,
    };
    let total = n_fft + hop * (count - 1);
    let start = if args.bool("center") { n_fft / 2 } else { 0 };
    let length = args.get("length").as_int();
    let end = length.map_or(if args.bool("center") { total - start } else { total }, |length| start + length);
    if start >= end.min(total) {
        return Err(Error::argument("istft", format!("the signal of {count} frames of {n_fft} has no samples")));
    }
    // [batch, frame, n_fft] to [batch, sample]
    let added = |frames: &D::Tensor| -> Result<D::Tensor> {
        let columns = tensor(dispatch, "transpose", vec![arg(frames), Value::Int(1), Value::Int(2)])?;
        let sizes = [[1, total], [1, n_fft], [1, 1], [0, 0], [1, hop]].map(ints);
        let image = tensor(dispatch, "col2im", [Value::Tensor(columns)].into_iter().chain(sizes))?;
        let sums = tensor(dispatch, "reshape", vec![Value::Tensor(image), ints([-1, total])])?;
        let range = [1, start, end.min(total), 1].map(Value::Int);
        tensor(dispatch, "slice", [Value::Tensor(sums)].into_iter().chain(range))
    };
    let squares = tensor(dispatch, "mul", vec![arg(&window), arg(&window)])?;
    let squares = tensor(dispatch, "expand", vec![arg(&squares), ints([1, count, n_fft])])?;
    let sums = added(&squares)?;
    let mut signal = tensor(dispatch, "div", vec![arg(&added(&frames)?), arg(&sums)])?;
    if end > total {
        signal = tensor(dispatch, "pad", vec![Value::Tensor(signal), ints([0, end - total])])?;
    }
    if !batched {
        signal = tensor(dispatch, "squeeze", vec![Value::Tensor(signal), Value::Int(0)])?;
    }
    if args.get("window").as_tensor().is_none() {
        return match windows.cover(count, start, end.min(total)) {
            true => Ok(Outcome::Ready(Value::Tensor(signal))),
            false => Err(overlap_error()),
        };
    }
    let magnitudes = tensor(dispatch, "abs", vec![Value::Tensor(sums)])?;
    let least = tensor(dispatch, "min", vec![Value::Tensor(magnitudes)])?;
    Ok(Outcome::pending(async move {
        let least = elements::<D::Tensor>(&dispatch.read(&least).await?)?.pop();
        match least.and_then(|least| least.as_float()).is_some_and(|least| least < MIN_OVERLAP) {
            true => Err(overlap_error()),
            false => Ok(Value::Tensor(signal)),
        }
    }))
}

/// Returns the name of a transform's normalization. ATen specifies the divisor of this transform:
/// 1, the root of the number of points, or that number.
fn norm<T: Clone>(args: &Args<T>, forward: bool) -> Result<Value<T>> {
    Ok(text(match (args.int("normalization")?, forward) {
        (0, true) | (2, false) => "backward",
        (1, _) => "ortho",
        (0, false) | (2, true) => "forward",
        (number, _) => return Err(Error::argument(args.op(), format!("no normalization has the number {number}"))),
    }))
}

/// Transforms complex numbers.
pub fn fft_c2c<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let forward = args.bool("forward");
    let norm = norm(&args, forward)?;
    let name = if forward { "fft_fftn" } else { "fft_ifftn" };
    tensor(dispatch, name, vec![args.take("self"), Value::None, args.take("dim"), norm]).map(Value::Tensor)
}

/// Transforms real numbers.
pub fn fft_r2c<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let norm = norm(&args, true)?;
    let mut x = args.take("self");
    let onesided = args.bool("onesided");
    if !onesided {
        let zeros = tensor(dispatch, "zeros_like", vec![x.clone()])?;
        let parts = Value::List(vec![x, Value::Tensor(zeros)]);
        x = Value::Tensor(tensor(dispatch, "stack", vec![parts, Value::Int(-1)])?);
    }
    let name = if onesided { "fft_rfftn" } else { "fft_fftn" };
    tensor(dispatch, name, vec![x, Value::None, args.take("dim"), norm]).map(Value::Tensor)
}

/// Transforms complex numbers to real numbers.
pub fn fft_c2r<D: Dispatch>(dispatch: &D, mut args: Given<D>) -> Output<D> {
    let norm = norm(&args, false)?;
    let shape = dispatch.shape(args.tensor("self")?);
    let rank = shape.len() as i64 - 1;
    let dims = args.ints("dim")?;
    let size = |&dim: &i64| usize::try_from(if dim < 0 { dim + rank } else { dim }).ok().and_then(|dim| shape.get(dim));
    let sizes = dims.iter().map(size).collect::<Option<Vec<&usize>>>();
    let mut sizes: Vec<i64> = match sizes {
        Some(sizes) => sizes.into_iter().map(|&size| size as i64).collect(),
        None => return Err(Error::argument(args.op(), format!("no dimensions {dims:?} of {rank}"))),
    };
    if let Some(last) = sizes.last_mut() {
        *last = args.int("last_dim_size")?;
    }
    let call = vec![args.take("self"), ints(sizes), args.take("dim"), norm];
    tensor(dispatch, "fft_irfftn", call).map(Value::Tensor)
}
