//! Attention by the kernel against attention as it is defined: values, gradients, and gradients of
//! gradients.

use crate::common::*;

/// One comparison: the shapes, and the options of the scores.
#[derive(Clone)]
struct Case {
    query: Vec<i64>,
    key: Vec<i64>,
    value: Vec<i64>,
    mask: Option<Tensor>,
    causal: bool,
    /// What queries are multiplied by.
    large: f32,
}

impl Case {
    fn new(query: &[i64], key: &[i64], value: &[i64]) -> Case {
        Case { query: query.to_vec(), key: key.to_vec(), value: value.to_vec(), mask: None, causal: false, large: 1.0 }
    }

    fn operands(&self) -> [Tensor; 3] {
        [leaf_of(&self.query, 1, self.large), leaf_of(&self.key, 2, 1.0), leaf_of(&self.value, 3, 1.0)]
    }

    fn attend(&self, [query, key, value]: [&Tensor; 3]) -> Tensor {
        Tensor::scaled_dot_product_attention(query, key, value, self.mask.as_ref(), 0.0, self.causal).unwrap()
    }
}

fn numbers(shape: &[i64], seed: i64, large: f32) -> Tensor {
    let count: i64 = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| (((i + seed) * 7919 + i * i) % 211) as f32 / 105.0 - 1.0).collect();
    tensor(&values.iter().map(|x| x * large).collect::<Vec<_>>(), shape)
}

fn leaf_of(shape: &[i64], seed: i64, large: f32) -> Tensor {
    numbers(shape, seed, large).requires_grad_(true).unwrap()
}

/// The value, the gradients, and the gradients of a number made of the gradients.
fn everything(attend: impl Fn([&Tensor; 3]) -> Tensor, operands: [Tensor; 3]) -> Vec<Vec<f32>> {
    let [query, key, value] = &operands;
    let output = attend([query, key, value]);
    let upstream = numbers(&output.shape().to_i64(), 4, 1.0).requires_grad_(true).unwrap();
    let of = |options| -> Vec<Tensor> {
        let all = grad(std::slice::from_ref(&output), &operands, std::slice::from_ref(&upstream), options).unwrap();
        all.into_iter().map(Option::unwrap).collect()
    };
    let mut results = vec![read(&output)];
    results.extend(of(RETAIN).iter().map(read));
    let parts: Vec<Tensor> = of(CREATE)
        .iter()
        .map(|x| x.mul(numbers(&x.shape().to_i64(), 5, 1.0)).unwrap().sum((), false).unwrap())
        .collect();
    let total = parts[0].add(&parts[1]).unwrap().add(&parts[2]).unwrap();
    let again = grad(&[total], &[query, key, value, &upstream].map(Clone::clone), &[], GradOptions::default()).unwrap();
    results.extend(again.into_iter().map(|x| read(&x.unwrap())));
    results
}

#[track_caller]
fn agree(got: &[Vec<f32>], want: &[Vec<f32>], tolerance: f32) {
    assert_eq!(got.len(), want.len());
    for (part, (got, want)) in got.iter().zip(want).enumerate() {
        let largest = want.iter().fold(1.0f32, |a, b| a.max(b.abs()));
        for (i, (got, want)) in got.iter().zip(want).enumerate() {
            assert!((got - want).abs() <= tolerance * largest, "part {part}, element {i}: {got}, expected {want}");
        }
    }
}

#[track_caller]
fn check_with(attend: impl Fn([&Tensor; 3]) -> Tensor, operands: impl Fn() -> [Tensor; 3], tolerance: f32) {
    let device = Device::default_device().unwrap();
    device.inspect().set_optimizations(Optimizations { attention: false, ..Optimizations::all() });
    let want = everything(&attend, operands());
    device.inspect().set_optimizations(Optimizations::all());
    agree(&everything(&attend, operands()), &want, tolerance);
}

#[track_caller]
fn check(case: Case) {
    check_with(|operands| case.attend(operands), || case.operands(), 1e-5);
}

fn launches(device: &Device, work: impl FnOnce() -> Tensor) -> u64 {
    device.flush();
    let before = device.inspect().stats().launches;
    read(&work());
    device.inspect().stats().launches - before
}

