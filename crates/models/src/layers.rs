//! The layers of a decoder, with the names of submodules that Hugging Face's models have.

use crate::{
    AttendOptions, attend,
    config::DecoderConfig,
    decoder::{config::LayerAttention, family::Activation, rope::rotate},
    weight::Weight,
};
use lanthorn_nn::Module;
use lanthorn_tensor::{
    Approximate, BlockFormat, DType, Error, QuantizedTensor, Result, Tensor,
    ops::{Args, Output},
};

/// Returns the weight with a name and a shape. Quantized weights of linear layers are `[out, in]`
/// in any style.
pub(crate) type Weights<'a> = dyn FnMut(&str, &[usize], Style) -> Result<Weight> + 'a;

/// A module with a weight and, sometimes, a bias: a table, a linear layer, a norm.
pub(crate) struct Part {
    /// Its name in Hugging Face's files, relative to the module that has it.
    name: String,
    weight: Weight,
    bias: Option<Tensor>,
}

impl Part {
    fn new(path: &str, name: &str, shape: &[usize], style: Style, weights: &mut Weights) -> Result<Part> {
        let full = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        let parameter = |tensor: &Tensor| tensor.detach().requires_grad_(tensor.dtype().is_floating_point());
        let weight = match weights(&format!("{full}.weight"), shape, style)? {
            // Vectors are few, and computed with in other ways than products.
            weight if shape.len() < 2 || !weight.is_quantized() => Weight::Dense(parameter(&weight.numbers()?)?),
            weight => weight,
        };
        let width = shape[if style.columns { shape.len() - 1 } else { 0 }];
        let bias = || parameter(&weights(&format!("{full}.bias"), &[width], Style::PLAIN)?.numbers()?);
        Ok(Part { name: name.to_string(), weight, bias: style.bias.then(bias).transpose()? })
    }

    pub fn table(name: &str, rows: usize, width: usize, weights: &mut Weights) -> Result<Part> {
        Part::new("", name, &[rows, width], Style::PLAIN, weights)
    }

    pub fn linear(
        path: &str,
        name: &str,
        [input, output]: [usize; 2],
        style: Style,
        weights: &mut Weights,
    ) -> Result<Part> {
        let shape = if style.columns { [input, output] } else { [output, input] };
        Part::new(path, name, &shape, style, weights)
    }

    pub fn norm(path: &str, name: &str, width: usize, config: &DecoderConfig, weights: &mut Weights) -> Result<Part> {
        let style = Style { bias: config.family.norm.kind == "layer", ..Style::PLAIN };
        Part::new(path, name, &[width], style, weights)
    }

    pub fn weight(&self) -> &Weight {
        &self.weight
    }

    /// The widest of a type and the part's types, in which both are computed.
    pub fn promote(&self, dtype: DType) -> DType {
        let bias = self.bias.as_ref().map_or(dtype, Tensor::dtype);
        dtype.promote(self.weight.dtype()).promote(bias)
    }

    fn bias_as(&self, x: &Tensor) -> Result<Option<Tensor>> {
        let converted = |bias: &Tensor| if bias.dtype() == x.dtype() { Ok(bias.clone()) } else { bias.to(x.dtype()) };
        self.bias.as_ref().map(converted).transpose()
    }

    /// The rows of a table for `ids` of any shape.
    pub fn rows(&self, ids: &Tensor) -> Result<Tensor> {
        let mut shape = ids.shape().to_i64();
        shape.push(self.weight.shape()[1] as i64);
        self.weight.rows(&ids.reshape([-1])?)?.reshape(shape)
    }

    /// The weight in blocks, of which each row has whole ones.
    ///
    /// # Errors
    ///
    /// `shape` for another length of rows, naming the part.
    pub async fn quantize(&self, path: &str, format: BlockFormat, columns: bool) -> Result<Weight> {
        let numbers = self.weight.numbers()?.detach();
        let turned = columns && !self.weight.is_quantized();
        let numbers = if turned { numbers.t()?.contiguous()? } else { numbers };
        let made = QuantizedTensor::from_float(&numbers, format).await;
        made.map(Weight::Quantized).map_err(|error| error.concerning(format!("{path}{}", self.name)))
    }

    pub fn set_weight(&mut self, weight: Weight) {
        self.weight = weight;
    }

    pub fn project(&self, x: &Tensor, columns: bool) -> Result<Tensor> {
        let numbers = self.weight.numbers_as(x.dtype())?;
        let weight = if columns && !self.weight.is_quantized() { numbers.t()? } else { numbers };
        x.linear(&weight, self.bias_as(x)?.as_ref())
    }

    pub fn normalize(&self, x: &Tensor, config: &DecoderConfig) -> Result<Tensor> {
        let (shape, weight) = (self.weight.shape().to_i64(), self.weight.numbers_as(x.dtype())?);
        if let Some(bias) = self.bias_as(x)? {
            return x.layer_norm(shape, Some(&weight), Some(&bias), config.eps);
        }
        let offset = config.family.norm.offset;
        let weight = if offset == 0.0 { weight } else { weight.add(offset)? };
        x.rms_norm(shape, Some(&weight), Some(config.eps.into()))
    }
}

