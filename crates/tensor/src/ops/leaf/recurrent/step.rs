//! Single steps of a recurrent cell.

use super::{
    cell::{self, Cell, Step},
    states,
};
use crate::{
    DType, Error, Result, Tensor,
    ops::Op,
    samples::{self, Sample, SampleArg},
};
use lanthorn_macros::op;

/// One step of a cell: its output and its cell state.
fn step(
    (op, cell): (&'static str, &'static Cell),
    (input, hidden, carried): (&Tensor, &Tensor, Option<&Tensor>),
    [w_ih, w_hh]: [&Tensor; 2],
    [b_ih, b_hh]: [Option<&Tensor>; 2],
) -> Result<(Tensor, Option<Tensor>)> {
    let &[rows, width] = &w_hh.shape()[..] else {
        return Err(Error::shape(op, format!("w_hh must be a matrix, not of shape {}", w_hh.shape())));
    };
    let states = [Some(hidden), carried];
    let fits = |state: &Tensor| {
        state.rank() == input.rank() && state.shape().last() == Some(&width) && state.shape()[0] == input.shape()[0]
    };
    if rows != cell.gates * width || input.rank() != 2 || !states.into_iter().flatten().all(fits) {
        let message = format!(
            "[B, in] and [B, hidden], or both without B, are needed for weights {} and {}: the input is {}, the state {}",
            w_ih.shape(),
            w_hh.shape(),
            input.shape(),
            hidden.shape()
        );
        return Err(Error::shape(op, message));
    }
    let tensors = [Some(w_ih), Some(w_hh), b_ih, b_hh, Some(hidden), carried];
    if let Some(other) = tensors.into_iter().flatten().find(|tensor| tensor.dtype() != input.dtype()) {
        let message = format!("the types differ: {} and {}; convert one with to()", input.dtype(), other.dtype());
        return Err(Error::dtype(op, message));
    }
    let mut gates = input.linear(w_ih, b_ih).map_err(|error| error.in_op(op))?;
    let of_hidden = hidden.linear(w_hh, b_hh).map_err(|error| error.in_op(op))?;
    if cell.additive {
        gates = gates.add(&of_hidden).map_err(|error| error.in_op(op))?;
    }
    let after = (cell.step)(&Step { input: gates, hidden: of_hidden, kept: carried.unwrap_or(hidden).clone() })?;
    Ok((after.output, after.carried))
}

/// Whether a step is given one sequence without a batch: it is then a batch of one, as PyTorch's
/// operators take it.
fn is_unbatched(input: &Tensor, hidden: &Tensor) -> bool {
    input.rank() == 1 && hidden.rank() == 1
}

/// One step of [`rnn_tanh`](Tensor::rnn_tanh), as `torch.rnn_tanh_cell`:
/// `tanh(w_ih @ input + b_ih + w_hh @ hx + b_hh)`.
///
/// Shapes: `input: [B, in]`, `hx: [B, hidden]`, `result: [B, hidden]`, or all without `B`;
/// `w_ih: [hidden, in]`, `w_hh: [hidden, hidden]`, `b_ih` and `b_hh`: `[hidden]`.
///
/// Errors: `shape` if a shape does not fit; `dtype` if the types differ.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (x, h) = (Tensor::zeros([1, 2])?, Tensor::ones([1, 2])?);
/// let zeros = Tensor::zeros([2, 2])?;
/// let next = Tensor::rnn_relu_cell(&x, &h, &zeros, &Tensor::full([2, 2], 3.0)?, None, None)?;
/// assert_eq!(pollster::block_on(next.to_vec::<f32>())?, [6.0, 6.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    opmath,
    samples = || steps(1)
)]
fn rnn_tanh_cell(
    input: &Tensor,
    hx: &Tensor,
    w_ih: &Tensor,
    w_hh: &Tensor,
    b_ih: Option<&Tensor>,
    b_hh: Option<&Tensor>,
) -> Result<Tensor> {
    if is_unbatched(input, hx) {
        let (input, hx) = (input.unsqueeze(0)?, hx.unsqueeze(0)?);
        return Tensor::rnn_tanh_cell(&input, &hx, w_ih, w_hh, b_ih, b_hh)?.squeeze(0);
    }
    Ok(step(("rnn_tanh_cell", &cell::TANH), (input, hx, None), [w_ih, w_hh], [b_ih, b_hh])?.0)
}

