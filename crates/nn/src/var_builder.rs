//! The source of a module's parameters and buffers.
//!
//! A constructor asks a [`VarBuilder`] for each tensor by name. A new module gets initialized
//! tensors. A call from JavaScript, whose modules own their tensors, gets those in the same order
//! ([`ModuleSpec::apply`](crate::table::ModuleSpec::apply)). Rejected: a module that lives in the
//! core beside each module of JavaScript, because the two trees have to be kept equal.

use crate::Parameter;
use lanthorn_tensor::{Error, Result, Tensor};

/// A tensor of a module.
pub struct Var {
    /// Its name, such as `running_mean` or `out_proj.weight`.
    pub name: String,
    /// Its tensor; none for an optional one that the module is without.
    pub tensor: Option<Tensor>,
    /// Whether it is a parameter and not a buffer.
    pub is_parameter: bool,
}

/// The tensors of a module under construction: new ones, or its caller's.
#[derive(Default)]
pub struct VarBuilder<'a> {
    given: Option<std::slice::Iter<'a, Option<Tensor>>>,
    prefix: String,
    vars: Vec<Var>,
}

impl<'a> VarBuilder<'a> {
    /// New tensors.
    pub fn new() -> VarBuilder<'a> {
        VarBuilder::default()
    }

    /// These tensors, in the order in which the constructor asks for them.
    pub fn of(tensors: &'a [Option<Tensor>]) -> VarBuilder<'a> {
        VarBuilder { given: Some(tensors.iter()), ..VarBuilder::default() }
    }

    /// The tensors that were made, in order.
    pub fn into_vars(self) -> Vec<Var> {
        self.vars
    }

    fn take(
        &mut self,
        name: &str,
        is_parameter: bool,
        init: Option<impl FnOnce() -> Result<Tensor>>,
    ) -> Result<Option<Tensor>> {
        if let Some(given) = &mut self.given {
            return Ok(given.next().cloned().flatten());
        }
        let tensor = init.map(|init| init()).transpose()?;
        self.vars.push(Var { name: format!("{}{name}", self.prefix), tensor: tensor.clone(), is_parameter });
        Ok(tensor)
    }

    /// A parameter that a new module always has.
    ///
    /// # Errors
    ///
    /// `argument` if the caller has none; the errors of `init`.
    pub fn parameter(&mut self, name: &str, init: impl FnOnce() -> Result<Tensor>) -> Result<Parameter> {
        self.take(name, true, Some(init))?
            .ok_or_else(|| Error::argument("module", format!("the parameter {name} is missing")))
    }

    /// A parameter that a new module has if `is_present`.
    ///
    /// # Errors
    ///
    /// As [`VarBuilder::parameter`], unless it is absent.
    pub fn optional(
        &mut self,
        name: &str,
        is_present: bool,
        init: impl FnOnce() -> Result<Tensor>,
    ) -> Result<Option<Parameter>> {
        self.take(name, true, is_present.then_some(init))
    }

    /// A buffer that a new module has if `is_present`.
    ///
    /// # Errors
    ///
    /// The error of `init`, or of the caller that has a tensor of another shape.
    pub fn buffer(
        &mut self,
        name: &str,
        is_present: bool,
        init: impl FnOnce() -> Result<Tensor>,
    ) -> Result<Option<Tensor>> {
        self.take(name, false, is_present.then_some(init))
    }

    /// Builds a child, whose tensors have its name before theirs.
    ///
    /// # Errors
    ///
    /// The error of `build`.
    pub fn child<T>(&mut self, name: &str, build: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let length = self.prefix.len();
        self.prefix += name;
        self.prefix.push('.');
        let child = build(self);
        self.prefix.truncate(length);
        child
    }
}
