//! Metrics of texts.

use super::{
    bleu::{bleu_counts, bleu_of},
    distance::{character_errors, text_edits, word_errors},
};
use crate::{
    Merging,
    host::State,
    metric::{add_entry, merged_state},
    regression::{Reduction, errors::reduce_rows},
};
use lanthorn_tensor::{Result, Tensor};

/// The number of edits of words that make predictions the targets, divided by the number of words
/// of the targets, as `torchmetrics.text.WordErrorRate`. Values are on the default device.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::WordErrorRate;
/// let preds = ["the cat".to_string()];
/// let target = ["the dog".to_string()];
/// let metric = WordErrorRate::new()?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct WordErrorRate {
    state: State,
}

impl WordErrorRate {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// None.
    pub fn new() -> Result<WordErrorRate> {
        Ok(WordErrorRate { state: State::new() })
    }

    /// Adds texts.
    ///
    /// # Errors
    /// `argument` if there are more texts of one kind.
    pub fn update(&self, preds: &[String], target: &[String]) -> Result<()> {
        let batch = word_errors("WordErrorRate", preds, target)?;
        add_entry(&self.state, Merging::Sum, &batch)
    }

    /// The value of all texts.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("WordErrorRate", &self.state)?;
        &state[0] / &state[1]
    }

    /// Forgets all texts.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// The number of edits of characters that make predictions the targets, divided by the number of
/// characters of the targets, as `torchmetrics.text.CharErrorRate`. Values are on the default
/// device.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::CharErrorRate;
/// let preds = ["the cat".to_string()];
/// let target = ["the dog".to_string()];
/// let metric = CharErrorRate::new()?;
/// metric.update(&preds, &target)?;
/// assert!((pollster::block_on(metric.compute()?.item())? - 3.0 / 7.0).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct CharErrorRate {
    state: State,
}

impl CharErrorRate {
    /// The metric with an empty state.
    ///
    /// # Errors
    /// None.
    pub fn new() -> Result<CharErrorRate> {
        Ok(CharErrorRate { state: State::new() })
    }

    /// Adds texts.
    ///
    /// # Errors
    /// `argument` if there are more texts of one kind.
    pub fn update(&self, preds: &[String], target: &[String]) -> Result<()> {
        let batch = character_errors("CharErrorRate", preds, target)?;
        add_entry(&self.state, Merging::Sum, &batch)
    }

    /// The value of all texts.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("CharErrorRate", &self.state)?;
        &state[0] / &state[1]
    }

    /// Forgets all texts.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// The number of edits of characters between predictions and targets, as
/// `torchmetrics.text.EditDistance`. Values are on the default device.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::{EditDistance, Reduction};
/// let preds = ["the cat".to_string()];
/// let target = ["the dog".to_string()];
/// let metric = EditDistance::new(1, Reduction::Mean)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct EditDistance {
    substitution_cost: usize,
    reduction: Reduction,
    state: State,
}

impl EditDistance {
    /// The metric with an empty state.
    ///
    /// Defaults: substitution_cost = 1, reduction = 'mean'.
    ///
    /// # Errors
    /// None.
    pub fn new(substitution_cost: usize, reduction: Reduction) -> Result<EditDistance> {
        Ok(EditDistance { substitution_cost, reduction, state: State::new() })
    }

    /// Adds texts.
    ///
    /// # Errors
    /// `argument` if there are more texts of one kind.
    pub fn update(&self, preds: &[String], target: &[String]) -> Result<()> {
        let batch = text_edits("EditDistance", preds, target, self.substitution_cost)?;
        add_entry(&self.state, Merging::Cat, &batch)
    }

    /// The value of all texts.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("EditDistance", &self.state)?;
        reduce_rows(&state[0], self.reduction)
    }

    /// Forgets all texts.
    pub fn reset(&self) {
        self.state.clear();
    }
}

/// The BLEU score of translations, each with several targets, as `torchmetrics.text.BLEUScore`.
/// Values are on the default device.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::BLEUScore;
/// let preds = ["the cat is on the mat".to_string()];
/// let target = [vec!["the cat is on the mat".to_string()]];
/// let metric = BLEUScore::new(4, false)?;
/// metric.update(&preds, &target)?;
/// assert_eq!(pollster::block_on(metric.compute()?.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct BLEUScore {
    n_gram: usize,
    smooth: bool,
    state: State,
}

impl BLEUScore {
    /// The metric with an empty state.
    ///
    /// Defaults: n_gram = 4, smooth = false.
    ///
    /// # Errors
    /// None.
    pub fn new(n_gram: usize, smooth: bool) -> Result<BLEUScore> {
        Ok(BLEUScore { n_gram, smooth, state: State::new() })
    }

    /// Adds texts.
    ///
    /// # Errors
    /// `argument` if there are more texts of one kind.
    pub fn update(&self, preds: &[String], target: &[Vec<String>]) -> Result<()> {
        let batch = bleu_counts("BLEUScore", preds, target, self.n_gram)?;
        add_entry(&self.state, Merging::Sum, &batch)
    }

    /// The value of all texts.
    ///
    /// # Errors
    /// `argument` before the first update.
    pub fn compute(&self) -> Result<Tensor> {
        let state = merged_state("BLEUScore", &self.state)?;
        bleu_of(&state, self.smooth)
    }

    /// Forgets all texts.
    pub fn reset(&self) {
        self.state.clear();
    }
}
