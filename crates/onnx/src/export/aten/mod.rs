//! Exports calls of ATen operators.
//!
//! An operator that is an expression of ONNX operators is a row of text in `rows/` ([`rows`]).
//! Other operators are small functions, in a file for each family. In-place forms need neither:
//! their result becomes a new value.

mod attention;
mod complex;
mod convolutions;
mod factories;
mod image;
mod indexing;
mod joins;
mod losses;
mod norms;
mod pointwise;
mod pooling;
mod products;
mod recurrent;
mod reductions;
mod rows;
mod scatters;
mod searches;
mod shapes;

use super::{
    Exporter,
    frame::Frame,
    item::{Arg, Item},
};
use lanthorn_io::DType;
use lanthorn_program::{
    Error, Result, Value, aten,
    graph::{Node, Results, ValueId},
    operators::{Args, Numbers, Operator, of_default},
    value::kind,
};
use lanthorn_schema::ArgKind;

/// Writes the nodes of a call.
type Function = for<'a, 'p> fn(&'a mut Exporter<'p>, &'a Call) -> Result<Arg>;

/// The functions by ATen's names.
type Functions = &'static [(&'static str, Function)];

const FAMILIES: [Functions; 17] = [
    attention::FUNCTIONS,
    complex::FUNCTIONS,
    convolutions::FUNCTIONS,
    factories::FUNCTIONS,
    image::FUNCTIONS,
    indexing::FUNCTIONS,
    joins::FUNCTIONS,
    losses::FUNCTIONS,
    norms::FUNCTIONS,
    pointwise::FUNCTIONS,
    pooling::FUNCTIONS,
    products::FUNCTIONS,
    recurrent::FUNCTIONS,
    reductions::FUNCTIONS,
    scatters::FUNCTIONS,
    searches::FUNCTIONS,
    shapes::FUNCTIONS,
];

/// The largest number in arithmetic on sizes.
const MAX_SIZE: u64 = 1 << 30;

/// The most elements of a constant that the exporter computes.
const MAX_ELEMENTS: i64 = 1 << 22;

/// Returns an error if a constant would have too many elements.
fn check_count(sizes: &[i64]) -> Result<()> {
    let count = sizes.iter().try_fold(1i64, |count, &size| count.checked_mul(size));
    let fits = |count: &i64| *count <= MAX_ELEMENTS && sizes.iter().all(|&size| size >= 0);
    match count.filter(fits) {
        Some(_) => Ok(()),
        None => Err(Error::unsupported(format!("with a constant of the sizes {sizes:?}"))),
    }
}

/// A call of an operator of ATen.
pub struct Call {
    /// The operator's name without the overload.
    pub base: String,
    /// The arguments.
    pub args: Args<Item>,
    /// The results, with the types and sizes that the graph knows.
    pub results: Vec<Item>,
}

impl Call {
    /// Returns a tensor argument; a number becomes a tensor.
    pub fn tensor(&self, name: &str) -> Result<Item> {
        self.args.tensor(name).cloned()
    }

    /// Returns a tensor argument that may be omitted.
    pub fn optional(&self, name: &str) -> Option<Item> {
        self.args.get(name).as_tensor().cloned()
    }

    /// Returns the tensors of a list argument.
    pub fn tensors(&self, name: &str) -> Result<Vec<Item>> {
        let items = self.args.get(name).as_list().unwrap_or_default();
        let tensor = |item: &Arg| item.as_tensor().cloned();
        let tensors = items.iter().map(tensor).collect::<Option<Vec<Item>>>();
        tensors.ok_or_else(|| Error::unsupported(format!("a list {name} with something else than tensors")))
    }

    /// Returns the first result.
    pub fn result(&self) -> Result<&Item> {
        self.results.first().ok_or_else(|| Error::malformed(format!("{} without a result", self.base)))
    }

    /// Returns the element type of the first result.
    pub fn dtype(&self) -> Result<DType> {
        self.result()?.dtype()
    }

