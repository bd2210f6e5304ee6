//! The kinds of errors that the documentation of operations states, provoked one by one.
//!
//! A row is a call and the kind of its error: `ok`, the kind at the call, or `read:` and the kind
//! when the result is read.

use crate::common::*;
use pollster::block_on;

fn ones(shape: &[i64], dtype: DType) -> Tensor {
    Tensor::ones_with(shape, dtype, None).unwrap()
}

fn f(shape: &[i64]) -> Tensor {
    ones(shape, DType::F32)
}

fn int(shape: &[i64]) -> Tensor {
    ones(shape, DType::I32)
}

fn b(shape: &[i64]) -> Tensor {
    ones(shape, DType::Bool)
}

fn i(values: &[i32]) -> Tensor {
    Tensor::from_slice(values, [values.len() as i64], &Device::default_device().unwrap()).unwrap()
}

/// The kind of the error of a call.
fn kind<T>(result: Result<T>) -> String {
    result.map_or_else(|error| error.kind_name().to_string(), |_| "ok".to_string())
}

/// The kind of the error of a call, or else of reading its result.
fn read(result: Result<Tensor>) -> String {
    match result.map(|tensor| block_on(tensor.to_bytes())) {
        Ok(Ok(_)) => "ok".to_string(),
        Ok(Err(error)) => format!("read:{}", error.kind_name()),
        Err(error) => error.kind_name().to_string(),
    }
}

/// Compares every row, and reports all that differ.
macro_rules! check {
    ($($call:expr => $want:expr;)*) => {{
        let rows = [$((stringify!($call), $call, $want)),*];
        let wrong: Vec<_> = rows.iter().filter(|(_, got, want)| got != want).collect();
        assert!(wrong.is_empty(), "call, kind, documented kind: {wrong:#?}");
    }};
}

#[test]
fn documented_errors_of_pointwise_ops() {
    let _device = device();
    check! {
        kind(call("gelu", &[f(&[2]).into(), text("x")])) => "argument";
        kind(f(&[2]).celu(0.0)) => "argument";
        kind(f(&[2]).hardtanh(2, 1)) => "argument";
        kind(f(&[2]).softshrink(-1.0)) => "argument";
        kind(f(&[2, 3]).prelu(&f(&[2, 2]))) => "shape";
        kind(f(&[2, 3]).prelu(&f(&[2]))) => "shape";
        kind(f(&[3]).glu(0)) => "shape";
        kind(f(&[]).glu(0)) => "shape";
        kind(f(&[4]).glu(1)) => "index";
        kind(b(&[2]).sub(b(&[2]))) => "dtype";
        kind(b(&[2]).sub(f(&[2]))) => "ok";
        kind(b(&[2]).rsub(b(&[2]))) => "dtype";
        kind(b(&[2]).rsub(1)) => "ok";
        kind(b(&[2]).neg()) => "dtype";
        kind(b(&[2]).positive()) => "dtype";
        kind(int(&[2]).addcdiv(&int(&[2]), &int(&[2]))) => "dtype";
        kind(int(&[2]).addcdiv(&f(&[2]), &int(&[2]))) => "ok";
        kind(f(&[2]).bitwise_not()) => "dtype";
        kind(b(&[2]).bitwise_left_shift(b(&[2]))) => "dtype";
        kind(call("div", &[f(&[2]).into(), 2.into(), text("x")])) => "argument";
        kind(b(&[2]).div_with(b(&[2]), RoundingMode::Floor)) => "dtype";
        kind(b(&[2]).floor_divide(b(&[2]))) => "dtype";
        kind(f(&[2]).gcd(&int(&[2]))) => "dtype";
        kind(b(&[2]).gcd(&b(&[2]))) => "dtype";
        kind(int(&[2]).frexp()) => "dtype";
        kind(int(&[2]).nextafter(&int(&[2]))) => "dtype";
        kind(int(&[2]).nextafter(&f(&[2]))) => "ok";
        kind(int(&[2]).frac()) => "dtype";
        kind(f(&[2]).heaviside(&int(&[2]))) => "dtype";
        kind(int(&[2]).round_with(1)) => "dtype";
        kind(Tensor::polygamma(171, &f(&[2]))) => "argument";
        kind(int(&[2]).logaddexp(&int(&[2]))) => "dtype";
        kind(int(&[2]).hypot(&int(&[2]))) => "dtype";
        kind(f(&[2]).isclose(&int(&[2]), 0.1, 0.1, false)) => "dtype";
        kind(f(&[2]).isclose(&f(&[2]), -0.1, 0.1, false)) => "argument";
        kind(f(&[2]).float_power_(2)) => "dtype";
    }
}

