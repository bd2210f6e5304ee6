//! A call as its caller wrote it.

use crate::{
    Caller, Handle, Language, Refusal, Value,
    texts::{self, fill},
};
use lanthorn_schema::{ArgKind, Param, ParamType, Schema};
use std::ops::Range;

/// The arguments of a call as the caller gave them, by position and by name.
///
/// ```
/// use lanthorn_call::{Call, Value};
/// use lanthorn_schema::Schema;
/// let text = "sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor";
/// let schema = Schema::parse(text).unwrap();
/// let call = Call::<usize>::new(vec![7usize.into()]).with("keepdim", true);
/// let values = call.arrange(&schema).unwrap();
/// assert!(matches!(values[..], [Value::Tensor(7), Value::Missing, Value::Scalar(_)]));
/// let refusal = call.with("dims", 0).arrange(&schema).unwrap_err();
/// assert_eq!(refusal.text, "there is no argument \"dims\"; there are self, dim, keepdim");
/// ```
#[derive(Clone, Debug)]
pub struct Call<T: Handle> {
    /// The arguments: those by position, then those by name.
    pub values: Vec<Value<T>>,
    /// The names of the last arguments.
    pub names: Vec<String>,
    /// Whether the first argument is the receiver of a method, which messages do not count.
    pub has_receiver: bool,
    /// The caller, as errors name it.
    pub caller: Caller,
}

/// Where the argument of a parameter is among the values of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Not given.
    Missing,
    /// One argument.
    One(usize),
    /// Several arguments, which are the elements of a list.
    Spread(Range<usize>),
}

impl<T: Handle> Call<T> {
    /// A call with arguments by position.
    pub fn new(values: Vec<Value<T>>) -> Call<T> {
        Call { values, names: Vec::new(), has_receiver: false, caller: Caller::PYTHON }
    }

    /// The call with a further argument by name.
    pub fn with(mut self, name: &str, value: impl Into<Value<T>>) -> Call<T> {
        self.values.push(value.into());
        self.names.push(name.to_string());
        self
    }

    /// The number of arguments by position.
    fn positional(&self) -> usize {
        self.values.len().saturating_sub(self.names.len())
    }

    /// The arguments in the schema's order, [`Value::Missing`] for those that are not given.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] for too many arguments by position, for one with an unknown name, and for one
    /// that is given twice.
    pub fn arrange(&self, schema: &Schema) -> Result<Vec<Value<T>>, Refusal> {
        Ok(self.locate(schema)?.iter().map(|source| self.value(source)).collect())
    }

    /// The argument of a parameter.
    pub(crate) fn value(&self, source: &Source) -> Value<T> {
        match source {
            Source::Missing => Value::Missing,
            Source::One(index) => self.values[*index].clone(),
            Source::Spread(range) => Value::list(&self.values[range.clone()]),
        }
    }

    /// The kind of the argument of a parameter.
    pub(crate) fn kind(&self, source: &Source) -> ArgKind {
        match source {
            Source::Missing => ArgKind::Missing,
            Source::One(index) => self.values[*index].kind(),
            Source::Spread(range) => Value::list(&self.values[range.clone()]).kind(),
        }
    }

    /// Which arguments belong to each parameter.
    pub(crate) fn locate(&self, schema: &Schema) -> Result<Vec<Source>, Refusal> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let form = Form {
            positional: self.positional(),
            names: &names,
            has_receiver: self.has_receiver,
            caller: self.caller,
            is_item: &|index| self.values[index].is_item(),
            is_missing: &|index| matches!(self.values[index], Value::Missing),
        };
        form.locate(schema)
    }
}

/// The form of a call, whatever its values are: those by position are first, then those by name.
pub struct Form<'a> {
    /// The number of values by position.
    pub positional: usize,
    /// The names of the others.
    pub names: &'a [&'a str],
    /// Whether the first value is the receiver of a method, which messages do not count.
    pub has_receiver: bool,
    /// The caller, as errors name it.
    pub caller: Caller,
    /// Whether the value at an index may be an element of a list that is given as separate
    /// arguments.
    pub is_item: &'a dyn Fn(usize) -> bool,
    /// Whether the value at an index counts as not given.
    pub is_missing: &'a dyn Fn(usize) -> bool,
}

/// NumPy's names of parameters, which PyTorch accepts, too.
pub const OTHER_NAMES: [(&str, &str); 3] = [("axis", "dim"), ("keepdims", "keepdim"), ("x2", "other")];

/// The name of a parameter for which a call may use NumPy's name.
fn other_name(name: &str) -> Option<&'static str> {
    OTHER_NAMES.iter().find(|(other, _)| *other == name).map(|(_, name)| *name)
}

