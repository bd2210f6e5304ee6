//! Rotary position embeddings: the frequencies of each variant, and the rotation.

use super::fields::{Fields, refuse};
use lanthorn_macros::record;
use lanthorn_tensor::{DType, Result, Tensor};
use serde_json::{Map, Value};
use std::f64::consts::PI;

/// A rotary embedding.
#[record]
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// The inverse frequencies, one for each pair of elements that is rotated.
    pub inverse_frequencies: Vec<f64>,
    /// Those for texts longer than `original_length`, if they are others.
    pub long_inverse_frequencies: Option<Vec<f64>>,
    pub original_length: f64,
    /// The factor of sines and cosines.
    pub attention_factor: f64,
}

/// The parameters of a variant: a dictionary of `config.json`.
struct Parameters {
    json: Map<String, Value>,
}

impl Parameters {
    fn optional(&self, name: &str) -> Result<Option<f64>> {
        let value = self.json.get(name).unwrap_or(&Value::Null);
        if value.is_null() {
            return Ok(None);
        }
        let Some(number) = value.as_f64() else {
            return Err(refuse(format!("the rotary embedding has {name} {value}, not a number")));
        };
        Ok(Some(number))
    }

    fn number(&self, name: &str) -> Result<f64> {
        let Some(number) = self.optional(name)? else {
            return Err(refuse(format!("the rotary embedding has {name} null, not a number")));
        };
        Ok(number)
    }

    fn number_or(&self, name: &str, otherwise: f64) -> Result<f64> {
        Ok(self.optional(name)?.unwrap_or(otherwise))
    }

    fn numbers(&self, name: &str, length: usize) -> Result<Vec<f64>> {
        let values = self.json.get(name).unwrap_or(&Value::Null).as_array().cloned().unwrap_or_default();
        if values.len() != length || values.iter().any(|value| !value.is_number()) {
            return Err(refuse(format!("the rotary embedding's {name} has to be {length} numbers")));
        }
        Ok(values.iter().map(|value| value.as_f64().unwrap_or(0.0)).collect())
    }

    fn kind(&self) -> String {
        let named = self.json.get("rope_type").unwrap_or(&Value::Null);
        let named = if named.is_null() { self.json.get("type").unwrap_or(&Value::Null) } else { named };
        if named.is_null() {
            return "default".into();
        }
        match named.as_str() {
            Some(kind) => kind.to_string(),
            None => named.to_string(),
        }
    }

    fn truncates(&self) -> bool {
        self.json.get("truncate").unwrap_or(&Value::Null).as_bool().unwrap_or(true)
    }
}

/// Everything that a variant computes its frequencies from.
struct Given {
    parameters: Parameters,
    /// The frequencies without scaling.
    plain: Vec<f64>,
    theta: f64,
    dim: f64,
    max_positions: f64,
    original_length: f64,
}

impl Given {
    fn rope(&self, inverse_frequencies: Vec<f64>) -> Rope {
        Rope {
            inverse_frequencies,
            long_inverse_frequencies: None,
            original_length: self.original_length,
            attention_factor: 1.0,
        }
    }

    /// The frequencies divided by the list of factors with a name.
    fn divide(&self, name: &str) -> Result<Vec<f64>> {
        let factors = self.parameters.numbers(name, self.plain.len())?;
        Ok(self.plain.iter().zip(factors).map(|(frequency, factor)| frequency / factor).collect())
    }

    fn factor(&self) -> Result<f64> {
        self.parameters.number_or("factor", self.max_positions / self.original_length)
    }

    fn linear(&self) -> Result<Rope> {
        let factor = self.parameters.number("factor")?;
        Ok(self.rope(self.plain.iter().map(|frequency| frequency / factor).collect()))
    }

