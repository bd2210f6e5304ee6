//! Attention compared with its definition in float64, which forms the whole matrix of weights.
//!
//! [`check`] compares one [`Case`]. [`edges`], [`masks`], [`large_logits`], [`lengths`],
//! [`options`] and [`random`] are the cases of every backend. Backends add sizes at which their
//! tiles change. Keys and values that are not filled are NaN, so that a kernel that reads them
//! fails.

use crate::{Inspect, contiguous as dense, numbers, operand, reference::elements, rotation, run};
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
    /// Numbers of filled keys; batch `b` has number `b % 3`. The kernel clamps them.
    pub lengths: Option<[i32; 3]>,
    /// Whether a query sees no later key.
    pub causal: bool,
    /// How many keys up to its position a query sees; only if causal.
    pub window: Option<i32>,
    /// The soft cap of scores.
    pub soft_cap: Option<f64>,
    /// Whether rows precede the batch in memory, as after a projection.
    pub permuted: bool,
    /// The factor of the queries.
    pub large: f64,
}

/// A small case without a mask.
pub const CASE: Case = Case {
    extents: [2, 5, 7, 4, 3],
    mask: None,
    lengths: None,
    causal: false,
    window: None,
    soft_cap: None,
    permuted: false,
    large: 1.0,
};

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
            lengths: self
                .lengths
                .map(|_| operand(DType::I32, Layout::new(Shape::from_dims([batch, 1, 1]), [1, 0, 0], 0))),
            causal: self.causal,
            windowed: self.window.is_some(),
            capped: self.soft_cap.is_some(),
        }
    }

    /// The parameters of a launch.
    fn params(&self, dtype: DType, scale: f32) -> Vec<Constant> {
        let floats = [Some(f64::from(scale)), self.soft_cap].into_iter().flatten();
        floats.map(|number| Constant::new(number, dtype.into())).chain(self.window.map(Constant::I32)).collect()
    }

    /// How many keys of a batch are filled.
    fn filled_keys(&self, batch: usize) -> usize {
        let keys = self.extents[2];
        self.lengths.map_or(keys, |lengths| lengths[batch % lengths.len()].clamp(0, keys as i32) as usize)
    }

    /// Whether a query sees a key, by the definition.
    fn sees(&self, batch: usize, query: usize, key: usize) -> bool {
        let filled = self.filled_keys(batch) as i64;
        let first = if self.lengths.is_some() { filled - self.extents[1] as i64 } else { 0 };
        let (position, key) = (first + query as i64, key as i64);
        let recent = self.window.is_none_or(|window| key > position - i64::from(window));
        key < filled && (!self.causal || key <= position && recent)
    }

    /// Makes the rows of keys that are not filled NaN.
    fn spoil(&self, mut rows: Vec<f64>, columns: usize) -> Vec<f64> {
        let [batch, _, n, ..] = self.extents;
        for (b, j) in (0..batch).flat_map(|b| (self.filled_keys(b)..n).map(move |j| (b, j))) {
            let row = if self.permuted { j * batch + b } else { b * n + j };
            rows[row * columns..(row + 1) * columns].fill(f64::NAN);
        }
        rows
    }

    fn inputs(&self) -> Vec<Vec<f64>> {
        let [batch, m, n, d, e] = self.extents;
        let query = values(batch * m * d, 1).iter().map(|x| x * self.large).collect();
        let (key, value) = (self.spoil(values(batch * n * d, 2), d), self.spoil(values(batch * n * e, 3), e));
        let mut inputs = vec![query, key, value];
        inputs.extend(self.mask.map(|dtype| {
            let mask = values(m * n, 4);
            // All keys of the first row are excluded.
            let excluded = |i: usize| i < n || mask[i] > 0.4;
            let value = |i: usize| match dtype {
                DType::Bool => f64::from(u8::from(!excluded(i))),
                _ if excluded(i) => f64::NEG_INFINITY,
                _ => mask[i],
            };
            (0..m * n).map(value).collect()
        }));
        inputs.extend(self.lengths.map(|lengths| (0..batch).map(|b| f64::from(lengths[b % lengths.len()])).collect()));
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

fn compute_expected(case: &Case, inputs: &[Vec<f64>], grad: &[f64], scale: f64) -> Expected {
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
        let capped = |j: usize| {
            let product = scale * dot(query, row, key, keys + j, d);
            case.soft_cap.map_or(product, |cap| cap * (product / cap).tanh())
        };
        let score = |j: usize| match case.mask {
            _ if !case.sees(row / m, i, j) => f64::NEG_INFINITY,
            Some(DType::Bool) if read[3][row * n + j] == 0.0 => f64::NEG_INFINITY,
            Some(dtype) if dtype != DType::Bool => capped(j) + read[3][row * n + j],
            _ => capped(j),
        };
        let scores: Vec<f64> = (0..n).map(score).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|s| if largest.is_finite() { (s - largest).exp() } else { 0.0 }).sum();
        let weights: Vec<f64> =
            scores.iter().map(|s| if total > 0.0 { (s - largest).exp() / total } else { 0.0 }).collect();
        // A key of weight 0 may be NaN.
        let seen = || weights.iter().enumerate().filter(|(_, w)| **w != 0.0);
        for (j, w) in seen() {
            (0..e).for_each(|c| result.out[row * e + c] += w * value[(keys + j) * e + c]);
        }
        let product = dot(&result.out, row, &grad, row, e);
        result.logarithms.push(if total > 0.0 { largest + total.ln() } else { f64::NEG_INFINITY });
        result.statistics.extend([result.logarithms[row], product]);
        for (j, w) in seen() {
            let of_cap = case.soft_cap.map_or(1.0, |cap| 1.0 - (capped(j) / cap).powi(2));
            let slope = w * (dot(&grad, row, value, keys + j, e) - product) * scale * of_cap;
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
        let want = compute_expected(&case, &inputs, &grad, f64::from(scale));
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
            operands.iter().zip(&self.inputs).map(|(operand, data)| (operand.dtype(), data.as_slice())).collect();
        let params = self.case.params(self.dtype, self.scale);
        let kernel = Kernel::Attention(Box::new(attention.clone()));
        inspect(&kernel);
        run(backend, &kernel, &buffers, &params, None)
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
        let kernel = Kernel::Attention(Box::new(self.case.kernel(self.dtype, AttentionPass::Keys)));
        if kernel.input_count() + 1 > backend.capabilities().max_bindings {
            assert!(backend.compile("test", &kernel, &[]).is_err_and(|error| error.is_limit()));
            return;
        }
        self.close(&self.run(backend, inspect, AttentionPass::Queries)[0], &self.want.query, "queries");
        self.close(&self.run(backend, inspect, AttentionPass::Keys)[0], &self.want.keys_and_values, "keys and values");
    }
}

