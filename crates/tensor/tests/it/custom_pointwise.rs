//! Pointwise ops from a formula: their values and derivatives equal the same formula in tensor
//! operations.

use crate::common::*;
use lanthorn_tensor::{
    Policy, autocast,
    custom::{CustomOp, pointwise, pointwise_fn},
    ops::{Arg, InPlace, Op, OpKind, Rule},
};

fn run(op: CustomOp, args: &[Arg]) -> Tensor {
    op.tensor(args).unwrap()
}

/// The value of a formula of x, 1.5 at first and then -2, and y, 0.25 and 3.
fn value(number: usize, formula: &str) -> [f32; 2] {
    let op = pointwise(&format!("values::f{number}"), &format!("x, y -> {formula}"))
        .unwrap_or_else(|error| panic!("{error}"));
    let (x, y) = (tensor(&[1.5, -2.0], &[2]), tensor(&[0.25, 3.0], &[2]));
    let found = read(&run(op, &[x.into(), y.into()]).to(DType::F32).unwrap());
    [found[0], found[1]]
}

#[test]
fn formulas_mean_what_they_say() {
    let _device = device();
    let of = |f: fn(f32, f32) -> f32| [f(1.5, 0.25), f(-2.0, 3.0)];
    let truth = |f: fn(f32, f32) -> bool| [f32::from(u8::from(f(1.5, 0.25))), f32::from(u8::from(f(-2.0, 3.0)))];
    let cases: &[(&str, [f32; 2])] = &[
        ("x + y * 2", of(|x, y| x + y * 2.0)),
        ("(x + y) * 2", of(|x, y| (x + y) * 2.0)),
        ("x - y - 1", of(|x, y| x - y - 1.0)),
        ("8 / x / 2", of(|x, _| 4.0 / x)),
        ("-x ** 2", of(|x, _| -(x * x))),
        ("2 ** 3 ** 2 + 0*x", of(|_, _| 512.0)),
        ("2 ** -1 * x", of(|x, _| 0.5 * x)),
        ("x ** 3", of(|x, _| x * x * x)),
        ("abs(x) ** 0.5", of(|x, _| x.abs().sqrt())),
        ("x % y", of(|x, y| x.rem_euclid(y))),
        ("- - x", of(|x, _| x)),
        ("-+-x", of(|x, _| x)),
        ("x < y", truth(|x, y| x < y)),
        ("x <= 1.5 && y != 3", truth(|x, y| x <= 1.5 && y != 3.0)),
        ("x > y || y == 3", truth(|x, y| x > y || y == 3.0)),
        ("!(x > y)", truth(|x, y| x <= y)),
        ("!!x", truth(|_, _| true)),
        ("x > 0 ? y : -y", of(|x, y| if x > 0.0 { y } else { -y })),
        ("x > 0 ? 1 : x < -1 ? 2 : 3", of(|x, _| if x > 0.0 { 1.0 } else { 2.0 })),
        ("where(x > 0, x, 0)", of(|x, _| x.max(0.0))),
        ("where(x > 0, x > 1, y > 1)", truth(|x, y| if x > 0.0 { x > 1.0 } else { y > 1.0 })),
        ("(x > 0) * y + true", of(|x, y| f32::from(u8::from(x > 0.0)) * y + 1.0)),
        ("min(x, y, 1) + max(x, y)", of(|x, y| x.min(y).min(1.0) + x.max(y))),
        ("clamp(x, -1, 1)", of(|x, _| x.clamp(-1.0, 1.0))),
        (
            "floor(x) + ceil(y) + round(x * 3) + trunc(x)",
            of(|x, y| x.floor() + y.ceil() + (x * 3.0).round_ties_even() + x.trunc()),
        ),
        ("square(x) + sign(x) + sqrt(y)", of(|x, y| x * x + x.signum() + y.sqrt())),
        ("relu(x) + leaky_relu(x) + leaky_relu(x, 0.5)", of(|x, _| 3.0 * x.max(0.0) + 0.51 * x.min(0.0))),
        ("maximum(x, y) + reciprocal(y)", of(|x, y| x.max(y) + 1.0 / y)),
        ("1e1 * x + 2.5E-1 + .5 + 1.", of(|x, _| 10.0 * x + 1.75)),
        ("x\n  + y\t* 1", of(|x, y| x + y)),
        ("x < inf && -inf < y", truth(|_, _| true)),
    ];
    for (number, (formula, want)) in cases.iter().enumerate() {
        let got = value(number, formula);
        assert!(
            got.iter().zip(want).all(|(got, want)| (got - want).abs() < 2e-6),
            "{formula}: {got:?}, expected {want:?}"
        );
    }
    let known = value(1002, "hypot(x, y) + logaddexp(x, y) + frac(x) + fmod(x, y) + gelu(0 * x) + nextafter(x, y) - x");
    let want = of(|x, y| x.hypot(y) + (x.exp() + y.exp()).ln() + x.fract() + x % y);
    assert!(known.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-5), "{known:?}, {want:?}");
    let pi = value(1000, "cos(pi * x) + exp(log1p(y)) + erf(x) + tanh(y) + isnan(x) * nan");
    assert!(pi.iter().all(|value| value.is_nan()), "NaN is carried by a product");
    let known = value(1001, "exp(log1p(y)) + 0 * x");
    assert!((known[0] - 1.25).abs() < 1e-6 && (known[1] - 4.0).abs() < 1e-5, "{known:?}");
}

