//! Raises operations whose operator is lowered by a function.

use super::Wanted;
use crate::{Value, value};
use lanthorn_schema::Schema;

/// The arguments of an operation by its schema.
pub(super) struct Given<'a, T: 'static> {
    pub schema: &'a Schema,
    pub args: &'a [Value<T>],
    pub shape: &'a dyn Fn(&T) -> Vec<i64>,
}

impl<T: Clone> Given<'_, T> {
    fn get(&self, name: &str) -> Value<T> {
        let index = self.schema.params.iter().position(|param| param.name == name);
        index.and_then(|index| self.args.get(index)).cloned().unwrap_or(Value::None)
    }

    fn is_given(&self, name: &str) -> bool {
        !matches!(self.get(name), Value::None)
    }

    /// Returns the number of a mode that the operator specifies by number.
    fn number_of(&self, name: &str, modes: &[&str]) -> Option<Value<T>> {
        let Value::Str(mode) = self.get(name) else { return None };
        Some(Value::Int(modes.iter().position(|known| *known == mode)? as i64))
    }

    /// Returns the last dimensions of the input's shape.
    fn spatial_sizes(&self, count: usize) -> Option<Vec<i64>> {
        let shape = (self.shape)(self.get("self").as_tensor()?);
        Some(shape[shape.len().checked_sub(count)?..].to_vec())
    }

    /// Returns an argument with a number for each of `count` dimensions. An omitted argument is
    /// `default`.
    fn per_dimension(&self, name: &str, count: usize, default: &[i64]) -> Option<Vec<i64>> {
        let given = value::as_ints(&self.get(name))?;
        let given = if given.is_empty() { default } else { &given[..] };
        let one = |index: usize| given.get(index).or(given.first()).copied();
        (0..count).map(one).collect()
    }

    fn rank(&self, name: &str) -> Option<usize> {
        Some((self.shape)(self.get(name).as_tensor()?).len())
    }
}

/// The operator and its arguments, or `None` if no operator matches the call.
type Called<T> = Option<(&'static str, Wanted<T>)>;

macro_rules! functions {
    ($($name:literal => $function:ident,)*) => {
        /// The operations that have a function.
        const NAMES: &[&str] = &[$($name),*];

        /// Returns the operator and its arguments.
        pub(super) fn run<T: Clone>(index: usize, given: &Given<'_, T>) -> Called<T> {
            let functions: &[fn(&Given<'_, T>) -> Called<T>] = &[$($function),*];
            functions[index](given)
        }
    };
}

functions! {
    "to" => to,
    "copy" => copy,
    "detach" => detach,
    "embedding" => embedding,
    "fill" => fill,
    "gru_cell" => gru_cell,
    "lstm_cell" => lstm_cell,
    "rnn_relu_cell" => rnn_relu_cell,
    "rnn_tanh_cell" => rnn_tanh_cell,
    "grid_sample" => grid_sample,
    "interpolate" => interpolate,
    "index_tensors" => index,
    "one_hot" => one_hot,
    "max_unpool2d" => max_unpool2d,
    "max_unpool3d" => max_unpool3d,
    "nll_loss" => nll_loss,
}

/// Returns the index of an operation's function.
pub(super) fn find(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}

fn to<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    Some(("to.dtype", vec![("self", given.get("self")), ("dtype", given.get("dtype"))]))
}

fn copy<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    Some(("copy", vec![("self", given.get("self")), ("src", given.get("src"))]))
}

fn detach<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    Some(("detach", vec![("self", given.get("self"))]))
}

fn embedding<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    if given.is_given("max_norm") {
        return None;
    }
    let padding = if given.is_given("padding_idx") { given.get("padding_idx") } else { Value::Int(-1) };
    let scaled = given.get("scale_grad_by_freq");
    let wanted = [("weight", given.get("weight")), ("indices", given.get("indices"))];
    Some(("embedding", wanted.into_iter().chain([("padding_idx", padding), ("scale_grad_by_freq", scaled)]).collect()))
}

fn fill<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    let value = given.get("value");
    let name = if value.as_tensor().is_some() { "fill.Tensor" } else { "fill.Scalar" };
    Some((name, vec![("self", given.get("self")), ("value", value)]))
}

fn grid_sample<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    let mode = given.number_of("mode", &["bilinear", "nearest", "bicubic"])?;
    let padding = given.number_of("padding_mode", &["zeros", "border", "reflection"])?;
    let corners = Value::Bool(given.get("align_corners").as_bool().unwrap_or(false));
    let wanted = vec![
        ("input", given.get("self")),
        ("grid", given.get("grid")),
        ("interpolation_mode", mode),
        ("padding_mode", padding),
        ("align_corners", corners),
    ];
    Some(("grid_sampler", wanted))
}