/// Float64 if the backend has it, and float32.
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

/// Lengths from below 0 to above the capacity, of caches of several sizes, for one query and for
/// many.
pub fn lengths(backend: &dyn Backend, inspect: Inspect) {
    for ([m, n], lengths) in [
        ([1, 1], [0, 1, 2]),
        ([1, 7], [0, 1, 7]),
        ([1, 300], [5, 300, 192]),
        ([2, 300], [193, 0, 1]),
        // Enough keys for several workgroups to share them.
        ([1, 900], [900, 257, 0]),
        ([5, 7], [3, -4, 100]),
        ([70, 131], [131, 64, 65]),
        ([70, 131], [1, 0, 69]),
        ([200, 260], [260, 193, 7]),
    ] {
        for (causal, permuted) in [(false, true), (true, false)] {
            let case = Case { extents: [3, m, n, 12, 9], lengths: Some(lengths), causal, permuted, ..CASE };
            check(backend, inspect, case);
        }
    }
}

/// Windows smaller and larger than the filled length, soft caps, and masks together with them.
pub fn options(backend: &dyn Backend, inspect: Inspect) {
    for window in [1, 3, 64, 1000] {
        let case = Case { extents: [2, 70, 150, 8, 12], causal: true, window: Some(window), ..CASE };
        check(backend, inspect, case);
        check(backend, inspect, Case { lengths: Some([140, 30, 0]), soft_cap: Some(0.7), permuted: true, ..case });
        check(backend, inspect, Case { extents: [3, 1, 150, 8, 12], lengths: Some([140, 2, 0]), ..case });
        check(backend, inspect, Case { lengths: Some([149, 75, 0]), mask: Some(DType::Bool), ..case });
        check(backend, inspect, Case { lengths: Some([149, 75, 0]), mask: Some(DType::F32), ..case });
    }
    for soft_cap in [0.3, 50.0] {
        let case = Case { soft_cap: Some(soft_cap), large: 4.0, ..CASE };
        check(backend, inspect, case);
        check(backend, inspect, Case { mask: Some(DType::F32), ..case });
    }
}

/// Cases of random sizes, lengths and options, which differ for every seed. Each run takes one case
/// in three, in rotation.
pub fn random(backend: &dyn Backend, inspect: Inspect, seeds: std::ops::Range<u32>) {
    for seed in seeds.filter(|&seed| rotation::takes(seed as usize, 3)) {
        let numbers = numbers(16, 1000 + seed, 1.0);
        let mut next = numbers.iter().map(|x| (x + 1.0) / 2.0);
        let mut below = |most: usize| next.next().map_or(0, |x| (x * most as f64) as usize).min(most - 1);
        let extents = [1 + below(3), [1, 2, 1 + below(200)][below(3)], 1 + below(300), 1 + below(40), 1 + below(40)];
        let keys = extents[2];
        let causal = below(3) > 0;
        check(
            backend,
            inspect,
            Case {
                extents,
                lengths: (below(4) > 0).then(|| [0, 1, 2].map(|_| below(keys + 3) as i32)),
                causal,
                window: (causal && below(2) > 0).then(|| 1 + below(keys + 20) as i32),
                soft_cap: [None, Some(1.5)][below(2)],
                mask: [None, Some(DType::Bool), Some(DType::F32)][below(3)],
                permuted: below(2) > 0,
                large: 1.0,
            },
        );
    }
}

/// A window without causality, and lengths of another type or shape, are refused when the kernel
/// is compiled.
pub fn inconsistent_options_are_refused(backend: &dyn Backend) {
    let case = Case { lengths: Some([1, 2, 3]), causal: true, window: Some(2), ..CASE };
    let whole = case.kernel(DType::F32, |_| AttentionPass::Forward);
    let with = |lengths: Operand| Attention { lengths: Some(lengths), ..whole.clone() };
    for kernel in [
        Attention { causal: false, ..whole.clone() },
        with(operand(DType::F32, dense(&[2, 1, 1]))),
        with(operand(DType::I32, dense(&[2, 5, 1]))),
        with(operand(DType::I32, dense(&[2, 1]))),
    ] {
        let refused = backend.compile("test", &Kernel::Attention(Box::new(kernel)), &[]);
        assert!(refused.err().is_some_and(|error| error.is_kernel()));
    }
}

/// A head without elements is refused when the kernel is compiled.
pub fn empty_heads_are_refused(backend: &dyn Backend) {
    let kernel = Case { extents: [1, 2, 2, 0, 1], ..CASE }.kernel(DType::F32, |_| AttentionPass::Forward);
    let refused = backend.compile("test", &Kernel::Attention(Box::new(kernel)), &[]);
    assert!(refused.err().is_some_and(|error| error.is_kernel()));
}
