//! Candidates: tokens that may come next, which the model checks all at once (speculative decoding).

use crate::{
    CausalLm, GenerationConfig, KvCache,
    generate::OP,
    prefill::{padding_of, prefill},
};
use lanthorn_tensor::{DType, Error, Result, Tensor, no_grad};
use std::rc::Rc;

/// The most tokens that are computed one by one before candidates are tried again.
const LONGEST_PAUSE: usize = 16;

/// Candidates, with pauses while few of them are accepted: checking them takes longer than a token. A pause is twice as long as
/// the one before.
pub(crate) struct CandidateGenerator {
    drafter: Drafter,
    pause: usize,
    left: usize,
}

/// Drafts the tokens behind a text.
enum Drafter {
    PromptLookup(PromptLookup),
    Assistant(Assistant),
}

impl CandidateGenerator {
    /// What drafts tokens for these prompts by these settings, if anything does. `most` is the number of the tokens of a
    /// prompt and the new ones, and `is_begun` whether a cache has tokens before.
    pub fn new(
        model: &CausalLm,
        config: &GenerationConfig,
        rows: usize,
        most: usize,
        is_begun: bool,
    ) -> Result<Option<CandidateGenerator>> {
        let drafter = Drafter::new(model, config, rows, most, is_begun)?;
        Ok(drafter.map(|drafter| CandidateGenerator { drafter, pause: 0, left: 0 }))
    }

    /// The number of candidates.
    pub fn count(&self) -> usize {
        match &self.drafter {
            Drafter::PromptLookup(lookup) => lookup.count,
            Drafter::Assistant(assistant) => assistant.count,
        }
    }

    /// As many candidates for the tokens behind `ids`, or none.
    pub fn candidates(&mut self, ids: &[i64]) -> Result<Vec<i64>> {
        if self.left > 0 {
            self.left -= 1;
            return Ok(vec![]);
        }
        match &mut self.drafter {
            Drafter::PromptLookup(lookup) => Ok(lookup.candidates(ids)),
            Drafter::Assistant(assistant) => assistant.candidates(ids),
        }
    }

    /// So many of the last candidates were accepted.
    pub fn accepted(&mut self, count: usize) {
        self.pause = if 3 * count < self.count() { (2 * self.pause).clamp(1, LONGEST_PAUSE) } else { 0 };
        self.left = self.pause;
    }
}

impl Drafter {
    fn new(
        model: &CausalLm,
        config: &GenerationConfig,
        rows: usize,
        most: usize,
        is_begun: bool,
    ) -> Result<Option<Drafter>> {
        let (count, assistant) = (config.prompt_lookup_num_tokens, &config.assistant_model);
        let refuse = |words: &str| Err(Error::argument(OP, words));
        match assistant {
            None if count == 0 => Ok(None),
            _ if rows > 1 => {
                let words = "leave out assistant_model and prompt_lookup_num_tokens";
                refuse(&format!("candidates are for one prompt, not for {rows}; {words}"))
            }
            None => Ok(Some(Drafter::PromptLookup(PromptLookup { count, max_ngram: config.max_matching_ngram_size }))),
            Some(_) if count > 0 => refuse("takes an assistant_model or prompt_lookup_num_tokens, not both"),
            Some(_) if is_begun => {
                refuse("the assistant_model has not seen what the cache has; give the whole text as the prompt")
            }
            Some(assistant) => {
                let (own, other) = (model.config().vocab_size, assistant.config().vocab_size);
                if own != other {
                    return refuse(&format!("the assistant_model has {other} tokens, and the model {own}"));
                }
                Ok(Some(Drafter::Assistant(Assistant::new(assistant.clone(), config, most)?)))
            }
        }
    }
}

/// The tokens that followed where the text's last tokens stood before: the latest place of the last `max_ngram` tokens, else
/// of fewer. After Apoorv Saxena, "Prompt Lookup Decoding" (2023).
struct PromptLookup {
    count: usize,
    max_ngram: usize,
}

impl PromptLookup {
    fn candidates(&self, ids: &[i64]) -> Vec<i64> {
        let most = self.max_ngram.min(ids.len().saturating_sub(1));
        let place = |size: usize| {
            let (ngram, before) = (&ids[ids.len() - size..], &ids[..ids.len() - 1]);
            before.windows(size).rposition(|window| window == ngram).map(|at| at + size)
        };
        // Where the text ends, it goes on as it did from that place.
        let behind = |start: usize| ids[start..].iter().copied().cycle().take(self.count).collect();
        (1..=most).rev().find_map(place).map(behind).unwrap_or_default()
    }
}

