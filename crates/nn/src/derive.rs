//! The functions that code written by `#[derive(Module)]` calls. Not a public API.

use crate::Module;
pub use crate::print::write;
use lanthorn_tensor::{Ints, OptionalInts, PartialInts, Scalar, Tensor, TensorOrInts, ops::Arg};
pub use lanthorn_tensor::{
    Result,
    ops::{Args, Output},
};

/// `0` in `layers` is `layers.0`; without a prefix it is `0`.
pub fn index_name(name: &str, index: usize) -> String {
    join(name, &index.to_string())
}

/// `name.own`, or one of the two where the other is empty.
pub(crate) fn join(name: &str, own: &str) -> String {
    match (name, own) {
        ("", only) | (only, "") => only.to_string(),
        _ => format!("{name}.{own}"),
    }
}

/// A parameter or buffer that a module declares, or all of a field that is flattened.
#[derive(Clone, Copy, Debug)]
pub enum Declared {
    /// One tensor.
    Tensor {
        /// Its name.
        name: &'static str,
        /// Whether the module may be without it.
        is_optional: bool,
    },
    /// The tensors of a field.
    All(&'static [Declared]),
}

impl Declared {
    /// The tensors of a list: their names, and whether they may be missing.
    pub fn flatten(list: &'static [Declared]) -> Vec<(&'static str, bool)> {
        let each = |declared: &'static Declared| match declared {
            Declared::Tensor { name, is_optional } => vec![(*name, *is_optional)],
            Declared::All(list) => Declared::flatten(list),
        };
        list.iter().flat_map(each).collect()
    }
}

/// A field that is a tensor or several tensors.
pub trait Tensors {
    /// Adds the tensors with their names.
    fn append(&self, name: &str, list: &mut Vec<(String, Tensor)>);

    /// The tensor of the full name `wanted`, if [`Tensors::append`] lists it.
    fn find(&mut self, name: &str, wanted: &str) -> Option<&mut Tensor>;
}

impl Tensors for Tensor {
    fn append(&self, name: &str, list: &mut Vec<(String, Tensor)>) {
        list.push((name.to_string(), self.clone()));
    }

    fn find(&mut self, name: &str, wanted: &str) -> Option<&mut Tensor> {
        (name == wanted).then_some(self)
    }
}

impl<T: Tensors> Tensors for Option<T> {
    fn append(&self, name: &str, list: &mut Vec<(String, Tensor)>) {
        self.iter().for_each(|tensors| tensors.append(name, list));
    }

    fn find(&mut self, name: &str, wanted: &str) -> Option<&mut Tensor> {
        self.as_mut().and_then(|tensors| tensors.find(name, wanted))
    }
}

impl<T: Tensors> Tensors for Vec<T> {
    fn append(&self, name: &str, list: &mut Vec<(String, Tensor)>) {
        self.iter().enumerate().for_each(|(at, tensors)| tensors.append(&index_name(name, at), list));
    }

    fn find(&mut self, name: &str, wanted: &str) -> Option<&mut Tensor> {
        self.iter_mut().enumerate().find_map(|(at, tensors)| tensors.find(&index_name(name, at), wanted))
    }
}

impl<T: Tensors, const N: usize> Tensors for [T; N] {
    fn append(&self, name: &str, list: &mut Vec<(String, Tensor)>) {
        self.iter().enumerate().for_each(|(at, tensors)| tensors.append(&index_name(name, at), list));
    }

    fn find(&mut self, name: &str, wanted: &str) -> Option<&mut Tensor> {
        self.iter_mut().enumerate().find_map(|(at, tensors)| tensors.find(&index_name(name, at), wanted))
    }
}

/// A field of any type. `children` on a reference to it resolves to [`ProbeModule`]'s method where
/// the type is a module, and to [`ProbeOther`]'s otherwise: method resolution tries methods with
/// fewer references first.
pub struct Probe<'a, T>(pub &'a T);

/// A field that is a module.
pub trait ProbeModule<'a> {
    /// Adds it.
    fn children(&self, name: String, list: &mut Vec<(String, &'a dyn Module)>);
}

impl<'a, T: Module> ProbeModule<'a> for Probe<'a, T> {
    fn children(&self, name: String, list: &mut Vec<(String, &'a dyn Module)>) {
        list.push((name, self.0));
    }
}

/// A field that is not a module.
pub trait ProbeOther<'a> {
    /// Adds nothing.
    fn children(&self, name: String, list: &mut Vec<(String, &'a dyn Module)>);
}

impl<'a, T> ProbeOther<'a> for &Probe<'a, T> {
    fn children(&self, _: String, _: &mut Vec<(String, &'a dyn Module)>) {}
}

/// Converts a typed argument of a constructor to a dynamic one.
pub trait ToArg {
    /// The dynamic argument.
    fn to_arg(&self) -> Arg;
}

macro_rules! to_arg {
    ($($ty:ty: $value:ident => $arg:expr;)*) => { $(
        impl ToArg for $ty {
            fn to_arg(&self) -> Arg {
                let $value = self;
                $arg
            }
        }
    )* };
}

to_arg! {
    i64: value => Arg::Scalar(Scalar::Int(*value));
    f64: value => Arg::Scalar(Scalar::Float(*value));
    bool: value => Arg::Scalar(Scalar::Bool(*value));
    Scalar: value => Arg::Scalar(*value);
    &str: value => Arg::Str((*value).to_string());
    &Tensor: value => Arg::Tensor((*value).clone());
    &[f64]: value => Arg::Floats(value.to_vec());
    Ints: value => Arg::Ints(value.to_vec());
    OptionalInts: value => value.as_slice().map_or(Arg::Missing, |ints| Arg::Ints(ints.to_vec()));
    PartialInts: value => Arg::PartialInts(value.as_slice().to_vec());
    TensorOrInts: value => match value {
        TensorOrInts::Tensor(tensor) => Arg::Tensor(tensor.clone()),
        TensorOrInts::Ints(ints) => Arg::Ints(ints.to_vec()),
    };
}

impl<T: ToArg> ToArg for Option<T> {
    fn to_arg(&self) -> Arg {
        self.as_ref().map_or(Arg::Missing, T::to_arg)
    }
}
