//! A program on lanthorn's tensors: a module.

use crate::{
    Dispatch, Error, ExportedProgram, Limits, Native, Result, StateKind, Value, passes::optimize, poll_past_yields, pt2,
};
use lanthorn_nn::{Buffer, Module, Parameter};
use lanthorn_tensor::{
    Device, Tensor,
    ops::{Args, Output},
};
use std::{
    pin::pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

/// An exported program with its parameters and buffers on a device.
///
/// It is a [`Module`]: parameters and buffers have PyTorch's names, are trained by optimizers, saved
/// and loaded as those of any module.
pub struct Program {
    exported: Rc<ExportedProgram>,
    state: Vec<Tensor>,
    dispatch: Native,
    limits: Limits,
}

impl Program {
    /// Reads a `.pt2` file. The program's tensors are made on the device.
    ///
    /// # Errors
    ///
    /// See [`pt2::load`] and [`ExportedProgram::upload`].
    pub fn load(bytes: &[u8], device: &Device) -> Result<Program> {
        let mut exported = pt2::load(bytes)?;
        optimize(&mut exported.graph);
        Program::new(Rc::new(exported), device)
    }

    /// A program on a device.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::upload`].
    pub fn new(exported: Rc<ExportedProgram>, device: &Device) -> Result<Program> {
        let dispatch = Native::new(device);
        let state = exported.upload(&dispatch)?;
        Ok(Program { exported, state, dispatch, limits: Limits::default() })
    }

    /// The same program with its parameters and buffers as the file has them, on another device.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::upload`].
    pub fn to(&self, device: &Device) -> Result<Program> {
        Program::new(self.exported.clone(), device)
    }

    /// Limits the number of operations of a call.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The graph, and what its inputs and results are.
    pub fn exported(&self) -> &ExportedProgram {
        &self.exported
    }

    /// The parameter, buffer or constant of this name.
    pub fn state(&self, name: &str) -> Option<&Tensor> {
        let index = self.exported.state.iter().position(|state| state.name == name)?;
        self.state.get(index)
    }

    /// Calls the program with positional and named arguments of the structure of `forward`.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::call`].
    pub async fn call(&self, args: Vec<Value<Tensor>>, named: Vec<(String, Value<Tensor>)>) -> Result<Value<Tensor>> {
        self.exported.call(&self.dispatch, &self.state, args, named, self.limits).await
    }

    /// Calls the program with the leaves of its arguments, and gives the leaves of its results.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::call`].
    pub async fn call_flat(&self, leaves: Vec<Value<Tensor>>) -> Result<Vec<Value<Tensor>>> {
        self.exported.call_flat(&self.dispatch, &self.state, leaves, self.limits).await
    }

    /// The program with its parameters and buffers as they are now, as a file for `torch.export.load`.
    ///
    /// # Errors
    ///
    /// See [`pt2::save`] and [`ExportedProgram::with_state`]; [`Error::Operation`] if elements cannot be read.
    pub async fn save(&self) -> Result<Vec<u8>> {
        let mut state = Vec::with_capacity(self.state.len());
        for tensor in &self.state {
            state.push(self.dispatch.read(tensor).await?);
        }
        pt2::save(&self.exported.with_state(state)?)
    }

    /// The name of the device.
    pub fn device(&self) -> String {
        self.dispatch.device()
    }

    fn named(&self, kind: fn(StateKind) -> bool) -> Vec<(String, Tensor)> {
        let named = self.exported.named(kind);
        named.map(|(name, index)| (name.to_string(), self.state[index].clone())).collect()
    }
}

impl Module for Program {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.named(|kind| kind == StateKind::Parameter)
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.named(|kind| kind == StateKind::Buffer { persistent: true })
    }

    fn set_tensor(&mut self, name: &str, value: Tensor) -> bool {
        let Some(index) = self.exported.state.iter().position(|state| state.name == name) else { return false };
        self.state[index] = value;
        true
    }

    fn signature(&self) -> &'static str {
        "forward(Tensor[] inputs) -> Tensor[]"
    }

    /// The leaves of the results for tensors as the leaves of the arguments. A program that reads
    /// elements is called with [`Program::call`].
    fn call(&self, inputs: &Args<'_>) -> lanthorn_tensor::Result<Output> {
        let leaves = inputs.tensors(0).iter().cloned().map(Value::Tensor).collect();
        let failed = |error: Error| lanthorn_tensor::Error::argument("Program", error.to_string());
        let running = pin!(self.call_flat(leaves));
        match poll_past_yields(running, &Context::from_waker(Waker::noop()), || true) {
            Poll::Ready(results) => {
                let results = results.map_err(failed)?;
                Ok(results.into_iter().filter_map(|value| value.as_tensor().cloned()).collect::<Vec<_>>().into())
            }
            Poll::Pending => {
                Err(lanthorn_tensor::Error::argument("Program", "reads elements, so its call must be awaited"))
            }
        }
    }
}
