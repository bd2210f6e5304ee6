//! `rearrange`, `reduce`, `repeat` and `einsum`.

use crate::{
    host::{ints, letter, split_text},
    pattern::{ELLIPSIS, Side, anonymous_size, expand_ellipsis, pattern_error, read_pattern, read_side},
    sizes::infer_sizes,
};
use lanthorn_tensor::{Result, Tensor};

/// The reduction of dimensions that are missing on the right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// Their largest element.
    Max,
    /// Their smallest element.
    Min,
    /// Their product.
    Prod,
}

/// A tensor with its dimensions in another order, divided or joined, as `einops.rearrange`.
///
/// A pattern has the names of the dimensions before and after `->`. Parentheses join dimensions
/// into one, `1` is a dimension of size 1, and `...` stands for any dimensions. `axes` has the
/// sizes that do not follow from the shape.
///
/// # Errors
/// `argument` for a pattern that is not well-formed, or has a name on one side only; `shape` if the
/// tensor does not fit.
///
/// ```rust
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, einops::rearrange};
/// let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], [6], &device)?;
/// let columns = rearrange(&x, "(h w) -> w h", &[("h", 2)])?;
/// assert_eq!(columns.shape()[..], [3, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn rearrange(x: &Tensor, pattern: &str, axes: &[(&str, usize)]) -> Result<Tensor> {
    let (left, right) = sides("rearrange", pattern, x.rank())?;
    for name in &left.names {
        check_named("rearrange", pattern, name)?;
        check_both("rearrange", pattern, &right, name)?;
    }
    for name in &right.names {
        check_named("rearrange", pattern, name)?;
        check_both("rearrange", pattern, &left, name)?;
    }
    apply("rearrange", x, pattern, &left, &right, None, axes)
}

/// A tensor whose dimensions that are missing on the right side are reduced, as `einops.reduce`.
///
/// Patterns and `axes`: as of [`rearrange`].
///
/// # Errors
/// `argument` for a pattern that is not well-formed, or has a name on the right side only; `shape`
/// if the tensor does not fit.
///
/// ```rust
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, einops::{Reduction, reduce}};
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [4], &device)?;
/// let pooled = reduce(&x, "(n pair) -> n", Reduction::Max, &[("pair", 2)])?;
/// assert_eq!(pollster::block_on(pooled.to_vec::<f32>())?, [2.0, 4.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn reduce(x: &Tensor, pattern: &str, reduction: Reduction, axes: &[(&str, usize)]) -> Result<Tensor> {
    let (left, right) = sides("reduce", pattern, x.rank())?;
    for name in &right.names {
        check_named("reduce", pattern, name)?;
        check_both("reduce", pattern, &left, name)?;
    }
    apply("reduce", x, pattern, &left, &right, Some(reduction), axes)
}

/// A tensor that is repeated along the dimensions that are on the right side only, as
/// `einops.repeat`.
///
/// Patterns and `axes`: as of [`rearrange`]; a number is a new dimension of this size.
///
/// # Errors
/// `argument` for a pattern that is not well-formed, has a name on the left side only, or a new
/// dimension without a size; `shape` if the tensor does not fit.
///
/// ```rust
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, einops::repeat};
/// let x = Tensor::from_slice(&[1, 2], [2], &device)?;
/// let twice = repeat(&x, "n -> (n copies)", &[("copies", 2)])?;
/// assert_eq!(pollster::block_on(twice.to_vec::<i32>())?, [1, 1, 2, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn repeat(x: &Tensor, pattern: &str, axes: &[(&str, usize)]) -> Result<Tensor> {
    let (left, right) = sides("repeat", pattern, x.rank())?;
    for name in &left.names {
        check_named("repeat", pattern, name)?;
        check_both("repeat", pattern, &right, name)?;
    }
    apply("repeat", x, pattern, &left, &right, None, axes)
}

