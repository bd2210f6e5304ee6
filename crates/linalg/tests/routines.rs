//! The routines, tested by their definitions: products of the factors, orthogonality, order; on
//! matrices of every kind.
#![allow(missing_docs)]

use lanthorn_ir::kernel::Routine;
use lanthorn_linalg::Breakdown;
use proptest::prelude::*;

fn run(routine: Routine, inputs: &[&[f64]]) -> (Vec<Vec<f64>>, Result<(), Breakdown>) {
    let mut outputs: Vec<Vec<f64>> =
        routine.outputs().iter().map(|elements| vec![f64::NAN; elements.count()]).collect();
    assert!(routine.inputs().iter().zip(inputs).all(|(elements, input)| elements.count() == input.len()));
    let result =
        lanthorn_linalg::run(&routine, inputs, &mut outputs.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    (outputs, result)
}

fn product(m: usize, k: usize, n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let at = |i: usize, j: usize| (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
    (0..m * n).map(|index| at(index / n, index % n)).collect()
}

fn transpose(m: usize, n: usize, a: &[f64]) -> Vec<f64> {
    (0..m * n).map(|index| a[(index % m) * n + index / m]).collect()
}

fn size(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most, x| x.abs().max(most))
}

#[track_caller]
fn close(got: &[f64], want: &[f64], scale: f64) {
    assert_eq!(got.len(), want.len());
    let most = 1e-13 * (1.0 + want.len() as f64).sqrt() * scale;
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= most, "{got} for {want}, scale {scale}");
    }
}

#[track_caller]
fn orthonormal_columns(m: usize, n: usize, q: &[f64]) {
    let identity: Vec<f64> = (0..n * n).map(|index| f64::from(u8::from(index / n == index % n))).collect();
    close(&product(n, m, n, &transpose(m, n, q), q), &identity, 1.0);
}

fn diagonal(m: usize, n: usize, values: &[f64]) -> Vec<f64> {
    (0..m * n).map(|index| if index / n == index % n { values[index / n] } else { 0.0 }).collect()
}

#[track_caller]
fn check_svd(m: usize, n: usize, a: &[f64]) {
    for full in [false, true] {
        let (outputs, result) = run(Routine::Svd { rows: m, columns: n, full, vectors: true }, &[a]);
        result.unwrap();
        let [u, s, v] = [&outputs[0], &outputs[1], &outputs[2]];
        let (wide, high) = if full { (m, n) } else { (m.min(n), m.min(n)) };
        orthonormal_columns(m, wide, u);
        orthonormal_columns(n, high, &transpose(high, n, v));
        assert!(s.windows(2).all(|pair| pair[0] >= pair[1]) && s.iter().all(|&s| s >= 0.0), "{s:?}");
        let scaled = product(m, wide, high, u, &diagonal(wide, high, s));
        close(&product(m, high, n, &scaled, v), a, size(a));
        let (alone, _) = run(Routine::Svd { rows: m, columns: n, full, vectors: false }, &[a]);
        close(&alone[0], s, size(a));
    }
}

#[track_caller]
fn check_eigh(n: usize, a: &[f64]) {
    let symmetric: Vec<f64> = a.iter().zip(transpose(n, n, a)).map(|(a, b)| (a + b) / 2.0).collect();
    for upper in [false, true] {
        // The other triangle is not read.
        let one: Vec<f64> =
            (0..n * n)
                .map(|index| {
                    if (index / n < index % n) == upper || index / n == index % n { symmetric[index] } else { f64::NAN }
                })
                .collect();
        let (outputs, result) = run(Routine::Eigh { size: n, upper, vectors: true }, &[&one]);
        result.unwrap();
        let (values, vectors) = (&outputs[0], &outputs[1]);
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{values:?}");
        orthonormal_columns(n, n, vectors);
        let scaled = product(n, n, n, vectors, &diagonal(n, n, values));
        close(&product(n, n, n, &scaled, &transpose(n, n, vectors)), &symmetric, size(&symmetric));
        let (alone, _) = run(Routine::Eigh { size: n, upper, vectors: false }, &[&one]);
        close(&alone[0], values, size(&symmetric));
    }
}

