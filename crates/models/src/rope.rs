//! Rotary position embeddings: the frequencies of each variant, and the rotation.

use crate::config::{Fields, refuse};
use lanthorn_tensor::{DType, Result, Tensor};
use serde_json::{Map, Value};
use std::f64::consts::PI;

/// The frequencies of a rotary embedding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rope {
    /// The inverse frequencies, one for each pair of elements that is rotated.
    pub short: Vec<f64>,
    /// Those for texts longer than `original_length`, if they are others.
    pub long: Option<Vec<f64>>,
    pub original_length: f64,
    /// The factor of sines and cosines.
    pub attention_factor: f64,
}

/// The parameters of a variant: a dictionary of `config.json`.
struct Parameters(Map<String, Value>);

impl Parameters {
    fn optional(&self, name: &str) -> Result<Option<f64>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let refused = || refuse(format!("the rotary embedding has {name} {value}, not a number"));
                value.as_f64().ok_or_else(refused).map(Some)
            }
        }
    }

    fn number(&self, name: &str) -> Result<f64> {
        let missing = || refuse(format!("the rotary embedding has {name} null, not a number"));
        self.optional(name)?.ok_or_else(missing)
    }

    fn or(&self, name: &str, otherwise: f64) -> Result<f64> {
        Ok(self.optional(name)?.unwrap_or(otherwise))
    }

    fn numbers(&self, name: &str, length: usize) -> Result<Vec<f64>> {
        let numbers = self.0.get(name).and_then(Value::as_array);
        let numbers: Option<Vec<f64>> = numbers.and_then(|values| values.iter().map(Value::as_f64).collect());
        let refused = || refuse(format!("the rotary embedding's {name} has to be {length} numbers"));
        numbers.filter(|values| values.len() == length).ok_or_else(refused)
    }

    fn kind(&self) -> String {
        let named = |name| self.0.get(name).filter(|kind| !kind.is_null());
        match named("rope_type").or_else(|| named("type")) {
            None => "default".into(),
            Some(Value::String(kind)) => kind.clone(),
            Some(kind) => kind.to_string(),
        }
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
    fn rope(&self, short: Vec<f64>) -> Rope {
        Rope { short, long: None, original_length: self.original_length, attention_factor: 1.0 }
    }

    fn divide(&self, factors: &[f64]) -> Vec<f64> {
        self.plain.iter().zip(factors).map(|(frequency, factor)| frequency / factor).collect()
    }

    fn factor(&self) -> Result<f64> {
        self.parameters.or("factor", self.max_positions / self.original_length)
    }
}

fn linear(given: &Given) -> Result<Rope> {
    let factor = given.parameters.number("factor")?;
    Ok(given.rope(given.plain.iter().map(|frequency| frequency / factor).collect()))
}

/// Llama 3: low frequencies are divided by a factor, with a smooth passage.
fn llama3(given: &Given) -> Result<Rope> {
    let parameters = &given.parameters;
    let (factor, length) = (parameters.number("factor")?, given.original_length);
    let (low, high) = (parameters.number("low_freq_factor")?, parameters.number("high_freq_factor")?);
    let scaled = |&frequency: &f64| {
        let wavelength = 2.0 * PI / frequency;
        if wavelength < length / high {
            return frequency;
        }
        if wavelength > length / low {
            return frequency / factor;
        }
        let smooth = (length / wavelength - low) / (high - low);
        (1.0 - smooth) * frequency / factor + smooth * frequency
    };
    Ok(given.rope(given.plain.iter().map(scaled).collect()))
}

/// YaRN (Peng et al., 2023): a linear ramp between scaled and plain frequencies.
fn yarn(given: &Given) -> Result<Rope> {
    let (parameters, dim) = (&given.parameters, given.dim);
    let factor = given.factor()?;
    let scale_of = |weight: f64| if factor <= 1.0 { 1.0 } else { 0.1 * weight * factor.ln() + 1.0 };
    let inferred = match (parameters.optional("mscale")?, parameters.optional("mscale_all_dim")?) {
        (Some(scale), Some(all)) if scale != 0.0 && all != 0.0 => scale_of(scale) / scale_of(all),
        _ => scale_of(1.0),
    };
    let dim_of =
        |rotations: f64| dim * (given.original_length / (rotations * 2.0 * PI)).ln() / (2.0 * given.theta.ln());
    let (mut low, mut high) = (dim_of(parameters.or("beta_fast", 32.0)?), dim_of(parameters.or("beta_slow", 1.0)?));
    if parameters.0.get("truncate") != Some(&Value::Bool(false)) {
        (low, high) = (low.floor(), high.ceil());
    }
    (low, high) = (low.max(0.0), high.min(dim - 1.0));
    let width = if low == high { 0.001 } else { high - low };
    let scaled = |(index, &frequency): (usize, &f64)| {
        let ramp = ((index as f64 - low) / width).clamp(0.0, 1.0);
        frequency / factor * ramp + frequency * (1.0 - ramp)
    };
    let rope = given.rope(given.plain.iter().enumerate().map(scaled).collect());
    Ok(Rope { attention_factor: parameters.or("attention_factor", inferred)?, ..rope })
}