/// The sum of products by names of dimensions, as `einops.einsum`: names that are missing on the
/// right side are summed over.
///
/// # Errors
/// `argument` for a pattern that is not well-formed, or another number of tensors; `shape` if their
/// sizes differ.
///
/// ```rust
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, einops::einsum};
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [1, 2], &device)?;
/// let y = Tensor::from_slice(&[3.0f32, 4.0], [2, 1], &device)?;
/// let product = einsum(&[x, y], "row inner, inner column -> row column")?;
/// assert_eq!(pollster::block_on(product.item())?, 11.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn einsum(tensors: &[Tensor], pattern: &str) -> Result<Tensor> {
    let parts = split_text(pattern, "->");
    if parts.len() != 2 {
        return Err(pattern_error("einsum", pattern, "needs one '->' between its sides"));
    }
    let inputs = split_text(&parts[0], ",");
    if inputs.len() != tensors.len() {
        let message = format!("is for {} tensors, and {} are given", inputs.len(), tensors.len());
        return Err(pattern_error("einsum", pattern, &message));
    }
    let mut known: Vec<String> = vec![];
    let mut terms: Vec<String> = vec![];
    for input in &inputs {
        terms.push(einsum_term(pattern, input, &known)?);
        for name in read_side("einsum", pattern, input)?.names {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let result = read_side("einsum", pattern, &parts[1])?;
    for name in &result.names {
        if !known.contains(name) {
            return Err(pattern_error("einsum", pattern, &format!("has '{name}' on the right side only")));
        }
    }
    let equation = format!("{}->{}", terms.join(","), einsum_term(pattern, &parts[1], &known)?);
    Tensor::einsum(&equation, tensors)
}

/// The names, and others that are new.
fn extend_names(names: &[String], others: &[String]) -> Vec<String> {
    let mut all = names.to_vec();
    for name in others {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}

/// The letters of a side, by the position of each name among all names so far.
fn einsum_term(pattern: &str, text: &str, known: &[String]) -> Result<String> {
    let side = read_side("einsum", pattern, text)?;
    let all = extend_names(known, &side.names);
    let mut term: Vec<String> = vec![];
    for group in &side.groups {
        if group.len() != 1 {
            return Err(pattern_error("einsum", pattern, "has neither parentheses nor numbers"));
        }
        check_named("einsum", pattern, &group[0])?;
        if group[0] == ELLIPSIS {
            term.push(ELLIPSIS.to_string());
            continue;
        }
        for i in 0..all.len() {
            if all[i] == group[0] {
                if i >= 52 {
                    return Err(pattern_error("einsum", pattern, "has more than 52 names"));
                }
                term.push(letter(i));
            }
        }
    }
    Ok(term.join(""))
}

/// The sides of a pattern with names in place of `...`, for a number of dimensions.
fn sides(op: &str, pattern: &str, rank: usize) -> Result<(Side, Side)> {
    let (left, right) = read_pattern(op, pattern)?;
    if !left.names.contains(&ELLIPSIS.to_string()) {
        return Ok((left, right));
    }
    let count = (rank + 1).saturating_sub(left.groups.len());
    Ok((expand_ellipsis(&left, count), expand_ellipsis(&right, count)))
}

fn check_named(op: &str, pattern: &str, name: &str) -> Result<()> {
    if let Some(size) = anonymous_size(name) {
        let message = format!("has the size {size}, which needs a name here");
        return Err(pattern_error(op, pattern, &message));
    }
    Ok(())
}

fn check_both(op: &str, pattern: &str, other: &Side, name: &str) -> Result<()> {
    if !other.names.contains(&name.to_string()) {
        return Err(pattern_error(op, pattern, &format!("has '{name}' on one side only")));
    }
    Ok(())
}

/// The operations of a pattern.
fn apply(
    op: &str,
    x: &Tensor,
    pattern: &str,
    left: &Side,
    right: &Side,
    reduction: Option<Reduction>,
    axes: &[(&str, usize)],
) -> Result<Tensor> {
    let sizes = infer_sizes(op, pattern, left, right, x.shape(), axes)?;
    let mut divided = x.reshape(ints(&sizes.of(&left.names)))?;
    let mut kept = left.names.clone();
    if let Some(reduction) = reduction {
        let mut dims = vec![];
        let mut rest = vec![];
        for i in 0..left.names.len() {
            if right.names.contains(&left.names[i]) {
                rest.push(left.names[i].clone());
            } else {
                dims.push(i as i64);
            }
        }
        divided = reduce_dims(&divided, &dims, reduction)?;
        kept = rest;
    }
    // New dimensions are last before the dimensions get their order.
    let mut order = vec![];
    let mut expanded = sizes.of(&kept);
    for name in &right.names {
        let mut position = expanded.len();
        for i in 0..kept.len() {
            if kept[i] == *name {
                position = i;
            }
        }
        if position == expanded.len() {
            let Some(added) = sizes.find(name) else {
                return Err(pattern_error(op, pattern, &format!("the size of '{name}' is not known: give it")));
            };
            divided = divided.unsqueeze(-1)?;
            expanded.push(added);
        }
        order.push(position as i64);
    }
    if expanded.len() > kept.len() {
        divided = divided.expand(ints(&expanded))?;
    }
    let mut shape = vec![];
    for group in &right.groups {
        let mut size = 1;
        for part in sizes.of(group) {
            size *= part;
        }
        shape.push(size);
    }
    divided.permute(order)?.reshape(ints(&shape))
}

fn reduce_dims(x: &Tensor, dims: &[i64], reduction: Reduction) -> Result<Tensor> {
    if dims.is_empty() {
        return Ok(x.clone());
    }
    match reduction {
        Reduction::Mean => x.mean(dims, false),
        Reduction::Sum => x.sum(dims, false),
        Reduction::Max => x.amax(dims, false),
        Reduction::Min => x.amin(dims, false),
        Reduction::Prod => {
            let mut product = x.clone();
            for i in 0..dims.len() {
                product = product.prod(dims[dims.len() - 1 - i], false)?;
            }
            Ok(product)
        }
    }
}