#[test]
fn it_is_one_launch() {
    let device = device();
    let [query, key, value] = Case::new(&[2, 8, 4], &[2, 9, 4], &[2, 9, 4]).operands();
    let attend = || Tensor::scaled_dot_product_attention(&query, &key, &value, None, 0.0, true).unwrap();
    assert_eq!(launches(&device, attend), 1);
    device.inspect().set_optimizations(Optimizations { attention: false, ..Optimizations::all() });
    assert!(launches(&device, attend) > 1);
}

#[test]
fn heads_of_every_width_with_and_without_causality() {
    let _device = device();
    for width in [1, 5, 16, 64, 96] {
        let case = Case::new(&[2, 6, width], &[2, 9, width], &[2, 9, 3]);
        check(Case { causal: true, ..case.clone() });
        check(case);
    }
    // Wider than the kernel takes.
    check(Case::new(&[3, 130], &[4, 130], &[4, 2]));
}

#[test]
fn batches_broadcast_and_keys_span_blocks() {
    let _device = device();
    check(Case::new(&[2, 1, 5, 4], &[3, 7, 4], &[1, 3, 7, 2]));
    check(Case::new(&[5, 4], &[2, 7, 4], &[7, 2]));
    check(Case::new(&[150, 16], &[300, 16], &[300, 20]));
    check(Case { causal: true, ..Case::new(&[300, 16], &[150, 16], &[150, 16]) });
}

#[test]
fn masks_of_both_kinds() {
    let _device = device();
    let case = Case::new(&[2, 3, 4, 8], &[2, 3, 5, 8], &[2, 3, 5, 8]);
    for shape in [&[4, 5][..], &[2, 1, 1, 5], &[3, 4, 5], &[]] {
        let numbers = numbers(shape, 6, 1.0);
        check(Case { mask: Some(numbers.clone()), ..case.clone() });
        check(Case { mask: Some(numbers.gt(-0.3).unwrap()), ..case.clone() });
    }
}

#[test]
fn a_float_mask_may_have_a_gradient() {
    let _device = device();
    let [query, key, value] = Case::new(&[4, 8], &[5, 8], &[5, 8]).operands();
    let mask = leaf_of(&[4, 5], 6, 1.0);
    let output = Tensor::scaled_dot_product_attention(&query, &key, &value, Some(&mask), 0.0, false).unwrap();
    output.sum((), false).unwrap().backward().unwrap();
    assert_eq!(mask.grad().unwrap().shape().to_vec(), [4, 5]);
}

#[test]
fn a_query_that_meets_no_key_gives_zero() {
    let device = device();
    for optimizations in [Optimizations::all(), Optimizations::none()] {
        device.inspect().set_optimizations(optimizations);
        let [query, key, value] = Case::new(&[2, 4], &[3, 4], &[3, 2]).operands();
        let excluded = [f32::NEG_INFINITY; 3];
        let float = tensor(&[&excluded[..], &[0.0; 3]].concat(), &[2, 3]);
        for mask in [float.gt(-1.0).unwrap(), float] {
            let output = Tensor::scaled_dot_product_attention(&query, &key, &value, Some(&mask), 0.0, false).unwrap();
            assert_eq!(read(&output)[..2], [0.0, 0.0]);
            let grads = grad(&[output.sum((), false).unwrap()], std::slice::from_ref(&query), &[], RETAIN).unwrap();
            let of_query = read(grads[0].as_ref().unwrap());
            assert!(of_query[..4] == [0.0; 4] && of_query.iter().all(|x| x.is_finite()), "{of_query:?}");
        }
    }
}

#[test]
fn large_logits() {
    let _device = device();
    let case = Case { large: 300.0, ..Case::new(&[6, 8], &[40, 8], &[40, 4]) };
    check_with(|operands| case.attend(operands), || case.operands(), 3e-3);
}

