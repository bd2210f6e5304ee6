//! Attention over a cache of keys and values that is partly filled, with windows and soft caps,
//! against its definition in float64.

use crate::common::*;
use lanthorn_cpu::set_num_threads;
use proptest::prelude::*;

/// A call: `query: [batch, heads, m, d]`, keys and values `[batch, key heads, n, ..]`.
#[derive(Clone, Debug)]
struct Case {
    batch: usize,
    /// The heads of keys, and of queries for each of them.
    heads: [usize; 2],
    /// Queries, keys, and the widths of a key and of a value.
    extents: [usize; 4],
    lengths: Option<Vec<i32>>,
    causal: bool,
    window: Option<i64>,
    soft_cap: Option<f64>,
    /// Whether a bool mask over queries and keys leaves pairs out.
    masked: bool,
}

const CASE: Case = Case {
    batch: 2,
    heads: [2, 2],
    extents: [3, 9, 8, 5],
    lengths: None,
    causal: true,
    window: None,
    soft_cap: None,
    masked: false,
};

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| (((i + seed) * 7919 + i * i) % 211) as f32 / 105.0 - 1.0).collect()
}

/// Whether the mask keeps a pair.
fn keeps(query: usize, key: usize) -> bool {
    !(query * 5 + key * 3).is_multiple_of(4)
}

impl Case {
    fn filled(&self, batch: usize) -> usize {
        let keys = self.extents[1];
        self.lengths.as_ref().map_or(keys, |all| all[batch % all.len()].clamp(0, keys as i32) as usize)
    }

    fn sees(&self, batch: usize, query: usize, key: usize) -> bool {
        let filled = self.filled(batch) as i64;
        let first = if self.lengths.is_some() { filled - self.extents[0] as i64 } else { 0 };
        let (position, at) = (first + query as i64, key as i64);
        at < filled
            && (!self.causal || at <= position && self.window.is_none_or(|window| at > position - window))
            && (!self.masked || keeps(query, key))
    }

    /// Queries, keys and values; the unfilled part is NaN.
    fn data(&self) -> [Vec<f32>; 3] {
        let ([heads, group], [m, n, d, e]) = (self.heads, self.extents);
        let rows = |width: usize, seed: usize| {
            let mut rows = numbers(self.batch * heads * n * width, seed);
            for (at, row) in rows.chunks_mut(width).enumerate() {
                if at % n >= self.filled(at / n / heads) {
                    row.fill(f32::NAN);
                }
            }
            rows
        };
        [numbers(self.batch * heads * group * m * d, 1), rows(d, 2), rows(e, 3)]
    }

    fn operands(&self) -> [Tensor; 3] {
        let ([heads, group], [m, n, d, e]) = (self.heads, self.extents);
        let [query, key, value] = self.data();
        let leaf_of = |data: &[f32], shape: [usize; 4]| leaf(data, &shape.map(|size| size as i64));
        [
            leaf_of(&query, [self.batch, heads * group, m, d]),
            leaf_of(&key, [self.batch, heads, n, d]),
            leaf_of(&value, [self.batch, heads, n, e]),
        ]
    }

    fn attend(&self, [query, key, value]: [&Tensor; 3]) -> Tensor {
        let lengths = self.lengths.as_ref().map(|all| ints(all, &[all.len() as i64]));
        let [m, n, ..] = self.extents;
        let pairs: Vec<f32> = (0..m * n).map(|at| f32::from(u8::from(keeps(at / n, at % n)))).collect();
        let mask = self.masked.then(|| tensor(&pairs, &[m as i64, n as i64]).gt(0.5).unwrap());
        Tensor::scaled_dot_product_attention_with(
            query,
            key,
            value,
            mask.as_ref(),
            0.0,
            self.causal,
            None,
            true,
            lengths.as_ref(),
            self.window,
            self.soft_cap,
        )
        .unwrap()
    }

