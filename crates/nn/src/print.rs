//! Modules as text, in the layout of PyTorch's `print`: a tree of their names and types.
//!
//! A type is printed with [`Module::extra_repr`]: a module of the table that calls an op prints its
//! constructor's arguments, any other module prints the shapes of its own parameters and buffers.
//! Rejected: PyTorch's arguments for every type. They would be kept for nothing else, and a user's
//! type would print nothing.

use crate::{
    Functional, Hooked, Layer, Module, ModuleDict, ModuleList, ParameterDict, Parametrization, Parametrized,
    Recurrence, Recurrent, RecurrentCell, TripletMarginWithDistanceLoss,
};
use lanthorn_tensor::{Scalar, ops::Arg};
use std::fmt;

/// The last part of a path of Rust's, without the types that it is generic over: `Sequential`. A
/// number of dimensions is part of PyTorch's name: `Conv<2>` is `Conv2d`.
pub(crate) fn base_name(path: &str) -> String {
    let (path, generics) = path.split_once('<').unwrap_or((path, ""));
    let name = path.rsplit("::").next().unwrap_or(path);
    match generics.trim_end_matches('>').parse::<u8>() {
        Ok(dimensions) => format!("{name}{dimensions}d"),
        Err(_) => name.to_string(),
    }
}

/// The shapes of the tensors that a module has itself: `weight=[8, 4], bias=[8]`.
pub(crate) fn shapes(module: &(impl Module + ?Sized)) -> String {
    let tensors = module.own_parameters().into_iter().chain(module.own_buffers());
    tensors.map(|(name, tensor)| format!("{name}={}", tensor.shape())).collect::<Vec<_>>().join(", ")
}

/// An argument of a constructor as Python writes it; `None` for one that is not given, and for
/// tensors, which are buffers.
pub(crate) fn argument(name: &str, arg: &Arg) -> Option<String> {
    let list = |items: Vec<String>| format!("({})", items.join(", "));
    let value = match arg {
        Arg::Scalar(Scalar::Bool(value)) => if *value { "True" } else { "False" }.to_string(),
        Arg::Scalar(Scalar::Int(value)) => value.to_string(),
        Arg::Scalar(Scalar::Float(value)) => format!("{value:?}"),
        Arg::Ints(values) if values.len() == 1 => values[0].to_string(),
        Arg::Ints(values) => list(values.iter().map(i64::to_string).collect()),
        Arg::Floats(values) => list(values.iter().map(|value| format!("{value:?}")).collect()),
        Arg::Str(text) => format!("'{text}'"),
        _ => return None,
    };
    Some(format!("{name}={value}"))
}

/// The tree of a module.
fn tree(module: &dyn Module) -> String {
    let (name, extra) = (module.type_name(), module.extra_repr());
    let children: Vec<(String, String)> =
        module.children().iter().map(|(name, child)| (name.clone(), tree(*child))).collect();
    if children.is_empty() {
        return format!("{name}({extra})");
    }
    let mut lines = if extra.is_empty() { vec![] } else { vec![extra] };
    let mut rest = &children[..];
    while let Some((own, text)) = rest.first() {
        // Equal neighbours of a list are one entry, as in PyTorch.
        let equal = if name == "ModuleList" { rest.iter().take_while(|(_, other)| other == text).count() } else { 1 };
        let shown = match equal {
            1 => format!("({own}): {text}"),
            _ => format!("({own}-{}): {equal} x {text}", rest[equal - 1].0),
        };
        lines.push(shown.replace('\n', "\n  "));
        rest = &rest[equal..];
    }
    format!("{name}(\n  {}\n)", lines.join("\n  "))
}

/// Writes the tree of a module; `#[derive(Module)]` implements `Display` with it.
///
/// # Errors
///
/// The error of the formatter.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{LeakyReLU, Linear, Sequential};
/// let net = Sequential::new(vec![Box::new(Linear::new(4, 8)?), Box::new(LeakyReLU::default())]);
/// assert_eq!(
///     net.to_string(),
///     "Sequential(\n  (0): Linear(weight=[8, 4], bias=[8])\n  (1): LeakyReLU(negative_slope=0.01)\n)"
/// );
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn write(module: &dyn Module, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&tree(module))
}

macro_rules! print {
    ($($ty:ty),*) => { $(
        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write(self, f)
            }
        }

        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write(self, f)
            }
        }
    )* };
}

print! { dyn Module, dyn Layer }

macro_rules! display {
    ($([$($generics:tt)*] $ty:ty;)*) => { $(
        impl<$($generics)*> fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write(self, f)
            }
        }
    )* };
}

// The types without `#[derive(Module)]`.
display! {
    [] Functional;
    [M: Module] ModuleList<M>;
    [M: Module] ModuleDict<M>;
    [] ParameterDict;
    [K: Recurrence] Recurrent<K>;
    [K: Recurrence] RecurrentCell<K>;
    [] TripletMarginWithDistanceLoss;
    [L: Layer] Hooked<L>;
    [M: Module, P: Parametrization] Parametrized<M, P>;
}
