//! Padding and cropping. Constant padding is an operand with a value for out-of-bounds reads; the
//! other modes are an `index_select`.

use crate::{
    Choice, Error, Ints, PadMode, Result, Scalar, Tensor,
    autograd::{Derivative, attach},
    ops::{Op, leaf::view::load},
    samples,
    scalar::ScalarParam,
};
use lanthorn_ir::{
    Layout, Shape,
    expr::Constant,
    kernel::{BoundedIndex, Operand},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The number of elements added before and after a dimension; negative numbers remove elements.
#[derive(Clone, Copy, Default)]
struct Ends {
    before: i64,
    after: i64,
}

/// The padding of every dimension, from the argument, which lists the last dimension first.
fn ends(x: &Tensor, pad: &[i64]) -> Result<Vec<Ends>> {
    if !pad.len().is_multiple_of(2) || pad.len() > 2 * x.rank() {
        let message =
            format!("takes two numbers a dimension, from the last on; {pad:?} does not fit shape {}", x.shape());
        return Err(Error::argument("pad", message));
    }
    let mut ends = vec![Ends::default(); x.rank()];
    for (end, pair) in ends.iter_mut().rev().zip(pad.chunks_exact(2)) {
        *end = Ends { before: pair[0], after: pair[1] };
    }
    Ok(ends)
}

/// `x` reduced to the range (start, size) that is given for each dimension.
fn crop(x: &Tensor, kept: impl Iterator<Item = (i64, i64)>) -> Result<Tensor> {
    kept.enumerate().try_fold(x.clone(), |x, (d, (start, size))| {
        if size == x.shape()[d] as i64 { Ok(x) } else { x.narrow(d as i64, start, size) }
    })
}

/// The range (start, size) of each dimension that negative padding leaves.
fn kept_parts(x: &Tensor, ends: &[Ends]) -> impl Iterator<Item = (i64, i64)> {
    ends.iter().zip(x.shape().iter()).map(|(ends, &size)| {
        let start = (-ends.before).max(0);
        (start, size as i64 - start + ends.after.min(0))
    })
}

/// `x` padded with the constant `value`.
fn constant(x: &Tensor, ends: &[Ends], value: Constant) -> Result<Tensor> {
    let sizes: Vec<i64> = x
        .shape()
        .iter()
        .zip(ends)
        .map(|(&size, ends)| (size as i64).saturating_add(ends.before).saturating_add(ends.after))
        .collect();
    if sizes.iter().any(|&size| size < 0) {
        return Err(Error::shape("pad", format!("nothing is left of shape {}: {sizes:?}", x.shape())));
    }
    let shape = Shape::new("pad", &sizes)?;
    let x = crop(x, kept_parts(x, ends))?;
    let grown: Vec<usize> = ends.iter().map(|ends| ends.before.max(0) as usize).collect();
    if x.shape() == &shape {
        return Ok(x);
    }
    let changes = |d: usize| x.shape()[d] != shape[d];
    let window = |d: usize| BoundedIndex {
        steps: (0..shape.rank()).map(|other| isize::from(other == d)).collect(),
        start: -(grown[d] as isize),
        divisor: 1,
        size: x.shape()[d],
        stride: x.stride()[d],
    };
    let strides = x.stride().iter().enumerate().map(|(d, &stride)| if changes(d) { 0 } else { stride });
    let layout = Layout::new(shape.clone(), strides, x.storage_offset());
    let windows = (0..shape.rank()).filter(|&d| changes(d)).map(window).collect();
    let output = load("pad", &x, Operand { bounded: windows, outside: value, ..Operand::new(x.dtype(), layout) });
    let from = x.shape().clone();
    let derivative: Derivative = Rc::new(move |grad, _| {
        let inner = grown.iter().zip(from.iter()).map(|(&start, &size)| (start as i64, size as i64));
        Ok(vec![Some(crop(grad, inner)?)])
    });
    attach("pad", &output, &[&x], &[], derivative);
    Ok(output)
}

/// `x` padded with its own elements. `position` maps indices that may be outside of `0..size` to
/// indices inside of it.
fn from_itself(x: &Tensor, ends: &[Ends], position: impl Fn(&Tensor, i64) -> Result<Tensor>) -> Result<Tensor> {
    ends.iter().enumerate().filter(|(_, ends)| ends.before != 0 || ends.after != 0).try_fold(
        x.clone(),
        |x, (d, ends)| {
            let size = x.shape()[d] as i64;
            let indices = Tensor::arange_with(-ends.before, size + ends.after, 1, None, Some(x.device()))
                .map_err(|error| error.in_op("pad"))?;
            x.index_select(d as i64, &position(&indices, size)?)
        },
    )
}

/// `self` with elements added or removed at the ends of its dimensions, as
/// `torch.nn.functional.pad`.
///
/// `pad` is a list of pairs (before, after), for the last dimension first; a negative number
/// removes elements. `mode` is `"constant"` (`value`, by default 0), `"reflect"` (mirrored at the
/// edge elements), `"replicate"` (the edge elements repeated) or `"circular"`.
///
/// Shapes: a padded dimension of size `n` becomes `before + n + after`.
///
/// Errors: `argument` if `pad` has an odd number of elements or more pairs than `self` has
/// dimensions, if `mode` is another string, or if `value` is given for another mode than
/// `"constant"`; `shape` if the padding is larger than the mode allows: `n - 1` for `"reflect"`,
/// `n` for `"circular"`. Removing more elements than a dimension has is a `shape` error for
/// `"constant"`, an `index` error for `"circular"`, and else an `argument` error.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{PadMode, Tensor};
/// let x = Tensor::arange(0, 4, 1)?;
/// assert_eq!(pollster::block_on(x.pad([1, 2], PadMode::Constant, None)?.to_vec::<i32>())?, [0, 0, 1, 2, 3, 0, 0]);
/// assert_eq!(pollster::block_on(x.pad([2, 1], PadMode::Reflect, None)?.to_vec::<i32>())?, [2, 1, 0, 1, 2, 3, 2]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "pad(Tensor self, int[] pad, str{constant|reflect|replicate|circular} mode=\"constant\", Scalar? value=None) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[4, 5]), samples::ints(&[1, 2])],
            vec![x(&[2, 3, 4]), samples::ints(&[0, 1, 2, 0]), samples::text("constant"), samples::float(0.5)],
            vec![x(&[4, 5]), samples::ints(&[-1, 2, 1, -2])],
            vec![samples::tensor(&[5], crate::DType::I32, -9.0, 9.0), samples::ints(&[2, 2]), samples::text("constant"), samples::int(7)],
            vec![x(&[2, 4, 5]), samples::ints(&[2, 3, 3, 1]), samples::text("reflect")],
            vec![x(&[2, 4, 5]), samples::ints(&[2, 7, 3, 1]), samples::text("replicate")],
            vec![x(&[2, 4, 5]), samples::ints(&[2, 5, 3, 1]), samples::text("circular")],
        ])
    }
)]
fn pad(x: &Tensor, pad: &Ints, mode: PadMode, value: Option<Scalar>) -> Result<Tensor> {
    let ends = ends(x, pad)?;
    if mode == PadMode::Constant {
        let value = value.unwrap_or(Scalar::Int(0));
        if !value.fits(x.dtype()) {
            return Err(value.misfit("pad", x.dtype()));
        }
        return constant(x, &ends, value.constant(x.dtype().into()).stored(x.dtype()));
    }
    if value.is_some_and(|value| value.to_f64() != 0.0) {
        return Err(Error::argument("pad", format!("mode {:?} takes no value but 0", mode.name())));
    }
    // The largest padding of a dimension of this size.
    let most = |size: usize| match mode {
        PadMode::Reflect => size as i64 - 1,
        PadMode::Circular => size as i64,
        _ if size > 0 => i64::from(i32::MAX),
        _ => 0,
    };
    for (&size, ends) in x.shape().iter().zip(&ends) {
        if ends.before.max(ends.after) > most(size).max(0) {
            return Err(Error::shape(
                "pad",
                format!("{:?} reaches too far for mode {:?} and shape {}", &pad[..], mode.name(), x.shape()),
            ));
        }
    }
    if mode == PadMode::Circular {
        // Removed elements do not reappear at the other end.
        let x = crop(x, kept_parts(x, &ends))?;
        let ends: Vec<Ends> =
            ends.iter().map(|ends| Ends { before: ends.before.max(0), after: ends.after.max(0) }).collect();
        return from_itself(&x, &ends, |indices, size| indices.remainder(size));
    }
    from_itself(x, &ends, |indices, size| match mode {
        // Reflected at 0, then at the last index.
        PadMode::Reflect => indices.abs()?.neg()?.add(size - 1)?.abs()?.neg()?.add(size - 1),
        _ => indices.clamp_min(0)?.clamp_max(size - 1),
    })
}

/// [`pad`](Tensor::pad) with mode `"constant"`.
///
/// Errors: as of [`pad`](Tensor::pad).
#[op(
    composite,
    "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
    samples = || samples::calls([vec![samples::real(&[2, 3, 4], -2.0, 2.0), samples::ints(&[0, 1, -1, 1]), samples::float(0.5)]])
)]
fn constant_pad_nd(x: &Tensor, pad: &Ints, value: Scalar) -> Result<Tensor> {
    x.pad(pad, PadMode::Constant, Some(value)).map_err(|error| error.in_op("constant_pad_nd"))
}

pub(crate) static OPS: &[&Op] = &[&PAD, &CONSTANT_PAD_ND];
