//! [`associative_scan`].

use super::{
    check_alike,
    scan::{axis_of, length_along},
};
use crate::{
    Error, Result, Tensor,
    func::{VmapOptions, vmap},
};

/// The arguments of the function of an [`associative_scan`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CombineMode {
    /// Many elements at once, along dimension 0: the function has pointwise operations only.
    #[default]
    Pointwise,
    /// One element: the function may have any operations, and runs within `vmap`.
    Generic,
}

/// Options of [`associative_scan`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssociativeScanOptions {
    /// Whether the last slice is the first.
    pub reverse: bool,
    /// The arguments of the function.
    pub combine_mode: CombineMode,
}

/// All prefixes of slices, combined by an associative function, as
/// `torch._higher_order_ops.associative_scan`: result `i` along `dim` is the combination of slices
/// 0 to `i`.
///
/// `combine_fn` gets two elements, each a slice of every tensor of `xs`, and returns their
/// combination in the same shapes and types. It is called twice for each doubling of the number of
/// slices, on many elements at once, and combines less than twice as many pairs as there are
/// slices. The results have the shapes of `xs`. All of it is operations, with their derivatives;
/// gradients go to captured tensors, too.
///
/// # Errors
///
/// `argument` without tensors, and if the function returns another number of them; `index` if one
/// of `xs` does not have `dim`; `shape` if sizes along `dim` differ; `shape` or `dtype` if the
/// function's result is unlike its arguments; the errors of the function.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, control::associative_scan};
/// // The states of h = a h + b, for every step at once.
/// let a = Tensor::from_slice(&[0.5f32, 0.5, 0.5], [3], &device)?;
/// let b = Tensor::from_slice(&[1.0f32, 2.0, 4.0], [3], &device)?;
/// let then = |x: &[Tensor], y: &[Tensor]| {
///     Ok(vec![x[0].mul(&y[0])?, x[1].mul(&y[0])?.add(&y[1])?])
/// };
/// let states = associative_scan(then, &[a, b], 0, Default::default())?;
/// assert_eq!(pollster::block_on(states[1].to_vec::<f32>())?, [1.0, 2.5, 5.25]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn associative_scan<F>(
    combine_fn: F,
    xs: &[Tensor],
    dim: i64,
    options: AssociativeScanOptions,
) -> Result<Vec<Tensor>>
where
    F: Fn(&[Tensor], &[Tensor]) -> Result<Vec<Tensor>>,
{
    let op = "associative_scan";
    let Some(first) = xs.first() else { return Err(Error::argument(op, "xs holds no tensor")) };
    let axis = axis_of(op, first, dim)?;
    let length = length_along(op, xs, axis)?.unwrap_or(0);
    let turn = |x: Tensor| if options.reverse { x.flip([0]) } else { Ok(x) };
    let front = |x: &Tensor| turn(if axis == 0 { x.clone() } else { x.movedim(axis as i64, 0)? });
    let elements = xs.iter().map(front).collect::<Result<Vec<_>>>()?;
    let combine = |x: &[Tensor], y: &[Tensor]| {
        let found = match options.combine_mode {
            CombineMode::Pointwise => combine_fn(x, y)?,
            CombineMode::Generic => {
                let pairs = |both: &[Tensor]| combine_fn(&both[..x.len()], &both[x.len()..]);
                vmap(pairs, VmapOptions::default())(&[x, y].concat())?
            }
        };
        check_alike(op, ("the combination", "an element"), &found, x)?;
        Ok(found)
    };
    let scanned = prefixes(&combine, elements, length)?;
    let back = |x: Tensor| {
        let x = turn(x)?;
        if axis == 0 { Ok(x) } else { x.movedim(0, axis as i64) }
    };
    scanned.into_iter().map(back).collect()
}

/// A function of two elements.
type Combine<'a> = dyn Fn(&[Tensor], &[Tensor]) -> Result<Vec<Tensor>> + 'a;

/// The prefixes along dimension 0: the prefixes of pairs are every second one of all, and one
/// combination more computes the others (G. E. Blelloch, "Prefix sums and their applications",
/// 1990).
fn prefixes(combine: &Combine<'_>, elements: Vec<Tensor>, length: usize) -> Result<Vec<Tensor>> {
    if length < 2 {
        return Ok(elements);
    }
    let pairs = length / 2;
    let part = |tensors: &[Tensor], start: i64, end: usize, step: i64| {
        tensors.iter().map(|x| x.slice(0, start, end as i64, step)).collect::<Result<Vec<_>>>()
    };
    let (even, odd) = (part(&elements, 0, 2 * pairs, 2)?, part(&elements, 1, 2 * pairs, 2)?);
    let of_pairs = prefixes(combine, combine(&even, &odd)?, pairs)?;
    // The prefixes that end between pairs: the first is the first element.
    let between = length - pairs - 1;
    let first = part(&elements, 0, 1, 1)?;
    let others = match between {
        0 => first,
        _ => {
            let others = combine(&part(&of_pairs, 0, between, 1)?, &part(&elements, 2, length, 2)?)?;
            first
                .into_iter()
                .zip(others)
                .map(|(first, other)| Tensor::cat(&[first, other], 0))
                .collect::<Result<_>>()?
        }
    };
    others.into_iter().zip(of_pairs).map(|(even, odd)| interleave(&even, &odd, pairs)).collect()
}

/// The rows of two tensors, alternating. The first tensor may have one row more.
fn interleave(even: &Tensor, odd: &Tensor, pairs: usize) -> Result<Tensor> {
    let mut shape: Vec<i64> = odd.shape().iter().map(|&size| size as i64).collect();
    shape[0] *= 2;
    let even_rows = even.narrow(0, 0, pairs as i64)?;
    let both = Tensor::stack(&[even_rows, odd.clone()], 1)?.reshape(shape)?;
    match even.shape()[0] > pairs {
        true => Tensor::cat(&[both, even.narrow(0, pairs as i64, 1)?], 0),
        false => Ok(both),
    }
}
