//! Discrete Fourier transforms, as products with small matrices of roots of unity (Cooley and
//! Tukey, 1965).
//!
//! Complex numbers are pairs: a last dimension of size 2 with the real part first, as
//! `torch.view_as_real` returns. Dimensions are counted without it. A transform of length `a * b`
//! is one of length `a` over every `b`-th element, a multiplication by twiddle factors, and one of
//! length `b` over the neighbours. Both transforms are contractions that read their operand through
//! its strides, so they run at the speed of a matrix product, on every backend and with every
//! derivative. A long prime length becomes a convolution (Bluestein, 1970) whose length is a power
//! of two.

use crate::{
    DType, Device, Error, FftNorm, PadMode, Result, Tensor, default_dtype,
    ops::{
        Op,
        composite::like::floating,
        leaf::{
            contract::{Term, contract},
            create::fill,
        },
    },
    samples::{self, Sample, SampleArg},
    scalar::{Ints, OptionalInts},
};
use lanthorn_ir::expr::{Constant, Expr, Type};
use lanthorn_macros::op;
use lanthorn_runtime::Param;

/// The longest transform that is one product. Its matrix has four times the square of the length
/// elements.
const LONGEST_PRODUCT: usize = 64;
/// The longest prime length that is one product.
const LONGEST_PRIME: usize = 512;

/// The direction of a transform: the sign of the exponent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Inverse,
}

impl Direction {
    fn sign(self) -> i32 {
        match self {
            Direction::Forward => -1,
            Direction::Inverse => 1,
        }
    }

    /// The scale of the results, for a transform of `n` elements.
    fn scale(self, norm: Option<FftNorm>, n: usize) -> f64 {
        let n = n as f64;
        match (norm, self) {
            (Some(FftNorm::Ortho), _) => 1.0 / n.sqrt(),
            (Some(FftNorm::Forward), Direction::Inverse) => 1.0,
            (Some(FftNorm::Forward), Direction::Forward) => 1.0 / n,
            (Some(FftNorm::Backward) | None, Direction::Forward) => 1.0,
            (Some(FftNorm::Backward) | None, Direction::Inverse) => 1.0 / n,
        }
    }
}

/// The cosine of `2 pi m / n` plus a number of quarter turns, for int32 expressions with
/// `0 <= m < n`.
///
/// The angle is reduced to the first quadrant in integers, so that long transforms are as exact as
/// short ones.
fn root(m: &Expr, n: &Expr, quarters: &Expr, ty: Type) -> Expr {
    let whole = |value: f64| Expr::constant(value, Type::I32);
    let quarter = m * &whole(4.0) / n;
    let rest = m * &whole(4.0) - &quarter * n;
    let angle = rest.cast(ty) / n.cast(ty) * Expr::constant(std::f64::consts::FRAC_PI_2, ty);
    let turn = (quarter + quarters).remainder(whole(4.0));
    let (sin, cos) = (angle.sin(), angle.cos());
    let even = turn.equal(whole(0.0)).select(&cos, -&cos);
    let odd = turn.equal(whole(3.0)).select(&sin, -&sin);
    turn.remainder(whole(2.0)).equal(whole(0.0)).select(&even, &odd)
}

/// The roots `exp(sign 2 pi i j k / n)` for row j and column k as real 2 x 2 matrices that multiply
/// pairs: shape `[rows, 2, columns, 2]`.
fn roots(rows: usize, columns: usize, n: usize, direction: Direction, dtype: DType, device: &Device) -> Result<Tensor> {
    let (param, two) = (|slot| Expr::param(slot, Type::I32), Expr::constant(2.0, Type::I32));
    let (columns_expr, n_expr, sign) = (param(0), param(1), param(2));
    let index = Expr::index().cast(Type::I32);
    let to = index.remainder(&two);
    let pair = &index / &two;
    let k = pair.remainder(&columns_expr);
    let pair = &pair / &columns_expr;
    let from = pair.remainder(&two);
    let j = &pair / &two;
    let expr = root(&(j * k).remainder(&n_expr), &n_expr, &((from - to) * sign), dtype.into());
    let params = [columns as i32, n as i32, direction.sign()].map(Constant::I32);
    fill("fft", &expr, &params.map(Param::from), &[rows as i64, 2, columns as i64, 2], dtype, Some(device))
}