/// The most likely tokens by a smaller model of the same vocabulary, which has a cache of its own.
struct Assistant {
    model: Rc<CausalLm>,
    count: usize,
    cache: KvCache,
    chunk: usize,
    /// The ids in the cache.
    seen: Vec<i64>,
}

impl Assistant {
    fn new(model: Rc<CausalLm>, config: &GenerationConfig, most: usize) -> Result<Assistant> {
        let count = config.num_assistant_tokens;
        let capacity = model.capacity_for(most, count.max(padding_of(config.prefill_chunk)));
        let cache = KvCache::new(model.config(), 1, capacity, model.dtype(), model.device())?;
        Ok(Assistant { model, count, cache, chunk: config.prefill_chunk, seen: vec![] })
    }

    /// The most likely token behind one that the cache has not, int32 `[1, 1]`.
    fn next(&self, ids: &Tensor) -> Result<Tensor> {
        likeliest(&self.model.step(ids, &[1], &self.cache, true)?)
    }

    /// Sees the ids that are new, and forgets those that were not taken. Gives the most likely token behind them.
    fn follow(&mut self, ids: &[i64]) -> Result<Tensor> {
        let same = self.seen.iter().zip(ids).take_while(|(seen, id)| seen == id).count();
        let kept = same.min(ids.len() - 1);
        self.cache.crop(kept)?;
        self.seen = ids.to_vec();
        let device = self.model.device();
        let one = |id: i64| Tensor::from_slice(&[id as i32], [1, 1], device);
        // One, or two if all candidates were taken: the last of them was not seen.
        match &ids[kept..] {
            [id] => self.next(&one(*id)?),
            [before, id] => {
                self.next(&one(*before)?)?;
                self.next(&one(*id)?)
            }
            added => likeliest(&prefill(&self.model, &[added.to_vec()], &self.cache, self.chunk)?),
        }
    }

    fn candidates(&mut self, ids: &[i64]) -> Result<Vec<i64>> {
        if ids.len() + self.count > self.cache.capacity() {
            return Ok(vec![]);
        }
        let mut tokens = vec![self.follow(ids)?];
        while tokens.len() < self.count {
            tokens.push(self.next(&tokens[tokens.len() - 1])?);
        }
        let all = no_grad(|| Tensor::cat(&tokens, 0))?;
        let candidates: Vec<i64> = pollster::block_on(all.to_vec::<i32>())?.into_iter().map(i64::from).collect();
        self.seen.extend(&candidates[..candidates.len() - 1]);
        Ok(candidates)
    }
}

/// The most likely token of one row, int32 `[1, 1]`.
fn likeliest(logits: &Tensor) -> Result<Tensor> {
    no_grad(|| logits.argmax(-1, true)?.to(DType::I32))
}

#[cfg(test)]
mod tests {
    use super::{CandidateGenerator, Drafter, PromptLookup};

    #[test]
    fn pauses_grow_while_few_candidates_are_accepted() {
        let lookup = PromptLookup { count: 4, max_ngram: 1 };
        let mut generator = CandidateGenerator { drafter: Drafter::PromptLookup(lookup), pause: 0, left: 0 };
        // The calls without candidates before the next with some.
        let mut paused = |count| {
            generator.accepted(count);
            (0..).take_while(|_| generator.candidates(&[1, 1]).unwrap().is_empty()).count()
        };
        assert_eq!([0, 1, 0, 1, 0, 1, 0].map(&mut paused), [1, 2, 4, 8, 16, 16, 16]);
        assert_eq!([2, 1, 4, 0].map(paused), [0, 1, 0, 1]);
    }

    #[test]
    fn candidates_are_what_followed_the_last_tokens_at_their_latest_place() {
        let lookup = |count, max_ngram, ids: &[i64]| PromptLookup { count, max_ngram }.candidates(ids);
        // Two tokens before one.
        assert_eq!(lookup(2, 2, &[7, 8, 1, 2, 9, 8, 3, 7, 8]), [1, 2]);
        assert_eq!(lookup(2, 1, &[7, 8, 1, 2, 9, 8, 3, 7, 8]), [3, 7]);
        // Only the last token was there before.
        assert_eq!(lookup(3, 4, &[5, 6, 1, 6]), [1, 6, 1]);
        // A text that repeats itself goes on with its period.
        assert_eq!(lookup(5, 2, &[1, 2, 3, 1, 2, 3, 1, 2]), [3, 1, 2, 3, 1]);
        assert_eq!(lookup(3, 2, &[4, 4]), [4, 4, 4]);
        assert!(lookup(3, 2, &[1, 2, 3]).is_empty());
        assert!(lookup(3, 2, &[1]).is_empty());
    }
}
