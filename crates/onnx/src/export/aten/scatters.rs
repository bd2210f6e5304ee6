//! Writes to parts of tensors by indices.

use super::{
    super::{
        Exporter,
        builder::Attr,
        item::{Arg, Dim, Item},
    },
    Call, Functions,
    indexing::Indexed,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_index_put_impl", index_put),
    ("_unsafe_index_put", index_put),
    ("index_add", index_add),
    ("index_copy", index_add),
    ("index_fill", index_fill),
    ("index_put", index_put),
    ("scatter", scatter),
    ("scatter_reduce", scatter_reduce),
    ("select_scatter", select_scatter),
    ("slice_scatter", slice_scatter),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

fn reduction(name: &str) -> Result<&'static str> {
    Ok(match name {
        "sum" | "add" => "add",
        "prod" | "multiply" => "mul",
        "amax" => "max",
        "amin" => "min",
        other => return Err(Error::unsupported(format!("the reduction {other}"))),
    })
}

fn index_put(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dtype = item.dtype()?;
    let values = exporter.operand(call.args.get("values"), dtype)?;
    let Indexed { dims, indices, adjacent, rank } = exporter.indices(&item, call)?;
    if dims.is_empty() {
        return Err(Error::unsupported("without indices"));
    }
    let order = exporter.front_order(&item, &dims)?;
    let front = exporter.transpose(&item, &order);
    let rows = exporter.rows(&indices)?;
    let first = dims[0];
    let rest = item.rank()? - dims.len() as i64;
    // The shape of the updates: the shape of the indices, then the dimensions that are not indexed.
    let shape = exporter.op_of("Shape", &[&rows], &[("end", Attr::Int(-1))], Some(DType::I64));
    let tail = exporter.op_of("Shape", &[&front], &[("start", Attr::Int(dims.len() as i64))], Some(DType::I64));
    let shape = exporter.op("Concat", &[&shape, &tail], &[("axis", Attr::Int(0))]);
    let values = if adjacent && first > 0 && values.rank().is_ok_and(|found| found > rank + rest - first) {
        // The dimensions of the indices replace the indexed dimensions in the values.
        let missing = rank + rest - values.rank()?;
        let values = exporter.unsqueeze(&values, &(0..missing).collect::<Vec<i64>>())?;
        let mut perm: Vec<i64> = (first..first + rank).collect();
        perm.extend((0..rank + rest).filter(|dim| *dim < first || *dim >= first + rank));
        exporter.op("Transpose", &[&values], &[("perm", Attr::Ints(perm))])
    } else {
        values
    };
    let updates = exporter.op("Expand", &[&values, &shape], &[]);
    let sum = [("reduction", Attr::Str("add".to_string()))];
    let attributes = if call.args.bool("accumulate") { &sum[..] } else { &[] };
    let written = exporter.op("ScatterND", &[&front, &rows, &updates], attributes);
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(position, &dim)| back[dim as usize] = position as i64);
    tensor(exporter.transpose(&written, &back))
}

/// Broadcasts an index of a dimension to every element of the source.
fn spread(exporter: &mut Exporter<'_>, index: &Item, source: &Item, dim: i64) -> Result<Item> {
    let rank = source.rank()?;
    let column: Vec<Dim> = (0..rank).map(|other| Dim::Int(if other == dim { -1 } else { 1 })).collect();
    let index = exporter.cast(index, DType::I64);
    let column = exporter.reshape(&index, &column)?;
    let shape = exporter.shape_of(source)?;
    Ok(exporter.op("Expand", &[&column, &shape], &[]))
}

fn index_add(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, mut source) = (call.tensor("self")?, call.tensor("source")?);
    let dim = item.dim(call.int("dim")?)?;
    let index = spread(exporter, &call.tensor("index")?, &source, dim)?;
    let mut attributes = vec![("axis", Attr::Int(dim))];
    if call.base == "index_add" {
        attributes.push(("reduction", Attr::Str("add".to_string())));
        if call.float_or("alpha", 1.0)? != 1.0 {
            let alpha = exporter.operand(call.args.get("alpha"), source.dtype()?)?;
            source = exporter.op("Mul", &[&source, &alpha], &[]);
        }
    }
    tensor(exporter.op("ScatterElements", &[&item, &index, &source], &attributes))
}

fn index_fill(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let dim = item.dim(call.int("dim")?)?;
    let index = exporter.cast(&call.tensor("index")?, DType::I64);
    let rows = exporter.op("Gather", &[&item, &index], &[("axis", Attr::Int(dim))]);
    let rows = Item { sizes: item.sizes.clone(), ..rows };
    let shape = exporter.op_of("Shape", &[&rows], &[], Some(DType::I64));
    let value = exporter.fill_like(call.args.get("value"), &shape, item.dtype()?)?;
    let column: Vec<Dim> = (0..item.rank()?).map(|other| Dim::Int(if other == dim { -1 } else { 1 })).collect();
    let column = exporter.reshape(&index, &column)?;
    let index = exporter.op("Expand", &[&column, &shape], &[]);
    tensor(exporter.op("ScatterElements", &[&item, &index, &value], &[("axis", Attr::Int(dim))]))
}

