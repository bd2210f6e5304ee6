//! Built-in modules.

use crate::{arguments::decode, error::Result, op::encode, state::state};
use js_sys::Array;
use lanthorn::{
    Error, Tensor,
    nn::{
        Module,
        init::INITS,
        table::{ModuleInstance, build},
    },
};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A module that JavaScript holds: a module of the table, or one inside it, with the path of names
/// to it.
#[derive(Clone)]
pub(crate) struct ModuleHandle {
    pub built: Rc<ModuleInstance>,
    path: Vec<String>,
}

impl ModuleHandle {
    /// Calls `use_it` with the module.
    fn with<T>(&self, use_it: impl FnOnce(&dyn Module) -> Result<T>) -> Result<T> {
        fn walk<T>(module: &dyn Module, path: &[String], use_it: impl FnOnce(&dyn Module) -> Result<T>) -> Result<T> {
            let Some((name, rest)) = path.split_first() else { return use_it(module) };
            let children = module.children();
            let child = children.iter().find(|(own, _)| own == name);
            let (_, child) =
                child.ok_or_else(|| Error::argument("module", format!("there is no module {name:?} within")))?;
            walk(*child, rest, use_it)
        }
        walk(self.built.module(), &self.path, use_it)
    }
}

/// Builds a module of the table.
#[wasm_bindgen(js_name = moduleNew)]
pub fn new(name: &str, words: &[f64], strings: Vec<String>) -> Result<u32> {
    let state = state();
    state.device()?;
    let built = Rc::new(build(name, &decode(name, words, &strings)?)?);
    Ok(state.modules.add(ModuleHandle { built, path: vec![] }))
}

/// Calls a module's `forward`.
#[wasm_bindgen(js_name = moduleCall)]
pub fn call(handle: u32, words: &[f64], strings: Vec<String>) -> Result<JsValue> {
    let module = state().modules.get(handle)?;
    let args = decode(module.built.spec().name(), words, &strings)?;
    if module.path.is_empty() {
        return Ok(encode(module.built.call(&args)?));
    }
    module.with(|module| Ok(encode(lanthorn::nn::call(module, &args)?)))
}

/// Names and handles, alternating.
fn listed(list: Vec<(String, u32)>) -> Array {
    list.into_iter().flat_map(|(name, handle)| [JsValue::from(name), JsValue::from(handle)]).collect()
}

fn tensors(list: Vec<(String, Tensor)>) -> Array {
    listed(list.into_iter().map(|(name, tensor)| (name, state().tensors.add(tensor))).collect())
}

/// The module's own parameters: names and handles, alternating.
#[wasm_bindgen(js_name = moduleParameters)]
pub fn parameters(handle: u32) -> Result<Array> {
    state().modules.get(handle)?.with(|module| Ok(tensors(module.own_parameters())))
}

/// The module's own buffers: names and handles, alternating.
#[wasm_bindgen(js_name = moduleBuffers)]
pub fn buffers(handle: u32) -> Result<Array> {
    state().modules.get(handle)?.with(|module| Ok(tensors(module.own_buffers())))
}

/// Replaces the module's own parameter or buffer of this name.
#[wasm_bindgen(js_name = moduleSetTensor)]
pub fn set_tensor(handle: u32, name: &str, tensor: u32) -> Result<()> {
    let state = state();
    let value = state.tensors.get(tensor)?;
    let mut held = state.modules.get(handle)?;
    // The table's reference is dropped, so that a module that no other refers to can be changed.
    state.modules.remove(handle);
    let outcome = match Rc::get_mut(&mut held.built) {
        Some(built) if held.path.is_empty() => built.set_tensor(name, value),
        _ => Err(Error::argument("module", format!("{name:?} cannot be replaced in a module that is part of another"))),
    };
    state.modules.replace(handle, held);
    Ok(outcome?)
}

/// The child modules: names and handles, alternating.
#[wasm_bindgen(js_name = moduleChildren)]
pub fn children(handle: u32) -> Result<Array> {
    let state = state();
    let held = state.modules.get(handle)?;
    let names: Vec<String> = held.with(|module| Ok(module.children().into_iter().map(|(name, _)| name).collect()))?;
    let child = |name: String| {
        let path = held.path.iter().chain([&name]).cloned().collect();
        (name, state.modules.add(ModuleHandle { built: held.built.clone(), path }))
    };
    Ok(listed(names.into_iter().map(child).collect()))
}

/// The names of the arguments of the module's `forward`.
#[wasm_bindgen(js_name = moduleSignature)]
pub fn signature(handle: u32) -> Result<Vec<String>> {
    state()
        .modules
        .get(handle)?
        .with(|module| Ok(lanthorn::nn::signature(module).params.into_iter().map(|param| param.name).collect()))
}

/// Splits a module's parameter into direction and magnitude; an infinite `dim` means none.
#[wasm_bindgen(js_name = moduleWeightNorm)]
pub fn weight_norm(handle: u32, name: &str, dim: f64) -> Result<u32> {
    parametrized("weightNorm", handle, name, |built| built.weight_norm(name, dim.is_finite().then_some(dim as i64)))
}

/// Divides a module's parameter by its largest singular value.
#[wasm_bindgen(js_name = moduleSpectralNorm)]
pub fn spectral_norm(handle: u32, name: &str, iterations: u32, eps: f64, dim: i32) -> Result<u32> {
    parametrized("spectralNorm", handle, name, |built| built.spectral_norm(name, iterations as usize, eps, dim.into()))
}

/// Replaces a module with one in which a parameter is computed.
fn parametrized(
    op: &str,
    handle: u32,
    name: &str,
    make: impl FnOnce(ModuleInstance) -> lanthorn::Result<ModuleInstance>,
) -> Result<u32> {
    let state = state();
    let refused = |message: &str| Error::argument(op, message);
    if !state.modules.get(handle)?.path.is_empty() {
        return Err(refused("takes a module that is not within another").into());
    }
    if !state.modules.get(handle)?.with(|module| Ok(module.own_parameters().iter().any(|(own, _)| own == name)))? {
        return Err(refused(&format!("the module has no parameter {name:?} of its own")).into());
    }
    let held = state.modules.remove(handle).map(|held| Rc::try_unwrap(held.built));
    let Some(Ok(built)) = held else { return Err(refused("takes a module that no other was made of").into()) };
    let built = Rc::new(make(built)?);
    Ok(state.modules.add(ModuleHandle { built, path: vec![] }))
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
    Ok(lanthorn::nn::init::calculate_gain(nonlinearity, param)?)
}

/// Sets training or evaluation mode.
#[wasm_bindgen(js_name = moduleTrain)]
pub fn train(handle: u32, mode: bool) -> Result<()> {
    state().modules.get(handle)?.with(|module| {
        module.train(mode);
        Ok(())
    })
}

/// Drops a module.
#[wasm_bindgen(js_name = moduleDispose)]
pub fn dispose(handle: u32) -> bool {
    state().modules.remove(handle).is_some()
}
