//! What the matrix product needs of its element types.

use super::micro::Micro;
use bytemuck::Pod;
use std::ops::{Add, Mul};

/// float32 or float64.
pub(crate) trait Real: Pod + Send + Sync + Add<Output = Self> + Mul<Output = Self> {
    const ZERO: Self;
    /// Whether products of every size go the way of large ones.
    const PACKS_ALL: bool;
    /// The micro-kernel for this processor.
    fn micro() -> Micro<Self>;
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const PACKS_ALL: bool = false;
    fn micro() -> Micro<f32> {
        super::micro::float32()
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    // In a page float64 is rare, and its short ways would be downloaded for nothing.
    const PACKS_ALL: bool = cfg!(target_family = "wasm");
    fn micro() -> Micro<f64> {
        super::micro::float64()
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_f64(value: f64) -> f64 {
        value
    }
}
