//! The update rules of recurrent cells, and their gradients.
//!
//! A rule is a value of [`Cell`]. Everything else (the products around the gates, time, layers and
//! directions) is the same for all of them. The gates are adjacent in one tensor,
//! `[B, gates * hidden]`, and are read in place.

use crate::{Result, Tensor, ops::pointwise::record};
use lanthorn_ir::{expr::Expr, kernel::RecurrentCell};

/// The update rule of a kind of cell.
pub(super) struct Cell {
    /// The number of gates.
    pub gates: usize,
    /// Whether it has a cell state besides its output, as an LSTM does.
    pub carries: bool,
    /// The rule in a kernel of all steps.
    pub kind: RecurrentCell,
    /// Whether its gates depend only on the sum of the projections of the input and of the hidden
    /// state.
    pub additive: bool,
    /// A step's results.
    pub step: fn(&Step) -> Result<After>,
    /// The gradients of a step's operands, from the gradients of its results.
    pub gradient: fn(&Step, &After, &Tensor, Option<&Tensor>) -> Result<Gradient>,
}

/// The operands of a step.
#[derive(Clone)]
pub(super) struct Step {
    /// The projection of the input, `[B, gates * hidden]`; of an additive cell, its sum with the
    /// projection of the hidden state.
    pub input: Tensor,
    /// The projection of the hidden state.
    pub hidden: Tensor,
    /// The previous cell state, `[B, hidden]`, or the previous output of a cell without one.
    pub kept: Tensor,
}

/// The results of a step, `[B, hidden]` each.
#[derive(Clone)]
pub(super) struct After {
    /// The output.
    pub output: Tensor,
    /// The cell state.
    pub carried: Option<Tensor>,
}

/// The gradients of a step's operands.
pub(super) struct Gradient {
    pub input: Tensor,
    pub hidden: Tensor,
    pub kept: Option<Tensor>,
}

/// One expression over tensors of one shape and type.
fn map<const N: usize>(op: &'static str, inputs: [&Tensor; N], expression: fn([&Expr; N]) -> Expr) -> Result<Tensor> {
    let values: [Expr; N] = std::array::from_fn(|slot| Expr::input(slot, inputs[slot].dtype().into()));
    record(op, expression(values.each_ref()).simplify(), &inputs.map(Tensor::clone), &[], inputs[0].dtype())
}

/// The derivative of the logistic function, from its value `y`.
fn slope(y: &Expr) -> Expr {
    y * (1.0 - y)
}

/// `h' = tanh(gate)` (Elman, 1990).
pub(super) static TANH: Cell = Cell {
    gates: 1,
    carries: false,
    kind: RecurrentCell::Tanh,
    additive: true,
    step: |step| Ok(After { output: step.input.tanh()?, carried: None }),
    gradient: |_, after, grad, _| {
        same_for_both(map("rnn_backward", [grad, &after.output], |[grad, y]| grad * (1.0 - y * y))?, None)
    },
};

/// `h' = relu(gate)`.
pub(super) static RELU: Cell = Cell {
    gates: 1,
    carries: false,
    kind: RecurrentCell::Relu,
    additive: true,
    step: |step| Ok(After { output: step.input.relu()?, carried: None }),
    gradient: |_, after, grad, _| {
        same_for_both(map("rnn_backward", [grad, &after.output], |[grad, y]| y.gt(0.0).select(grad, 0.0))?, None)
    },
};

/// Long short-term memory (Hochreiter and Schmidhuber, 1997), with the gates i, f, g and o.
pub(super) static LSTM: Cell =
    Cell { gates: 4, carries: true, kind: RecurrentCell::Lstm, additive: true, step: lstm, gradient: lstm_gradient };

fn lstm(step: &Step) -> Result<After> {
    let [i, f, g, o] = parts(&step.input)?;
    let carried = map("lstm", [&i, &f, &g, &step.kept], |[i, f, g, kept]| f.sigmoid() * kept + i.sigmoid() * g.tanh())?;
    let output = map("lstm", [&o, &carried], |[o, carried]| o.sigmoid() * carried.tanh())?;
    Ok(After { output, carried: Some(carried) })
}

