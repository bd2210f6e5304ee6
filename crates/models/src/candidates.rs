//! Candidates: tokens that may come next, which the model checks all at once (speculative
//! decoding).

use crate::{
    CausalLm, GenerationConfig, KvCache,
    causal_lm::{StepResult, argmax},
    decoder::generation::{look_up, padding_of, pause_of},
    generate::OP,
    prefill::prefill,
};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::rc::Rc;

/// Candidates, with pauses while few of them are accepted: checking them takes longer than a token.
pub(crate) struct CandidateGenerator {
    drafter: Drafter,
    pause: Pause,
}

/// The tokens that are computed one by one before candidates are tried again.
#[derive(Default)]
struct Pause {
    length: usize,
    left: usize,
}

impl Pause {
    /// Whether a token is computed without candidates.
    fn step(&mut self) -> bool {
        let is_paused = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_paused
    }

    /// Begins a pause after `accepted` of `count` candidates, if they are few.
    fn begin(&mut self, accepted: usize, count: usize) {
        self.length = pause_of(accepted, count, self.length);
        self.left = self.length;
    }
}

/// Drafts the tokens behind a text.
enum Drafter {
    PromptLookup { count: usize, max_ngram: usize },
    Assistant(Assistant),
}

impl CandidateGenerator {
    /// What drafts tokens for these prompts by these settings, if anything does. `most` is the
    /// number of the tokens of a prompt and the new ones, and `is_begun` whether a cache has tokens
    /// before.
    pub fn new(
        model: &CausalLm,
        config: &GenerationConfig,
        rows: usize,
        most: usize,
        is_begun: bool,
    ) -> Result<Option<CandidateGenerator>> {
        let drafter = Drafter::new(model, config, rows, most, is_begun)?;
        Ok(drafter.map(|drafter| CandidateGenerator { drafter, pause: Pause::default() }))
    }

    /// The number of candidates.
    pub fn count(&self) -> usize {
        match &self.drafter {
            Drafter::PromptLookup { count, .. } => *count,
            Drafter::Assistant(assistant) => assistant.count,
        }
    }

    /// As many candidates for the tokens behind `ids`, or none.
    pub fn candidates(&mut self, ids: &[i64]) -> Result<Vec<i64>> {
        if self.pause.step() {
            return Ok(vec![]);
        }
        match &mut self.drafter {
            Drafter::PromptLookup { count, max_ngram } => Ok(look_up(ids, *count, *max_ngram)),
            Drafter::Assistant(assistant) => assistant.candidates(ids),
        }
    }

    /// Notes how many of the last candidates were accepted.
    pub fn note_accepted(&mut self, count: usize) {
        self.pause.begin(count, self.count());
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
            None => Ok(Some(Drafter::PromptLookup { count, max_ngram: config.max_matching_ngram_size })),
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

/// The most likely tokens by a smaller model of the same vocabulary, with its own cache.
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

    /// The most likely token after a token that is not in the cache, int32 `[1, 1]`.
    fn next(&self, ids: &Tensor) -> Result<Tensor> {
        self.model.step(ids, &[1], &self.cache, StepResult::Argmax)
    }

    /// Adds new ids to the cache and drops rejected ones. Returns the most likely next token.
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
            added => {
                let logits = prefill(&self.model, &[added.to_vec()], &self.cache, self.chunk)?;
                no_grad(|| argmax(&logits))
            }
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

/// The number of calls without candidates after each of some calls with `count` candidates, of
/// which `accepted` were accepted.
#[cfg(test)]
pub(crate) fn pauses(count: usize, accepted: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut pause = Pause::default();
    let mut count_paused = |accepted| {
        pause.begin(accepted, count);
        (0..).take_while(|_| pause.step()).count()
    };
    accepted.map(&mut count_paused).collect()
}