/// The product of two tensors of pairs, broadcast.
fn multiply(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let part = |x: &Tensor, position| x.narrow(-1, position, 1);
    let [ar, ai, br, bi] = [part(a, 0)?, part(a, 1)?, part(b, 0)?, part(b, 1)?];
    Tensor::cat(&[ar.mul(&br)?.sub(ai.mul(&bi)?)?, ar.mul(&bi)?.add(ai.mul(&br)?)?], -1)
}

/// The transforms of the rows of `x: [batch, n, 2]`.
fn rows(x: &Tensor, direction: Direction) -> Result<Tensor> {
    let (batch, n) = (x.shape()[0] as i64, x.shape()[1]);
    let first = match (1..=LONGEST_PRODUCT).rev().find(|&a| n % a == 0).filter(|&a| a > 1 || n == 1) {
        Some(divisor) => divisor,
        None => (2..).find(|&a| n % a == 0 || a * a > n).filter(|&a| n % a == 0).unwrap_or(n),
    };
    if first > LONGEST_PRIME {
        return convolve(x, direction);
    }
    let rest = n / first;
    const BATCH: usize = 0;
    const EVERY: usize = 1;
    const NEIGHBOUR: usize = 2;
    const PART: usize = 3;
    const RESULT: usize = 4;
    const RESULT_PART: usize = 5;
    let x =
        Term { tensor: x.reshape([batch, first as i64, rest as i64, 2])?, names: vec![BATCH, EVERY, NEIGHBOUR, PART] };
    let matrix = roots(first, first, first, direction, x.tensor.dtype(), x.tensor.device())?;
    let matrix = Term { tensor: matrix, names: vec![EVERY, PART, RESULT, RESULT_PART] };
    let product = contract("fft", &x, &matrix, &[BATCH, RESULT, NEIGHBOUR, RESULT_PART])?;
    if rest == 1 {
        return product.reshape([batch, n as i64, 2]);
    }
    // The twiddle factors are pairs: the first rows of the roots are their real and imaginary
    // parts.
    let turns = roots(first, rest, n, direction, product.dtype(), product.device())?.select(1, 0)?;
    let turned = multiply(&product, &turns)?.reshape([batch * first as i64, rest as i64, 2])?;
    let parts = rows(&turned, direction)?.reshape([batch, first as i64, rest as i64, 2])?;
    parts.transpose(1, 2)?.reshape([batch, n as i64, 2])
}

/// [`rows`] for a long prime length: with `w = exp(sign pi i / n)`, the identity
/// `jk = (j^2 + k^2 - (k - j)^2) / 2` makes the transform a convolution with `1 / w^(j^2)`.
fn convolve(x: &Tensor, direction: Direction) -> Result<Tensor> {
    let n = x.shape()[1];
    let padded = (2 * n - 1).next_power_of_two();
    let chirp = |j: usize, sign: f64| {
        // j^2 modulo 2n, the period of the angle; n is below 2^31, so that its square fits.
        let turned = (j as u64 * j as u64 % (2 * n as u64)) as f64;
        let angle = sign * std::f64::consts::PI * turned / n as f64;
        [angle.cos(), angle.sin()]
    };
    let table = |values: Vec<f64>, length: usize| -> Result<Tensor> {
        Tensor::from_bytes(x.dtype(), &samples::to_bytes(&values, x.dtype()), [1, length as i64, 2], x.device())
    };
    let sign = f64::from(direction.sign());
    let chirps = table((0..n).flat_map(|j| chirp(j, sign)).collect(), n)?;
    let mut kernel = vec![0.0; 2 * padded];
    for j in 0..n {
        let [re, im] = chirp(j, -sign);
        for position in [j, (padded - j) % padded] {
            (kernel[2 * position], kernel[2 * position + 1]) = (re, im);
        }
    }
    let kernel = rows(&table(kernel, padded)?, Direction::Forward)?;
    let signal = multiply(x, &chirps)?.pad([0, 0, 0, (padded - n) as i64], PadMode::Constant, None)?;
    let product = multiply(&rows(&signal, Direction::Forward)?, &kernel)?;
    let convolved = rows(&product, Direction::Inverse)?.div(padded as f64)?;
    multiply(&convolved.narrow(1, 0, n as i64)?, &chirps)
}

