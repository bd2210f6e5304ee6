//! Windows and Fourier transforms. Complex numbers are pairs along the last dimension.

use super::{Given, Output, arg, axis_of, convert, element_type, optional_int, sizes, tensor};
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{Dispatch, Error, Result, Value, value::tensors as listed};

/// Returns a window function of a number of samples.
pub fn window<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (size, periodic) = (Value::Int(args.int("size")?), Value::Bool(args.bool("periodic")));
    let drawn = match args.op() {
        "HannWindow" => tensor(d, "hann_window", [size, periodic])?,
        "BlackmanWindow" => tensor(d, "blackman_window", [size, periodic])?,
        // ONNX has exact fractions, and PyTorch rounds them to 0.54 and 0.46.
        _ => tensor(d, "hamming_window", [size, periodic, Value::Float(25.0 / 46.0), Value::Float(21.0 / 46.0)])?,
    };
    convert(d, &drawn, element_type(&args, args.int("output_datatype")?)?).map(Value::Tensor)
}

/// Converts real numbers to complex ones.
fn to_complex<D: Dispatch>(d: &D, x: &D::Tensor) -> Result<D::Tensor> {
    let zeros = tensor(d, "zeros_like", [arg(x)])?;
    tensor(d, "stack", [listed([x.clone(), zeros]), Value::Int(-1)])
}

/// Whether the elements are complex, which depends on the size of the last dimension.
fn is_complex<D: Dispatch>(d: &D, args: &Given<D>, x: &D::Tensor) -> Result<bool> {
    match d.shape(x)[..] {
        [.., 1] => Ok(false),
        [.., 2] => Ok(true),
        ref shape => Err(Error::argument(args.op(), format!("takes pairs or single numbers, not the shape {shape:?}"))),
    }
}

/// A Fourier transform along an axis.
pub fn dft<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let x = args.tensor("input")?;
    let axis = axis_of(&args, args.int("axis")?, d.shape(x).len())?;
    if axis + 1 >= d.shape(x).len() {
        return Err(Error::argument(args.op(), "the axis of the pairs"));
    }
    let complex = is_complex(d, &args, x)?;
    let length = optional_int(&args, "dft_length").map_or(Value::None, Value::Int);
    let along = Value::Int(axis as i64);
    let real = |x: &D::Tensor| tensor(d, "select", [arg(x), Value::Int(-1), Value::Int(0)]);
    let (inverse, onesided) = (args.bool("inverse"), args.bool("onesided"));
    let result = match (inverse, onesided) {
        (false, true) => tensor(d, "fft_rfft", [arg(&real(x)?), length, along])?,
        (true, true) => {
            let numbers = tensor(d, "fft_irfft", [arg(x), length, along])?;
            tensor(d, "unsqueeze", [arg(&numbers), Value::Int(-1)])?
        }
        (inverse, false) => {
            let pairs = if complex { x.clone() } else { to_complex(d, &real(x)?)? };
            tensor(d, if inverse { "fft_ifft" } else { "fft_fft" }, [arg(&pairs), length, along])?
        }
    };
    Ok(Value::Tensor(result))
}

/// Fourier transforms of frames of a signal.
pub fn stft<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let signal = args.tensor("signal")?;
    let step = args.int("frame_step")?;
    let window = args.get("window").as_tensor();
    let length =
        optional_int(&args, "frame_length").or_else(|| window.and_then(|window| sizes(d, window).first().copied()));
    let Some(length) = length.filter(|&length| length > 0 && step > 0) else {
        return Err(Error::argument(args.op(), "takes a frame's length, or a window"));
    };
    let framed = |x: &D::Tensor| -> Result<D::Tensor> {
        let frames = tensor(d, "unfold", [arg(x), Value::Int(1), Value::Int(length), Value::Int(step)])?;
        match window {
            Some(window) => tensor(d, "mul", [arg(&frames), arg(window)]),
            None => Ok(frames),
        }
    };
    let part = |index: i64| tensor(d, "select", [arg(signal), Value::Int(-1), Value::Int(index)]);
    // [batch, frame, sample]
    let frames = match d.shape(signal).len() {
        2 => framed(signal)?,
        _ => framed(&part(0)?)?,
    };
    let complex = d.shape(signal).len() == 3 && is_complex(d, &args, signal)?;
    if args.bool("onesided") && !complex {
        return tensor(d, "fft_rfft", [arg(&frames), Value::None, Value::Int(2)]).map(Value::Tensor);
    }
    let pairs = match complex {
        true => tensor(d, "stack", [listed([frames, framed(&part(1)?)?]), Value::Int(-1)])?,
        false => to_complex(d, &frames)?,
    };
    tensor(d, "fft_fft", [arg(&pairs), Value::None, Value::Int(2)]).map(Value::Tensor)
}

/// The most elements of a filter bank.
const MAX_FILTERS: i64 = 1 << 24;

/// Returns triangular filters on the mel scale, one per column, for the bins of a one-sided
/// spectrum.
pub fn mel_weight_matrix<D: Dispatch>(d: &D, args: Given<D>) -> Output<D> {
    let (filters, length, rate) = (args.int("num_mel_bins")?, args.int("dft_length")?, args.int("sample_rate")?);
    let (low, high) = (args.float("lower_edge_hertz")?, args.float("upper_edge_hertz")?);
    let bins = length / 2 + 1;
    if filters < 0 || length < 0 || rate <= 0 || filters.saturating_mul(bins) > MAX_FILTERS {
        let message = format!("{filters} filters of {length} samples at a rate of {rate}");
        return Err(Error::argument(args.op(), message));
    }
    // O'Shaughnessy, "Speech Communication: Human and Machine" (1987).
    let mel = |hertz: f64| 2595.0 * (hertz / 700.0).ln_1p() / std::f64::consts::LN_10;
    let hertz = |mel: f64| 700.0 * (mel / 2595.0 * std::f64::consts::LN_10).exp_m1();
    let (first, last) = (mel(low), mel(high));
    let step = (last - first) / (filters + 2) as f64;
    let edge = |index: i64| {
        let at = (((length + 1) as f64) * hertz(first + index as f64 * step) / rate as f64).floor() as i64;
        at.clamp(0, bins - 1)
    };
    let mut matrix = vec![0f32; (filters * bins) as usize];
    let mut put = |bin: i64, filter: i64, weight: f64| matrix[(bin * filters + filter) as usize] = weight as f32;
    for filter in 0..filters {
        let (left, center, right) = (edge(filter), edge(filter + 1), edge(filter + 2));
        if left == center {
            put(center, filter, 1.0);
        }
        for bin in left..=center.max(left) {
            if left < center {
                put(bin, filter, (bin - left) as f64 / (center - left) as f64);
            }
        }
        for bin in center..right {
            put(bin, filter, (right - bin) as f64 / (right - center) as f64);
        }
    }
    let bytes: Vec<u8> = matrix.iter().flat_map(|weight| weight.to_le_bytes()).collect();
    let data = TensorData::new(DType::F32, vec![bins as usize, filters as usize], bytes);
    let matrix = d.constant(data.ok_or_else(|| Error::malformed("a matrix of another size"))?)?;
    convert(d, &matrix, element_type(&args, args.int("output_datatype")?)?).map(Value::Tensor)
}
