//! The reference of recurrent cells: the formulas, element by element in float64.

use lanthorn_ir::kernel::{Recurrent, RecurrentCell};

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The outputs of a recurrent cell.
pub fn recurrent(kernel: &Recurrent, inputs: &[&[f64]]) -> Vec<Vec<f64>> {
    let [steps, batch, hidden] = kernel.extents();
    let (cell, rows) = (kernel.cell, kernel.cell.gates() * hidden);
    let read =
        |source: usize| -> Vec<f64> { kernel.sources[source].offsets().map(|offset| inputs[source][offset]).collect() };
    let (sequence, mut state, weight) = (read(0), read(1), read(2));
    let mut kept = if cell.carries() { read(3) } else { vec![0.0; batch * hidden] };
    let bias = if kernel.has_bias() { read(kernel.sources.len() - 1) } else { vec![0.0; rows] };
    let mut states = vec![0.0; steps * batch * hidden];
    let mut carried = states.clone();
    let mut traced = vec![0.0; steps * batch * rows];
    for step in 0..steps {
        let time = if kernel.reverse { steps - 1 - step } else { step };
        for number in 0..batch {
            let own = number * hidden..(number + 1) * hidden;
            let before = state[own.clone()].to_vec();
            let at = (time * batch + number) * rows;
            let x = &sequence[at..at + rows];
            let product = |row: usize| -> f64 { (0..hidden).map(|k| weight[row * hidden + k] * before[k]).sum() };
            let y: Vec<f64> = (0..rows).map(|row| bias[row] + product(row)).collect();
            let sum: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
            traced[at..at + rows].copy_from_slice(if cell == RecurrentCell::Gru { &y } else { &sum });
            for (j, at) in own.enumerate() {
                let gate = |gate: usize| gate * hidden + j;
                state[at] = match cell {
                    RecurrentCell::Tanh => sum[j].tanh(),
                    RecurrentCell::Relu => sum[j].max(0.0),
                    RecurrentCell::Lstm => {
                        let [i, f, g, o] = [0, 1, 2, 3].map(|number| sum[gate(number)]);
                        kept[at] = sigmoid(f) * kept[at] + sigmoid(i) * g.tanh();
                        sigmoid(o) * kept[at].tanh()
                    }
                    RecurrentCell::Gru => {
                        let new = (x[gate(2)] + sigmoid(sum[gate(0)]) * y[gate(2)]).tanh();
                        new + sigmoid(sum[gate(1)]) * (before[j] - new)
                    }
                };
            }
        }
        let at = time * batch * hidden;
        states[at..at + state.len()].copy_from_slice(&state);
        carried[at..at + kept.len()].copy_from_slice(&kept);
    }
    let carried = cell.carries().then_some(carried);
    std::iter::once(states).chain(carried).chain(kernel.traces.then_some(traced)).collect()
}