#[test]
fn mistakes_point_into_the_text() {
    let refuse = |text: &str, words: &[&str]| refused(pointwise("mistakes::f", text), "argument", words);
    refuse(
        "x -> 2 * foo(x)",
        &["mistakes::f: line 1, column 10: there is no function `foo`\n  x -> 2 * foo(x)\n           ^"],
    );
    refuse("x ->\n  x +\n  y", &["line 3, column 3: there is no argument `y`\n    y\n    ^"]);
    refuse("é -> é", &["column 1", "`é` is no part"]);
    refuse("x -> x ## 2", &["column 8", "`#`"]);
    refuse("x -> ", &["column 6: expected a number", "found the end"]);
    refuse("x -> (x", &["column 8: expected `)`, found the end"]);
    refuse("x -> x y", &["column 8: expected the end of the formula, found `y`"]);
    refuse("x -> x)", &["column 7: expected the end of the formula, found `)`"]);
    refuse("x", &["column 2: expected `,`, found the end"]);
    refuse("", &["column 1: expected the name of an argument, found the end"]);
    refuse("-> x", &["expected the name of an argument, found `->`"]);
    refuse("x, x -> x", &["column 4: the argument `x` stands twice"]);
    refuse("x=1 -> x", &["column 1: the first argument is a tensor"]);
    refuse("x, a=1, b -> x", &["column 9: the argument `b` needs a default"]);
    refuse("x, a=y -> x", &["column 6: expected a number as the default"]);
    refuse("x, pi -> x", &["column 4: `pi` cannot name an argument"]);
    refuse("x -> 1 < x < 3", &["column 12: comparisons do not chain"]);
    refuse("x -> x ? 1", &["column 11: expected `:`"]);
    refuse("x -> exp()", &["column 6: `exp` takes 1 arguments, 0 were given"]);
    refuse("x -> exp(x, x)", &["takes 1 arguments, 2"]);
    refuse("x -> clamp(x)", &["`clamp` takes 3 arguments, 1"]);
    refuse("x -> softplus(x, 1, 2, 3)", &["`softplus` takes 1 to 3 arguments, 4"]);
    refuse("x -> matmul(x, x)", &["`matmul` is not one formula"]);
    refuse("x -> gcd(x, 6) / 2", &["column 6: `gcd` takes whole numbers, and a `/`"]);
    refuse("x -> 1.2.3", &["column 6: a number that cannot be read"]);
    refuse("x -> 3x", &["column 6: a number that cannot be read"]);
    refuse(&format!("x -> {}x{}", "(".repeat(1000), ")".repeat(1000)), &["brackets within"]);
    refuse(&format!("x -> {}x", "-".repeat(5) + &"2 ** ".repeat(1000)), &["powers"]);
    refuse(&format!("x -> x{}", " + x".repeat(10_000)), &["more than 4096 steps"]);
    assert!(Op::find("mistakes::f").is_none());
}

