//! Optimizers.

use crate::{
    error::{Result, Thrown},
    state::state,
};
use js_sys::{Array, Reflect};
use lanthorn::{
    Error,
    optim::{
        AdamOptions, SgdOptions,
        table::{Options, build},
    },
};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

/// An object of options, whose names TypeScript has checked. Read by hand: a deserializer is 15 KB of code for these few numbers.
struct Given<'a> {
    optimizer: &'a str,
    options: JsValue,
}

impl Given<'_> {
    /// Replaces `target` by the option `key`, if that is given.
    fn read<T>(&self, key: &str, expected: &str, target: &mut T, read: impl Fn(&JsValue) -> Option<T>) -> Result<()> {
        let value = Reflect::get(&self.options, &key.into()).map_err(Thrown::Value)?;
        if !value.is_undefined() {
            let odd = || Error::argument(self.optimizer, format!("bad options: {key} takes {expected}"));
            *target = read(&value).ok_or_else(odd)?;
        }
        Ok(())
    }

    fn number(&self, key: &str, target: &mut f64) -> Result<()> {
        self.read(key, "a number", target, JsValue::as_f64)
    }

    fn flag(&self, key: &str, target: &mut bool) -> Result<()> {
        self.read(key, "true or false", target, JsValue::as_bool)
    }

    fn pair(&self, key: &str, target: &mut (f64, f64)) -> Result<()> {
        self.read(key, "two numbers", target, |value| {
            let list = value.dyn_ref::<Array>().filter(|list| list.length() == 2)?;
            Some((list.get(0).as_f64()?, list.get(1).as_f64()?))
        })
    }

    fn sgd(&self) -> Result<SgdOptions> {
        let mut options = SgdOptions::default();
        self.number("lr", &mut options.lr)?;
        self.number("momentum", &mut options.momentum)?;
        self.number("dampening", &mut options.dampening)?;
        self.number("weightDecay", &mut options.weight_decay)?;
        self.flag("nesterov", &mut options.nesterov)?;
        self.flag("maximize", &mut options.maximize)?;
        Ok(options)
    }

    fn adam(&self) -> Result<AdamOptions> {
        let mut options = AdamOptions::default();
        self.number("lr", &mut options.lr)?;
        self.pair("betas", &mut options.betas)?;
        self.number("eps", &mut options.eps)?;
        self.number("weightDecay", &mut options.weight_decay)?;
        self.flag("maximize", &mut options.maximize)?;
        Ok(options)
    }
}

/// Makes an optimizer of these parameters with an object of options.
#[wasm_bindgen(js_name = optimizerNew)]
pub fn new(name: &str, parameters: &[u32], options: JsValue) -> Result<u32> {
    let state = state();
    let given = Given { optimizer: name, options };
    let options = match name {
        "SGD" => Options::Sgd(given.sgd()?),
        "Adam" => Options::Adam(given.adam()?),
        _ => return Err(Error::argument("optim", format!("there is no optimizer {name:?}")).into()),
    };
    let optimizer = build(state.tensors(parameters)?, options)?;
    Ok(state.optimizers.add(Rc::new(RefCell::new(optimizer))))
}

/// Changes the parameters by their gradients.
#[wasm_bindgen(js_name = optimizerStep)]
pub fn step(handle: u32) -> Result<()> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.borrow_mut().step()?)
}

/// Drops the gradients.
#[wasm_bindgen(js_name = optimizerZeroGrad)]
pub fn zero_grad(handle: u32) -> Result<()> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.borrow().zero_grad()?)
}

/// The learning rate.
#[wasm_bindgen(js_name = optimizerLearningRate)]
pub fn learning_rate(handle: u32) -> Result<f64> {
    let optimizer = state().optimizers.get(handle)?;
    Ok(optimizer.borrow().learning_rate())
}

/// Changes the learning rate.
#[wasm_bindgen(js_name = optimizerSetLearningRate)]
pub fn set_learning_rate(handle: u32, lr: f64) -> Result<()> {
    if lr.is_nan() || lr < 0.0 {
        return Err(Error::argument("optim", format!("a learning rate must not be negative: {lr}")).into());
    }
    let optimizer = state().optimizers.get(handle)?;
    optimizer.borrow_mut().set_learning_rate(lr);
    Ok(())
}

/// Lets go of an optimizer.
#[wasm_bindgen(js_name = optimizerDispose)]
pub fn dispose(handle: u32) -> bool {
    state().optimizers.remove(handle).is_some()
}
