//! Means of weights over training steps.

use lanthorn_tensor::{Error, HostNumber, Result, Tensor, no_grad};

/// The rule by which a mean follows the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Averaging {
    /// The mean of all weights so far, as `torch.optim.swa_utils.get_swa_avg_fn`.
    Equal,
    /// `decay * mean + (1 - decay) * weight`, as `torch.optim.swa_utils.get_ema_avg_fn`.
    Exponential(f64),
}

/// Means of weights over training steps, as `torch.optim.swa_utils.AveragedModel`, which often
/// generalize better than the weights (Izmailov et al., 2018).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::optim::averaged::{AveragedModel, Averaging};
/// use lanthorn::Tensor;
/// let w = Tensor::scalar(1.0f32, &device)?;
/// let mean = AveragedModel::new(&[w.clone()], Averaging::Exponential(0.9))?;
/// mean.update(&[w.clone()])?; // the first update copies
/// w.copy_(&Tensor::scalar(2.0f32, &device)?)?;
/// mean.update(&[w])?;
/// assert!((pollster::block_on(mean.tensors()[0].item())? - 1.1).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct AveragedModel {
    tensors: Vec<Tensor>,
    averaging: Averaging,
    n_averaged: HostNumber,
}

impl AveragedModel {
    /// A mean that starts with a copy of these weights.
    ///
    /// # Errors
    ///
    /// `argument` if the decay is not from 0 to 1.
    pub fn new(weights: &[Tensor], averaging: Averaging) -> Result<AveragedModel> {
        if let Averaging::Exponential(decay) = averaging
            && !(0.0..=1.0).contains(&decay)
        {
            return Err(Error::argument("EMA", format!("decay must be from 0 to 1: {decay}")));
        }
        let tensors = weights.iter().map(|tensor| tensor.detach().clone_tensor()).collect::<Result<_>>()?;
        Ok(AveragedModel { tensors, averaging, n_averaged: HostNumber::default() })
    }

    /// The means, in the order of the weights.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The number of updates.
    pub fn n_averaged(&self) -> u64 {
        self.n_averaged.value() as u64
    }

    /// Sets the number of updates, to resume from a checkpoint.
    pub fn set_n_averaged(&self, count: u64) {
        self.n_averaged.set(count as f64);
    }

    /// Updates the means with the current weights. The first update copies them, and integers are
    /// always copied.
    ///
    /// # Errors
    ///
    /// `argument` if there are not as many weights as means; `shape` if a weight has another shape
    /// than its mean.
    pub fn update(&self, weights: &[Tensor]) -> Result<()> {
        if weights.len() != self.tensors.len() {
            let counts = format!("{} weights for {} means", weights.len(), self.tensors.len());
            return Err(Error::argument("AveragedModel", counts));
        }
        let count = self.n_averaged.get();
        let is_first = count == 0.0;
        let share = match self.averaging {
            Averaging::Equal => 1.0 / (count + 1.0),
            Averaging::Exponential(decay) => (1.0 - decay).into(),
        };
        no_grad(|| {
            self.tensors.iter().zip(weights).try_for_each(|(mean, weight)| {
                let weight = weight.detach();
                if is_first || !mean.dtype().is_floating_point() {
                    mean.copy_(&weight)
                } else {
                    mean.lerp_(&weight, share)
                }
            })
        })?;
        self.n_averaged.set(count + 1.0);
        Ok(())
    }
}