/// One step of [`rnn_relu`](Tensor::rnn_relu), as `torch.rnn_relu_cell`.
///
/// Shapes and errors: as of [`rnn_tanh_cell`](Tensor::rnn_tanh_cell).
#[op(
    composite,
    "rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    opmath,
    samples = || steps(1)
)]
fn rnn_relu_cell(
    input: &Tensor,
    hx: &Tensor,
    w_ih: &Tensor,
    w_hh: &Tensor,
    b_ih: Option<&Tensor>,
    b_hh: Option<&Tensor>,
) -> Result<Tensor> {
    if is_unbatched(input, hx) {
        let (input, hx) = (input.unsqueeze(0)?, hx.unsqueeze(0)?);
        return Tensor::rnn_relu_cell(&input, &hx, w_ih, w_hh, b_ih, b_hh)?.squeeze(0);
    }
    Ok(step(("rnn_relu_cell", &cell::RELU), (input, hx, None), [w_ih, w_hh], [b_ih, b_hh])?.0)
}

/// One step of [`gru`](Tensor::gru), as `torch.gru_cell`.
///
/// Shapes: as of [`rnn_tanh_cell`](Tensor::rnn_tanh_cell), with `3 * hidden` rows of weights and
/// biases.
///
/// Errors: `shape` if a shape does not fit; `dtype` if the types differ.
#[op(
    composite,
    "gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    opmath,
    samples = || steps(3)
)]
fn gru_cell(
    input: &Tensor,
    hx: &Tensor,
    w_ih: &Tensor,
    w_hh: &Tensor,
    b_ih: Option<&Tensor>,
    b_hh: Option<&Tensor>,
) -> Result<Tensor> {
    if is_unbatched(input, hx) {
        let (input, hx) = (input.unsqueeze(0)?, hx.unsqueeze(0)?);
        return Tensor::gru_cell(&input, &hx, w_ih, w_hh, b_ih, b_hh)?.squeeze(0);
    }
    Ok(step(("gru_cell", &cell::GRU), (input, hx, None), [w_ih, w_hh], [b_ih, b_hh])?.0)
}

/// One step of [`lstm`](Tensor::lstm), as `torch.lstm_cell`: the next hidden state `h` and cell
/// state `c`.
///
/// Shapes: as of [`rnn_tanh_cell`](Tensor::rnn_tanh_cell), with `4 * hidden` rows of weights and
/// biases; `hx` is a list of `h` and `c`.
///
/// Errors: `shape` if a shape does not fit; `dtype` if the types differ; `argument` if `hx` is not
/// a list of two.
#[op(
    composite,
    "lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor h, Tensor c)",
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        let state = |shape: &[i64]| SampleArg::Tensors(vec![samples::spec(shape, DType::F32, -1.0, 1.0); 2]);
        samples::calls([
            vec![x(&[2, 3]), state(&[2, 4]), x(&[16, 3]), x(&[16, 4]), x(&[16]), x(&[16])],
            vec![x(&[3]), state(&[1]), x(&[4, 3]), x(&[4, 1])],
        ])
    }
)]
fn lstm_cell(
    input: &Tensor,
    hx: &[Tensor],
    w_ih: &Tensor,
    w_hh: &Tensor,
    b_ih: Option<&Tensor>,
    b_hh: Option<&Tensor>,
) -> Result<(Tensor, Tensor)> {
    let [hidden, carried] = states("lstm_cell", hx)?;
    if is_unbatched(input, hidden) && carried.rank() == 1 {
        let states = [hidden.unsqueeze(0)?, carried.unsqueeze(0)?];
        let (h, c) = Tensor::lstm_cell(&input.unsqueeze(0)?, &states, w_ih, w_hh, b_ih, b_hh)?;
        return Ok((h.squeeze(0)?, c.squeeze(0)?));
    }
    let kind = ("lstm_cell", &cell::LSTM);
    let (output, carried) = step(kind, (input, hidden, Some(carried)), [w_ih, w_hh], [b_ih, b_hh])?;
    Ok((output, carried.expect("an LSTM carries a state")))
}

/// Steps of a cell with this number of gates and one state.
fn steps(gates: i64) -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
    samples::calls([
        vec![x(&[2, 3]), x(&[2, 4]), x(&[4 * gates, 3]), x(&[4 * gates, 4]), x(&[4 * gates]), x(&[4 * gates])],
        vec![x(&[3]), x(&[1]), x(&[gates, 3]), x(&[gates, 1])],
    ])
}

pub(crate) static OPS: &[&Op] = &[&RNN_TANH_CELL, &RNN_RELU_CELL, &GRU_CELL, &LSTM_CELL];
