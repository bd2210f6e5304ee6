//! Recurrent layers and cells.
//!
//! What tells the kinds apart is data, a [`Rule`] each; a type parameter gives them their names and the type of their states. The computation is the ops'
//! ([`Tensor::lstm`] and its kin).

use crate::{
    Module, Parameter, init,
    table::{Make, ModuleSpec},
};
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Args, Output},
};
use std::{cell::Cell, marker::PhantomData};

/// What a kind of recurrent module is.
pub struct Rule {
    layers: &'static str,
    cell: &'static str,
    gates: i64,
    /// Whether a state is carried from step to step beside the output.
    carries: bool,
    forward: &'static str,
    step: &'static str,
}

/// A kind of recurrent module: [`Elman`], [`LongShortTerm`] or [`Gated`].
pub trait Recurrence: 'static {
    /// What goes from step to step: h, or of an LSTM `(h, c)`.
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

/// One state, in the hands of callers without types.
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
        forward: "forward(Tensor input, Tensor? hx=None) -> (Tensor output, Tensor h_n)",
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
        forward: "forward(Tensor input, Tensor[]? hx=None) -> (Tensor output, Tensor[2] states)",
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

    /// The states that a caller without types gave.
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

/// The options of [`Recurrent`] layers, with PyTorch's defaults.
#[derive(Clone, Debug)]
pub struct RecurrentOptions {
    /// How many layers stand on one another.
    pub num_layers: i64,
    /// `"tanh"` or `"relu"`, of an [`RNN`].
    pub nonlinearity: String,
    /// Whether there are biases.
    pub bias: bool,
    /// Whether inputs and outputs are `[B, T, ..]` and not `[T, B, ..]`; states have the batch in the middle in either case.
    pub batch_first: bool,
    /// The probability with which elements between layers are dropped in training.
    pub dropout: f64,
    /// Whether each layer runs from both ends.
    pub bidirectional: bool,
    /// The size of the projected hidden state of an [`LSTM`]; 0 for none.
    pub proj_size: i64,
}

impl Default for RecurrentOptions {
    fn default() -> RecurrentOptions {
        RecurrentOptions {
            num_layers: 1,
            nonlinearity: "tanh".into(),
            bias: true,
            batch_first: false,
            dropout: 0.0,
            bidirectional: false,
            proj_size: 0,
        }
    }
}

/// Layers of an Elman network (Elman, 1990).
pub type RNN = Recurrent<Elman>;
/// Layers of long short-term memory (Hochreiter and Schmidhuber, 1997), also with projections.
pub type LSTM = Recurrent<LongShortTerm>;
/// Layers of gated recurrent units (Cho et al., 2014).
pub type GRU = Recurrent<Gated>;

