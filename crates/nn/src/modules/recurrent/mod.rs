//! Recurrent layers and cells.
//!
//! The kinds differ in data, a [`Rule`] each; a type parameter selects the rule and the type of the
//! states. Ops such as [`Tensor::lstm`] compute the result.

mod cell;
mod layers;
mod packed;

pub use cell::{GRUCell, LSTMCell, RNNCell, RecurrentCell, RecurrentCellBuilder};
pub use layers::{GRU, LSTM, RNN, Recurrent, RecurrentBuilder};

use crate::{
    Parameter, init,
    table::{Constructor, ModuleSpec, documentation},
};
use lanthorn_tensor::{Error, Result, Tensor, choices, ops::Args};

choices! {
    /// The nonlinearity of an [`RNN`] and an [`RNNCell`].
    Nonlinearity {
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// The rectifier.
        Relu = "relu",
    }
}

/// The description of a kind of recurrent module.
pub struct Rule {
    layers: &'static str,
    cell: &'static str,
    gates: i64,
    /// Whether a cell state is carried from step to step beside the output.
    carries: bool,
    forward: &'static str,
    step: &'static str,
}

/// A kind of recurrent module: [`Elman`], [`LongShortTerm`] or [`Gated`].
pub trait Recurrence: 'static {
    /// The state that is carried from step to step: `h`, or `(h, c)` for an LSTM.
    type State: Clone;
    /// Its names and sizes.
    const RULE: &'static Rule;
    /// The states as a list.
    fn list(state: &Self::State) -> Vec<Tensor>;
    /// The states from their list.
    fn state(list: Vec<Tensor>) -> Self::State;
}

/// The rule of [`RNN`] and [`RNNCell`]: `h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`, or with relu.
pub enum Elman {}
/// The rule of [`LSTM`] and [`LSTMCell`].
pub enum LongShortTerm {}
/// The rule of [`GRU`] and [`GRUCell`].
pub enum Gated {}

/// The only state of a list.
fn single(mut list: Vec<Tensor>) -> Tensor {
    list.pop().expect("there is one state")
}

impl Recurrence for Elman {
    type State = Tensor;
    const RULE: &'static Rule = &Rule {
        layers: "RNN",
        cell: "RNNCell",
        gates: 1,
        carries: false,
        forward: "forward(Tensor input, Tensor? hx=None, *, int[]? batch_sizes=None) -> (Tensor output, Tensor h_n)",
        step: "forward(Tensor input, Tensor? hx=None) -> Tensor",
    };

    fn list(state: &Tensor) -> Vec<Tensor> {
        vec![state.clone()]
    }

    fn state(list: Vec<Tensor>) -> Tensor {
        single(list)
    }
}

impl Recurrence for Gated {
    type State = Tensor;
    const RULE: &'static Rule = &Rule { layers: "GRU", cell: "GRUCell", gates: 3, ..*Elman::RULE };

    fn list(state: &Tensor) -> Vec<Tensor> {
        vec![state.clone()]
    }

    fn state(list: Vec<Tensor>) -> Tensor {
        single(list)
    }
}

impl Recurrence for LongShortTerm {
    type State = (Tensor, Tensor);
    const RULE: &'static Rule = &Rule {
        layers: "LSTM",
        cell: "LSTMCell",
        gates: 4,
        carries: true,
        forward: "forward(Tensor input, Tensor[]? hx=None, *, int[]? batch_sizes=None) -> (Tensor output, Tensor[2] states)",
        step: "forward(Tensor input, Tensor[]? hx=None) -> (Tensor h, Tensor c)",
    };

    fn list((h, c): &(Tensor, Tensor)) -> Vec<Tensor> {
        vec![h.clone(), c.clone()]
    }

    fn state(mut list: Vec<Tensor>) -> (Tensor, Tensor) {
        let c = list.pop().expect("there are two states");
        (single(list), c)
    }
}

impl Rule {
    fn states(&self) -> usize {
        1 + usize::from(self.carries)
    }