#[test]
fn documented_errors_of_creation_and_diagonals() {
    let _device = device();
    check! {
        kind(Tensor::full([-1], 1)) => "shape";
        kind(Tensor::arange(0, 3, 0)) => "argument";
        kind(Tensor::arange(0, 3, -1)) => "argument";
        kind(Tensor::arange(0.0, f64::INFINITY, 1)) => "argument";
        kind(Tensor::arange(f64::NAN, 1.0, 1)) => "argument";
        kind(Tensor::eye(-1, None)) => "shape";
        kind(f(&[2, 2]).diagonal(0, 0, 0)) => "argument";
        kind(f(&[2, 2]).diagonal(0, 0, 2)) => "index";
        kind(f(&[2, 2]).diagonal(9, 0, 1)) => "ok";
        kind(f(&[]).diag_embed(0, -2, -1)) => "shape";
        kind(f(&[2]).diag_embed(0, 0, 5)) => "index";
        kind(f(&[2]).diag_embed(0, 0, 0)) => "argument";
        kind(f(&[2]).flip([1])) => "index";
        kind(f(&[2]).flip([0, 0])) => "argument";
    }
}

#[test]
fn documented_errors_of_indexing_joining_and_padding() {
    let _device = device();
    check! {
        kind(f(&[2, 2]).gather(0, &i(&[0]))) => "shape";
        kind(f(&[2]).gather(0, &f(&[1]))) => "dtype";
        kind(f(&[2]).gather(0, &b(&[1]))) => "dtype";
        kind(f(&[2]).gather(0, &ones(&[1], DType::U8))) => "ok";
        kind(f(&[2]).gather(1, &i(&[0]))) => "index";
        read(f(&[2]).gather(0, &i(&[2]))) => "read:index";
        read(f(&[2]).gather(0, &i(&[-1]))) => "read:index";
        kind(f(&[2]).index_select(0, &int(&[1, 1]))) => "shape";
        kind(f(&[2]).index_select(0, &Tensor::full([], 1).unwrap())) => "ok";
        read(f(&[2]).index_select(0, &i(&[7]))) => "read:index";
        kind(f(&[2]).index_select(3, &i(&[0]))) => "index";
        kind(f(&[2]).scatter_add(0, &i(&[0, 1, 1]), &f(&[2]))) => "shape";
        kind(f(&[2]).scatter_add(0, &i(&[0]), &int(&[2]))) => "dtype";
        read(f(&[2]).scatter_add(0, &i(&[5]), &f(&[1]))) => "read:index";
        kind(call("scatter", &[f(&[2]).into(), 0.into(), i(&[0]).into(), 1.0.into(), text("x")])) => "argument";
        kind(Tensor::cat(&[], 0)) => "argument";
        kind(Tensor::cat(&[f(&[2, 2]), f(&[2, 3])], 0)) => "shape";
        kind(Tensor::cat(&[f(&[]), f(&[])], 0)) => "shape";
        kind(Tensor::cat(&[f(&[2]), f(&[2])], 1)) => "index";
        kind(f(&[2, 3]).matmul(&f(&[2, 3]))) => "shape";
        kind(f(&[2, 3]).matmul(&int(&[3, 2]))) => "dtype";
        kind(f(&[2, 2, 3]).matmul(&f(&[3, 3, 2]))) => "shape";
        kind(f(&[]).matmul(&f(&[2]))) => "shape";
        kind(f(&[2]).pad([1], PadMode::Constant, None)) => "argument";
        kind(f(&[2]).pad([1, 1, 1, 1], PadMode::Constant, None)) => "argument";
        kind(call("pad", &[f(&[2]).into(), Arg::Ints(vec![1, 1]), text("x")])) => "argument";
        kind(f(&[2]).pad([1, 1], PadMode::Reflect, Some(Scalar::Int(1)))) => "argument";
        kind(f(&[2]).pad([2, 0], PadMode::Reflect, None)) => "shape";
        kind(f(&[2]).pad([3, 0], PadMode::Circular, None)) => "shape";
        kind(f(&[2]).pad([-3, 0], PadMode::Constant, None)) => "shape";
        kind(f(&[2]).pad([-3, 0], PadMode::Replicate, None)) => "argument";
        kind(f(&[2]).pad([-3, 0], PadMode::Reflect, None)) => "argument";
        kind(f(&[2]).pad([-3, 0], PadMode::Circular, None)) => "index";
        kind(Tensor::linspace(f(&[1]), 2, 3)) => "shape";
        kind(Tensor::linspace(0, 2, -3)) => "shape";
    }
}

#[test]
fn documented_errors_of_reductions_scans_and_sorts() {
    let _device = device();
    check! {
        kind(f(&[2]).sum(1, false)) => "index";
        kind(f(&[2]).sum([0, 0], false)) => "argument";
        kind(f(&[0]).amax((), false)) => "shape";
        kind(f(&[2]).amax([0, -1], false)) => "argument";
        kind(f(&[0]).argmax(None, false)) => "shape";
        kind(f(&[2]).argmax(4, false)) => "index";
        kind(f(&[0]).max()) => "shape";
        kind(f(&[2, 0]).max_dim(1, false)) => "shape";
        kind(f(&[2, 0]).max_dim(2, false)) => "index";
        kind(f(&[2]).cumsum(1)) => "index";
        kind(f(&[2]).prod(2, false)) => "index";
        kind(f(&[2]).count_nonzero([0, 0])) => "argument";
        kind(f(&[2]).logcumsumexp(2)) => "index";
        kind(f(&[2]).sort(1, false)) => "index";
        kind(f(&[2]).argsort(1, false)) => "index";
    }
}