/// Layers of a recurrent network over a sequence: [`RNN`], [`LSTM`], [`GRU`].
///
/// Parameters, for layer k and with `_reverse` for the other direction: `weight_ih_lk: [gates * hidden, in]`, `weight_hh_lk: [gates * hidden, out]`,
/// `bias_ih_lk`, `bias_hh_lk: [gates * hidden]`, with `proj_size` `weight_hr_lk: [proj_size, hidden]`; all uniform within `1/sqrt(hidden)`.
pub struct Recurrent<K: Recurrence> {
    input_size: i64,
    hidden_size: i64,
    options: RecurrentOptions,
    weights: Vec<(String, Parameter)>,
    training: Cell<bool>,
    kind: PhantomData<K>,
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

fn check_nonlinearity(name: &str, nonlinearity: &str) -> Result<()> {
    match nonlinearity {
        "tanh" | "relu" => Ok(()),
        other => Err(Error::argument(name, format!("nonlinearity is \"tanh\" or \"relu\", not {other:?}"))),
    }
}

impl<K: Recurrence> Recurrent<K> {
    /// Layers with fresh parameters on the default device.
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn_nn::{LSTM, RecurrentOptions};
    /// use lanthorn_tensor::Tensor;
    /// let lstm = LSTM::new(3, 8, RecurrentOptions { num_layers: 2, bidirectional: true, ..Default::default() })?;
    /// let (output, (h, _)) = lstm.forward(&Tensor::zeros([5, 2, 3])?, None)?;
    /// assert_eq!((output.shape().to_vec(), h.shape().to_vec()), (vec![5, 2, 16], vec![4, 2, 8]));
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn new(input_size: i64, hidden_size: i64, options: RecurrentOptions) -> Result<Recurrent<K>> {
        let rule = K::RULE;
        positive(rule.layers, [("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", options.num_layers)])?;
        check_nonlinearity(rule.layers, &options.nonlinearity)?;
        let refused = |message: String| Err(Error::argument(rule.layers, message));
        if !(0.0..=1.0).contains(&options.dropout) {
            return refused(format!("dropout is a probability from 0 to 1, not {}", options.dropout));
        }
        if options.proj_size != 0 && !rule.carries {
            return refused("proj_size is for an LSTM".into());
        }
        if !(0..hidden_size).contains(&options.proj_size) {
            return refused(format!("proj_size must be smaller than hidden_size {hidden_size}, not {}", options.proj_size));
        }
        let out = if options.proj_size > 0 { options.proj_size } else { hidden_size };
        let (rows, ends) = (rule.gates * hidden_size, if options.bidirectional { &["", "_reverse"][..] } else { &[""] });
        let mut weights = Vec::new();
        for layer in 0..options.num_layers {
            let inputs = if layer == 0 { input_size } else { out * ends.len() as i64 };
            for end in ends {
                let mut add = |name: &str, shape: &[i64]| -> Result<()> {
                    weights.push((format!("{name}_l{layer}{end}"), uniform(hidden_size, shape)?));
                    Ok(())
                };
                add("weight_ih", &[rows, inputs])?;
                add("weight_hh", &[rows, out])?;
                if options.bias {
                    add("bias_ih", &[rows])?;
                    add("bias_hh", &[rows])?;
                }
                if options.proj_size > 0 {
                    add("weight_hr", &[options.proj_size, hidden_size])?;
                }
            }
        }
        Ok(Recurrent { input_size, hidden_size, options, weights, training: Cell::new(true), kind: PhantomData })
    }

    /// The last layer's output for every step, and the last states of all layers.
    ///
    /// `input: [T, B, input_size]`, or `[B, T, input_size]` with `batch_first`, or `[T, input_size]`; the output is in the same order, its last size
    /// `D * out` with D directions. States are `[num_layers * D, B, out]` (of an LSTM's c `hidden_size` in place of `out`), without B where the input has
    /// none; they begin with zeros where `hx` is not given.
    pub fn forward(&self, input: &Tensor, hx: Option<&K::State>) -> Result<(Tensor, K::State)> {
        let (output, states) = self.run(input, hx.map(K::list))?;
        Ok((output, K::state(states)))
    }