#[track_caller]
fn check_qr(m: usize, n: usize, a: &[f64]) {
    for width in [0, m.min(n), m] {
        let (outputs, result) = run(Routine::Qr { rows: m, columns: n, width }, &[a]);
        result.unwrap();
        let (q, r) = (&outputs[0], &outputs[1]);
        assert!((0..r.len()).all(|index| index / n <= index % n || r[index] == 0.0));
        orthonormal_columns(m, width, q);
        if width > 0 {
            close(&product(m, width, n, q, r), a, size(a));
        }
    }
}

fn check_lu(m: usize, n: usize, a: &[f64]) {
    let (outputs, _) = run(Routine::Lu { rows: m, columns: n, pivoting: true }, &[a]);
    let (factors, pivots, k) = (&outputs[0], &outputs[1], m.min(n));
    let lower = (0..m * k).map(|index| match (index / k).cmp(&(index % k)) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => factors[index / k * n + index % k],
    });
    let lower: Vec<f64> = lower.collect();
    assert!(lower.iter().all(|x| x.abs() <= 1.0));
    let upper: Vec<f64> = (0..k * n).map(|index| if index / n <= index % n { factors[index] } else { 0.0 }).collect();
    let interchange = |back| Routine::Interchange { rows: m, columns: n, pivots: k, back };
    let made = product(m, k, n, &lower, &upper);
    let (back, _) = run(interchange(true), &[pivots, &made]);
    close(&back[0], a, size(a) * n as f64);
    let (forth, _) = run(interchange(false), &[pivots, &back[0]]);
    assert_eq!(forth[0], made);
}

fn matrix(most: usize) -> impl Strategy<Value = (usize, usize, Vec<f64>)> {
    (0..=most, 0..=most, 0u8..5)
        .prop_flat_map(|(m, n, kind)| {
            (
                Just((m, n, kind)),
                prop::collection::vec(-1.0f64..1.0, m * n),
                prop::collection::vec(-30i32..30, m.max(n)),
            )
        })
        .prop_map(|((m, n, kind), mut a, powers)| {
            for i in 0..m {
                for j in 0..n {
                    match kind {
                        // Of rank 1, with rows of 0, badly scaled, of few different numbers.
                        1 => a[i * n + j] = a[i * n] * a[j],
                        2 if i % 2 == 1 => a[i * n + j] = 0.0,
                        3 => a[i * n + j] *= 10f64.powi(powers[i] + powers[j] / 2),
                        4 => a[i * n + j] = a[i * n + j].round(),
                        _ => {}
                    }
                }
            }
            (m, n, a)
        })
}

