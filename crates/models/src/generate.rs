//! Tokens from a model, one by one.

use crate::{
    CausalLm, GenerationConfig, KvCache, candidates::CandidateGenerator, causal_lm::StepResult,
    decoder::generation::padding_of, prefill::prefill, sampling::Sampler, stop_strings::Piece, text::RowText,
};
use lanthorn_tensor::{Error, Result, Tensor, no_grad};
use std::{collections::VecDeque, rc::Rc};

pub(crate) const OP: &str = "generate";

/// Why a row ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// A token that ends texts.
    Eos,
    /// A stop string.
    Stop,
    /// The number of tokens.
    Length,
}

impl FinishReason {
    /// The name in the npm package and in JSON.
    ///
    /// ```
    /// assert_eq!(lanthorn::models::FinishReason::Stop.name(), "stop");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            FinishReason::Eos => "eos",
            FinishReason::Stop => "stop",
            FinishReason::Length => "length",
        }
    }
}

/// A token of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedToken {
    /// The index of the prompt.
    pub row: usize,
    /// The token's id.
    pub token: i64,
    /// The text that the token completes; empty without a tokenizer.
    pub text: String,
    /// Why the row ends with this token, if it does.
    pub finish_reason: Option<FinishReason>,
}

struct Row {
    ids: Vec<i64>,
    generated: usize,
    text: RowText,
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
    generator: Option<CandidateGenerator>,
    /// The tokens of the first row that the cache had before.
    begun: usize,
}

