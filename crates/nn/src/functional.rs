//! Modules that call an op with the constructor's arguments: most activations, paddings and losses.

use crate::{Buffer, Layer, Module, mode::TrainingFlag, print::argument, table::ModuleSpec};
use lanthorn_schema::Schema;
use lanthorn_tensor::{
    Error, Result, Scalar, Tensor,
    ops::{Arg, Args, Op, Output},
};

/// The source of an argument of the op.
enum Source {
    /// The module's input with this index.
    Input(usize),
    /// An argument of the constructor, or none.
    Fixed(Arg),
    /// Whether the module is in training mode.
    Training,
}

/// A module that calls an op: its inputs and the arguments of its constructor are the op's
/// arguments of the same names.
///
/// The op's `self` is the first input, and `training` is the module's mode. Tensors given to the
/// constructor, such as class weights, are buffers. The row names the arguments that the op names
/// differently or that are fixed: `"softmax(dim=-3)"`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_nn::{Layer, Functional};
/// use lanthorn_tensor::{Scalar, Tensor, ops::Arg};
/// let elu = Functional::new("ELU", &[Arg::Scalar(Scalar::Float(2.0))])?;
/// let y = elu.forward(&Tensor::zeros([3])?.sub(100.0)?)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [-2.0; 3]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct Functional {
    spec: &'static ModuleSpec,
    op: &'static Op,
    sources: Vec<Source>,
    buffers: Vec<(String, Buffer)>,
    training: TrainingFlag,
    /// The constructor's arguments, as they are printed.
    printed: String,
}

/// A literal in a row: `true`, `"reflect"`, `-3`, or `padding*4`, a list of four numbers that a
/// single one stands for.
fn literal(text: &str, constructor: &Schema, given: &[Arg]) -> Arg {
    if let Some((name, count)) = text.split_once('*') {
        let index = constructor.params.iter().position(|param| param.name == name);
        return match (index.map(|index| &given[index]), count.parse()) {
            (Some(Arg::Ints(values)), Ok(count)) if values.len() == 1 => Arg::Ints(vec![values[0]; count]),
            (Some(arg), _) => arg.clone(),
            _ => Arg::None,
        };
    }
    match text.trim_matches('"') {
        "true" => Arg::Scalar(Scalar::Bool(true)),
        inner if inner.len() < text.len() => Arg::Str(inner.to_string()),
        number => number.parse().map_or(Arg::None, |value| Arg::Scalar(Scalar::Int(value))),
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
    pub fn new(name: &str, args: &[Arg]) -> Result<Functional> {
        let spec = ModuleSpec::find(name)?;
        Functional::build(spec, &Args::bind(&spec.schema(), args)?)
    }

    /// The module of a row.
    pub(crate) fn build(spec: &'static ModuleSpec, args: &Args<'_>) -> Result<Functional> {
        let (constructor, forward) = (spec.schema(), spec.forward_schema());
        let (name, _) = parts(spec.op().unwrap_or_default());
        let op = Op::find(name).ok_or_else(|| Error::argument(spec.name(), "is a type of its own, and not an op"))?;
        let given = args.to_vec();
        let argument_of = |name: &str| {
            let index = constructor.params.iter().position(|param| param.name == name)?;
            Some(&given[index])
        };
        // The overload with this parameter returns two tensors.
        let has_indices = matches!(argument_of("return_indices"), Some(Arg::Scalar(Scalar::Bool(true))));
        // The overload without this parameter chooses the dimension.
        let has_no_dim = matches!(argument_of("dim"), Some(Arg::None | Arg::Null));
        let op = if has_indices || has_no_dim { Op::overloads(name).pop().unwrap_or(op) } else { op };
        let printed = constructor.params.iter().zip(&given).filter_map(|(param, arg)| argument(&param.name, arg));
        let printed = printed.collect::<Vec<_>>().join(", ");
        let mut buffers = Vec::new();
        for (param, arg) in constructor.params.iter().zip(&given) {
            if let Arg::Tensor(tensor) = arg {
                buffers.push((param.name.clone(), tensor.clone()));
            }
        }
        let source = |index: usize, name: &str| {
            let said = parts(spec.op().unwrap_or_default()).1.into_iter().find(|(param, _)| *param == name);
            let name = said.map_or(name, |(_, value)| value);
            let at = |schema: &Schema| schema.params.iter().position(|param| param.name == name);
            if index == 0 && name == "self" {
                Source::Input(0)
            } else if let Some(index) = at(&constructor) {
                Source::Fixed(given[index].clone())
            } else if let Some(index) = at(&forward) {
                Source::Input(index)
            } else if name == "training" {
                Source::Training
            } else {
                Source::Fixed(said.map_or(Arg::None, |(_, value)| literal(value, &constructor, &given)))
            }
        };
        let sources = op.schema().params.iter().enumerate().map(|(index, param)| source(index, &param.name)).collect();
        Ok(Functional { spec, op, sources, buffers, training: TrainingFlag::default(), printed })
    }

    /// The result of an op that returns one tensor.
    pub(crate) fn run_on(&self, inputs: &[Arg]) -> Result<Tensor> {
        self.run(|index| inputs[index].clone())?.into_tensor(self.spec.name())
    }

    /// The op's results for these inputs.
    fn run(&self, input: impl Fn(usize) -> Arg) -> Result<Output> {
        let arg = |source: &Source| match source {
            Source::Input(index) => input(*index),
            Source::Fixed(arg) => arg.clone(),
            Source::Training => Arg::Scalar(Scalar::Bool(self.training.get())),
        };
        self.op.run(&self.sources.iter().map(arg).collect::<Vec<_>>())
    }
}

impl Module for Functional {
    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.buffers.clone()
    }

    fn train(&self, mode: bool) {
        self.training.set(mode);
    }

    fn type_name(&self) -> String {
        self.spec.name().to_string()
    }

    fn extra_repr(&self) -> String {
        self.printed.clone()
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
        self.run(|index| if index == 0 { Arg::Tensor(input.clone()) } else { Arg::None })?.into_tensor(self.spec.name())
    }
}
