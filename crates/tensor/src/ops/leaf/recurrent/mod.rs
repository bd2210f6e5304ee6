//! Recurrent networks: layers, directions, and single steps.
//!
//! [`cell`] has the update rule of each kind of cell, [`sequence`] runs one over time, and this
//! module stacks them. The parameters are one list, layer by layer and in a layer direction by
//! direction: `weight_ih: [gates * hidden, in]`, `weight_hh: [gates * hidden, out]`, with biases
//! `bias_ih` and `bias_hh: [gates * hidden]`, and for an LSTM with projections
//! `weight_hr: [out, hidden]`. Otherwise `out` is `hidden`.

mod cell;
mod sequence;
pub(crate) mod step;

use crate::{
    DType, Error, Result, Shape, Tensor,
    ops::Op,
    samples::{self, Sample, SampleArg},
};
use cell::Cell;
use lanthorn_macros::op;
use sequence::{Direction, Operands};

/// The arrangement of the layers.
struct Stack {
    op: &'static str,
    cell: &'static Cell,
    has_biases: bool,
    layers: usize,
    /// The dropout probability between layers.
    dropout: f64,
    directions: usize,
    batch_first: bool,
}

/// The results of a stack: the outputs of the last layer, and the last hidden and cell state of
/// every layer and direction.
struct Results {
    output: Tensor,
    hidden: Tensor,
    carried: Option<Tensor>,
}

