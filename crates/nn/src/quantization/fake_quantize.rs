//! Rounding to an observed grid, for quantization-aware training.

use super::{Observer, QParams, QRange};
use lanthorn_tensor::{Result, Tensor};

/// Rounds tensors to the grid of an observer, which notes the range of the same tensor before, as
/// `torch.ao.quantization.FakeQuantize`. Gradients pass where a number is within the range.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::quantization::{FakeQuantize, MinMaxObserver, QRange, QScheme};
/// use lanthorn::Tensor;
/// let observer = MinMaxObserver::new(QScheme::Affine, QRange { min: 0, max: 3 });
/// let mut round = FakeQuantize::new(observer);
/// let y = round.apply(&Tensor::from_slice(&[-1.0f32, 0.4, 2.0], [3], &device)?)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [-1.0, 0.0, 2.0]);
/// round.observer_enabled = false;
/// let y = round.apply(&Tensor::from_slice(&[9.0f32], [1], &device)?)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct FakeQuantize<O> {
    observer: O,
    /// Whether the range is noted; if not, the grid stays as it is.
    pub observer_enabled: bool,
    /// Whether tensors are rounded; if not, they are given back.
    pub fake_quant_enabled: bool,
}

impl<O: Observer> FakeQuantize<O> {
    /// Rounding to the grid of an observer.
    pub fn new(observer: O) -> FakeQuantize<O> {
        FakeQuantize { observer, observer_enabled: true, fake_quant_enabled: true }
    }

    /// The observer.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The rounded tensor.
    ///
    /// # Errors
    ///
    /// The errors of the observer, and `dtype` for a tensor that is not floating point.
    pub fn apply(&mut self, x: &Tensor) -> Result<Tensor> {
        if self.observer_enabled {
            self.observer.observe(x)?;
        }
        if !self.fake_quant_enabled || x.numel() == 0 {
            return Ok(x.clone());
        }
        let (QParams { scale, zero_point }, QRange { min, max }) =
            (self.observer.calculate_qparams()?, self.observer.range());
        match self.observer.channel_axis() {
            Some(axis) => x.fake_quantize_per_channel_affine(&scale, &zero_point, axis, min, max),
            None => x.fake_quantize_per_tensor_affine_tensor_qparams(&scale, &zero_point, min, max),
        }
    }
}
