//! Modules that change shapes or move elements.

use crate::{
    Layer, Module,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::functional;
use lanthorn_tensor::{Result, Tensor};

/// Flattens dimensions `start_dim` to `end_dim`; by default all but the batch.
#[functional("Flatten(int start_dim=1, int end_dim=-1) -> Module", op = "flatten")]
pub struct Flatten;

/// Splits dimension `dim` into dimensions of sizes `unflattened_size`.
#[functional("Unflatten(int dim, int[] unflattened_size) -> Module", op = "unflatten(sizes=unflattened_size)")]
pub struct Unflatten;

/// Sums the columns `[N, C * kernel taps, windows]` of an image into `[N, C, H, W]`.
#[functional(
    "Fold(int[] output_size, int[] kernel_size, int[] dilation=1, int[] padding=0, int[] stride=1) -> Module",
    op = "fold"
)]
pub struct Fold;

/// The windows of an image `[N, C, H, W]` as columns, `[N, C * kernel taps, windows]`.
#[functional("Unfold(int[] kernel_size, int[] dilation=1, int[] padding=0, int[] stride=1) -> Module", op = "im2col")]
pub struct Unfold;

/// Rearranges channels `[.., C * r * r, H, W]` into an image `r` times as large.
#[functional("PixelShuffle(int upscale_factor) -> Module", op = "pixel_shuffle")]
pub struct PixelShuffle;

/// Rearranges an image into channels `[.., C * r * r, H / r, W / r]`.
#[functional("PixelUnshuffle(int downscale_factor) -> Module", op = "pixel_unshuffle")]
pub struct PixelUnshuffle;

/// Interleaves the channels of `groups` groups: the first of each, the second of each, and so on.
#[functional("ChannelShuffle(int groups) -> Module", op = "channel_shuffle")]
pub struct ChannelShuffle;

/// Resizes `[N, C, ..]` by a factor or to `size`, with the modes of
/// [`Tensor::interpolate`](lanthorn_tensor::Tensor::interpolate).
#[functional(
    "Upsample(int[]? size=None, float[]? scale_factor=None, str{nearest|linear|bilinear|bicubic|trilinear|area|nearest-exact} mode=\"nearest\", bool? align_corners=None, bool? recompute_scale_factor=None) -> Module",
    op = "interpolate"
)]
pub struct Upsample;

/// Enlarges images by repeating the nearest element.
#[functional(
    "UpsamplingNearest2d(int[]? size=None, float[]? scale_factor=None) -> Module",
    op = "interpolate(mode=\"nearest\")"
)]
pub struct UpsamplingNearest2d;

/// Enlarges images by bilinear interpolation, with corners aligned.
#[functional(
    "UpsamplingBilinear2d(int[]? size=None, float[]? scale_factor=None) -> Module",
    op = "interpolate(mode=\"bilinear\", align_corners=true)"
)]
pub struct UpsamplingBilinear2d;

/// The cosine of the angle of vectors along `dim`.
#[functional(
    "CosineSimilarity(int dim=1, float eps=1e-8) -> Module",
    "forward(Tensor x1, Tensor x2) -> Tensor",
    op = "cosine_similarity"
)]
pub struct CosineSimilarity;

/// The `p`-norm of the difference of vectors along the last dimension.
#[functional(
    "PairwiseDistance(float p=2.0, float eps=1e-6, bool keepdim=False) -> Module",
    "forward(Tensor x1, Tensor x2) -> Tensor",
    op = "pairwise_distance"
)]
pub struct PairwiseDistance;

/// Returns its input.
#[derive(Module)]
pub struct Identity;

impl Layer for Identity {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        Ok(input.clone())
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: "Identity() -> Module",
        forward: Identity::FORWARD,
        tensors: tensors(Identity::TENSORS),
        doc: documentation("Returns its input."),
        make: Constructor::Type(|_, _| Ok(Box::new(Identity))),
    },
    Flatten::SPEC,
    Unflatten::SPEC,
    Fold::SPEC,
    Unfold::SPEC,
    PixelShuffle::SPEC,
    PixelUnshuffle::SPEC,
    ChannelShuffle::SPEC,
    Upsample::SPEC,
    UpsamplingNearest2d::SPEC,
    UpsamplingBilinear2d::SPEC,
    CosineSimilarity::SPEC,
    PairwiseDistance::SPEC,
];