/// LongRoPE (Ding et al., 2024): a factor for each frequency, others for long texts.
fn longrope(given: &Given) -> Result<Rope> {
    let (factor, length) = (given.factor()?, given.original_length);
    let inferred = if factor <= 1.0 { 1.0 } else { (1.0 + factor.ln() / length.ln()).sqrt() };
    let scaled_by = |name: &str| Ok(given.divide(&given.parameters.numbers(name, given.plain.len())?));
    let short = given.rope(scaled_by("short_factor")?);
    Ok(Rope {
        long: Some(scaled_by("long_factor")?),
        attention_factor: given.parameters.or("attention_factor", inferred)?,
        ..short
    })
}

/// Factors for each frequency, as GGUF has them for Llama 3.
fn factors(given: &Given) -> Result<Rope> {
    Ok(given.rope(given.divide(&given.parameters.numbers("factors", given.plain.len())?)))
}

type Variant = fn(&Given) -> Result<Rope>;

/// The variants by name.
const VARIANTS: &[(&str, Variant)] = &[
    ("default", |given| Ok(given.rope(given.plain.clone()))),
    ("linear", linear),
    ("llama3", llama3),
    ("yarn", yarn),
    ("longrope", longrope),
    ("su", longrope),
    ("factors", factors),
];

/// The dictionary for a kind of layers, of either form of `config.json`.
fn parameters_of(fields: &Fields, kind: &str, theta: &str, plain: bool) -> Parameters {
    let theta = fields.get(theta).clone();
    let with_theta = |mut own: Map<String, Value>| {
        let base = own.entry("rope_theta").or_insert(Value::Null);
        if base.is_null() {
            *base = theta.clone();
        }
        Parameters(own)
    };
    if let Value::Object(all) = fields.get("rope_parameters") {
        if let Some(Value::Object(own)) = all.get(kind) {
            return with_theta(own.clone());
        }
        if all.contains_key("rope_theta") || all.contains_key("rope_type") {
            return with_theta(all.clone());
        }
    }
    match fields.get("rope_scaling") {
        Value::Object(scaling) if !plain => with_theta(scaling.clone()),
        _ => with_theta(Map::new()),
    }
}

/// The layers whose rotary embedding is read, and its purpose.
pub(crate) struct Which<'a> {
    /// `full_attention` or `sliding_attention`.
    pub kind: &'a str,
    /// The field with the base of the frequencies.
    pub theta: &'a str,
    /// Whether `rope_scaling` does not concern it.
    pub plain: bool,
    pub head_dim: usize,
    pub max_positions: usize,
}

/// The rotary embedding of a kind of layers, as `config.json` describes it.
pub(crate) fn read(fields: &Fields, which: &Which) -> Result<Rope> {
    let parameters = parameters_of(fields, which.kind, which.theta, which.plain);
    let kind = parameters.kind();
    let Some((_, variant)) = VARIANTS.iter().find(|(name, _)| *name == kind) else {
        let names: Vec<&str> = VARIANTS.iter().map(|(name, _)| *name).collect();
        return Err(refuse(format!("the rotary embedding {kind:?} is not known; there are {}", names.join(", "))));
    };
    let theta = parameters.number("rope_theta")?;
    let partial = parameters.or("partial_rotary_factor", fields.number("partial_rotary_factor")?)?;
    // A factor may be a fraction whose product is a little below the number.
    let dim = (which.head_dim as f64 * partial + 1e-6) as usize;
    if dim < 2 || !dim.is_multiple_of(2) {
        return Err(refuse(format!("{dim} elements of a head cannot be rotated in pairs")));
    }
    let max_positions = which.max_positions as f64;
    let original = fields.optional("original_max_position_embeddings")?.unwrap_or(max_positions);
    let original_length = parameters.or("original_max_position_embeddings", original)?;
    let plain = (0..dim / 2).map(|index| theta.powf(-2.0 * index as f64 / dim as f64)).collect();
    variant(&Given { parameters, plain, theta, dim: dim as f64, max_positions, original_length })
}

/// Frequencies for [`rotations`]: each for both elements of its pair, negative for the first one.
pub(crate) fn with_negatives(frequencies: &[f64]) -> Vec<f32> {
    let all = frequencies.iter().map(|&frequency| -frequency).chain(frequencies.iter().copied());
    all.map(|frequency| frequency as f32).collect()
}

/// Cosines and sines of positions, `[batch, 1, L, dim]` each, for [`rotate`], from [`with_negatives`]
/// frequencies: the cosine of a negative angle is the cosine of the angle, and its sine is the
/// negative sine.
pub(crate) fn rotations(positions: &Tensor, frequencies: &Tensor, factor: f64) -> Result<[Tensor; 2]> {
    let angles = positions.to(DType::F32)?.unsqueeze(1)?.unsqueeze(-1)?.mul(frequencies)?;
    Ok([angles.cos()?.mul(factor)?, angles.sin()?.mul(factor)?])
}

/// Rotates pairs of elements of `x: [batch, heads, L, head_dim]`, which are `dim / 2` apart.
pub(crate) fn rotate(x: &Tensor, [cos, sin]: &[Tensor; 2]) -> Result<Tensor> {
    let size = |x: &Tensor| x.shape().last().map_or(0, |&size| size as i64);
    let (dim, width) = (size(cos), size(x));
    let rotated = x.narrow(-1, 0, dim)?;
    let halves = [rotated.narrow(-1, dim / 2, dim / 2)?, rotated.narrow(-1, 0, dim / 2)?];
    let turned = rotated.mul(cos)?.add(&Tensor::cat(&halves, -1)?.mul(sin)?)?.to(x.dtype())?;
    if dim == width { Ok(turned) } else { Tensor::cat(&[turned, x.narrow(-1, dim, width - dim)?], -1) }
}
