//! The table of built-in modules, from which JavaScript's classes, their documentation and the
//! conformance run are generated.

use crate::{Functional, Module, Var, VarBuilder, derive::Declared, modules};
use lanthorn_call::{Caller, Language};
use lanthorn_schema::Schema;
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Arg, Args, Output},
};
use std::{any::Any, cell::OnceCell, rc::Rc};

/// The declaration of a module.
pub struct ModuleSpec {
    /// The constructor as a schema; it returns `Module`.
    pub text: &'static str,
    /// The arguments and results of `forward`, as a schema.
    pub forward: &'static str,
    /// The module's own parameters and buffers; present with the feature `reference`.
    pub tensors: &'static [Declared],
    /// One sentence, and shapes; present with the feature `reference`.
    pub doc: &'static str,
    /// The construction of a module.
    pub make: Constructor,
}

/// The documentation of a row, for builds that print or test the table. It is not part of other
/// builds, such as a page's.
pub(crate) const fn documentation(text: &'static str) -> &'static str {
    if cfg!(any(test, feature = "reference")) { text } else { "" }
}

/// The declared tensors of a row, which are not part of other builds either.
pub(crate) const fn tensors(list: &'static [Declared]) -> &'static [Declared] {
    if cfg!(any(test, feature = "reference")) { list } else { &[] }
}

/// The way to build a module.
pub enum Constructor {
    /// A type's constructor, and the source of its tensors.
    Type(fn(&Args<'_>, &mut VarBuilder<'_>) -> Result<Box<dyn Module>>),
    /// A call of this op, in the syntax of [`Functional`]: `elu`, `softmax(dim=-3)`.
    Op(&'static str),
}

/// A module built from the table, with its constructor's arguments.
pub struct ModuleInstance {
    spec: &'static ModuleSpec,
    args: Vec<Arg>,
    forward: Schema,
    module: Rc<dyn Module>,
}

/// The built-in modules, by family.
pub static FAMILIES: &[&[ModuleSpec]] = &[
    modules::linear::MODULES,
    modules::embedding::MODULES,
    modules::recurrent::MODULES,
    modules::attention::MODULES,
    modules::transformer::MODULES,
    modules::convolution::MODULES,
    modules::pooling::MODULES,
    modules::padding::MODULES,
    modules::normalization::MODULES,
    modules::dropout::MODULES,
    modules::activation::MODULES,
    modules::shape::MODULES,
    modules::loss::MODULES,
];

/// Every built-in module.
pub fn all() -> impl Iterator<Item = &'static ModuleSpec> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

impl ModuleSpec {
    /// The module's name.
    pub fn name(&self) -> &'static str {
        self.text.split('(').next().unwrap_or_default()
    }

    /// The module of this name.
    ///
    /// # Errors
    ///
    /// `argument` if there is none.
    pub fn find(name: &str) -> Result<&'static ModuleSpec> {
        let found = all().find(|spec| spec.name() == name);
        found.ok_or_else(|| Error::argument("nn", format!("there is no module {name:?}")))
    }

    /// The constructor's schema.
    pub fn schema(&self) -> Schema {
        // The table's test parses every schema.
        Schema::parse(self.text).expect("a module's schema parses")
    }

    /// The schema of `forward`.
    pub fn forward_schema(&self) -> Schema {
        // The table's test parses every schema.
        Schema::parse(self.forward).expect("a module's schema parses")
    }

    /// The op that the module calls, if it is functional.
    pub(crate) fn op(&self) -> Option<&'static str> {
        if let Constructor::Op(op) = self.make { Some(op) } else { None }
    }

    /// A module of these arguments and tensors.
    fn make(&'static self, args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        match self.make {
            Constructor::Type(make) => make(args, vars),
            Constructor::Op(_) => Ok(Box::new(Functional::build(self, args)?)),
        }
    }

    /// Builds a module from the constructor's arguments.
    ///
    /// # Errors
    ///
    /// `argument` for arguments that the constructor does not take.
    pub fn build(&'static self, args: &[Arg]) -> Result<ModuleInstance> {
        let schema = self.schema();
        let bound = Args::bind(&schema, args)?;
        let module = self.make(&bound, &mut VarBuilder::new())?;
        Ok(ModuleInstance { spec: self, args: bound.to_vec(), forward: self.forward_schema(), module: module.into() })
    }
}

/// A module of the table as a function: another language has the arguments of its constructor and
/// its tensors, and passes them to every call.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::table::{ModuleFunction, number};
/// use lanthorn::{Scalar, Tensor, ops::{Arg, Language}};
/// let linear = ModuleFunction::new(number("Linear")?, Language::JavaScript)?;
/// let args = [3, 2].map(|size| Arg::Scalar(Scalar::Int(size)));
/// let tensors: Vec<_> = linear.tensors(&args)?.into_iter().map(|var| var.tensor).collect();
/// let x = Arg::Tensor(Tensor::zeros([4, 3])?);
/// let y = linear.call(&args, &tensors, true, &[x])?.into_tensor("Linear")?;
/// assert_eq!(y.shape().to_vec(), [4, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ModuleFunction {
    spec: &'static ModuleSpec,
    constructor: &'static Schema,
    forward: &'static Schema,
    language: Language,
}