fn interpolate<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    let Value::Str(mode) = given.get("mode") else { return None };
    // A scale that is recomputed follows from the size.
    if given.get("recompute_scale_factor").as_bool() == Some(true) || given.get("antialias").as_bool() == Some(true) {
        return None;
    }
    let (name, corners) = match (mode.as_str(), given.rank("self")?) {
        ("nearest", 3) => ("upsample_nearest1d.vec", false),
        ("nearest", 4) => ("upsample_nearest2d.vec", false),
        ("nearest", 5) => ("upsample_nearest3d.vec", false),
        ("nearest-exact", 3) => ("_upsample_nearest_exact1d.vec", false),
        ("nearest-exact", 4) => ("_upsample_nearest_exact2d.vec", false),
        ("nearest-exact", 5) => ("_upsample_nearest_exact3d.vec", false),
        ("linear", 3) => ("upsample_linear1d.vec", true),
        ("bilinear", 4) => ("upsample_bilinear2d.vec", true),
        ("bicubic", 4) => ("upsample_bicubic2d.vec", true),
        ("trilinear", 5) => ("upsample_trilinear3d.vec", true),
        _ => return None,
    };
    let mut wanted = vec![("input", given.get("self"))];
    if given.is_given("size") {
        wanted.push(("output_size", spatial(given, "size")));
    } else {
        wanted.push(("scale_factors", spatial(given, "scale_factor")));
    }
    if corners {
        wanted.push(("align_corners", Value::Bool(given.get("align_corners").as_bool().unwrap_or(false))));
    }
    Some((name, wanted))
}

/// Returns a number for each spatial dimension; a single number applies to all.
fn spatial<T: Clone>(given: &Given<'_, T>, name: &str) -> Value<T> {
    let value = given.get(name);
    let dims = given.rank("self").map_or(0, |rank| rank.saturating_sub(2));
    match &value {
        Value::List(items) if items.len() == 1 => Value::List(vec![items[0].clone(); dims]),
        Value::Int(_) | Value::Float(_) => Value::List(vec![value; dims]),
        _ => value,
    }
}

fn index<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    Some(("index.Tensor", vec![("self", given.get("self")), ("indices", given.get("indices"))]))
}

/// Raises one step of a recurrent cell for a batch.
fn cell<T: Clone>(name: &'static str, given: &Given<'_, T>) -> Called<T> {
    let names = ["input", "hx", "w_ih", "w_hh", "b_ih", "b_hh"];
    (given.rank("input") == Some(2)).then(|| (name, names.map(|name| (name, given.get(name))).into()))
}

fn gru_cell<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    cell("gru_cell", given)
}

fn lstm_cell<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    cell("lstm_cell", given)
}

fn rnn_relu_cell<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    cell("rnn_relu_cell", given)
}

fn rnn_tanh_cell<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    cell("rnn_tanh_cell", given)
}

fn nll_loss<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    let names = ["self", "target", "weight", "reduction", "ignore_index"];
    Some(("nll_loss_nd", names.map(|name| (name, given.get(name))).into()))
}

fn one_hot<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    Some(("one_hot", vec![("self", given.get("self")), ("num_classes", given.get("num_classes"))]))
}

fn max_unpool2d<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    let sizes = unpooled_sizes(given, 2)?;
    let wanted = [("self", given.get("self")), ("indices", given.get("indices")), ("output_size", value::ints(sizes))];
    Some(("max_unpool2d", wanted.into()))
}

fn max_unpool3d<T: Clone>(given: &Given<'_, T>) -> Called<T> {
    let sizes = unpooled_sizes(given, 3)?;
    let kernel = given.per_dimension("kernel_size", 3, &[])?;
    let stride = given.per_dimension("stride", 3, &kernel)?;
    let padding = given.per_dimension("padding", 3, &[0])?;
    let wanted = [
        ("self", given.get("self")),
        ("indices", given.get("indices")),
        ("output_size", value::ints(sizes)),
        ("stride", value::ints(stride)),
        ("padding", value::ints(padding)),
    ];
    Some(("max_unpool3d", wanted.into()))
}

/// Returns the spatial sizes of an unpooled result: the given sizes, or the smallest whose pooling
/// has the input's sizes.
fn unpooled_sizes<T: Clone>(given: &Given<'_, T>, spatial: usize) -> Option<Vec<i64>> {
    if given.is_given("output_size") {
        let sizes = value::as_ints(&given.get("output_size"))?;
        return Some(sizes[sizes.len().saturating_sub(spatial)..].to_vec());
    }
    let kernel = given.per_dimension("kernel_size", spatial, &[])?;
    let stride = given.per_dimension("stride", spatial, &kernel)?;
    let padding = given.per_dimension("padding", spatial, &[0])?;
    let size = |(d, size): (usize, i64)| (size - 1) * stride[d] - 2 * padding[d] + kernel[d];
    Some(given.spatial_sizes(spatial)?.into_iter().enumerate().map(size).collect())
}
