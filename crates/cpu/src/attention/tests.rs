//! Attention against its definition in float64, with the whole matrix of weights.

use crate::testing::*;
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::Constant,
    kernel::{Attention, AttentionGradient, AttentionPass, KernelKind, Operand},
};

/// A case, its operands contiguous unless permuted.
#[derive(Clone, Copy, Debug)]
struct Case {
    extents: [usize; 5],
    mask: Option<DType>,
    causal: bool,
    /// Whether rows and heads change places in memory, as after a projection.
    permuted: bool,
    /// What queries are multiplied by.
    large: f64,
}

const CASE: Case = Case { extents: [2, 5, 7, 4, 3], mask: None, causal: false, permuted: false, large: 1.0 };

fn numbers(count: usize, seed: usize) -> Vec<f64> {
    (0..count).map(|i| f64::from((((i + seed) * 7919 + i * i) % 211) as f32 / 105.0 - 1.0)).collect()
}

impl Case {
    fn operand(&self, dtype: DType, rows: usize, columns: usize) -> Operand {
        let batch = self.extents[0];
        let layout =
            if self.permuted { dense(&[rows, batch, columns]).permute(&[1, 0, 2]) } else { dense(&[batch, rows, columns]) };
        operand(dtype, &layout)
    }

    fn kernel(&self, dtype: DType, pass: fn(AttentionGradient) -> AttentionPass) -> Attention {
        let [batch, m, n, d, e] = self.extents;
        let gradient = AttentionGradient { grad: self.operand(dtype, m, e), statistics: operand(dtype, &dense(&[batch, m, 2])) };
        Attention {
            pass: pass(gradient),
            batch: Shape::from_dims([batch]),
            query: self.operand(dtype, m, d),
            key: self.operand(dtype, n, d),
            value: self.operand(dtype, n, e),
            // One mask for all of the batch.
            mask: self.mask.map(|of| {
                let of = if of == DType::Bool { of } else { dtype };
                operand(of, &Layout::new(Shape::from_dims([batch, m, n]), [0, n as isize, 1], 0))
            }),
            causal: self.causal,
        }
    }

    fn inputs(&self) -> Vec<Vec<f64>> {
        let [batch, m, n, d, e] = self.extents;
        let query = numbers(batch * m * d, 1).iter().map(|x| x * self.large).collect();
        let mut inputs = vec![query, numbers(batch * n * d, 2), numbers(batch * n * e, 3)];
        inputs.extend(self.mask.map(|dtype| {
            let mask = numbers(m * n, 4);
            // The first row is excluded as a whole.
            let excluded = |i: usize| i < n || mask[i] > 0.4;
            let value = |i: usize| match dtype {
                DType::Bool => f64::from(u8::from(!excluded(i))),
                _ if excluded(i) => f64::NEG_INFINITY,
                _ => mask[i],
            };
            (0..m * n).map(value).collect()
        }));
        inputs
    }
}

/// Result, logarithms, and the gradients of queries, keys and values.
struct Expected {
    out: Vec<f64>,
    logarithms: Vec<f64>,
    statistics: Vec<f64>,
    query: Vec<f64>,
    keys_and_values: Vec<f64>,
}

fn expected(case: &Case, inputs: &[Vec<f64>], grad: &[f64], scale: f64) -> Expected {
    let [batch, m, n, d, e] = case.extents;
    let kernel = case.kernel(DType::F64, |_| AttentionPass::Forward);
    let read: Vec<Vec<f64>> = kernel.operands().iter().zip(inputs).map(|(operand, data)| elements(operand, data)).collect();
    let grad = elements(&case.operand(DType::F64, m, e), grad);
    let (query, key, value) = (&read[0], &read[1], &read[2]);
    let dot = |a: &[f64], i: usize, b: &[f64], j: usize, width: usize| -> f64 {
        (0..width).map(|c| a[i * width + c] * b[j * width + c]).sum()
    };
    let mut result = Expected {
        out: vec![0.0; batch * m * e],
        logarithms: vec![],
        statistics: vec![],
        query: vec![0.0; batch * m * d],
        keys_and_values: vec![0.0; batch * n * (d + e)],
    };
    let values_from = batch * n * d;
    for row in 0..batch * m {
        let (i, keys) = (row % m, row / m * n);
        let score = |j: usize| {
            let added = match (case.mask, case.causal && j > i) {
                (_, true) => f64::NEG_INFINITY,
                (None, _) => 0.0,
                (Some(DType::Bool), _) => {
                    if read[3][row * n + j] == 0.0 {
                        f64::NEG_INFINITY
                    } else {
                        0.0
                    }
                }
                _ => read[3][row * n + j],
            };
            scale * dot(query, row, key, keys + j, d) + added
        };
        let scores: Vec<f64> = (0..n).map(score).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|s| if largest.is_finite() { (s - largest).exp() } else { 0.0 }).sum();
        let weights: Vec<f64> = scores.iter().map(|s| if total > 0.0 { (s - largest).exp() / total } else { 0.0 }).collect();
        for (j, w) in weights.iter().enumerate() {
            (0..e).for_each(|c| result.out[row * e + c] += w * value[(keys + j) * e + c]);
        }
        let product = dot(&result.out, row, &grad, row, e);
        result.logarithms.push(if total > 0.0 { largest + total.ln() } else { f64::NEG_INFINITY });
        result.statistics.extend([result.logarithms[row], product]);
        for (j, w) in weights.iter().enumerate() {
            let slope = w * (dot(&grad, row, value, keys + j, e) - product) * scale;
            for c in 0..d {
                result.query[row * d + c] += slope * key[(keys + j) * d + c];
                result.keys_and_values[(keys + j) * d + c] += slope * query[row * d + c];
            }
            (0..e).for_each(|c| result.keys_and_values[values_from + (keys + j) * e + c] += w * grad[row * e + c]);
        }
    }
    result
}