impl Form<'_> {
    /// Which values belong to each parameter of a schema.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] for too many values by position, for an unknown name, and for an argument that
    /// is given twice.
    pub fn locate(&self, schema: &Schema) -> Result<Vec<Source>, Refusal> {
        let params = &schema.params;
        let (count, limit) = (self.positional, schema.positional());
        let spread = schema.spread().filter(|&index| index < count && (self.is_item)(index));
        if spread.is_none() && count > limit {
            return Err(self.too_many(schema));
        }
        let mut sources = vec![Source::Missing; params.len()];
        for (index, source) in sources.iter_mut().enumerate().take(spread.unwrap_or(count)) {
            *source = Source::One(index);
        }
        if let Some(index) = spread {
            sources[index] = Source::Spread(index..count);
        }
        for (name, index) in self.names.iter().zip(count..) {
            let position = |name: &str| params.iter().position(|param| self.caller.language.name(&param.name) == name);
            let param = position(name).or_else(|| position(other_name(name)?));
            let param = param.ok_or_else(|| self.unknown(schema, name))?;
            let is_given = match &sources[param] {
                Source::Missing => false,
                Source::One(index) => !(self.is_missing)(*index),
                Source::Spread(_) => true,
            };
            if is_given {
                return Err(Refusal::new(self.caller.op(schema), fill(texts::TWICE, &[("name", name)])));
            }
            sources[param] = Source::One(index);
        }
        Ok(sources)
    }

    fn too_many(&self, schema: &Schema) -> Refusal {
        let receiver = usize::from(self.has_receiver);
        let (count, limit) = (self.positional - receiver, schema.positional().saturating_sub(receiver));
        let rest: Vec<&Param> = schema.params.iter().filter(|param| param.keyword_only).collect();
        let rest = self.names_of(&rest);
        let hint = match rest.is_empty() {
            true => String::new(),
            false => fill(texts::BY_NAME, &[("names", &rest), ("form", self.caller.language.by_name())]),
        };
        let parts = [("limit", &*limit.to_string()), ("count", &*count.to_string())];
        Refusal::new(self.caller.op(schema), fill(texts::TOO_MANY, &parts) + &hint)
    }

    fn unknown(&self, schema: &Schema, name: &str) -> Refusal {
        let known: Vec<&Param> = schema.params.iter().skip(usize::from(self.has_receiver)).collect();
        let known = self.names_of(&known);
        let hint = if known.is_empty() { String::new() } else { fill(texts::KNOWN, &[("names", &known)]) };
        Refusal::new(self.caller.op(schema), fill(texts::UNKNOWN, &[("name", &format!("{name:?}"))]) + &hint)
    }

    /// The names that the caller may use. JavaScript has no argument for the device.
    fn names_of(&self, params: &[&Param]) -> String {
        let language = self.caller.language;
        let is_named = |param: &&&Param| language == Language::Python || param.ty != ParamType::OptionalDevice;
        let names = params.iter().filter(is_named).map(|param| language.name(&param.name));
        names.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOL: &str =
        "pool(Tensor self, int[] kernel_size, *, bool return_indices=False, Device? device=None) -> Tensor";

    fn refusal(call: Call<usize>, schema: &str) -> String {
        let call = Call { has_receiver: true, caller: Language::JavaScript.into(), ..call };
        call.arrange(&Schema::parse(schema).unwrap()).unwrap_err().text
    }

    #[test]
    fn arguments_that_are_one_too_many_unknown_or_given_twice_are_refused_by_the_callers_names() {
        let call = || Call::<usize>::new(vec![1usize.into(), Value::Ints(vec![2])]);
        let extra = Call::<usize>::new(vec![1usize.into(), Value::Ints(vec![2]), true.into()]);
        assert_eq!(
            refusal(extra, POOL),
            "takes at most 1 positional arguments, 2 were given; give returnIndices in an object"
        );
        assert_eq!(
            refusal(call().with("return_indices", true), POOL),
            "there is no argument \"return_indices\"; there are kernelSize, returnIndices"
        );
        assert_eq!(refusal(call().with("kernelSize", 2), POOL), "the argument kernelSize is given twice");
    }

    #[test]
    fn names_of_numpy_stand_for_those_of_a_schema() {
        let schema = Schema::parse("sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor").unwrap();
        let call = Call::<usize>::new(vec![1usize.into()]).with("axis", 0).with("keepdims", true);
        let values = call.arrange(&schema).unwrap();
        assert!(matches!(&values[1], Value::Scalar(dim) if dim.to_int() == Some(0)));
        assert!(matches!(&values[2], Value::Scalar(keep) if keep.to_f64() == 1.0));
        assert_eq!(
            refusal(call.with("dim", 1), "sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"),
            "the argument dim is given twice"
        );
    }

    #[test]
    fn a_list_at_the_end_may_be_separate_arguments() {
        let schema = Schema::parse("reshape(Tensor self, int[] shape) -> Tensor").unwrap();
        let call = Call::<usize>::new(vec![1usize.into(), 2.into(), 3.into()]);
        assert!(matches!(&call.arrange(&schema).unwrap()[1], Value::Ints(values) if values == &[2, 3]));
        let sum = Schema::parse("sum(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor").unwrap();
        let call = Call::<usize>::new(vec![1usize.into(), 2.into(), true.into()]);
        assert!(matches!(call.arrange(&sum).unwrap()[1..], [Value::Scalar(_), Value::Scalar(_)]));
    }
}