/// One transform of pairs along dimension `dim`, without scaling.
fn along(x: &Tensor, dim: usize, direction: Direction) -> Result<Tensor> {
    let last = x.rank() as i64 - 2;
    let moved = x.transpose(dim as i64, last)?;
    let shape = moved.shape().to_i64();
    let n = shape[shape.len() - 2];
    let flat = moved.reshape([-1, n, 2])?;
    rows(&flat, direction)?.reshape(shape)?.transpose(dim as i64, last)
}

/// `x` with dimension `dim` truncated or padded with zeros to `size`.
fn resize(x: &Tensor, dim: usize, size: usize) -> Result<Tensor> {
    let now = x.shape()[dim];
    if now == size {
        return Ok(x.clone());
    }
    let mut pad = vec![0; 2 * (x.rank() - dim)];
    if let Some(last) = pad.last_mut() {
        *last = size as i64 - now as i64;
    }
    x.pad(pad, PadMode::Constant, None)
}

fn require_pairs(op: &str, x: &Tensor) -> Result<Tensor> {
    if x.rank() < 2 || x.shape()[x.rank() - 1] != 2 {
        let message = format!("complex numbers are pairs, a last dimension of size 2; the shape is {}", x.shape());
        return Err(Error::shape(op, message));
    }
    floating(x)
}

/// Checks the length of a transform: integers in kernels are int32, and the angles are computed
/// from four times a position.
fn require_points(op: &str, n: i64) -> Result<()> {
    if (1..1 << 28).contains(&n) {
        return Ok(());
    }
    Err(Error::shape(op, format!("a transform has from 1 to 2^28 - 1 points, not {n}")))
}

/// The dimensions of a transform and its sizes there, for a tensor with dimensions `shape`.
fn extents(op: &str, shape: &[usize], s: &OptionalInts, dim: Option<&[i64]>) -> Result<Vec<(usize, usize)>> {
    let rank = shape.len() as i64;
    let sizes = s.as_slice();
    let dims: Vec<i64> = match (dim, sizes) {
        (Some(dims), _) => dims.to_vec(),
        (None, Some(sizes)) => (-(sizes.len() as i64)..0).collect(),
        (None, None) => (0..rank).collect(),
    };
    if let Some(sizes) = sizes.filter(|sizes| sizes.len() != dims.len()) {
        return Err(Error::argument(op, format!("{} sizes and {} dimensions were given", sizes.len(), dims.len())));
    }
    let mut found = Vec::with_capacity(dims.len());
    for (position, &dim) in dims.iter().enumerate() {
        if dim < -rank || dim >= rank {
            return Err(Error::argument(
                op,
                format!("there is no dimension {dim} in {shape:?}, counted without the pairs"),
            ));
        }
        let dim = dim.rem_euclid(rank) as usize;
        let size = sizes
            .map_or(shape[dim] as i64, |sizes| if sizes[position] == -1 { shape[dim] as i64 } else { sizes[position] });
        require_points(op, size)?;
        if found.iter().any(|&(known, _)| known == dim) {
            return Err(Error::argument(op, format!("dimension {dim} appears twice")));
        }
        found.push((dim, size as usize));
    }
    Ok(found)
}

