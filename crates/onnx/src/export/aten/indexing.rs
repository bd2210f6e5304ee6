//! Selects parts of tensors by indices.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions, check_count,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_unsafe_index", index),
    ("argwhere", argwhere),
    ("as_strided", as_strided),
    ("as_strided_copy", as_strided),
    ("diag_embed", diag_embed),
    ("diagonal", diagonal),
    ("index", index),
    ("masked_select", masked_select),
    ("narrow", narrow),
    ("narrow_copy", narrow),
    ("one_hot", one_hot),
    ("select", select),
    ("select_copy", select),
    ("slice", slice),
    ("slice_copy", slice),
    ("take_along_dim", take_along_dim),
    ("unfold", unfold),
    ("unfold_copy", unfold),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

fn slice(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let start = match call.args.get("start") {
        Value::None => Dim::Int(0),
        value => exporter.dim(value)?,
    };
    let end = match call.args.get("end") {
        Value::None => Dim::Int(i64::MAX),
        value => exporter.dim(value)?,
    };
    let step = call.int("step")?;
    let whole = matches!((&start, &end), (Dim::Int(0), Dim::Int(end)) if *end >= item.size(dim).unwrap_or(i64::MAX));
    if whole && step == 1 {
        return tensor(item);
    }
    tensor(exporter.slice(&item, dim, &start, &end, step)?)
}

fn narrow(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let (start, length) = (exporter.dim(call.args.get("start"))?, exporter.dim(call.args.get("length"))?);
    let end = match (&start, &length) {
        // A negative start that reaches the end of the dimension needs an open end.
        (Dim::Int(start), Dim::Int(length)) if *start < 0 && start.checked_add(*length) == Some(0) => {
            Dim::Int(i64::MAX)
        }
        (Dim::Int(start), Dim::Int(length)) => Dim::Int(start.saturating_add(*length)),
        _ => {
            let (start, length) = (exporter.item_of(&start)?, exporter.item_of(&length)?);
            Dim::Item(exporter.op("Add", &[&start, &length], &[]))
        }
    };
    tensor(exporter.slice(&item, dim, &start, &end, 1)?)
}

fn select(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let index = exporter.dim(call.args.get("index"))?;
    let index = exporter.item_of(&index)?;
    tensor(exporter.op("Gather", &[&item, &index], &[("axis", Attr::Int(dim))]))
}

fn take_along_dim(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, indices) = (call.tensor("self")?, call.tensor("indices")?);
    let indices = exporter.cast(&indices, DType::I64);
    let dim = call.int("dim")?;
    tensor(exporter.op("GatherElements", &[&item, &indices], &[("axis", Attr::Int(dim))]))
}

fn argwhere(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let found = exporter.op_of("NonZero", &[&item], &[], Some(DType::I64));
    tensor(exporter.transpose(&found, &[1, 0]))
}

fn masked_select(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, mask) = (call.tensor("self")?, call.tensor("mask")?);
    let shape = exporter.broadcast_shape(&[item.clone(), mask.clone()])?;
    let (item, mask) = (exporter.op("Expand", &[&item, &shape], &[]), exporter.op("Expand", &[&mask, &shape], &[]));
    let mask = exporter.reshape(&mask, &[Dim::Int(-1)])?;
    tensor(exporter.op("Compress", &[&item, &mask], &[]))
}

fn one_hot(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let classes = call.result()?.size(-1).or_else(|_| call.int("num_classes"))?;
    if classes < 0 {
        return Err(Error::unsupported("of a number of classes that depends on data"));
    }
    check_count(&[classes])?;
    let column = exporter.unsqueeze(&item, &[-1])?;
    let numbers: Vec<i64> = (0..classes).collect();
    let numbers = exporter.ints(&numbers)?;
    let hot = exporter.op_of("Equal", &[&column, &numbers], &[], Some(DType::Bool));
    tensor(exporter.cast(&hot, DType::I64))
}

/// Writes windows along a dimension. Their elements become the last dimension.
fn unfold(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let (dim, size, step) = (item.dim(call.int("dimension")?)?, call.int("size")?, call.int("step")?);
    let count = call.result()?.size(dim)?;
    check_count(&[count, size])?;
    let indices: Vec<f64> = (0..count).flat_map(|row| (0..size).map(move |at| (row * step + at) as f64)).collect();
    let indices = exporter.numbers(&indices, vec![count as usize, size as usize], DType::I64)?;
    let windows = exporter.op("Gather", &[&item, &indices], &[("axis", Attr::Int(dim))]);
    let rank = item.rank()?;
    let mut perm: Vec<i64> = (0..=rank).filter(|&at| at != dim + 1).collect();
    perm.push(dim + 1);
    tensor(exporter.transpose(&windows, &perm))
}

fn diagonal(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let (a, b) = (item.dim(call.int("dim1")?)?, item.dim(call.int("dim2")?)?);
    let offset = call.int("offset")?;
    let count = call.result()?.size(-1)?;
    check_count(&[count])?;
    let front = exporter.move_to_front(&item, &[a, b])?;
    let rows = (0..count).flat_map(|at| [(at - offset.min(0)) as f64, (at + offset.max(0)) as f64]);
    let rows: Vec<f64> = rows.collect();
    let rows = exporter.numbers(&rows, vec![count as usize, 2], DType::I64)?;
    let found = exporter.op("GatherND", &[&front, &rows], &[]);
    let rank = item.rank()? - 1;
    let mut perm: Vec<i64> = (1..rank).collect();
    perm.push(0);
    tensor(exporter.transpose(&found, &perm))
}

