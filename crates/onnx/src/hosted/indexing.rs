//! Views, joins and gathers of arrays.

use super::{
    array::{Array, Elements, MAX_ELEMENTS, count, indices},
    evaluate::{Given, dimension},
};
use lanthorn_io::DType;

/// Resolves a shape with at most one size that follows from the number of elements.
fn resolve(shape: &[i64], elements: usize) -> Option<Vec<usize>> {
    let known: usize = shape
        .iter()
        .filter(|&&size| size != -1)
        .try_fold(1_usize, |product, &size| product.checked_mul(usize::try_from(size).ok()?))?;
    let sizes = shape.iter().map(|&size| match size {
        -1 => elements.checked_div(known),
        size => usize::try_from(size).ok(),
    });
    let sizes: Vec<usize> = sizes.collect::<Option<_>>()?;
    (count(&sizes)? == elements).then_some(sizes)
}

fn with_shape(x: &Array, shape: Vec<usize>) -> Array {
    Array { shape, ..x.clone() }
}

/// Returns the first index and the end of a slice within a size.
fn bounds(start: Option<i64>, end: Option<i64>, size: usize) -> Option<(usize, usize)> {
    let size = i64::try_from(size).ok()?;
    let clamp = |at: i64| (if at < 0 { at.saturating_add(size) } else { at }).clamp(0, size);
    let start = clamp(start.unwrap_or(0));
    let end = clamp(end.unwrap_or(size)).max(start);
    Some((start as usize, end as usize))
}

/// Selects indices along a dimension.
fn select_along(x: &Array, dim: usize, selected: &[usize]) -> Option<Array> {
    let mut shape = x.shape.clone();
    *shape.get_mut(dim)? = selected.len();
    let elements = count(&shape)?;
    (elements <= MAX_ELEMENTS).then(|| {
        x.gather(shape, |index| {
            let mut index = index.to_vec();
            index[dim] = selected[index[dim]];
            x.offset(&index)
        })
    })
}

/// Splits an array along a dimension.
pub fn parts(name: &str, arg: Given<'_>) -> Option<Vec<Array>> {
    let x = arg.array(0)?;
    let rank = x.shape.len();
    let along = if name == "unbind" { 1 } else { 2 };
    let dim = arg.get(along).map_or(Some(0), |_| arg.dim(along, rank))?;
    let size = *x.shape.get(dim)?;
    let sizes: Vec<usize> = match name {
        "unbind" => vec![1; size],
        _ => arg.ints(1)?.into_iter().map(|size| usize::try_from(size).ok()).collect::<Option<_>>()?,
    };
    if arg.get(1).is_some_and(|sizes| sizes.as_int().is_some()) && name != "unbind"
        || sizes.iter().sum::<usize>() != size
    {
        return None;
    }
    let mut start = 0;
    let parts = sizes.into_iter().map(|size| {
        let selected: Vec<usize> = (start..start + size).collect();
        start += size;
        let mut part = select_along(x, dim, &selected)?;
        if name == "unbind" {
            part.shape.remove(dim);
        }
        Some(part)
    });
    parts.collect()
}