    /// Returns constant integers, one for each spatial dimension. A single integer applies to all
    /// dimensions.
    pub fn per_dim(&self, name: &str, count: usize) -> Result<Vec<i64>> {
        let ints = self.ints(name)?;
        match &ints[..] {
            [one] => Ok(vec![*one; count]),
            _ if ints.len() == count => Ok(ints),
            _ => Err(Error::malformed(format!("{ints:?} as {name} of {count} dimensions"))),
        }
    }

    /// Returns constant integers that arithmetic on sizes accepts.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>> {
        let dynamic = |_| Error::unsupported(format!("{name} that the model computes"));
        let ints = self.args.ints(name).map_err(dynamic)?;
        match ints.iter().find(|value| value.unsigned_abs() > MAX_SIZE) {
            Some(value) => Err(Error::unsupported(format!("{value} as {name}"))),
            None => Ok(ints),
        }
    }

    /// Returns a constant integer.
    pub fn int(&self, name: &str) -> Result<i64> {
        let dynamic = || Error::unsupported(format!("{name} that the model computes"));
        let value = self.args.get(name).as_int().ok_or_else(dynamic)?;
        match value.unsigned_abs() > MAX_SIZE {
            true => Err(Error::unsupported(format!("{value} as {name}"))),
            false => Ok(value),
        }
    }

    /// Returns a constant integer, or a default.
    pub fn int_or(&self, name: &str, default: i64) -> Result<i64> {
        if self.args.is_given(name) { self.int(name) } else { Ok(default) }
    }

    /// Returns a constant number, or a default.
    pub fn float_or(&self, name: &str, default: f64) -> Result<f64> {
        match self.args.get(name) {
            Value::None => Ok(default),
            value => value.as_float().ok_or_else(|| Error::unsupported(format!("{name} that the model computes"))),
        }
    }
}

impl Exporter<'_> {
    /// Writes a call of a node. Returns `None` if the call has no result.
    pub fn aten(
        &mut self,
        frame: &mut Frame<'_>,
        index: usize,
        node: &Node,
        name: &str,
        target: aten::Target,
    ) -> Result<Option<Arg>> {
        let base = name.split('.').next().unwrap_or(name);
        if base.contains("assert") || base.starts_with("sym_constrain") {
            return Ok(None);
        }
        let mut call = bind(frame, node, name, target)?;
        let Some(functional) = functional(base) else {
            let result = self.call(&call)?;
            super::views::note(frame, index, node, base);
            return Ok(Some(result));
        };
        call.base = functional;
        let Some(written) = node.operands().next().and_then(super::views::value_of) else {
            return Err(Error::unsupported("a write to something else than a tensor"));
        };
        let Some(Value::Tensor(before)) = frame.values.get(written).cloned().flatten() else {
            return Err(Error::malformed("a write to a value that is not defined"));
        };
        let before = before.with_meta(frame.graph.meta(written));
        call.results = vec![before.clone()];
        let result = match self.call(&call)? {
            Value::Tensor(item) => match (before.dtype, item.dtype) {
                (Some(dtype), Some(found)) if dtype != found => self.cast(&item, dtype),
                _ => item,
            },
            _ => return Err(Error::unsupported("a write of several values")),
        };
        let result = Item { dtype: before.dtype, sizes: before.sizes, ..result };
        self.assign(frame, written, result.clone())?;
        super::views::note_same(frame, node, written);
        Ok(Some(Value::Tensor(result)))
    }

    /// Writes a bound call.
    pub fn call(&mut self, call: &Call) -> Result<Arg> {
        if let Some(row) = rows::find(&call.args.schema.full_name(), &call.base) {
            return Ok(Value::Tensor(self.row(row, call)?));
        }
        let known = FAMILIES.iter().flat_map(|functions| functions.iter());
        match known.into_iter().find(|(name, _)| *name == call.base) {
            Some((_, function)) => function(self, call),
            None => Err(Error::unsupported("")),
        }
    }
}

