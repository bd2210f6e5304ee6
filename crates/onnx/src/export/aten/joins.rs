//! Joins and splits tensors along a dimension.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions, check_count,
};
use lanthorn_program::{Error, Result, Value};
use std::rc::Rc;

pub const FUNCTIONS: Functions = &[
    ("_stack", stack),
    ("broadcast_tensors", broadcast_tensors),
    ("cat", cat),
    ("chunk", chunk),
    ("concat", cat),
    ("concatenate", cat),
    ("diff", diff),
    ("flip", flip),
    ("hstack", hstack),
    ("meshgrid", meshgrid),
    ("roll", roll),
    ("split", split),
    ("split_copy", split),
    ("split_with_sizes", split),
    ("split_with_sizes_copy", split),
    ("stack", stack),
    ("tensor_split", split_by_results),
    ("unbind", unbind),
    ("unbind_copy", unbind),
    ("unsafe_split", split),
    ("vstack", hstack),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

/// Returns the tensors of a call in the result's type. PyTorch ignores tensors of shape `[0]`.
fn parts(exporter: &mut Exporter<'_>, call: &Call) -> Result<Vec<Item>> {
    let dtype = call.dtype()?;
    let items = call.tensors("tensors")?;
    let rank = call.result()?.rank()?;
    let kept = items.into_iter().filter(|item| rank == 1 || item.shape().as_deref() != Some(&[0]));
    Ok(kept.map(|item| exporter.cast(&item, dtype)).collect())
}

fn cat(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let parts = parts(exporter, call)?;
    let axis = call.int("dim")?;
    tensor(exporter.concat(&parts, axis))
}

fn stack(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let dim = call.result()?.dim(call.int("dim")?)?;
    let mut rows = Vec::new();
    for item in call.tensors("tensors")? {
        let item = exporter.cast(&item, call.dtype()?);
        rows.push(exporter.unsqueeze(&item, &[dim])?);
    }
    tensor(exporter.concat(&rows, dim))
}

fn hstack(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut parts = parts(exporter, call)?;
    let rank = call.tensors("tensors")?.first().map_or(Ok(0), Item::rank)?;
    if call.base == "vstack" && rank == 1 {
        parts = parts.iter().map(|item| exporter.unsqueeze(item, &[0])).collect::<Result<_>>()?;
    }
    if rank == 0 {
        return Err(Error::unsupported("of tensors without dimensions"));
    }
    let axis = i64::from(call.base == "hstack" && rank > 1);
    tensor(exporter.concat(&parts, axis))
}

fn split(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let name = call.args.schema.params.get(1).map_or("split_size", |param| param.name.as_str());
    match call.args.get(name) {
        Value::List(_) | Value::Tuple(_) => {
            let sizes = exporter.dims(call.args.get(name))?;
            let sizes_item = exporter.shape(&sizes)?;
            exporter.pieces(&item, &sizes_item, dim, sizes.len())
        }
        _ => split_by_results(exporter, call),
    }
}

/// Splits a tensor at the sizes that the graph knows of the results.
fn split_by_results(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let mut sizes = Vec::new();
    for result in &call.results {
        sizes.push(result.size(dim)?);
    }
    let sizes = exporter.ints(&sizes)?;
    exporter.pieces(&item, &sizes, dim, call.results.len())
}

fn chunk(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    if call.results.iter().all(|result| result.size(dim).is_ok()) {
        return split_by_results(exporter, call);
    }
    let count = call.results.len();
    let attributes = [("axis", Attr::Int(dim)), ("num_outputs", Attr::Int(count as i64))];
    let names = exporter.ops("Split", &[&item], &attributes, count);
    Ok(of_type(names, &item))
}

fn of_type(names: Vec<Rc<str>>, item: &Item) -> Arg {
    Value::List(names.into_iter().map(|name| Value::Tensor(Item::of(name, item.dtype))).collect())
}

fn unbind(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let count = item.size(dim).unwrap_or(call.results.len() as i64);
    // Each part is a node.
    check_count(&[count, 64])?;
    let mut parts = Vec::new();
    for index in 0..count {
        let index = exporter.int(index)?;
        parts.push(Value::Tensor(exporter.op("Gather", &[&item, &index], &[("axis", Attr::Int(dim))])));
    }
    Ok(Value::List(parts))
}

/// Writes differences of adjacent elements.
fn diff(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let dtype = item.dtype()?;
    let around = [call.optional("prepend"), Some(item.clone()), call.optional("append")];
    let parts: Vec<Item> = around.into_iter().flatten().collect();
    if parts.len() > 1 {
        item = exporter.concat(&parts, dim);
    }
    let times = call.int("n")?;
    // Each difference is three nodes.
    check_count(&[times, 1 << 14])?;
    for _ in 0..times {
        let later = exporter.slice(&item, dim, &Dim::Int(1), &Dim::Int(i64::MAX), 1)?;
        let earlier = exporter.slice(&item, dim, &Dim::Int(0), &Dim::Int(-1), 1)?;
        item = match dtype {
            lanthorn_io::DType::Bool => exporter.op("Xor", &[&later, &earlier], &[]),
            _ => exporter.op("Sub", &[&later, &earlier], &[]),
        };
    }
    tensor(item)
}

fn flip(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut item = call.tensor("self")?;
    for dim in call.ints("dims")? {
        item = exporter.slice(&item, dim, &Dim::Int(-1), &Dim::Int(i64::MIN + 1), -1)?;
    }
    tensor(item)
}

/// Rolls elements along dimensions.
fn roll(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut item = call.tensor("self")?;
    let (shifts, dims) = (call.ints("shifts")?, call.ints("dims")?);
    let whole = dims.is_empty();
    let before = item.clone();
    if whole {
        item = exporter.reshape(&item, &[Dim::Int(-1)])?;
    }
    let dims = if whole { vec![0] } else { dims };
    for (shift, dim) in shifts.into_iter().zip(dims) {
        let size = if whole { before.shape().map(|shape| shape.iter().product()) } else { before.size(dim).ok() };
        let shift = size.map_or(shift, |size: i64| shift.rem_euclid(size.max(1)));
        if shift == 0 {
            continue;
        }
        let end = exporter.slice(&item, dim, &Dim::Int(-shift), &Dim::Int(i64::MAX), 1)?;
        let start = exporter.slice(&item, dim, &Dim::Int(0), &Dim::Int(-shift), 1)?;
        item = exporter.concat(&[end, start], dim);
    }
    if whole {
        let shape = exporter.shape_of(&before)?;
        item = exporter.op("Reshape", &[&item, &shape], &[]);
    }
    tensor(item)
}

fn broadcast_tensors(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let items = call.tensors("tensors")?;
    let shape = exporter.broadcast_shape(&items)?;
    let wide = items.iter().map(|item| Value::Tensor(exporter.op("Expand", &[item, &shape], &[])));
    Ok(Value::List(wide.collect()))
}

fn meshgrid(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let items = call.tensors("tensors")?;
    let count = items.len();
    let swapped = call.args.get("indexing").as_str() == Some("xy") && count >= 2;
    let mut placed = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let target = if swapped && index < 2 { 1 - index } else { index };
        let dims: Vec<Dim> = (0..count).map(|other| Dim::Int(if other == target { -1 } else { 1 })).collect();
        placed.push(exporter.reshape(item, &dims)?);
    }
    let shape = exporter.broadcast_shape(&placed)?;
    let wide = placed.iter().map(|item| Value::Tensor(exporter.op("Expand", &[item, &shape], &[])));
    Ok(Value::List(wide.collect()))
}