/// The number of a module in the table.
///
/// # Errors
///
/// `argument` if there is none of this name.
pub fn number(name: &str) -> Result<usize> {
    let found = all().position(|spec| spec.name() == name);
    found.ok_or_else(|| Error::argument("nn", format!("there is no module {name:?}")))
}

impl ModuleFunction {
    /// The module of this number, for callers in a language.
    ///
    /// # Errors
    ///
    /// `argument` if the table has no such number.
    pub fn new(number: usize, language: Language) -> Result<ModuleFunction> {
        thread_local! {
            // Schemas are parsed once, and live as long as the table.
            static FUNCTIONS: Vec<(&'static ModuleSpec, OnceCell<ModuleFunction>)> =
                all().map(|spec| (spec, OnceCell::new())).collect();
        }
        let found = FUNCTIONS.with(|functions| {
            let (spec, function) = functions.get(number)?;
            Some(*function.get_or_init(|| ModuleFunction {
                spec,
                constructor: Box::leak(Box::new(spec.schema())),
                forward: Box::leak(Box::new(spec.forward_schema())),
                language,
            }))
        });
        let found = found.map(|function| ModuleFunction { language, ..function });
        found.ok_or_else(|| Error::argument("nn", format!("there is no module number {number}")))
    }

    /// The module's name.
    pub fn name(&self) -> &'static str {
        self.spec.name()
    }

    /// The caller, as errors name it: a caller of `forward` knows the module's name.
    fn caller(&self) -> Caller {
        Caller { language: self.language, name: Some(self.name()) }
    }

    /// The number of the constructor's parameters.
    pub fn arity(&self) -> usize {
        self.constructor.params.len()
    }

    /// The initialized tensors of a new module, by name. Optional ones that it is without are
    /// listed too.
    ///
    /// # Errors
    ///
    /// `argument` if the arguments do not fit the constructor.
    pub fn tensors(&self, args: &[Arg]) -> Result<Vec<Var>> {
        let mut vars = VarBuilder::new();
        self.spec.make(&Args::bind_for(self.caller(), self.constructor, args)?, &mut vars)?;
        Ok(vars.into_vars())
    }

    /// The module's result: with the arguments of its constructor, its tensors in the order of
    /// [`ModuleFunction::tensors`], whether it is in training mode, and the arguments of `forward`.
    ///
    /// # Errors
    ///
    /// `argument` if the arguments do not fit the constructor or `forward`; the errors of the ops
    /// that the module runs.
    pub fn call(&self, args: &[Arg], tensors: &[Option<Tensor>], training: bool, inputs: &[Arg]) -> Result<Output> {
        let args = Args::bind_for(self.caller(), self.constructor, args)?;
        let module = self.spec.make(&args, &mut VarBuilder::of(tensors))?;
        module.train(training);
        module.call(&Args::bind_for(self.caller(), self.forward, inputs)?)
    }
}

/// Builds a module by name.
///
/// # Errors
///
/// `argument` for arguments that the constructor does not take.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Module, table::build};
/// use lanthorn::{Scalar, Tensor, ops::Arg};
/// let linear = build("Linear", &[Arg::Scalar(Scalar::Int(3)), Arg::Scalar(Scalar::Int(2))])?;
/// assert_eq!(linear.module().parameters().len(), 2);
/// let y = linear.call(&[Arg::Tensor(Tensor::zeros([4, 3])?)])?.into_tensor("Linear")?;
/// assert_eq!(y.shape().to_vec(), [4, 2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn build(name: &str, args: &[Arg]) -> Result<ModuleInstance> {
    ModuleSpec::find(name)?.build(args)
}

impl ModuleInstance {
    /// The declaration of the module.
    pub fn spec(&self) -> &'static ModuleSpec {
        self.spec
    }

    /// The module.
    pub fn module(&self) -> &dyn Module {
        &*self.module
    }

    /// The module, shared.
    pub fn shared(&self) -> Rc<dyn Module> {
        Rc::clone(&self.module)
    }

    /// The module's result for arguments in the order of its schema; missing arguments take their
    /// defaults.
    ///
    /// # Errors
    ///
    /// `argument` for arguments that `forward` does not take, and the error of the module.
    pub fn call(&self, args: &[Arg]) -> Result<Output> {
        self.module.call(&Args::bind(&self.forward, args)?)
    }

    /// A copy: built from the same arguments, with the same parameters and buffers, as Python's
    /// `deepcopy`.
    ///
    /// # Errors
    ///
    /// The error of the constructor.
    pub fn copy(&self) -> Result<ModuleInstance> {
        let copy = self.spec.build(&self.args)?;
        crate::load_state_dict(&*copy.module, &crate::state_dict(&*self.module))?;
        Ok(copy)
    }
}

