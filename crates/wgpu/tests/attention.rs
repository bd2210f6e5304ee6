//! Attention against its definition in float64, with the whole matrix of weights, also within WebGPU's default limits.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

mod common;

use common::{contiguous as dense, *};
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::Constant,
    kernel::{Attention, AttentionGradient, AttentionPass, KernelKind, Operand},
};
use lanthorn_wgpu::{Options, WgpuBackend};

fn backends() -> Vec<WgpuBackend> {
    vec![backend(), open(Options { default_limits: true, ..Options::default() })]
}

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

fn values(count: usize, seed: u32) -> Vec<f64> {
    numbers(count, seed, 1.0)
}

impl Case {
    fn operand(&self, dtype: DType, rows: usize, columns: usize) -> Operand {
        let batch = self.extents[0];
        let layout =
            if self.permuted { dense(&[rows, batch, columns]).permute(&[1, 0, 2]) } else { dense(&[batch, rows, columns]) };
        operand(dtype, layout)
    }

    fn kernel(&self, dtype: DType, pass: fn(AttentionGradient) -> AttentionPass) -> Attention {
        let [batch, m, n, d, e] = self.extents;
        let gradient = AttentionGradient { grad: self.operand(dtype, m, e), statistics: operand(dtype, dense(&[batch, m, 2])) };
        Attention {
            pass: pass(gradient),
            batch: Shape::from_dims([batch]),
            query: self.operand(dtype, m, d),
            key: self.operand(dtype, n, d),
            value: self.operand(dtype, n, e),
            // One mask for all of the batch.
            mask: self.mask.map(|of| {
                let of = if of == DType::Bool { of } else { dtype };
                operand(of, Layout::new(Shape::from_dims([batch, m, n]), [0, n as isize, 1], 0))
            }),
            causal: self.causal,
        }
    }

    fn inputs(&self) -> Vec<Vec<f64>> {
        let [batch, m, n, d, e] = self.extents;
        let query = values(batch * m * d, 1).iter().map(|x| x * self.large).collect();
        let mut inputs = vec![query, values(batch * n * d, 2), values(batch * n * e, 3)];
        inputs.extend(self.mask.map(|dtype| {
            let mask = values(m * n, 4);
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

#[track_caller]
fn close(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().copied().filter(|x| x.is_finite()).fold(1.0, |a: f64, b| a.max(b.abs()));
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert!(got == want || (got - want).abs() <= tolerance * largest, "{what} {i}: {got}, expected {want}");
    }
}

/// A case with its inputs, and what is to come out.
struct Prepared {
    case: Case,
    scale: f32,
    inputs: Vec<Vec<f64>>,
    want: Expected,
}

impl Prepared {
    fn new(case: Case) -> Prepared {
        let [batch, m, _, d, e] = case.extents;
        let scale = 1.0 / (d as f32).sqrt();
        let (mut inputs, grad) = (case.inputs(), values(batch * m * e, 5));
        let want = expected(&case, &inputs, &grad, f64::from(scale));
        inputs.extend([grad, want.statistics.clone()]);
        Prepared { case, scale, inputs, want }
    }

    fn run(&self, backend: &WgpuBackend, pass: fn(AttentionGradient) -> AttentionPass) -> Vec<Vec<f64>> {
        let attention = self.case.kernel(DType::F32, pass);
        let operands = attention.operands();
        let buffers: Vec<_> = operands.iter().zip(&self.inputs).map(|(operand, data)| (operand.dtype, data.as_slice())).collect();
        let kernel = Kernel::Attention(Box::new(attention.clone()));
        backend.shaders("test", &kernel).unwrap().iter().for_each(|source| validate(source));
        run(backend, &kernel, &buffers, &[Constant::F32(self.scale.to_bits())], None)
    }

    fn close(&self, got: &[f64], want: &[f64], what: &str) {
        // Large logits are what a float32 score holds of them.
        close(got, want, 1e-5 * self.case.large.max(1.0), &format!("{:?} {what}", self.case));
    }

    fn check_forward(&self, backend: &WgpuBackend) {
        let got = self.run(backend, |_| AttentionPass::Forward);
        self.close(&got[0], &self.want.out, "result");
        self.close(&got[1], &self.want.logarithms, "logarithm");
    }

    fn check_backward(&self, backend: &WgpuBackend) {
        self.close(&self.run(backend, AttentionPass::Queries)[0], &self.want.query, "queries");
        self.close(&self.run(backend, AttentionPass::Keys)[0], &self.want.keys_and_values, "keys and values");
    }
}

fn check(backend: &WgpuBackend, case: Case) {
    let prepared = Prepared::new(case);
    prepared.check_forward(backend);
    prepared.check_backward(backend);
}

#[test]
fn tiles_and_edges_of_every_size() {
    for backend in backends() {
        for extents in [[2, 5, 7, 4, 3], [1, 1, 1, 1, 1], [2, 70, 131, 16, 20], [2, 65, 3, 36, 5]] {
            for (causal, permuted) in [(false, false), (true, true)] {
                check(&backend, Case { extents, causal, permuted, ..CASE });
            }
        }
    }
}

#[test]
fn the_widest_heads_fill_the_workgroups_memory() {
    let backend = open(Options { default_limits: true, ..Options::default() });
    Prepared::new(Case { extents: [1, 3, 37, 128, 128], ..CASE }).check_forward(&backend);
}

#[test]
fn masks_leave_pairs_and_whole_rows_out() {
    for backend in backends() {
        for mask in [DType::Bool, DType::F32] {
            for extents in [CASE.extents, [2, 70, 67, 8, 12], [2, 70, 68, 8, 12]] {
                check(&backend, Case { extents, mask: Some(mask), ..CASE });
                check(&backend, Case { extents, mask: Some(mask), causal: true, permuted: true, ..CASE });
            }
        }
    }
}

#[test]
fn large_logits_do_not_overflow() {
    for backend in backends() {
        check(&backend, Case { extents: [1, 9, 200, 16, 4], large: 300.0, ..CASE });
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let kernel = |extents| Kernel::Attention(Box::new(Case { extents, ..CASE }.kernel(DType::F32, |_| AttentionPass::Forward)));
    let backend = backend();
    assert!(backend.shaders("test", &kernel([1, 2, 2, 0, 1])).unwrap_err().is_kernel());
    assert!(backend.shaders("test", &kernel([1, 2, 2, 4, 300])).unwrap_err().is_limit());
}
