//! Similarities of pictures.

use crate::image::{
    ImageReduction, SimilarityNormalize,
    similarity::{
        Window, multiscale_similarities, noise_ratio_of, noise_sums, reduce_pictures, structural_similarities,
        variations,
    },
};
use lanthorn_tensor::{Result, Tensor};

/// The ratio of the peak signal `data_range` to the noise in decibels, as
/// `torchmetrics.functional.peak_signal_noise_ratio`.
///
/// Defaults: base = 10.
///
/// # Errors
/// `shape` or `argument` if the arguments do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::functional::peak_signal_noise_ratio;
/// let preds = Tensor::full([1, 1, 2, 2], 0.0)?;
/// let target = Tensor::full([1, 1, 2, 2], 0.1)?;
/// let value = peak_signal_noise_ratio(&preds, &target, 1.0, 10.0)?;
/// assert!((pollster::block_on(value.item())? - 20.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn peak_signal_noise_ratio(preds: &Tensor, target: &Tensor, data_range: f64, base: f64) -> Result<Tensor> {
    noise_ratio_of(&noise_sums("peak_signal_noise_ratio", preds, target)?, data_range, base)
}

/// The structural similarity of pictures `[n, channels, height, width]`; without `data_range`, it
/// is the range of the batch, as `torchmetrics.functional.structural_similarity_index_measure`.
///
/// Defaults: gaussian_kernel = true, sigma = 1.5, kernel_size = 11, reduction = 'elementwise_mean',
/// k1 = 0.01, k2 = 0.03.
///
/// # Errors
/// `shape` or `argument` if the arguments do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ImageReduction, functional::structural_similarity_index_measure};
/// let preds = Tensor::full([1, 1, 16, 16], 0.5)?;
/// let target = Tensor::full([1, 1, 16, 16], 0.5)?;
/// let value = structural_similarity_index_measure(
///     &preds, &target, true, 1.5, 11, ImageReduction::ElementwiseMean, Some(1.0), 0.01, 0.03,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn structural_similarity_index_measure(
    preds: &Tensor,
    target: &Tensor,
    gaussian_kernel: bool,
    sigma: f64,
    kernel_size: usize,
    reduction: ImageReduction,
    data_range: Option<f64>,
    k1: f64,
    k2: f64,
) -> Result<Tensor> {
    let window = Window {
        op: "structural_similarity_index_measure",
        is_gaussian: gaussian_kernel,
        sigma,
        kernel_size,
        data_range,
        k1,
        k2,
    };
    reduce_pictures(&structural_similarities(preds, target, &window)?[0], reduction)
}

/// The structural similarity of pictures over five scales, each half the size of the one before, as
/// `torchmetrics.functional.multiscale_structural_similarity_index_measure`.
///
/// Defaults: gaussian_kernel = true, sigma = 1.5, kernel_size = 11, reduction = 'elementwise_mean',
/// k1 = 0.01, k2 = 0.03, normalize = 'relu'.
///
/// # Errors
/// `shape` or `argument` if the arguments do not fit.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ImageReduction, SimilarityNormalize};
/// use lanthorn::metrics::functional::multiscale_structural_similarity_index_measure;
/// let preds = Tensor::full([1, 1, 176, 176], 0.5)?;
/// let target = Tensor::full([1, 1, 176, 176], 0.5)?;
/// let value = multiscale_structural_similarity_index_measure(
///     &preds, &target, true, 1.5, 11, ImageReduction::ElementwiseMean, Some(1.0), 0.01, 0.03,
///     SimilarityNormalize::Relu,
/// )?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn multiscale_structural_similarity_index_measure(
    preds: &Tensor,
    target: &Tensor,
    gaussian_kernel: bool,
    sigma: f64,
    kernel_size: usize,
    reduction: ImageReduction,
    data_range: Option<f64>,
    k1: f64,
    k2: f64,
    normalize: SimilarityNormalize,
) -> Result<Tensor> {
    let window = Window {
        op: "multiscale_structural_similarity_index_measure",
        is_gaussian: gaussian_kernel,
        sigma,
        kernel_size,
        data_range,
        k1,
        k2,
    };
    reduce_pictures(&multiscale_similarities(preds, target, normalize, &window)?[0], reduction)
}

/// The sum of the differences of neighbouring elements of pictures, as
/// `torchmetrics.functional.total_variation`: `img` is `[n, channels, height, width]`.
///
/// Defaults: reduction = 'sum'.
///
/// # Errors
/// `shape` for another rank.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ImageReduction, functional::total_variation};
/// let img = Tensor::from_slice(&[0.0f32, 1.0, 0.0, 1.0], [1, 1, 2, 2], &device)?;
/// assert_eq!(pollster::block_on(total_variation(&img, ImageReduction::Sum)?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn total_variation(img: &Tensor, reduction: ImageReduction) -> Result<Tensor> {
    reduce_pictures(&variations("total_variation", img)?[0], reduction)
}