/// Writes a strided view of a contiguous tensor as a gather of its elements.
fn as_strided(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let (sizes, strides) = (call.ints("size")?, call.ints("stride")?);
    let offset = call.int_or("storage_offset", 0)?;
    check_count(&sizes)?;
    let mut indices = vec![offset];
    for (&size, &stride) in sizes.iter().zip(&strides) {
        let steps = |first: i64| (0..size).map(move |at| first.saturating_add(stride.saturating_mul(at)));
        indices = indices.into_iter().flat_map(steps).collect();
    }
    let indices: Vec<f64> = indices.into_iter().map(|index| index as f64).collect();
    let shape = sizes.iter().map(|&size| size as usize).collect();
    let indices = exporter.numbers(&indices, shape, DType::I64)?;
    let flat = exporter.reshape(&item, &[Dim::Int(-1)])?;
    tensor(exporter.op("Gather", &[&flat, &indices], &[("axis", Attr::Int(0))]))
}

/// Writes matrices whose diagonals are the last dimension.
fn diag_embed(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let last = [call.int("offset")?, call.int("dim1")?, call.int("dim2")?] == [0, -2, -1];
    if !last {
        return Err(Error::unsupported("on other dimensions or diagonals"));
    }
    let size = exporter.dim_of(&item, item.dim(-1)?)?;
    let ones = exporter.fill(&Value::Int(1), &[size.clone(), size], DType::I64)?;
    let unit = exporter.op("EyeLike", &[&ones], &[]);
    let unit = exporter.cast(&unit, DType::Bool);
    let column = exporter.unsqueeze(&item, &[-1])?;
    exporter.choose(&unit, &Value::Tensor(column), &Value::Int(0), item.dtype()?).map(Value::Tensor)
}

/// Indices for some dimensions of a tensor.
pub struct Indexed {
    /// The indexed dimensions.
    pub dims: Vec<i64>,
    /// Their integer indices.
    pub indices: Vec<Item>,
    /// Whether the indexed dimensions are adjacent, so the result keeps them at the same position.
    pub adjacent: bool,
    /// The rank of the broadcast indices.
    pub rank: i64,
}

fn index(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let Indexed { dims, indices, adjacent, rank } = exporter.indices(&item, call)?;
    if let ([dim], [index]) = (&dims[..], &indices[..]) {
        return tensor(exporter.op("Gather", &[&item, index], &[("axis", Attr::Int(*dim))]));
    }
    let Some(&first) = dims.first() else { return tensor(item) };
    let front = exporter.move_to_front(&item, &dims)?;
    let rows = exporter.rows(&indices)?;
    let found = exporter.op("GatherND", &[&front, &rows], &[]);
    let rest = item.rank()? - dims.len() as i64;
    if !adjacent || first == 0 {
        return tensor(found);
    }
    let mut perm: Vec<i64> = (rank..rank + first).collect();
    perm.extend(0..rank);
    perm.extend(rank + first..rank + rest);
    tensor(exporter.transpose(&found, &perm))
}

impl Exporter<'_> {
    /// Returns the indices of a call. A mask becomes the indices of its true elements.
    pub fn indices(&mut self, item: &Item, call: &Call) -> Result<Indexed> {
        let list = call.args.get("indices").as_list().unwrap_or_default().to_vec();
        let (mut dims, mut indices, mut rank) = (Vec::new(), Vec::new(), 0);
        let mut dim = 0;
        for entry in &list {
            match entry {
                Value::None => dim += 1,
                Value::Tensor(index) if matches!(index.dtype()?, DType::Bool | DType::U8) => {
                    let width = index.rank()?;
                    let nonzero = self.op_of("NonZero", &[index], &[], Some(DType::I64));
                    for row in 0..width {
                        let row = self.int(row)?;
                        indices.push(self.op("Gather", &[&nonzero, &row], &[("axis", Attr::Int(0))]));
                        dims.push(dim);
                        dim += 1;
                    }
                    rank = rank.max(1);
                }
                Value::Tensor(index) => {
                    rank = rank.max(index.rank()?);
                    let index = self.cast(index, DType::I64);
                    indices.push(index);
                    dims.push(dim);
                    dim += 1;
                }
                other => return Err(Error::unsupported(format!("{} as an index", other.short()))),
            }
        }
        if dim > item.rank()? {
            return Err(Error::malformed(format!("{dim} indices for {} dimensions", item.rank()?)));
        }
        let adjacent = dims.windows(2).all(|pair| pair[1] == pair[0] + 1);
        Ok(Indexed { dims, indices, adjacent, rank })
    }

    /// Broadcasts the indices of several dimensions, and stacks them along a last dimension.
    pub fn rows(&mut self, indices: &[Item]) -> Result<Item> {
        let shape = match indices {
            [only] => self.shape_of(only)?,
            _ => {
                let mut sum: Option<Item> = None;
                for index in indices {
                    sum = Some(match sum {
                        Some(before) => self.op("Add", &[&before, index], &[]),
                        None => index.clone(),
                    });
                }
                let sum = sum.ok_or_else(|| Error::malformed("no indices"))?;
                self.op_of("Shape", &[&sum], &[], Some(DType::I64))
            }
        };
        let mut columns = Vec::new();
        for index in indices {
            let wide = self.op("Expand", &[index, &shape], &[]);
            columns.push(self.unsqueeze(&wide, &[-1])?);
        }
        Ok(self.concat(&columns, -1))
    }
}
