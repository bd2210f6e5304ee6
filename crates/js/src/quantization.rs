//! Quantization as functions of tensors: a configuration is two numbers, an observer is the
//! arguments of its constructor and the ends that it has noted. Both are objects of JavaScript.

use crate::{arguments::decode, error::Result, promise::promise, state::state, values::value};
use js_sys::{Array, Float64Array, Promise};
use lanthorn::{
    DType, Error, Tensor,
    nn::quantization::{OBSERVERS, ObserverRule, QParams, QuantizationConfig},
};
use wasm_bindgen::prelude::wasm_bindgen;

fn config(number: u32, argument: u32) -> Result<QuantizationConfig> {
    Ok(QuantizationConfig::from_numbers(number as usize, argument.into())?)
}

/// Checks that a configuration fits the weight of a layer. Errors have the names of the function
/// and of the layer.
#[wasm_bindgen(js_name = quantizationCheck)]
pub fn check(op: &str, layer: &str, number: u32, argument: u32, weight: u32) -> Result<()> {
    Ok(config(number, argument)?.check(op, layer, &state().tensors.get(weight)?)?)
}

/// A promise of a quantized weight: the relative error, and the handles of its tensors.
#[wasm_bindgen(js_name = quantizationPack)]
pub fn pack(op: String, layer: String, number: u32, argument: u32, weight: u32) -> Result<Promise> {
    let (config, weight) = (config(number, argument)?, state().tensors.get(weight)?);
    Ok(promise(async move {
        let packed = config.pack(&op, &layer, &weight).await?;
        let handles = packed.tensors.into_iter().map(|tensor| f64::from(state().tensors.add(tensor)));
        let row: Vec<f64> = std::iter::once(packed.relative_error).chain(handles).collect();
        Ok(Float64Array::from(&row[..]).into())
    }))
}

/// The weight of quantized tensors.
#[wasm_bindgen(js_name = quantizationUnpack)]
pub fn unpack(number: u32, argument: u32, tensors: &[u32], shape: &[u32], dtype: &str) -> Result<u32> {
    let state = state();
    let unknown = || Error::dtype("quantize", format!("there is no type {dtype:?}"));
    let dtype = DType::from_name(dtype).ok_or_else(unknown)?;
    let shape: Vec<i64> = shape.iter().map(|&size| size.into()).collect();
    let weight = config(number, argument)?.unpack(&state.tensors(tensors)?, &shape, dtype)?;
    Ok(state.tensors.add(weight))
}

/// A weight with its numbers rounded.
#[wasm_bindgen(js_name = quantizationRoundWeight)]
pub fn round_weight(number: u32, argument: u32, weight: u32) -> Result<u32> {
    let tensors = &state().tensors;
    Ok(tensors.add(config(number, argument)?.round_weight(&tensors.get(weight)?)?))
}

/// The rounded inputs of a layer.
#[wasm_bindgen(js_name = quantizationRoundInput)]
pub fn round_input(number: u32, argument: u32, x: u32) -> Result<u32> {
    let tensors = &state().tensors;
    let x = tensors.get(x)?;
    Ok(tensors.add(config(number, argument)?.round_input(&x)?.unwrap_or(x)))
}

fn rule(number: u32, words: &[f64], strings: &[String]) -> Result<ObserverRule> {
    let name = OBSERVERS.get(number as usize).map_or("observer", |spec| spec.name);
    Ok(ObserverRule::new(number as usize, &decode(name, words, strings)?)?)
}

/// The arguments of an observer's constructor, with all defaults filled in.
#[wasm_bindgen(js_name = observerOptions)]
pub fn options(number: u32, words: &[f64], strings: Vec<String>) -> Result<Array> {
    let options = ObserverRule::options(number as usize, &decode("observer", words, &strings)?)?;
    Ok(options.iter().map(value).collect())
}

fn handles(tensors: impl IntoIterator<Item = Tensor>) -> Vec<u32> {
    tensors.into_iter().map(|tensor| state().tensors.add(tensor)).collect()
}

fn grid(QParams { scale, zero_point }: QParams) -> Vec<u32> {
    handles([scale, zero_point])
}

/// The ends of all tensors that an observer has seen, from those before and another tensor.
#[wasm_bindgen(js_name = observerObserve)]
pub fn observe(number: u32, words: &[f64], strings: Vec<String>, low: u32, high: u32, x: u32) -> Result<Vec<u32>> {
    let tensors = &state().tensors;
    let known = [tensors.get(low)?, tensors.get(high)?];
    Ok(handles(rule(number, words, &strings)?.observe(Some(&known), &tensors.get(x)?)?))
}

/// The scale and the zero point of a range.
#[wasm_bindgen(js_name = observerQParams)]
pub fn qparams(number: u32, words: &[f64], strings: Vec<String>, low: u32, high: u32) -> Result<Vec<u32>> {
    let tensors = &state().tensors;
    let (low, high) = (tensors.get(low)?, tensors.get(high)?);
    Ok(grid(rule(number, words, &strings)?.qparams([&low, &high])?))
}

/// A histogram with further numbers.
#[wasm_bindgen(js_name = histogramCount)]
pub fn count(number: u32, words: &[f64], strings: Vec<String>, row: &[f64], values: &[f32]) -> Result<Vec<f64>> {
    Ok(rule(number, words, &strings)?.count(row, values))
}

/// The scale and the zero point of a histogram.
#[wasm_bindgen(js_name = histogramQParams)]
pub fn histogram_qparams(number: u32, words: &[f64], strings: Vec<String>, row: &[f64]) -> Result<Vec<u32>> {
    let device = state().device()?;
    Ok(grid(rule(number, words, &strings)?.qparams_of_row(row, &device)?))
}
