//! Attention compared with its definition in float64, which forms the whole matrix of weights.
//!
//! [`check`] compares one [`Case`]; [`edges`], [`masks`] and [`large_logits`] are the cases of every
//! backend. Backends add sizes at which their own tiles change.

use crate::{Inspect, contiguous as dense, numbers, operand, reference::elements, run};
use lanthorn_ir::{
    Backend, DType, Kernel, Layout, Shape,
    expr::Constant,
    kernel::{Attention, AttentionGradient, AttentionPass, KernelKind, Operand},
};

/// One attention.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Batch, queries, keys, and the widths of a key and of a value.
    pub extents: [usize; 5],
    /// The type of a mask, bool or float; a float mask has the type of the operands.
    pub mask: Option<DType>,
    /// Whether a query sees no later key.
    pub causal: bool,
    /// Whether rows come before the batch in memory, as after a projection.
    pub permuted: bool,
    /// The factor of the queries.
    pub large: f64,
}

/// A small case without a mask.
pub const CASE: Case = Case { extents: [2, 5, 7, 4, 3], mask: None, causal: false, permuted: false, large: 1.0 };

fn values(count: usize, seed: u32) -> Vec<f64> {
    numbers(count, seed, 1.0)
}

impl Case {
    fn operand(&self, dtype: DType, rows: usize, columns: usize) -> Operand {
        let batch = self.extents[0];
        let layout = if self.permuted {
            dense(&[rows, batch, columns]).permute(&[1, 0, 2])
        } else {
            dense(&[batch, rows, columns])
        };
        operand(dtype, layout)
    }

    /// The kernel of a pass.
    pub fn kernel(&self, dtype: DType, pass: fn(AttentionGradient) -> AttentionPass) -> Attention {
        let [batch, m, n, d, e] = self.extents;
        let gradient =
            AttentionGradient { grad: self.operand(dtype, m, e), statistics: operand(dtype, dense(&[batch, m, 2])) };
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
    let read: Vec<Vec<f64>> =
        kernel.operands().iter().zip(inputs).map(|(operand, data)| elements(operand, data)).collect();
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
        let weights: Vec<f64> =
            scores.iter().map(|s| if total > 0.0 { (s - largest).exp() / total } else { 0.0 }).collect();
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

#[track_caller]
fn close(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().copied().filter(|x| x.is_finite()).fold(1.0, |a: f64, b| a.max(b.abs()));
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert!(got == want || (got - want).abs() <= tolerance * largest, "{what} {i}: {got}, expected {want}");
    }
}

/// A case with its inputs and its expected results.
struct Prepared {
    case: Case,
    dtype: DType,
    scale: f32,
    inputs: Vec<Vec<f64>>,
    want: Expected,
}

impl Prepared {
    fn new(case: Case, dtype: DType) -> Prepared {
        let [batch, m, _, d, e] = case.extents;
        let scale = 1.0 / (d as f32).sqrt();
        let (mut inputs, grad) = (case.inputs(), values(batch * m * e, 5));
        let want = expected(&case, &inputs, &grad, f64::from(scale));
        inputs.extend([grad, want.statistics.clone()]);
        Prepared { case, dtype, scale, inputs, want }
    }

    fn run(
        &self,
        backend: &dyn Backend,
        inspect: Inspect,
        pass: fn(AttentionGradient) -> AttentionPass,
    ) -> Vec<Vec<f64>> {
        let attention = self.case.kernel(self.dtype, pass);
        let operands = attention.operands();
        let buffers: Vec<_> =
            operands.iter().zip(&self.inputs).map(|(operand, data)| (operand.dtype, data.as_slice())).collect();
        let scale = Constant::new(f64::from(self.scale), self.dtype.into());
        let kernel = Kernel::Attention(Box::new(attention.clone()));
        inspect(&kernel);
        run(backend, &kernel, &buffers, &[scale], None)
    }

    fn close(&self, got: &[f64], want: &[f64], what: &str) {
        let tolerance = if self.dtype == DType::F64 { 1e-12 } else { 1e-5 };
        // A float32 score rounds a large logit.
        close(got, want, tolerance * self.case.large.max(1.0), &format!("{:?} {:?} {what}", self.dtype, self.case));
    }

    fn check_forward(&self, backend: &dyn Backend, inspect: Inspect) {
        let got = self.run(backend, inspect, |_| AttentionPass::Forward);
        self.close(&got[0], &self.want.out, "result");
        self.close(&got[1], &self.want.logarithms, "logarithm");
    }

    fn check_backward(&self, backend: &dyn Backend, inspect: Inspect) {
        self.close(&self.run(backend, inspect, AttentionPass::Queries)[0], &self.want.query, "queries");
        self.close(&self.run(backend, inspect, AttentionPass::Keys)[0], &self.want.keys_and_values, "keys and values");
    }
}

/// Float64 where the backend has it, and float32.
fn dtypes(backend: &dyn Backend) -> impl Iterator<Item = DType> + '_ {
    [DType::F64, DType::F32].into_iter().filter(|dtype| backend.capabilities().dtypes.contains(dtype))
}

/// Compares a case, forward and backward, in every float type that the backend computes in.
pub fn check(backend: &dyn Backend, inspect: Inspect, case: Case) {
    for dtype in dtypes(backend) {
        let prepared = Prepared::new(case, dtype);
        prepared.check_forward(backend, inspect);
        prepared.check_backward(backend, inspect);
    }
}

/// Compares the forward pass of a case.
pub fn check_forward(backend: &dyn Backend, inspect: Inspect, case: Case) {
    dtypes(backend).for_each(|dtype| Prepared::new(case, dtype).check_forward(backend, inspect));
}

/// Sizes around the edges of tiles, plain, and causal over permuted operands.
pub fn edges(backend: &dyn Backend, inspect: Inspect) {
    for extents in [
        [2, 5, 7, 4, 3],
        [1, 1, 1, 1, 1],
        [2, 70, 131, 16, 20],
        [2, 65, 3, 36, 5],
        [3, 100, 260, 16, 20],
        [2, 97, 129, 96, 5],
    ] {
        sizes(backend, inspect, extents);
    }
}

/// One size, plain, and causal over permuted operands.
pub fn sizes(backend: &dyn Backend, inspect: Inspect, extents: [usize; 5]) {
    for (causal, permuted) in [(false, false), (true, true)] {
        check(backend, inspect, Case { extents, causal, permuted, ..CASE });
    }
}

/// Masks of both kinds, which exclude single pairs and one query altogether.
pub fn masks(backend: &dyn Backend, inspect: Inspect) {
    for mask in [DType::Bool, DType::F32] {
        for extents in [CASE.extents, [2, 70, 67, 8, 12], [2, 70, 68, 8, 12], [2, 130, 140, 8, 12]] {
            check(backend, inspect, Case { extents, mask: Some(mask), ..CASE });
            check(backend, inspect, Case { extents, mask: Some(mask), causal: true, permuted: true, ..CASE });
        }
    }
}

/// Logits whose exponentials overflow float32.
pub fn large_logits(backend: &dyn Backend, inspect: Inspect) {
    check(backend, inspect, Case { extents: [1, 9, 200, 16, 4], large: 300.0, ..CASE });
}

/// A head without elements is refused when the kernel is compiled.
pub fn empty_heads_are_refused(backend: &dyn Backend) {
    let kernel = Case { extents: [1, 2, 2, 0, 1], ..CASE }.kernel(DType::F32, |_| AttentionPass::Forward);
    let refused = backend.compile("test", &Kernel::Attention(Box::new(kernel)), &[]);
    assert!(refused.err().is_some_and(|error| error.is_kernel()));
}