impl Stack {
    #[allow(clippy::too_many_arguments)]
    fn new(
        (op, cell): (&'static str, &'static Cell),
        has_biases: bool,
        num_layers: i64,
        dropout: f64,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Result<Stack> {
        let layers = usize::try_from(num_layers).ok().filter(|&layers| layers > 0);
        let Some(layers) = layers else {
            return Err(Error::argument(op, format!("num_layers must be greater than zero, not {num_layers}")));
        };
        if !(0.0..=1.0).contains(&dropout) {
            return Err(Error::argument(op, format!("dropout is a probability, not {dropout}")));
        }
        let dropout = if train { dropout } else { 0.0 };
        Ok(Stack { op, cell, has_biases, layers, dropout, directions: 1 + usize::from(bidirectional), batch_first })
    }

    fn refuse<T>(&self, message: String) -> Result<T> {
        Err(Error::shape(self.op, message))
    }

    /// Runs `input: [T, B, in]`, or `[B, T, in]`, from the states `[layers * directions, B, ..]`.
    fn run(&self, input: &Tensor, hidden: &Tensor, carried: Option<&Tensor>, params: &[Tensor]) -> Result<Results> {
        if input.rank() != 3 || input.shape()[usize::from(self.batch_first)] == 0 {
            let order = if self.batch_first { "[B, T, in]" } else { "[T, B, in]" };
            return self
                .refuse(format!("expected an input {order} of at least one step, not of shape {}", input.shape()));
        }
        let mut x = if self.batch_first { input.transpose(0, 1)? } else { input.clone() };
        let runs = self.layers.saturating_mul(self.directions);
        let each: usize = if self.has_biases { 4 } else { 2 };
        let projected = self.cell.carries && params.len() == runs.saturating_mul(each + 1);
        let each = each + usize::from(projected);
        let wanted = runs.saturating_mul(each);
        if params.len() != wanted {
            let message = format!("{runs} runs (layers x directions) take {wanted} parameters, not {}", params.len());
            return Err(Error::argument(self.op, message));
        }
        let (mut finals, mut carries) = (vec![], vec![]);
        for (layer, weights) in params.chunks(each * self.directions).enumerate() {
            let mut outputs = vec![];
            for (position, weights) in weights.chunks(each).enumerate() {
                let run = layer * self.directions + position;
                let (weights, projection) = weights.split_at(each - usize::from(projected));
                let projection = projection.first();
                let state = |states: &Tensor, width: usize| self.state(states, run, x.shape()[1], width);
                let [out, width] = self.check(&x, weights, projection)?;
                let operands = Operands {
                    gates: x.linear(&weights[0], weights.get(2))?,
                    hidden: state(hidden, out)?,
                    carried: carried.map(|carried| state(carried, width)).transpose()?,
                    weight: weights[1].clone(),
                    bias: weights.get(3).cloned(),
                    projection: projection.cloned(),
                };
                let direction = Direction { op: self.op, cell: self.cell, reverse: position == 1 };
                let (output, last) = direction.run(operands)?;
                finals.push(output.select(0, if direction.reverse { 0 } else { -1 })?);
                carries.extend(last);
                outputs.push(output);
            }
            x = if let [output] = &outputs[..] { output.clone() } else { Tensor::cat(&outputs, -1)? };
            if self.dropout > 0.0 && layer + 1 < self.layers {
                x = x.dropout(self.dropout, true)?;
            }
        }
        Ok(Results {
            output: if self.batch_first { x.transpose(0, 1)? } else { x },
            hidden: Tensor::stack(&finals, 0)?,
            carried: if self.cell.carries { Some(Tensor::stack(&carries, 0)?) } else { None },
        })
    }

    /// The initial state of a run.
    fn state(&self, states: &Tensor, run: usize, batch: usize, width: usize) -> Result<Tensor> {
        let expected = Shape::from_dims([self.layers * self.directions, batch, width]);
        if states.shape() != &expected {
            return self.refuse(format!("expected a state of shape {expected}, not {}", states.shape()));
        }
        states.select(0, run as i64)
    }

    /// Checks the parameters of a run, and returns the sizes of the hidden state and of a cell's
    /// output.
    fn check(&self, x: &Tensor, weights: &[Tensor], projection: Option<&Tensor>) -> Result<[usize; 2]> {
        let shapes = || -> String {
            let shapes: Vec<String> =
                weights.iter().chain(projection).map(|weight| weight.shape().to_string()).collect();
            format!("an input of size {} does not fit parameters of shapes {}", x.shape()[2], shapes.join(", "))
        };
        let &[rows, out] = &weights[1].shape()[..] else { return self.refuse(shapes()) };
        let width = rows / self.cell.gates;
        let fits = rows % self.cell.gates == 0
            && weights[0].shape()[..] == [rows, x.shape()[2]]
            && weights[2..].iter().all(|bias| bias.shape()[..] == [rows])
            && projection.map_or(out == width, |projection| projection.shape()[..] == [out, width]);
        if fits { Ok([out, width]) } else { self.refuse(shapes()) }
    }
}

/// A stack of cells without a cell state.
fn run_stack(stack: Result<Stack>, input: &Tensor, hx: &Tensor, params: &[Tensor]) -> Result<(Tensor, Tensor)> {
    let Results { output, hidden, .. } = stack?.run(input, hx, None, params)?;
    Ok((output, hidden))
}

/// The hidden and the cell state of a list of two.
fn states<'a>(op: &str, hx: &'a [Tensor]) -> Result<[&'a Tensor; 2]> {
    match hx {
        [hidden, carried] => Ok([hidden, carried]),
        _ => Err(Error::argument(
            op,
            format!("hx is a list of the hidden and the cell state, not of {} tensors", hx.len()),
        )),
    }
}

