//! Window functions of signal processing, computed on the host in float64, because they are short
//! and made once.
//!
//! As in PyTorch there are two forms: `signal_windows_*`, symmetric by default, and `*_window`,
//! periodic by default. Sources: Harris, "On the use of windows for harmonic analysis with the
//! discrete Fourier transform" (1978); Kaiser, "Nonrecursive digital filter design using the
//! I0-sinh window function" (1974); Nuttall, "Some windows with very good sidelobe behavior"
//! (1981).

use crate::{DType, Device, Error, Result, Tensor, default_dtype, ops::Op, samples};
use lanthorn_ir::Shape;
use lanthorn_macros::op;
use std::f64::consts::{PI, TAU};

/// The length, symmetry, type and device of a window.
struct Window<'a> {
    length: i64,
    symmetric: bool,
    dtype: Option<DType>,
    device: Option<&'a Device>,
}

impl Window<'_> {
    /// The window of `value(n, N)`, where `n` is the position and `N` the last position, or the
    /// length if the window is periodic.
    fn make(&self, op: &str, value: impl Fn(f64, f64) -> f64) -> Result<Tensor> {
        let dtype = self.dtype.unwrap_or_else(default_dtype);
        if !matches!(dtype, DType::F32 | DType::F64) {
            return Err(Error::dtype(op, format!("a window is float32 or float64, not {dtype}")));
        }
        let device = self.device.map_or_else(Device::default_device, |device| Ok(device.clone()))?;
        let shape = Shape::new(op, &[self.length])?;
        let last = (self.length - i64::from(self.symmetric)) as f64;
        let values = (0..self.length).map(|position| if self.length == 1 { 1.0 } else { value(position as f64, last) });
        if dtype == DType::F64 {
            return Tensor::from_slice(&values.collect::<Vec<f64>>(), &shape, &device);
        }
        Tensor::from_slice(&values.map(|value| value as f32).collect::<Vec<f32>>(), &shape, &device)
    }

    /// A sum of cosines with alternating signs: `a[0] - a[1] cos(x) + a[2] cos(2 x) - ...` with
    /// `x = 2 pi n / N`.
    fn cosines(&self, op: &str, coefficients: &[f64]) -> Result<Tensor> {
        self.make(op, |position, last| {
            let term =
                |(i, a): (usize, &f64)| if i % 2 == 0 { *a } else { -a } * (i as f64 * TAU * position / last).cos();
            coefficients.iter().enumerate().map(term).sum()
        })
    }

    fn kaiser(&self, op: &str, beta: f64) -> Result<Tensor> {
        if beta < 0.0 {
            return Err(Error::argument(op, format!("beta must not be negative: {beta}")));
        }
        self.make(op, |position, last| {
            let x = 2.0 * position / last - 1.0;
            bessel(beta * (1.0 - x * x).max(0.0).sqrt()) / bessel(beta)
        })
    }

    fn bartlett(&self, op: &str) -> Result<Tensor> {
        self.make(op, |position, last| 1.0 - (2.0 * position / last - 1.0).abs())
    }
}

/// The modified Bessel function of the first kind and order 0, by its power series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..500 {
        let half = x / (2.0 * f64::from(k));
        term *= half * half;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    sum
}

const BLACKMAN: [f64; 3] = [0.42, 0.5, 0.08];
const NUTTALL: [f64; 4] = [0.3635819, 0.4891775, 0.1365995, 0.0106411];

fn lengths() -> Vec<samples::Sample> {
    samples::calls([
        vec![samples::int(7)],
        vec![samples::int(6), samples::flag(false)],
        vec![samples::int(1)],
        vec![samples::int(0)],
    ])
}

/// The Hann window, as `torch.hann_window` (Harris, 1978): `0.5 - 0.5 cos(2 pi n / N)`.
///
/// The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
/// `periodic`.
///
/// Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let periodic = Tensor::hann_window(4, true)?;
/// assert_eq!(pollster::block_on(periodic.to_vec::<f32>())?, [0.0, 0.5, 1.0, 0.5]);
/// let symmetric = Tensor::hann_window(3, false)?;
/// assert_eq!(pollster::block_on(symmetric.to_vec::<f32>())?, [0.0, 1.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "hann_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = lengths
)]
fn hann_window(window_length: i64, periodic: bool, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Window { length: window_length, symmetric: !periodic, dtype, device }.cosines("hann_window", &[0.5, 0.5])
}

