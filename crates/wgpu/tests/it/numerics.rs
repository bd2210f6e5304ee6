//! Every scalar function over its whole range, compared with float64 at PyTorch's tolerance. Random
//! bits are compared exactly.

use crate::common::*;
use lanthorn_ir::{
    DType, Kernel,
    expr::{BinaryOp, Constant, Expr, Function, Program, Type, UnaryOp},
    kernel::Map,
    random, special,
};

fn map(n: usize, inputs: &[DType], root: &[Expr]) -> Map {
    Map {
        indices: vec![],
        shape: shape(&[n]),
        inputs: inputs.iter().map(|&dtype| operand(dtype, contiguous(&[n]))).collect(),
        params: vec![],
        program: Program::new(root),
        dtypes: root
            .iter()
            .map(|root| match root.ty() {
                Type::Bool => DType::Bool,
                Type::U8 => DType::U8,
                Type::F32 => DType::F32,
                _ => DType::I32,
            })
            .collect(),
    }
}

/// Numbers of every magnitude and sign, integers, halves, infinities and NaN.
fn wide() -> Vec<f64> {
    let mut values = vec![
        0.0,
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::from(f32::MAX),
        f64::from(f32::MIN),
        f64::from(f32::MIN_POSITIVE),
    ];
    for e in -30..=38 {
        for m in [1.0, 1.37, 2.71, 4.99, 7.3, 9.999] {
            let v = f64::from((m * 10f64.powi(e)) as f32);
            values.extend([v, -v]);
        }
    }
    for i in -200..=200 {
        values.extend([f64::from(i), f64::from(i) + 0.5, f64::from((f64::from(i) * 0.0713) as f32)]);
    }
    values.extend(numbers(4000, 1, 4.0));
    values.extend(numbers(4000, 2, 110.0));
    values.extend(numbers(1000, 3, 1e6));
    // Around 1, where logarithms lose their digits.
    values.extend(numbers(1000, 4, 1e-3).iter().map(|v| f64::from((1.0 + v) as f32)));
    values.retain(|v| !v.is_finite() || v.abs() <= f64::from(f32::MAX));
    values
}

fn check(label: &str, got: &[f64], want: &[f64], at: &dyn Fn(usize) -> String) {
    let mut bad = Vec::new();
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let same = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= 1e-5 + 1.3e-6 * w.abs();
        // Results below the normal numbers may be flushed, and results near the limit may overflow.
        let overflows = w.is_finite() && w.abs() > 3.4027e38 && g.is_infinite();
        if !(same || overflows) {
            bad.push(format!("{label}({}): got {g:e}, want {w:e}", at(i)));
        }
    }
    assert!(bad.is_empty(), "{} of {} wrong:\n{}", bad.len(), got.len(), bad[..bad.len().min(20)].join("\n"));
}

#[test]
fn unary_functions_of_float32() {
    let backend = backend();
    let values = wide();
    for &op in UnaryOp::ALL.iter().filter(|op| **op != UnaryOp::Not) {
        let root = Expr::input(0, Type::F32).unary(op);
        let got =
            run(&backend, &Kernel::Map(map(values.len(), &[DType::F32], &[root])), &[(DType::F32, &values)], &[], None);
        let want: Vec<f64> = values.iter().map(|&v| reference::unary(op, v, Type::F32)).collect();
        check(op.name(), &got[0], &want, &|i| format!("{:e}", values[i]));
    }
}

/// An expression's values in float32 on the device, and in float64.
fn in_both(make: &dyn Fn(Type) -> Expr, values: &[&[f64]]) -> [Vec<f64>; 2] {
    let program = Program::new(&[make(Type::F64)]);
    let want = |i: usize| reference::evaluate(&program, &|slot| values[slot][i], &[], i, &[])[0].0;
    let want = (0..values[0].len()).map(want).collect();
    let inputs: Vec<DType> = values.iter().map(|_| DType::F32).collect();
    let buffers: Vec<(DType, &[f64])> = values.iter().map(|values| (DType::F32, *values)).collect();
    let kernel = Kernel::Map(map(values[0].len(), &inputs, &[make(Type::F32)]));
    let got = run(&backend(), &kernel, &buffers, &[], None).remove(0);
    [got, want]
}