    fn run(&self, input: &Tensor, hx: Option<Vec<Tensor>>) -> Result<(Tensor, Vec<Tensor>)> {
        let (rule, options) = (K::RULE, &self.options);
        let refused = |message: String| Err(Error::shape(rule.layers, message));
        let batched = match input.rank() {
            2 => false,
            3 => true,
            _ => return refused(format!("expected an input of 2 or 3 dimensions, not of shape {}", input.shape())),
        };
        let given = input.shape()[input.rank() - 1];
        if given as i64 != self.input_size {
            return refused(format!("input has inconsistent input_size: got {given}, expected {}", self.input_size));
        }
        let dtype = self.weights[0].1.dtype();
        if input.dtype() != dtype {
            let message = format!("the input is {}, the weights are {dtype}; convert one with to()", input.dtype());
            return Err(Error::dtype(rule.layers, message));
        }
        let x = if batched { input.clone() } else { input.unsqueeze(if options.batch_first { 0 } else { 1 })? };
        let states = match hx {
            Some(states) => {
                if let Some(state) = states.iter().find(|state| state.rank() != input.rank()) {
                    let (rank, shape) = (input.rank(), state.shape());
                    return refused(format!("an input of {rank} dimensions takes states of as many, not of shape {shape}"));
                }
                states
                    .iter()
                    .map(|state| if batched { Ok(state.clone()) } else { state.unsqueeze(1) })
                    .collect::<Result<Vec<_>>>()?
            }
            None => {
                let runs = options.num_layers * (1 + i64::from(options.bidirectional));
                let batch = x.shape()[usize::from(!options.batch_first)] as i64;
                let out = if options.proj_size > 0 { options.proj_size } else { self.hidden_size };
                let zeros = |size: i64| Tensor::zeros_with([runs, batch, size], dtype, Some(x.device()));
                [out, self.hidden_size][..rule.states()].iter().map(|&size| zeros(size)).collect::<Result<_>>()?
            }
        };
        let weights: Vec<Tensor> = self.weights.iter().map(|(_, weight)| weight.clone()).collect();
        let (bias, layers, dropout, training) = (options.bias, options.num_layers, options.dropout, self.training.get());
        let (both, first) = (options.bidirectional, options.batch_first);
        let (output, states) = if rule.carries {
            let (output, h, c) = Tensor::lstm(&x, &states, &weights, bias, layers, dropout, training, both, first)?;
            (output, vec![h, c])
        } else {
            let op = match (rule.gates, options.nonlinearity.as_str()) {
                (3, _) => Tensor::gru,
                (_, "relu") => Tensor::rnn_relu,
                _ => Tensor::rnn_tanh,
            };
            let (output, h) = op(&x, &states[0], &weights, bias, layers, dropout, training, both, first)?;
            (output, vec![h])
        };
        if batched {
            return Ok((output, states));
        }
        let output = output.squeeze(if options.batch_first { 0 } else { 1 })?;
        Ok((output, states.iter().map(|state| state.squeeze(1)).collect::<Result<_>>()?))
    }

    fn build(args: &Args<'_>) -> Result<Box<dyn Module>> {
        // An RNN takes a nonlinearity, the others a proj_size, which a GRU refuses.
        let rnn = K::RULE.gates == 1;
        let flags = 3 + usize::from(rnn);
        let options = RecurrentOptions {
            num_layers: args.int(2),
            nonlinearity: if rnn { args.str(3).into() } else { "tanh".into() },
            bias: args.bool(flags),
            batch_first: args.bool(flags + 1),
            dropout: args.float(flags + 2),
            bidirectional: args.bool(flags + 3),
            proj_size: if K::RULE.carries { args.int(flags + 4) } else { 0 },
        };
        Ok(Box::new(Recurrent::<K>::new(args.int(0), args.int(1), options)?))
    }
}

impl<K: Recurrence> Module for Recurrent<K> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.weights.clone()
    }

    fn train(&self, mode: bool) {
        self.training.set(mode);
    }

    fn signature(&self) -> &'static str {
        K::RULE.forward
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        let hx = K::RULE.given(K::RULE.layers, inputs)?;
        let (output, states) = self.run(inputs.tensor(0), hx)?;
        Ok(Output::Tensors([vec![output], states].concat()))
    }
}

/// One step of an [`RNN`].
pub type RNNCell = RecurrentCell<Elman>;
/// One step of an [`LSTM`].
pub type LSTMCell = RecurrentCell<LongShortTerm>;
/// One step of a [`GRU`].
pub type GRUCell = RecurrentCell<Gated>;