/// Every element that an operand reads, in row-major order.
fn elements(operand: &Operand, data: &[f64]) -> Vec<f64> {
    operand.layout.offsets().map(|place| data[place]).collect()
}

fn widen(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    if dtype == DType::F64 { read(bytes) } else { read::<f32>(bytes).into_iter().map(f64::from).collect() }
}

fn encode(dtype: DType, values: &[f64]) -> Vec<u8> {
    match dtype {
        DType::Bool => values.iter().map(|&value| value as u8).collect(),
        DType::F32 => bytes(&values.iter().map(|&value| value as f32).collect::<Vec<_>>()),
        _ => bytes(values),
    }
}

#[track_caller]
fn close(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().copied().filter(|x| x.is_finite()).fold(1.0, |a: f64, b| a.max(b.abs()));
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert!(got == want || (got - want).abs() <= tolerance * largest, "{what} {i}: {got}, expected {want}");
    }
}

fn check(case: Case) {
    let [batch, m, _, d, e] = case.extents;
    let scale = 1.0 / f64::from((d as f32).sqrt());
    let (inputs, grad) = (case.inputs(), numbers(batch * m * e, 5));
    let want = expected(&case, &inputs, &grad, scale);
    for (dtype, tolerance) in [(DType::F64, 1e-12), (DType::F32, 1e-5)] {
        let scale = if dtype == DType::F64 { Constant::F64(scale.to_bits()) } else { Constant::F32((scale as f32).to_bits()) };
        let launch = |pass: fn(AttentionGradient) -> AttentionPass| {
            let kernel = case.kernel(dtype, pass);
            let all = inputs.iter().chain([&grad, &want.statistics]);
            let buffers: Vec<_> = kernel.operands().iter().zip(all).map(|(operand, data)| encode(operand.dtype, data)).collect();
            let outputs = run(&Kernel::Attention(Box::new(kernel)), &buffers, &[scale]).unwrap();
            outputs.iter().map(|output| widen(dtype, output)).collect::<Vec<_>>()
        };
        let forward = launch(|_| AttentionPass::Forward);
        // Large logits are what a float32 score holds of them.
        let tolerance = tolerance * case.large.max(1.0);
        close(&forward[0], &want.out, tolerance, &format!("{case:?} result"));
        close(&forward[1], &want.logarithms, tolerance, &format!("{case:?} logarithm"));
        close(&launch(AttentionPass::Queries)[0], &want.query, tolerance, &format!("{case:?} queries"));
        close(&launch(AttentionPass::Keys)[0], &want.keys_and_values, tolerance, &format!("{case:?} keys and values"));
    }
}

#[test]
fn blocks_and_edges_of_every_size() {
    for extents in
        [[2, 5, 7, 4, 3], [1, 1, 1, 1, 1], [3, 100, 260, 16, 20], [1, 200, 130, 64, 64], [2, 97, 129, 96, 5], [1, 1, 300, 128, 128]]
    {
        for (causal, permuted) in [(false, false), (true, true)] {
            check(Case { extents, causal, permuted, ..CASE });
        }
    }
}

#[test]
fn masks_leave_pairs_and_whole_rows_out() {
    for mask in [DType::Bool, DType::F64] {
        for extents in [CASE.extents, [2, 130, 140, 8, 12]] {
            check(Case { extents, mask: Some(mask), ..CASE });
            check(Case { extents, mask: Some(mask), causal: true, permuted: true, ..CASE });
        }
    }
}

#[test]
fn large_logits_do_not_overflow() {
    check(Case { extents: [1, 9, 200, 16, 4], large: 300.0, ..CASE });
}

#[test]
fn a_head_of_no_width_is_refused() {
    let kernel = Case { extents: [1, 2, 2, 0, 1], ..CASE }.kernel(DType::F32, |_| AttentionPass::Forward);
    assert!(run(&Kernel::Attention(Box::new(kernel)), &[vec![], vec![], vec![0; 8]], &[Constant::F32(0)]).unwrap_err().is_kernel());
}
