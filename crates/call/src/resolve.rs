//! The overload that takes the arguments of a call.
//!
//! Overloads are tried in order. First every argument must be of a kind that its parameter accepts;
//! then arrays of the caller's language also stand for tensors. If no overload takes the arguments,
//! the overload that accepts the most of them refuses the call.

use crate::{Call, Handle, Refusal, Value, bind, call::Source};
use lanthorn_schema::{ArgKind, Param, ParamType, Schema};

/// The result of [`resolve`].
#[derive(Clone, Debug)]
pub enum Resolved<T: Handle> {
    /// The overload with this index takes the arguments, which are in the order of its schema.
    Overload(usize, Vec<Value<T>>),
    /// An overload takes the arguments if the caller makes tensors of these: each by its position
    /// in [`Call::values`], with the name of its parameter in the caller's language.
    Arrays(Vec<(usize, String)>),
}

/// The first overload that takes the arguments of a call.
///
/// # Errors
///
/// The [`Refusal`] of the overload that accepts the most arguments, if there is none.
///
/// ```
/// use lanthorn_call::{Call, Resolved, resolve};
/// use lanthorn_schema::Schema;
/// let first = Schema::parse("max(Tensor self) -> Tensor").unwrap();
/// let second = Schema::parse("max.dim(Tensor self, int dim) -> (Tensor, Tensor)").unwrap();
/// let call = Call::<usize>::new(vec![7usize.into(), 1.into()]);
/// assert!(matches!(resolve(&[&first, &second], &call), Ok(Resolved::Overload(1, _))));
/// ```
pub fn resolve<T: Handle>(overloads: &[&Schema], call: &Call<T>) -> Result<Resolved<T>, Refusal> {
    let located: Vec<_> = overloads.iter().map(|schema| call.locate(schema)).collect();
    for (index, (schema, sources)) in overloads.iter().zip(&located).enumerate() {
        if let Ok(sources) = sources
            && schema.params.iter().zip(sources).all(|(param, source)| param.kinds().contains(call.kind(source)))
        {
            return Ok(Resolved::Overload(index, sources.iter().map(|source| call.value(source)).collect()));
        }
    }
    for (schema, sources) in overloads.iter().zip(&located) {
        if let Ok(sources) = sources
            && let Some(arrays) = arrays(schema, call, sources)
        {
            return Ok(Resolved::Arrays(arrays));
        }
    }
    Err(refuse(overloads, call, located))
}

/// Whether the parameters of a schema accept arguments of these kinds, in its order.
pub fn fits<T: Handle>(schema: &Schema, given: &[Value<T>]) -> bool {
    let kind = |index: usize| given.get(index).map_or(ArgKind::Missing, Value::kind);
    given.len() <= schema.params.len()
        && schema.params.iter().enumerate().all(|(index, param)| param.kinds().contains(kind(index)))
}

/// The arguments of which the caller has to make tensors so that a schema takes them all.
fn arrays<T: Handle>(schema: &Schema, call: &Call<T>, sources: &[Source]) -> Option<Vec<(usize, String)>> {
    let mut arrays = Vec::new();
    for (param, source) in schema.params.iter().zip(sources) {
        let kind = call.kind(source);
        match source {
            Source::One(index) if is_tensor(param) && is_array(kind) => {
                arrays.push((*index, call.caller.language.name(&param.name).into_owned()));
            }
            _ if param.kinds().contains(kind) => {}
            _ => return None,
        }
    }
    Some(arrays)
}

fn is_tensor(param: &Param) -> bool {
    matches!(param.ty, ParamType::Tensor | ParamType::OptionalTensor | ParamType::TensorOrScalar)
}

fn is_array(kind: ArgKind) -> bool {
    use ArgKind as K;
    matches!(kind, K::Array | K::Ints | K::Floats | K::PartialInts | K::Empty | K::Nulls)
}

/// The refusal of the overload that accepts the most arguments.
fn refuse<T: Handle>(overloads: &[&Schema], call: &Call<T>, located: Vec<Result<Vec<Source>, Refusal>>) -> Refusal {
    let mut nearest: Option<(usize, Refusal)> = None;
    for (schema, sources) in overloads.iter().zip(located) {
        let (count, refusal) = match sources {
            Err(refusal) => (0, refusal),
            Ok(sources) => {
                let accepts = |(param, source): &(&Param, &Source)| may_accept(param, call.kind(source));
                let count = schema.params.iter().zip(&sources).take_while(accepts).count();
                let values: Vec<Value<T>> = sources.iter().map(|source| call.value(source)).collect();
                match bind(schema, &values, call.caller) {
                    Err(refusal) => (count + 1, refusal),
                    // Kinds decide before values do, so a schema that binds was found before.
                    Ok(_) => continue,
                }
            }
        };
        if nearest.as_ref().is_none_or(|(most, _)| count > *most) {
            nearest = Some((count, refusal));
        }
    }
    let none = || Refusal::new(call.caller.name.unwrap_or("call"), "there is no overload");
    nearest.map_or_else(none, |(_, refusal)| refusal)
}