/// One step of a recurrent layer: [`RNNCell`], [`LSTMCell`], [`GRUCell`].
///
/// Parameters: `weight_ih: [gates * hidden, in]`, `weight_hh: [gates * hidden, hidden]`, `bias_ih`, `bias_hh: [gates * hidden]`, all uniform within
/// `1/sqrt(hidden)`.
pub struct RecurrentCell<K: Recurrence> {
    input_size: i64,
    hidden_size: i64,
    nonlinearity: String,
    weights: Vec<(String, Parameter)>,
    kind: PhantomData<K>,
}

impl<K: Recurrence> RecurrentCell<K> {
    /// A cell with fresh parameters on the default device. `nonlinearity`, `"tanh"` or `"relu"`, is of an [`RNNCell`].
    ///
    /// ```
    /// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
    /// use lanthorn_nn::GRUCell;
    /// use lanthorn_tensor::Tensor;
    /// let cell = GRUCell::new(3, 8, true, "tanh")?;
    /// let h = cell.forward(&Tensor::ones([2, 3])?, None)?;
    /// assert_eq!(cell.forward(&Tensor::ones([2, 3])?, Some(&h))?.shape().to_vec(), [2, 8]);
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    pub fn new(input_size: i64, hidden_size: i64, bias: bool, nonlinearity: &str) -> Result<RecurrentCell<K>> {
        let rule = K::RULE;
        positive(rule.cell, [("input_size", input_size), ("hidden_size", hidden_size)])?;
        check_nonlinearity(rule.cell, nonlinearity)?;
        let rows = rule.gates * hidden_size;
        let shapes: [(&str, &[i64]); 4] =
            [("weight_ih", &[rows, input_size]), ("weight_hh", &[rows, hidden_size]), ("bias_ih", &[rows]), ("bias_hh", &[rows])];
        let shapes = &shapes[..if bias { 4 } else { 2 }];
        let weights = shapes.iter().map(|(name, shape)| Ok((name.to_string(), uniform(hidden_size, shape)?)));
        let weights = weights.collect::<Result<_>>()?;
        Ok(RecurrentCell { input_size, hidden_size, nonlinearity: nonlinearity.into(), weights, kind: PhantomData })
    }

    /// The next states. `input: [B, input_size]`, states `[B, hidden_size]`, or all without B; zeros where `hx` is not given.
    pub fn forward(&self, input: &Tensor, hx: Option<&K::State>) -> Result<K::State> {
        self.run(input, hx.map(K::list)).map(K::state)
    }

    fn run(&self, input: &Tensor, hx: Option<Vec<Tensor>>) -> Result<Vec<Tensor>> {
        let rule = K::RULE;
        let refused = |message: String| Err(Error::shape(rule.cell, message));
        let &[ref batch @ .., given] = &input.shape()[..] else { return refused("expected an input, not a 0-d tensor".into()) };
        if batch.len() > 1 {
            return refused(format!("expected an input of 1 or 2 dimensions, not of shape {}", input.shape()));
        }
        if given as i64 != self.input_size {
            return refused(format!("input has inconsistent input_size: got {given}, expected {}", self.input_size));
        }
        let mut sizes: Vec<i64> = batch.iter().map(|&size| size as i64).collect();
        sizes.push(self.hidden_size);
        let states = match hx {
            Some(states) => states,
            None => {
                let zeros = || Tensor::zeros_with(sizes.clone(), input.dtype(), Some(input.device()));
                (0..rule.states()).map(|_| zeros()).collect::<Result<_>>()?
            }
        };
        if let Some(state) = states.iter().find(|state| state.shape().to_i64() != sizes) {
            let message = format!(
                "hidden has inconsistent shape: an input of shape {} takes {sizes:?}, not {}",
                input.shape(),
                state.shape()
            );
            return refused(message);
        }
        let [w_ih, w_hh] = [0, 1].map(|place| &self.weights[place].1);
        let [b_ih, b_hh] = [2, 3].map(|place| self.weights.get(place).map(|(_, bias)| bias));
        if rule.carries {
            let (h, c) = Tensor::lstm_cell(input, &states, w_ih, w_hh, b_ih, b_hh)?;
            return Ok(vec![h, c]);
        }
        let op = match (rule.gates, self.nonlinearity.as_str()) {
            (3, _) => Tensor::gru_cell,
            (_, "relu") => Tensor::rnn_relu_cell,
            _ => Tensor::rnn_tanh_cell,
        };
        Ok(vec![op(input, &states[0], w_ih, w_hh, b_ih, b_hh)?])
    }

