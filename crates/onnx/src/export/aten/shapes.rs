//! Changes sizes and the order of dimensions.

use super::{
    super::{
        Exporter,
        item::{Arg, Dim, Item, normal},
    },
    Call, Functions,
};
use lanthorn_io::DType;
use lanthorn_program::{Error, Result, Value};

pub const FUNCTIONS: Functions = &[
    ("_reshape_alias", view),
    ("_reshape_copy", view),
    ("_unsafe_view", view),
    ("_shape_as_tensor", shape_as_tensor),
    ("atleast_1d", at_least),
    ("atleast_2d", at_least),
    ("broadcast_to", expand),
    ("channel_shuffle", channel_shuffle),
    ("dim", dim_count),
    ("expand", expand),
    ("expand_as", expand_as),
    ("expand_copy", expand),
    ("flatten", flatten),
    ("movedim", movedim),
    ("moveaxis", movedim),
    ("mT", swap_last),
    ("numel", numel),
    ("sym_numel", numel),
    ("numpy_T", numpy_t),
    ("permute", permute),
    ("permute_copy", permute),
    ("pixel_unshuffle", pixel_unshuffle),
    ("ravel", flatten),
    ("repeat", repeat),
    ("repeat_interleave", repeat_interleave),
    ("reshape", view),
    ("reshape_as", view_as),
    ("size", size),
    ("squeeze", squeeze),
    ("squeeze_copy", squeeze),
    ("swapaxes", transpose),
    ("swapdims", transpose),
    ("sym_size", size),
    ("t", transpose_2d),
    ("t_copy", transpose_2d),
    ("tile", repeat),
    ("transpose", transpose),
    ("transpose_copy", transpose),
    ("unflatten", unflatten),
    ("view", view),
    ("view_as", view_as),
    ("view_copy", view),
];

fn tensor(item: Item) -> Result<Arg> {
    Ok(Value::Tensor(item))
}

fn view(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if call.args.schema.overload == "dtype" {
        return Err(Error::unsupported("with another element type"));
    }
    let item = call.tensor("self")?;
    let name = if call.args.is_given("size") { "size" } else { "shape" };
    tensor(exporter.reshape_to(&item, call.result()?, |exporter| exporter.dims(call.args.get(name)))?)
}

fn view_as(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, other) = (call.tensor("self")?, call.tensor("other")?);
    let shape = exporter.shape_of(&other)?;
    tensor(exporter.op("Reshape", &[&item, &shape], &[]))
}

/// Returns all sizes of a tensor.
fn sizes(exporter: &mut Exporter<'_>, item: &Item) -> Result<Vec<Dim>> {
    (0..item.rank()?).map(|dim| exporter.dim_of(item, dim)).collect()
}

fn flatten(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    tensor(exporter.reshape_to(&item, call.result()?, |exporter| {
        let mut dims = sizes(exporter, &item)?;
        let (start, end) = match call.base.as_str() {
            "ravel" => (0, item.rank()? - 1),
            _ => (item.dim(call.int("start_dim")?)?, item.dim(call.int("end_dim")?)?),
        };
        if start <= end {
            dims.splice(start as usize..=end as usize, [Dim::Int(-1)]);
        }
        Ok(dims)
    })?)
}

fn unflatten(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    tensor(exporter.reshape_to(&item, call.result()?, |exporter| {
        let mut dims = sizes(exporter, &item)?;
        let dim = item.dim(call.int("dim")?)? as usize;
        dims.splice(dim..=dim, exporter.dims(call.args.get("sizes"))?);
        Ok(dims)
    })?)
}

/// Removes dimensions of size 1 and keeps others.
fn squeeze(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let rank = item.rank()?;
    let mut dims = match call.args.get("dim") {
        Value::None => (0..rank).collect(),
        _ => call.ints("dim")?.into_iter().map(|dim| normal(dim, rank)).collect::<Result<Vec<i64>>>()?,
    };
    dims.retain(|&dim| item.size(dim).is_ok_and(|size| size == 1));
    if dims.is_empty() {
        return tensor(item);
    }
    let dims = exporter.ints(&dims)?;
    tensor(exporter.op("Squeeze", &[&item, &dims], &[]))
}

