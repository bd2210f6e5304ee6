//! Built-in modules as functions of their tensors: a module is an object of JavaScript.

use crate::{arguments::decode, error::Result, op::encode, state::state};
use js_sys::Array;
use lanthorn::{
    Choice, Error, Tensor,
    nn::{
        DirectionAndLength, Parametrization, Spectral,
        init::{self, GainOf, INITS},
        table::ModuleFunction,
    },
    ops::Arg,
};
use lanthorn_call::Language;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The initialized tensors of a new module of the table: for each its name, its handle (-1 for one
/// that the module is without), and whether it is a parameter.
#[wasm_bindgen(js_name = moduleTensors)]
pub fn tensors(number: u32, words: &[f64], strings: Vec<String>) -> Result<Array> {
    let state = state();
    state.device()?;
    let module = ModuleFunction::new(number as usize, Language::JavaScript)?;
    let vars = module.tensors(&decode(module.name(), words, &strings)?)?;
    let row = vars.into_iter().flat_map(|var| {
        let handle = var.tensor.map_or(-1.0, |tensor| f64::from(state.tensors.add(tensor)));
        [JsValue::from(var.name), JsValue::from(handle), JsValue::from(var.is_parameter)]
    });
    Ok(row.collect())
}

/// Calls a module of the table. The arguments are the constructor's, a list of its tensors, whether
/// it is in training mode, and the inputs of `forward`.
#[wasm_bindgen(js_name = moduleCall)]
pub fn call(number: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    state().device()?;
    let module = ModuleFunction::new(number as usize, Language::JavaScript)?;
    let args = decode(module.name(), words, &strings)?;
    let malformed = || Error::argument(module.name(), "a call has other arguments");
    let (args, rest) = args.split_at_checked(module.arity()).ok_or_else(malformed)?;
    let [tensors, training, inputs @ ..] = rest else { return Err(malformed().into()) };
    let tensors: &[Option<Tensor>] = match tensors {
        Arg::OptionalTensors(tensors) => tensors,
        Arg::Tensors(tensors) => &tensors.iter().cloned().map(Some).collect::<Vec<_>>(),
        // A list of none.
        _ => &[],
    };
    let training = matches!(training, Arg::Scalar(lanthorn::Scalar::Bool(true)));
    Ok(encode(module.call(args, tensors, training, inputs)?))
}

/// Handles of the tensors, the parameters first.
fn handles(parametrization: &impl Parametrization) -> Vec<u32> {
    let tensors = parametrization.originals().into_iter().chain(parametrization.buffers());
    tensors.map(|(_, tensor)| state().tensors.add(tensor)).collect()
}

/// The length and the direction of a parameter; an infinite `dim` means none.
#[wasm_bindgen(js_name = weightNormNew)]
pub fn weight_norm_new(weight: u32, dim: f64) -> Result<Vec<u32>> {
    let weight = state().tensors.get(weight)?;
    Ok(handles(&DirectionAndLength::new(&weight, dim.is_finite().then_some(dim as i64))?))
}

/// The parameter of a length and a direction.
#[wasm_bindgen(js_name = weightNormValue)]
pub fn weight_norm_value(length: u32, direction: u32, dim: f64) -> Result<u32> {
    let tensors = &state().tensors;
    let dim = dim.is_finite().then_some(dim as i64);
    let split = DirectionAndLength { dim, length: tensors.get(length)?, direction: tensors.get(direction)? };
    Ok(tensors.add(split.value(true)?))
}

/// A copy of a parameter, and estimates of its first singular vectors if it is not a vector.
#[wasm_bindgen(js_name = spectralNormNew)]
pub fn spectral_norm_new(weight: u32, iterations: u32, eps: f64, dim: i32) -> Result<Vec<u32>> {
    let weight = state().tensors.get(weight)?;
    Ok(handles(&Spectral::new(&weight, iterations as usize, eps, dim.into())?))
}

/// The parameter divided by its largest singular value, from the tensors of [`spectral_norm_new`].
#[wasm_bindgen(js_name = spectralNormValue)]
pub fn spectral_norm_value(handles: &[u32], iterations: u32, eps: f64, dim: i32, training: bool) -> Result<u32> {
    let state = state();
    let mut tensors = state.tensors(handles)?.into_iter();
    let malformed = || Error::argument("spectralNorm", "there is no parameter");
    let original = tensors.next().ok_or_else(malformed)?;
    let vectors = tensors.next().zip(tensors.next());
    let spectral = Spectral::of(original, vectors, iterations as usize, eps, dim.into())?;
    Ok(state.tensors.add(spectral.value(training)?))
}

/// Fills a tensor with initializer number `number`.
#[wasm_bindgen(js_name = initialize)]
pub fn initialize(number: u32, words: &[f64], strings: Vec<String>) -> Result<()> {
    state().device()?;
    let spec = INITS
        .get(number as usize)
        .ok_or_else(|| Error::argument("init", format!("there is no initializer number {number}")))?;
    Ok(spec.fill(&decode("init", words, &strings)?)?)
}

/// The gain of a nonlinearity.
#[wasm_bindgen(js_name = calculateGain)]
pub fn calculate_gain(nonlinearity: &str, param: Option<f64>) -> Result<f64> {
    let known = GainOf::from_name(nonlinearity);
    let known =
        known.ok_or_else(|| Error::argument("calculate_gain", format!("there is no nonlinearity {nonlinearity:?}")))?;
    Ok(init::calculate_gain(known, param))
}