#[test]
fn any_text_is_an_error_or_a_formula() {
    let words = [
        "x", "y", "->", "(", ")", "+", "-", "**", "?", ":", ",", "=", "1", "2.5e3", "exp", "where", "<", "&&", "!",
        "é", "\n", "::",
    ];
    let mut state = 7u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let mut formulas = 0;
    for number in 0..20_000 {
        let text: Vec<&str> = (0..next(9)).map(|_| words[next(words.len())]).collect();
        let text = if number % 2 == 0 { format!("x, y -> {}", text.join(" ")) } else { text.concat() };
        formulas += usize::from(pointwise(&format!("any::f{number}"), &text).is_ok());
    }
    assert!(formulas > 50, "{formulas}");
}

#[test]
fn derivatives_of_every_order_follow_from_the_formula() -> Result<()> {
    let _device = device();
    let squareplus = pointwise("derivatives::squareplus", "x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))")?;
    let x = leaf(&[1.5], &[]);
    let by_hand = |x: &Tensor| -> Result<Tensor> { x.add(&x.square()?.add(2.25)?.sqrt()?)?.mul(0.5) };
    let mut ours = run(squareplus, &[(&x).into(), 2.25.into()]);
    let mut theirs = by_hand(&x)?;
    for _ in 0..4 {
        close(item(&ours), item(&theirs));
        ours = grad(&[ours], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
        theirs = grad(&[theirs], std::slice::from_ref(&x), &[], CREATE)?.remove(0).unwrap();
    }
    // Broadcast arguments get the sum of what arrives.
    let weighted = pointwise("derivatives::weighted", "x, w -> x > 0 ? w * x : 0.1 * x ** 3")?;
    let (x, w) = (leaf(&[1.0, -2.0, 3.0, -4.0], &[2, 2]), leaf(&[5.0, 7.0], &[2]));
    run(weighted, &[(&x).into(), (&w).into()]).sum((), false)?.backward()?;
    assert_eq!(grad_of(&w), [4.0, 0.0]);
    let found = grad_of(&x);
    assert!(found.iter().zip([5.0, 1.2, 5.0, 4.8]).all(|(got, want)| (got - want).abs() < 1e-5), "{found:?}");
    Ok(())
}

#[test]
fn types_and_shapes_are_those_of_built_in_ops() -> Result<()> {
    let device = device();
    let root = pointwise("types::root", "x, b=4 -> sqrt(x * x + b)")?;
    let double = pointwise("types::double", "x, y -> 2 * x - y")?;
    let above = pointwise("types::above", "x, at=0.5 -> x > at")?;
    let either = pointwise("types::either", "x, y -> x || !y")?;
    let whole = ints(&[3, -5], &[2]);
    assert_eq!(run(root, &[(&whole).into()]).dtype(), DType::F32);
    assert_eq!(run(double, &[(&whole).into(), (&whole).into()]).dtype(), DType::I32);
    assert_eq!(run(double, &[(&whole).into(), 1.5.into()]).dtype(), DType::F32);
    assert_eq!(run(double, &[(&whole.to(DType::U8)?).into(), (&whole).into()]).dtype(), DType::I32);
    assert_eq!(run(double, &[(&whole).into(), (&tensor(&[0.5], &[1]).to(DType::F16)?).into()]).dtype(), DType::F16);
    assert_eq!(run(double, &[(&whole.to(DType::F64)?).into(), 1.into()]).dtype(), DType::F64);
    let bits =
        pointwise("types::bits", "x, y -> bitwise_xor(bitwise_and(x, 6), bitwise_left_shift(y, 1)) + gcd(x, 4)")?;
    let (x, y) = (ints(&[7, 12], &[2]), ints(&[1, 3], &[2]));
    let found = run(bits, &[(&x).into(), (&y).into()]);
    assert_eq!(pollster::block_on(found.to_vec::<i32>())?, [5, 6]);
    refused(
        bits.tensor(&[(&count(&[2])).into(), (&y).into()]),
        "dtype",
        &["types::bits", "whole numbers, not float32"],
    );
    // A comparison computes in floating point, and its result is bool.
    let found = run(above, &[Tensor::from_slice(&[0, 1], [2], &device)?.into()]);
    assert_eq!((found.dtype(), block(&found)), (DType::Bool, vec![0, 1]));
    let (yes, no) = (whole.gt(0)?, whole.lt(0)?);
    let found = run(either, &[(&yes).into(), (&no).into()]);
    assert_eq!((found.dtype(), block(&found)), (DType::Bool, vec![1, 0]));
    assert_eq!(run(double, &[(&yes).into(), (&no).into()]).dtype(), DType::I32);
    assert_eq!(shape_of(&run(double, &[(&count(&[3, 1])).into(), (&count(&[4])).into()])), [3, 4]);
    assert_eq!(shape_of(&run(double, &[(&count(&[0, 3])).into(), (&count(&[3])).into()])), [0, 3]);
    let transposed = count(&[2, 3]).transpose(0, 1)?;
    assert_eq!(read(&run(double, &[(&transposed).into(), 0.into()])), [0.0, 6.0, 2.0, 8.0, 4.0, 10.0]);
    refused(double.tensor(&[(&count(&[3])).into(), (&count(&[4])).into()]), "shape", &["types::double", "[3]", "[4]"]);
    refused(
        double.tensor(&[(&whole).into()]),
        "argument",
        &["types::double", "the argument y is missing", "Tensor|Scalar y"],
    );
    refused(double.tensor(&["x".into(), 1.into()]), "argument", &["types::double", "takes a tensor, not the string"]);
    refused(root.tensor(&[(&whole).into(), (&whole).into()]), "argument", &["types::root", "b takes a number"]);
    Ok(())
}

fn block(tensor: &Tensor) -> Vec<u8> {
    pollster::block_on(tensor.to_vec::<u8>()).unwrap()
}

#[test]
fn they_fuse_and_their_numbers_are_data() -> Result<()> {
    let device = device();
    let op = pointwise("fuses::squareplus", "x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))")?;
    let x = count(&[64]);
    let explained = device.inspect().explain(|| run(op, &[x.mul(2.0)?.into()]).exp()?.sum((), false))?;
    assert_eq!(explained.kernels.len(), 1, "{explained}");
    assert!(explained.recorded.contains("fuses::squareplus map"), "{}", explained.recorded);
    let step = |b: f64| read(&run(op, &[(&x).into(), b.into()]));
    step(1.0);
    let before = device.inspect().stats().plan_misses;
    let found: Vec<Vec<f32>> = (2..9).map(|b| step(f64::from(b))).collect();
    assert_eq!(device.inspect().stats().plan_misses, before);
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]));
    Ok(())
}