    fn build(args: &Args<'_>) -> Result<Box<dyn Module>> {
        let nonlinearity = if K::RULE.gates == 1 { args.str(3) } else { "tanh" };
        Ok(Box::new(RecurrentCell::<K>::new(args.int(0), args.int(1), args.bool(2), nonlinearity)?))
    }
}

impl<K: Recurrence> Module for RecurrentCell<K> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.weights.clone()
    }

    fn signature(&self) -> &'static str {
        K::RULE.step
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        let mut states = self.run(inputs.tensor(0), K::RULE.given(K::RULE.cell, inputs)?)?;
        Ok(if K::RULE.carries { Output::Tensors(states) } else { Output::Tensor(states.remove(0)) })
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: "RNN(int input_size, int hidden_size, int num_layers=1, *, str nonlinearity=\"tanh\", bool bias=True, bool batch_first=False, float dropout=0.0, bool bidirectional=False) -> Module",
        forward: Elman::RULE.forward,
        doc: "Layers of an Elman network. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`; `hx`, and the last states: `[numLayers * D, B, hiddenSize]` with D directions.",
        make: Make::Type(RNN::build),
    },
    ModuleSpec {
        text: "LSTM(int input_size, int hidden_size, int num_layers=1, *, bool bias=True, bool batch_first=False, float dropout=0.0, bool bidirectional=False, int proj_size=0) -> Module",
        forward: LongShortTerm::RULE.forward,
        doc: "Layers of long short-term memory. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`; `hx`, and the last states: `[h, c]`, each `[numLayers * D, B, hiddenSize]` with D directions; h has `projSize` in place of `hiddenSize` if that is not 0.",
        make: Make::Type(LSTM::build),
    },
    ModuleSpec {
        text: "GRU(int input_size, int hidden_size, int num_layers=1, *, bool bias=True, bool batch_first=False, float dropout=0.0, bool bidirectional=False) -> Module",
        forward: Gated::RULE.forward,
        doc: "Layers of gated recurrent units. `input: [T, B, inputSize]`, `[B, T, inputSize]` with `batchFirst`, or `[T, inputSize]`; `hx`, and the last states: `[numLayers * D, B, hiddenSize]` with D directions.",
        make: Make::Type(GRU::build),
    },
    ModuleSpec {
        text: "RNNCell(int input_size, int hidden_size, bool bias=True, str nonlinearity=\"tanh\") -> Module",
        forward: Elman::RULE.step,
        doc: "One step of an `RNN`. `input: [B, inputSize]`, `hx` and the result `[B, hiddenSize]`, or all without B.",
        make: Make::Type(RNNCell::build),
    },
    ModuleSpec {
        text: "LSTMCell(int input_size, int hidden_size, bool bias=True) -> Module",
        forward: LongShortTerm::RULE.step,
        doc: "One step of an `LSTM`. `input: [B, inputSize]`, `hx` and the result `[h, c]`, each `[B, hiddenSize]`, or all without B.",
        make: Make::Type(LSTMCell::build),
    },
    ModuleSpec {
        text: "GRUCell(int input_size, int hidden_size, bool bias=True) -> Module",
        forward: Gated::RULE.step,
        doc: "One step of a `GRU`. `input: [B, inputSize]`, `hx` and the result `[B, hiddenSize]`, or all without B.",
        make: Make::Type(GRUCell::build),
    },
];