/// A driver may examine how a branch condition depends on uniforms. Its work must not grow with the
/// number of paths between them, because these functions would then never finish.
#[test]
fn functions_of_launch_parameters_compile() {
    let [x, y] = [0, 1].map(|slot| Expr::param(slot, Type::F32));
    let index = Expr::index().cast(Type::F32);
    let shared = (0..40).fold(x.clone(), |x, _| (&x + 1.0) * 0.5 + &x * 0.0);
    let roots = [x.pow(index), x.pow(y.clone()), shared.pow(y.clone()), shared.remainder(y)];
    let n = 5;
    let kernel = Map { params: vec![Type::F32; 2], ..map(n, &[], &roots) };
    let params = [0.75, 2.5].map(|value| Constant::new(value, Type::F32));
    let got = run(&backend(), &Kernel::Map(kernel), &[], &params, None);
    let shared = (0..40).fold(0.75f64, |x, _| (x + 1.0) * 0.5);
    let want: [&dyn Fn(usize) -> f64; 4] =
        [&|i| 0.75f64.powi(i as i32), &|_| 0.75f64.powf(2.5), &|_| shared.powf(2.5), &|_| shared];
    for (got, want) in got.iter().zip(want) {
        check("of parameters", got, &(0..n).map(want).collect::<Vec<_>>(), &|i| i.to_string());
    }
}

#[test]
fn special_functions_of_one_float32() {
    use special::*;
    let wide = wide();
    let functions: [&'static Function; 22] = [
        &ACOS, &ACOSH, &ASIN, &ASINH, &ATAN, &ATANH, &COSH, &DIGAMMA, &ENTR, &ERFC, &ERFCX, &ERFINV, &I0, &I0E, &I1,
        &I1E, &LGAMMA, &LOGIT, &LOG_NDTR, &SINC, &SINH, &TAN,
    ];
    for function in functions {
        // A factor of the result overflows before the result.
        let most = match function.name {
            "i0" | "i1" => 88.0,
            "sinc" => 1e38,
            _ => f64::INFINITY,
        };
        let values: Vec<f64> = wide.iter().copied().filter(|v| v.is_nan() || v.abs() <= most).collect();
        let [got, want] = in_both(&|ty| function.call(&[&Expr::input(0, ty)]), &[&values]);
        check(function.name, &got, &want, &|i| format!("{:e}", values[i]));
    }
    let [got, want] = in_both(&|ty| polygamma(1, &Expr::input(0, ty)), &[&wide]);
    check("polygamma", &got, &want, &|i| format!("{:e}", wide[i]));
}

#[test]
fn special_functions_of_two_float32() {
    use special::*;
    let (a, b) = pairs();
    for function in [&ATAN2, &HYPOT, &LOGADDEXP, &LOGADDEXP2, &XLOG1PY, &XLOGY] {
        let call = |ty| function.call(&[&Expr::input(0, ty), &Expr::input(1, ty)]);
        let [got, want] = in_both(&call, &[&a, &b]);
        check(function.name, &got, &want, &|i| format!("{:e}, {:e}", a[i], b[i]));
    }
}

#[test]
fn floats_become_unsigned_integers_by_way_of_64_bits() {
    let backend = backend();
    let values = wide();
    let root = Expr::input(0, Type::F32).cast(Type::U32).cast(Type::I32);
    let m = map(values.len(), &[DType::F32], &[root]);
    let want = reference::map(&m, &[&values], &[]);
    assert_eq!(run(&backend, &Kernel::Map(m), &[(DType::F32, &values)], &[], None), want);
}

#[test]
fn relative_accuracy_near_zero() {
    let backend = backend();
    let values: Vec<f64> = (1..2000)
        .flat_map(|i| {
            let v = f64::from((f64::from(i) * 1e-6) as f32);
            [v, -v]
        })
        .collect();
    for op in [UnaryOp::Expm1, UnaryOp::Log1p, UnaryOp::Tanh, UnaryOp::Sin, UnaryOp::Erf] {
        let got = run(
            &backend,
            &Kernel::Map(map(values.len(), &[DType::F32], &[Expr::input(0, Type::F32).unary(op)])),
            &[(DType::F32, &values)],
            &[],
            None,
        );
        let want: Vec<f64> = values.iter().map(|&v| reference::unary(op, v, Type::F32)).collect();
        assert_within(&got[0], &want, 5e-7, 0.0);
    }
}