    /// Llama 3: low frequencies are divided by a factor, with a smooth passage.
    fn llama3(&self) -> Result<Rope> {
        let (factor, length) = (self.parameters.number("factor")?, self.original_length);
        let low = self.parameters.number("low_freq_factor")?;
        let high = self.parameters.number("high_freq_factor")?;
        let scaled = self.plain.iter().map(|&frequency| {
            let wavelength = 2.0 * PI / frequency;
            if wavelength < length / high {
                return frequency;
            }
            if wavelength > length / low {
                return frequency / factor;
            }
            let smooth = (length / wavelength - low) / (high - low);
            (1.0 - smooth) * frequency / factor + smooth * frequency
        });
        Ok(self.rope(scaled.collect()))
    }

    /// YaRN (Peng et al., 2023): a linear ramp between scaled and plain frequencies.
    fn yarn(&self) -> Result<Rope> {
        let (parameters, dim, factor) = (&self.parameters, self.dim, self.factor()?);
        let scale_of = |weight: f64| if factor <= 1.0 { 1.0 } else { 0.1 * weight * factor.ln() + 1.0 };
        let scale = parameters.number_or("mscale", 0.0)?;
        let scale_of_all = parameters.number_or("mscale_all_dim", 0.0)?;
        let inferred =
            if scale != 0.0 && scale_of_all != 0.0 { scale_of(scale) / scale_of(scale_of_all) } else { scale_of(1.0) };
        let theta = self.theta.ln();
        let dim_of = |rotations: f64| dim * (self.original_length / (rotations * 2.0 * PI)).ln() / (2.0 * theta);
        let first = dim_of(parameters.number_or("beta_fast", 32.0)?);
        let last = dim_of(parameters.number_or("beta_slow", 1.0)?);
        let (first, last) = if parameters.truncates() { (first.floor(), last.ceil()) } else { (first, last) };
        let (low, high) = (first.max(0.0), last.min(dim - 1.0));
        let width = if low == high { 0.001 } else { high - low };
        let scaled = self.plain.iter().enumerate().map(|(index, frequency)| {
            let ramp = ((index as f64 - low) / width).clamp(0.0, 1.0);
            frequency / factor * ramp + frequency * (1.0 - ramp)
        });
        let rope = self.rope(scaled.collect());
        Ok(Rope { attention_factor: parameters.number_or("attention_factor", inferred)?, ..rope })
    }

    /// LongRoPE (Ding et al., 2024): a factor for each frequency, others for long texts.
    fn longrope(&self) -> Result<Rope> {
        let (factor, length) = (self.factor()?, self.original_length);
        let inferred = if factor <= 1.0 { 1.0 } else { (1.0 + factor.ln() / length.ln()).sqrt() };
        Ok(Rope {
            inverse_frequencies: self.divide("short_factor")?,
            long_inverse_frequencies: Some(self.divide("long_factor")?),
            original_length: length,
            attention_factor: self.parameters.number_or("attention_factor", inferred)?,
        })
    }
}

/// The names of the variants; GGUF has factors for each frequency for Llama 3.
const VARIANTS: [&str; 7] = ["default", "linear", "llama3", "yarn", "longrope", "su", "factors"];

/// The dictionary for a kind of layers, of either form of `config.json`.
fn parameters_of(fields: &Fields, kind: &str, plain: bool) -> Map<String, Value> {
    if let Some(all) = fields.get("rope_parameters").as_object() {
        if let Some(own) = all.get(kind).unwrap_or(&Value::Null).as_object() {
            return own.clone();
        }
        if all.contains_key("rope_theta") || all.contains_key("rope_type") {
            return all.clone();
        }
    }
    match fields.get("rope_scaling").as_object() {
        Some(scaling) if !plain => scaling.clone(),
        _ => Map::new(),
    }
}

/// The layers whose rotary embedding is read, and its purpose.
pub(crate) struct Which {
    /// `full_attention` or `sliding_attention`.
    pub kind: String,
    /// The field with the base of the frequencies.
    pub theta: String,
    /// Whether `rope_scaling` does not concern it.
    pub plain: bool,
    pub head_dim: usize,
    pub max_positions: usize,
}