#[test]
fn documented_errors_of_scatters_with_a_reduction() {
    let _device = device();
    check! {
        kind(call("scatter_reduce", &[f(&[2]).into(), 0.into(), i(&[0]).into(), f(&[1]).into(), text("x")])) => "argument";
        kind(f(&[2]).scatter_reduce(0, &i(&[0, 1]), &f(&[1]), ScatterReduction::Sum)) => "shape";
        kind(f(&[2]).scatter_reduce(0, &i(&[0]), &int(&[1]), ScatterReduction::Sum)) => "dtype";
        kind(f(&[2]).scatter_reduce(2, &i(&[0]), &f(&[1]), ScatterReduction::Sum)) => "index";
        read(f(&[2]).scatter_reduce(0, &i(&[2]), &f(&[1]), ScatterReduction::Amax)) => "read:index";
        kind(call("index_reduce", &[f(&[2]).into(), 0.into(), i(&[0]).into(), f(&[1]).into(), text("sum")])) => "argument";
        kind(f(&[2]).index_reduce(0, &i(&[0]), &f(&[2]), IndexReduction::Prod)) => "shape";
        kind(f(&[2]).index_add(0, &i(&[0]), &f(&[2]))) => "shape";
        kind(f(&[2]).index_add(0, &i(&[0]), &int(&[1]))) => "dtype";
        read(f(&[2]).index_add(0, &i(&[3]), &f(&[1]))) => "read:index";
        kind(f(&[2]).index_copy(0, &i(&[0]), &int(&[1]))) => "dtype";
        kind(f(&[2]).index_copy(4, &i(&[0]), &f(&[1]))) => "index";
    }
}

#[test]
fn documented_errors_of_views_and_windows() {
    let _device = device();
    check! {
        kind(f(&[4]).as_strided([2], [1, 1], None)) => "argument";
        kind(f(&[4]).as_strided([2], [-1], None)) => "argument";
        kind(f(&[4]).as_strided([9], [1], None)) => "shape";
        kind(f(&[4]).tril(0)) => "shape";
        kind(Tensor::tril_indices(-1, 2, 0)) => "shape";
        kind(f(&[2, 2]).im2col(1, 1, 0, 1)) => "shape";
        kind(f(&[1, 2, 2]).im2col(3, 1, 0, 1)) => "shape";
        kind(f(&[1, 2, 2]).im2col([1, 1, 1], 1, 0, 1)) => "argument";
        kind(f(&[1, 2, 2]).im2col(1, 1, -1, 1)) => "argument";
        kind(f(&[4, 9]).col2im([4, 4], 2, 1, 0, 1)) => "ok";
        kind(f(&[4, 8]).col2im([4, 4], 2, 1, 0, 1)) => "shape";
        kind(f(&[4, 9]).col2im([1, 1], 2, 1, 0, 1)) => "shape";
        kind(f(&[4]).unfold(1, 2, 1)) => "index";
        kind(f(&[4]).unfold(0, 5, 1)) => "argument";
        kind(f(&[4]).unfold(0, 2, 0)) => "argument";
        kind(f(&[4]).reshape([3])) => "shape";
        kind(f(&[4]).reshape([-1, -1])) => "shape";
        kind(f(&[2, 3]).t().unwrap().view([6])) => "shape";
        kind(f(&[2, 3]).permute([0, 0])) => "argument";
        kind(f(&[2, 3]).permute([0])) => "argument";
        kind(f(&[2, 3]).permute([0, 2])) => "index";
        kind(f(&[2, 3]).transpose(0, 2)) => "index";
        kind(f(&[2]).expand([3])) => "shape";
        kind(f(&[2]).expand([-1, 2])) => "shape";
        kind(f(&[2]).unsqueeze(2)) => "index";
        kind(f(&[2]).squeeze([1])) => "index";
        kind(f(&[]).slice(0, None, None, 1)) => "shape";
        kind(f(&[2]).slice(0, None, None, 0)) => "argument";
        kind(f(&[2]).slice(1, None, None, 1)) => "index";
        kind(f(&[2]).narrow(0, 1, 2)) => "index";
        kind(f(&[]).narrow(0, 0, 0)) => "index";
        kind(f(&[2]).narrow_tensor(0, &i(&[0]), 1)) => "argument";
        kind(f(&[2]).narrow_tensor(0, &f(&[]), 1)) => "dtype";
        kind(f(&[2]).narrow_tensor(0, &Tensor::full([], 0).unwrap(), 3)) => "index";
        read(f(&[2]).narrow_tensor(0, &Tensor::full([], 2).unwrap(), 1)) => "read:index";
        kind(f(&[]).select(0, 0)) => "shape";
        kind(f(&[2]).select(0, 2)) => "index";
        kind(f(&[2, 2]).select_scatter(&f(&[3]), 0, 1)) => "shape";
        kind(f(&[2, 2]).select_scatter(&f(&[2]), 0, 4)) => "index";
        kind(f(&[4]).as_strided_scatter(&f(&[2]), [2], [0], None)) => "argument";
    }
}