#[test]
fn exponentials_and_powers_are_relatively_accurate() {
    let backend = backend();
    let x = numbers(20_000, 5, 80.0);
    let got = run(
        &backend,
        &Kernel::Map(map(x.len(), &[DType::F32], &[Expr::input(0, Type::F32).exp()])),
        &[(DType::F32, &x)],
        &[],
        None,
    );
    assert_within(&got[0], &x.iter().map(|v| v.exp()).collect::<Vec<_>>(), 5e-7, 0.0);
    let base: Vec<f64> = numbers(20_000, 6, 8.0).iter().map(|v| f64::from(v.exp() as f32)).collect();
    let y = numbers(20_000, 7, 10.0);
    let root = Expr::input(0, Type::F32).pow(Expr::input(1, Type::F32));
    let got = run(
        &backend,
        &Kernel::Map(map(y.len(), &[DType::F32, DType::F32], &[root])),
        &[(DType::F32, &base), (DType::F32, &y)],
        &[],
        None,
    );
    assert_within(&got[0], &base.iter().zip(&y).map(|(a, b)| a.powf(*b)).collect::<Vec<_>>(), 1e-6, 0.0);
}

/// Pairs of numbers of every kind, and of ordinary ones.
fn pairs() -> (Vec<f64>, Vec<f64>) {
    let kinds = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        0.5,
        -0.5,
        3.0,
        -3.0,
        1.5,
        -1.5,
        8.0,
        7.0,
        -7.0,
        10.0,
        33.0,
        -33.0,
        1e-3,
        -1e-3,
        100.5,
        1e10,
        -1e10,
        3e38,
        -3e38,
        16777215.0,
        16777217.0,
        1e-30,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1.0000001,
        0.9999999,
    ]
    .map(|v| f64::from(v as f32));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for x in kinds {
        for y in kinds {
            a.push(x);
            b.push(y);
        }
    }
    a.extend(numbers(5000, 8, 20.0));
    b.extend(numbers(5000, 9, 5.0));
    // Integer exponents.
    a.extend(numbers(2000, 10, 3.0));
    b.extend(integers(2000, 11, -40, 40));
    (a, b)
}

#[test]
fn binary_functions_of_float32() {
    let backend = backend();
    let (a, b) = pairs();
    for &op in BinaryOp::ALL.iter().filter(|op| op.takes_floats()) {
        let root = Expr::input(0, Type::F32).binary(op, Expr::input(1, Type::F32));
        let got = run(
            &backend,
            &Kernel::Map(map(a.len(), &[DType::F32, DType::F32], &[root])),
            &[(DType::F32, &a), (DType::F32, &b)],
            &[],
            None,
        );
        let want: Vec<f64> = a.iter().zip(&b).map(|(&x, &y)| reference::binary(op, x, y, Type::F32)).collect();
        check(op.name(), &got[0], &want, &|i| format!("{:e}, {:e}", a[i], b[i]));
    }
}

#[test]
fn functions_of_integers_and_bool() {
    let backend = backend();
    let sets: [(DType, Vec<f64>); 3] = [
        (DType::Bool, vec![0.0, 1.0]),
        (DType::U8, vec![0.0, 1.0, 2.0, 3.0, 7.0, 100.0, 127.0, 128.0, 200.0, 254.0, 255.0]),
        (
            DType::I32,
            vec![
                0.0,
                1.0,
                -1.0,
                2.0,
                -2.0,
                3.0,
                -3.0,
                7.0,
                -7.0,
                10.0,
                31.0,
                46341.0,
                -46341.0,
                1e9,
                -1e9,
                2147483647.0,
                -2147483648.0,
            ],
        ),
    ];
    for (dtype, values) in sets {
        let ty = Type::from(dtype);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for &x in &values {
            for &y in &values {
                a.push(x);
                b.push(y);
            }
        }
        for &op in BinaryOp::ALL {
            let logical = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow | BinaryOp::Sub);
            let shifts = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Gcd);
            let of_floats = matches!(op, BinaryOp::CopySign | BinaryOp::NextAfter);
            let special = matches!(op, BinaryOp::Normal | BinaryOp::CheckIndex);
            if special || of_floats || (dtype == DType::Bool && (logical || shifts)) {
                continue;
            }
            let root = Expr::input(0, ty).binary(op, Expr::input(1, ty));
            let got = run(
                &backend,
                &Kernel::Map(map(a.len(), &[dtype, dtype], &[root])),
                &[(dtype, &a), (dtype, &b)],
                &[],
                None,
            );
            for i in 0..a.len() {
                assert_eq!(
                    got[0][i],
                    reference::binary(op, a[i], b[i], ty),
                    "{}({}, {}) of {dtype}",
                    op.name(),
                    a[i],
                    b[i]
                );
            }
        }
        for op in [UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Sign, UnaryOp::Not, UnaryOp::IsNan, UnaryOp::Floor] {
            if dtype == DType::Bool && op != UnaryOp::Not {
                continue;
            }
            let got = run(
                &backend,
                &Kernel::Map(map(values.len(), &[dtype], &[Expr::input(0, ty).unary(op)])),
                &[(dtype, &values)],
                &[],
                None,
            );
            for (g, &v) in got[0].iter().zip(&values) {
                assert_eq!(*g, reference::unary(op, v, ty), "{}({v}) of {dtype}", op.name());
            }
        }
    }
}