/// Layers of Elman's recurrent network (1990), `h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`, as
/// `torch.rnn_tanh`.
///
/// Shapes, with `D` directions (2 if `bidirectional`, else 1):
/// - `input: [T, B, in]`, or `[B, T, in]` with `batch_first`; `T` is at least 1
/// - `hx: [num_layers * D, B, hidden]`, the initial states
/// - `output: [T, B, D * hidden]`, or `[B, T, D * hidden]`: the states of the last layer
/// - `h_n: [num_layers * D, B, hidden]`, the last states
/// - `params`, for each layer and in it each direction: `weight_ih: [hidden, in]` (after the first
///   layer `[hidden, D * hidden]`), `weight_hh: [hidden, hidden]`, and with `has_biases`
///   `bias_ih: [hidden]` and `bias_hh: [hidden]`
///
/// If `train` is true, elements of the output of every layer except the last one are set to 0 with
/// probability `dropout`.
///
/// Errors: `shape` if a shape does not fit; `argument` if the number of parameters is wrong,
/// `num_layers` is not positive, or `dropout` is not from 0 to 1.
#[op(
    leaf,
    "rnn_tanh(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n)",
    opmath,
    samples = || layers(1, false)
)]
#[allow(clippy::too_many_arguments)]
fn rnn_tanh(
    input: &Tensor,
    hx: &Tensor,
    params: &[Tensor],
    has_biases: bool,
    num_layers: i64,
    dropout: f64,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Result<(Tensor, Tensor)> {
    let kind = ("rnn_tanh", &cell::TANH);
    run_stack(Stack::new(kind, has_biases, num_layers, dropout, train, bidirectional, batch_first), input, hx, params)
}

/// [`rnn_tanh`](Tensor::rnn_tanh) with `relu` instead of `tanh`, as `torch.rnn_relu`.
///
/// Shapes and errors: as of [`rnn_tanh`](Tensor::rnn_tanh).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (x, h) = (Tensor::ones([3, 1, 1])?, Tensor::zeros([1, 1, 1])?);
/// let weights = [Tensor::ones([1, 1])?, Tensor::ones([1, 1])?];
/// let (output, last) = Tensor::rnn_relu(&x, &h, &weights, false, 1, 0.0, false, false, false)?;
/// assert_eq!(pollster::block_on(output.to_vec::<f32>())?, [1.0, 2.0, 3.0]);
/// assert_eq!(last.shape().to_vec(), [1, 1, 1]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "rnn_relu(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n)",
    opmath,
    samples = || layers(1, false)
)]
#[allow(clippy::too_many_arguments)]
fn rnn_relu(
    input: &Tensor,
    hx: &Tensor,
    params: &[Tensor],
    has_biases: bool,
    num_layers: i64,
    dropout: f64,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Result<(Tensor, Tensor)> {
    let kind = ("rnn_relu", &cell::RELU);
    run_stack(Stack::new(kind, has_biases, num_layers, dropout, train, bidirectional, batch_first), input, hx, params)
}

/// Layers of gated recurrent units, as `torch.gru`.
///
/// `r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)`, `z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)`,
/// `n = tanh(W_in x + b_in + r * (W_hn h + b_hn))`, `h' = (1 - z) * n + z * h`.
///
/// Shapes: as of [`rnn_tanh`](Tensor::rnn_tanh), with `3 * hidden` rows of weights and biases, for
/// r, z and n.
///
/// Errors: as of [`rnn_tanh`](Tensor::rnn_tanh).
///
/// Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for Statistical
/// Machine Translation" (2014).
#[op(
    leaf,
    "gru(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n)",
    opmath,
    samples = || layers(3, false)
)]
#[allow(clippy::too_many_arguments)]
fn gru(
    input: &Tensor,
    hx: &Tensor,
    params: &[Tensor],
    has_biases: bool,
    num_layers: i64,
    dropout: f64,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Result<(Tensor, Tensor)> {
    let kind = ("gru", &cell::GRU);
    run_stack(Stack::new(kind, has_biases, num_layers, dropout, train, bidirectional, batch_first), input, hx, params)
}

/// Layers of long short-term memory, as `torch.lstm`.
///
/// `i = sigmoid(W_ii x + b_ii + W_hi h + b_hi)`, `f` and `o` likewise,
/// `g = tanh(W_ig x + b_ig + W_hg h + b_hg)`, `c' = f * c + i * g`, `h' = o * tanh(c')`.
///
/// Shapes: as of [`rnn_tanh`](Tensor::rnn_tanh), with `4 * hidden` rows of weights and biases, for
/// i, f, g and o. `hx` is a list of the initial `h` and `c`. With one more parameter for each
/// direction, `weight_hr: [out, hidden]`, the output is projected, `h' = W_hr (o * tanh(c'))`, and
/// `out` replaces `hidden` in the shapes of `h`, `h_n`, `output` and the columns of `weight_hh`.
///
/// Errors: `argument` also if `hx` is not a list of two; otherwise as of
/// [`rnn_tanh`](Tensor::rnn_tanh).
///
/// Source: Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997); projections: Sak et al.,
/// "Long Short-Term Memory Based Recurrent Neural Network Architectures for Large Vocabulary Speech
/// Recognition" (2014).
#[op(
    leaf,
    "lstm(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor output, Tensor h_n, Tensor c_n)",
    opmath,
    samples = || layers(4, true)
)]
#[allow(clippy::too_many_arguments)]
fn lstm(
    input: &Tensor,
    hx: &[Tensor],
    params: &[Tensor],
    has_biases: bool,
    num_layers: i64,
    dropout: f64,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Result<(Tensor, Tensor, Tensor)> {
    let [hidden, carried] = states("lstm", hx)?;
    let stack = Stack::new(("lstm", &cell::LSTM), has_biases, num_layers, dropout, train, bidirectional, batch_first)?;
    let Results { output, hidden, carried } = stack.run(input, hidden, Some(carried), params)?;
    Ok((output, hidden, carried.expect("an LSTM carries a state")))
}

/// Networks of cells with this number of gates: one layer; two layers in both directions, batch
/// first; and for cells with a cell state one layer with projections.
fn layers(gates: i64, carries: bool) -> Vec<Sample> {
    let spec = |shape: &[i64]| samples::spec(shape, DType::F32, -1.0, 1.0);
    let tensors = |shapes: &[&[i64]]| SampleArg::Tensors(shapes.iter().map(|shape| spec(shape)).collect());
    let state = |shape: &[i64]| if carries { tensors(&[shape, shape]) } else { samples::real(shape, -1.0, 1.0) };
    let flags = |biases: bool, layers: i64, both: bool, batch_first: bool| {
        let flag = samples::flag;
        [flag(biases), samples::int(layers), samples::float(0.0), flag(true), flag(both), flag(batch_first)]
    };
    let call = |x: &[i64], state: SampleArg, params: SampleArg, flags: [SampleArg; 6]| {
        [samples::real(x, -1.0, 1.0), state, params].into_iter().chain(flags).collect::<Vec<_>>()
    };
    let rows = |width: i64| gates * width;
    let (first, second) = ([[rows(2), 3], [rows(2), 2]], [[rows(2), 4], [rows(2), 2]]);
    let both: Vec<&[i64]> = [&first, &first, &second, &second].into_iter().flatten().map(|shape| &shape[..]).collect();
    let mut samples = samples::calls([
        call(
            &[4, 2, 3],
            state(&[1, 2, 2]),
            tensors(&[&first[0], &first[1], &[rows(2)], &[rows(2)]]),
            flags(true, 1, false, false),
        ),
        call(&[2, 3, 3], state(&[4, 2, 2]), tensors(&both), flags(false, 2, true, true)),
    ]);
    if carries {
        let projected = tensors(&[&[rows(3), 2], &[rows(3), 2], &[rows(3)], &[rows(3)], &[2, 3]]);
        samples.extend(samples::calls([call(
            &[3, 2, 2],
            tensors(&[&[1, 2, 2], &[1, 2, 3]]),
            projected,
            flags(true, 1, false, false),
        )]));
    }
    samples
}

pub(crate) static OPS: &[&Op] = &[&RNN_TANH, &RNN_RELU, &GRU, &LSTM];