#[test]
fn queries_keys_and_values_are_read_from_where_a_projection_left_them() {
    let _device = device();
    // [batch, rows, 3, heads, width] as [batch, heads, rows, width] of each.
    let attend = |[packed, _, _]: [&Tensor; 3]| {
        let part = |which: i64| packed.select(2, which)?.transpose(1, 2);
        let (query, key, value) = (part(0).unwrap(), part(1).unwrap(), part(2).unwrap());
        Tensor::scaled_dot_product_attention(&query, &key, &value, None, 0.0, true).unwrap()
    };
    // The loss contains the other two operands, so that every leaf has a gradient.
    let attend = |operands: [&Tensor; 3]| {
        let rest = operands[1]
            .square()
            .unwrap()
            .sum((), false)
            .unwrap()
            .mul(operands[2].square().unwrap().sum((), false).unwrap());
        attend(operands).add(rest.unwrap()).unwrap()
    };
    check_with(attend, || [leaf_of(&[2, 7, 3, 2, 8], 1, 1.0), leaf_of(&[1], 2, 1.0), leaf_of(&[1], 3, 1.0)], 1e-5);
}

#[test]
fn groups_of_heads_share_keys() {
    let _device = device();
    let grouped = |[query, key, value]: [&Tensor; 3]| {
        Tensor::scaled_dot_product_attention_with(query, key, value, None, 0.0, true, None, true, None, None, None)
            .unwrap()
    };
    let case = Case { causal: true, ..Case::new(&[2, 4, 5, 8], &[2, 2, 5, 8], &[2, 2, 5, 8]) };
    check_with(grouped, || case.operands(), 1e-5);
    let [query, key, value] = case.operands();
    let repeat = |x: &Tensor| x.unsqueeze(2).unwrap().expand([2, 2, 2, 5, 8]).unwrap().reshape([2, 4, 5, 8]).unwrap();
    let want = case.attend([&query, &repeat(&key), &repeat(&value)]);
    agree(&[read(&grouped([&query, &key, &value]))], &[read(&want)], 1e-5);
}

#[test]
fn dropout_keeps_the_mean() {
    let device = device();
    device.manual_seed(3);
    let ones = Tensor::ones([400, 300]).unwrap();
    let zeros = Tensor::zeros([400, 4]).unwrap();
    let dropped = Tensor::scaled_dot_product_attention(&zeros, &zeros, &ones, None, 0.25, false).unwrap();
    let mean = item(&dropped.mean((), false).unwrap());
    assert!((mean - 1.0).abs() < 0.01, "{mean}");
    let all = Tensor::scaled_dot_product_attention(&zeros, &zeros, &ones, None, 1.0, false).unwrap();
    assert!(read(&all).iter().all(|&x| x == 0.0));
}

#[test]
fn mistakes_are_errors_that_name_the_shapes() {
    let _device = device();
    let x = |shape: &[i64]| numbers(shape, 1, 1.0);
    let call = |query: &Tensor, key: &Tensor, value: &Tensor, mask: Option<&Tensor>, causal| {
        Tensor::scaled_dot_product_attention(query, key, value, mask, 0.0, causal)
    };
    let (q, k, v) = (x(&[3, 4]), x(&[5, 4]), x(&[5, 2]));
    refused(call(&x(&[3, 6]), &k, &v, None, false), "shape", &["scaled_dot_product_attention", "[3, 6]", "[5, 4]"]);
    refused(call(&q, &k, &x(&[6, 2]), None, false), "shape", &["[6, 2]"]);
    refused(call(&x(&[4]), &k, &v, None, false), "shape", &["2 dimensions"]);
    refused(call(&q, &k, &v, Some(&x(&[3, 4])), false), "shape", &["[3, 4]"]);
    refused(call(&q, &k, &v, Some(&x(&[3, 5])), true), "argument", &["is_causal"]);
    refused(call(&q, &k, &v, Some(&ints(&[1; 15], &[3, 5])), false), "dtype", &["attn_mask"]);
    refused(Tensor::scaled_dot_product_attention(&q, &k, &v, None, 1.5, false), "argument", &["1.5"]);
    let heads = x(&[3, 3, 4]);
    let keys = x(&[2, 3, 4]);
    let grouped =
        Tensor::scaled_dot_product_attention_with(&heads, &keys, &keys, None, 0.0, false, None, true, None, None, None);
    refused(grouped, "shape", &["[3, 3, 4]", "[2, 3, 4]"]);
}
