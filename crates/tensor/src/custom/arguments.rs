//! The arguments of one call of a custom op, by name.

use crate::{DType, Error, Result, Scalar, Tensor, ops::Arg};
use lanthorn_schema::Schema;

/// The arguments of a call, checked against the schema, with defaults filled in.
///
/// Asking for a name that the schema does not have, or for another type, is an error that names the
/// op.
pub struct Arguments<'a> {
    pub(super) schema: &'a Schema,
    pub(super) values: Vec<Arg>,
}

impl Arguments<'_> {
    /// The arguments in the schema's order.
    pub fn values(&self) -> &[Arg] {
        &self.values
    }

    /// The argument `name`. An optional one that is not given is [`Arg::Missing`] or [`Arg::Null`].
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter.
    pub fn get(&self, name: &str) -> Result<&Arg> {
        let index = self.schema.params.iter().position(|param| param.name == name);
        let found = index.and_then(|index| self.values.get(index));
        found.ok_or_else(|| {
            Error::argument(self.schema.full_name(), format!("has no parameter {name:?}: {}", self.schema))
        })
    }

    /// Whether an argument that may be nothing is something.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter.
    pub fn is_given(&self, name: &str) -> Result<bool> {
        Ok(!matches!(self.get(name)?, Arg::Missing | Arg::Null))
    }

    fn of_type<'s, T>(&'s self, name: &str, wanted: &str, of: impl FnOnce(&'s Arg) -> Option<T>) -> Result<T> {
        let arg = self.get(name)?;
        of(arg).ok_or_else(|| {
            let message = format!("the argument {name} is asked for as {wanted}, and is {}", arg.describe());
            Error::argument(self.schema.full_name(), message)
        })
    }

    /// The tensor `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn tensor(&self, name: &str) -> Result<&Tensor> {
        self.of_type(name, "a tensor", |arg| if let Arg::Tensor(tensor) = arg { Some(tensor) } else { None })
    }

    /// The tensors of the list `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn tensors(&self, name: &str) -> Result<&[Tensor]> {
        self.of_type(
            name,
            "a list of tensors",
            |arg| if let Arg::Tensors(tensors) = arg { Some(&tensors[..]) } else { None },
        )
    }

    /// The number or truth value `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn scalar(&self, name: &str) -> Result<Scalar> {
        self.of_type(name, "a number", |arg| if let Arg::Scalar(scalar) = arg { Some(*scalar) } else { None })
    }

    /// The number `name` as a float.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn float(&self, name: &str) -> Result<f64> {
        self.scalar(name).map(Scalar::to_f64)
    }

    /// The whole number `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn int(&self, name: &str) -> Result<i64> {
        self.of_type(name, "a whole number", |arg| if let Arg::Scalar(scalar) = arg { scalar.to_int() } else { None })
    }

    /// The truth value `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn bool(&self, name: &str) -> Result<bool> {
        self.of_type(name, "true or false", |arg| {
            if let Arg::Scalar(Scalar::Bool(value)) = arg { Some(*value) } else { None }
        })
    }

    /// The whole numbers of the list `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn ints(&self, name: &str) -> Result<&[i64]> {
        self.of_type(name, "a list of whole numbers", |arg| {
            if let Arg::Ints(values) = arg { Some(&values[..]) } else { None }
        })
    }

    /// The string `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn str(&self, name: &str) -> Result<&str> {
        self.of_type(name, "a string", |arg| if let Arg::Str(text) = arg { Some(&text[..]) } else { None })
    }

    /// The element type `name`.
    ///
    /// # Errors
    ///
    /// `argument` if the schema has no such parameter, or its argument is of another kind.
    pub fn dtype(&self, name: &str) -> Result<DType> {
        self.of_type(name, "a dtype", |arg| if let Arg::DType(dtype) = arg { Some(*dtype) } else { None })
    }

    /// Every tensor among the arguments, also in lists, in order.
    pub fn all_tensors(&self) -> Vec<Tensor> {
        self.values.iter().flat_map(Arg::tensors).cloned().collect()
    }

    /// Replaces every tensor by the result of `f` for it.
    pub(super) fn map_tensors(&mut self, f: &mut dyn FnMut(&Tensor) -> Result<Tensor>) -> Result<()> {
        for arg in &mut self.values {
            *arg = arg.map_tensors(&mut *f)?;
        }
        Ok(())
    }
}
