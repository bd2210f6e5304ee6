//! The trait of metrics of predictions and targets.
//!
//! A metric is two pure functions: of a batch to its state, and of a state to the value. Updates,
//! values of a batch and states of several processes follow from them. Rejected: an update that
//! adds to the fields of each metric, as torchmetrics has it, which every metric would write again.

use crate::host::State;
use lanthorn_macros::property;
use lanthorn_tensor::{Error, Result, Tensor};

/// How two states become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// Their tensors are added.
    Sum,
    /// Their tensors are joined along the first dimension when the value is computed.
    Cat,
}

/// A metric of predictions and targets, as `torchmetrics.Metric`.
///
/// ```
/// # let device = lanthorn::cpu();
/// # use lanthorn::Tensor;
/// use lanthorn::metrics::{MeanAbsoluteError, Metric};
/// let metric = MeanAbsoluteError::new(1)?;
/// let target = Tensor::from_slice(&[0.0f32, 0.0], [2], &device)?;
/// metric.update(&Tensor::from_slice(&[1.0f32, 1.0], [2], &device)?, &target)?;
/// metric.update(&Tensor::from_slice(&[3.0f32, 3.0], [2], &device)?, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 2.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait Metric {
    /// The name of the type.
    #[property]
    fn name(&self) -> &'static str;

    /// The state of all updates since the last [`reset`](Metric::reset).
    #[property]
    fn state(&self) -> &State;

    /// The state of one batch, without the metric's own.
    ///
    /// # Errors
    /// `shape` or `argument` if the tensors do not fit.
    fn batch_state(&self, preds: &Tensor, target: &Tensor) -> Result<Vec<Tensor>>;

    /// The value of a state.
    ///
    /// # Errors
    /// The errors of the operations.
    fn result(&self, state: &[Tensor]) -> Result<Tensor>;

    /// How the states of two batches become one.
    #[property]
    fn merging(&self) -> Merging {
        Merging::Sum
    }

    /// The state of the batches of two states whose tensors are added.
    ///
    /// # Errors
    /// `shape` if their tensors differ.
    fn merge(&self, first: &[Tensor], second: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut merged = vec![];
        for i in 0..first.len() {
            merged.push((&first[i] + &second[i])?);
        }
        Ok(merged)
    }

    /// Adds the state of a batch to the metric's.
    ///
    /// # Errors
    /// The errors of [`merge`](Metric::merge).
    fn add_state(&self, batch: &[Tensor]) -> Result<()> {
        let state = self.state();
        if self.merging() == Merging::Cat || state.count() == 0 {
            state.push(batch);
            return Ok(());
        }
        let merged = self.merge(&state.entry(0), batch)?;
        state.clear();
        state.push(&merged);
        Ok(())
    }

    /// Adds a batch.
    ///
    /// # Errors
    /// `shape` or `argument` if the tensors do not fit.
    fn update(&self, preds: &Tensor, target: &Tensor) -> Result<()> {
        self.add_state(&self.batch_state(preds, target)?)
    }

    /// The value of all batches.
    ///
    /// # Errors
    /// `argument` before the first update.
    fn compute(&self) -> Result<Tensor> {
        self.result(&merged_state(self.name(), self.state())?)
    }

    /// Adds a batch, and returns the value of this batch alone.
    ///
    /// # Errors
    /// `shape` or `argument` if the tensors do not fit.
    fn forward(&self, preds: &Tensor, target: &Tensor) -> Result<Tensor> {
        let batch = self.batch_state(preds, target)?;
        self.add_state(&batch)?;
        self.result(&batch)
    }

    /// Adds the state of another metric of the same type and settings, as of another process.
    ///
    /// # Errors
    /// `argument` for another type.
    fn merge_state(&self, other: &dyn Metric) -> Result<()> {
        if self.name() != other.name() {
            let message = format!("the state of {} is no state of {}", other.name(), self.name());
            return Err(Error::argument("merge_state", message));
        }
        let state = other.state();
        for i in 0..state.count() {
            self.add_state(&state.entry(i))?;
        }
        Ok(())
    }

    /// Forgets all batches.
    fn reset(&self) {
        self.state().clear();
    }
}

/// The entries of a state as one, joined along the first dimension.
///
/// # Errors
/// `argument` for an empty state.
pub(crate) fn merged_state(name: &str, state: &State) -> Result<Vec<Tensor>> {
    if state.count() == 0 {
        return Err(Error::argument(name, "compute needs an update before it"));
    }
    let first = state.entry(0);
    if state.count() == 1 {
        return Ok(first);
    }
    let mut merged = vec![];
    for i in 0..first.len() {
        let mut parts = vec![];
        for j in 0..state.count() {
            parts.push(state.entry(j)[i].clone());
        }
        merged.push(Tensor::cat(&parts, 0)?);
    }
    Ok(merged)
}

/// Adds the tensors of a batch to a state, by their sum or as another entry.
///
/// # Errors
/// `shape` if the tensors differ in shape from the state's.
pub(crate) fn add_entry(state: &State, merging: Merging, batch: &[Tensor]) -> Result<()> {
    if merging == Merging::Cat || state.count() == 0 {
        state.push(batch);
        return Ok(());
    }
    let known = state.entry(0);
    let mut merged = vec![];
    for i in 0..batch.len() {
        merged.push((&known[i] + &batch[i])?);
    }
    state.clear();
    state.push(&merged);
    Ok(())
}
