//! Scores of texts.

use crate::{
    regression::{Reduction, errors::reduce_rows},
    text::{
        bleu::{bleu_counts, bleu_of},
        distance::{character_errors, text_edits, word_errors},
    },
};
use lanthorn_tensor::{Result, Tensor};

/// The number of edits of words that make predictions the targets, divided by the number of words
/// of the targets, as `torchmetrics.functional.word_error_rate`. The result is on the default
/// device.
///
/// # Errors
/// `argument` if there are more texts of one kind.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::functional::word_error_rate;
/// let preds = ["the cat".to_string()];
/// let target = ["the dog".to_string()];
/// let value = word_error_rate(&preds, &target)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn word_error_rate(preds: &[String], target: &[String]) -> Result<Tensor> {
    let state = word_errors("word_error_rate", preds, target)?;
    &state[0] / &state[1]
}

/// The number of edits of characters that make predictions the targets, divided by the number of
/// characters of the targets, as `torchmetrics.functional.char_error_rate`. The result is on the
/// default device.
///
/// # Errors
/// `argument` if there are more texts of one kind.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::functional::char_error_rate;
/// let preds = ["the cat".to_string()];
/// let target = ["the dog".to_string()];
/// let value = char_error_rate(&preds, &target)?;
/// assert!((pollster::block_on(value.item())? - 3.0 / 7.0).abs() < 1e-6);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn char_error_rate(preds: &[String], target: &[String]) -> Result<Tensor> {
    let state = character_errors("char_error_rate", preds, target)?;
    &state[0] / &state[1]
}

/// The number of edits of characters between predictions and targets, as
/// `torchmetrics.functional.edit_distance`. The result is on the default device.
///
/// Defaults: substitution_cost = 1, reduction = 'mean'.
///
/// # Errors
/// `argument` if there are more texts of one kind.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::{Reduction, functional::edit_distance};
/// let preds = ["the cat".to_string()];
/// let target = ["the dog".to_string()];
/// let value = edit_distance(&preds, &target, 1, Reduction::Mean)?;
/// assert_eq!(pollster::block_on(value.item())?, 3.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn edit_distance(
    preds: &[String],
    target: &[String],
    substitution_cost: usize,
    reduction: Reduction,
) -> Result<Tensor> {
    let state = text_edits("edit_distance", preds, target, substitution_cost)?;
    reduce_rows(&state[0], reduction)
}

/// The BLEU score of translations, each with several targets, as
/// `torchmetrics.functional.bleu_score`. The result is on the default device.
///
/// Defaults: n_gram = 4, smooth = false.
///
/// # Errors
/// `argument` if there are more texts of one kind.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::metrics::functional::bleu_score;
/// let preds = ["the cat is on the mat".to_string()];
/// let target = [vec!["the cat is on the mat".to_string()]];
/// let value = bleu_score(&preds, &target, 4, false)?;
/// assert_eq!(pollster::block_on(value.item())?, 1.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn bleu_score(preds: &[String], target: &[Vec<String>], n_gram: usize, smooth: bool) -> Result<Tensor> {
    let state = bleu_counts("bleu_score", preds, target, n_gram)?;
    bleu_of(&state, smooth)
}