/// How the weights of a linear layer are kept.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Whether the weight is `[in, out]`.
    pub columns: bool,
    pub bias: bool,
}

impl Style {
    pub const PLAIN: Style = Style { columns: false, bias: false };
}

/// The error of a part that is called separately.
pub(crate) fn not_callable() -> Error {
    Error::argument("CausalLm", "call the model, not a part of it")
}

impl Module for Part {
    fn own_parameters(&self) -> Vec<(String, Tensor)> {
        let weight = (!self.weight.is_quantized()).then(|| ("weight".to_string(), self.weight.as_tensor().clone()));
        weight.into_iter().chain(self.bias.iter().map(|bias| ("bias".to_string(), bias.clone()))).collect()
    }

    fn own_buffers(&self) -> Vec<(String, Tensor)> {
        let blocks = self.weight.is_quantized().then(|| ("weight".to_string(), self.weight.as_tensor().clone()));
        blocks.into_iter().collect()
    }

    fn call(&self, _: &Args<'_>) -> Result<Output> {
        Err(not_callable())
    }
}

/// What all layers of one forward pass share.
pub(crate) struct Pass<'a> {
    /// By rotary embedding: cosines and sines of the positions.
    pub rotations: Vec<[Tensor; 2]>,
    pub write: Option<Write<'a>>,
}

/// Where the keys and values of the tokens go.
pub(crate) struct Write<'a> {
    pub keys: &'a [Tensor],
    pub values: &'a [Tensor],
    /// int32 `[batch, L]`.
    pub slots: Tensor,
    /// int32 `[batch]`.
    pub key_lengths: Tensor,
}

/// A layer: attention and MLP, with norms before them and, in some families, after them.
pub(crate) struct DecoderLayer {
    config: DecoderConfig,
    kind: LayerAttention,
    index: usize,
    /// Queries, keys and values, in one projection or three.
    inputs: Vec<Part>,
    output: Part,
    query_norm: Option<Part>,
    key_norm: Option<Part>,
    mlp_inputs: Vec<Part>,
    down: Part,
    /// Before and after attention, before and after the MLP.
    norms: [Option<Part>; 4],
}

impl DecoderLayer {
    pub fn new(path: &str, index: usize, config: &DecoderConfig, weights: &mut Weights) -> Result<DecoderLayer> {
        let (family, biases) = (&config.family, config.biases);
        let inside = |role: &str| format!("{path}.{}", family.role(role).unwrap_or_default());
        let (attention, mlp) = (inside("attention"), inside("mlp"));
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let (queries, keys) = (config.heads * config.head_dim, config.kv_heads * config.head_dim);
        let columns = family.has_columns();
        let mut linear = |path: &str, role: &str, sizes: [usize; 2], bias: bool| {
            Part::linear(path, family.role(role).unwrap_or_default(), sizes, Style { columns, bias }, weights)
        };
        let inputs: &[(&str, usize)] = match family.role("qkv") {
            Some(_) => &[("qkv", queries + 2 * keys)],
            None => &[("query", queries), ("key", keys), ("value", keys)],
        };
        let inputs = inputs.iter().map(|&(role, width)| linear(&attention, role, [hidden, width], biases.qkv));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        let output = linear(&attention, "output", [queries, hidden], biases.output)?;
        let mlp_inputs: &[(&str, usize)] = match (family.role("gate_up"), family.gated) {
            (Some(_), _) => &[("gate_up", 2 * inner)],
            (None, true) => &[("gate", inner), ("up", inner)],
            (None, false) => &[("up", inner)],
        };
        let mlp_inputs = mlp_inputs.iter().map(|&(role, width)| linear(&mlp, role, [hidden, width], biases.mlp));
        let mlp_inputs = mlp_inputs.collect::<Result<Vec<_>>>()?;
        let down = linear(&mlp, "down", [inner, hidden], biases.mlp)?;
        let mut norm = |path: &str, role: &str, width: usize| {
            family.role(role).map(|name| Part::norm(path, name, width, config, weights)).transpose()
        };
        Ok(DecoderLayer {
            query_norm: norm(&attention, "query_norm", config.head_dim)?,
            key_norm: norm(&attention, "key_norm", config.head_dim)?,
            norms: [
                norm(path, "attention_norm", hidden)?,
                norm(path, "post_attention_norm", hidden)?,
                norm(path, "mlp_norm", hidden)?,
                norm(path, "post_mlp_norm", hidden)?,
            ],
            config: config.clone(),
            kind: config.layers[index],
            index,
            inputs,
            output,
            mlp_inputs,
            down,
        })
    }

