//! Tokens from a model, one by one.

use crate::{CausalLm, KvCache, sampling::Sampler};
use lanthorn::{Error, Result, Tensor, no_grad};
use std::{collections::VecDeque, rc::Rc};

const OP: &str = "generate";

/// The smallest chunk that the end of a prompt is given.
const LEAST_CHUNK: usize = 64;

/// Changes the logits of the next token: gets the ids so far by row, prompts included, and the logits
/// `[batch, vocab_size]`, and gives others of that shape.
pub type LogitsProcessor = Box<dyn Fn(&[Vec<i64>], &Tensor) -> Result<Tensor>>;

/// How the next tokens are chosen, with the names of transformers' `GenerationConfig`.
pub struct GenerationConfig {
    /// The most tokens of a row (default: 20).
    pub max_new_tokens: usize,
    /// Whether tokens are drawn at random (default: false, the most likely one).
    pub do_sample: bool,
    /// Divides logits (default: 1).
    pub temperature: f64,
    /// Only the most likely tokens, so many; 0 for all (default: 50, as in transformers).
    pub top_k: usize,
    /// Only the most likely tokens whose probabilities add up to this (default: 1).
    pub top_p: f64,
    /// Only tokens that are at least so likely, relative to the most likely one (default: 0).
    pub min_p: f64,
    /// Divides positive logits of tokens that occurred, and multiplies negative ones (default: 1).
    pub repetition_penalty: f64,
    /// Subtracted from the logits of a generated token, once for each occurrence (default: 0).
    pub frequency_penalty: f64,
    /// Subtracted from the logits of all tokens that were generated (default: 0).
    pub presence_penalty: f64,
    /// The seed of random choices (default: 0).
    pub seed: u64,
    /// The ids that end a row; by default the model's.
    pub eos_token_ids: Option<Vec<i64>>,
    /// The most tokens of a prompt that are computed at once (default: 256). The rest of a prompt takes halves of it, down
    /// to 64, so that little is computed for padding and few sizes occur.
    pub prefill_chunk: usize,
    /// Functions that change logits, before the temperature.
    pub logits_processors: Vec<LogitsProcessor>,
}

impl Default for GenerationConfig {
    fn default() -> GenerationConfig {
        GenerationConfig {
            max_new_tokens: 20,
            do_sample: false,
            temperature: 1.0,
            top_k: 50,
            top_p: 1.0,
            min_p: 0.0,
            repetition_penalty: 1.0,
            frequency_penalty: 0.0,
            presence_penalty: 0.0,
            seed: 0,
            eos_token_ids: None,
            prefill_chunk: 256,
            logits_processors: vec![],
        }
    }
}

impl GenerationConfig {
    fn check(&self) -> Result<()> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let problems = [
            (self.max_new_tokens == 0, "max_new_tokens takes a positive number"),
            (self.prefill_chunk == 0, "prefill_chunk takes a positive number"),
            (!positive(self.temperature), "temperature takes a positive number; greedy is do_sample: false"),
            (!(self.top_p > 0.0 && self.top_p <= 1.0), "top_p takes a number above 0 and up to 1"),
            (!(0.0..=1.0).contains(&self.min_p), "min_p takes a number from 0 to 1"),
            (!positive(self.repetition_penalty), "repetition_penalty takes a positive number"),
            (!self.frequency_penalty.is_finite(), "frequency_penalty takes a number"),
            (!self.presence_penalty.is_finite(), "presence_penalty takes a number"),
        ];
        let found = problems.into_iter().find(|(is_wrong, _)| *is_wrong);
        found.map_or(Ok(()), |(_, message)| Err(Error::argument(OP, message)))
    }
}

/// Why a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// A token that ends texts.
    Eos,
    /// The number of tokens.
    Length,
}

/// A token of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratedToken {
    /// The index of the prompt.
    pub row: usize,
    /// The token's id.
    pub token: i64,
    /// Why the row ends with this token, if it does.
    pub finish_reason: Option<FinishReason>,
}

#[derive(Default)]
struct Row {
    ids: Vec<i64>,
    generated: usize,
    finish_reason: Option<FinishReason>,
}