/// A transform of pairs over several dimensions, scaled.
fn transform(x: &Tensor, extents: &[(usize, usize)], direction: Direction, norm: Option<FftNorm>) -> Result<Tensor> {
    let count = extents.iter().map(|&(_, size)| size).product();
    let mut result = x.clone();
    for &(dim, size) in extents {
        result = along(&resize(&result, dim, size)?, dim, direction)?;
    }
    match direction.scale(norm, count) {
        1.0 => Ok(result),
        scale => result.mul(scale),
    }
}

fn complex(
    op: &str,
    x: &Tensor,
    s: &OptionalInts,
    dim: Option<&[i64]>,
    direction: Direction,
    norm: Option<FftNorm>,
) -> Result<Tensor> {
    let x = require_pairs(op, x)?;
    let extents = extents(op, &x.shape()[..x.rank() - 1], s, dim)?;
    transform(&x, &extents, direction, norm)
}

/// A transform of real numbers, without the redundant half of the spectrum.
fn from_real(
    op: &str,
    x: &Tensor,
    s: &OptionalInts,
    dim: Option<&[i64]>,
    direction: Direction,
    norm: Option<FftNorm>,
) -> Result<Tensor> {
    let x = floating(x)?;
    let extents = extents(op, x.shape(), s, dim)?;
    let Some(&(last, size)) = extents.last() else {
        return Err(Error::argument(op, "at least one dimension must be transformed"));
    };
    let pairs = Tensor::stack(&[x.clone(), x.zeros_like()?], -1)?;
    transform(&pairs, &extents, direction, norm)?.narrow(last as i64, 0, size as i64 / 2 + 1)
}

/// The real numbers of a spectrum, from its non-redundant half.
fn to_real(
    op: &str,
    x: &Tensor,
    s: &OptionalInts,
    dim: Option<&[i64]>,
    direction: Direction,
    norm: Option<FftNorm>,
) -> Result<Tensor> {
    let x = require_pairs(op, x)?;
    let shape = &x.shape()[..x.rank() - 1];
    let mut extents = extents(op, shape, s, dim)?;
    let Some(&(last, size)) = extents.last() else {
        return Err(Error::argument(op, "at least one dimension must be transformed"));
    };
    // Without a size, the number of points is even.
    let size = if s.as_slice().is_none_or(|sizes| sizes.last() == Some(&-1)) { 2 * (shape[last] - 1) } else { size };
    if size < 1 {
        return Err(Error::shape(op, format!("a spectrum of shape {:?} is that of 0 points", shape)));
    }
    extents.pop();
    // The other dimensions come first: the elements removed here are restored by the symmetry
    // below.
    let mut half = resize(&x, last, size / 2 + 1)?;
    for &(dim, size) in &extents {
        half = along(&resize(&half, dim, size)?, dim, direction)?;
    }
    let mirrored = half.narrow(last as i64, 1, (size as i64 - 1) / 2)?.flip([last as i64])?;
    let conjugate = Tensor::cat(&[mirrored.narrow(-1, 0, 1)?, mirrored.narrow(-1, 1, 1)?.neg()?], -1)?;
    let whole = Tensor::cat(&[half, conjugate], last as i64)?;
    let count = extents.iter().map(|&(_, size)| size).product::<usize>() * size;
    along(&whole, last, direction)?.select(-1, 0)?.mul(direction.scale(norm, count))
}

fn one(n: Option<i64>) -> OptionalInts {
    n.map_or_else(|| ().into(), |n| n.into())
}

fn pairs(shape: &[i64]) -> SampleArg {
    samples::real(shape, -2.0, 2.0)
}