fn permute(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let perm = call.ints("dims")?.into_iter().map(|dim| item.dim(dim)).collect::<Result<Vec<i64>>>()?;
    tensor(exporter.transpose(&item, &perm))
}

fn swap_dims(exporter: &mut Exporter<'_>, item: &Item, a: i64, b: i64) -> Result<Arg> {
    let mut perm: Vec<i64> = (0..item.rank()?).collect();
    if !perm.is_empty() {
        perm.swap(item.dim(a)? as usize, item.dim(b)? as usize);
    }
    tensor(exporter.transpose(item, &perm))
}

fn transpose(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let names = if call.base == "swapaxes" { ["axis0", "axis1"] } else { ["dim0", "dim1"] };
    swap_dims(exporter, &call.tensor("self")?, call.int(names[0])?, call.int(names[1])?)
}

fn swap_last(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    swap_dims(exporter, &call.tensor("self")?, -2, -1)
}

fn transpose_2d(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    if item.rank()? < 2 { tensor(item) } else { swap_dims(exporter, &item, 0, 1) }
}

fn numpy_t(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let perm: Vec<i64> = (0..item.rank()?).rev().collect();
    tensor(exporter.transpose(&item, &perm))
}

fn movedim(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let normal = |name: &str| call.ints(name)?.into_iter().map(|dim| item.dim(dim)).collect::<Result<Vec<i64>>>();
    let (from, to) = (normal("source")?, normal("destination")?);
    let mut pairs: Vec<(i64, i64)> = to.into_iter().zip(from.iter().copied()).collect();
    pairs.sort_unstable();
    let mut perm: Vec<i64> = (0..item.rank()?).filter(|dim| !from.contains(dim)).collect();
    for (position, dim) in pairs {
        perm.insert((position as usize).min(perm.len()), dim);
    }
    tensor(exporter.transpose(&item, &perm))
}

/// Expands a tensor. `-1` keeps a size, as 1 does in ONNX.
fn expand(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let mut dims = exporter.dims(call.args.get("size"))?;
    for dim in &mut dims {
        if matches!(dim, Dim::Int(-1)) {
            *dim = Dim::Int(1);
        }
    }
    let same = match (item.shape(), call.result()?.shape()) {
        (Some(before), Some(after)) => before == after,
        _ => false,
    };
    if same {
        return tensor(item);
    }
    let shape = exporter.shape(&dims)?;
    tensor(exporter.op("Expand", &[&item, &shape], &[]))
}

/// Prepends dimensions of size 1 up to a rank.
fn at_least(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let missing = i64::from(call.base == "atleast_2d") + 1 - item.rank()?;
    let dims: Vec<i64> = (0..missing).collect();
    if dims.is_empty() { tensor(item) } else { tensor(exporter.unsqueeze(&item, &dims)?) }
}

fn expand_as(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let (item, other) = (call.tensor("self")?, call.tensor("other")?);
    let shape = exporter.shape_of(&other)?;
    tensor(exporter.op("Expand", &[&item, &shape], &[]))
}

fn repeat(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let mut times = exporter.dims(call.args.get(if call.base == "tile" { "dims" } else { "repeats" }))?;
    let rank = item.rank()? as usize;
    while times.len() < rank {
        times.insert(0, Dim::Int(1));
    }
    let more: Vec<i64> = (0..(times.len() - rank) as i64).collect();
    let item = if more.is_empty() { item } else { exporter.unsqueeze(&item, &more)? };
    let times = exporter.shape(&times)?;
    tensor(exporter.op("Tile", &[&item, &times], &[]))
}

