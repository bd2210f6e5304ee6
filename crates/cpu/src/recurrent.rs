//! All steps of a recurrent cell in one launch.

use crate::{
    block::Input,
    buffer::{elements, elements_mut},
    contract::{RowProducts, gemm::Strided},
    kernel::{CpuKernel, data},
    math::{exp, tanh},
    simd::dispatch,
};
use lanthorn_ir::{
    Error, Layout, Result,
    expr::Constant,
    kernel::{self, RecurrentCell},
};

/// A prepared recurrent cell.
pub(crate) struct Recurrent(kernel::Recurrent);

impl Recurrent {
    pub fn new(op: &str, kernel: &kernel::Recurrent) -> Result<Recurrent> {
        let [steps, batch, hidden] = kernel.extents();
        let rows = kernel.cell.gates() * hidden;
        let state = vec![batch, hidden];
        let mut expected = vec![vec![steps, batch, rows], state.clone(), vec![rows, hidden]];
        expected.extend(kernel.cell.carries().then_some(state));
        expected.extend(kernel.has_bias().then(|| vec![rows]));
        let shapes: Vec<Vec<usize>> = kernel.sources.iter().map(|source| source.shape().to_vec()).collect();
        if shapes != expected {
            return Err(Error::kernel(op, format!("inputs of shapes {shapes:?}, not {expected:?}")));
        }
        Ok(Recurrent(kernel.clone()))
    }
}

impl CpuKernel for Recurrent {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, _: &[Constant]) -> Result<()> {
        let kernel = &self.0;
        let cell = kernel.cell;
        let [steps, batch, hidden] = kernel.extents();
        let rows = cell.gates() * hidden;
        let inputs: Vec<&[f32]> = inputs.iter().map(|input| elements(data(input))).collect();
        let mut outputs = outputs.into_iter();
        let mut output = |length: usize| outputs.next().map(|output| &mut elements_mut::<f32>(output)[..length]);
        let states = output(steps * batch * hidden).unwrap_or_default();
        if states.is_empty() {
            return Ok(());
        }
        let mut carried = if cell.carries() { output(states.len()) } else { None };
        let mut traced = if kernel.traces { output(steps * batch * rows) } else { None };
        let read = |source: usize| -> Vec<f32> {
            kernel.sources[source].offsets().map(|offset| inputs[source][offset]).collect()
        };
        let (mut state, mut kept) = (read(1), if cell.carries() { read(3) } else { vec![] });
        let bias = kernel.has_bias().then(|| read(kernel.sources.len() - 1));
        let weight = &kernel.sources[2];
        let [row, depth] = [weight.strides()[0], weight.strides()[1]];
        let matrix = Strided { data: inputs[2], offset: weight.offset() as isize, row, depth };
        let products = RowProducts::new(op, matrix, [batch, rows, hidden])?;
        let sequence = Sequence { layout: &kernel.sources[0], data: inputs[0], rows };
        let (mut sums, mut gates) = (vec![0f32; batch * rows], vec![0f32; rows]);
        for step in 0..steps {
            let time = if kernel.reverse { steps - 1 - step } else { step };
            products.multiply(&state, &mut sums)?;
            for (number, sums) in sums.chunks_exact_mut(rows).enumerate() {
                if let Some(bias) = &bias {
                    add(sums, bias);
                }
                sequence.read(time, number, &mut gates);
                if cell != RecurrentCell::Gru {
                    add(sums, &gates);
                }
                if let Some(traced) = &mut traced {
                    traced[(time * batch + number) * rows..][..rows].copy_from_slice(sums);
                }
                let own = number * hidden..(number + 1) * hidden;
                match cell {
                    RecurrentCell::Tanh => tanh_cell(sums, &mut state[own]),
                    RecurrentCell::Relu => relu_cell(sums, &mut state[own]),
                    RecurrentCell::Lstm => lstm(sums, &mut kept[own.clone()], &mut state[own]),
                    RecurrentCell::Gru => gru(&gates, sums, &mut state[own]),
                }
            }
            let at = time * batch * hidden;
            states[at..at + state.len()].copy_from_slice(&state);
            if let Some(carried) = &mut carried {
                carried[at..at + kept.len()].copy_from_slice(&kept);
            }
        }
        Ok(())
    }
}

/// The projections of a sequence.
struct Sequence<'a> {
    layout: &'a Layout,
    data: &'a [f32],
    rows: usize,
}