proptest! {
    #[test]
    fn singular_values((m, n, a) in matrix(9)) {
        check_svd(m, n, &a);
    }

    #[test]
    fn eigenvalues((m, n, a) in matrix(9)) {
        let n = n.min(m);
        check_eigh(n, &a[..n * n]);
    }

    #[test]
    fn orthogonal_and_triangular((m, n, a) in matrix(9)) {
        check_qr(m, n, &a);
        check_lu(m, n, &a);
    }

    #[test]
    fn positive_definite((m, n, a) in matrix(7)) {
        let mut gram = product(n, m, n, &transpose(m, n, &a), &a);
        (0..n).for_each(|i| gram[i * n + i] += 1e-3 * size(&gram).max(1.0));
        for upper in [false, true] {
            let (outputs, result) = run(Routine::Cholesky { size: n, upper }, &[&gram]);
            result.unwrap();
            let factor = &outputs[0];
            let lower = if upper { transpose(n, n, factor) } else { factor.clone() };
            prop_assert!((0..n * n).all(|index| index / n >= index % n || lower[index] == 0.0));
            close(&product(n, n, n, &lower, &transpose(n, n, &lower)), &gram, size(&gram));
        }
    }

    #[test]
    fn triangles(n in 0usize..7, columns in 0usize..4, flags in prop::array::uniform3(any::<bool>()), numbers in prop::collection::vec(0.5f64..2.0, 100)) {
        let [upper, transposed, unit] = flags;
        let (a, b) = (&numbers[..n * n], &numbers[50..50 + n * columns]);
        let triangle: Vec<f64> = (0..n * n).map(|index| match (index / n).cmp(&(index % n)) {
            std::cmp::Ordering::Equal if unit => 1.0,
            std::cmp::Ordering::Equal => a[index],
            order if (order == std::cmp::Ordering::Less) == upper => a[index],
            _ => 0.0,
        }).collect();
        let triangle = if transposed { transpose(n, n, &triangle) } else { triangle };
        let (outputs, _) = run(Routine::SolveTriangular { size: n, columns, upper, transposed, unit }, &[a, b]);
        close(&product(n, n, columns, &triangle, &outputs[0]), b, size(&outputs[0]).max(1.0) * 10.0);
    }

    #[test]
    fn nothing_hangs_or_panics(n in 0usize..5, odd in prop::collection::vec(prop::sample::select(vec![f64::NAN, f64::INFINITY, -f64::INFINITY, 0.0, 1.0, -1.0, 1e300, 1e-300, 5e-324]), 25)) {
        let a = &odd[..n * n];
        let finite = a.iter().all(|x| x.is_finite());
        let direct = [Routine::Cholesky { size: n, upper: false }, Routine::Lu { rows: n, columns: n, pivoting: true }, Routine::Qr { rows: n, columns: n, width: n }, Routine::Exponential { size: n }];
        for routine in direct {
            let _ = run(routine, &[a]);
        }
        let all = [Routine::Svd { rows: n, columns: n, full: true, vectors: true }, Routine::Eigh { size: n, upper: false, vectors: true }];
        for routine in all {
            let (_, result) = run(routine, &[a]);
            if matches!(routine, Routine::Svd { .. }) {
                prop_assert_eq!(result.is_ok(), finite, "{:?}", result);
            } else if finite {
                prop_assert!(result.is_ok());
            }
        }
    }
}

#[test]
fn large_ones() {
    let numbers: Vec<f64> = (0..90 * 60).map(|i| ((i * 7919 + 13) % 10007) as f64 / 5003.0 - 1.0).collect();
    check_svd(90, 60, &numbers);
    check_svd(60, 90, &numbers);
    check_eigh(70, &numbers[..4900]);
    check_qr(90, 60, &numbers);
    check_lu(60, 90, &numbers);
}

#[test]
fn small_singular_values_keep_their_digits() {
    // A diagonal scaled over 24 orders of magnitude, mixed by row operations.
    let scales = [1.0, 1e-8, 1e-16, 1e-24];
    let a: Vec<f64> = (0..16).map(|index| if index % 4 >= index / 4 { scales[index / 4] } else { 0.0 }).collect();
    let (values, result) = run(Routine::Svd { rows: 4, columns: 4, full: false, vectors: false }, &[&a]);
    result.unwrap();
    // The determinant is the product.
    let product: f64 = values[0].iter().product();
    assert!((product / 1e-48 - 1.0).abs() < 1e-12, "{:?}", values[0]);
}

#[test]
fn repeated_eigenvalues_and_hilbert() {
    check_eigh(6, &diagonal(6, 6, &[2.0, 1.0, 2.0, 2.0, 1.0, 0.0]));
    check_eigh(5, &[1.0; 25]);
    let hilbert: Vec<f64> = (0..144).map(|index| 1.0 / (1 + index / 12 + index % 12) as f64).collect();
    check_eigh(12, &hilbert);
    check_svd(12, 12, &hilbert);
}

#[test]
fn signs_are_those_of_lapack() {
    let (outputs, _) = run(Routine::Qr { rows: 2, columns: 2, width: 2 }, &[&[3.0, 1.0, 4.0, 2.0]]);
    close(&outputs[1], &[-5.0, -2.2, 0.0, 0.4], 1.0);
    // A single row is unchanged.
    let (outputs, _) = run(Routine::Qr { rows: 1, columns: 2, width: 1 }, &[&[-3.0, 1.0]]);
    assert_eq!((&outputs[0][..], &outputs[1][..]), (&[1.0][..], &[-3.0, 1.0][..]));
}

