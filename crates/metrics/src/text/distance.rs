//! Distances of texts, on the host.

use crate::host::{characters, number_tensor, words};
use lanthorn_tensor::{Error, Result, Tensor};

/// The least number of insertions, deletions and substitutions that make one list the other.
/// Source: V. I. Levenshtein, 1966, by the table of R. A. Wagner and M. J. Fischer, 1974.
pub(crate) fn edits(from: &[String], to: &[String], substitution_cost: usize) -> usize {
    let mut row = vec![0; to.len() + 1];
    for j in 0..to.len() {
        row[j + 1] = j + 1;
    }
    for i in 0..from.len() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..to.len() {
            let above = row[j + 1];
            let cost = if from[i] == to[j] { 0 } else { substitution_cost };
            row[j + 1] = (diagonal + cost).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[to.len()]
}

/// # Errors
/// `argument` if there are more texts of one kind.
pub(crate) fn check_texts(op: &str, preds: usize, target: usize) -> Result<()> {
    if preds != target {
        return Err(Error::argument(op, format!("preds has {preds} texts and target {target}")));
    }
    Ok(())
}

/// The numbers of edits and of the targets' words.
pub(crate) fn word_errors(op: &str, preds: &[String], target: &[String]) -> Result<Vec<Tensor>> {
    check_texts(op, preds.len(), target.len())?;
    let mut errors = 0;
    let mut total = 0;
    for i in 0..preds.len() {
        let expected = words(&target[i]);
        errors += edits(&words(&preds[i]), &expected, 1);
        total += expected.len();
    }
    Ok(vec![number_tensor(errors as f64)?, number_tensor(total as f64)?])
}

/// The numbers of edits and of the targets' characters.
pub(crate) fn character_errors(op: &str, preds: &[String], target: &[String]) -> Result<Vec<Tensor>> {
    check_texts(op, preds.len(), target.len())?;
    let mut errors = 0;
    let mut total = 0;
    for i in 0..preds.len() {
        let expected = characters(&target[i]);
        errors += edits(&characters(&preds[i]), &expected, 1);
        total += expected.len();
    }
    Ok(vec![number_tensor(errors as f64)?, number_tensor(total as f64)?])
}

/// The number of edits of each pair of texts.
pub(crate) fn text_edits(
    op: &str,
    preds: &[String],
    target: &[String],
    substitution_cost: usize,
) -> Result<Vec<Tensor>> {
    check_texts(op, preds.len(), target.len())?;
    let mut distances = vec![];
    for i in 0..preds.len() {
        let distance = edits(&characters(&preds[i]), &characters(&target[i]), substitution_cost);
        distances.push(number_tensor(distance as f64)?);
    }
    Ok(vec![Tensor::stack(&distances, 0)?])
}