impl Exporter<'_> {
    /// Concatenates tensors along an axis.
    pub fn concat(&mut self, parts: &[Item], axis: i64) -> Item {
        match parts {
            [only] => only.clone(),
            _ => self.op("Concat", &parts.iter().collect::<Vec<_>>(), &[("axis", Attr::Int(axis))]),
        }
    }

    /// Splits a tensor along a dimension.
    pub fn pieces(&mut self, item: &Item, sizes: &Item, dim: i64, count: usize) -> Result<Arg> {
        let names = self.ops("Split", &[item, sizes], &[("axis", Attr::Int(dim))], count);
        Ok(of_type(names, item))
    }

    /// Returns the shape to which tensors broadcast.
    pub fn broadcast_shape(&mut self, items: &[Item]) -> Result<Item> {
        use lanthorn_io::DType;
        let mut joined: Option<Item> = None;
        for item in items {
            // Broadcasts zeros of each shape by adding them.
            let shape = self.shape_of(item)?;
            let zeros = self.fill_like(&Value::Int(0), &shape, DType::I64)?;
            joined = Some(match joined {
                Some(before) => self.op("Add", &[&before, &zeros], &[]),
                None => zeros,
            });
        }
        let joined = joined.ok_or_else(|| Error::malformed("no tensors to broadcast"))?;
        Ok(self.op_of("Shape", &[&joined], &[], Some(DType::I64)))
    }
}
