//! The element types of the matrix product.

use super::{micro::Micro, packing::PIECE};
use bytemuck::Pod;
use std::ops::{Add, Mul};

/// float32 or float64.
pub(crate) trait Real: Pod + Send + Sync + Add<Output = Self> + Mul<Output = Self> {
    const ZERO: Self;
    /// Zeros to copy from.
    const ZEROS: &'static [Self; PIECE];
    /// Whether products of every size are blocked and packed.
    const PACKS_ALL: bool;
    /// Whether images are copied and not packed.
    const PADS_IMAGES: bool;
    /// This processor's micro-kernel for a product of m rows and n columns.
    fn micro(extent: [usize; 2]) -> Micro<Self>;
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const ZEROS: &'static [f32; PIECE] = &[0.0; PIECE];
    const PACKS_ALL: bool = false;
    const PADS_IMAGES: bool = true;
    fn micro(extent: [usize; 2]) -> Micro<f32> {
        super::micro::float32(extent)
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
    const ZEROS: &'static [f64; PIECE] = &[0.0; PIECE];
    // Float64 is rare in web pages, so they do not download the other algorithms for it.
    const PACKS_ALL: bool = cfg!(target_family = "wasm");
    const PADS_IMAGES: bool = !Self::PACKS_ALL;
    fn micro(extent: [usize; 2]) -> Micro<f64> {
        super::micro::float64(extent)
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
