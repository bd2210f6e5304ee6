//! The choice of the next token, on the device: penalties, and drawing from the likely tokens.

use crate::GenerationConfig;
use lanthorn_data::Random;
use lanthorn_tensor::{DType, Device, Error, Result, Tensor, compile, compile::Compiled, no_grad};

type Choose = Compiled<Box<dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>>>;

/// Which steps there are, and the number of the most likely tokens: these are part of the kernels.
/// The settings that are numbers are data.
#[derive(Clone, Copy)]
struct Shape {
    do_sample: bool,
    top_k: usize,
    uses_top_p: bool,
    uses_min_p: bool,
}

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

/// Logits with penalties for tokens of the prompt and for generated ones.
fn penalize(logits: &Tensor, prompted: &Tensor, counts: &Tensor, numbers: &Tensor) -> Result<Tensor> {
    let number = |index| numbers.select(0, index);
    let negative = logits.lt(0.0)?;
    let repeated = Tensor::r#where(&negative, &logits.mul(&number(3)?)?, &logits.div(&number(3)?)?)?;
    let changed = Tensor::r#where(&prompted.add(counts)?.gt(0.0)?, &repeated, logits)?;
    let presence = counts.gt(0.0)?.to(DType::F32)?.mul(&number(5)?)?;
    changed.sub(&counts.mul(&number(4)?)?)?.sub(&presence)
}

/// A token of each row, where the sum of probabilities passes a random number from 0 to 1:
/// `uniform: [batch]`.
fn draw(logits: &Tensor, uniform: &Tensor, numbers: &Tensor, shape: Shape) -> Result<Tensor> {
    let number = |index| numbers.select(0, index);
    let (values, ids) = if shape.top_k > 0 && shape.top_k < logits.shape()[1] {
        let (values, ids) = logits.topk(shape.top_k as i64, -1, true, true)?;
        (values, Some(ids))
    } else if shape.uses_top_p {
        let (values, ids) = logits.sort(-1, true)?;
        (values, Some(ids))
    } else {
        (logits.clone(), None)
    };
    let probabilities = values.div(&number(0)?)?.softmax(-1)?;
    let mut kept = probabilities.clone();
    if shape.uses_top_p {
        let before = probabilities.cumsum(-1)?.sub(&probabilities)?;
        kept = kept.masked_fill(&before.ge(&number(1)?)?, 0.0)?;
    }
    if shape.uses_min_p {
        let least = probabilities.amax([-1], true)?.mul(&number(2)?)?;
        kept = kept.masked_fill(&probabilities.lt(&least)?, 0.0)?;
    }
    let sums = kept.cumsum(-1)?;
    let last = sums.shape()[1] as i64 - 1;
    let passed = sums.le(&sums.narrow(-1, last, 1)?.mul(&uniform.unsqueeze(-1)?)?)?;
    let index = passed.to(DType::I32)?.sum([-1], true)?.clamp(Some(0.into()), Some(last.into()))?.to(DType::I32)?;
    let token = ids.map_or(Ok(index.clone()), |ids| ids.gather(1, &index))?;
    token.select(1, 0)?.to(DType::I32)
}

/// The choice as one function of logits, numbers, a random number where one is drawn, and what
/// occurred.
fn chooser(shape: Shape) -> Choose {
    compile(Box::new(move |arguments: &[Tensor]| {
        let [logits, numbers, rest @ ..] = arguments else {
            return Err(Error::argument("generate", "a choice takes logits and settings"));
        };
        let (uniform, seen) = rest.split_at(usize::from(shape.do_sample));
        no_grad(|| {
            let mut logits = logits.to(DType::F32)?;
            if let [prompted, counts] = seen {
                logits = penalize(&logits, prompted, counts, numbers)?;
            }
            let token = match uniform {
                [uniform] => draw(&logits, uniform, numbers, shape)?,
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
        let shape = Shape {
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
            choose: chooser(shape),
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
