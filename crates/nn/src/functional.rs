//! Modules that call an op with the constructor's arguments: most activations, paddings and losses.

use crate::{Buffer, Layer, Module, mode::TrainingFlag, print::argument, table::ModuleSpec};
use lanthorn_call::Caller;
use lanthorn_schema::{Param, Schema};
use lanthorn_tensor::{
    Error, Result, Scalar, Tensor,
    ops::{Arg, Args, Op, Output},
};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// The source of an argument of the op.
#[derive(Clone)]
enum Source {
    /// The module's input with this index.
    Input(usize),
    /// The constructor's argument with this index.
    Argument(usize),
    /// The constructor's argument with this index, a list: one number stands for this many.
    Repeated(usize, usize),
    /// An argument that the row names, or none.
    Fixed(Arg),
    /// Whether the module is in training mode.
    Training,
}

/// The op of a row and the sources of its arguments.
struct Plan {
    op: &'static Op,
    sources: Vec<Source>,
    /// The constructor's argument that selects the overload with two results.
    return_indices: Option<usize>,
    /// The constructor's argument without which the overload selects the dimension.
    dim: Option<usize>,
}

/// A module that calls an op: its inputs and the arguments of its constructor are the op's
/// arguments of the same names.
///
/// The op's `self` is the first input, and `training` is the module's mode. Tensors given to the
/// constructor, such as class weights, are buffers. The row names the arguments that the op names
/// differently or that are fixed: `"softmax(dim=-3)"`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Layer, Functional};
/// use lanthorn::{Scalar, Tensor, ops::Arg};
/// let elu = Functional::new("ELU", &[Arg::Scalar(Scalar::Float(2.0))])?;
/// let y = elu.forward(&Tensor::zeros([3])?.sub(100.0)?)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [-2.0; 3]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct Functional {
    spec: &'static ModuleSpec,
    plan: Rc<Plan>,
    args: Vec<Arg>,
    training: TrainingFlag,
}

/// A literal in a row: `true`, `"reflect"`, `-3`, or `padding*4`, a list of four numbers that a
/// single one stands for.
fn literal(text: &str, constructor: &Schema) -> Source {
    if let Some((name, count)) = text.split_once('*') {
        let index = constructor.params.iter().position(|param| param.name == name);
        return match (index, count.parse()) {
            (Some(index), Ok(count)) => Source::Repeated(index, count),
            _ => Source::Fixed(Arg::Missing),
        };
    }
    Source::Fixed(match text.trim_matches('"') {
        "true" => Arg::Scalar(Scalar::Bool(true)),
        inner if inner.len() < text.len() => Arg::Str(inner.to_string()),
        number => number.parse().map_or(Arg::Missing, |value| Arg::Scalar(Scalar::Int(value))),
    })
}

impl Plan {
    /// The plan of a row for one of the op's overloads: the first one, or the last one.
    fn new(spec: &'static ModuleSpec, is_last: bool) -> Result<Plan> {
        let (constructor, forward) = (spec.schema(), spec.forward_schema());
        let (name, _) = parts(spec.op().unwrap_or_default());
        let op = Op::find(name).ok_or_else(|| Error::argument(spec.name(), "is a type of its own, and not an op"))?;
        let op = if is_last { Op::overloads(name).pop().unwrap_or(op) } else { op };
        let source = |index: usize, name: &str| {
            let said = parts(spec.op().unwrap_or_default()).1.into_iter().find(|(param, _)| *param == name);
            let name = said.map_or(name, |(_, value)| value);
            let at = |schema: &Schema| schema.params.iter().position(|param| param.name == name);
            if index == 0 && name == "self" {
                Source::Input(0)
            } else if let Some(index) = at(&constructor) {
                Source::Argument(index)
            } else if let Some(index) = at(&forward) {
                Source::Input(index)
            } else if name == "training" {
                Source::Training
            } else {
                said.map_or(Source::Fixed(Arg::Missing), |(_, value)| literal(value, &constructor))
            }
        };
        let sources = op.schema().params.iter().enumerate().map(|(index, param)| source(index, &param.name)).collect();
        let index = |name: &str| constructor.params.iter().position(|param| param.name == name);
        Ok(Plan { op, sources, return_indices: index("return_indices"), dim: index("dim") })
    }

    /// [`Plan::new`], made once.
    fn of(spec: &'static ModuleSpec, is_last: bool) -> Result<Rc<Plan>> {
        thread_local! {
            static PLANS: RefCell<HashMap<(*const ModuleSpec, bool), Rc<Plan>>> = RefCell::default();
        }
        let key = (std::ptr::from_ref(spec), is_last);
        if let Some(plan) = PLANS.with_borrow(|plans| plans.get(&key).cloned()) {
            return Ok(plan);
        }
        let plan = Rc::new(Plan::new(spec, is_last)?);
        PLANS.with_borrow_mut(|plans| plans.insert(key, Rc::clone(&plan)));
        Ok(plan)
    }
}