/// A module as an argument of another module's constructor; [`as_module`] converts it back.
pub fn argument(module: Rc<ModuleInstance>) -> Arg {
    Arg::Object(module)
}

/// The module in an argument of type `Module`.
///
/// # Errors
///
/// `argument` if the object is none.
pub fn as_module(name: &str, object: &Rc<dyn Any>) -> Result<Rc<ModuleInstance>> {
    Rc::clone(object).downcast().map_err(|_| Error::argument(name, "takes a module of the table"))
}

/// The module in argument `index`, if there is one.
pub(crate) fn optional_module(name: &str, args: &Args<'_>, index: usize) -> Result<Option<Rc<dyn Module>>> {
    args.optional_object(index).map(|object| Ok(as_module(name, object)?.shared())).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functional::parts;
    use lanthorn_tensor::ops::Op;
    use std::collections::HashSet;

    #[test]
    fn every_schema_parses_and_no_name_stands_twice() {
        let mut names = HashSet::new();
        for spec in all() {
            let schema = spec.schema();
            assert_eq!(schema.returns[0].ty, "Module", "{}", spec.text);
            assert_eq!(
                (schema.to_string(), spec.forward_schema().to_string()),
                (spec.text.into(), spec.forward.into())
            );
            assert!(names.insert(spec.name()), "{} stands twice", spec.name());
        }
    }

    #[test]
    fn a_parameter_or_buffer_is_replaced_and_the_declared_ones_are_those_that_there_are() {
        let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
        let size = Arg::Scalar(lanthorn_tensor::Scalar::Int(2));
        for (name, args) in [("Linear", 2), ("Conv2d", 3), ("BatchNorm1d", 1), ("LayerNorm", 1), ("Embedding", 2)] {
            let args = vec![size.clone(); args];
            let spec = ModuleSpec::find(name).unwrap();
            let schema = spec.schema();
            let mut built = spec.make(&Args::bind(&schema, &args).unwrap(), &mut VarBuilder::new()).unwrap();
            let own = [built.own_parameters(), built.own_buffers()].concat();
            let own: Vec<String> = own.into_iter().map(|(name, _)| name).collect();
            let declared: Vec<&str> = Declared::flatten(spec.tensors).into_iter().map(|(name, _)| name).collect();
            let function = ModuleFunction::new(number(name).unwrap(), Language::Python).unwrap();
            let asked: Vec<String> = function.tensors(&args).unwrap().into_iter().map(|var| var.name).collect();
            assert_eq!(
                (own.clone(), own.clone()),
                (declared.iter().map(ToString::to_string).collect(), asked),
                "{name}"
            );
            for tensor in &own {
                let value = Tensor::scalar(5.0f32, &device).unwrap();
                assert!(built.set_tensor(tensor, value.clone()));
                let now = [built.own_parameters(), built.own_buffers()].concat();
                assert!(now.iter().any(|(own, held)| own == tensor && held.is(&value)), "{name}.{tensor}");
            }
            assert!(!built.set_tensor("nothing", Tensor::scalar(5.0f32, &device).unwrap()));
        }
    }

    #[test]
    fn a_module_that_is_an_op_passes_on_all_that_it_takes() {
        for spec in all() {
            let Some(text) = spec.op() else { continue };
            let (name, said) = parts(text);
            let op = Op::find(name).unwrap_or_else(|| panic!("{}: there is no op {name:?}", spec.name()));
            let said: Vec<(&str, &str)> = said.collect();
            let params = &op.schema().params;
            for (param, _) in &said {
                assert!(params.iter().any(|own| own.name == *param), "{}: {name} has no {param}", spec.name());
            }
            let (constructor, forward) = (spec.schema(), spec.forward_schema());
            for (index, param) in forward.params.iter().enumerate().skip(1).chain(constructor.params.iter().enumerate())
            {
                let taken = params.iter().any(|own| own.name == param.name)
                    || said.iter().any(|(_, value)| value.split('*').next() == Some(&*param.name));
                assert!(
                    taken || param.name == "return_indices",
                    "{}: {name} does not take {} ({index})",
                    spec.name(),
                    param.name
                );
            }
            for (index, param) in params.iter().enumerate().skip(1) {
                let given = |schema: &Schema| schema.params.iter().any(|own| own.name == param.name);
                let known = given(&constructor) || given(&forward) || said.iter().any(|(own, _)| *own == param.name);
                assert!(
                    known || !param.is_required() || param.name == "training",
                    "{}: nothing is {} ({index})",
                    spec.name(),
                    param.name
                );
            }
        }
    }
}