fn of_pairs() -> Vec<Sample> {
    samples::calls([
        vec![pairs(&[2, 12, 2])],
        vec![pairs(&[6, 3, 2]), samples::int(8), samples::int(0), samples::text("ortho")],
        vec![pairs(&[70, 2]), samples::int(67), samples::int(-1), samples::text("forward")],
    ])
}

fn of_reals() -> Vec<Sample> {
    samples::calls([
        vec![pairs(&[2, 9])],
        vec![pairs(&[6, 3]), samples::int(8), samples::int(0), samples::text("ortho")],
    ])
}

fn of_planes() -> Vec<Sample> {
    samples::calls([
        vec![pairs(&[2, 4, 6, 2])],
        vec![pairs(&[4, 5, 2]), samples::ints(&[3, 6]), samples::ints(&[0, 1]), samples::text("ortho")],
    ])
}

/// The discrete Fourier transform of complex numbers along `dim`: `X[k]` is the sum over `j` of
/// `x[j] exp(-2 pi i j k / n)`, as `torch.fft.fft`.
///
/// Shapes: `self: [*, m, *, 2]`, `result: [*, n, *, 2]`; the last dimension is the pair of real and
/// imaginary part, and `dim` is counted without it. `self` is truncated or padded with zeros to `n`
/// points, by default `m`. `norm` is `"backward"` (the inverse is scaled by `1/n`; the default),
/// `"ortho"` (both are scaled by `1/sqrt(n)`) or `"forward"` (this transform is scaled by `1/n`).
/// Integers become float32.
///
/// Errors: `shape` if the last dimension is not 2, or `n` is not from 1 to 2^28 - 1; `argument` if
/// `norm` is another string or `dim` does not exist.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 0.0, 2.0, 0.0], [2, 2], &device)?; // 1 and 2
/// assert_eq!(pollster::block_on(x.fft_fft(None, -1, None)?.to_vec::<f32>())?, [3.0, 0.0, -1.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "fft_fft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_pairs)]
fn fft_fft(x: &Tensor, n: Option<i64>, dim: i64, norm: Option<FftNorm>) -> Result<Tensor> {
    complex("fft_fft", x, &one(n), Some(&[dim]), Direction::Forward, norm)
}

/// The inverse of [`fft_fft`](Tensor::fft_fft), as `torch.fft.ifft`.
///
/// Shapes and errors: as of [`fft_fft`](Tensor::fft_fft).
#[op(composite, "fft_ifft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_pairs)]
fn fft_ifft(x: &Tensor, n: Option<i64>, dim: i64, norm: Option<FftNorm>) -> Result<Tensor> {
    complex("fft_ifft", x, &one(n), Some(&[dim]), Direction::Inverse, norm)
}

/// [`fft_fft`](Tensor::fft_fft) over two dimensions, as `torch.fft.fft2`. `s` are the sizes of the
/// transform; -1 keeps the size of `self`.
///
/// Errors: `shape` if the last dimension of `self` is not 2, or a size is not from 1 to 2^28 - 1;
/// `argument` if `norm` is another string, a dimension does not exist or appears twice, or the
/// lists differ in length.
#[op(composite, "fft_fft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_planes)]
fn fft_fft2(x: &Tensor, s: &OptionalInts, dim: &Ints, norm: Option<FftNorm>) -> Result<Tensor> {
    complex("fft_fft2", x, s, Some(dim), Direction::Forward, norm)
}

/// The inverse of [`fft_fft2`](Tensor::fft_fft2), as `torch.fft.ifft2`.
///
/// Errors: as of [`fft_fft2`](Tensor::fft_fft2).
#[op(composite, "fft_ifft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_planes)]
fn fft_ifft2(x: &Tensor, s: &OptionalInts, dim: &Ints, norm: Option<FftNorm>) -> Result<Tensor> {
    complex("fft_ifft2", x, s, Some(dim), Direction::Inverse, norm)
}

