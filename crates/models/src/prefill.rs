//! Prompts of any length, in chunks.

use crate::{CausalLm, KvCache, causal_lm::StepResult, decoder::generation::chunk_of, generate::OP};
use lanthorn_tensor::{Error, Result, Tensor};

/// The logits after every prompt, `[batch, vocab_size]`, which are computed in chunks, the last
/// ones padded.
pub(crate) fn prefill(model: &CausalLm, prompts: &[Vec<i64>], cache: &KvCache, chunk: usize) -> Result<Tensor> {
    let device = model.device();
    let longest = prompts.iter().map(Vec::len).max().unwrap_or_default();
    let (mut start, mut last): (usize, Option<Tensor>) = (0, None);
    while start < longest {
        // The queries of a chunk are the last keys of the cache, so its padding has to fit, too, in
        // every row that has tokens left.
        let has_tokens = prompts.iter().map(|ids| ids.len() > start);
        let rooms = cache.lengths().iter().zip(has_tokens).filter(|(_, has)| *has).map(|(length, _)| *length).max();
        let room = rooms.map_or(1, |length| cache.capacity().saturating_sub(length));
        let size = chunk_of(chunk, longest - start, room);
        let counts: Vec<usize> = prompts.iter().map(|ids| ids.len().saturating_sub(start).min(size)).collect();
        let id = |ids: &Vec<i64>, index| ids.get(start + index).map_or(0, |&id| id as i32);
        let padded: Vec<i32> = prompts.iter().flat_map(|ids| (0..size).map(move |index| id(ids, index))).collect();
        let ids = Tensor::from_slice(&padded, [counts.len() as i64, size as i64], device)?;
        start += size;
        let logits = model.step(&ids, &counts, cache, StepResult::Last)?;
        last = Some(match last {
            None => logits,
            // Rows whose prompts ended before keep their logits.
            Some(before) => {
                let own: Vec<i32> = counts.iter().map(|&count| count as i32).collect();
                let has = Tensor::from_slice(&own, [counts.len() as i64, 1], device)?.gt(0)?;
                Tensor::r#where(&has, &logits, &before)?
            }
        });
    }
    last.ok_or_else(|| Error::argument(OP, "no prompt has tokens"))
}

/// The chunks of a prompt, with the padding of the last one.
#[cfg(test)]
pub(crate) fn chunks(most: usize, mut left: usize, mut room: usize) -> Vec<usize> {
    let mut chunks = vec![];
    while left > 0 {
        let size = chunk_of(most, left, room);
        chunks.push(size);
        (left, room) = (left.saturating_sub(size), room.saturating_sub(size));
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::chunks;
    use crate::decoder::generation::padding_of;

    #[test]
    fn padding_has_to_fit() {
        for (most, left) in [(256, 700), (256, 200), (256, 100), (256, 1), (300, 310), (5, 7)] {
            let padded: usize = chunks(most, left, left + padding_of(most)).iter().sum();
            assert_eq!(padded, chunks(most, left, usize::MAX).iter().sum::<usize>());
            assert_eq!(chunks(most, left, left).iter().sum::<usize>(), left);
        }
    }
}