/// Repeats each element consecutively.
fn repeat_interleave(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    if call.args.schema.overload != "self_int" {
        return Err(Error::unsupported("with a number of repeats for each element"));
    }
    let mut item = call.tensor("self")?;
    let times = exporter.dim(call.args.get("repeats"))?;
    let dim = match call.args.get("dim") {
        Value::None => {
            let flat = exporter.reshape(&item, &[Dim::Int(-1)])?;
            item = Item { sizes: Some([lanthorn_program::graph::Size::Symbol(String::new())].into()), ..flat };
            0
        }
        _ => item.dim(call.int("dim")?)?,
    };
    let rank = item.rank()?;
    let column = exporter.unsqueeze(&item, &[dim + 1])?;
    let mut repeats: Vec<Dim> = (0..=rank).map(|_| Dim::Int(1)).collect();
    repeats[dim as usize + 1] = times;
    let repeats = exporter.shape(&repeats)?;
    let wide = exporter.op("Tile", &[&column, &repeats], &[]);
    // In ONNX, 0 keeps a size of the input. The sizes before the dimension are equal.
    let mut shape = vec![0; dim as usize];
    shape.push(-1);
    match (rank - dim - 1, call.result()?.shape()) {
        (0, _) => {}
        (_, Some(known)) => shape.extend(known.iter().skip(dim as usize + 1)),
        _ => {
            let mut dims = sizes(exporter, &item)?;
            dims[dim as usize] = Dim::Int(-1);
            return tensor(exporter.reshape(&wide, &dims)?);
        }
    }
    let shape = exporter.ints(&shape)?;
    tensor(exporter.op("Reshape", &[&wide, &shape], &[]))
}

fn size(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let number = |dim: Dim| match dim {
        Dim::Int(size) => Value::Int(size),
        Dim::Item(item) => Value::Tensor(item),
    };
    match call.args.get("dim") {
        Value::None => Ok(Value::List(sizes(exporter, &item)?.into_iter().map(number).collect())),
        _ => exporter.dim_of(&item, item.dim(call.int("dim")?)?).map(number),
    }
}

fn numel(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    if let Some(shape) = item.shape() {
        return Ok(Value::Int(shape.iter().product()));
    }
    let count = exporter.op_of("Size", &[&item], &[], Some(DType::I64));
    tensor(Item { is_number: true, sizes: Some([].into()), ..count })
}

fn dim_count(_: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    Ok(Value::Int(call.tensor("self")?.rank()?))
}

fn shape_as_tensor(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    tensor(exporter.shape_of(&call.tensor("self")?)?)
}

/// Rearranges blocks of pixels to channels.
fn pixel_unshuffle(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let factor = call.int("downscale_factor")?;
    if factor < 1 || item.rank()? < 3 {
        return Err(Error::malformed(format!("blocks of {factor} pixels")));
    }
    let rank = item.rank()?;
    let mut dims = sizes(exporter, &item)?;
    let (height, width) = (item.size(-2)?, item.size(-1)?);
    dims.splice(rank as usize - 2.., [height / factor, factor, width / factor, factor].map(Dim::Int));
    let blocks = exporter.reshape(&item, &dims)?;
    let mut perm: Vec<i64> = (0..rank - 2).collect();
    perm.extend([rank - 1, rank + 1, rank - 2, rank]);
    let moved = exporter.transpose(&blocks, &perm);
    let result = call.result()?.clone();
    tensor(exporter.reshape_to(&moved, &result, |_| Err(Error::unsupported("of dynamic sizes")))?)
}

fn channel_shuffle(exporter: &mut Exporter<'_>, call: &Call) -> Result<Arg> {
    let item = call.tensor("self")?;
    let (groups, rank) = (call.int("groups")?, item.rank()?);
    let mut dims = sizes(exporter, &item)?;
    let channels = item.size(1)?;
    dims.splice(1..2, [Dim::Int(groups), Dim::Int(channels / groups.max(1))]);
    let split = exporter.reshape(&item, &dims)?;
    let mut perm: Vec<i64> = (0..=rank).collect();
    perm.swap(1, 2);
    let moved = exporter.transpose(&split, &perm);
    let dims = sizes(exporter, &item)?;
    tensor(exporter.reshape(&moved, &dims)?)
}

impl Exporter<'_> {
    /// Moves dimensions to the front.
    pub fn move_to_front(&mut self, item: &Item, dims: &[i64]) -> Result<Item> {
        let mut perm = dims.to_vec();
        perm.extend((0..item.rank()?).filter(|dim| !dims.contains(dim)));
        Ok(self.transpose(item, &perm))
    }
}