/// The Hamming window, as `torch.hamming_window` (Harris, 1978): `alpha - beta cos(2 pi n / N)`.
///
/// The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
/// `periodic`.
///
/// Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(
    composite,
    "hamming_window(int window_length, bool periodic=True, float alpha=0.54, float beta=0.46, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = lengths
)]
fn hamming_window(
    window_length: i64,
    periodic: bool,
    alpha: f64,
    beta: f64,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: window_length, symmetric: !periodic, dtype, device }.cosines("hamming_window", &[alpha, beta])
}

/// The Blackman window, as `torch.blackman_window` (Harris, 1978):
/// `0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)`.
///
/// The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
/// `periodic`.
///
/// Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(
    composite,
    "blackman_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = lengths
)]
fn blackman_window(
    window_length: i64,
    periodic: bool,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: window_length, symmetric: !periodic, dtype, device }.cosines("blackman_window", &BLACKMAN)
}

/// The Bartlett window, as `torch.bartlett_window` (Harris, 1978): `1 - |2 n / N - 1|`.
///
/// The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
/// `periodic`.
///
/// Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(
    composite,
    "bartlett_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = lengths
)]
fn bartlett_window(
    window_length: i64,
    periodic: bool,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: window_length, symmetric: !periodic, dtype, device }.bartlett("bartlett_window")
}

/// The Kaiser window, as `torch.kaiser_window` (Kaiser, 1974):
/// `I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta)`.
///
/// The result is `[window_length]`, float32 or `dtype`; `N` is `window_length`, or one less without
/// `periodic`. `I0` is the modified Bessel function of the first kind and order 0.
///
/// Errors: `shape` if the length is negative; `dtype` if `dtype` is neither float32 nor float64;
/// `argument` if `beta` is negative.
#[op(
    composite,
    "kaiser_window(int window_length, bool periodic=True, float beta=12.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = lengths
)]
fn kaiser_window(
    window_length: i64,
    periodic: bool,
    beta: f64,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: window_length, symmetric: !periodic, dtype, device }.kaiser("kaiser_window", beta)
}

/// The Bartlett window, as `torch.signal.windows.bartlett` (Harris, 1978): `1 - |2 n / N - 1|`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_bartlett(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = lengths)]
fn signal_windows_bartlett(m: i64, sym: bool, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.bartlett("signal_windows_bartlett")
}

/// The Blackman window, as `torch.signal.windows.blackman` (Harris, 1978):
/// `0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_blackman(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = lengths)]
fn signal_windows_blackman(m: i64, sym: bool, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.cosines("signal_windows_blackman", &BLACKMAN)
}

/// The cosine window, as `torch.signal.windows.cosine` (Harris, 1978):
/// `sin(pi (n + 0.5) / (N + 1))`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_cosine(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = lengths)]
fn signal_windows_cosine(m: i64, sym: bool, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }
        .make("signal_windows_cosine", |position, last| (PI * (position + 0.5) / (last + 1.0)).sin())
}

/// The Gaussian window, as `torch.signal.windows.gaussian` (Harris, 1978):
/// `exp(-((n - N / 2) / std)^2 / 2)`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_gaussian(int M, *, float std=1.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = || samples::calls([vec![samples::int(7), samples::float(1.5)], vec![samples::int(6), samples::float(0.7), samples::flag(false)]]))]
fn signal_windows_gaussian(
    m: i64,
    std: f64,
    sym: bool,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }
        .make("signal_windows_gaussian", |position, last| (-0.5 * ((position - last / 2.0) / std).powi(2)).exp())
}

/// A sum of cosines with alternating signs, as `torch.signal.windows.general_cosine`:
/// `a[0] - a[1] cos(2 pi n / N) + a[2] cos(4 pi n / N) - ...`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_general_cosine(int M, float[] a, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = || samples::calls([vec![samples::int(7), samples::floats(&[0.5, 0.3, 0.2])]]))]
fn signal_windows_general_cosine(
    m: i64,
    a: &[f64],
    sym: bool,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.cosines("signal_windows_general_cosine", a)
}

