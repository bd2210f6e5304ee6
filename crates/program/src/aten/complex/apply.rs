//! The change of one call by its rule, for any values: operands of a graph, or values of a script.

use super::{Change, Default, OnPairs, Param, Rule, change};
use crate::{Value, operators::of_default};

/// An argument of a call with complex tensors.
#[derive(Clone, Debug)]
pub struct Arg<V> {
    /// The name of its parameter.
    pub name: String,
    /// The argument.
    pub value: V,
    /// Whether it is a complex tensor, or a list with one.
    pub is_complex: bool,
}

/// The forms of arguments that rules distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A tensor.
    Tensor,
    /// A number or truth value.
    Number,
    /// A list.
    List,
    /// Any other argument.
    Other,
}

/// The two numbers of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The real part.
    Real,
    /// The imaginary part.
    Imaginary,
}

/// The computations with a caller's values.
pub trait Pairs {
    /// A value.
    type Value: Clone;
    /// The failure of a computation.
    type Error;

    /// The form of a value.
    fn form(&self, value: &Self::Value) -> Form;

    /// A constant as a value.
    fn constant(&self, value: Value<()>) -> Self::Value;

    /// Adds zeros as imaginary parts to a real tensor or number. In a list, to each that is real.
    ///
    /// # Errors
    ///
    /// Any error of the tensors or the graph.
    fn promote(&mut self, value: Self::Value) -> Result<Self::Value, Self::Error>;

    /// A part of an argument. A real one is its own real part, and its imaginary part is zero.
    ///
    /// # Errors
    ///
    /// As [`Self::promote`].
    fn part(&mut self, arg: &Arg<Self::Value>, part: Part) -> Result<Self::Value, Self::Error>;

    /// The absolute values of a complex tensor.
    ///
    /// # Errors
    ///
    /// As [`Self::promote`].
    fn modulus(&mut self, value: Self::Value) -> Result<Self::Value, Self::Error>;

    /// Changes an argument of an operator that moves elements; see [`change_value`].
    ///
    /// [`change_value`]: super::change_value
    fn change(&self, change: Change, value: Self::Value) -> Self::Value;
}

/// The result of [`apply`].
pub enum Applied<V> {
    /// One call, whose arguments were changed.
    One {
        /// The operator on pairs, if it is another one.
        on: Option<&'static OnPairs>,
        /// Whether the results are pairs.
        is_complex: bool,
    },
    /// A call with these real parts, and one with these imaginary parts.
    Parts([Vec<Arg<V>>; 2]),
}

/// Changes the arguments of a call of `base` by its rule. `params` are the parameters of the
/// overload, whose defaults change too.
///
/// # Errors
///
/// The errors of `pairs`.
pub fn apply<P: Pairs>(
    rule: Rule,
    base: &str,
    params: &[Param],
    args: &mut Vec<Arg<P::Value>>,
    pairs: &mut P,
) -> Result<Applied<P::Value>, P::Error> {
    let one = |on, is_complex| Ok(Applied::One { on, is_complex });
    match rule {
        Rule::Same(promoted) => {
            promote(args, pairs, |name, form| promoted.contains(&name) && form != Form::List)?;
            one(None, base != "equal")
        }
        Rule::Moves => {
            promote(args, pairs, |name, form| name == "tensors" && form == Form::List)?;
            move_elements(base, params, args, pairs);
            one(None, true)
        }
        Rule::Modulus => {
            for arg in args.iter_mut().filter(|arg| arg.is_complex) {
                if pairs.form(&arg.value) == Form::Tensor {
                    (arg.value, arg.is_complex) = (pairs.modulus(arg.value.clone())?, false);
                }
            }
            one(None, false)
        }
        Rule::Other(on) => {
            // A number is complex too where it is the receiver, except of a power.
            let takes_number = |name: &str| name == "self" && on.name != "complex_pow";
            promote(args, pairs, |name, form| {
                on.complex.contains(&name) && (form != Form::Number || takes_number(name))
            })?;
            one(Some(on), on.gives_complex)
        }
        Rule::Parts(promoted) => {
            let mut parts = |part: Part| -> Result<Vec<Arg<P::Value>>, P::Error> {
                let mut own = args.clone();
                for arg in &mut own {
                    if arg.is_complex || promoted.contains(&&*arg.name) {
                        (arg.value, arg.is_complex) = (pairs.part(arg, part)?, false);
                    }
                }
                Ok(own)
            };
            Ok(Applied::Parts([parts(Part::Real)?, parts(Part::Imaginary)?]))
        }
    }
}

/// Makes the real arguments that `is_wanted` names complex.
fn promote<P: Pairs>(
    args: &mut [Arg<P::Value>],
    pairs: &mut P,
    is_wanted: impl Fn(&str, Form) -> bool,
) -> Result<(), P::Error> {
    for arg in args {
        let form = pairs.form(&arg.value);
        // A list may have real tensors among complex ones.
        let is_real = !arg.is_complex || form == Form::List;
        if is_real && form != Form::Other && is_wanted(&arg.name, form) {
            (arg.value, arg.is_complex) = (pairs.promote(arg.value.clone())?, true);
        }
    }
    Ok(())
}

/// Changes the dimensions and sizes of a call that moves elements, including defaults.
fn move_elements<P: Pairs>(base: &str, params: &[Param], args: &mut Vec<Arg<P::Value>>, pairs: &P) {
    for arg in args.iter_mut() {
        if let Some(kind) = change(base, &arg.name) {
            arg.value = pairs.change(kind, arg.value.clone());
        }
    }
    for param in params.iter().filter(|param| !param.name.is_empty()) {
        let is_given = args.iter().any(|arg| arg.name == param.name);
        if let (Some(kind), Some(default @ (Default::Int(_) | Default::Ints(_))), false) =
            (change(base, &param.name), &param.default, is_given)
        {
            let value = pairs.change(kind, pairs.constant(of_default(default)));
            args.push(Arg { name: param.name.clone(), value, is_complex: false });
        }
    }
}