#[test]
fn documented_errors_of_random_tensors() {
    let _device = device();
    check! {
        kind(Tensor::rand_with([2], DType::I32, None)) => "dtype";
        kind(Tensor::randint_low(2, 2, [1])) => "argument";
        kind(Tensor::randperm(-1)) => "shape";
        kind(f(&[2]).uniform(1.0, 0.0)) => "argument";
        kind(int(&[2]).uniform(0.0, 1.0)) => "dtype";
        kind(f(&[2]).exponential(0.0)) => "argument";
        kind(f(&[2]).log_normal(0.0, -1.0)) => "argument";
        kind(f(&[2]).cauchy(0.0, 0.0)) => "argument";
        kind(f(&[2]).geometric(1.0)) => "argument";
        kind(int(&[2]).bernoulli()) => "dtype";
        kind(f(&[2]).bernoulli_p(1.5)) => "argument";
        kind(Tensor::normal(0.0, -1.0)) => "argument";
        kind(Tensor::normal(int(&[2]), 1.0)) => "dtype";
        kind(Tensor::normal(f(&[2]), f(&[3]))) => "shape";
        kind(f(&[2, 2, 2]).multinomial(1, false)) => "shape";
        kind(int(&[2]).multinomial(1, false)) => "dtype";
        kind(f(&[2]).multinomial(3, false)) => "argument";
    }
}

#[test]
fn documented_errors_of_attention() {
    let _device = device();
    check! {
        kind(Tensor::scaled_dot_product_attention(&f(&[2, 3]), &f(&[2, 4]), &f(&[2, 3]), None, 0.0, false)) => "shape";
        kind(Tensor::scaled_dot_product_attention(&f(&[2, 3]), &f(&[2, 3]), &int(&[2, 3]), None, 0.0, false)) => "dtype";
        kind(Tensor::scaled_dot_product_attention(&f(&[2, 3]), &f(&[2, 3]), &f(&[2, 3]), Some(&b(&[2, 2])), 0.0, true)) => "argument";
        kind(Tensor::scaled_dot_product_attention(&f(&[2, 3]), &f(&[2, 3]), &f(&[2, 3]), Some(&b(&[3, 2])), 0.0, false)) => "shape";
        kind(Tensor::scaled_dot_product_attention(&f(&[2, 3]), &f(&[2, 3]), &f(&[2, 3]), None, 2.0, false)) => "argument";
        kind(cached(Some(&int(&[2])), true, None, None)) => "shape";
        kind(cached(Some(&f(&[1])), true, None, None)) => "dtype";
        kind(cached(None, true, Some(0), None)) => "argument";
        kind(cached(None, false, Some(1), None)) => "argument";
        kind(cached(None, true, None, Some(0.0))) => "argument";
    }
}

/// Attention with key lengths, a window and a soft cap.
fn cached(lengths: Option<&Tensor>, causal: bool, window: Option<i64>, cap: Option<f64>) -> Result<Tensor> {
    let x = f(&[2, 3]);
    Tensor::scaled_dot_product_attention_with(&x, &x, &x, None, 0.0, causal, None, false, lengths, window, cap)
}

#[test]
fn documented_errors_of_pooling() {
    let _device = device();
    check! {
        kind(f(&[4, 4]).max_pool2d(2, [], 0, 1, false)) => "shape";
        kind(f(&[1, 1, 1]).max_pool2d(2, [], 0, 1, false)) => "shape";
        kind(f(&[0, 4, 4]).max_pool2d(2, [], 0, 1, false)) => "shape";
        kind(f(&[1, 4, 4]).max_pool2d([2, 2, 2], [], 0, 1, false)) => "argument";
        kind(f(&[1, 4, 4]).max_pool2d(2, [], 2, 1, false)) => "argument";
        kind(f(&[1, 4, 4]).max_pool2d(2, 0, 0, 1, false)) => "argument";
        kind(f(&[1, 4, 4]).max_pool2d_with_indices(2, [], 0, 1, false, false)) => "argument";
        kind(f(&[1, 2]).max_unpool1d(&int(&[1, 3]), 2, [], 0, ())) => "shape";
        kind(f(&[1, 2]).max_unpool1d(&f(&[1, 2]), 2, [], 0, ())) => "dtype";
        kind(f(&[1, 2]).max_unpool1d(&int(&[1, 2]), 2, [], 0, [9])) => "shape";
        read(f(&[1, 2]).max_unpool1d(&int(&[1, 2]).mul(9).unwrap(), 2, [], 0, ())) => "read:index";
    }
}

