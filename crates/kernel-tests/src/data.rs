//! Shapes and numbers for kernels, and comparisons of their results.

use lanthorn_ir::{DType, Layout, Shape, kernel::Operand};

/// A shape from its sizes.
pub fn shape(dims: &[usize]) -> Shape {
    Shape::from_dims(dims.iter().copied())
}

/// A contiguous layout.
pub fn contiguous(dims: &[usize]) -> Layout {
    Layout::contiguous(shape(dims))
}

/// An operand without bounded indices.
pub fn operand(dtype: DType, layout: Layout) -> Operand {
    Operand::new(dtype, layout)
}

/// Pseudo-random float32 numbers in `-scale..scale`, the same in every run.
pub fn numbers(n: usize, seed: u32, scale: f64) -> Vec<f64> {
    (0..n as u32)
        .map(|i| {
            let word = lanthorn_ir::random::threefry([seed, 17], [i, 0]);
            f64::from(((f64::from(word) / 4_294_967_296.0 - 0.5) * 2.0 * scale) as f32)
        })
        .collect()
}

/// Pseudo-random integers in `low..high`, the same in every run.
pub fn integers(n: usize, seed: u32, low: i32, high: i32) -> Vec<f64> {
    let span = (high - low) as u32;
    (0..n as u32).map(|i| f64::from(low + (lanthorn_ir::random::threefry([seed, 29], [i, 0]) % span) as i32)).collect()
}

/// PyTorch's `allclose` for float32, with NaN equal to NaN.
pub fn assert_close(got: &[f64], want: &[f64]) {
    assert_within(got, want, 1.3e-6, 1e-5);
}

/// `|got - want| <= atol + rtol * |want|` for every element, with NaN equal to NaN.
pub fn assert_within(got: &[f64], want: &[f64], rtol: f64, atol: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let same = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= atol + rtol * w.abs();
        assert!(same, "element {i}: got {g}, want {w}");
    }
}