#[test]
fn breakdowns_say_where() {
    let (outputs, result) = run(Routine::Cholesky { size: 2, upper: false }, &[&[1.0, 2.0, 2.0, 1.0]]);
    assert_eq!((result, outputs[1][0]), (Err(Breakdown::NotPositiveDefinite(2)), 2.0));
    let (outputs, result) = run(Routine::Lu { rows: 2, columns: 2, pivoting: true }, &[&[1.0, 2.0, 2.0, 4.0]]);
    assert_eq!((result, outputs[2][0]), (Err(Breakdown::Singular(2)), 2.0));
    let (outputs, result) = run(Routine::Cholesky { size: 1, upper: false }, &[&[f64::NAN]]);
    assert_eq!((result, outputs[1][0]), (Err(Breakdown::NotPositiveDefinite(1)), 1.0));
    let (_, result) = run(Routine::Eigh { size: 1, upper: false, vectors: true }, &[&[f64::INFINITY]]);
    assert_eq!(result, Err(Breakdown::NotFinite));
}

#[test]
fn exponentials() {
    let (outputs, _) = run(Routine::Exponential { size: 2 }, &[&[0.0, -30.0, 30.0, 0.0]]);
    let (s, c) = 30f64.sin_cos();
    close(&outputs[0], &[c, -s, s, c], 100.0);
    let (outputs, _) = run(Routine::Exponential { size: 2 }, &[&[1.0, 0.0, 0.0, -40.0]]);
    close(&outputs[0], &[1f64.exp(), 0.0, 0.0, (-40f64).exp()], 100.0);
    let (outputs, _) = run(Routine::Exponential { size: 3 }, &[&[0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0]]);
    close(&outputs[0], &[1.0, 1.0, 3.5, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0], 10.0);
}

#[test]
fn determinants_and_cofactors() {
    let (outputs, _) = run(Routine::Determinant { size: 3 }, &[&[0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, -4.0]]);
    assert_eq!([outputs[0][0], outputs[1][0]], [24.0, 1.0]);
    assert!((outputs[2][0] - 24f64.ln()).abs() < 1e-14);
    let (outputs, _) = run(Routine::Determinant { size: 2 }, &[&[1.0, 2.0, 2.0, 4.0]]);
    assert_eq!([outputs[0][0], outputs[1][0], outputs[2][0]], [0.0, 0.0, f64::NEG_INFINITY]);
    let (outputs, _) = run(Routine::Determinant { size: 0 }, &[&[]]);
    assert_eq!([outputs[0][0], outputs[1][0], outputs[2][0]], [1.0, 1.0, 0.0]);
    for a in [[1.0, 2.0, 2.0, 4.0], [0.0, 1.0, 5.0, 0.0], [3.0, -1.0, 2.0, 7.0], [0.0; 4]] {
        let (outputs, _) = run(Routine::Cofactors { size: 2 }, &[&a]);
        close(&outputs[0], &[a[3], -a[2], -a[1], a[0]], size(&a));
    }
}

#[test]
fn an_lu_factorization_without_pivoting_leaves_the_rows_where_they_are() {
    let (outputs, result) = run(Routine::Lu { rows: 2, columns: 2, pivoting: false }, &[&[1.0, 2.0, 3.0, 4.0]]);
    assert_eq!((result, &outputs[0][..], &outputs[1][..]), (Ok(()), &[1.0, 2.0, 3.0, -2.0][..], &[1.0, 2.0][..]));
    let (outputs, result) = run(Routine::Lu { rows: 2, columns: 2, pivoting: false }, &[&[0.0, 2.0, 3.0, 4.0]]);
    assert_eq!((result, outputs[2][0]), (Err(Breakdown::Singular(1)), 1.0));
}
