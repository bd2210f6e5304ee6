//! Script modules on lanthorn's tensors.

use crate::{Error, ScriptModule};
use lanthorn_nn::{Buffer, Module, Parameter};
use lanthorn_program::{Native, Value, poll_past_yields};
use lanthorn_tensor::{
    Tensor,
    ops::{Args, Output},
};
use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

/// A script module as a [`Module`], with parameters and buffers under PyTorch's names.
pub struct NativeModule {
    script: ScriptModule<Native>,
}

impl NativeModule {
    /// Wraps a script module.
    pub fn new(script: ScriptModule<Native>) -> NativeModule {
        NativeModule { script }
    }

    /// Returns the script module, for calls of its methods.
    pub fn script(&self) -> &ScriptModule<Native> {
        &self.script
    }
}

impl Module for NativeModule {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.script.named_parameters()
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.script.named_buffers()
    }

    fn set_tensor(&mut self, name: &str, value: Tensor) -> bool {
        self.script.set_state(name, value)
    }

    fn train(&self, mode: bool) {
        self.script.train(mode);
    }

    fn type_name(&self) -> String {
        self.script.class_name().rsplit('.').next().unwrap_or_default().to_string()
    }

    fn signature(&self) -> &'static str {
        "forward(Tensor[] inputs) -> Tensor[]"
    }

    /// Returns the tensors in the result of `forward`. The inputs are its tensor arguments. A
    /// module that reads elements needs [`ScriptModule::call`].
    fn call(&self, inputs: &Args<'_>) -> lanthorn_tensor::Result<Output> {
        let args = inputs.tensors(0).iter().cloned().map(Value::Tensor).collect();
        let failed = |error: Error| lanthorn_tensor::Error::argument("ScriptModule", error.to_string());
        let running = pin!(self.script.call(args, vec![]));
        let Poll::Ready(result) = poll_past_yields(running, &Context::from_waker(Waker::noop()), || true) else {
            return Err(lanthorn_tensor::Error::argument(
                "ScriptModule",
                "reads elements, so its call must be awaited",
            ));
        };
        let mut tensors = Vec::new();
        result.map_err(failed)?.for_each_leaf(&mut |_, leaf| tensors.extend(leaf.as_tensor().cloned()));
        Ok(tensors.into())
    }
}