#[test]
fn documented_errors_of_linear_algebra() {
    let _device = device();
    check! {
        kind(f(&[2, 3]).linalg_cholesky()) => "shape";
        kind(int(&[2, 2]).linalg_cholesky()) => "dtype";
        read(f(&[2, 2]).neg().unwrap().linalg_cholesky()) => "read:linalg";
        read(f(&[2, 2]).neg().unwrap().linalg_cholesky_ex().map(|r| r.0)) => "ok";
        read(f(&[2, 2]).neg().unwrap().linalg_cholesky_ex_with(false, true).map(|r| r.0)) => "read:linalg";
        read(f(&[2, 2]).linalg_lu_factor().map(|r| r.0)) => "read:linalg";
        read(f(&[2, 2]).linalg_lu_factor_ex().map(|r| r.0)) => "ok";
        kind(f(&[2]).linalg_lu_factor()) => "shape";
        kind(call("linalg_qr", &[f(&[2, 2]).into(), text("x")])) => "argument";
        kind(f(&[2, 3]).linalg_det()) => "shape";
        kind(f(&[2, 3]).linalg_pinv_with(None, None, true)) => "shape";
        read(f(&[2, 3]).mul(f64::NAN).unwrap().linalg_pinv()) => "read:linalg";
        read(f(&[2, 3]).mul(f64::NAN).unwrap().linalg_matrix_rank()) => "read:linalg";
        kind(f(&[2, 2]).linalg_solve(&f(&[3]))) => "shape";
        kind(f(&[2, 2]).linalg_solve(&f(&[2]).to(DType::F64).unwrap())) => "dtype";
        kind(f(&[2, 2]).linalg_solve_with(&f(&[2]), false)) => "argument";
        read(f(&[2, 2]).linalg_solve(&f(&[2]))) => "read:linalg";
        read(f(&[2, 2]).linalg_solve_ex(&f(&[2])).map(|r| r.0)) => "ok";
        kind(f(&[2, 2]).linalg_lu_solve(&i(&[1, 2, 3]), &f(&[2, 1]))) => "argument";
        kind(f(&[2, 2]).linalg_lu_solve(&f(&[2]), &f(&[2, 1]))) => "dtype";
        kind(f(&[2, 1]).cholesky_solve(&f(&[2, 3]), false)) => "shape";
        kind(f(&[2, 1]).cholesky_solve(&f(&[3, 3]), false)) => "shape";
        read(f(&[2, 2]).linalg_inv()) => "read:linalg";
        kind(call("linalg_eigh", &[f(&[2, 2]).into(), text("x")])) => "argument";
        read(f(&[2, 2]).mul(f64::NAN).unwrap().linalg_eigh(MatrixTriangle::Lower).map(|r| r.0)) => "read:linalg";
        kind(call("linalg_svd", &[f(&[2, 2]).into(), false.into(), text("x")])) => "argument";
        read(f(&[2, 2]).mul(f64::INFINITY).unwrap().linalg_svd(false).map(|r| r.1)) => "read:linalg";
    }
}

#[test]
fn documented_errors_of_recurrent_networks() {
    let _device = device();
    check! {
        kind(Tensor::rnn_tanh(&f(&[2, 2]), &f(&[1, 2, 2]), &[], false, 1, 0.0, false, false, false)) => "shape";
        kind(Tensor::rnn_tanh(&f(&[2, 2, 1]), &f(&[1, 2, 2]), &[], false, 1, 0.0, false, false, false)) => "argument";
        kind(Tensor::rnn_tanh(&f(&[2, 2, 1]), &f(&[1, 2, 2]), &[], false, 0, 0.0, false, false, false)) => "argument";
        kind(Tensor::rnn_tanh(&f(&[2, 2, 1]), &f(&[1, 2, 2]), &[], false, 1, 2.0, false, false, false)) => "argument";
        kind(Tensor::rnn_tanh(&f(&[2, 2, 1]), &f(&[1, 2, 2]), &[f(&[2, 1]), f(&[2, 3])], false, 1, 0.0, false, false, false)) => "shape";
        kind(Tensor::lstm(&f(&[2, 2, 1]), &[], &[], false, 1, 0.0, false, false, false)) => "argument";
        kind(Tensor::gru_cell(&f(&[2]), &f(&[1]), &f(&[3, 2]), &f(&[2, 1]), None, None)) => "shape";
        kind(Tensor::lstm_cell(&f(&[2]), &[], &f(&[3, 2]), &f(&[2, 1]), None, None)) => "argument";
        kind(Tensor::rnn_tanh_cell(&f(&[3]), &f(&[1]), &f(&[1, 2]), &f(&[1, 1]), None, None)) => "shape";
    }
}

