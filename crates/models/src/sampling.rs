//! The choice of the next token, on the device: penalties, and drawing from the likely tokens.

use crate::{
    GenerationConfig,
    decoder::generation::{ChoiceSteps, draw, penalize},
};
use lanthorn_data::Random;
use lanthorn_tensor::{DType, Device, Error, Result, Tensor, compile, compile::Compiled, no_grad};

type Choose = Compiled<Box<dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>>>;

/// Chooses tokens of a batch, row by row.
pub(crate) struct Sampler {
    device: Device,
    choose: Choose,
    do_sample: bool,
    /// The temperature, top p, min p and the three penalties.
    numbers: Tensor,
    /// With penalties: which tokens the prompts have, and how often each was generated, `[batch,
    /// vocab_size]`.
    seen: Option<[Tensor; 2]>,
    seed: u64,
    step: u64,
}

/// The choice as one function of logits, numbers, a random number where one is drawn, and what
/// occurred.
fn chooser(steps: ChoiceSteps) -> Choose {
    compile(Box::new(move |arguments: &[Tensor]| {
        let [logits, numbers, rest @ ..] = arguments else {
            return Err(Error::argument("generate", "a choice takes logits and settings"));
        };
        let (uniform, seen) = rest.split_at(usize::from(steps.do_sample));
        no_grad(|| {
            let mut logits = logits.to(DType::F32)?;
            if let [prompted, counts] = seen {
                logits = penalize(&logits, prompted, counts, numbers)?;
            }
            let token = match uniform {
                [uniform] => draw(&logits, uniform, numbers, &steps)?,
                _ => logits.argmax(-1, false)?.to(DType::I32)?,
            };
            if let [_, counts] = seen {
                let index = token.unsqueeze(-1)?;
                let one = index.to(DType::F32)?.mul(0.0)?.add(1.0)?;
                counts.scatter_add_(1, &index, &one)?;
            }
            Ok(vec![token])
        })
    }))
}

impl Sampler {
    /// A sampler for prompts, whose tokens count for the repetition penalty.
    pub fn new(config: &GenerationConfig, prompts: &[Vec<i64>], vocab: usize, device: &Device) -> Result<Sampler> {
        let steps = ChoiceSteps {
            do_sample: config.do_sample,
            top_k: config.top_k,
            uses_top_p: config.top_p < 1.0,
            uses_min_p: config.min_p > 0.0,
        };
        let penalties = [config.repetition_penalty, config.frequency_penalty, config.presence_penalty];
        let numbers = [config.temperature, config.top_p, config.min_p].into_iter().chain(penalties);
        let numbers: Vec<f32> = numbers.map(|number| number as f32).collect();
        let batch = prompts.len();
        let has_penalties = penalties != [1.0, 0.0, 0.0];
        let size = [batch as i64, vocab as i64];
        let seen = || {
            let mut prompted = vec![0f32; batch * vocab];
            for (row, ids) in prompts.iter().enumerate() {
                ids.iter().for_each(|&id| prompted[row * vocab + id as usize] = 1.0);
            }
            Ok::<_, Error>([
                Tensor::from_slice(&prompted, size, device)?,
                Tensor::zeros_with(size, None, Some(device))?,
            ])
        };
        Ok(Sampler {
            device: device.clone(),
            choose: chooser(steps),
            do_sample: config.do_sample,
            numbers: Tensor::from_slice(&numbers, [6], device)?,
            seen: has_penalties.then(seen).transpose()?,
            seed: config.seed,
            step: 0,
        })
    }

    /// Whether tokens that occurred count.
    pub fn has_penalties(&self) -> bool {
        self.seen.is_some()
    }

    /// The next token of each row, int32 `[batch]`, for logits `[batch, vocab_size]`; or if they
    /// are of one row, one token after the other.
    pub fn next(&mut self, logits: &Tensor, is_one_row: bool) -> Result<Tensor> {
        let mut arguments = vec![logits.clone(), self.numbers.clone()];
        let length = logits.shape()[0] as u64;
        if self.do_sample {
            // They depend on the seed, the step and the row.
            let uniform = |index| match is_one_row {
                true => Random::new(self.seed, self.step + index, 0).uniform(),
                false => Random::new(self.seed, self.step, index).uniform(),
            };
            let uniform: Vec<f32> = (0..length).map(uniform).collect();
            arguments.push(Tensor::from_slice(&uniform, [length as i64], &self.device)?);
        }
        self.step += if is_one_row { length } else { 1 };
        arguments.extend(self.seen.iter().flatten().cloned());
        let token = self.choose.call(&arguments)?.pop();
        token.ok_or_else(|| Error::kernel("generate", "a choice has no result"))
    }

    /// Undoes the choice of one row's tokens after the first `count`.
    pub fn take_back(&mut self, tokens: &[i32], count: usize) -> Result<()> {
        self.step -= (tokens.len() - count) as u64;
        if let Some([_, counts]) = &self.seen
            && count < tokens.len()
        {
            let size = [1, tokens.len() as i64];
            let change: Vec<f32> = (0..tokens.len()).map(|index| if index < count { 0.0 } else { -1.0 }).collect();
            let change = Tensor::from_slice(&change, size, &self.device)?;
            no_grad(|| counts.scatter_add_(1, &Tensor::from_slice(tokens, size, &self.device)?, &change))?;
        }
        Ok(())
    }
}