    /// The result and the gradients for a gradient of the result, in float64 with explicit masks.
    fn compute_reference(&self, grad: &[f32]) -> [Vec<f64>; 4] {
        let ([heads, group], [m, n, d, e]) = (self.heads, self.extents);
        let [query, key, value] = self.data().map(|data| data.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
        let grad: Vec<f64> = grad.iter().map(|&x| f64::from(x)).collect();
        let rows = self.batch * heads * group * m;
        let sizes = [rows * e, rows * d, self.batch * heads * n * d, self.batch * heads * n * e];
        let mut all = sizes.map(|size| vec![0.0; size]);
        let scale = 1.0 / (d as f64).sqrt();
        for row in 0..rows {
            let (of_query, i, batch) = (row / m, row % m, row / m / group / heads);
            let keys = of_query / group * n;
            let seen: Vec<usize> = (0..n).filter(|&j| self.sees(batch, i, j)).collect();
            let product = |a: &[f64], i: usize, b: &[f64], j: usize, width: usize| -> f64 {
                (0..width).map(|c| a[i * width + c] * b[j * width + c]).sum()
            };
            let score = |&j: &usize| {
                let score = scale * product(&query, row, &key, keys + j, d);
                self.soft_cap.map_or(score, |cap| cap * (score / cap).tanh())
            };
            let scores: Vec<f64> = seen.iter().map(score).collect();
            let total: f64 = scores.iter().map(|score| score.exp()).sum();
            let weights: Vec<f64> = scores.iter().map(|score| score.exp() / total).collect();
            for (&j, w) in seen.iter().zip(&weights) {
                (0..e).for_each(|c| all[0][row * e + c] += w * value[(keys + j) * e + c]);
            }
            let mean = product(&all[0], row, &grad, row, e);
            for ((&j, w), score) in seen.iter().zip(&weights).zip(&scores) {
                let of_cap = self.soft_cap.map_or(1.0, |cap| 1.0 - (score / cap).powi(2));
                let slope = w * (product(&grad, row, &value, keys + j, e) - mean) * scale * of_cap;
                for c in 0..d {
                    all[1][row * d + c] += slope * key[(keys + j) * d + c];
                    all[2][(keys + j) * d + c] += slope * query[row * d + c];
                }
                (0..e).for_each(|c| all[3][(keys + j) * e + c] += w * grad[row * e + c]);
            }
        }
        all
    }

    /// The result and the gradients, by the kernel or composed.
    fn results(&self, options: GradOptions) -> [Vec<f32>; 4] {
        let operands = self.operands();
        let [query, key, value] = &operands;
        let output = self.attend([query, key, value]);
        let upstream = tensor(&numbers(output.numel(), 4), &output.shape().to_i64());
        let grads = grad(std::slice::from_ref(&output), &operands, &[upstream], options).unwrap();
        let mut all = vec![read(&output)];
        all.extend(grads.into_iter().map(|grad| read(&grad.unwrap())));
        all.try_into().unwrap()
    }

    /// Compares the kernel, the composed form, and the gradients that can be differentiated again.
    #[track_caller]
    fn check(&self) {
        let device = device();
        let ([heads, group], [m, _, _, e]) = (self.heads, self.extents);
        let want = self.compute_reference(&numbers(self.batch * heads * group * m * e, 4));
        for (attention, options) in [(true, RETAIN), (true, CREATE), (false, RETAIN)] {
            device.inspect().set_optimizations(Optimizations { attention, ..Optimizations::all() });
            for (part, (got, want)) in self.results(options).iter().zip(&want).enumerate() {
                assert_eq!(got.len(), want.len());
                for (at, (&got, &want)) in got.iter().zip(want).enumerate() {
                    let close = (f64::from(got) - want).abs() <= 2e-5 * (1.0 + want.abs());
                    assert!(close, "part {part}, element {at}: {got}, expected {want}; kernel: {attention}, {self:?}");
                }
            }
        }
    }
}

#[test]
fn batches_of_different_lengths() {
    for lengths in [vec![4, 9], vec![0, 1], vec![9], vec![2, -3], vec![100, 8]] {
        for causal in [false, true] {
            for m in [1, 3] {
                let case = Case { lengths: Some(lengths.clone()), causal, extents: [m, 9, 8, 5], ..CASE };
                case.check();
                Case { masked: !causal, soft_cap: Some(0.6), ..case }.check();
            }
        }
    }
}

#[test]
fn windows_and_soft_caps_without_key_lengths() {
    for window in [1, 2, 5, i64::MAX] {
        Case { window: Some(window), extents: [12, 9, 8, 5], ..CASE }.check();
    }
    Case { soft_cap: Some(0.3), causal: false, ..CASE }.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_sizes_and_options(
        batch in 1usize..4,
        heads in [1usize..3, 1usize..4],
        extents in (prop_oneof![Just(1usize), 1usize..20], 1usize..40, 1usize..12, 1usize..12),
        lengths in prop::option::of(prop::collection::vec(-1i32..45, 3)),
        (causal, window) in prop_oneof![
            Just((false, None)),
            Just((true, None)),
            (1i64..45).prop_map(|window| (true, Some(window))),
        ],
        soft_cap in prop::option::of(0.3f64..30.0),
        one: bool,
        masked: bool,
    ) {
        let (m, n, d, e) = extents;
        let lengths = lengths.map(|all| all[..if one { 1 } else { batch }].to_vec());
        let masked = masked && !causal;
        Case { batch, heads, extents: [m, n, d, e], lengths, causal, window, soft_cap, masked }.check();
    }
}

#[test]
fn lengths_of_other_integer_types_are_clamped_alike() {
    let device = device();
    let case = Case { lengths: Some(vec![4, 9]), ..CASE };
    let [query, key, value] = case.operands();
    let attend = |lengths: &Tensor| {
        let lengths = Some(lengths);
        Tensor::scaled_dot_product_attention_with(
            &query, &key, &value, None, 0.0, true, None, true, lengths, None, None,
        )
    };
    let long = Tensor::from_slice(&[4i64, 1 << 40], [2], &device).unwrap();
    assert_eq!(read(&attend(&long).unwrap()), read(&case.attend([&query, &key, &value])));
}

#[test]
fn dropout_leaves_the_filled_keys() {
    let device = device();
    device.manual_seed(3);
    let zeros = Tensor::zeros([400, 4]).unwrap();
    let ones = Tensor::ones([400, 300]).unwrap();
    let filled = ints(&[100], &[1]);
    let dropped = Tensor::scaled_dot_product_attention_with(
        &zeros,
        &zeros,
        &ones,
        None,
        0.25,
        false,
        None,
        false,
        Some(&filled),
        None,
        None,
    );
    let mean = item(&dropped.unwrap().mean((), false).unwrap());
    assert!((mean - 1.0).abs() < 0.01, "{mean}");
}

#[test]
fn other_lengths_run_the_same_plan_and_kernel() {
    let device = device();
    let operands = Case { lengths: Some(vec![9]), ..CASE }.operands();
    let [query, key, value] = &operands;
    let run = |length: i32, window: i64| {
        let case = Case { lengths: Some(vec![length, length / 2]), window: Some(window), ..CASE };
        read(&no_grad(|| case.attend([query, key, value])))
    };
    run(1, 3);
    let before = device.inspect().stats();
    let all: Vec<Vec<f32>> = (0..20).map(|step| run(step % 10, 3 + i64::from(step / 10))).collect();
    let after = device.inspect().stats();
    assert_eq!((after.plan_misses, after.plan_resizes), (before.plan_misses, before.plan_resizes));
    assert_eq!(after.plan_hits - before.plan_hits, 20);
    assert_eq!(after.kernels, before.kernels);
    assert!(all[2] != all[9] && all[9] != all[19]);
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let _device = device();
    let case = Case { heads: [4, 2], extents: [60, 300, 32, 32], lengths: Some(vec![290, 77]), ..CASE };
    for case in [case.clone(), Case { extents: [1, 300, 32, 32], window: Some(120), ..case }] {
        let bits = |threads: usize| {
            set_num_threads(threads).unwrap();
            case.results(RETAIN).map(|part| part.into_iter().map(f32::to_bits).collect::<Vec<_>>())
        };
        let alone = bits(1);
        assert!(bits(2) == alone && bits(3) == alone);
    }
}

#[test]
fn lengths_that_are_overwritten_before_backward_are_an_error() {
    let _device = device();
    let [query, key, value] = CASE.operands();
    let filled = ints(&[4, 9], &[2]);
    let output = Tensor::scaled_dot_product_attention_with(
        &query,
        &key,
        &value,
        None,
        0.0,
        true,
        None,
        true,
        Some(&filled),
        None,
        None,
    );
    filled.add_(1).unwrap();
    let refused = output.unwrap().sum((), false).unwrap().backward().unwrap_err();
    assert!(refused.to_string().contains("scaled_dot_product_attention"), "{refused}");
}

#[test]
fn mistakes_are_errors_that_name_the_operand() {
    let _device = device();
    let [query, key, value] = CASE.operands();
    let call = |lengths: Option<&Tensor>, causal: bool, window: Option<i64>, cap: Option<f64>| {
        Tensor::scaled_dot_product_attention_with(
            &query, &key, &value, None, 0.0, causal, None, true, lengths, window, cap,
        )
    };
    let name = "scaled_dot_product_attention";
    refused(call(Some(&ints(&[1; 3], &[3])), true, None, None), "shape", &[name, "key_lengths", "[3]", "[2]"]);
    refused(call(Some(&ints(&[1; 2], &[2, 1])), true, None, None), "shape", &["[2, 1]"]);
    refused(call(Some(&ints(&[1], &[])), true, None, None), "shape", &["[]"]);
    refused(call(Some(&tensor(&[1.0], &[1])), true, None, None), "dtype", &["key_lengths", "float32"]);
    for window in [0, -2, i64::MIN] {
        refused(call(None, true, Some(window), None), "argument", &["window", &window.to_string()]);
    }
    refused(call(None, false, Some(4), None), "argument", &["window", "is_causal"]);
    for cap in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(call(None, true, None, Some(cap)), "argument", &["soft_cap"]);
    }
    // Heads are no batch.
    let [query, key, value] = [&query, &key, &value].map(|x| x.select(0, 0).unwrap());
    let heads = Some(&ints(&[1; 4], &[4]));
    let mistaken =
        Tensor::scaled_dot_product_attention_with(&query, &key, &value, None, 0.0, true, None, true, heads, None, None);
    refused(mistaken, "shape", &["[4]", "[1]"]);
    // The device works on.
    CASE.check();
}