#[test]
fn documented_errors_of_convolutions_statistics_and_distances() {
    let _device = device();
    check! {
        kind(int(&[1, 4]).adaptive_avg_pool1d(2)) => "dtype";
        kind(f(&[4]).adaptive_avg_pool1d(2)) => "shape";
        kind(f(&[1, 0]).adaptive_avg_pool1d(2)) => "shape";
        kind(f(&[1, 4]).adaptive_avg_pool1d([2, 2])) => "argument";
        kind(f(&[1, 4]).adaptive_max_pool1d(-1)) => "argument";
        kind(f(&[1, 4]).adaptive_max_pool1d_with_indices(2, false)) => "argument";
        kind(f(&[2]).clamp(None, None)) => "argument";
        kind(f(&[2]).clamp_tensor(None, Some(&f(&[3])))) => "shape";
        kind(f(&[1, 3, 3]).conv2d(&f(&[1, 1, 4, 4]), None, 1, 0, 1, 1)) => "shape";
        kind(f(&[1, 3, 3]).conv2d(&int(&[1, 1, 2, 2]), None, 1, 0, 1, 1)) => "dtype";
        kind(f(&[1, 3, 3]).conv2d(&f(&[1, 1, 2, 2]), None, 1, 0, 1, 2)) => "argument";
        kind(f(&[1, 3, 3]).conv2d(&f(&[1, 1, 2, 2]), None, 2, Padding::Same, 1, 1)) => "argument";
        kind(f(&[1, 3, 3]).conv2d(&f(&[1, 1, 2, 2]), None, 0, 0, 1, 1)) => "argument";
        kind(f(&[1, 3, 3]).conv2d(&f(&[1, 1, 2, 2]), Some(&f(&[2])), 1, 0, 1, 1)) => "shape";
        kind(f(&[1, 3, 3]).conv_transpose2d(&f(&[1, 1, 2, 2]), None, 1, 0, 1, 1, 1)) => "argument";
        kind(f(&[1, 3, 3]).conv_transpose2d(&f(&[1, 1, 2, 2]), None, 1, 9, 0, 1, 1)) => "shape";
        kind(f(&[1, 3, 3]).conv_transpose2d(&f(&[1, 1, 2, 2]), None, 1, 0, 0, 2, 1)) => "argument";
        kind(f(&[1, 2, 2]).cov()) => "shape";
        kind(b(&[2]).cov()) => "dtype";
        kind(f(&[2]).cov_with(1, Some(&f(&[2])), None)) => "dtype";
        kind(f(&[2]).cov_with(1, Some(&int(&[3])), None)) => "shape";
        kind(f(&[2]).cov_with(1, None, Some(&int(&[2])))) => "dtype";
        read(f(&[2]).cov_with(1, Some(&i(&[-1, 1])), None)) => "read:index";
        kind(f(&[2, 2, 2]).diag(0)) => "shape";
        kind(f(&[2]).trace()) => "shape";
        kind(f(&[]).diff(1, 0, None, None)) => "shape";
        kind(f(&[2]).diff(-1, 0, None, None)) => "argument";
        kind(f(&[2]).diff(1, 1, None, None)) => "index";
        kind(f(&[2, 2]).diff(1, 0, Some(&f(&[2, 3])), None)) => "shape";
        kind(Tensor::trapezoid_x(&f(&[3]), &f(&[2]))) => "shape";
        kind(Tensor::trapezoid(&f(&[]))) => "shape";
        kind(Tensor::cumulative_trapezoid_with(&f(&[2]), 1, 3)) => "index";
        kind(Tensor::cdist(&f(&[2]), &f(&[2]), 2.0, CdistMode::Matmul)) => "shape";
        kind(Tensor::cdist(&f(&[2, 2]), &int(&[2, 2]), 2.0, CdistMode::Matmul)) => "dtype";
        kind(Tensor::cdist(&f(&[2, 2]), &f(&[2, 2]), -1.0, CdistMode::Matmul)) => "argument";
        kind(call("cdist", &[f(&[2, 2]).into(), f(&[2, 2]).into(), 1.0.into(), text("x")])) => "argument";
        kind(f(&[2]).dist(&f(&[3]), 2)) => "shape";
        kind(int(&[2]).dist(&int(&[2]), 2)) => "dtype";
        kind(f(&[2]).dist(&f(&[2]), f64::NAN)) => "argument";
        kind(f(&[2]).renorm(2, 0, 1)) => "shape";
        kind(int(&[2, 2]).renorm(2, 0, 1)) => "dtype";
        kind(f(&[2, 2]).renorm(0, 0, 1)) => "argument";
        kind(f(&[2, 2]).renorm(2, 2, 1)) => "index";
        kind(f(&[2]).dropout(2.0, true)) => "argument";
        kind(int(&[2]).dropout(0.5, false)) => "dtype";
    }
}

