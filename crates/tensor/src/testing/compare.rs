//! When two results are the same.

use crate::DType;

/// How far a float may be off: `atol + rtol * |want|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The absolute part.
    pub atol: f64,
    /// The part relative to the wanted value.
    pub rtol: f64,
}

impl Tolerance {
    /// The rule of `torch.testing.assert_close` for float32.
    pub const FLOAT32: Tolerance = Tolerance { atol: 1e-5, rtol: 1.3e-6 };
    /// Not a bit off.
    pub const EXACT: Tolerance = Tolerance { atol: 0.0, rtol: 0.0 };

    /// The tolerance for results of this type: integers and truth values are exact.
    pub fn of(self, dtype: DType) -> Tolerance {
        if dtype.is_floating_point() { self } else { Tolerance::EXACT }
    }
}

/// By how much the worst element is outside of the tolerance, and which it is; none if all are in. NaN equals NaN, and an infinity
/// itself. The sign of zero is not compared.
pub fn worst(got: &[f64], want: &[f64], tolerance: Tolerance) -> Option<(usize, f64)> {
    let excess = |(&got, &want): (&f64, &f64)| {
        if got == want || (got.is_nan() && want.is_nan()) {
            return 0.0;
        }
        let distance = (got - want).abs();
        // An infinity or NaN on one side alone is infinitely far off.
        if distance.is_finite() { distance - tolerance.atol - tolerance.rtol * want.abs() } else { f64::INFINITY }
    };
    let worst = got.iter().zip(want).map(excess).enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    worst.filter(|(_, excess)| *excess > 0.0)
}

/// Compares as many numbers, as [`worst`] does.
///
/// # Errors
///
/// The first difference beyond the tolerance, as text.
pub fn close(got: &[f64], want: &[f64], tolerance: Tolerance) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("{} elements, expected {}", got.len(), want.len()));
    }
    match worst(got, want, tolerance) {
        Some((position, _)) => Err(format!("element {position} is {}, expected {}", got[position], want[position])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinity_must_agree() {
        let inf = f64::INFINITY;
        assert!(close(&[f64::NAN, inf, -0.0], &[f64::NAN, inf, 0.0], Tolerance::EXACT).is_ok());
        assert!(close(&[1.0], &[f64::NAN], Tolerance::FLOAT32).is_err());
        assert!(close(&[inf], &[-inf], Tolerance::FLOAT32).is_err());
        assert!(close(&[1.0], &[1.0, 2.0], Tolerance::FLOAT32).is_err());
        assert!(close(&[1.00002], &[1.0], Tolerance::FLOAT32).is_err());
    }
}
