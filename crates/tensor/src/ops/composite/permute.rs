//! Elements in another order: permuted dimensions, rotations, rolls and shuffles.

use crate::{Error, Result, Tensor, ops::Op, samples, scalar::Ints};
use lanthorn_macros::op;

/// A view with the dimensions `source` moved to the positions `destination`, as `torch.movedim`;
/// the other dimensions keep their order.
///
/// Errors: `argument` if the lists have different lengths or name a dimension twice; `index` if a
/// dimension is out of range.
#[op(
    composite,
    "movedim(Tensor self, int[] source, int[] destination) -> Tensor",
    aliases = ["moveaxis"],
    samples = || samples::calls([
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(0), samples::int(-1)],
        vec![samples::real(&[2, 3, 4, 1], -2.0, 2.0), samples::ints(&[0, -2]), samples::ints(&[2, 0])],
    ])
)]
fn movedim(x: &Tensor, source: &Ints, destination: &Ints) -> Result<Tensor> {
    if source.len() != destination.len() {
        let message =
            format!("takes as many positions as dimensions, not {:?} for {:?}", &destination[..], &source[..]);
        return Err(Error::argument("movedim", message));
    }
    let positions = |dims: &[i64]| {
        let mut positions = Vec::with_capacity(dims.len());
        for &dim in dims {
            let position = x.shape().dim("movedim", dim)?;
            if positions.contains(&position) {
                return Err(Error::argument("movedim", format!("dimension {dim} appears twice in {dims:?}")));
            }
            positions.push(position);
        }
        Ok(positions)
    };
    let (from, to) = (positions(source)?, positions(destination)?);
    let mut rest = (0..x.rank()).filter(|d| !from.contains(d));
    let order = (0..x.rank()).filter_map(|position| match to.iter().position(|&to| to == position) {
        Some(moved) => Some(from[moved] as i64),
        None => rest.next().map(|d| d as i64),
    });
    x.permute(order.collect::<Vec<_>>())
}

/// A view with the dimensions in reverse order, `x.T` in PyTorch: `[a, b, c]` becomes `[c, b, a]`.
#[op(
    composite,
    "numpy_T(Tensor self) -> Tensor",
    method = numpy_t,
    aliases = ["T"],
    samples = || samples::calls([vec![samples::real(&[2, 3], -2.0, 2.0)], vec![samples::real(&[2, 3, 4], -2.0, 2.0)]])
)]
fn numpy_t(x: &Tensor) -> Result<Tensor> {
    x.permute((0..x.rank() as i64).rev().collect::<Vec<_>>())
}

/// A view with the last two dimensions swapped, as `torch.Tensor.mT`: `[*, n, m]` becomes `[*, m,
/// n]`.
///
/// Errors: `shape` if `self` has fewer than two dimensions.
#[op(
    composite,
    "mT(Tensor self) -> Tensor",
    method = mt,
    aliases = ["mH", "adjoint"],
    samples = || samples::calls([vec![samples::real(&[2, 3], -2.0, 2.0)], vec![samples::real(&[2, 3, 4], -2.0, 2.0)]])
)]
fn mt(x: &Tensor) -> Result<Tensor> {
    if x.rank() < 2 {
        return Err(Error::shape("mT", format!("takes a matrix or several, not shape {}", x.shape())));
    }
    x.transpose(-2, -1)
}

/// The conjugate transpose of a matrix, `x.H` in PyTorch, which for real numbers is the transpose.
///
/// `self: [n, m]`; the result is `[m, n]`, a view. A 0-d tensor is returned as it is.
///
/// Errors: `shape` if `self` has another number of dimensions than 2 or 0.
#[op(
    composite,
    "matrix_H(Tensor self) -> Tensor",
    method = matrix_h,
    aliases = ["H"],
    samples = || samples::calls([vec![samples::real(&[2, 3], -2.0, 2.0)]])
)]
fn matrix_h(x: &Tensor) -> Result<Tensor> {
    match x.rank() {
        0 => Ok(x.clone()),
        2 => x.transpose(0, 1),
        _ => Err(Error::shape("matrix_H", format!("takes a matrix, not shape {}; use mH", x.shape()))),
    }
}

/// The elements in reverse order along dimension 1, as `torch.fliplr`.
///
/// Errors: `shape` if `self` has fewer than two dimensions.
#[op(composite, "fliplr(Tensor self) -> Tensor", samples = || samples::calls([vec![samples::real(&[2, 3], -2.0, 2.0)]]))]
fn fliplr(x: &Tensor) -> Result<Tensor> {
    if x.rank() < 2 {
        return Err(Error::shape("fliplr", format!("takes at least 2 dimensions, not shape {}", x.shape())));
    }
    x.flip(1)
}

