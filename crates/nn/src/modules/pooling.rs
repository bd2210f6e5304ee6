//! Pooling as modules.

use crate::table::ModuleSpec;
use lanthorn_macros::functional;

/// The largest value of each window and, with `return_indices`, its index. `x: [N, C, L]`; `stride`
/// defaults to `kernel_size`.
#[functional(
    "MaxPool1d(int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool return_indices=False, bool ceil_mode=False) -> Module",
    op = "max_pool1d"
)]
pub struct MaxPool1d;

/// The largest value of each window and, with `return_indices`, its index. `x: [N, C, H, W]`;
/// `stride` defaults to `kernel_size`.
#[functional(
    "MaxPool2d(int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool return_indices=False, bool ceil_mode=False) -> Module",
    op = "max_pool2d"
)]
pub struct MaxPool2d;

/// The largest value of each window and, with `return_indices`, its index. `x: [N, C, D, H, W]`;
/// `stride` defaults to `kernel_size`.
#[functional(
    "MaxPool3d(int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, bool return_indices=False, bool ceil_mode=False) -> Module",
    op = "max_pool3d"
)]
pub struct MaxPool3d;

/// Puts the values of a `MaxPool1d` back at their indices, with zeros elsewhere.
#[functional(
    "MaxUnpool1d(int[] kernel_size, int[]? stride=None, int[] padding=0) -> Module",
    "forward(Tensor input, Tensor indices, int[]? output_size=None) -> Tensor",
    op = "max_unpool1d"
)]
pub struct MaxUnpool1d;

/// Puts the values of a `MaxPool2d` back at their indices, with zeros elsewhere.
#[functional(
    "MaxUnpool2d(int[] kernel_size, int[]? stride=None, int[] padding=0) -> Module",
    "forward(Tensor input, Tensor indices, int[]? output_size=None) -> Tensor",
    op = "max_unpool2d"
)]
pub struct MaxUnpool2d;

/// Puts the values of a `MaxPool3d` back at their indices, with zeros elsewhere.
#[functional(
    "MaxUnpool3d(int[] kernel_size, int[]? stride=None, int[] padding=0) -> Module",
    "forward(Tensor input, Tensor indices, int[]? output_size=None) -> Tensor",
    op = "max_unpool3d"
)]
pub struct MaxUnpool3d;

/// The mean of each window. `x: [N, C, L]`; `stride` defaults to `kernel_size`.
#[functional(
    "AvgPool1d(int[] kernel_size, int[]? stride=None, int[] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Module",
    op = "avg_pool1d"
)]
pub struct AvgPool1d;

/// The mean of each window. `x: [N, C, H, W]`; `stride` defaults to `kernel_size`.
#[functional(
    "AvgPool2d(int[] kernel_size, int[]? stride=None, int[] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Module",
    op = "avg_pool2d"
)]
pub struct AvgPool2d;

/// The mean of each window. `x: [N, C, D, H, W]`; `stride` defaults to `kernel_size`.
#[functional(
    "AvgPool3d(int[] kernel_size, int[]? stride=None, int[] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Module",
    op = "avg_pool3d"
)]
pub struct AvgPool3d;

/// The `norm_type`-norm of each window. `x: [N, C, L]`; `stride` defaults to `kernel_size`.
#[functional(
    "LPPool1d(float norm_type, int[] kernel_size, int[]? stride=None, bool ceil_mode=False) -> Module",
    op = "lp_pool1d"
)]
pub struct LPPool1d;

/// The `norm_type`-norm of each window. `x: [N, C, H, W]`; `stride` defaults to `kernel_size`.
#[functional(
    "LPPool2d(float norm_type, int[] kernel_size, int[]? stride=None, bool ceil_mode=False) -> Module",
    op = "lp_pool2d"
)]
pub struct LPPool2d;

/// The `norm_type`-norm of each window. `x: [N, C, D, H, W]`; `stride` defaults to `kernel_size`.
#[functional(
    "LPPool3d(float norm_type, int[] kernel_size, int[]? stride=None, bool ceil_mode=False) -> Module",
    op = "lp_pool3d"
)]
pub struct LPPool3d;

/// Means of windows chosen so that the result has `output_size`. `x: [N, C, L]`.
#[functional("AdaptiveAvgPool1d(int[] output_size) -> Module", op = "adaptive_avg_pool1d")]
pub struct AdaptiveAvgPool1d;

/// Means of windows chosen so that the result has `output_size`. `x: [N, C, H, W]`.
#[functional("AdaptiveAvgPool2d(int?[] output_size) -> Module", op = "adaptive_avg_pool2d")]
pub struct AdaptiveAvgPool2d;

/// Means of windows chosen so that the result has `output_size`. `x: [N, C, D, H, W]`.
#[functional("AdaptiveAvgPool3d(int?[] output_size) -> Module", op = "adaptive_avg_pool3d")]
pub struct AdaptiveAvgPool3d;

/// The largest values of windows chosen so that the result has `output_size`. `x: [N, C, L]`.
#[functional("AdaptiveMaxPool1d(int[] output_size, bool return_indices=False) -> Module", op = "adaptive_max_pool1d")]
pub struct AdaptiveMaxPool1d;

/// The largest values of windows chosen so that the result has `output_size`. `x: [N, C, H, W]`.
#[functional("AdaptiveMaxPool2d(int?[] output_size, bool return_indices=False) -> Module", op = "adaptive_max_pool2d")]
pub struct AdaptiveMaxPool2d;

/// The largest values of windows chosen so that the result has `output_size`. `x: [N, C, D, H, W]`.
#[functional("AdaptiveMaxPool3d(int?[] output_size, bool return_indices=False) -> Module", op = "adaptive_max_pool3d")]
pub struct AdaptiveMaxPool3d;

pub(crate) static MODULES: &[ModuleSpec] = &[
    MaxPool1d::SPEC,
    MaxPool2d::SPEC,
    MaxPool3d::SPEC,
    MaxUnpool1d::SPEC,
    MaxUnpool2d::SPEC,
    MaxUnpool3d::SPEC,
    AvgPool1d::SPEC,
    AvgPool2d::SPEC,
    AvgPool3d::SPEC,
    LPPool1d::SPEC,
    LPPool2d::SPEC,
    LPPool3d::SPEC,
    AdaptiveAvgPool1d::SPEC,
    AdaptiveAvgPool2d::SPEC,
    AdaptiveAvgPool3d::SPEC,
    AdaptiveMaxPool1d::SPEC,
    AdaptiveMaxPool2d::SPEC,
    AdaptiveMaxPool3d::SPEC,
];
