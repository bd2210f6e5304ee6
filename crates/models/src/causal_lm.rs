//! A decoder that predicts the next token: every family of the table.

use crate::{
    DecoderConfig, KvCache,
    decoder::{
        generation,
        rope::{rotations, with_negatives},
    },
    layers::{DecoderLayer, Part, Pass, Style, Weights, Write},
    weight::Weight,
};
use lanthorn_nn::Module;
use lanthorn_tensor::{
    BlockFormat, DType, Device, Error, Result, Tensor, compile,
    compile::Compiled,
    no_grad,
    ops::{Args, Output},
};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

const OP: &str = "CausalLm";

/// The frequencies of a rotary embedding, on the device.
struct Frequencies {
    short: Tensor,
    long: Option<Tensor>,
    original_length: f64,
    attention_factor: f64,
}

/// The computation, which compiled functions share.
struct Decoder {
    config: DecoderConfig,
    embedding: Part,
    positions: Option<Part>,
    layers: Vec<DecoderLayer>,
    norm: Part,
    head: Option<Part>,
    frequencies: Vec<Frequencies>,
}

/// The tensors of a cache in one call.
struct CacheTensors<'a> {
    position: &'a Tensor,
    keys: &'a [Tensor],
    values: &'a [Tensor],
}

type Step = Compiled<Box<dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>>>;

/// The result of a recorded call.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StepResult {
    /// The logits of each row's last id that counts, `[batch, vocab_size]`.
    Last,
    /// The logits of all ids, `[batch * L, vocab_size]`.
    All,
    /// The most likely token after each row's last id that counts, int32 `[batch, 1]`.
    Argmax,
}

/// The most likely token of each row, int32 `[batch, 1]`, for logits `[batch, vocab_size]`.
pub(crate) fn argmax(logits: &Tensor) -> Result<Tensor> {
    logits.argmax(-1, true)?.to(DType::I32)
}

/// A decoder of any family of the table. Its parameters have the names of Hugging Face's models, so
/// [`state_dict`](lanthorn::nn::state_dict) has the names of their files.
/// [`from_pretrained`](crate::from_pretrained) reads one.
pub struct CausalLm {
    decoder: Rc<Decoder>,
    /// Recorded calls with a cache, for long texts or not, by their results.
    steps: RefCell<HashMap<(bool, StepResult), Rc<Step>>>,
}

impl Decoder {
    fn new(config: &DecoderConfig, device: &Device, weights: &mut Weights) -> Result<Decoder> {
        let role = |role: &str| config.family.role(role).unwrap_or_default();
        let (vocab, hidden) = (config.vocab_size, config.hidden_size);
        let embedding = Part::table(role("embedding"), vocab, hidden, weights)?;
        let learned = config.family.role("positions");
        let positions = learned.map(|name| Part::table(name, config.max_positions, hidden, weights)).transpose()?;
        let layer = |index| DecoderLayer::new(&format!("{}.{index}", role("layers")), index, config, weights);
        let layers = (0..config.layers.len()).map(layer).collect::<Result<_>>()?;
        let norm = Part::norm("", role("norm"), hidden, config, weights)?;
        let untied = !config.tie_word_embeddings;
        let head =
            untied.then(|| Part::linear("", role("head"), [hidden, vocab], Style::PLAIN, weights)).transpose()?;
        let upload = |numbers: &[f64]| {
            let numbers: Vec<f32> = with_negatives(numbers).into_iter().map(|number| number as f32).collect();
            Tensor::from_slice(&numbers, [numbers.len() as i64], device)
        };
        let frequencies = config.ropes.iter().map(|rope| {
            Ok(Frequencies {
                short: upload(&rope.inverse_frequencies)?,
                long: rope.long_inverse_frequencies.as_deref().map(upload).transpose()?,
                original_length: rope.original_length,
                attention_factor: rope.attention_factor,
            })
        });
        let frequencies = frequencies.collect::<Result<_>>()?;
        Ok(Decoder { config: config.clone(), embedding, positions, layers, norm, head, frequencies })
    }