/// Returns the functional form of an in-place operator's name.
fn functional(base: &str) -> Option<String> {
    if matches!(base, "detach_" | "requires_grad_") {
        return None;
    }
    if let Some(rest) = base.strip_prefix("__i") {
        return Some(format!("__{rest}"));
    }
    base.strip_suffix('_').filter(|rest| !rest.ends_with('_')).map(str::to_string)
}

/// Binds the arguments of a node, with defaults for missing ones.
pub fn bind(frame: &Frame<'_>, node: &Node, name: &str, target: aten::Target) -> Result<Call> {
    let args = node.args.iter().map(|arg| frame.resolve(arg)).collect::<Result<Vec<Arg>>>()?;
    let named = node.named.iter().map(|(name, arg)| Ok((name.as_str(), frame.resolve(arg)?)));
    let named = named.collect::<Result<Vec<(&str, Arg)>>>()?;
    let (base, overload) = name.split_once('.').unwrap_or((name, ""));
    let overload = if overload == "default" { "" } else { overload };
    let fitting = |numbers: Numbers| {
        let fitting = target.operators().iter().filter(|operator| fits(operator, &args, &named, numbers));
        fitting.min_by_key(|operator| operator.schema.overload != overload)
    };
    let operator = fitting(Numbers::Apart).or_else(|| fitting(Numbers::AsTensors));
    let operator = operator.ok_or_else(|| Error::unsupported("no overload takes the arguments"))?;
    let schema = &operator.schema;
    let value = |(index, param): (usize, &lanthorn_schema::Param)| {
        let named = named.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value.clone());
        let given = args.get(index).cloned().or(named);
        given.or_else(|| param.default.as_ref().map(of_default)).unwrap_or(Value::None)
    };
    let values = schema.params.iter().enumerate().map(value).collect();
    let item_of = |id: ValueId| match frame.describe(id, Value::Tensor(Item::none())) {
        Value::Tensor(item) => item,
        _ => Item::none(),
    };
    let results = match &node.results {
        Results::None => vec![],
        Results::One(id) => vec![item_of(*id)],
        Results::Several(ids) => ids.iter().map(|id| id.map_or_else(Item::none, item_of)).collect(),
    };
    Ok(Call { base: base.to_string(), args: Args { schema, values }, results })
}

/// Whether an overload accepts arguments of these kinds. A number that the model computes counts as
/// a number.
fn fits(operator: &Operator, args: &[Arg], named: &[(&str, Arg)], numbers: Numbers) -> bool {
    let params = &operator.schema.params;
    if args.len() > params.len() || named.iter().any(|(name, _)| !params.iter().any(|param| param.name == *name)) {
        return false;
    }
    let is_number = |value: &Arg| matches!(value, Value::Tensor(item) if item.is_number);
    params.iter().enumerate().all(|(index, param)| {
        let named = named.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value);
        let Some(value) = args.get(index).or(named) else { return param.default.is_some() };
        let has = |kind: ArgKind| param.kinds().contains(kind);
        match value {
            Value::Str(_) | Value::None => true,
            Value::Int(_) | Value::Bool(_) | Value::Float(_) => numbers == Numbers::AsTensors || !has(ArgKind::Tensor),
            value if is_number(value) => numbers == Numbers::AsTensors || !has(ArgKind::Tensor),
            Value::List(items) | Value::Tuple(items) if items.iter().any(is_number) => {
                has(ArgKind::Ints) || has(ArgKind::Floats)
            }
            value => kind(value).is_none_or(has),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_function_is_an_operator_of_aten_that_has_no_row() {
        let mut names = HashSet::new();
        for (name, _) in FAMILIES.iter().flat_map(|functions| functions.iter()) {
            assert!(names.insert(name), "{name} is there twice");
            assert!(aten::find(name).is_some() || aten::find(&format!("{name}_")).is_some(), "{name}");
            assert!(rows::find(name, name).is_none(), "{name} has a row");
        }
    }
}
