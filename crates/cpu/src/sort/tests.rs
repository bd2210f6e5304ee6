//! Sorts compared with the reference, a stable sort.

use crate::test_util::*;
use lanthorn_ir::{DType, Kernel, Layout, kernel};
use lanthorn_kernel_tests::{from_bytes, reference};
use proptest::prelude::*;

fn sorted(dtype: DType, layout: &Layout, dim: usize, descending: bool, data: Vec<u8>) -> [Vec<u8>; 2] {
    let kernel = kernel::Sort { dtype, source: layout.clone(), dim, descending };
    run(&Kernel::Sort(kernel), &[data], &[]).unwrap().try_into().unwrap()
}

fn check(layout: &Layout, dim: usize, descending: bool, data: &[f64]) {
    let narrow: Vec<f32> = data.iter().map(|&x| x as f32).collect();
    let [values, positions] = sorted(DType::F32, layout, dim, descending, bytes(&narrow));
    let [wide, wide_positions] = sorted(DType::F64, layout, dim, descending, bytes(data));
    let kernel = kernel::Sort { dtype: DType::F64, source: layout.clone(), dim, descending };
    let expected = reference::sort(&kernel, data);
    for got in [positions, wide_positions] {
        assert_eq!(from_bytes(DType::I32, &got), expected[1], "{layout:?} {dim} {descending}");
    }
    let (values, wide) = (read::<f32>(&values), read::<f64>(&wide));
    assert_eq!((values.len(), wide.len()), (expected[0].len(), expected[0].len()));
    for ((value, wide), element) in values.into_iter().zip(wide).zip(&expected[0]) {
        assert_eq!(value.to_bits(), (*element as f32).to_bits());
        assert_eq!(wide.to_bits(), element.to_bits());
    }
}

proptest! {
    #[test]
    fn agrees_with_a_stable_sort(
        (layout, dim) in prop::collection::vec(prop_oneof![6 => 1usize..9, 1 => Just(0usize), 1 => 30usize..50], 1..4)
            .prop_flat_map(|dims| { let rank = dims.len(); (layout_of(dims), 0..rank) }),
        seed in any::<u32>(),
        descending in any::<bool>(),
    ) {
        let special = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0, -1.0, f64::from(f32::MIN_POSITIVE)];
        let word = |i: usize| (i as u32 ^ seed).wrapping_mul(0x9E37_79B9) as usize >> 9;
        let value = |i: usize| if word(i).is_multiple_of(3) { special[word(i) / 3 % special.len()] } else { word(i) as f64 % 10.0 - 5.0 };
        check(&layout, dim, descending, &(0..extent(&layout)).map(value).collect::<Vec<_>>());
    }
}

#[test]
fn long_rows_and_many_rows() {
    for dims in [&[1_000_000][..], &[100_000, 3], &[3, 2049], &[2049, 2]] {
        let layout = dense(dims);
        let data: Vec<f64> = (0..extent(&layout)).map(|i| ((i * 7919) % 1_000_003) as f64 / 2.0).collect();
        check(&layout, 0, false, &data);
        check(&layout, dims.len() - 1, true, &data);
    }
}

#[test]
fn doubles_that_differ_below_float32() {
    let values = [1.0 + f64::EPSILON, 1.0, -1.0 - f64::EPSILON, -1.0, 1.0 + 2.0 * f64::EPSILON];
    assert_eq!(read::<i32>(&sorted(DType::F64, &dense(&[5]), 0, false, bytes(&values))[1]), [2, 3, 1, 0, 4]);
}

#[test]
fn integers_bytes_and_bools() {
    let layout = dense(&[4]);
    let [values, positions] = sorted(DType::I32, &layout, 0, false, bytes(&[3, i32::MIN, -1, i32::MAX]));
    assert_eq!((read::<i32>(&values), read::<i32>(&positions)), (vec![i32::MIN, -1, 3, i32::MAX], vec![1, 2, 0, 3]));
    let [values, positions] = sorted(DType::I64, &layout, 0, false, bytes(&[1i64 << 40, i64::MIN, -1, (1 << 40) + 1]));
    assert_eq!(read::<i64>(&values), [i64::MIN, -1, 1 << 40, (1 << 40) + 1]);
    assert_eq!(read::<i32>(&positions), [1, 2, 0, 3]);
    for dtype in [DType::F16, DType::BF16] {
        let [one, nan] = if dtype == DType::F16 { [0x3c00u16, 0x7e00] } else { [0x3f80, 0x7fc0] };
        let [values, positions] = sorted(dtype, &layout, 0, false, bytes(&[one, one | 0x8000, nan, 0]));
        assert_eq!(
            (read::<u16>(&values), read::<i32>(&positions)),
            (vec![one | 0x8000, 0, one, nan], vec![1, 3, 0, 2])
        );
    }
    let [values, positions] = sorted(DType::U8, &layout, 0, true, vec![3, 255, 0, 3]);
    assert_eq!((values, read::<i32>(&positions)), (vec![255, 3, 3, 0], vec![1, 0, 3, 2]));
    let [values, positions] = sorted(DType::Bool, &layout, 0, false, vec![1, 0, 1, 0]);
    assert_eq!((values, read::<i32>(&positions)), (vec![0, 0, 1, 1], vec![1, 3, 0, 2]));
}
