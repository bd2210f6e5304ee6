//! `pack` and `unpack`.

use crate::{
    host::{ints, split_text},
    pattern::{pattern_error, read_side},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// Tensors joined along the dimension `*`, which stands for any dimensions of each, and the shapes
/// of these dimensions, as `einops.pack`.
///
/// # Errors
/// `argument` for a pattern without exactly one `*`; `shape` if a tensor has too few dimensions or
/// other sizes.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, einops::pack};
/// let (x, y) = (Tensor::zeros([2, 3])?, Tensor::zeros([2, 4, 3])?);
/// let (packed, shapes) = pack(&[x, y], "b * c")?;
/// # assert_eq!(shapes.len(), 2);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn pack(tensors: &[Tensor], pattern: &str) -> Result<(Tensor, Vec<Vec<usize>>)> {
    let (before, after) = sides("pack", pattern)?;
    if tensors.is_empty() {
        return Err(Error::argument("pack", "needs at least one tensor"));
    }
    let mut parts = vec![];
    let mut shapes = vec![];
    for x in tensors {
        if x.rank() < before + after {
            let (shape, least) = (x.shape(), before + after);
            let message = format!("pattern '{pattern}': needs at least {least} dimensions, and a tensor is {shape:?}");
            return Err(Error::shape("pack", message));
        }
        let shape = x.shape().to_vec();
        let packed = shape[before..shape.len() - after].to_vec();
        let mut sizes = shape[..before].to_vec();
        sizes.push(product(&packed));
        sizes.extend_from_slice(&shape[shape.len() - after..]);
        parts.push(x.reshape(ints(&sizes))?);
        shapes.push(packed);
    }
    Ok((Tensor::cat(&parts, before as i64)?, shapes))
}

/// The tensors of [`pack`], as `einops.unpack`: the dimension `*` is divided by the shapes. One
/// shape may have one size of -1, which follows from the others.
///
/// # Errors
/// `argument` for a pattern without exactly one `*`; `shape` if the sizes do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, einops::unpack};
/// let parts = unpack(&Tensor::zeros([2, 5, 3])?, &[vec![], vec![2, 2]], "b * c")?;
/// assert_eq!(parts[1].shape()[..], [2, 2, 2, 3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn unpack(tensor: &Tensor, packed_shapes: &[Vec<i64>], pattern: &str) -> Result<Vec<Tensor>> {
    let (before, after) = sides("unpack", pattern)?;
    let shape = tensor.shape().to_vec();
    if shape.len() != before + 1 + after {
        let message =
            format!("pattern '{pattern}': needs {} dimensions, and the tensor is {shape:?}", before + 1 + after);
        return Err(Error::shape("unpack", message));
    }
    let mut known = 0;
    let mut unknown = 0;
    for packed in packed_shapes {
        if packed.contains(&-1) {
            unknown += 1;
        } else {
            known += size_of(packed);
        }
    }
    let rest = shape[before] as i64 - known;
    if unknown > 1 || rest < 0 || (unknown == 0 && rest != 0) {
        let size = shape[before];
        let message = format!("pattern '{pattern}': a dimension of size {size} cannot be divided into these shapes");
        return Err(Error::shape("unpack", message));
    }
    let mut parts = vec![];
    let mut start = 0;
    for packed in packed_shapes {
        let size = if packed.contains(&-1) { rest } else { size_of(packed) };
        let part = tensor.narrow(before as i64, start, size)?;
        let mut sizes = ints(&shape[..before]);
        sizes.extend_from_slice(packed);
        sizes.extend_from_slice(&ints(&shape[before + 1..]));
        parts.push(part.reshape(sizes)?);
        start += size;
    }
    Ok(parts)
}

fn size_of(shape: &[i64]) -> i64 {
    let mut size = 1;
    for part in shape {
        size *= part;
    }
    size
}

fn product(shape: &[usize]) -> usize {
    let mut size = 1;
    for part in shape {
        size *= part;
    }
    size
}

/// The numbers of dimensions before and after `*`.
fn sides(op: &str, pattern: &str) -> Result<(usize, usize)> {
    let parts = split_text(pattern, "*");
    if parts.len() != 2 {
        return Err(pattern_error(op, pattern, "needs exactly one '*'"));
    }
    let (before, after) = (read_side(op, pattern, &parts[0])?, read_side(op, pattern, &parts[1])?);
    for name in &after.names {
        if before.names.contains(name) {
            return Err(pattern_error(op, pattern, &format!("has '{name}' twice")));
        }
    }
    if before.groups.len() != before.names.len() || after.groups.len() != after.names.len() {
        return Err(pattern_error(op, pattern, "has names only"));
    }
    Ok((before.groups.len(), after.groups.len()))
}