/// [`fft_fft`](Tensor::fft_fft) over dimensions `dim`, as `torch.fft.fftn`. Without `dim` over all
/// dimensions, or over the last ones if `s` has their sizes.
///
/// Errors: as of [`fft_fft2`](Tensor::fft_fft2).
#[op(composite, "fft_fftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_planes)]
fn fft_fftn(x: &Tensor, s: &OptionalInts, dim: &OptionalInts, norm: Option<FftNorm>) -> Result<Tensor> {
    complex("fft_fftn", x, s, dim.as_slice(), Direction::Forward, norm)
}

/// The inverse of [`fft_fftn`](Tensor::fft_fftn), as `torch.fft.ifftn`.
///
/// Errors: as of [`fft_fft2`](Tensor::fft_fft2).
#[op(composite, "fft_ifftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_planes)]
fn fft_ifftn(x: &Tensor, s: &OptionalInts, dim: &OptionalInts, norm: Option<FftNorm>) -> Result<Tensor> {
    complex("fft_ifftn", x, s, dim.as_slice(), Direction::Inverse, norm)
}

/// [`fft_fft`](Tensor::fft_fft) of real numbers along `dim`, as `torch.fft.rfft`: the first
/// `n / 2 + 1` results; the others are their conjugates.
///
/// Shapes: `self: [*, m, *]`, `result: [*, floor(n / 2) + 1, *, 2]`.
///
/// Errors: `shape` if `n` is not from 1 to 2^28 - 1; `argument` if `norm` is another string or
/// `dim` does not exist.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [4], &device)?;
/// let spectrum = pollster::block_on(x.fft_rfft(None, -1, None)?.to_vec::<f32>())?;
/// assert!(spectrum.iter().zip([10.0, 0.0, -2.0, 2.0, -2.0, 0.0]).all(|(got, want)| (got - want).abs() < 1e-5));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(composite, "fft_rfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_reals)]
fn fft_rfft(x: &Tensor, n: Option<i64>, dim: i64, norm: Option<FftNorm>) -> Result<Tensor> {
    from_real("fft_rfft", x, &one(n), Some(&[dim]), Direction::Forward, norm)
}

/// The inverse of [`fft_rfft`](Tensor::fft_rfft), as `torch.fft.irfft`.
///
/// Shapes: `self: [*, m, *, 2]`, `result: [*, n, *]` with `n = 2 (m - 1)` by default.
///
/// Errors: `shape` if the last dimension is not 2, or `n` is not from 1 to 2^28 - 1; `argument` if
/// `norm` is another string or `dim` does not exist.
#[op(composite, "fft_irfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_pairs)]
fn fft_irfft(x: &Tensor, n: Option<i64>, dim: i64, norm: Option<FftNorm>) -> Result<Tensor> {
    to_real("fft_irfft", x, &one(n), Some(&[dim]), Direction::Inverse, norm)
}

/// [`fft_rfft`](Tensor::fft_rfft) over two dimensions, as `torch.fft.rfft2`. The last dimension of
/// `dim` becomes `floor(n / 2) + 1`.
///
/// Errors: `shape` if a size is not from 1 to 2^28 - 1; `argument` if `norm` is another string, a
/// dimension does not exist or appears twice, or the lists differ in length.
#[op(
    composite,
    "fft_rfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor",
    samples = || samples::calls([vec![pairs(&[2, 4, 6])], vec![pairs(&[4, 5]), samples::ints(&[3, 6])]])
)]
fn fft_rfft2(x: &Tensor, s: &OptionalInts, dim: &Ints, norm: Option<FftNorm>) -> Result<Tensor> {
    from_real("fft_rfft2", x, s, Some(dim), Direction::Forward, norm)
}

/// The inverse of [`fft_rfft2`](Tensor::fft_rfft2), as `torch.fft.irfft2`.
///
/// Errors: as of [`fft_fft2`](Tensor::fft_fft2).
#[op(composite, "fft_irfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_planes)]
fn fft_irfft2(x: &Tensor, s: &OptionalInts, dim: &Ints, norm: Option<FftNorm>) -> Result<Tensor> {
    to_real("fft_irfft2", x, s, Some(dim), Direction::Inverse, norm)
}