/// The generalized Hamming window, as `torch.signal.windows.general_hamming`:
/// `alpha - (1 - alpha) cos(2 pi n / N)`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_general_hamming(int M, *, float alpha=0.54, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = || samples::calls([vec![samples::int(7), samples::float(1.5)], vec![samples::int(6), samples::float(0.7), samples::flag(false)]]))]
fn signal_windows_general_hamming(
    m: i64,
    alpha: f64,
    sym: bool,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.cosines("signal_windows_general_hamming", &[alpha, 1.0 - alpha])
}

/// The Hamming window, as `torch.signal.windows.hamming` (Harris, 1978):
/// `0.54 - 0.46 cos(2 pi n / N)`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_hamming(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = lengths)]
fn signal_windows_hamming(m: i64, sym: bool, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.cosines("signal_windows_hamming", &[0.54, 0.46])
}

/// The Hann window, as `torch.signal.windows.hann` (Harris, 1978): `0.5 - 0.5 cos(2 pi n / N)`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_hann(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = lengths)]
fn signal_windows_hann(m: i64, sym: bool, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.cosines("signal_windows_hann", &[0.5, 0.5])
}

/// The Kaiser window, as `torch.signal.windows.kaiser` (Kaiser, 1974):
/// `I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta)`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`. `I0` is the
/// modified Bessel function of the first kind and order 0.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64;
/// `argument` if `beta` is negative.
#[op(composite, "signal_windows_kaiser(int M, *, float beta=12.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = || samples::calls([vec![samples::int(7), samples::float(1.5)], vec![samples::int(6), samples::float(0.7), samples::flag(false)]]))]
fn signal_windows_kaiser(
    m: i64,
    beta: f64,
    sym: bool,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.kaiser("signal_windows_kaiser", beta)
}

/// The Nuttall window, as `torch.signal.windows.nuttall` (Nuttall, 1981): the sum of cosines
/// [`signal_windows_general_cosine`](Tensor::signal_windows_general_cosine) with
/// `a = [0.3635819, 0.4891775, 0.1365995, 0.0106411]`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64.
#[op(composite, "signal_windows_nuttall(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor", samples = lengths)]
fn signal_windows_nuttall(m: i64, sym: bool, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    Window { length: m, symmetric: sym, dtype, device }.cosines("signal_windows_nuttall", &NUTTALL)
}

/// The exponential window, as `torch.signal.windows.exponential` (Harris, 1978):
/// `exp(-|n - center| / tau)`.
///
/// The result is `[M]`, float32 or `dtype`; `N` is `M - 1`, or `M` without `sym`. `center` is
/// `N / 2` where it is not given.
///
/// Errors: `shape` if `M` is negative; `dtype` if `dtype` is neither float32 nor float64;
/// `argument` if `tau` is not positive or `center` is given together with `sym`.
#[op(
    composite,
    "signal_windows_exponential(int M, *, float? center=None, float tau=1.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::int(7)],
        vec![samples::int(6), samples::float(1.0), samples::float(2.0), samples::flag(false)],
    ])
)]
fn signal_windows_exponential(
    m: i64,
    center: Option<f64>,
    tau: f64,
    sym: bool,
    dtype: Option<DType>,
    device: Option<&Device>,
) -> Result<Tensor> {
    let op = "signal_windows_exponential";
    if tau <= 0.0 || (sym && center.is_some()) {
        return Err(Error::argument(
            op,
            format!("takes a positive tau, not {tau}, and a center only where it is not symmetric"),
        ));
    }
    Window { length: m, symmetric: sym, dtype, device }
        .make(op, |position, last| (-(position - center.unwrap_or(last / 2.0)).abs() / tau).exp())
}

pub(crate) static OPS: &[&Op] = &[
    &HANN_WINDOW,
    &HAMMING_WINDOW,
    &BLACKMAN_WINDOW,
    &BARTLETT_WINDOW,
    &KAISER_WINDOW,
    &SIGNAL_WINDOWS_BARTLETT,
    &SIGNAL_WINDOWS_BLACKMAN,
    &SIGNAL_WINDOWS_COSINE,
    &SIGNAL_WINDOWS_GAUSSIAN,
    &SIGNAL_WINDOWS_GENERAL_COSINE,
    &SIGNAL_WINDOWS_GENERAL_HAMMING,
    &SIGNAL_WINDOWS_HAMMING,
    &SIGNAL_WINDOWS_HANN,
    &SIGNAL_WINDOWS_KAISER,
    &SIGNAL_WINDOWS_NUTTALL,
    &SIGNAL_WINDOWS_EXPONENTIAL,
];