fn scatter(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let index = exporter.cast(&call.tensor("index")?, DType::I64);
    let source = match call.optional("src") {
        Some(source) => source,
        None => {
            let shape = exporter.shape_of(&index)?;
            exporter.fill_like(call.args.get("value"), &shape, item.dtype()?)?
        }
    };
    let mut attributes = vec![("axis", Attr::Int(call.int("dim")?))];
    if let Some(name) = call.args.get("reduce").as_str() {
        attributes.push(("reduction", Attr::Str(reduction(name)?.to_string())));
    }
    tensor(exporter.op("ScatterElements", &[&item, &index, &source], &attributes))
}

fn scatter_reduce(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let mut item = call.tensor("self")?;
    let index = exporter.cast(&call.tensor("index")?, DType::I64);
    let source = call.tensor("src")?;
    let wanted = call.args.get("reduce").as_str().unwrap_or_default();
    let is_mean = wanted == "mean";
    let name = if is_mean { "add" } else { reduction(wanted)? };
    let axis = ("axis", Attr::Int(call.int("dim")?));
    if !call.args.bool("include_self") {
        // Written elements start from the neutral element of the reduction.
        let neutral = match name {
            "add" => 0.0,
            "mul" => 1.0,
            "max" => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        let shape = exporter.shape_of(&index)?;
        let neutral = exporter.fill_like(&Value::Float(neutral), &shape, item.dtype()?)?;
        item = exporter.op("ScatterElements", &[&item, &index, &neutral], std::slice::from_ref(&axis));
    }
    let attributes = [axis, ("reduction", Attr::Str(name.to_string()))];
    let result = exporter.op("ScatterElements", &[&item, &index, &source], &attributes);
    if !is_mean {
        return tensor(result);
    }
    // Counts the elements that are written at each index.
    let dtype = item.dtype()?;
    let (shape, index_shape) = (exporter.shape_of(&call.tensor("self")?)?, exporter.shape_of(&index)?);
    let include = i64::from(call.args.bool("include_self"));
    let start = exporter.fill_like(&Value::Int(include), &shape, dtype)?;
    let ones = exporter.fill_like(&Value::Int(1), &index_shape, dtype)?;
    let count = exporter.op("ScatterElements", &[&start, &index, &ones], &attributes);
    let one = exporter.number(1.0, dtype)?;
    let count = exporter.op("Max", &[&count, &one], &[]);
    tensor(exporter.op("Div", &[&result, &count], &[]))
}

fn slice_scatter(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, source) = (call.tensor("self")?, call.tensor("src")?);
    let dim = item.dim(call.int("dim")?)?;
    exporter.with_slice(&item, &source, dim, call).map(Value::Tensor)
}

fn select_scatter(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, source) = (call.tensor("self")?, call.tensor("src")?);
    let dim = item.dim(call.int("dim")?)?;
    exporter.with_selected(&item, &source, dim, call).map(Value::Tensor)
}

impl Exporter<'_> {
    fn front_order(&self, item: &Item, dims: &[i64]) -> Result<Vec<i64>> {
        let mut order = dims.to_vec();
        order.extend((0..item.rank()?).filter(|dim| !dims.contains(dim)));
        Ok(order)
    }

    /// Replaces the slice that `slice` returns for the same arguments.
    pub fn with_slice(&mut self, item: &Item, source: &Item, dim: i64, call: &Call) -> Result<Item> {
        if call.int("step")? != 1 {
            return Err(Error::unsupported("a write to a slice with steps"));
        }
        let mut parts = Vec::new();
        let start = match call.args.get("start") {
            Value::None => Dim::Int(0),
            value => self.dim(value)?,
        };
        let end = match call.args.get("end") {
            Value::None => Dim::Int(i64::MAX),
            value => self.dim(value)?,
        };
        if !matches!(start, Dim::Int(0)) {
            parts.push(self.slice(item, dim, &Dim::Int(0), &start, 1)?);
        }
        parts.push(self.cast(source, item.dtype()?));
        if !matches!(end, Dim::Int(end) if end >= item.size(dim).unwrap_or(i64::MAX)) {
            parts.push(self.slice(item, dim, &end, &Dim::Int(i64::MAX), 1)?);
        }
        Ok(self.concat(&parts, dim))
    }

    /// Replaces the row that `select` returns for the same arguments.
    pub fn with_selected(&mut self, item: &Item, source: &Item, dim: i64, call: &Call) -> Result<Item> {
        let index = call.int("index")?;
        let source = self.cast(source, item.dtype()?);
        let mut parts = vec![self.unsqueeze(&source, &[dim])?];
        if index != 0 {
            parts.insert(0, self.slice(item, dim, &Dim::Int(0), &Dim::Int(index), 1)?);
        }
        if index != -1 {
            parts.push(self.slice(item, dim, &Dim::Int(index + 1), &Dim::Int(i64::MAX), 1)?);
        }
        Ok(self.concat(&parts, dim))
    }
}