    /// The embedding and the linear layers, with the path before their names, and whether they may
    /// be `[in, out]`.
    fn matrices(&mut self, columns: bool) -> Vec<(String, &mut Part, bool)> {
        let layers = self.layers.iter_mut().enumerate();
        let linear = layers
            .flat_map(|(index, layer)| layer.linear().map(move |part| (format!("layer {index}: "), part, columns)));
        let others = [&mut self.embedding].into_iter().chain(&mut self.head);
        others.map(|part| (String::new(), part, false)).chain(linear).collect()
    }

    /// The type that is computed in: the widest one of the weights.
    fn dtype(&self) -> DType {
        let others = self.positions.iter().chain([&self.norm]).chain(&self.head);
        let parts = self.layers.iter().flat_map(DecoderLayer::parts).chain(others);
        parts.fold(self.embedding.weight().dtype(), |dtype, part| part.promote(dtype))
    }

    /// Whether a text of this length has other frequencies.
    fn is_long(&self, length: usize) -> bool {
        self.frequencies.iter().any(|rope| rope.long.is_some() && length as f64 > rope.original_length)
    }

    /// The logits of `ids: [batch, L]`, of which `counts: [batch]` count.
    fn run(
        &self,
        ids: &Tensor,
        counts: &Tensor,
        cache: Option<&CacheTensors>,
        long: bool,
        last: bool,
    ) -> Result<Tensor> {
        let length = ids.shape()[1] as i64;
        let offsets = Tensor::arange_end_with(length, DType::I32, Some(ids.device()))?;
        let positions = match cache {
            Some(cache) => cache.position.unsqueeze(-1)?.add(&offsets)?,
            None => offsets.unsqueeze(0)?,
        };
        let frequencies = |rope: &Frequencies| rope.long.clone().filter(|_| long).unwrap_or_else(|| rope.short.clone());
        let turned = |rope: &Frequencies| rotations(&positions, &frequencies(rope), rope.attention_factor);
        let write = cache.map(|cache| {
            let counted = offsets.lt(&counts.unsqueeze(-1)?)?;
            let key_lengths = cache.position.add(length)?;
            // Padding is stored nowhere.
            let slots = positions.masked_fill(&counted.logical_not()?, -1)?;
            Ok::<_, Error>(Write { keys: cache.keys, values: cache.values, slots, key_lengths })
        });
        let pass =
            Pass { rotations: self.frequencies.iter().map(turned).collect::<Result<_>>()?, write: write.transpose()? };
        let mut x = self.embedding.rows(ids)?.to(self.dtype())?;
        if self.config.embedding_scale != 1.0 {
            x = x.mul(self.config.embedding_scale)?;
        }
        if let Some(learned) = &self.positions {
            let most = (self.config.max_positions - 1) as i64;
            x = x.add(&learned.rows(&positions.clamp(Some(0.into()), Some(most.into()))?)?.to(x.dtype())?)?;
        }
        for layer in &self.layers {
            x = layer.forward(&x, &pass)?;
        }
        if last {
            x = last_of(&x, counts)?;
        }
        let logits = self.logits(&self.norm.normalize(&x, &self.config)?)?;
        if let Some(cache) = cache {
            cache.position.add_(counts)?;
        }
        Ok(logits)
    }

    fn logits(&self, x: &Tensor) -> Result<Tensor> {
        let logits = match &self.head {
            Some(head) => head.project(x, false)?,
            None => self.embedding.project(x, false)?,
        };
        match self.config.final_soft_cap {
            Some(cap) => logits.div(cap)?.tanh()?.mul(cap),
            None => Ok(logits),
        }
    }
}

/// The rows' last elements that count: `[batch, hidden]` of `x: [batch, L, hidden]`.
fn last_of(x: &Tensor, counts: &Tensor) -> Result<Tensor> {
    let (batch, length, width) = (x.shape()[0] as i64, x.shape()[1] as i64, x.shape()[2] as i64);
    if length == 1 {
        return x.select(1, 0);
    }
    let index = counts.sub(1)?.clamp(Some(0.into()), Some((length - 1).into()))?;
    x.gather(1, &index.reshape([batch, 1, 1])?.expand([batch, 1, width])?)?.select(1, 0)
}

impl CausalLm {
    pub(crate) fn with_weights(config: &DecoderConfig, device: &Device, weights: &mut Weights) -> Result<CausalLm> {
        Ok(CausalLm { decoder: Rc::new(Decoder::new(config, device, weights)?), steps: Default::default() })
    }