/// The rotary embedding of a kind of layers, as `config.json` describes it.
pub(crate) fn read_rope(fields: &Fields, which: &Which) -> Result<Rope> {
    let parameters = Parameters { json: parameters_of(fields, &which.kind, which.plain) };
    let kind = parameters.kind();
    if !VARIANTS.contains(&kind.as_str()) {
        let known = VARIANTS.join(", ");
        return Err(refuse(format!("the rotary embedding {kind:?} is not known; there are {known}")));
    }
    let theta = match parameters.optional("rope_theta")? {
        Some(base) => base,
        None => theta_of(fields, &which.theta)?,
    };
    let partial = parameters.number_or("partial_rotary_factor", fields.number("partial_rotary_factor")?)?;
    // A factor may be a fraction whose product is a little below the number.
    let dim = (which.head_dim as f64 * partial + 1e-6) as usize;
    if dim < 2 || dim % 2 != 0 {
        return Err(refuse(format!("{dim} elements of a head cannot be rotated in pairs")));
    }
    let max_positions = which.max_positions as f64;
    let original = fields.optional("original_max_position_embeddings")?.unwrap_or(max_positions);
    let original_length = parameters.number_or("original_max_position_embeddings", original)?;
    let plain = (0..dim / 2).map(|index| theta.powf(-2.0 * index as f64 / dim as f64)).collect();
    let given = Given { parameters, plain, theta, dim: dim as f64, max_positions, original_length };
    match kind.as_str() {
        "linear" => given.linear(),
        "llama3" => given.llama3(),
        "yarn" => given.yarn(),
        "longrope" | "su" => given.longrope(),
        "factors" => Ok(given.rope(given.divide("factors")?)),
        _ => Ok(given.rope(given.plain.clone())),
    }
}

/// The base of the frequencies in a field of the configuration.
fn theta_of(fields: &Fields, name: &str) -> Result<f64> {
    let value = fields.get(name);
    let Some(theta) = value.as_f64() else {
        return Err(refuse(format!("the rotary embedding has rope_theta {value}, not a number")));
    };
    Ok(theta)
}

/// Frequencies for [`rotations`]: each for both elements of its pair, negative for the first one.
pub(crate) fn with_negatives(frequencies: &[f64]) -> Vec<f64> {
    frequencies.iter().map(|frequency| -frequency).chain(frequencies.iter().copied()).collect()
}

/// Cosines and sines of positions, `[batch, 1, L, dim]` each, for [`rotate`], from
/// [`with_negatives`] frequencies: the cosine of a negative angle is the cosine of the angle, and
/// its sine is the negative sine.
pub(crate) fn rotations(positions: &Tensor, frequencies: &Tensor, factor: f64) -> Result<[Tensor; 2]> {
    let angles = positions.to(DType::F32)?.unsqueeze(1)?.unsqueeze(-1)?.mul(frequencies)?;
    Ok([angles.cos()?.mul(factor)?, angles.sin()?.mul(factor)?])
}

/// Rotates pairs of elements of `x: [batch, heads, L, head_dim]`, which are `dim / 2` apart, by
/// cosines and sines, `[batch, 1, L, dim]` each.
pub(crate) fn rotate(x: &Tensor, rotations: &[Tensor; 2]) -> Result<Tensor> {
    let (dim, width) = (rotations[0].shape()[3] as i64, x.shape()[3] as i64);
    let rotated = if dim < width { x.narrow(-1, 0, dim)? } else { x.clone() };
    let halves = [rotated.narrow(-1, dim / 2, dim / 2)?, rotated.narrow(-1, 0, dim / 2)?];
    let turned = rotated.mul(&rotations[0])?.add(Tensor::cat(&halves, -1)?.mul(&rotations[1])?)?.to(x.dtype())?;
    if dim == width {
        return Ok(turned);
    }
    Tensor::cat(&[turned, x.narrow(-1, dim, width - dim)?], -1)
}