/// [`fft_rfft`](Tensor::fft_rfft) over dimensions `dim`, as `torch.fft.rfftn`. Without `dim` over
/// all dimensions, or over the last ones if `s` has their sizes. The last one becomes
/// `floor(n / 2) + 1`.
///
/// Errors: `argument` also if there is no dimension to transform; otherwise as of
/// [`fft_rfft2`](Tensor::fft_rfft2).
#[op(
    composite,
    "fft_rfftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor",
    samples = || samples::calls([vec![pairs(&[2, 4, 3])]])
)]
fn fft_rfftn(x: &Tensor, s: &OptionalInts, dim: &OptionalInts, norm: Option<FftNorm>) -> Result<Tensor> {
    from_real("fft_rfftn", x, s, dim.as_slice(), Direction::Forward, norm)
}

/// The inverse of [`fft_rfftn`](Tensor::fft_rfftn), as `torch.fft.irfftn`.
///
/// Errors: `argument` also if there is no dimension to transform; otherwise as of
/// [`fft_fft2`](Tensor::fft_fft2).
#[op(
    composite,
    "fft_irfftn(Tensor self, int[]? s=None, int[]? dim=None, str{forward|backward|ortho}? norm=None) -> Tensor",
    samples = || samples::calls([vec![pairs(&[2, 4, 3, 2])]])
)]
fn fft_irfftn(x: &Tensor, s: &OptionalInts, dim: &OptionalInts, norm: Option<FftNorm>) -> Result<Tensor> {
    to_real("fft_irfftn", x, s, dim.as_slice(), Direction::Inverse, norm)
}

/// The transform of a Hermitian signal along `dim` from its non-redundant half, as
/// `torch.fft.hfft`. The results are real.
///
/// Shapes: `self: [*, m, *, 2]`, `result: [*, n, *]` with `n = 2 (m - 1)` by default.
///
/// Errors: as of [`fft_irfft`](Tensor::fft_irfft).
#[op(composite, "fft_hfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_pairs)]
fn fft_hfft(x: &Tensor, n: Option<i64>, dim: i64, norm: Option<FftNorm>) -> Result<Tensor> {
    to_real("fft_hfft", x, &one(n), Some(&[dim]), Direction::Forward, norm)
}

/// The inverse of [`fft_hfft`](Tensor::fft_hfft), as `torch.fft.ihfft`: the non-redundant half of a
/// Hermitian signal.
///
/// Shapes: `self: [*, m, *]`, `result: [*, floor(n / 2) + 1, *, 2]`.
///
/// Errors: as of [`fft_rfft`](Tensor::fft_rfft).
#[op(composite, "fft_ihfft(Tensor self, int? n=None, int dim=-1, str{forward|backward|ortho}? norm=None) -> Tensor", samples = of_reals)]
fn fft_ihfft(x: &Tensor, n: Option<i64>, dim: i64, norm: Option<FftNorm>) -> Result<Tensor> {
    from_real("fft_ihfft", x, &one(n), Some(&[dim]), Direction::Inverse, norm)
}

/// The frequencies of the results of [`fft_fft`](Tensor::fft_fft) for `n` points of distance `d`:
/// `[0, 1, .., -2, -1] / (n d)`, as `torch.fft.fftfreq`.
///
/// Shapes: the result is `[n]`; float32 without `dtype`.
///
/// Errors: `shape` if `n` is not from 1 to 2^28 - 1; `dtype` if the device does not support
/// `dtype`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::fft_fftfreq(4, 1.0)?.to_vec::<f32>())?, [0.0, 0.25, -0.5, -0.25]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "fft_fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::int(5)], vec![samples::int(8), samples::float(0.25)]])
)]
fn fft_fftfreq(n: i64, d: f64, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    require_points("fft_fftfreq", n)?;
    let half = (n + 1) / 2;
    let up = Tensor::arange_with(0, half, 1, Some(DType::I32), device)?;
    let down = Tensor::arange_with(half - n, 0, 1, Some(DType::I32), device)?;
    Tensor::cat(&[up, down], 0)?.to(dtype.unwrap_or_else(default_dtype))?.mul(1.0 / (n as f64 * d))
}