/// The tokens that a model generates, as they are asked for: made by [`generate`].
pub struct Generation<'m> {
    model: &'m CausalLm,
    config: GenerationConfig,
    eos: Vec<i64>,
    cache: Rc<KvCache>,
    sampler: Sampler,
    rows: Vec<Row>,
    prompts: Vec<Vec<i64>>,
    /// The token of each row that the model has not seen yet.
    pending: Option<Tensor>,
    ready: VecDeque<GeneratedToken>,
    failed: bool,
}

/// Generates tokens that follow prompts of any lengths. One number of each row is read for a token;
/// everything else stays on the device, where a token makes no plan, pipeline or buffer. Dropping the
/// iterator ends it. A `cache` keeps a conversation.
///
/// # Errors
///
/// `argument` if an option is wrong or a prompt is empty; `index` if a prompt has an id that the vocabulary
/// has not; `limit` if the prompts and the new tokens do not fit in the cache or the learned positions.
///
/// ```no_run
/// use lanthorn_models::{GenerationConfig, from_pretrained, generate};
/// let model = from_pretrained("models/Qwen3-0.6B", &lanthorn::cpu())?;
/// for token in generate(&model, &[vec![1, 2, 3]], GenerationConfig::default(), None)? {
///     println!("{}", token?.token);
/// }
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn generate<'m>(
    model: &'m CausalLm,
    prompts: &[Vec<i64>],
    config: GenerationConfig,
    cache: Option<Rc<KvCache>>,
) -> Result<Generation<'m>> {
    config.check()?;
    check_prompts(prompts, model.config().vocab_size)?;
    let added: Vec<usize> = prompts.iter().map(|ids| ids.len() + config.max_new_tokens - 1).collect();
    let most = added.iter().copied().max().unwrap_or_default();
    let positions = model.config().max_positions;
    let cache = match cache {
        Some(cache) => cache,
        None if model.config().ropes.is_empty() && most > positions => {
            let message = format!("{most} tokens are more than the model's {positions} positions");
            return Err(Error::limit(OP, message));
        }
        None => Rc::new(KvCache::new(model.config(), prompts.len(), most, model.dtype(), model.device())?),
    };
    cache.check(OP, &added)?;
    let row = |ids: &Vec<i64>| Row { ids: ids.clone(), ..Row::default() };
    Ok(Generation {
        sampler: Sampler::new(&config, prompts, model.config().vocab_size, model.device())?,
        eos: config.eos_token_ids.clone().unwrap_or_else(|| model.config().eos_token_ids.clone()),
        rows: prompts.iter().map(row).collect(),
        prompts: prompts.to_vec(),
        pending: None,
        ready: VecDeque::new(),
        failed: false,
        model,
        config,
        cache,
    })
}

fn check_prompts(prompts: &[Vec<i64>], vocab: usize) -> Result<()> {
    if prompts.is_empty() {
        return Err(Error::argument(OP, "takes a prompt or several, not none"));
    }
    for (row, ids) in prompts.iter().enumerate() {
        if ids.is_empty() {
            return Err(Error::argument(OP, format!("prompt {row} has no tokens")));
        }
        if let Some(id) = ids.iter().find(|&&id| id < 0 || id >= vocab as i64) {
            return Err(Error::index(OP, format!("prompt {row} has the id {id}; the model has {vocab} tokens")));
        }
    }
    Ok(())
}

/// The tokens of a chunk where so many are left: the most, or a half or a quarter of them and so on, but not fewer than
/// [`LEAST_CHUNK`].
fn chunk_of(most: usize, left: usize) -> usize {
    let mut size = most;
    while size > left && size / 2 >= LEAST_CHUNK {
        size /= 2;
    }
    size
}