#[test]
fn the_table_knows_them() -> Result<()> {
    let device = device();
    let op = pointwise("listed::half", "x -> x / 2")?;
    let found = Op::find("listed::half").expect("it is registered");
    assert!(std::ptr::eq(found, op.op()) && lanthorn_tensor::ops::all().any(|op| std::ptr::eq(op, found)));
    assert_eq!((found.text, found.kind), ("listed::half(Tensor x) -> Tensor", OpKind::Pointwise));
    assert_eq!((op.name(), op.schema().params.len(), found.in_place), ("listed::half", 1, Some(InPlace::Write)));
    let x = tensor(&[3.0, 5.0], &[2]);
    found.run_in_place(&[(&x).into()])?;
    assert_eq!(read(&x), [1.5, 2.5]);
    // Formulas may call it.
    let quarter = pointwise("listed::quarter", "x -> listed::half(listed::half(x))")?;
    assert_eq!(read(&run(quarter, &[(&x).into()])), [0.375, 0.625]);
    refused(pointwise("listed::half", "x -> x"), "argument", &["listed::half", "registered already"]);
    refused(pointwise("half_of", "x -> x"), "argument", &["half_of", "namespace"]);
    refused(pointwise("aten::half_of", "x -> x"), "argument", &["aten::half_of", "reserved"]);
    for name in ["a::b::c", "::x", "a::", "a b::c", "a::b.", "a::b.c.d", "ä::b"] {
        refused(pointwise(name, "x -> x"), "argument", &["namespace"]);
    }
    let overload = pointwise("listed::half.scaled", "x, by -> x / 2 * by")?;
    assert_eq!(Op::overloads("listed::half").len(), 2);
    assert_eq!(read(&run(overload, &[(&x).into(), 2.into()])), [1.5, 2.5]);
    // Another thread finds it.
    let name = std::thread::spawn(|| Op::find("listed::half").map(|op| op.name())).join().unwrap();
    assert_eq!(name, Some("listed::half"));
    drop(device);
    Ok(())
}

