//! Recurrent layers over a sequence.

use super::{Elman, Gated, LongShortTerm, Nonlinearity, Recurrence, packed, positive, uniform};
use crate::{
    Module, Parameter, VarBuilder,
    mode::TrainingFlag,
    utils::rnn::{PackedSequence, reorder},
};
use lanthorn_macros::Builder;
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Args, Output},
};

/// An operation of recurrent layers: the output, and the last states.
type Operation = fn(&Tensor, &[Tensor], &[Tensor], bool, i64, f64, bool, bool, bool) -> Result<(Tensor, Vec<Tensor>)>;

/// An operation with one state.
macro_rules! single {
    ($op:ident) => {
        |x, states, weights, bias, layers, dropout, training, both, first| {
            let (output, h) = Tensor::$op(x, &states[0], weights, bias, layers, dropout, training, both, first)?;
            Ok((output, vec![h]))
        }
    };
}

/// Layers of an Elman network (Elman, 1990).
pub type RNN = Recurrent<Elman>;
/// Layers of long short-term memory (Hochreiter and Schmidhuber, 1997), also with projections.
pub type LSTM = Recurrent<LongShortTerm>;
/// Layers of gated recurrent units (Cho et al., 2014).
pub type GRU = Recurrent<Gated>;

/// Layers of a recurrent network over a sequence: [`RNN`], [`LSTM`], [`GRU`].
///
/// Parameters of layer k, with the suffix `_reverse` for the other direction:
/// `weight_ih_lk: [gates * hidden, in]`, `weight_hh_lk: [gates * hidden, out]`, `bias_ih_lk`,
/// `bias_hh_lk: [gates * hidden]`, and with `proj_size` `weight_hr_lk: [proj_size, hidden]`; all
/// uniform within `1/sqrt(hidden)`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::LSTM;
/// use lanthorn::Tensor;
/// let lstm = LSTM::builder(3, 8).num_layers(2).bidirectional(true).build()?;
/// let (output, (h, _)) = lstm.forward(&Tensor::zeros([5, 2, 3])?, None)?;
/// assert_eq!((output.shape().to_vec(), h.shape().to_vec()), (vec![5, 2, 16], vec![4, 2, 8]));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Builder)]
#[builder(
    "Recurrent(int input_size, int hidden_size, int num_layers=1, str{tanh|relu} nonlinearity=\"tanh\", bool bias=True, bool batch_first=False, float dropout=0.0, bool bidirectional=False, int proj_size=0) -> Module",
    num_layers = "The number of stacked layers.",
    nonlinearity = "The nonlinearity of an [`RNN`].",
    bias = "Whether there are biases.",
    batch_first = "Whether inputs and outputs are `[B, T, ..]` instead of `[T, B, ..]`; the batch is the second dimension of states in either case.",
    dropout = "The dropout probability between layers, in training.",
    bidirectional = "Whether each layer runs in both directions.",
    proj_size = "The size of the projected hidden state of an [`LSTM`]; 0 for none."
)]
pub struct Recurrent<K: Recurrence> {
    options: RecurrentBuilder<K>,
    weights: Vec<(String, Parameter)>,
    training: TrainingFlag,
}