    /// A model with random weights, as transformers initializes them: normally distributed with a
    /// standard deviation of 0.02, biases of 0 and norms of 1, by the device's generator.
    ///
    /// # Errors
    ///
    /// The device's errors.
    pub fn random(config: &DecoderConfig, device: &Device) -> Result<CausalLm> {
        let mut weights = |name: &str, shape: &[usize], _: Style| {
            let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
            let offset = if config.family.norm.offset == 0.0 { 1.0 } else { 0.0 };
            Ok(Weight::Dense(match shape.len() {
                _ if name.ends_with(".bias") => Tensor::zeros_with(shape, DType::F32, Some(device))?,
                1 => Tensor::full_with(shape, offset, DType::F32, Some(device))?,
                _ => Tensor::randn_with(shape, DType::F32, Some(device))?.mul(0.02)?,
            }))
        };
        CausalLm::with_weights(config, device, &mut weights)
    }

    /// The configuration of the decoder.
    pub fn config(&self) -> &DecoderConfig {
        &self.decoder.config
    }

    /// The type that is computed in, which caches have: the weights' type, or the widest one
    /// where files mix them, as float32 norms with float16 matrices. Matrices stay in their type,
    /// and products convert them.
    pub fn dtype(&self) -> DType {
        self.decoder.dtype()
    }

    /// Puts the weights of the embedding and of all linear layers in blocks of low-bit integers;
    /// norms, biases and learned positions stay as they are. Products read the blocks. Caches and
    /// generations stay valid.
    ///
    /// # Errors
    ///
    /// `shape` if rows have not whole blocks, naming the layer; `argument` for a format that is
    /// only read. Nothing is changed then. `argument` while a [`Generation`](crate::Generation) of
    /// this model is used elsewhere.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// # device.set_default();
    /// # pollster::block_on(async {
    /// use lanthorn::{BlockFormat, Tensor};
    /// let config = lanthorn::models::DecoderConfig::from_json(r#"{ "architectures": ["LlamaForCausalLM"],
    ///     "vocab_size": 96, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
    ///     "num_attention_heads": 4 }"#, true)?;
    /// let mut model = lanthorn::models::CausalLm::random(&config, &device)?;
    /// let before = model.weight_bytes();
    /// model.quantize(BlockFormat::Q4_0).await?;
    /// assert!(model.weight_bytes() * 6 < before);
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    pub async fn quantize(&mut self, format: BlockFormat) -> Result<()> {
        // Recorded calls have the weights of before.
        self.steps.get_mut().clear();
        let decoder = Rc::get_mut(&mut self.decoder).ok_or_else(|| Error::argument(OP, "the model is in use"))?;
        let columns = decoder.config.family.has_columns();
        let mut made = Vec::new();
        for (path, part, columns) in decoder.matrices(columns) {
            made.push(part.quantize(&path, format, columns).await?);
        }
        decoder.matrices(columns).into_iter().zip(made).for_each(|((_, part, _), weight)| part.set_weight(weight));
        Ok(())
    }

    /// The bytes of all weights, as they are held.
    pub fn weight_bytes(&self) -> usize {
        lanthorn_nn::state_dict(self).values().map(|tensor| tensor.shape().elements() * tensor.dtype().size()).sum()
    }

    /// The device of the weights.
    pub fn device(&self) -> &Device {
        self.decoder.embedding.weight().device()
    }

    /// The capacity of a cache for this many tokens, and for up to `more` as long as they change no
    /// result: up to the learned positions, or to the length from which texts have other
    /// frequencies.
    pub(crate) fn capacity_for(&self, tokens: usize, more: usize) -> usize {
        generation::capacity_for(&self.decoder.config, tokens, more)
    }

    /// The logits of every id, `[batch, L, vocab_size]`, for `ids: [batch, L]` of an integer type,
    /// without a cache.
    ///
    /// # Errors
    ///
    /// `shape` if the ids are no matrix; `limit` if there are more than learned positions; `index`,
    /// when the result is read, if an id is not in the vocabulary.
    pub fn forward(&self, ids: &Tensor) -> Result<Tensor> {
        let (batch, length) = matrix(ids)?;
        let most = self.config().max_positions;
        if self.decoder.positions.is_some() && length > most {
            return Err(Error::limit(OP, format!("{length} ids are more than the model's {most} positions")));
        }
        let counts = Tensor::full_with([batch as i64], length as i64, DType::I32, Some(ids.device()))?;
        self.decoder.run(ids, &counts, None, self.decoder.is_long(length), false)
    }

