//! Recurrent cells over a sequence.

use super::KernelKind;
use crate::{
    DType, Layout, Shape,
    number::{Convert, Number},
};

/// The update rule of a recurrent cell, from the projections `x` of its input and `y = W h + b` of
/// its hidden state `h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecurrentCell {
    /// `h' = tanh(x + y)` (Elman, 1990).
    Tanh,
    /// `h' = relu(x + y)`.
    Relu,
    /// Long short-term memory (Hochreiter and Schmidhuber, 1997), with the gates i, f, g and o of
    /// `x + y`: `c' = sigmoid(f) c + sigmoid(i) tanh(g)`, `h' = sigmoid(o) tanh(c')`.
    Lstm,
    /// The gated recurrent unit (Cho et al., 2014), with the gates r, z and n of `x` and `y`:
    /// `n' = tanh(x_n + sigmoid(x_r + y_r) y_n)`, `h' = n' + sigmoid(x_z + y_z) (h - n')`.
    Gru,
}

impl RecurrentCell {
    /// The number of gates.
    pub const fn gates(self) -> usize {
        match self {
            RecurrentCell::Tanh | RecurrentCell::Relu => 1,
            RecurrentCell::Lstm => 4,
            RecurrentCell::Gru => 3,
        }
    }

    /// Whether the cell has a state besides its output.
    pub const fn carries(self) -> bool {
        matches!(self, RecurrentCell::Lstm)
    }
}

/// All steps of a recurrent cell, in float32.
///
/// Inputs: the projections of the sequence `[T, B, gates * H]`, the first hidden state `[B, H]`,
/// the weight `[gates * H, H]`, the first cell state `[B, H]` of a cell that carries one, and if
/// there is a bias, `[gates * H]`.
///
/// Outputs: the hidden state after each step `[T, B, H]`, of a cell that carries a state this state
/// `[T, B, H]`, and with `traces`, the projections of the hidden state `[T, B, gates * H]`: their
/// sum with the projections of the sequence, except of a GRU.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recurrent<N: Number = usize> {
    /// The update rule.
    pub cell: RecurrentCell,
    /// Whether the first step is the last element of the sequence.
    pub reverse: bool,
    /// Whether the projections of the hidden state are an output.
    pub traces: bool,
    /// The inputs.
    pub sources: Vec<Layout<N>>,
}

impl<N: Number> Recurrent<N> {
    /// The numbers of steps, sequences, and elements of a hidden state.
    pub fn extents(&self) -> [N; 3] {
        let (sequence, hidden) = (self.sources[0].shape(), self.sources[1].shape());
        [sequence[0], sequence[1], hidden[1]]
    }

    /// Whether there is a bias.
    pub fn has_bias(&self) -> bool {
        self.sources.len() > 3 + usize::from(self.cell.carries())
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Recurrent<M> {
        let sources = self.sources.iter().map(|source| source.convert(convert)).collect();
        let Recurrent { cell, reverse, traces, .. } = *self;
        Recurrent { cell, reverse, traces, sources }
    }
}

impl<N: Number> KernelKind<N> for Recurrent<N> {
    fn name(&self) -> &'static str {
        "recurrent"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        let states = Shape::from_dims(self.extents());
        let carried = self.cell.carries().then(|| states.clone());
        let traced = self.traces.then(|| self.sources[0].shape().clone());
        std::iter::once(states).chain(carried).chain(traced).map(|shape| (DType::F32, shape)).collect()
    }

    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        self.sources.iter().map(|source| (DType::F32, source.clone())).collect()
    }

    fn listing(&self) -> Vec<String> {
        let from = if self.reverse { " from the end" } else { "" };
        vec![format!("{:?}{from}", self.cell)]
    }
}