/// The function of `torch.nn.functional` that a module calls, as its errors name it: the name in
/// the row, which may be an alias of the op. `im2col` cannot have the alias `unfold`, which is
/// another op.
fn function(spec: &'static ModuleSpec) -> &'static str {
    match parts(spec.op().unwrap_or_default()).0 {
        "im2col" => "unfold",
        name => name,
    }
}

/// Calls an op with one tensor as its only argument, for modules without state.
pub(crate) fn run(op: &str, input: &Tensor) -> Result<Tensor> {
    let found = Op::find(op).ok_or_else(|| Error::argument(op, "is no op"))?;
    found.run(&[Arg::Tensor(input.clone())])?.into_tensor(op)
}

/// The name of a row's op, and the arguments in its brackets.
pub(crate) fn parts(text: &'static str) -> (&'static str, impl Iterator<Item = (&'static str, &'static str)>) {
    let (name, rest) = text.split_once('(').unwrap_or((text, ""));
    (name, rest.trim_end_matches(')').split(", ").filter_map(|pair| pair.split_once('=')))
}

impl Functional {
    /// The module of this name, built with the constructor's arguments.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such module that is an op, and for arguments that the constructor
    /// does not take.
    pub fn new(name: &str, args: &[Arg]) -> Result<Functional> {
        let spec = ModuleSpec::find(name)?;
        Functional::build(spec, &Args::bind(&spec.schema(), args)?)
    }

    /// The module of a row.
    pub(crate) fn build(spec: &'static ModuleSpec, args: &Args<'_>) -> Result<Functional> {
        let (args, plan) = (args.to_vec(), Plan::of(spec, false)?);
        let given = |index: Option<usize>| index.map(|index| &args[index]);
        let has_indices = matches!(given(plan.return_indices), Some(Arg::Scalar(Scalar::Bool(true))));
        let has_no_dim = matches!(given(plan.dim), Some(Arg::Missing | Arg::Null));
        let plan = if has_indices || has_no_dim { Plan::of(spec, true)? } else { plan };
        Ok(Functional { spec, plan, args, training: TrainingFlag::default() })
    }

    /// The result of an op that returns one tensor.
    pub(crate) fn run_on(&self, inputs: &[Arg]) -> Result<Tensor> {
        self.run(|index| inputs[index].clone())?.into_tensor(self.spec.name())
    }

    /// The op's results for these inputs.
    fn run(&self, input: impl Fn(usize) -> Arg) -> Result<Output> {
        let arg = |source: &Source| match source {
            Source::Input(index) => input(*index),
            Source::Argument(index) => self.args[*index].clone(),
            Source::Repeated(index, count) => match &self.args[*index] {
                Arg::Ints(values) if values.len() == 1 => Arg::Ints(vec![values[0]; *count]),
                arg => arg.clone(),
            },
            Source::Fixed(arg) => arg.clone(),
            Source::Training => Arg::Scalar(Scalar::Bool(self.training.get())),
        };
        let args: Vec<Arg> = self.plan.sources.iter().map(arg).collect();
        let op = self.plan.op;
        op.run(&args).map_err(|error| {
            let name = Some(function(self.spec)).filter(|name| *name != op.base_name());
            op.wording(&args, Caller { name, ..Caller::PYTHON })(error)
        })
    }
}

impl Module for Functional {
    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        let named = self.spec.schema().params.into_iter().zip(&self.args);
        let buffer = |(param, arg): (Param, &Arg)| match arg {
            Arg::Tensor(tensor) => Some((param.name, tensor.clone())),
            _ => None,
        };
        named.filter_map(buffer).collect()
    }

    fn train(&self, mode: bool) {
        self.training.set(mode);
    }

    fn type_name(&self) -> String {
        self.spec.name().to_string()
    }

    fn extra_repr(&self) -> String {
        let named = self.spec.schema().params.into_iter().zip(&self.args);
        named.filter_map(|(param, arg)| argument(&param.name, arg)).collect::<Vec<_>>().join(", ")
    }

    fn signature(&self) -> &'static str {
        self.spec.forward
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        let inputs = inputs.to_vec();
        self.run(|index| inputs[index].clone())
    }
}

impl Layer for Functional {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.run(|index| if index == 0 { Arg::Tensor(input.clone()) } else { Arg::Missing })?
            .into_tensor(self.spec.name())
    }
}
