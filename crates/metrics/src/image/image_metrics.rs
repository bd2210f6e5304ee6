//! Metrics of pictures.

use super::similarity::{
    ImageReduction, SimilarityNormalize, Window, multiscale_similarities, noise_ratio_of, noise_sums, reduce_pictures,
    structural_similarities, variations,
};
use crate::{
    Merging, Metric,
    host::State,
    metric::{add_entry, merged_state},
};
use lanthorn_tensor::{Result, Tensor};

/// The ratio of the peak signal `data_range` to the noise in decibels, as
/// `torchmetrics.PeakSignalNoiseRatio`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{Metric, PeakSignalNoiseRatio};
/// let preds = Tensor::full([1, 1, 2, 2], 0.0)?;
/// let target = Tensor::full([1, 1, 2, 2], 0.1)?;
/// let metric = PeakSignalNoiseRatio::new(1.0, 10.0)?;
/// metric.update(&preds, &target)?;
/// assert!((pollster::block_on(metric.compute()?.item())? - 20.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct PeakSignalNoiseRatio {
    data_range: f64,
    base: f64,
    state: State,
}

impl PeakSignalNoiseRatio {
    /// The metric with an empty state.
    ///
    /// Defaults: base = 10.
    ///
    /// # Errors
    /// `argument` if an option does not fit.
    pub fn new(data_range: f64, base: f64) -> Result<PeakSignalNoiseRatio> {
        Ok(PeakSignalNoiseRatio { data_range, base, state: State::new() })
    }
}

impl Metric for PeakSignalNoiseRatio {
    fn name(&self) -> &'static str {
        "PeakSignalNoiseRatio"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        noise_sums("PeakSignalNoiseRatio", preds, target)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        noise_ratio_of(state, self.data_range, self.base)
    }
}

/// The structural similarity of pictures `[n, channels, height, width]`; without `data_range`, it
/// is the range of the batch, as `torchmetrics.StructuralSimilarityIndexMeasure`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ImageReduction, Metric, StructuralSimilarityIndexMeasure};
/// let preds = Tensor::full([1, 1, 16, 16], 0.5)?;
/// let target = Tensor::full([1, 1, 16, 16], 0.5)?;
/// let metric = StructuralSimilarityIndexMeasure::new(
///     true, 1.5, 11, ImageReduction::ElementwiseMean, Some(1.0), 0.01, 0.03,
/// )?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct StructuralSimilarityIndexMeasure {
    window: Window,
    reduction: ImageReduction,
    state: State,
}

impl StructuralSimilarityIndexMeasure {
    /// The metric with an empty state.
    ///
    /// Defaults: gaussian_kernel = true, sigma = 1.5, kernel_size = 11,
    /// reduction = 'elementwise_mean', k1 = 0.01, k2 = 0.03.
    ///
    /// # Errors
    /// `argument` if an option does not fit.
    pub fn new(
        gaussian_kernel: bool,
        sigma: f64,
        kernel_size: usize,
        reduction: ImageReduction,
        data_range: Option<f64>,
        k1: f64,
        k2: f64,
    ) -> Result<StructuralSimilarityIndexMeasure> {
        let window = Window {
            op: "StructuralSimilarityIndexMeasure",
            is_gaussian: gaussian_kernel,
            sigma,
            kernel_size,
            data_range,
            k1,
            k2,
        };
        window.check()?;
        Ok(StructuralSimilarityIndexMeasure { window, reduction, state: State::new() })
    }
}

impl Metric for StructuralSimilarityIndexMeasure {
    fn name(&self) -> &'static str {
        "StructuralSimilarityIndexMeasure"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        Merging::Cat
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        structural_similarities(preds, target, &self.window)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_pictures(&state[0], self.reduction)
    }
}

/// The structural similarity of pictures over five scales, each half the size of the one before, as
/// `torchmetrics.MultiScaleStructuralSimilarityIndexMeasure`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ImageReduction, Metric, SimilarityNormalize};
/// use lanthorn::metrics::MultiScaleStructuralSimilarityIndexMeasure;
/// let preds = Tensor::full([1, 1, 176, 176], 0.5)?;
/// let target = Tensor::full([1, 1, 176, 176], 0.5)?;
/// let metric = MultiScaleStructuralSimilarityIndexMeasure::new(
///     true, 1.5, 11, ImageReduction::ElementwiseMean, Some(1.0), 0.01, 0.03,
///     SimilarityNormalize::Relu,
/// )?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct MultiScaleStructuralSimilarityIndexMeasure {
    window: Window,
    reduction: ImageReduction,
    normalize: SimilarityNormalize,
    state: State,
}

impl MultiScaleStructuralSimilarityIndexMeasure {
    /// The metric with an empty state.
    ///
    /// Defaults: gaussian_kernel = true, sigma = 1.5, kernel_size = 11,
    /// reduction = 'elementwise_mean', k1 = 0.01, k2 = 0.03, normalize = 'relu'.
    ///
    /// # Errors
    /// `argument` if an option does not fit.
    pub fn new(
        gaussian_kernel: bool,
        sigma: f64,
        kernel_size: usize,
        reduction: ImageReduction,
        data_range: Option<f64>,
        k1: f64,
        k2: f64,
        normalize: SimilarityNormalize,
    ) -> Result<MultiScaleStructuralSimilarityIndexMeasure> {
        let window = Window {
            op: "MultiScaleStructuralSimilarityIndexMeasure",
            is_gaussian: gaussian_kernel,
            sigma,
            kernel_size,
            data_range,
            k1,
            k2,
        };
        window.check()?;
        Ok(MultiScaleStructuralSimilarityIndexMeasure { window, reduction, normalize, state: State::new() })
    }
}

impl Metric for MultiScaleStructuralSimilarityIndexMeasure {
    fn name(&self) -> &'static str {
        "MultiScaleStructuralSimilarityIndexMeasure"
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn merging(&self) -> Merging {
        Merging::Cat
    }

    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>> {
        multiscale_similarities(preds, target, self.normalize, &self.window)
    }

    fn result(&self, state: &[Tensor]) -> Result<Tensor> {
        reduce_pictures(&state[0], self.reduction)
    }
}

/// The sum of the differences of neighbouring elements of pictures, as
/// `torchmetrics.TotalVariation`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{ImageReduction, TotalVariation};
/// let metric = TotalVariation::new(ImageReduction::Sum)?;
/// metric.update(&Tensor::from_slice(&[0.0f32, 1.0, 0.0, 1.0], [1, 1, 2, 2], &device)?)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct TotalVariation {
    reduction: ImageReduction,
    state: State,
}

impl TotalVariation {
    /// The metric with an empty state.
    ///
    /// Defaults: reduction = 'sum'.
    ///
    /// # Errors
    /// None.
    pub fn new(reduction: ImageReduction) -> Result<TotalVariation> {
        Ok(TotalVariation { reduction, state: State::new() })
    }

    /// Adds pictures, `[n, channels, height, width]`.
    ///
    /// # Errors
    /// `shape` for another rank.
    pub fn update(&self, img: &Tensor) -> Result<()> {
        add_entry(&self.state, Merging::Cat, &variations("TotalVariation", img)?)
    }

    /// The value of all pictures.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        reduce_pictures(&merged_state("TotalVariation", &self.state)?[0], self.reduction)
    }

    /// Forgets all pictures.
    pub fn reset(&self) {
        self.state.clear();
    }
}