#[test]
fn autocast_casts_by_the_policy() -> Result<()> {
    let _device = device();
    let x = count(&[4]);
    let keep = pointwise("cast::keep", "x -> x + 1")?;
    let lower = lanthorn_tensor::custom::pointwise_with("cast::lower", "x -> x + 1", Policy::Lower)?;
    let widen = lanthorn_tensor::custom::pointwise_with("cast::widen", "x -> x + 1", Policy::Widen)?;
    let half = x.to(DType::F16)?;
    autocast(DType::F16, || {
        assert_eq!(run(keep, &[(&x).into()]).dtype(), DType::F32);
        assert_eq!(run(lower, &[(&x).into()]).dtype(), DType::F16);
        assert_eq!(run(widen, &[(&half).into()]).dtype(), DType::F32);
    })?;
    assert_eq!(run(lower, &[(&x).into()]).dtype(), DType::F32);
    Ok(())
}

#[test]
fn a_built_expression_is_held_to_its_schema() -> Result<()> {
    let _device = device();
    let op = pointwise_fn("built::axpy(Tensor x, Tensor|Scalar y, *, Scalar a=2) -> Tensor", Rule::Same, |args| {
        &args[0] * &args[2] + &args[1]
    })?;
    let x = tensor(&[1.0, 2.0], &[2]);
    assert_eq!(read(&run(op, &[(&x).into(), 1.into()])), [3.0, 5.0]);
    assert_eq!(read(&run(op, &[(&x).into(), (&x).into(), 3.into()])), [4.0, 8.0]);
    let wrong = |schema: &str| pointwise_fn(schema, Rule::Same, |args| args[0].clone());
    refused(wrong("built::list(Tensor[] x) -> Tensor"), "argument", &["built::list", "Tensor|Scalar"]);
    refused(wrong("built::pair(Tensor x) -> (Tensor, Tensor)"), "argument", &["built::pair"]);
    refused(wrong("built::nothing() -> Tensor"), "argument", &["built::nothing"]);
    // A formula that reads a missing argument is an error of the call.
    let beyond = pointwise_fn("built::beyond(Tensor x) -> Tensor", Rule::Same, |args| {
        lanthorn_ir::expr::Expr::input(3, args[0].ty())
    })?;
    refused(beyond.tensor(&[(&x).into()]), "argument", &["built::beyond", "reads x3"]);
    Ok(())
}