#[test]
fn documented_errors_of_products_embeddings_transforms_and_histograms() {
    let _device = device();
    check! {
        kind(Tensor::einsum("i", &[])) => "argument";
        kind(Tensor::einsum("i->j", &[f(&[2])])) => "argument";
        kind(Tensor::einsum("ij", &[f(&[2])])) => "argument";
        kind(Tensor::einsum("i,i", &[f(&[2]), f(&[3])])) => "shape";
        kind(Tensor::einsum("ii", &[f(&[2, 3])])) => "shape";
        kind(Tensor::einsum("i,i", &[f(&[2]), int(&[2])])) => "dtype";
        kind(Tensor::einsum_with("i,i", &[f(&[2]), f(&[2])], [0, 0])) => "argument";
        kind(f(&[2, 3]).tensordot(&f(&[3]), [1], [0, 0])) => "argument";
        kind(f(&[2, 3]).tensordot(&f(&[3]), [2], [0])) => "index";
        kind(f(&[2, 3]).tensordot(&f(&[4]), [1], [0])) => "shape";
        kind(f(&[2, 3]).tensordot_int(&f(&[3]), 2)) => "argument";
        kind(Tensor::bilinear(&f(&[2]), &f(&[3]), &f(&[4, 2, 2]), None)) => "shape";
        kind(Tensor::bilinear(&f(&[2]), &int(&[2]), &f(&[4, 2, 2]), None)) => "dtype";
        kind(Tensor::embedding(&f(&[2]), &i(&[0]))) => "shape";
        kind(Tensor::embedding(&f(&[2, 2]), &f(&[1]))) => "dtype";
        kind(Tensor::embedding_with(&f(&[2, 2]), &i(&[0]), 2, None, 2.0, false)) => "index";
        read(Tensor::embedding(&f(&[2, 2]), &i(&[2]))) => "read:index";
        kind(Tensor::embedding_bag(&f(&[2, 2]), &i(&[0]), None)) => "argument";
        kind(Tensor::embedding_bag(&f(&[2, 2]), &int(&[1, 1]), Some(&i(&[0])))) => "argument";
        kind(Tensor::embedding_bag(&f(&[2, 2]), &int(&[1, 1, 1]), None)) => "shape";
        kind(Tensor::embedding_bag(&f(&[2, 2]), &i(&[0]), Some(&f(&[1])))) => "dtype";
        read(Tensor::embedding_bag(&f(&[2, 2]), &int(&[1, 1]).mul(7).unwrap(), None)) => "read:index";
        kind(f(&[3]).fft_fft(None, 0, None)) => "shape";
        kind(f(&[3, 2]).fft_fft(0, 0, None)) => "shape";
        kind(f(&[3, 2]).fft_fft(None, 1, None)) => "argument";
        kind(call("fft_fft", &[f(&[3, 2]).into(), Arg::Null, 0.into(), text("x")])) => "argument";
        kind(f(&[3, 3, 2]).fft_fft2([1], [0, 1], None)) => "argument";
        kind(f(&[3, 3, 2]).fft_fft2((), [0, 0], None)) => "argument";
        kind(f(&[]).fft_rfftn((), (), None)) => "argument";
        kind(f(&[1, 2]).fft_irfft(None, -1, None)) => "shape";
        kind(Tensor::fft_fftfreq(0, 1.0)) => "shape";
        kind(f(&[3]).fft_fftshift(1)) => "index";
        kind(f(&[1, 4, 4]).fractional_max_pool2d(2, [2, 2], Some(&[0.5, 0.5]))) => "argument";
        kind(f(&[1, 4, 4]).fractional_max_pool2d(2, (), Some(&[1.5]))) => "argument";
        kind(f(&[1, 4, 4]).fractional_max_pool2d(2, 4, None)) => "shape";
        kind(int(&[1, 4, 4]).fractional_max_pool2d(2, 2, None)) => "dtype";
        kind(f(&[1, 4, 4]).fractional_max_pool2d_with(2, 2, None, Some(&f(&[1])))) => "shape";
        kind(call("grid_sample", &[f(&[1, 1, 2, 2]).into(), f(&[1, 1, 1, 2]).into(), text("x")])) => "argument";
        kind(f(&[1, 1, 2, 2]).grid_sample(&f(&[1, 1, 1, 3]), GridMode::Nearest, GridPadding::Zeros, None)) => "shape";
        kind(f(&[1, 1, 2, 2]).grid_sample(&int(&[1, 1, 1, 2]), GridMode::Nearest, GridPadding::Zeros, None)) => "dtype";
        kind(Tensor::affine_grid(&f(&[1, 2, 3]), [1, 1, 0, 2], None)) => "shape";
        kind(Tensor::affine_grid(&int(&[1, 2, 3]), [1, 1, 2, 2], None)) => "dtype";
        kind(f(&[2]).histc(0, 0, 1)) => "argument";
        kind(f(&[2]).histc(2, 1, 0)) => "argument";
        kind(block_on(int(&[2, 2]).bincount(None, 0))) => "argument";
        kind(block_on(i(&[-1]).bincount(None, 0))) => "argument";
        kind(block_on(i(&[1]).bincount(None, -1))) => "argument";
        kind(block_on(i(&[1]).bincount(Some(&f(&[2])), 0))) => "shape";
        kind(int(&[2]).histogram(3)) => "dtype";
        kind(f(&[2]).histogram(0)) => "argument";
        kind(f(&[2]).histogram_with(3, Some(&[1.0]), None, false)) => "argument";
        kind(f(&[2]).histogram_with(3, None, Some(&f(&[3])), false)) => "shape";
        kind(f(&[2]).histogram_bins_tensor(&int(&[3]))) => "argument";
    }
}