/// Whether a parameter accepts a value of the kind, or of the kind that the caller may have meant:
/// a whole number where it is a fraction, and elements of lists alike.
fn may_accept(param: &Param, kind: ArgKind) -> bool {
    use ArgKind as K;
    let meant = match kind {
        K::Float => K::Int,
        K::Floats | K::PartialInts => K::Ints,
        K::OptionalTensors => K::Tensors,
        kind => kind,
    };
    param.kinds().contains(kind) || param.kinds().contains(meant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Foreign, Language};

    const STD: [&str; 3] = [
        "std(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> Tensor",
        "std.unbiased(Tensor self, bool unbiased) -> Tensor",
        "std.dim(Tensor self, int[]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
    ];
    const ATLEAST: [&str; 2] =
        ["atleast_1d(Tensor tensor) -> Tensor", "atleast_1d.sequence(Tensor[] tensors) -> Tensor[]"];
    const CLAMP: [&str; 2] = [
        "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
        "clamp.tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    ];

    fn select(overloads: &[&str], call: &Call<usize>) -> Result<Resolved<usize>, Refusal> {
        let schemas: Vec<Schema> = overloads.iter().map(|text| Schema::parse(text).unwrap()).collect();
        resolve(&schemas.iter().collect::<Vec<_>>(), call)
    }

    fn index(overloads: &[&str], call: &Call<usize>) -> usize {
        match select(overloads, call) {
            Ok(Resolved::Overload(index, _)) => index,
            other => panic!("{other:?}"),
        }
    }

    fn call(rest: Vec<Value<usize>>) -> Call<usize> {
        let values = std::iter::once(1usize.into()).chain(rest).collect();
        Call { has_receiver: true, caller: Language::JavaScript.into(), ..Call::new(values) }
    }

    #[test]
    fn the_first_overload_that_takes_all_arguments_is_selected() {
        assert_eq!(index(&STD, &call(vec![])), 0);
        assert_eq!(index(&STD, &call(vec![0.into()]).with("keepdim", true)), 0);
        assert_eq!(index(&STD, &call(vec![true.into()])), 1);
        assert_eq!(index(&STD, &call(vec![]).with("unbiased", false)), 1);
        assert_eq!(index(&STD, &call(vec![Value::Null, false.into()])), 2);
        assert_eq!(index(&STD, &call(vec![0.into(), false.into(), true.into()])), 2);
        assert_eq!(index(&STD, &call(vec![Value::Ints(vec![0, 1])]).with("unbiased", false)), 2);
    }

    #[test]
    fn a_list_of_tensors_and_separate_tensors_are_a_sequence() {
        let call = |values: Vec<Value<usize>>| Call::new(values);
        assert_eq!(index(&ATLEAST, &call(vec![1usize.into()])), 0);
        assert_eq!(index(&ATLEAST, &call(vec![vec![1usize, 2].into()])), 1);
        let separate = call(vec![1usize.into(), 2usize.into()]);
        assert!(matches!(
            select(&ATLEAST, &separate),
            Ok(Resolved::Overload(1, values)) if matches!(&values[..], [Value::Tensors(list)] if list == &[1, 2])
        ));
        assert_eq!(index(&ATLEAST, &call(vec![Value::Ints(vec![])])), 1);
    }

    #[test]
    fn the_caller_makes_tensors_of_arrays() {
        let positions = |call: &Call<usize>| match select(&CLAMP, call) {
            Ok(Resolved::Arrays(arrays)) => arrays,
            other => panic!("{other:?}"),
        };
        assert_eq!(positions(&call(vec![Value::Null, Value::Ints(vec![0, 1])])), [(2, "max".to_string())]);
        let nested = Value::Foreign(Foreign { text: "an array".into(), is_array: true });
        assert_eq!(positions(&call(vec![]).with("min", nested)), [(1, "min".to_string())]);
    }

    #[test]
    fn the_refusal_is_that_of_the_nearest_overload() {
        let text = |overloads: &[&str], call: &Call<usize>| select(overloads, call).unwrap_err().text;
        assert_eq!(
            text(&STD, &call(vec![]).with("correction", "x")),
            "the argument correction takes a number, not the string \"x\""
        );
        assert_eq!(
            text(&STD, &call(vec![]).with("dims", 0)),
            "there is no argument \"dims\"; there are dim, correction, keepdim"
        );
        let odd = call(vec![Value::Foreign("a function".into())]);
        assert_eq!(text(&CLAMP, &odd), "the argument min takes a number, not a function");
    }
}
