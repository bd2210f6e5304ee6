//! The sizes of the steps of a generation, and the choice of the next token on the device.

use super::config::DecoderConfig;
use lanthorn_macros::record;
use lanthorn_tensor::{DType, Result, Tensor};

/// The smallest chunk for the end of a prompt.
const MIN_CHUNK: usize = 16;

/// The size of the next chunk of a prompt, if `left` tokens remain and the cache has `room` for
/// more: `most`, or a fourth of it, and so on, but at least 16 if there is room. Up to a quarter of
/// a chunk is padding, for fewer calls.
pub(crate) fn chunk_of(most: usize, left: usize, room: usize) -> usize {
    if (4 * left < 3 * most || most > room) && most / 4 >= MIN_CHUNK {
        return chunk_of(most / 4, left, room);
    }
    most.min(room).max(1)
}

/// The most padding after a prompt.
pub(crate) fn padding_of(chunk: usize) -> usize {
    (chunk / 4).max(MIN_CHUNK - 1)
}

/// The capacity of a cache for this many tokens, and for up to `more` as long as they change no
/// result: up to the learned positions, or to the length from which texts have other frequencies.
pub(crate) fn capacity_for(config: &DecoderConfig, tokens: usize, more: usize) -> usize {
    let mut capacity = tokens + more;
    if config.ropes.is_empty() && tokens <= config.max_positions {
        capacity = capacity.min(config.max_positions);
    }
    for rope in config.ropes.iter() {
        let bound = rope.original_length as usize;
        if rope.long_inverse_frequencies.is_some() && tokens <= bound {
            capacity = capacity.min(bound);
        }
    }
    capacity
}

/// Whether the last `size` ids also begin at `start`.
fn is_repeated(ids: &[i64], start: usize, size: usize) -> bool {
    for index in 0..size {
        if ids[start + index] != ids[ids.len() - size + index] {
            return false;
        }
    }
    true
}

/// `count` tokens that followed the last occurrence of the text's last `max_ngram` tokens, else of
/// fewer. After Apoorv Saxena, "Prompt Lookup Decoding" (2023).
pub(crate) fn look_up(ids: &[i64], count: usize, max_ngram: usize) -> Vec<i64> {
    let most = max_ngram.min(ids.len().saturating_sub(1));
    for size in (1..most + 1).rev() {
        for start in (0..ids.len() - size).rev() {
            if is_repeated(ids, start, size) {
                // Where the text ends, it repeats from there.
                let first = start + size;
                return (0..count).map(|index| ids[first + index % (ids.len() - first)]).collect();
            }
        }
    }
    vec![]
}

/// The most tokens that are computed one by one before candidates are tried again.
const LONGEST_PAUSE: usize = 16;

/// The number of tokens that are computed one by one after `accepted` of `count` candidates, if the
/// last such pause took `length`. A pause is twice as long as the one before.
pub(crate) fn pause_of(accepted: usize, count: usize, length: usize) -> usize {
    if 3 * accepted < count { (2 * length).clamp(1, LONGEST_PAUSE) } else { 0 }
}

/// Which steps the choice of a token has, and the number of the most likely tokens: these are part
/// of the kernels. The settings that are numbers are data.
#[record]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChoiceSteps {
    pub do_sample: bool,
    pub top_k: usize,
    pub uses_top_p: bool,
    pub uses_min_p: bool,
}

/// Logits with penalties for tokens of the prompt, `prompted`, and for generated ones, `counts`:
/// `[batch, vocab_size]`. `numbers` are the temperature, top p, min p and the three penalties.
pub(crate) fn penalize(logits: &Tensor, prompted: &Tensor, counts: &Tensor, numbers: &Tensor) -> Result<Tensor> {
    let (repetition, frequency) = (numbers.select(0, 3)?, numbers.select(0, 4)?);
    let repeated = Tensor::r#where(&logits.lt(0.0)?, &logits.mul(&repetition)?, &logits.div(&repetition)?)?;
    let changed = Tensor::r#where(&prompted.add(counts)?.gt(0.0)?, &repeated, logits)?;
    let presence = counts.gt(0.0)?.to(DType::F32)?.mul(&numbers.select(0, 5)?)?;
    changed.sub(&counts.mul(&frequency)?)?.sub(&presence)
}

/// The likely tokens' logits in descending order with their ids, or all in their own order.
fn likely_tokens(logits: &Tensor, steps: &ChoiceSteps) -> Result<(Tensor, Option<Tensor>)> {
    if steps.top_k > 0 && steps.top_k < logits.shape()[1] {
        let (values, ids) = logits.topk(steps.top_k as i64, -1, true, true)?;
        return Ok((values, Some(ids)));
    }
    if steps.uses_top_p {
        let (values, ids) = logits.sort(-1, true)?;
        return Ok((values, Some(ids)));
    }
    Ok((logits.clone(), None))
}

/// A token of each row, where the sum of probabilities passes a random number from 0 to 1:
/// `uniform: [batch]`.
pub(crate) fn draw(logits: &Tensor, uniform: &Tensor, numbers: &Tensor, steps: &ChoiceSteps) -> Result<Tensor> {
    let (values, ids) = likely_tokens(logits, steps)?;
    let probabilities = values.div(&numbers.select(0, 0)?)?.softmax(-1)?;
    let mut kept = probabilities.clone();
    if steps.uses_top_p {
        let before = probabilities.cumsum(-1)?.sub(&probabilities)?;
        kept = kept.masked_fill(&before.ge(&numbers.select(0, 1)?)?, 0.0)?;
    }
    if steps.uses_min_p {
        let least = probabilities.amax([-1], true)?.mul(&numbers.select(0, 2)?)?;
        kept = kept.masked_fill(&probabilities.lt(&least)?, 0.0)?;
    }
    let sums = kept.cumsum(-1)?;
    let last = sums.shape()[1] as i64 - 1;
    let passed = sums.le(&sums.narrow(-1, last, 1)?.mul(&uniform.unsqueeze(-1)?)?)?;
    let index = passed.to(DType::I32)?.sum([-1], true)?.clamp(Some(0.into()), Some(last.into()))?.to(DType::I32)?;
    let token = match ids {
        Some(ids) => ids.gather(1, &index)?,
        None => index,
    };
    token.select(1, 0)?.to(DType::I32)
}
