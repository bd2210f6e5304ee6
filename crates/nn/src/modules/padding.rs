//! Padding as modules.

use crate::table::ModuleSpec;
use lanthorn_macros::functional;

/// Pads `[N, C, L]` with zeros: one number for all ends, or two for each dimension, the last first.
#[functional("ZeroPad1d(int[] padding) -> Module", op = "pad(pad=padding*2)")]
pub struct ZeroPad1d;

/// Pads `[N, C, H, W]` with zeros: one number for all ends, or two for each dimension, the last
/// first.
#[functional("ZeroPad2d(int[] padding) -> Module", op = "pad(pad=padding*4)")]
pub struct ZeroPad2d;

/// Pads `[N, C, D, H, W]` with zeros: one number for all ends, or two for each dimension, the last
/// first.
#[functional("ZeroPad3d(int[] padding) -> Module", op = "pad(pad=padding*6)")]
pub struct ZeroPad3d;

/// Pads `[N, C, L]` with its reflection: one number for all ends, or two for each dimension, the
/// last first.
#[functional("ReflectionPad1d(int[] padding) -> Module", op = "pad(pad=padding*2, mode=\"reflect\")")]
pub struct ReflectionPad1d;

/// Pads `[N, C, H, W]` with its reflection: one number for all ends, or two for each dimension, the
/// last first.
#[functional("ReflectionPad2d(int[] padding) -> Module", op = "pad(pad=padding*4, mode=\"reflect\")")]
pub struct ReflectionPad2d;

/// Pads `[N, C, D, H, W]` with its reflection: one number for all ends, or two for each dimension,
/// the last first.
#[functional("ReflectionPad3d(int[] padding) -> Module", op = "pad(pad=padding*6, mode=\"reflect\")")]
pub struct ReflectionPad3d;

/// Pads `[N, C, L]` with copies of its border: one number for all ends, or two for each dimension,
/// the last first.
#[functional("ReplicationPad1d(int[] padding) -> Module", op = "pad(pad=padding*2, mode=\"replicate\")")]
pub struct ReplicationPad1d;

/// Pads `[N, C, H, W]` with copies of its border: one number for all ends, or two for each
/// dimension, the last first.
#[functional("ReplicationPad2d(int[] padding) -> Module", op = "pad(pad=padding*4, mode=\"replicate\")")]
pub struct ReplicationPad2d;

/// Pads `[N, C, D, H, W]` with copies of its border: one number for all ends, or two for each
/// dimension, the last first.
#[functional("ReplicationPad3d(int[] padding) -> Module", op = "pad(pad=padding*6, mode=\"replicate\")")]
pub struct ReplicationPad3d;

/// Pads `[N, C, L]` circularly: one number for all ends, or two for each dimension, the last first.
#[functional("CircularPad1d(int[] padding) -> Module", op = "pad(pad=padding*2, mode=\"circular\")")]
pub struct CircularPad1d;

/// Pads `[N, C, H, W]` circularly: one number for all ends, or two for each dimension, the last
/// first.
#[functional("CircularPad2d(int[] padding) -> Module", op = "pad(pad=padding*4, mode=\"circular\")")]
pub struct CircularPad2d;

/// Pads `[N, C, D, H, W]` circularly: one number for all ends, or two for each dimension, the last
/// first.
#[functional("CircularPad3d(int[] padding) -> Module", op = "pad(pad=padding*6, mode=\"circular\")")]
pub struct CircularPad3d;

/// Pads `[N, C, L]` with `value`: one number for all ends, or two for each dimension, the last
/// first.
#[functional("ConstantPad1d(int[] padding, Scalar value) -> Module", op = "pad(pad=padding*2)")]
pub struct ConstantPad1d;

/// Pads `[N, C, H, W]` with `value`: one number for all ends, or two for each dimension, the last
/// first.
#[functional("ConstantPad2d(int[] padding, Scalar value) -> Module", op = "pad(pad=padding*4)")]
pub struct ConstantPad2d;

/// Pads `[N, C, D, H, W]` with `value`: one number for all ends, or two for each dimension, the
/// last first.
#[functional("ConstantPad3d(int[] padding, Scalar value) -> Module", op = "pad(pad=padding*6)")]
pub struct ConstantPad3d;

pub(crate) static MODULES: &[ModuleSpec] = &[
    ZeroPad1d::SPEC,
    ZeroPad2d::SPEC,
    ZeroPad3d::SPEC,
    ReflectionPad1d::SPEC,
    ReflectionPad2d::SPEC,
    ReflectionPad3d::SPEC,
    ReplicationPad1d::SPEC,
    ReplicationPad2d::SPEC,
    ReplicationPad3d::SPEC,
    CircularPad1d::SPEC,
    CircularPad2d::SPEC,
    CircularPad3d::SPEC,
    ConstantPad1d::SPEC,
    ConstantPad2d::SPEC,
    ConstantPad3d::SPEC,
];
