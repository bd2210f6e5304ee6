//! Built-in modules as functions of their tensors: a module is an object of JavaScript.

use crate::{arguments::decode, error::Result, op::encode, state::state};
use js_sys::Array;
use lanthorn::{
    Choice, Error, Tensor,
    nn::{
        DirectionAndLength, OrthogonalMap, OrthogonalWeight, Parametrization, Spectral,
        init::{self, GainOf, INITS},
        table::ModuleFunction,
        utils::prune::{Amount, Method},
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

/// The trained tensor of an orthogonal parameter, and with a trivialization its base. Without the
/// name of a map it is the usual one.
#[wasm_bindgen(js_name = orthogonalNew)]
pub fn orthogonal_new(weight: u32, map: Option<String>, use_trivialization: bool) -> Result<Vec<u32>> {
    let map = map.as_deref().map(orthogonal_map).transpose()?;
    let made = OrthogonalWeight::new(&state().tensors.get(weight)?, map, use_trivialization)?;
    Ok(handles(&made))
}

/// The orthogonal parameter of a trained tensor, and of a base if there is one.
#[wasm_bindgen(js_name = orthogonalValue)]
pub fn orthogonal_value(original: u32, base: Option<u32>, map: &str) -> Result<u32> {
    let tensors = &state().tensors;
    let base = base.map(|handle| tensors.get(handle)).transpose()?;
    let weight = OrthogonalWeight::of(tensors.get(original)?, base, orthogonal_map(map)?);
    Ok(tensors.add(weight.value(true)?))
}

fn orthogonal_map(name: &str) -> Result<OrthogonalMap> {
    let names = OrthogonalMap::NAMES;
    let unknown =
        || Error::argument("orthogonal", format!("orthogonalMap is one of {}, not {name:?}", names.join(", ")));
    Ok(OrthogonalMap::from_name(name).ok_or_else(unknown)?)
}

/// The mask of a pruning method after a mask, for scores of importance. The amount is a fraction or
/// a count. Without a dimension the method selects elements; with `custom` it takes that mask.
#[wasm_bindgen(js_name = pruneMask)]
#[allow(clippy::too_many_arguments)]
pub fn prune_mask(
    method: &str,
    scores: u32,
    mask: u32,
    amount: f64,
    is_fraction: bool,
    n: f64,
    dim: i32,
    custom: Option<u32>,
) -> Result<u32> {
    let tensors = &state().tensors;
    let (scores, mask, dim) = (tensors.get(scores)?, tensors.get(mask)?, dim.into());
    let amount = if is_fraction { Amount::Fraction(amount) } else { Amount::Count(amount as usize) };
    let method = match (method, custom) {
        ("customFromMask", Some(custom)) => Method::CustomFromMask(tensors.get(custom)?),
        ("l1Unstructured", _) => Method::L1Unstructured(amount),
        ("randomUnstructured", _) => Method::RandomUnstructured(amount),
        ("lnStructured", _) => Method::LnStructured { amount, n, dim },
        ("randomStructured", _) => Method::RandomStructured { amount, dim },
        _ => Method::Identity,
    };
    Ok(tensors.add(method.mask(&scores, &mask)?))
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