/// Evaluates an operation that moves elements.
pub fn rearrange(name: &str, arg: Given<'_>) -> Option<Array> {
    if let "cat" | "stack" = name {
        return join(name, arg);
    }
    let x = arg.array(0)?;
    let rank = x.shape.len();
    match name {
        "reshape" | "view" => Some(with_shape(x, resolve(&arg.ints(1)?, x.elements.count())?)),
        "flatten" if rank == 0 => Some(with_shape(x, vec![1])),
        "unsqueeze" => {
            let dim = arg.dim(1, rank + 1)?;
            let mut shape = x.shape.clone();
            shape.insert(dim, 1);
            Some(with_shape(x, shape))
        }
        "squeeze" => {
            let dims = match arg.get(1) {
                None => (0..rank).collect(),
                Some(_) => arg.ints(1)?.into_iter().map(|dim| dimension(dim, rank)).collect::<Option<Vec<_>>>()?,
            };
            let kept = x.shape.iter().enumerate().filter(|&(dim, &size)| size != 1 || !dims.contains(&dim));
            Some(with_shape(x, kept.map(|(_, &size)| size).collect()))
        }
        "expand" | "broadcast_to" => {
            let sizes = arg.ints(1)?;
            let added = sizes.len().checked_sub(rank)?;
            let size = |(at, &size): (usize, &i64)| match size {
                -1 => x.shape.get(at.checked_sub(added)?).copied(),
                size => usize::try_from(size).ok(),
            };
            let shape: Vec<usize> = sizes.iter().enumerate().map(size).collect::<Option<_>>()?;
            x.broadcast(&shape)
        }
        "permute" => {
            let dims = arg.ints(1)?.into_iter().map(|dim| dimension(dim, rank)).collect::<Option<Vec<_>>>()?;
            let mut seen = dims.clone();
            seen.sort_unstable();
            if !seen.iter().copied().eq(0..rank) {
                return None;
            }
            let shape = dims.iter().map(|&dim| x.shape[dim]).collect();
            Some(x.gather(shape, |index| {
                let mut source = vec![0; rank];
                dims.iter().zip(index).for_each(|(&dim, &at)| source[dim] = at);
                x.offset(&source)
            }))
        }
        "flip" => {
            let dims = arg.ints(1)?.into_iter().map(|dim| dimension(dim, rank)).collect::<Option<Vec<_>>>()?;
            Some(x.gather(x.shape.clone(), |index| {
                let at = |(dim, &at): (usize, &usize)| if dims.contains(&dim) { x.shape[dim] - 1 - at } else { at };
                let source: Vec<usize> = index.iter().enumerate().map(at).collect();
                x.offset(&source)
            }))
        }
        "slice" => {
            let dim = arg.get(1).map_or(Some(0), |_| arg.dim(1, rank))?;
            let step = usize::try_from(arg.int(4).unwrap_or(1)).ok().filter(|&step| step > 0)?;
            let (start, end) = bounds(arg.int(2), arg.int(3), *x.shape.get(dim)?)?;
            let selected: Vec<usize> = (start..end).step_by(step).collect();
            select_along(x, dim, &selected)
        }
        "narrow" => {
            let dim = arg.dim(1, rank)?;
            let (start, length) = (usize::try_from(arg.int(2)?).ok()?, usize::try_from(arg.int(3)?).ok()?);
            let end = start.checked_add(length).filter(|end| x.shape.get(dim).is_some_and(|size| end <= size))?;
            select_along(x, dim, &(start..end).collect::<Vec<_>>())
        }
        "select" => {
            let dim = arg.dim(1, rank)?;
            let index = position(arg.int(2)?, *x.shape.get(dim)?)?;
            let mut part = select_along(x, dim, &[index])?;
            part.shape.remove(dim);
            Some(part)
        }
        "index_select" => {
            let dim = arg.dim(1, rank)?;
            let size = *x.shape.get(dim)?;
            let selected = arg.array(2)?.elements.ints().into_iter().map(|at| position(at, size));
            select_along(x, dim, &selected.collect::<Option<Vec<_>>>()?)
        }
        "repeat" | "tile" => {
            let repeats = arg.ints(1)?.into_iter().map(|times| usize::try_from(times).ok());
            let repeats: Vec<usize> = repeats.collect::<Option<_>>()?;
            let added = repeats.len().checked_sub(rank)?;
            let own = std::iter::repeat_n(1, added).chain(x.shape.iter().copied());
            let shape: Vec<usize> =
                own.zip(&repeats).map(|(size, &times)| size.checked_mul(times)).collect::<Option<_>>()?;
            let elements = count(&shape)?;
            (elements <= MAX_ELEMENTS).then(|| {
                x.gather(shape, |index| {
                    let source: Vec<usize> =
                        index[added..].iter().zip(&x.shape).map(|(&at, &size)| at % size).collect();
                    x.offset(&source)
                })
            })
        }
        "nonzero" => {
            let flags = x.elements.floats();
            let found = indices(&x.shape).into_iter().zip(flags).filter(|(_, flag)| *flag != 0.0);
            let rows: Vec<Vec<usize>> = found.map(|(index, _)| index).collect();
            let values = rows.iter().flatten().map(|&at| at as i64).collect();
            Some(Array::ints(DType::I64, vec![rows.len(), rank], values))
        }
        _ => None,
    }
}

/// Counts an index from the start.
fn position(at: i64, size: usize) -> Option<usize> {
    let size = i64::try_from(size).ok()?;
    let at = if at < 0 { at + size } else { at };
    (0..size).contains(&at).then_some(at as usize)
}

fn join(name: &str, arg: Given<'_>) -> Option<Array> {
    let mut arrays: Vec<Array> = arg.arrays(0)?.into_iter().cloned().collect();
    let first = arrays.first()?.clone();
    if arrays.iter().any(|array| array.dtype != first.dtype || array.shape.len() != first.shape.len()) {
        return None;
    }
    let rank = first.shape.len() + usize::from(name == "stack");
    let dim = arg.get(1).map_or(Some(0), |_| arg.dim(1, rank))?;
    if name == "stack" {
        arrays.iter_mut().for_each(|array| array.shape.insert(dim, 1));
    }
    let mut shape = arrays[0].shape.clone();
    *shape.get_mut(dim)? = 0;
    for array in &arrays {
        let fits = array.shape.iter().zip(&shape).enumerate().all(|(at, (own, size))| at == dim || own == size);
        if !fits {
            return None;
        }
        shape[dim] += array.shape[dim];
    }
    let elements = count(&shape)?;
    if elements > MAX_ELEMENTS {
        return None;
    }
    let pick = |index: &[usize]| {
        let mut index = index.to_vec();
        let mut which = 0;
        while index[dim] >= arrays[which].shape[dim] {
            index[dim] -= arrays[which].shape[dim];
            which += 1;
        }
        (which, arrays[which].offset(&index))
    };
    let sources: Vec<(usize, usize)> = indices(&shape).iter().map(|index| pick(index)).collect();
    Some(match &first.elements {
        Elements::Ints(_) => {
            let all: Vec<Vec<i64>> = arrays.iter().map(|array| array.elements.ints()).collect();
            Array::ints(first.dtype, shape, sources.iter().map(|&(which, offset)| all[which][offset]).collect())
        }
        Elements::Floats(_) => {
            let all: Vec<Vec<f64>> = arrays.iter().map(|array| array.elements.floats()).collect();
            Array::floats(first.dtype, shape, sources.iter().map(|&(which, offset)| all[which][offset]).collect())
        }
    })
}
