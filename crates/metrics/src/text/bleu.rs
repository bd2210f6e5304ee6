//! The BLEU score. Source: K. Papineni and others, "BLEU: a method for automatic evaluation of
//! machine translation", 2002.

use super::distance::check_texts;
use crate::host::{number_tensor, words};
use lanthorn_tensor::{Result, Tensor};

/// The number of runs of words that are one run.
fn count_run(tokens: &[String], run: &[String]) -> usize {
    let mut count = 0;
    for start in 0..tokens.len() {
        if is_run_at(tokens, start, run) {
            count += 1;
        }
    }
    count
}

fn is_run_at(tokens: &[String], start: usize, run: &[String]) -> bool {
    if start + run.len() > tokens.len() {
        return false;
    }
    for i in 0..run.len() {
        if tokens[start + i] != run[i] {
            return false;
        }
    }
    true
}

/// Whether a run begins for the first time at a position.
fn is_first(tokens: &[String], start: usize, length: usize) -> bool {
    let run = tokens[start..start + length].to_vec();
    for earlier in 0..start {
        if is_run_at(tokens, earlier, &run) {
            return false;
        }
    }
    true
}

/// The number of runs of a length that targets have too, each as often as in one target at most.
fn matched_runs(tokens: &[String], targets: &[Vec<String>], length: usize) -> usize {
    let mut matched = 0;
    for start in 0..(tokens.len() + 1).saturating_sub(length) {
        if is_first(tokens, start, length) {
            let run = tokens[start..start + length].to_vec();
            let mut most = 0;
            for target in targets {
                most = most.max(count_run(target, &run));
            }
            matched += most.min(count_run(tokens, &run));
        }
    }
    matched
}

/// The length of the target that differs least from the length of the prediction.
fn nearest_length(length: usize, targets: &[Vec<String>]) -> usize {
    let mut nearest = targets[0].len();
    for target in targets {
        let distance = (target.len() as f64 - length as f64).abs();
        if distance < (nearest as f64 - length as f64).abs() {
            nearest = target.len();
        }
    }
    nearest
}

/// The matched runs and all runs of each length, and the lengths of predictions and of targets:
/// `[n_gram]`, `[n_gram]`, `[]` and `[]`.
pub(crate) fn bleu_counts(op: &str, preds: &[String], target: &[Vec<String>], n_gram: usize) -> Result<Vec<Tensor>> {
    check_texts(op, preds.len(), target.len())?;
    let mut matched = vec![0; n_gram];
    let mut total = vec![0; n_gram];
    let mut preds_length = 0;
    let mut target_length = 0;
    for i in 0..preds.len() {
        let tokens = words(&preds[i]);
        let mut targets = vec![];
        for text in &target[i] {
            targets.push(words(text));
        }
        preds_length += tokens.len();
        target_length += nearest_length(tokens.len(), &targets);
        for n in 0..n_gram {
            matched[n] += matched_runs(&tokens, &targets, n + 1);
            total[n] += tokens.len().saturating_sub(n);
        }
    }
    let mut numerators = vec![];
    let mut denominators = vec![];
    for n in 0..n_gram {
        numerators.push(number_tensor(matched[n] as f64)?);
        denominators.push(number_tensor(total[n] as f64)?);
    }
    Ok(vec![
        Tensor::stack(&numerators, 0)?,
        Tensor::stack(&denominators, 0)?,
        number_tensor(preds_length as f64)?,
        number_tensor(target_length as f64)?,
    ])
}

/// The score of counts: 0 if runs of a length have no match.
pub(crate) fn bleu_of(state: &[Tensor], smooth: bool) -> Result<Tensor> {
    let (numerator, denominator) = (&state[0], &state[1]);
    let plain = (numerator / denominator)?;
    let length = numerator.shape()[0] as i64;
    let precision = if smooth && length > 1 {
        let smoothed = ((numerator + 1.0)? / (denominator + 1.0)?)?;
        Tensor::cat(&[plain.narrow(0, 0, 1)?, smoothed.narrow(0, 1, length - 1)?], 0)?
    } else {
        plain
    };
    let score = precision.log()?.mean((), false)?.exp()?;
    let penalty = (1.0 - &(&state[3] / &state[2])?)?.clamp_max(0)?.exp()?;
    (score * penalty)?.masked_fill(&numerator.amin((), false)?.eq(0)?, 0)
}