/// The elements in reverse order along dimension 0, as `torch.flipud`.
///
/// Errors: `shape` if `self` is 0-d.
#[op(composite, "flipud(Tensor self) -> Tensor", samples = || samples::calls([vec![samples::real(&[3, 2], -2.0, 2.0)]]))]
fn flipud(x: &Tensor) -> Result<Tensor> {
    if x.rank() == 0 {
        return Err(Error::shape("flipud", "takes at least 1 dimension, not a 0-d tensor"));
    }
    x.flip(0)
}

/// The tensor rotated by `k` right angles in the plane of two dimensions, from the first of `dims`
/// towards the second, as `torch.rot90`.
///
/// For odd `k` the result has the two sizes swapped. A negative `k` rotates the other way.
///
/// Errors: `argument` if `dims` does not name two different dimensions; `index` if one is out of
/// range.
#[op(
    composite,
    "rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 3], -2.0, 2.0)],
        vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::int(-5), samples::ints(&[1, -1])],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(2)],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(4)],
    ])
)]
fn rot90(x: &Tensor, k: i64, dims: &Ints) -> Result<Tensor> {
    let &[from, to] = &dims[..] else {
        return Err(Error::argument("rot90", format!("takes two dimensions, not {:?}", &dims[..])));
    };
    let (a, b) = (x.shape().dim("rot90", from)?, x.shape().dim("rot90", to)?);
    if x.rank() < 2 || a == b {
        let message = format!("takes two different dimensions, not {:?} of shape {}", &dims[..], x.shape());
        return Err(Error::argument("rot90", message));
    }
    match k.rem_euclid(4) {
        1 => x.flip(to)?.transpose(from, to),
        2 => x.flip([from, to]),
        3 => x.flip(from)?.transpose(from, to),
        _ => x.clone_tensor(),
    }
}

/// The elements shifted by `shifts` along `dims`, with wrap-around, as `torch.roll`.
///
/// The result has the shape of `self`. Without `dims`, one shift is applied to the flattened
/// tensor.
///
/// Errors: `argument` if there are not as many shifts as dimensions; `index` if a dimension is out
/// of range or `self` is 0-d.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// assert_eq!(pollster::block_on(Tensor::arange(0, 4, 1)?.roll(1, [])?.to_vec::<i32>())?, [3, 0, 1, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "roll(Tensor self, int[] shifts, int[] dims=[]) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[4, 3], -2.0, 2.0), samples::int(2)],
        vec![samples::real(&[4, 3], -2.0, 2.0), samples::ints(&[1, -7]), samples::ints(&[0, -1])],
        vec![samples::real(&[0, 3], -2.0, 2.0), samples::int(1), samples::int(0)],
        vec![samples::real(&[], -2.0, 2.0), samples::int(5)],
    ])
)]
fn roll(x: &Tensor, shifts: &Ints, dims: &Ints) -> Result<Tensor> {
    if dims.is_empty() && shifts.len() == 1 {
        return roll_along(&x.reshape([-1])?, shifts[0], 0)?.reshape(x.shape());
    }
    if dims.len() != shifts.len() || shifts.is_empty() {
        let message = format!("takes as many shifts as dimensions, not {:?} for {:?}", &shifts[..], &dims[..]);
        return Err(Error::argument("roll", message));
    }
    if x.rank() == 0 {
        return Err(Error::index("roll", format!("a 0-d tensor has no dimension {}", dims[0])));
    }
    shifts.iter().zip(dims.iter()).try_fold(x.clone(), |x, (&shift, &dim)| roll_along(&x, shift, dim))
}

fn roll_along(x: &Tensor, shift: i64, dim: i64) -> Result<Tensor> {
    let size = x.shape()[x.shape().dim("roll", dim)?] as i64;
    let shift = if size == 0 { 0 } else { shift.rem_euclid(size) };
    if shift == 0 {
        return x.clone_tensor();
    }
    Tensor::cat(&[x.narrow(dim, size - shift, shift)?, x.narrow(dim, 0, size - shift)?], dim)
}

/// The size of each of `parts` equal parts.
fn divide(op: &str, what: &str, size: i64, parts: i64) -> Result<i64> {
    if parts > 0 && size % parts == 0 {
        return Ok(size / parts);
    }
    Err(Error::shape(op, format!("{what} {size} does not part into {parts}")))
}