/// The frequencies of the results of [`fft_rfft`](Tensor::fft_rfft) for `n` points of distance `d`,
/// as `torch.fft.rfftfreq`.
///
/// Shapes: the result is `[floor(n / 2) + 1]`; float32 without `dtype`.
///
/// Errors: as of [`fft_fftfreq`](Tensor::fft_fftfreq).
#[op(
    composite,
    "fft_rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = || samples::calls([vec![samples::int(5)], vec![samples::int(8), samples::float(0.25)]])
)]
fn fft_rfftfreq(n: i64, d: f64, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    require_points("fft_rfftfreq", n)?;
    let up = Tensor::arange_with(0, n / 2 + 1, 1, Some(DType::I32), device)?;
    up.to(dtype.unwrap_or_else(default_dtype))?.mul(1.0 / (n as f64 * d))
}

fn shift(op: &str, x: &Tensor, dim: &OptionalInts, amount: impl Fn(i64) -> i64) -> Result<Tensor> {
    let dims = dim.as_slice().map_or_else(|| (0..x.rank() as i64).collect(), <[i64]>::to_vec);
    let mut shifts = Vec::with_capacity(dims.len());
    for &dim in &dims {
        let dim = x.shape().dim(op, dim)?;
        shifts.push(amount(x.shape().get(dim).map_or(1, |&size| size as i64)));
    }
    if dims.is_empty() { Ok(x.clone()) } else { x.roll(shifts, dims) }
}

/// The results of a transform with frequency 0 rolled to the middle of dimensions `dim`, or of all
/// dimensions, as `torch.fft.fftshift`. Pairs count as a dimension here.
///
/// Errors: `index` if a dimension is out of range.
#[op(
    composite,
    "fft_fftshift(Tensor self, int[]? dim=None) -> Tensor",
    samples = || samples::calls([vec![pairs(&[4, 5])], vec![pairs(&[4, 5]), samples::ints(&[1])]])
)]
fn fft_fftshift(x: &Tensor, dim: &OptionalInts) -> Result<Tensor> {
    shift("fft_fftshift", x, dim, |size| size / 2)
}

/// The inverse of [`fft_fftshift`](Tensor::fft_fftshift), as `torch.fft.ifftshift`.
///
/// Errors: as of [`fft_fftshift`](Tensor::fft_fftshift).
#[op(
    composite,
    "fft_ifftshift(Tensor self, int[]? dim=None) -> Tensor",
    samples = || samples::calls([vec![pairs(&[4, 5])], vec![pairs(&[4, 5]), samples::ints(&[1])]])
)]
fn fft_ifftshift(x: &Tensor, dim: &OptionalInts) -> Result<Tensor> {
    shift("fft_ifftshift", x, dim, |size| (size + 1) / 2)
}

pub(crate) static OPS: &[&Op] = &[
    &FFT_FFT,
    &FFT_IFFT,
    &FFT_FFT2,
    &FFT_IFFT2,
    &FFT_FFTN,
    &FFT_IFFTN,
    &FFT_RFFT,
    &FFT_IRFFT,
    &FFT_RFFT2,
    &FFT_IRFFT2,
    &FFT_RFFTN,
    &FFT_IRFFTN,
    &FFT_HFFT,
    &FFT_IHFFT,
    &FFT_FFTFREQ,
    &FFT_RFFTFREQ,
    &FFT_FFTSHIFT,
    &FFT_IFFTSHIFT,
];
