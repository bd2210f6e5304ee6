//! The whole table of type promotion, as PyTorch 2 has it with int32 for int64 as the default integer type.

use crate::common::*;
use lanthorn_tensor::Operand;

const TYPES: [DType; DType::ALL.len()] = DType::ALL;
const NAMES: [&str; 8] = ["bool", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"];

fn of(name: &str, shape: &[i64]) -> Tensor {
    Tensor::ones_with(shape, DType::from_name(name), None).unwrap()
}

/// Rows: the type of the first tensor. Columns: the other side. Letters: b, u, i, l, h, g, f, d. Written down from PyTorch's documentation of
/// `torch.result_type` and checked against the rules by hand; nothing here is computed.
const BOTH_DIMENSIONED: [&str; 8] =
    ["builhgfd", "uuilhgfd", "iiilhgfd", "llllhgfd", "hhhhhffd", "ggggfgfd", "fffffffd", "dddddddd"];
/// The other side is 0-d: it counts only where its category is higher.
const OTHER_0D: [&str; 8] =
    ["builhgfd", "uuuuhgfd", "iiiihgfd", "llllhgfd", "hhhhhhhh", "gggggggg", "ffffffff", "dddddddd"];
/// The other side is the number true, 1 or 1.5.
const NUMBERS: [&str; 8] = ["bif", "uuf", "iif", "llf", "hhh", "ggg", "fff", "ddd"];

fn letter(dtype: DType) -> char {
    ['b', 'u', 'i', 'l', 'h', 'g', 'f', 'd'][TYPES.iter().position(|&known| known == dtype).unwrap()]
}

fn check(a: &Tensor, b: Operand, want: char) -> Result<()> {
    let what = format!("{a:?} with {b:?}");
    let float = if "hgfd".contains(want) { want } else { 'f' };
    assert_eq!(letter(Tensor::result_type(a, b.clone())?), want, "result_type: {what}");
    assert_eq!(letter(Tensor::result_type(b.clone(), a)?), want, "result_type: {what}");
    assert_eq!(letter(a.add(b.clone())?.dtype()), want, "add: {what}");
    assert_eq!(letter(a.mul(b.clone())?.dtype()), want, "mul: {what}");
    assert_eq!(letter(a.div(b.clone())?.dtype()), float, "div: {what}");
    assert_eq!(a.lt(b.clone())?.dtype(), DType::Bool, "lt: {what}");
    let condition = of("bool", &[2]);
    assert_eq!(letter(Tensor::r#where(&condition, a, b.clone())?.dtype()), want, "where: {what}");
    assert_eq!(letter(Tensor::r#where(&condition, b.clone(), a)?.dtype()), want, "where: {what}");
    // The values follow the type: 1 + 1, or "or".
    let sum = if want == 'b' || matches!(b, Operand::Scalar(Scalar::Float(_))) { 1.0 } else { 2.0 };
    if !matches!(b, Operand::Scalar(Scalar::Float(_))) {
        assert_eq!(item(&a.add(b)?.to(DType::F32)?.amax((), false)?), sum, "{what}");
    }
    Ok(())
}

#[test]
fn between_tensors() -> Result<()> {
    let _device = device();
    for (row, a) in NAMES.into_iter().enumerate() {
        for (column, b) in NAMES.into_iter().enumerate() {
            let want = |table: [&str; 8]| table[row].chars().nth(column).unwrap();
            check(&of(a, &[2]), of(b, &[2]).into(), want(BOTH_DIMENSIONED))?;
            assert_eq!(letter(Tensor::promote_types(TYPES[row], TYPES[column])?), want(BOTH_DIMENSIONED));
            check(&of(a, &[2]), of(b, &[]).into(), want(OTHER_0D))?;
            check(&of(a, &[]), of(b, &[]).into(), want(BOTH_DIMENSIONED))?;
            // The other way round: the 0-d one stands first.
            let want = OTHER_0D[column].chars().nth(row).unwrap();
            check(&of(a, &[]), of(b, &[2]).into(), want)?;
            // One element with a dimension is a dimensioned tensor.
            check(&of(a, &[1]), of(b, &[]).into(), OTHER_0D[row].chars().nth(column).unwrap())?;
        }
    }
    Ok(())
}

#[test]
fn with_numbers() -> Result<()> {
    let _device = device();
    for (row, a) in NAMES.into_iter().enumerate() {
        for shape in [&[2][..], &[]] {
            for (column, number) in [Scalar::Bool(true), Scalar::Int(1), Scalar::Float(1.5)].into_iter().enumerate() {
                check(&of(a, shape), number.into(), NUMBERS[row].chars().nth(column).unwrap())?;
            }
        }
    }
    let condition = of("bool", &[2]);
    assert_eq!(Tensor::r#where(&condition, 1, 1.5)?.dtype(), DType::F32);
    assert_eq!(Tensor::r#where(&condition, true, 3)?.dtype(), DType::I32);
    Ok(())
}

#[test]
fn in_place_a_category_must_fit() -> Result<()> {
    let _device = device();
    for (row, a) in NAMES.into_iter().enumerate() {
        for (column, b) in NAMES.into_iter().enumerate() {
            let (target, other) = (of(a, &[2]), of(b, &[2]));
            let category = |position: usize| [0, 1, 1, 1, 2, 2, 2, 2][position];
            let result = target.add_(&other);
            assert_eq!(Tensor::can_cast(TYPES[column], TYPES[row])?, result.is_ok(), "{b} to {a}");
            if category(row) >= category(column) {
                result?;
                assert_eq!(
                    (target.dtype(), item(&target.to(DType::F32)?.amax((), false)?)),
                    (TYPES[row], if row == 0 { 1.0 } else { 2.0 })
                );
            } else {
                refused(result, "dtype", &["add_", a]);
            }
            target.copy_(&other)?; // a copy converts to anything
        }
    }
    Ok(())
}

#[test]
fn numbers_keep_their_value_in_the_tensors_type() -> Result<()> {
    let device = device();
    let d = Tensor::from_slice(&[1.0f64], [1], &device)?;
    assert_eq!(item(&d.add(0.1)?), 1.1);
    let i = ints(&[1, -7], &[2]);
    assert_eq!(pollster::block_on(i.add(i64::from(i32::MAX))?.to_vec::<i32>())?, [i32::MIN, i32::MAX - 7]);
    assert_eq!(read(&i.mul(0.5)?), [0.5, -3.5]);
    assert_eq!(pollster::block_on(i.add_with(&i, 3)?.to_vec::<i32>())?, [4, -28]);
    refused(i.add_with(&i, 0.5), "dtype", &["add", "0.5", "int32"]);
    refused(i.sub_with(1, 2.0), "dtype", &["sub", "int32"]);
    assert_eq!(read(&i.add_with(tensor(&[1.0, 1.0], &[2]), 0.5)?), [1.5, -6.5]);
    Ok(())
}