    /// The logits of every id, as [`forward`](CausalLm::forward), after the tokens of a cache, to which
    /// the ids are added.
    ///
    /// # Errors
    ///
    /// As [`forward`](CausalLm::forward); `shape` if the cache has another number of rows, and
    /// `limit` if the ids do not fit in it. Nothing is changed then.
    pub fn forward_cached(&self, ids: &Tensor, cache: &KvCache) -> Result<Tensor> {
        let (batch, length) = matrix(ids)?;
        let counts = vec![length; batch];
        cache.check(OP, &counts)?;
        let given = Tensor::full_with([batch as i64], length as i64, DType::I32, Some(ids.device()))?;
        let tensors = CacheTensors { position: &cache.position, keys: &cache.keys, values: &cache.values };
        let long = self.decoder.is_long(cache.capacity());
        let logits = self.decoder.run(ids, &given, Some(&tensors), long, false)?;
        cache.advance(&counts);
        Ok(logits)
    }

    /// Runs the model on `ids: [batch, L]`, of which `counts` count, after the tokens of the cache,
    /// by a recorded call.
    pub(crate) fn step(&self, ids: &Tensor, counts: &[usize], cache: &KvCache, result: StepResult) -> Result<Tensor> {
        cache.check(OP, counts)?;
        let given: Vec<i32> = counts.iter().map(|&count| count as i32).collect();
        let given = Tensor::from_slice(&given, [given.len() as i64], ids.device())?;
        let long = self.decoder.is_long(cache.capacity());
        let step = self.steps.borrow_mut().entry((long, result)).or_insert_with(|| self.compile(long, result)).clone();
        let own = [ids.clone(), given, cache.position.clone()];
        let arguments: Vec<Tensor> = own.into_iter().chain(cache.keys.clone()).chain(cache.values.clone()).collect();
        let mut results = step.call(&arguments)?;
        cache.advance(counts);
        results.pop().ok_or_else(|| Error::kernel(OP, "the step has no result"))
    }

    fn compile(&self, long: bool, result: StepResult) -> Rc<Step> {
        let decoder = self.decoder.clone();
        Rc::new(compile(Box::new(move |arguments: &[Tensor]| {
            let [ids, counts, position, rest @ ..] = arguments else {
                return Err(Error::argument(OP, "a step takes ids, counts and a cache"));
            };
            let (keys, values) = rest.split_at(rest.len() / 2);
            let cache = CacheTensors { position, keys, values };
            no_grad(|| {
                let logits = decoder.run(ids, counts, Some(&cache), long, result != StepResult::All)?;
                Ok(vec![match result {
                    StepResult::Last => logits,
                    StepResult::All => logits.flatten(0, 1)?,
                    StepResult::Argmax => argmax(&logits)?,
                }])
            })
        })))
    }
}

fn matrix(ids: &Tensor) -> Result<(usize, usize)> {
    match ids.shape()[..] {
        [batch, length] if length > 0 => Ok((batch, length)),
        _ => Err(Error::shape(OP, format!("ids takes [batch, length], not {}", ids.shape()))),
    }
}

impl Module for CausalLm {
    fn children(&self) -> Vec<(String, &dyn Module)> {
        let Decoder { config, embedding, positions, layers, norm, head, .. } = &*self.decoder;
        let name = |role: &str| config.family.role(role).unwrap_or_default().to_string();
        let mut all: Vec<(String, &dyn Module)> = vec![(name("embedding"), embedding)];
        all.extend(positions.iter().map(|part| (name("positions"), part as &dyn Module)));
        let layers = layers.iter().enumerate();
        all.extend(layers.map(|(index, layer)| (format!("{}.{index}", name("layers")), layer as &dyn Module)));
        all.push((name("norm"), norm));
        all.extend(head.iter().map(|part| (name("head"), part as &dyn Module)));
        all
    }

    fn signature(&self) -> &'static str {
        "forward(Tensor ids) -> Tensor"
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        Ok(self.forward(inputs.tensor(0))?.into())
    }
}
