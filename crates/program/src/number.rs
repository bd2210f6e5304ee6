//! Python's arithmetic of numbers, for the sizes of a program and for scripts. Integers have 64
//! bits. A result is `None` if it has more, or if the divisor is 0.

/// Divides and rounds down.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// assert_eq!(lanthorn::program::number::floor_div(-7, 2), Some(-4));
/// ```
pub fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// The remainder of a division that rounds down. It has the sign of the divisor.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::number::modulo;
/// assert_eq!((modulo(-7, 2), modulo(7, -2), modulo(i64::MIN, -1)), (Some(1), Some(-1), Some(0)));
/// ```
pub fn modulo(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        return None;
    }
    let remainder = a.wrapping_rem(b);
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
}

/// [`modulo`] of floats.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// assert_eq!(lanthorn::program::number::float_modulo(-0.5, 2.0), 1.5);
/// ```
pub fn float_modulo(a: f64, b: f64) -> f64 {
    let remainder = a % b;
    if remainder != 0.0 && (remainder < 0.0) != (b < 0.0) { remainder + b } else { remainder }
}

/// An integer to the power of one that is not negative.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::number::power;
/// assert_eq!((power(3, 4), power(-1, 1 << 40), power(10, 19)), (Some(81), Some(1), None));
/// ```
pub fn power(base: i64, exponent: i64) -> Option<i64> {
    match u32::try_from(exponent) {
        Ok(exponent) => base.checked_pow(exponent),
        Err(_) if exponent < 0 => None,
        Err(_) => match base {
            0 | 1 => Some(base),
            -1 => Some(1 - 2 * (exponent & 1)),
            _ => None,
        },
    }
}

/// Shifts to the left by 0 to 62 bits.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::number::shift_left;
/// assert_eq!((shift_left(-3, 2), shift_left(1, 63)), (Some(-12), None));
/// ```
pub fn shift_left(a: i64, bits: i64) -> Option<i64> {
    a.checked_mul(1i64.checked_shl(u32::try_from(bits).ok()?).filter(|_| bits < 63)?)
}

/// Shifts to the right by 0 to 63 bits.
///
/// ```
/// # mod lanthorn { pub use lanthorn_program as program; }
/// use lanthorn::program::number::shift_right;
/// assert_eq!((shift_right(-5, 1), shift_right(1, 64)), (Some(-3), None));
/// ```
pub fn shift_right(a: i64, bits: i64) -> Option<i64> {
    a.checked_shr(u32::try_from(bits).ok()?)
}