/// Generates tokens that follow prompts of any lengths, and their texts if the configuration has a
/// tokenizer. One number of each row is read for a token; everything else stays on the device,
/// where decoding a token creates no plan, pipeline or buffer. Dropping the iterator ends it. A
/// `cache` keeps a conversation.
///
/// # Errors
///
/// `argument` if an option is wrong, a prompt is empty, or the tokenizer has more tokens than the
/// model; `index` if a prompt has an id that the vocabulary has not; `limit` if the prompts and the
/// new tokens do not fit in the cache or the learned positions.
///
/// ```no_run
/// use lanthorn::models::{GenerationConfig, from_pretrained, generate};
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
    config.check(model.config().vocab_size)?;
    check_prompts(prompts, model.config().vocab_size)?;
    let added: Vec<usize> = prompts.iter().map(|ids| ids.len() + config.max_new_tokens - 1).collect();
    let most = added.iter().copied().max().unwrap_or_default();
    let positions = model.config().max_positions;
    let begun = cache.as_ref().map_or(0, |cache| cache.lengths()[0]);
    let generator = CandidateGenerator::new(model, &config, prompts.len(), most, begun > 0)?;
    let cache = match cache {
        Some(cache) => cache,
        None if model.config().ropes.is_empty() && most > positions => {
            let message = format!("{most} tokens are more than the model's {positions} positions");
            return Err(Error::limit(OP, message));
        }
        None => {
            // With room for the padding of prompts, and for candidates.
            let longest = prompts.iter().map(Vec::len).max().unwrap_or_default();
            let count = generator.as_ref().map_or(0, CandidateGenerator::count);
            let more = count.max((longest + padding_of(config.prefill_chunk)).saturating_sub(most));
            let capacity = model.capacity_for(most, more);
            Rc::new(KvCache::new(model.config(), prompts.len(), capacity, model.dtype(), model.device())?)
        }
    };
    cache.check(OP, &added)?;
    let row = |ids: &Vec<i64>| Row {
        ids: ids.clone(),
        generated: 0,
        text: RowText::new(config.tokenizer.as_ref(), &config.stop_strings),
        finish_reason: None,
    };
    Ok(Generation {
        sampler: Sampler::new(&config, prompts, model.config().vocab_size, model.device())?,
        eos: config.eos_token_ids.clone().unwrap_or_else(|| model.config().eos_token_ids.clone()),
        rows: prompts.iter().map(row).collect(),
        prompts: prompts.to_vec(),
        pending: None,
        ready: VecDeque::new(),
        failed: false,
        generator,
        begun,
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

impl Generation<'_> {
    /// The logits as the program's functions change them, after the tokens so far and `candidates`.
    fn process(&self, logits: Tensor, candidates: &[i64]) -> Result<Tensor> {
        if self.config.logits_processors.is_empty() {
            return Ok(logits);
        }
        let ids: Vec<Vec<i64>> = self.rows.iter().map(|row| [&row.ids, candidates].concat()).collect();
        self.config.logits_processors.iter().try_fold(logits, |before, processor| {
            let made = no_grad(|| processor(&ids, &before))?;
            if made.shape() != before.shape() {
                let message = format!("a logits processor has to give logits {}, not {}", before.shape(), made.shape());
                return Err(Error::shape(OP, message));
            }
            Ok(made)
        })
    }

    /// The next token of each row for `logits: [batch, vocab_size]`; with candidates, the only
    /// row's next token and those behind each candidate, for `[1 + candidates, vocab_size]`.
    fn choose(&mut self, logits: Tensor, candidates: &[i64]) -> Result<Tensor> {
        if candidates.is_empty() || !self.sampler.has_penalties() && self.config.logits_processors.is_empty() {
            let logits = self.process(logits, &[])?;
            return self.sampler.next(&logits, !candidates.is_empty());
        }
        // What changes logits depends on the tokens before.
        let mut tokens = vec![];
        for index in 0..=candidates.len() {
            let own = self.process(logits.narrow(0, index as i64, 1)?, &candidates[..index])?;
            tokens.push(self.sampler.next(&own, true)?);
        }
        no_grad(|| Tensor::cat(&tokens, 0))
    }

    /// Candidates for the next tokens, where they may be needed and have room.
    fn candidates(&mut self) -> Result<Vec<i64>> {
        let (length, row) = (self.cache.lengths()[0], &self.rows[0]);
        match &mut self.generator {
            Some(generator)
                if row.generated + 1 < self.config.max_new_tokens
                    && length + 1 + generator.count() <= self.cache.capacity() =>
            {
                generator.candidates(&row.ids)
            }
            _ => Ok(vec![]),
        }
    }

    /// Takes a token of a row.
    fn take(&mut self, row: usize, id: i32) -> Result<()> {
        let (state, token) = (&mut self.rows[row], i64::from(id));
        state.ids.push(token);
        state.generated += 1;
        let reason = match () {
            () if self.eos.contains(&token) => Some(FinishReason::Eos),
            () if state.generated == self.config.max_new_tokens => Some(FinishReason::Length),
            () => None,
        };
        // A token that ends texts has no text.
        let mut piece = if reason == Some(FinishReason::Eos) { Piece::default() } else { state.text.push(token)? };
        if reason.is_some() && !piece.is_stopped {
            let Piece { text, is_stopped } = state.text.finish()?;
            piece = Piece { text: piece.text + &text, is_stopped };
        }
        state.finish_reason = if piece.is_stopped { Some(FinishReason::Stop) } else { reason };
        self.ready.push_back(GeneratedToken { row, token, text: piece.text, finish_reason: state.finish_reason });
        Ok(())
    }

    /// Computes the next token of every unfinished row, or several tokens of the only row.
    fn advance(&mut self) -> Result<()> {
        let (mut candidates, pending) = (vec![], self.pending.take());
        let logits = match pending {
            None => prefill(self.model, &self.prompts, &self.cache, self.config.prefill_chunk)?,
            Some(token) => {
                candidates = self.candidates()?;
                let ids = match candidates.is_empty() {
                    true => token.unsqueeze(-1)?,
                    false => {
                        let given = self.rows[0].ids.last().into_iter().chain(&candidates);
                        let given: Vec<i32> = given.map(|&id| id as i32).collect();
                        Tensor::from_slice(&given, [1, given.len() as i64], self.model.device())?
                    }
                };
                let length = ids.shape()[1];
                let count = |row: &Row| if row.finish_reason.is_none() { length } else { 0 };
                let counts: Vec<usize> = self.rows.iter().map(count).collect();
                let result = if candidates.is_empty() { StepResult::Last } else { StepResult::All };
                self.model.step(&ids, &counts, &self.cache, result)?
            }
        };
        let token = self.choose(logits, &candidates)?;
        let ids = pollster::block_on(token.to_vec::<i32>())?;
        if candidates.is_empty() {
            for (row, id) in ids.into_iter().enumerate() {
                if self.rows[row].finish_reason.is_none() {
                    self.take(row, id)?;
                }
            }
            self.pending = Some(token);
            return Ok(());
        }
        // Accepts tokens up to the first that differs from its candidate.
        let mut right = 0;
        self.take(0, ids[0])?;
        while candidates.get(right) == Some(&i64::from(ids[right])) && self.rows[0].finish_reason.is_none() {
            right += 1;
            self.take(0, ids[right])?;
        }
        if let Some(generator) = &mut self.generator {
            generator.note_accepted(right);
        }
        self.sampler.take_back(&ids, right + 1)?;
        self.drop_candidates(0)?;
        self.pending = Some(token.narrow(0, right as i64, 1)?);
        Ok(())
    }

    /// Drops rejected candidates and the last `unread` tokens: of the others, the cache has all
    /// except the last one.
    fn drop_candidates(&self, unread: usize) -> Result<()> {
        let row = &self.rows[0];
        match row.generated.checked_sub(unread + 1) {
            Some(generated) if self.generator.is_some() => {
                self.cache.crop(self.begun + self.prompts[0].len() + generated)
            }
            _ => Ok(()),
        }
    }
}

/// A cache of a program has the tokens that were read.
impl Drop for Generation<'_> {
    fn drop(&mut self) {
        // The next use of the cache reports a lost device.
        let _ = self.drop_candidates(self.ready.len());
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
