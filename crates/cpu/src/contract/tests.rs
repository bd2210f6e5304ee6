//! Products compared with the reference.

use crate::test_util::*;
use lanthorn_ir::{
    DType, Kernel, Layout,
    expr::{Constant, Expr, Program, Type},
    half,
    kernel::{Contract, Epilogue},
};
use lanthorn_kernel_tests::reference;
use proptest::prelude::*;

fn contract(dtype: DType, a: &Layout, b: &Layout) -> Kernel {
    Kernel::Contract(Contract::matrices(dtype, a.clone(), b.clone()))
}

fn data(n: usize) -> Vec<f64> {
    // Small integers: the products and their sums are exact in both types, so results must be equal
    // to the bit.
    (0..n).map(|i| ((i * 7919) % 17) as f64 - 8.0).collect()
}

fn check(a: &Layout, b: &Layout) {
    let (x, y) = (data(extent(a)), data(extent(b)));
    let kernel = contract(DType::F64, a, b);
    let Kernel::Contract(product) = &kernel else { return };
    let expected = reference::contract(product, &[&x, &y], &[]).remove(0);
    assert_eq!(read::<f64>(&run(&kernel, &[bytes(&x), bytes(&y)], &[]).unwrap()[0]), expected, "{a:?} {b:?}");
    let [x, y] = [x, y].map(|v| v.iter().map(|&v| v as f32).collect::<Vec<_>>());
    let got = read::<f32>(&run(&contract(DType::F32, a, b), &[bytes(&x), bytes(&y)], &[]).unwrap()[0]);
    assert_eq!(got.into_iter().map(f64::from).collect::<Vec<_>>(), expected, "{a:?} {b:?}");
    for (dtype, narrow) in [(DType::F16, half::f16_from_f32 as fn(f32) -> u16), (DType::BF16, half::bf16_from_f32)] {
        let halves = [&x, &y].map(|numbers| bytes(&numbers.iter().map(|&number| narrow(number)).collect::<Vec<_>>()));
        let kernel = Contract {
            epilogue: Epilogue::store(Type::F32, DType::F32),
            ..Contract::matrices(dtype, a.clone(), b.clone())
        };
        let got = read::<f32>(&run(&Kernel::Contract(kernel), &halves, &[]).unwrap()[0]);
        assert_eq!(got.into_iter().map(f64::from).collect::<Vec<_>>(), expected, "{dtype} {a:?} {b:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn any_layout_and_size(
        (a, b) in (prop::collection::vec(0usize..4, 0..3), [1usize..40, 1usize..40, 0usize..40]).prop_flat_map(|(batch, [m, n, k])| {
            let dims = |tail: [usize; 2]| batch.iter().copied().chain(tail).collect::<Vec<_>>();
            (layout_of(dims([m, k])), layout_of(dims([k, n])))
        }),
    ) {
        check(&a, &b);
    }
}

#[test]
fn several_blocks_in_every_direction() {
    for [m, n, k] in [[200, 1050, 20], [30, 40, 600], [400, 33, 300], [3, 700, 500], [700, 2, 90]] {
        check(&dense(&[m, k]), &dense(&[k, n]));
        check(&dense(&[k, m]).permute(&[1, 0]), &dense(&[n, k]).permute(&[1, 0]));
    }
}

#[test]
fn vectors_and_outer_products() {
    for [m, n, k] in [[1, 1, 5000], [1, 1300, 77], [1300, 1, 77], [50, 60, 1], [1, 1, 1]] {
        for transposed in [false, true] {
            let (mut a, mut b) = (dense(&[m, k]), dense(&[k, n]));
            if transposed {
                (a, b) = (dense(&[k, m]).permute(&[1, 0]), dense(&[n, k]).permute(&[1, 0]));
            }
            check(&a, &b);
            check(&dense(&[m, 2 * k]).slice(1, 0, k, 2), &dense(&[k, n * 3]).slice(1, 1, n, 3));
        }
    }
}

#[test]
fn a_vector_times_a_matrix_that_runs_backwards() {
    for [k, n] in [[6, 40], [5, 1], [70, 600]] {
        let backwards = Layout::new(lanthorn_ir::Shape::from_dims([k, n]), [-(n as isize), 1], (k - 1) * n);
        check(&dense(&[1, k]), &backwards);
        check(&backwards.permute(&[1, 0]), &dense(&[k, 1]));
    }
}

#[test]
fn a_shared_right_matrix_merges_the_batch() {
    let b = dense(&[20, 30]);
    let shared = Layout::new(lanthorn_ir::Shape::from_dims([4, 20, 30]), [0, 30, 1], 0);
    check(&dense(&[4, 10, 20]), &shared);
    check(&dense(&[10, 4, 20]).permute(&[1, 0, 2]), &shared);
    check(&dense(&[10, 20]), &b);
}

#[test]
fn the_epilogue_applies_to_every_element() {
    let (a, b) = (dense(&[70, 50]), dense(&[50, 40]));
    let x = Expr::input(0, Type::F32);
    let program = Program::new(&[x.gt(0.0).select(&x * Expr::param(0, Type::F32), 0.5)]);
    let kernel = Contract {
        epilogue: Epilogue { inputs: vec![], program, dtypes: vec![DType::F32] },
        params: vec![Type::F32],
        ..Contract::matrices(DType::F32, a, b)
    };
    let [x, y] = [70 * 50, 50 * 40].map(data);
    let params = [Constant::new(2.0, Type::F32)];
    let expected = reference::contract(&kernel, &[&x, &y], &params).remove(0);
    let inputs = [x, y].map(|v| bytes(&v.iter().map(|&v| v as f32).collect::<Vec<_>>()));
    let got = run(&Kernel::Contract(kernel), &inputs, &params).unwrap();
    assert_eq!(read::<f32>(&got[0]).into_iter().map(f64::from).collect::<Vec<_>>(), expected);
}

#[test]
fn refuses_shapes_that_do_not_fit() {
    let error =
        run(&contract(DType::F32, &dense(&[2, 3]), &dense(&[4, 5])), &[vec![0; 24], vec![0; 80]], &[]).unwrap_err();
    assert!(error.is_kernel(), "{error}");
}