    /// All parts.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        let attention = self.inputs.iter().chain([&self.output]).chain(&self.query_norm).chain(&self.key_norm);
        attention.chain(&self.mlp_inputs).chain([&self.down]).chain(self.norms.iter().flatten())
    }

    /// The linear layers.
    pub fn linear(&mut self) -> impl Iterator<Item = &mut Part> {
        let attention = self.inputs.iter_mut().chain([&mut self.output]);
        attention.chain(&mut self.mlp_inputs).chain([&mut self.down])
    }

    fn project(&self, part: &Part, x: &Tensor) -> Result<Tensor> {
        part.project(x, self.config.family.has_columns())
    }

    fn normalize(&self, norm: &Option<Part>, x: Tensor) -> Result<Tensor> {
        norm.as_ref().map_or(Ok(x.clone()), |norm| norm.normalize(&x, &self.config))
    }

    /// Queries, keys and values of `x: [batch, L, hidden]`, as `[batch, heads, L, head_dim]`.
    fn heads(&self, x: &Tensor) -> Result<[Tensor; 3]> {
        let DecoderConfig { heads, kv_heads, head_dim, .. } = self.config;
        let (batch, length) = (x.shape()[0] as i64, x.shape()[1] as i64);
        let parts = self.inputs.iter().map(|part| self.project(part, x)).collect::<Result<Vec<_>>>()?;
        let mut start = 0;
        let mut part = |index: usize, count: usize| {
            let width = (count * head_dim) as i64;
            let own = if parts.len() == 3 { parts[index].clone() } else { parts[0].narrow(-1, start, width)? };
            start += width;
            own.reshape([batch, length, count as i64, head_dim as i64])?.transpose(1, 2)
        };
        Ok([part(0, heads)?, part(1, kv_heads)?, part(2, kv_heads)?])
    }

    fn attention(&self, x: &Tensor, pass: &Pass) -> Result<Tensor> {
        let [query, key, mut value] = self.heads(x)?;
        let mut query = self.normalize(&self.query_norm, query)?;
        let mut key = self.normalize(&self.key_norm, key)?;
        if let Some(rope) = self.kind.rope {
            let turned = &pass.rotations[rope];
            (query, key) = (rotate(&query, turned)?, rotate(&key, turned)?);
        }
        if let Some(write) = &pass.write {
            let slots = write.slots.unsqueeze(1)?.unsqueeze(-1)?.expand(key.shape().to_i64())?;
            let (keys, values) = (&write.keys[self.index], &write.values[self.index]);
            // A cache may have another type than the model.
            keys.store_(2, &slots, &key.to(keys.dtype())?)?;
            values.store_(2, &slots, &value.to(values.dtype())?)?;
            (key, value) = (keys.to(query.dtype())?, values.to(query.dtype())?);
        }
        let options = AttendOptions {
            key_lengths: pass.write.as_ref().map(|write| &write.key_lengths),
            window: self.kind.window,
            soft_cap: self.config.attention_soft_cap,
            scale: self.config.scale,
        };
        let mixed = attend(&query, &key, &value, &options)?;
        let (batch, length) = (x.shape()[0] as i64, x.shape()[1] as i64);
        self.project(&self.output, &mixed.transpose(1, 2)?.reshape([batch, length, -1])?)
    }

    fn activate(&self, x: &Tensor) -> Result<Tensor> {
        match self.config.activation {
            Activation::Silu => x.silu(),
            Activation::Gelu => x.gelu(),
            Activation::GeluTanh => x.gelu_with(Approximate::Tanh),
            Activation::Relu => x.relu(),
        }
    }

    fn mlp(&self, x: &Tensor) -> Result<Tensor> {
        let parts = self.mlp_inputs.iter().map(|part| self.project(part, x)).collect::<Result<Vec<_>>>()?;
        let inner = match &parts[..] {
            [up] if !self.config.family.gated => self.activate(up)?,
            [both] => {
                let halves = both.chunk(2, -1)?;
                self.activate(&halves[0])?.mul(&halves[1])?
            }
            [gate, up, ..] => self.activate(gate)?.mul(up)?,
            [] => return Err(not_callable()),
        };
        self.project(&self.down, &inner)
    }

    /// The layer's result for `x: [batch, L, hidden]`.
    pub fn forward(&self, x: &Tensor, pass: &Pass) -> Result<Tensor> {
        let [before, after, before_mlp, after_mlp] = &self.norms;
        let attended = self.attention(&self.normalize(before, x.clone())?, pass)?;
        let x = x.add(&self.normalize(after, attended)?)?;
        let mixed = self.mlp(&self.normalize(before_mlp, x.clone())?)?;
        x.add(&self.normalize(after_mlp, mixed)?)
    }
}

impl Module for DecoderLayer {
    fn children(&self) -> Vec<(String, &dyn Module)> {
        let role = |role: &str| self.config.family.role(role).unwrap_or_default().to_string();
        let named = |within: String, part| {
            let part: &Part = part;
            let name = if within.is_empty() { part.name.clone() } else { format!("{within}.{}", part.name) };
            (name, part as &dyn Module)
        };
        let norms = self.query_norm.iter().chain(&self.key_norm);
        let attention = self.inputs.iter().chain([&self.output]).chain(norms);
        let mlp = self.mlp_inputs.iter().chain([&self.down]);
        let all = attention.map(|part| named(role("attention"), part)).chain(mlp.map(|part| named(role("mlp"), part)));
        all.chain(self.norms.iter().flatten().map(|part| named(String::new(), part))).collect()
    }

    fn call(&self, _: &Args<'_>) -> Result<Output> {
        Err(not_callable())
    }
}