#[test]
fn a_derivative_that_does_not_exist_is_an_autograd_error() -> Result<()> {
    let _device = device();
    let (_, r) = f(&[1, 2]).requires_grad_(true)?.linalg_qr(QrMode::R)?;
    assert!(r.sum((), false)?.backward().unwrap_err().is_autograd());
    let (q, _) = f(&[3, 2]).requires_grad_(true)?.linalg_qr(QrMode::Complete)?;
    assert!(q.sum((), false)?.backward().unwrap_err().is_autograd());
    Ok(())
}

#[test]
fn integers_divided_by_0_and_extremes_of_nan_are_as_documented() -> Result<()> {
    let device = device();
    for &mode in RoundingMode::ALL {
        assert_eq!(block_on(i(&[-7, 7]).div_with(0, mode)?.to_vec::<i32>())?, [0, 0]);
    }
    assert_eq!(block_on(i(&[-7, 7]).floor_divide(0)?.to_vec::<i32>())?, [0, 0]);
    let x = Tensor::from_slice(&[1.0f32, f32::NAN, 5.0], [3], &device)?;
    assert_eq!(block_on(x.argmax(None, false)?.item())?, 1.0);
    assert_eq!(block_on(x.argmin(None, false)?.item())?, 1.0);
    assert_eq!(block_on(x.fmax(&f(&[3]))?.to_vec::<f32>())?, [1.0, 1.0, 5.0]);
    let zero_times_log = block_on(Tensor::zeros([3])?.xlogy(x.sub(1.0)?)?.to_vec::<f32>())?;
    assert!(zero_times_log[0] == 0.0 && zero_times_log[1].is_nan() && zero_times_log[2] == 0.0);
    Ok(())
}

/// Attention of two heads over `x: [3, 2, 4]` with changed arguments.
struct Heads {
    key: Tensor,
    embed_dim: i64,
    heads: i64,
    weight: Option<Tensor>,
    bias: Option<Tensor>,
    out: Option<Tensor>,
    mask: Option<Tensor>,
    padding: Option<Tensor>,
    dropout: f64,
    causal: bool,
}

impl Heads {
    fn changed(change: impl FnOnce(&mut Heads)) -> String {
        let mut call = Heads {
            key: f(&[5, 2, 4]),
            embed_dim: 4,
            heads: 2,
            weight: Some(f(&[12, 4])),
            bias: None,
            out: Some(f(&[4, 4])),
            mask: None,
            padding: None,
            dropout: 0.0,
            causal: false,
        };
        change(&mut call);
        let (weight, bias, out) = (call.weight.as_ref(), call.bias.as_ref(), call.out.as_ref());
        let (mask, padding) = (call.mask.as_ref(), call.padding.as_ref());
        kind(Tensor::multi_head_attention_forward(
            &f(&[3, 2, 4]),
            &call.key,
            &f(&[5, 2, 4]),
            call.embed_dim,
            call.heads,
            weight,
            bias,
            None,
            None,
            false,
            call.dropout,
            out,
            None,
            true,
            padding,
            true,
            mask,
            false,
            None,
            None,
            None,
            true,
            call.causal,
        ))
    }
}

#[test]
fn documented_errors_of_multi_head_attention() {
    let _device = device();
    check! {
        Heads::changed(|_| ()) => "ok";
        Heads::changed(|call| call.key = f(&[4, 2, 4])) => "shape";
        Heads::changed(|call| call.key = f(&[5, 2, 3])) => "shape";
        Heads::changed(|call| call.embed_dim = 8) => "argument";
        Heads::changed(|call| call.heads = 3) => "argument";
        Heads::changed(|call| call.weight = None) => "argument";
        Heads::changed(|call| call.weight = Some(f(&[12, 3]))) => "shape";
        Heads::changed(|call| call.weight = Some(f(&[8, 4]))) => "shape";
        Heads::changed(|call| call.bias = Some(f(&[8]))) => "shape";
        Heads::changed(|call| call.out = None) => "argument";
        Heads::changed(|call| call.out = Some(f(&[4, 3]))) => "shape";
        Heads::changed(|call| call.mask = Some(f(&[3, 4]))) => "shape";
        Heads::changed(|call| call.mask = Some(f(&[3, 3, 5]))) => "shape";
        Heads::changed(|call| call.padding = Some(b(&[2, 4]))) => "shape";
        Heads::changed(|call| call.dropout = 2.0) => "argument";
        Heads::changed(|call| call.causal = true) => "argument";
    }
}