impl Generation<'_> {
    /// The number of tokens of the next chunk: the queries of a chunk are the last keys of the cache, so its
    /// padding has to fit, too, in every row that has tokens left.
    fn chunk_at(&self, start: usize) -> usize {
        let lengths = self.cache.lengths();
        let left = self.prompts.iter().map(|ids| ids.len().saturating_sub(start)).max().unwrap_or_default();
        let has_tokens = self.prompts.iter().map(|ids| ids.len() > start);
        let rooms = lengths.iter().zip(has_tokens).filter(|(_, has)| *has);
        let room = rooms.map(|(length, _)| self.cache.capacity().saturating_sub(*length)).min();
        room.unwrap_or(1).clamp(1, chunk_of(self.config.prefill_chunk, left))
    }

    /// The logits behind every prompt, which are computed in chunks, the last ones padded.
    fn prefill(&self) -> Result<Tensor> {
        let device = self.model.device();
        let longest = self.prompts.iter().map(Vec::len).max().unwrap_or_default();
        let (mut start, mut last): (usize, Option<Tensor>) = (0, None);
        while start < longest {
            let size = self.chunk_at(start);
            let counts: Vec<usize> = self.prompts.iter().map(|ids| ids.len().saturating_sub(start).min(size)).collect();
            let id = |ids: &Vec<i64>, index| ids.get(start + index).map_or(0, |&id| id as i32);
            let padded: Vec<i32> =
                self.prompts.iter().flat_map(|ids| (0..size).map(move |index| id(ids, index))).collect();
            let ids = Tensor::from_slice(&padded, [counts.len() as i64, size as i64], device)?;
            start += size;
            let logits = self.model.step(&ids, &counts, &self.cache)?;
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

    /// The logits as the program's functions change them.
    fn processed(&self, logits: Tensor) -> Result<Tensor> {
        if self.config.logits_processors.is_empty() {
            return Ok(logits);
        }
        let ids: Vec<Vec<i64>> = self.rows.iter().map(|row| row.ids.clone()).collect();
        self.config.logits_processors.iter().try_fold(logits, |before, processor| {
            let made = no_grad(|| processor(&ids, &before))?;
            if made.shape() != before.shape() {
                let message = format!("a logits processor has to give logits {}, not {}", before.shape(), made.shape());
                return Err(Error::shape(OP, message));
            }
            Ok(made)
        })
    }

    /// Computes the next token of every row that goes on.
    fn advance(&mut self) -> Result<()> {
        let logits = match self.pending.take() {
            None => self.prefill()?,
            Some(token) => {
                let counts: Vec<usize> = self.rows.iter().map(|row| usize::from(row.finish_reason.is_none())).collect();
                self.model.step(&token.unsqueeze(-1)?, &counts, &self.cache)?
            }
        };
        let logits = self.processed(logits)?;
        let token = self.sampler.next(&logits)?;
        let ids = pollster::block_on(token.to_vec::<i32>())?;
        for (row, (state, id)) in self.rows.iter_mut().zip(ids).enumerate() {
            if state.finish_reason.is_some() {
                continue;
            }
            let token = i64::from(id);
            state.ids.push(token);
            state.generated += 1;
            state.finish_reason = match () {
                () if self.eos.contains(&token) => Some(FinishReason::Eos),
                () if state.generated == self.config.max_new_tokens => Some(FinishReason::Length),
                () => None,
            };
            self.ready.push_back(GeneratedToken { row, token, finish_reason: state.finish_reason });
        }
        self.pending = Some(token);
        Ok(())
    }
}

impl Iterator for Generation<'_> {
    type Item = Result<GeneratedToken>;

    fn next(&mut self) -> Option<Result<GeneratedToken>> {
        let goes_on = !self.failed && self.rows.iter().any(|row| row.finish_reason.is_none());
        if self.ready.is_empty()
            && goes_on
            && let Err(error) = self.advance()
        {
            self.failed = true;
            return Some(Err(error));
        }
        self.ready.pop_front().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::chunk_of;

    /// The chunks of a prompt, with the padding of the last one.
    fn chunks(most: usize, mut left: usize) -> Vec<usize> {
        let mut chunks = vec![];
        while left > 0 {
            chunks.push(chunk_of(most, left));
            left = left.saturating_sub(chunks[chunks.len() - 1]);
        }
        chunks
    }

    #[test]
    fn the_end_of_a_prompt_takes_smaller_chunks() {
        assert_eq!(chunks(256, 512), [256, 256]);
        assert_eq!(chunks(256, 700), [256, 256, 128, 64]);
        assert_eq!(chunks(256, 100), [64, 64]);
        assert_eq!(chunks(256, 1), [64]);
        // Not a multiple of the smallest, and smaller than it.
        assert_eq!(chunks(300, 310), [300, 75]);
        assert_eq!(chunks(5, 7), [5, 5]);
    }
}