impl<K: Recurrence> Recurrent<K> {
    fn make(options: RecurrentBuilder<K>, vars: &mut VarBuilder<'_>) -> Result<Recurrent<K>> {
        let RecurrentBuilder { input_size, hidden_size, .. } = options;
        let rule = K::RULE;
        positive(
            rule.layers,
            [("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", options.num_layers)],
        )?;
        let refused = |message: String| Err(Error::argument(rule.layers, message));
        if !(0.0..=1.0).contains(&options.dropout) {
            return refused(format!("dropout is a probability from 0 to 1, not {}", options.dropout));
        }
        if options.proj_size != 0 && !rule.carries {
            return refused("proj_size is for an LSTM".into());
        }
        if !(0..hidden_size).contains(&options.proj_size) {
            return refused(format!(
                "proj_size must be smaller than hidden_size {hidden_size}, not {}",
                options.proj_size
            ));
        }
        let out = if options.proj_size > 0 { options.proj_size } else { hidden_size };
        let (rows, ends) =
            (rule.gates * hidden_size, if options.bidirectional { &["", "_reverse"][..] } else { &[""] });
        let mut weights = Vec::new();
        for layer in 0..options.num_layers {
            let inputs = if layer == 0 { input_size } else { out * ends.len() as i64 };
            for end in ends {
                let mut add = |name: &str, shape: &[i64]| -> Result<()> {
                    let name = format!("{name}_l{layer}{end}");
                    let weight = vars.parameter(&name, || uniform(hidden_size, shape))?;
                    weights.push((name, weight));
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
        Ok(Recurrent { options, weights, training: TrainingFlag::default() })
    }

    /// The last layer's output for every step, and the last states of all layers.
    ///
    /// `input: [T, B, input_size]`, or `[B, T, input_size]` with `batch_first`, or
    /// `[T, input_size]`; the output has the same layout, with last size `D * out` for D
    /// directions. States are `[num_layers * D, B, out]` (`hidden_size` instead of `out` for an
    /// LSTM's c), without B where the input has none; they default to zeros.
    ///
    /// # Errors
    ///
    /// `shape` for an input or a state of another size.
    pub fn forward(&self, input: &Tensor, hx: Option<&K::State>) -> Result<(Tensor, K::State)> {
        let (output, states) = self.run(input, hx.map(K::list))?;
        Ok((output, K::state(states)))
    }

    /// Refuses an input of another size or type than the weights take.
    fn check_input(&self, input: &Tensor) -> Result<()> {
        let rule = K::RULE;
        let refused = |message: String| Err(Error::shape(rule.layers, message));
        let given = input.shape()[input.rank() - 1];
        if given as i64 != self.options.input_size {
            return refused(format!(
                "input has inconsistent input_size: got {given}, expected {}",
                self.options.input_size
            ));
        }
        let dtype = self.weights[0].1.dtype();
        if input.dtype() != dtype {
            let message = format!("the input is {}, the weights are {dtype}; convert one with to()", input.dtype());
            return Err(Error::dtype(rule.layers, message));
        }
        Ok(())
    }

    /// Initial states of zeros for a batch.
    fn zero_states(&self, batch: i64, like: &Tensor) -> Result<Vec<Tensor>> {
        let options = &self.options;
        let runs = options.num_layers * (1 + i64::from(options.bidirectional));
        let out = if options.proj_size > 0 { options.proj_size } else { options.hidden_size };
        let zeros = |size: &i64| Tensor::zeros_with([runs, batch, *size], like.dtype(), Some(like.device()));
        [out, options.hidden_size][..K::RULE.states()].iter().map(zeros).collect()
    }

    fn run(&self, input: &Tensor, hx: Option<Vec<Tensor>>) -> Result<(Tensor, Vec<Tensor>)> {
        let (rule, options) = (K::RULE, &self.options);
        let refused = |message: String| Err(Error::shape(rule.layers, message));
        let batched = match input.rank() {
            2 => false,
            3 => true,
            _ => return refused(format!("expected an input of 2 or 3 dimensions, not of shape {}", input.shape())),
        };
        self.check_input(input)?;
        let x = if batched { input.clone() } else { input.unsqueeze(if options.batch_first { 0 } else { 1 })? };
        let states = match hx {
            Some(states) => {
                if let Some(state) = states.iter().find(|state| state.rank() != input.rank()) {
                    let (rank, shape) = (input.rank(), state.shape());
                    return refused(format!(
                        "an input of {rank} dimensions takes states of as many, not of shape {shape}"
                    ));
                }
                states
                    .iter()
                    .map(|state| if batched { Ok(state.clone()) } else { state.unsqueeze(1) })
                    .collect::<Result<Vec<_>>>()?
            }
            None => self.zero_states(x.shape()[usize::from(!options.batch_first)] as i64, &x)?,
        };
        let weights: Vec<Tensor> = self.weights.iter().map(|(_, weight)| weight.clone()).collect();
        let (bias, layers, dropout, training) =
            (options.bias, options.num_layers, options.dropout, self.training.get());
        let (both, first) = (options.bidirectional, options.batch_first);
        let op = self.operation();
        let (output, states) = op(&x, &states, &weights, bias, layers, dropout, training, both, first)?;
        if batched {
            return Ok((output, states));
        }
        let output = output.squeeze(if options.batch_first { 0 } else { 1 })?;
        Ok((output, states.iter().map(|state| state.squeeze(1)).collect::<Result<_>>()?))
    }

    /// The operation of this kind of layers.
    fn operation(&self) -> Operation {
        match (K::RULE.gates, self.options.nonlinearity) {
            _ if K::RULE.carries => |x, states, weights, bias, layers, dropout, training, both, first| {
                let (output, h, c) = Tensor::lstm(x, states, weights, bias, layers, dropout, training, both, first)?;
                Ok((output, vec![h, c]))
            },
            (3, _) => single!(gru),
            (_, Nonlinearity::Relu) => single!(rnn_relu),
            (_, Nonlinearity::Tanh) => single!(rnn_tanh),
        }
    }

    /// The last layer's output for packed sequences, and the last states of all layers.
    ///
    /// `input` has data `[N, input_size]`; the output is packed in the same order, with last size
    /// `D * out`. States are as of [`Recurrent::forward`], in the order in which the sequences were
    /// given; a state is that after the last step of its sequence.
    ///
    /// # Errors
    ///
    /// `shape` if the data or a state has another shape; `argument` if the numbers of sequences
    /// rise, or their sum is not N.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::{GRU, utils::rnn::{pack_padded_sequence, pad_packed_sequence}};
    /// use lanthorn::Tensor;
    /// let gru = GRU::builder(3, 8).bidirectional(true).build()?;
    /// let packed = pack_padded_sequence(&Tensor::zeros([5, 2, 3])?, &[2, 5], false, false)?;
    /// let (output, h) = gru.forward_packed(&packed, None)?;
    /// let (padded, lengths) = pad_packed_sequence(&output, false, 0.0, None)?;
    /// assert_eq!((padded.shape().to_vec(), h.shape().to_vec()), (vec![5, 2, 16], vec![2, 2, 8]));
    /// assert_eq!(lengths, [2, 5]);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn forward_packed(&self, input: &PackedSequence, hx: Option<&K::State>) -> Result<(PackedSequence, K::State)> {
        let (sorted, unsorted) = (input.sorted_indices.as_deref(), input.unsorted_indices());
        let in_order = |states: Vec<Tensor>, order: Option<&[i64]>| -> Result<Vec<Tensor>> {
            states.iter().map(|state| reorder(state, 1, order)).collect()
        };
        let states = hx.map(|state| in_order(K::list(state), sorted)).transpose()?;
        let (output, states) = self.run_packed(&input.data, &input.batch_sizes, states)?;
        Ok((input.with_data(output), K::state(in_order(states, unsorted.as_deref())?)))
    }

    /// [`Recurrent::forward_packed`] for data and states in the packed order.
    fn run_packed(&self, data: &Tensor, sizes: &[i64], hx: Option<Vec<Tensor>>) -> Result<(Tensor, Vec<Tensor>)> {
        let (rule, options) = (K::RULE, &self.options);
        if data.rank() != 2 {
            let message = format!("the data of packed sequences has 2 dimensions, not shape {}", data.shape());
            return Err(Error::shape(rule.layers, message));
        }
        packed::check(rule.layers, sizes, data.shape()[0] as i64)?;
        self.check_input(data)?;
        let batch = sizes.first().copied().unwrap_or(0);
        let zeros = self.zero_states(batch, data)?;
        let states = hx.unwrap_or_else(|| zeros.clone());
        for (state, zero) in states.iter().zip(&zeros) {
            if state.shape() != zero.shape() {
                let message = format!("a state has shape {}, and {} is expected", state.shape(), zero.shape());
                return Err(Error::shape(rule.layers, message));
            }
        }
        let weights: Vec<Tensor> = self.weights.iter().map(|(_, weight)| weight.clone()).collect();
        let ends = if options.bidirectional { 2 } else { 1 };
        let each = weights.len() / (options.num_layers as usize * ends);
        let steps = packed::Steps::new(sizes);
        let (mut data, mut last) = (data.clone(), vec![]);
        for layer in 0..options.num_layers as usize {
            let mut outputs = vec![];
            for end in 0..ends {
                let run = layer * ends + end;
                let weights = &weights[run * each..(run + 1) * each];
                let states = states.iter().map(|state| state.narrow(0, run as i64, 1)).collect::<Result<Vec<_>>>()?;
                let step = |x: &Tensor, states: &[Tensor]| {
                    self.operation()(x, states, weights, options.bias, 1, 0.0, false, false, false)
                };
                let (output, states) = steps.run(&data, states, end == 1, &step)?;
                outputs.push(output);
                last.push(states);
            }
            data = Tensor::cat(&outputs, -1)?;
            if layer + 1 < options.num_layers as usize {
                data = data.dropout(options.dropout, self.training.get())?;
            }
        }
        let states = (0..rule.states())
            .map(|index| Tensor::cat(&last.iter().map(|states| states[index].clone()).collect::<Vec<_>>(), 0));
        Ok((data, states.collect::<Result<_>>()?))
    }

    pub(super) fn build(args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        // An RNN takes a nonlinearity, and an LSTM a proj_size.
        let rnn = K::RULE.gates == 1;
        let flags = 3 + usize::from(rnn);
        let mut options = Recurrent::<K>::builder(args.int(0), args.int(1))
            .num_layers(args.int(2))
            .bias(args.bool(flags))
            .batch_first(args.bool(flags + 1))
            .dropout(args.float(flags + 2))
            .bidirectional(args.bool(flags + 3));
        if rnn {
            options = options.nonlinearity(args.choice(3));
        }
        if K::RULE.carries {
            options = options.proj_size(args.int(flags + 4));
        }
        Ok(Box::new(Recurrent::<K>::make(options, vars)?))
    }
}

impl<K: Recurrence> Module for Recurrent<K> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.weights.clone()
    }

    fn train(&self, mode: bool) {
        self.training.set(mode);
    }

    fn type_name(&self) -> String {
        K::RULE.layers.to_string()
    }

    fn signature(&self) -> &'static str {
        K::RULE.forward
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        let hx = K::RULE.given(K::RULE.layers, inputs)?;
        let sizes = inputs.optional_ints(2);
        let (output, states) = match sizes.as_slice() {
            Some(sizes) => self.run_packed(inputs.tensor(0), sizes, hx)?,
            None => self.run(inputs.tensor(0), hx)?,
        };
        Ok(Output::Tensors([vec![output], states].concat()))
    }
}