/// The channels of `groups` groups interleaved, as `torch.nn.functional.channel_shuffle` (Zhang et
/// al., "ShuffleNet", 2018).
///
/// `self: [N, C, *]`; the result has the same shape, and its channel `i * groups + g` is channel
/// `g * (C / groups) + i` of `self`.
///
/// Errors: `shape` if `self` has fewer than three dimensions or `groups` does not divide `C`.
#[op(
    composite,
    "channel_shuffle(Tensor self, int groups) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[2, 6, 2], -2.0, 2.0), samples::int(3)]])
)]
fn channel_shuffle(x: &Tensor, groups: i64) -> Result<Tensor> {
    if x.rank() < 3 {
        return Err(Error::shape("channel_shuffle", format!("takes [N, C, ...], not shape {}", x.shape())));
    }
    let sizes = x.shape().to_i64();
    let channels = divide("channel_shuffle", "the number of channels", sizes[1], groups)?;
    x.reshape([&[sizes[0], groups, channels], &sizes[2..]].concat())?.transpose(1, 2)?.reshape(sizes)
}

/// Moves blocks of channels to spatial positions, as `torch.nn.functional.pixel_shuffle` (Shi et
/// al., "Real-Time Single Image and Video Super-Resolution Using an Efficient Sub-Pixel
/// Convolutional Neural Network", 2016).
///
/// `self: [*, C * r * r, H, W]` becomes `[*, C, H * r, W * r]`, where `r` is `upscale_factor`.
///
/// Errors: `shape` if `self` has fewer than three dimensions or `r * r` does not divide its
/// channels.
#[op(
    composite,
    "pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[1, 8, 2, 3], -2.0, 2.0), samples::int(2)],
        vec![samples::real(&[4, 1, 2], -2.0, 2.0), samples::int(1)],
    ])
)]
fn pixel_shuffle(x: &Tensor, upscale_factor: i64) -> Result<Tensor> {
    let (op, r, sizes) = ("pixel_shuffle", upscale_factor, x.shape().to_i64());
    let [lead @ .., channels, height, width] = &sizes[..] else {
        return Err(Error::shape(op, format!("takes [*, C, H, W], not shape {}", x.shape())));
    };
    let channels = divide(op, "the number of channels", divide(op, "the number of channels", *channels, r)?, r)?;
    let n = lead.len() as i64;
    let order = (0..n).chain([n, n + 3, n + 1, n + 4, n + 2]).collect::<Vec<_>>();
    let parts = x.reshape([lead, &[channels, r, r, *height, *width]].concat())?;
    parts.permute(order)?.reshape([lead, &[channels, height * r, width * r]].concat())
}

/// The inverse of [`pixel_shuffle`](Tensor::pixel_shuffle), as
/// `torch.nn.functional.pixel_unshuffle`.
///
/// `self: [*, C, H * r, W * r]` becomes `[*, C * r * r, H, W]`, where `r` is `downscale_factor`.
///
/// Errors: `shape` if `self` has fewer than three dimensions or `r` does not divide height and
/// width.
#[op(
    composite,
    "pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[1, 2, 4, 6], -2.0, 2.0), samples::int(2)],
        vec![samples::real(&[4, 1, 2], -2.0, 2.0), samples::int(1)],
    ])
)]
fn pixel_unshuffle(x: &Tensor, downscale_factor: i64) -> Result<Tensor> {
    let (op, r, sizes) = ("pixel_unshuffle", downscale_factor, x.shape().to_i64());
    let [lead @ .., channels, height, width] = &sizes[..] else {
        return Err(Error::shape(op, format!("takes [*, C, H, W], not shape {}", x.shape())));
    };
    let (height, width) = (divide(op, "the height", *height, r)?, divide(op, "the width", *width, r)?);
    let n = lead.len() as i64;
    let order = (0..n).chain([n, n + 2, n + 4, n + 1, n + 3]).collect::<Vec<_>>();
    let parts = x.reshape([lead, &[*channels, height, r, width, r]].concat())?;
    parts.permute(order)?.reshape([lead, &[channels * r * r, height, width]].concat())
}

pub(crate) static OPS: &[&Op] = &[
    &MOVEDIM,
    &NUMPY_T,
    &MT,
    &MATRIX_H,
    &FLIPLR,
    &FLIPUD,
    &ROT90,
    &ROLL,
    &CHANNEL_SHUFFLE,
    &PIXEL_SHUFFLE,
    &PIXEL_UNSHUFFLE,
];
