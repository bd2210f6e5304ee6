//! One step of a recurrent layer.

use super::{Elman, Gated, LongShortTerm, Nonlinearity, Recurrence, positive, uniform};
use crate::{Module, Parameter, VarBuilder};
use lanthorn_macros::Builder;
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Args, Output},
};

/// One step of an [`RNN`](super::RNN).
pub type RNNCell = RecurrentCell<Elman>;
/// One step of an [`LSTM`](super::LSTM).
pub type LSTMCell = RecurrentCell<LongShortTerm>;
/// One step of a [`GRU`](super::GRU).
pub type GRUCell = RecurrentCell<Gated>;

/// One step of a recurrent layer: [`RNNCell`], [`LSTMCell`], [`GRUCell`].
///
/// Parameters: `weight_ih: [gates * hidden, in]`, `weight_hh: [gates * hidden, hidden]`, `bias_ih`,
/// `bias_hh: [gates * hidden]`, all uniform within `1/sqrt(hidden)`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::GRUCell;
/// use lanthorn::Tensor;
/// let cell = GRUCell::new(3, 8)?;
/// let h = cell.forward(&Tensor::ones([2, 3])?, None)?;
/// assert_eq!(cell.forward(&Tensor::ones([2, 3])?, Some(&h))?.shape().to_vec(), [2, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Builder)]
#[builder(
    "RecurrentCell(int input_size, int hidden_size, bool bias=True, str{tanh|relu} nonlinearity=\"tanh\") -> Module",
    bias = "Whether there are biases.",
    nonlinearity = "The nonlinearity of an [`RNNCell`]."
)]
pub struct RecurrentCell<K: Recurrence> {
    options: RecurrentCellBuilder<K>,
    weights: Vec<(String, Parameter)>,
}

impl<K: Recurrence> RecurrentCell<K> {
    fn make(options: RecurrentCellBuilder<K>, vars: &mut VarBuilder<'_>) -> Result<RecurrentCell<K>> {
        let RecurrentCellBuilder { input_size, hidden_size, bias, .. } = options;
        let rule = K::RULE;
        positive(rule.cell, [("input_size", input_size), ("hidden_size", hidden_size)])?;
        let rows = rule.gates * hidden_size;
        let shapes: [(&str, &[i64]); 4] = [
            ("weight_ih", &[rows, input_size]),
            ("weight_hh", &[rows, hidden_size]),
            ("bias_ih", &[rows]),
            ("bias_hh", &[rows]),
        ];
        let shapes = &shapes[..if bias { 4 } else { 2 }];
        let parameter = |(name, shape): &(&str, &[i64])| {
            Ok((name.to_string(), vars.parameter(name, || uniform(hidden_size, shape))?))
        };
        let weights = shapes.iter().map(parameter);
        let weights = weights.collect::<Result<_>>()?;
        Ok(RecurrentCell { options, weights })
    }

    /// The next states. `input: [B, input_size]`, states `[B, hidden_size]`, or all without B;
    /// zeros where `hx` is not given.
    ///
    /// # Errors
    ///
    /// `shape` for an input or a state of another size.
    pub fn forward(&self, input: &Tensor, hx: Option<&K::State>) -> Result<K::State> {
        self.run(input, hx.map(K::list)).map(K::state)
    }

    fn run(&self, input: &Tensor, hx: Option<Vec<Tensor>>) -> Result<Vec<Tensor>> {
        let rule = K::RULE;
        let refused = |message: String| Err(Error::shape(rule.cell, message));
        let &[ref batch @ .., given] = &input.shape()[..] else {
            return refused("expected an input, not a 0-d tensor".into());
        };
        if batch.len() > 1 {
            return refused(format!("expected an input of 1 or 2 dimensions, not of shape {}", input.shape()));
        }
        if given as i64 != self.options.input_size {
            return refused(format!(
                "input has inconsistent input_size: got {given}, expected {}",
                self.options.input_size
            ));
        }
        let mut sizes: Vec<i64> = batch.iter().map(|&size| size as i64).collect();
        sizes.push(self.options.hidden_size);
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
        let [w_ih, w_hh] = [0, 1].map(|index| &self.weights[index].1);
        let [b_ih, b_hh] = [2, 3].map(|index| self.weights.get(index).map(|(_, bias)| bias));
        if rule.carries {
            let (h, c) = Tensor::lstm_cell(input, &states, w_ih, w_hh, b_ih, b_hh)?;
            return Ok(vec![h, c]);
        }
        let op = match (rule.gates, self.options.nonlinearity) {
            (3, _) => Tensor::gru_cell,
            (_, Nonlinearity::Relu) => Tensor::rnn_relu_cell,
            (_, Nonlinearity::Tanh) => Tensor::rnn_tanh_cell,
        };
        Ok(vec![op(input, &states[0], w_ih, w_hh, b_ih, b_hh)?])
    }

    pub(super) fn build(args: &Args<'_>, vars: &mut VarBuilder<'_>) -> Result<Box<dyn Module>> {
        let mut options = RecurrentCell::<K>::builder(args.int(0), args.int(1)).bias(args.bool(2));
        if K::RULE.gates == 1 {
            options = options.nonlinearity(args.choice(3));
        }
        Ok(Box::new(RecurrentCell::<K>::make(options, vars)?))
    }
}

impl<K: Recurrence> Module for RecurrentCell<K> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.weights.clone()
    }

    fn type_name(&self) -> String {
        K::RULE.cell.to_string()
    }

    fn signature(&self) -> &'static str {
        K::RULE.step
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        let mut states = self.run(inputs.tensor(0), K::RULE.given(K::RULE.cell, inputs)?)?;
        Ok(if K::RULE.carries { Output::Tensors(states) } else { Output::Tensor(states.remove(0)) })
    }
}