    /// The states passed by a dynamically typed caller.
    fn given(&self, name: &str, inputs: &Args<'_>) -> Result<Option<Vec<Tensor>>> {
        let list = match self.carries {
            true => inputs.optional_tensor_list(1).map(<[Tensor]>::to_vec),
            false => inputs.optional_tensor(1).map(|state| vec![state.clone()]),
        };
        match list {
            Some(list) if list.len() != self.states() => {
                Err(Error::argument(name, format!("hx is a list of {} tensors, not of {}", self.states(), list.len())))
            }
            list => Ok(list),
        }
    }
}

/// A parameter of uniform numbers within `1/sqrt(hidden_size)`.
fn uniform(hidden_size: i64, shape: &[i64]) -> Result<Parameter> {
    let bound = 1.0 / (hidden_size as f64).sqrt();
    let parameter = init::zeros(shape)?;
    init::uniform_(&parameter, -bound, bound)?;
    Ok(parameter)
}

/// Refuses sizes that are not positive.
fn positive<const N: usize>(name: &str, sizes: [(&str, i64); N]) -> Result<()> {
    match sizes.into_iter().find(|(_, size)| *size <= 0) {
        Some((size, given)) => Err(Error::argument(name, format!("{size} must be greater than zero, not {given}"))),
        None => Ok(()),
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: "RNN(int input_size, int hidden_size, int num_layers=1, str{tanh|relu} nonlinearity=\"tanh\", bool bias=True, bool batch_first=False, float dropout=0.0, bool bidirectional=False) -> Module",
        forward: Elman::RULE.forward,
        tensors: &[],
        doc: documentation(
            "Layers of an Elman network. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`, or the data of packed sequences with their `batchSizes`; `hx`, and the last states: `[numLayers * D, B, hiddenSize]` with D directions.",
        ),
        make: Constructor::Type(RNN::build),
    },
    ModuleSpec {
        text: "LSTM(int input_size, int hidden_size, int num_layers=1, bool bias=True, bool batch_first=False, float dropout=0.0, bool bidirectional=False, int proj_size=0) -> Module",
        forward: LongShortTerm::RULE.forward,
        tensors: &[],
        doc: documentation(
            "Layers of long short-term memory. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`, or the data of packed sequences with their `batchSizes`; `hx`, and the last states: `[h, c]`, each `[numLayers * D, B, hiddenSize]` with D directions; h has `projSize` instead of `hiddenSize` if that is not 0.",
        ),
        make: Constructor::Type(LSTM::build),
    },
    ModuleSpec {
        text: "GRU(int input_size, int hidden_size, int num_layers=1, bool bias=True, bool batch_first=False, float dropout=0.0, bool bidirectional=False) -> Module",
        forward: Gated::RULE.forward,
        tensors: &[],
        doc: documentation(
            "Layers of gated recurrent units. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`, or the data of packed sequences with their `batchSizes`; `hx`, and the last states: `[numLayers * D, B, hiddenSize]` with D directions.",
        ),
        make: Constructor::Type(GRU::build),
    },
    ModuleSpec {
        text: "RNNCell(int input_size, int hidden_size, bool bias=True, str{tanh|relu} nonlinearity=\"tanh\") -> Module",
        forward: Elman::RULE.step,
        tensors: &[],
        doc: documentation(
            "One step of an `RNN`. `input: [B, inputSize]`, `hx` and the result `[B, hiddenSize]`, or all without B.",
        ),
        make: Constructor::Type(RNNCell::build),
    },
    ModuleSpec {
        text: "LSTMCell(int input_size, int hidden_size, bool bias=True) -> Module",
        forward: LongShortTerm::RULE.step,
        tensors: &[],
        doc: documentation(
            "One step of an `LSTM`. `input: [B, inputSize]`, `hx` and the result `[h, c]`, each `[B, hiddenSize]`, or all without B.",
        ),
        make: Constructor::Type(LSTMCell::build),
    },
    ModuleSpec {
        text: "GRUCell(int input_size, int hidden_size, bool bias=True) -> Module",
        forward: Gated::RULE.step,
        tensors: &[],
        doc: documentation(
            "One step of a `GRU`. `input: [B, inputSize]`, `hx` and the result `[B, hiddenSize]`, or all without B.",
        ),
        make: Constructor::Type(GRUCell::build),
    },
];