impl Sequence<'_> {
    /// Reads the projections of one step of one sequence.
    fn read(&self, time: usize, number: usize, gates: &mut [f32]) {
        let strides = self.layout.strides();
        let first = self.layout.offset() as isize + time as isize * strides[0] + number as isize * strides[1];
        if strides[2] == 1 {
            gates.copy_from_slice(&self.data[first as usize..][..self.rows]);
        } else {
            gates.iter_mut().zip(0..).for_each(|(gate, i)| *gate = self.data[(first + i * strides[2]) as usize]);
        }
    }
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

dispatch! {
    fn add(x: &mut [f32], y: &[f32]) {
        x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
    }
}

dispatch! {
    fn tanh_cell(gates: &[f32], state: &mut [f32]) {
        state.iter_mut().zip(gates).for_each(|(state, &x)| *state = tanh(x));
    }
}

dispatch! {
    fn relu_cell(gates: &[f32], state: &mut [f32]) {
        // NaN stays NaN.
        state.iter_mut().zip(gates).for_each(|(state, &x)| *state = if x <= 0.0 { 0.0 } else { x });
    }
}

dispatch! {
    fn lstm(gates: &[f32], kept: &mut [f32], state: &mut [f32]) {
        let n = state.len();
        let (i, rest) = gates.split_at(n);
        let (f, rest) = rest.split_at(n);
        let (g, o) = rest.split_at(n);
        for (((kept, &i), &f), &g) in kept.iter_mut().zip(i).zip(f).zip(g) {
            *kept = sigmoid(f) * *kept + sigmoid(i) * tanh(g);
        }
        for ((state, &o), &kept) in state.iter_mut().zip(o).zip(&*kept) {
            *state = sigmoid(o) * tanh(kept);
        }
    }
}

dispatch! {
    fn gru(gates: &[f32], projected: &[f32], state: &mut [f32]) {
        let n = state.len();
        let (r, rest) = gates.split_at(n);
        let (z, new) = rest.split_at(n);
        let (of_r, rest) = projected.split_at(n);
        let (of_z, of_new) = rest.split_at(n);
        let gates = r.iter().zip(z).zip(new);
        let projected = of_r.iter().zip(of_z).zip(of_new);
        for ((state, ((r, z), new)), ((of_r, of_z), of_new)) in state.iter_mut().zip(gates).zip(projected) {
            let new = tanh(new + sigmoid(r + of_r) * of_new);
            *state = new + sigmoid(z + of_z) * (*state - new);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_util::*;
    use lanthorn_ir::{
        DType, Kernel, Layout, Shape,
        kernel::{self, RecurrentCell},
    };
    use lanthorn_kernel_tests::{assert_within, from_bytes, reference, to_bytes};

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| f64::from(((i * 37 + seed * 101) as f32).sin())).collect()
    }

    #[test]
    fn cells_compute_the_reference() {
        use RecurrentCell::{Gru, Lstm, Relu, Tanh};
        // The steps, sequences, elements of a state, and inputs.
        let sizes = [[1, 1, 5], [4, 1, 9], [3, 2, 8], [2, 5, 70], [2, 0, 3], [2, 3, 0]];
        for (index, cell) in [Tanh, Relu, Lstm, Gru].into_iter().enumerate() {
            for (number, [steps, batch, hidden]) in sizes.into_iter().enumerate() {
                let rows = cell.gates() * hidden;
                let dense = |sizes: &[usize]| Layout::contiguous(Shape::from_dims(sizes.iter().copied()));
                // The sequences first, and the weight transposed.
                let strides = [rows as isize, (steps * rows) as isize, 1];
                let sequence = Layout::new(Shape::from_dims([steps, batch, rows]), strides, 0);
                let weight = Layout::new(Shape::from_dims([rows, hidden]), [1, rows as isize], 0);
                let mut sources = vec![sequence, dense(&[batch, hidden]), weight];
                sources.extend(cell.carries().then(|| dense(&[batch, hidden])));
                sources.extend((number % 2 == 0).then(|| dense(&[rows])));
                let inputs = sources.iter().enumerate();
                let inputs: Vec<Vec<f64>> =
                    inputs.map(|(seed, source)| numbers(source.shape().elements(), seed + index)).collect();
                let (reverse, traces) = (number % 2 == 1, number > 0);
                let kernel = Kernel::Recurrent(kernel::Recurrent { cell, reverse, traces, sources });
                let expected = reference::outputs(&kernel, &inputs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]);
                let bytes: Vec<Vec<u8>> = inputs.iter().map(|input| to_bytes(DType::F32, input)).collect();
                for (found, expected) in run(&kernel, &bytes, &[]).unwrap().iter().zip(&expected) {
                    assert_within(&from_bytes(DType::F32, found), expected, 1e-5, 1e-5);
                }
            }
        }
    }
}