#[test]
fn random_bits_are_those_of_the_definition() {
    let backend = backend();
    let n = 100_000;
    let word = |stream: u32| {
        let constant = |v: u32| Expr::constant(f64::from(v), Type::U32);
        Expr::threefry([Expr::param(0, Type::U32), constant(0xdead_beef)], [Expr::index(), constant(stream)])
    };
    let uniform = word(0).cast(Type::I32);
    let normal = word(0).normal(word(1));
    let kernel = Kernel::Map(Map {
        indices: vec![],
        shape: shape(&[n]),
        inputs: vec![],
        params: vec![Type::U32],
        program: Program::new(&[uniform, normal]),
        dtypes: vec![DType::I32, DType::F32],
    });
    let got = run(&backend, &kernel, &[], &[Constant::U32(0x8765_4321)], None);
    for (i, (word, normal)) in got[0].iter().zip(&got[1]).enumerate() {
        let w = |stream: u32| random::threefry([0x8765_4321, 0xdead_beef], [i as u32, stream]);
        assert_eq!(*word, f64::from(w(0) as i32));
        assert_eq!(*normal, f64::from(random::normal(w(0), w(1))), "element {i}");
    }
    // Extreme values.
    let corners = [0u32, 1, 2, 0x3fff_ffff, 0x4000_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
    let pairs: Vec<(u32, u32)> = corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a, b))).collect();
    let as_i32 = |v: u32| f64::from(v as i32);
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().map(|&(a, b)| (as_i32(a), as_i32(b))).unzip();
    let input = |slot| Expr::input(slot, Type::I32).cast(Type::U32);
    let kernel = Kernel::Map(map(a.len(), &[DType::I32, DType::I32], &[input(0).normal(input(1))]));
    let got = run(&backend, &kernel, &[(DType::I32, &a), (DType::I32, &b)], &[], None);
    for (g, (a, b)) in got[0].iter().zip(pairs) {
        assert_eq!(*g, f64::from(random::normal(a, b)), "normal({a:#x}, {b:#x})");
    }
}

#[test]
fn constants_that_are_no_ordinary_numbers() {
    let backend = backend();
    let x = Expr::input(0, Type::F32);
    let roots = [&x + f64::INFINITY, &x * 0.0, x.max(f64::NEG_INFINITY), &x + f64::NAN];
    let values = [1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -5.0];
    let m = map(values.len(), &[DType::F32], &roots);
    let want = reference::map(&m, &[&values], &[]);
    let got = run(&backend, &Kernel::Map(m), &[(DType::F32, &values)], &[], None);
    for (got, want) in got.iter().zip(&want) {
        assert_close(got, want);
    }
}

#[test]
fn select_keeps_nan() {
    let backend = backend();
    let x = Expr::input(0, Type::F32);
    let zero = Expr::constant(0.0, Type::F32);
    // PyTorch's relu, clamp and where.
    let roots = [x.le(0.0).select(&zero, &x), x.max(-1.0).min(1.0), x.is_nan().logical_not().select(&x, 7.0)];
    let values = [1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -5.0, 0.5];
    let m = map(values.len(), &[DType::F32], &roots);
    let want = reference::map(&m, &[&values], &[]);
    let got = run(&backend, &Kernel::Map(m), &[(DType::F32, &values)], &[], None);
    for (got, want) in got.iter().zip(&want) {
        assert_close(got, want);
    }
}
