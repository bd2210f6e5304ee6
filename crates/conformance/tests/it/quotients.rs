//! Rounded quotients and remainders of infinities, signed zeros and NaN on every backend, compared
//! with PyTorch 2.15's answers.

use lanthorn::{CudaHostOptions, DType, Device, Result, RoundingMode, Tensor};
use pollster::block_on;

/// The dividends, which are the rows of a table, and the divisors, its columns.
const NUMBERS: [f64; 9] = [f64::NEG_INFINITY, -2.5, -1.0, -0.0, 0.0, 1.0, 2.5, f64::INFINITY, f64::NAN];

type Table = [&'static str; 9];

/// `torch.floor_divide`, and `torch.div` with the rounding mode `"floor"`.
const FLOOR: Table = [
    "NaN NaN NaN inf -inf NaN NaN NaN NaN",
    "0 1 2 inf -inf -3 -1 -1 NaN",
    "0 0 1 inf -inf -1 -1 -1 NaN",
    "0 0 0 NaN NaN -0 -0 -0 NaN",
    "-0 -0 -0 NaN NaN 0 0 0 NaN",
    "-1 -1 -1 -inf inf 1 0 0 NaN",
    "-1 -1 -3 -inf inf 2 1 0 NaN",
    "NaN NaN NaN -inf inf NaN NaN NaN NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
];

/// `torch.div` with the rounding mode `"trunc"`.
const TRUNC: Table = [
    "NaN inf inf inf -inf -inf -inf NaN NaN",
    "0 1 2 inf -inf -2 -1 -0 NaN",
    "0 0 1 inf -inf -1 -0 -0 NaN",
    "0 0 0 NaN NaN -0 -0 -0 NaN",
    "-0 -0 -0 NaN NaN 0 0 0 NaN",
    "-0 -0 -1 -inf inf 1 0 0 NaN",
    "-0 -1 -2 -inf inf 2 1 0 NaN",
    "NaN -inf -inf -inf inf inf inf NaN NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
];

/// `torch.remainder`.
const REMAINDER: Table = [
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
    "-2.5 -0 -0.5 NaN NaN 0.5 -0 inf NaN",
    "-1 -1 -0 NaN NaN -0 1.5 inf NaN",
    "-0 -0 -0 NaN NaN -0 -0 -0 NaN",
    "0 0 0 NaN NaN 0 0 0 NaN",
    "-inf -1.5 0 NaN NaN 0 1 1 NaN",
    "-inf 0 -0.5 NaN NaN 0.5 0 2.5 NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
];

/// `torch.fmod`.
const FMOD: Table = [
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
    "-2.5 -0 -0.5 NaN NaN -0.5 -0 -2.5 NaN",
    "-1 -1 -0 NaN NaN -0 -1 -1 NaN",
    "-0 -0 -0 NaN NaN -0 -0 -0 NaN",
    "0 0 0 NaN NaN 0 0 0 NaN",
    "1 1 0 NaN NaN 0 1 1 NaN",
    "2.5 0 0.5 NaN NaN 0.5 0 2.5 NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
];

/// The gradient of the divisor of `torch.remainder`.
const REMAINDER_GRADIENT: Table = [
    "NaN NaN NaN -inf inf NaN NaN NaN NaN",
    "-0 -1 -2 -inf inf 3 1 1 NaN",
    "-0 -0 -1 -inf inf 1 1 1 NaN",
    "-0 -0 -0 NaN NaN 0 0 0 NaN",
    "0 0 0 NaN NaN -0 -0 -0 NaN",
    "1 1 1 inf -inf -1 -0 -0 NaN",
    "1 1 3 inf -inf -2 -1 -0 NaN",
    "NaN NaN NaN inf -inf NaN NaN NaN NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
];

/// The gradient of the divisor of `torch.fmod`.
const FMOD_GRADIENT: Table = [
    "NaN -inf -inf -inf inf inf inf NaN NaN",
    "-0 -1 -2 -inf inf 2 1 0 NaN",
    "-0 -0 -1 -inf inf 1 0 0 NaN",
    "-0 -0 -0 NaN NaN 0 0 0 NaN",
    "0 0 0 NaN NaN -0 -0 -0 NaN",
    "0 0 1 inf -inf -1 -0 -0 NaN",
    "0 1 2 inf -inf -2 -1 -0 NaN",
    "NaN inf inf inf -inf -inf -inf NaN NaN",
    "NaN NaN NaN NaN NaN NaN NaN NaN NaN",
];

fn parse(table: &Table) -> Vec<f64> {
    table.iter().flat_map(|row| row.split(' ')).map(|number| number.parse().unwrap()).collect()
}

/// Whether both are NaN, or equal with the same sign. A gradient's zero may have either sign.
fn same(got: f64, want: f64, signed: bool) -> bool {
    (got.is_nan() && want.is_nan()) || (got == want && (!signed || got.is_sign_negative() == want.is_sign_negative()))
}

fn check(device: &Device, dtype: DType) {
    let operands = NUMBERS.iter().flat_map(|&x| NUMBERS.map(|y| (x, y)));
    let (x, y): (Vec<f64>, Vec<f64>) = operands.unzip();
    let tensor = |values: &[f64]| {
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        Tensor::from_slice(&values, [81], device).unwrap().to(dtype).unwrap()
    };
    let read = |tensor: &Tensor| block_on(tensor.to(DType::F32).unwrap().to_vec::<f32>()).unwrap();
    let compare = |name: &str, got: &Tensor, table: &Table, signed: bool| {
        for (index, (got, want)) in read(got).into_iter().map(f64::from).zip(parse(table)).enumerate() {
            assert!(same(got, want, signed), "{name}({}, {}) in {dtype} is {got:?}, not {want:?}", x[index], y[index]);
        }
    };
    type Call = fn(&Tensor, &Tensor) -> Result<Tensor>;
    let values: [(&str, Call, &Table); 5] = [
        ("floor_divide", |x, y| x.floor_divide(y), &FLOOR),
        ("div floor", |x, y| x.div_with(y, RoundingMode::Floor), &FLOOR),
        ("div trunc", |x, y| x.div_with(y, RoundingMode::Trunc), &TRUNC),
        ("remainder", |x, y| x.remainder(y), &REMAINDER),
        ("fmod", |x, y| x.fmod(y), &FMOD),
    ];
    for (name, call, table) in values {
        compare(name, &call(&tensor(&x), &tensor(&y)).unwrap(), table, true);
    }
    let gradients: [(&str, Call, &Table); 2] =
        [("remainder", |x, y| x.remainder(y), &REMAINDER_GRADIENT), ("fmod", |x, y| x.fmod(y), &FMOD_GRADIENT)];
    for (name, call, table) in gradients {
        let (x, y) = (tensor(&x).requires_grad_(true).unwrap(), tensor(&y).requires_grad_(true).unwrap());
        call(&x, &y).unwrap().sum((), false).unwrap().backward().unwrap();
        compare(&format!("gradient of {name}"), &y.grad().unwrap(), table, false);
        assert_eq!(read(&x.grad().unwrap()), [1.0; 81], "gradient of {name}'s dividend in {dtype}");
    }
}

#[test]
fn on_the_cpu() {
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        check(&lanthorn::cpu(), dtype);
    }
}

#[test]
fn on_webgpu() {
    let device = block_on(lanthorn::wgpu()).expect("this test needs a WebGPU adapter; lavapipe will do");
    for dtype in [DType::F32, DType::F16] {
        check(&device, dtype);
    }
}

#[test]
fn on_the_emulated_cuda_device() {
    let device = lanthorn::cuda_host(CudaHostOptions::default()).unwrap();
    for dtype in [DType::F32, DType::F64] {
        check(&device, dtype);
    }
}