fn lstm_gradient(step: &Step, after: &After, grad: &Tensor, grad_carried: Option<&Tensor>) -> Result<Gradient> {
    const OP: &str = "lstm_backward";
    let [i, f, g, o] = parts(&step.input)?;
    // The rule of an LSTM always returns a cell state.
    let carried = after.carried.as_ref().expect("an LSTM carries a state");
    let mut total = map(OP, [grad, &o, carried], |[grad, o, carried]| {
        let y = carried.tanh();
        grad * o.sigmoid() * (1.0 - &y * &y)
    })?;
    if let Some(grad) = grad_carried {
        total = total.add(grad)?;
    }
    let gates = [
        map(OP, [&total, &i, &g], |[total, i, g]| total * g.tanh() * slope(&i.sigmoid()))?,
        map(OP, [&total, &f, &step.kept], |[total, f, kept]| total * kept * slope(&f.sigmoid()))?,
        map(OP, [&total, &i, &g], |[total, i, g]| {
            let y = g.tanh();
            total * i.sigmoid() * (1.0 - &y * &y)
        })?,
        map(OP, [grad, &o, carried], |[grad, o, carried]| grad * carried.tanh() * slope(&o.sigmoid()))?,
    ];
    let kept = map(OP, [&total, &f], |[total, f]| total * f.sigmoid())?;
    same_for_both(Tensor::cat(&gates, -1)?, Some(kept))
}

/// The gated recurrent unit (Cho et al., 2014), with the gates r, z and n.
pub(super) static GRU: Cell =
    Cell { gates: 3, carries: false, kind: RecurrentCell::Gru, additive: false, step: gru, gradient: gru_gradient };

/// The arguments of r and z, and both projections for n.
fn gru_gates(step: &Step) -> Result<[Tensor; 4]> {
    let [r, z, n] = parts(&step.input)?;
    let [hidden_r, hidden_z, hidden_n] = parts(&step.hidden)?;
    Ok([r.add(hidden_r)?, z.add(hidden_z)?, n, hidden_n])
}

fn gru(step: &Step) -> Result<After> {
    let [r, z, n, hidden_n] = gru_gates(step)?;
    let output = map("gru", [&r, &z, &n, &hidden_n, &step.kept], |[r, z, n, hidden_n, kept]| {
        let n = (n + r.sigmoid() * hidden_n).tanh();
        &n + z.sigmoid() * (kept - &n)
    })?;
    Ok(After { output, carried: None })
}

fn gru_gradient(step: &Step, _: &After, grad: &Tensor, _: Option<&Tensor>) -> Result<Gradient> {
    const OP: &str = "gru_backward";
    let [r, z, n, hidden_n] = gru_gates(step)?;
    let kept = map(OP, [grad, &z], |[grad, z]| grad * z.sigmoid())?;
    let of_z = map(OP, [grad, &r, &z, &n, &hidden_n, &step.kept], |[grad, r, z, n, hidden_n, kept]| {
        grad * (kept - (n + r.sigmoid() * hidden_n).tanh()) * slope(&z.sigmoid())
    })?;
    let of_n = map(OP, [grad, &r, &z, &n, &hidden_n], |[grad, r, z, n, hidden_n]| {
        let y = (n + r.sigmoid() * hidden_n).tanh();
        grad * (1.0 - z.sigmoid()) * (1.0 - &y * &y)
    })?;
    let of_r = map(OP, [&of_n, &r, &hidden_n], |[of_n, r, hidden_n]| of_n * hidden_n * slope(&r.sigmoid()))?;
    let of_hidden_n = map(OP, [&of_n, &r], |[of_n, r]| of_n * r.sigmoid())?;
    let input = Tensor::cat(&[of_r.clone(), of_z.clone(), of_n], -1)?;
    let hidden = Tensor::cat(&[of_r, of_z, of_hidden_n], -1)?;
    Ok(Gradient { input, hidden, kept: Some(kept) })
}

/// The gradient of an additive cell, which is the same for both projections.
fn same_for_both(gates: Tensor, kept: Option<Tensor>) -> Result<Gradient> {
    Ok(Gradient { input: gates.clone(), hidden: gates, kept })
}

/// `N` parts of equal size along the last dimension.
fn parts<const N: usize>(x: &Tensor) -> Result<[Tensor; N]> {
    let size = (x.shape().last().copied().unwrap_or(0) / N) as i64;
    let parts: Result<Vec<Tensor>> = (0..N as i64).map(|position| x.narrow(-1, position * size, size)).collect();
    Ok(parts?.try_into().expect("there are N of them"))
}
