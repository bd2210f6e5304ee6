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

/// A dispatcher whose tensors are those of a device, or become them.
pub trait OnDevice: Dispatch + 'static {
    /// The dispatcher of a device.
    fn new(device: &Device) -> Self;

    /// A tensor of the device as one of the dispatcher.
    fn wrap(tensor: Tensor) -> Self::Tensor;

    /// A tensor of the dispatcher on the device.
    ///
    /// # Errors
    ///
    /// See [`Dispatch::tensor`].
    fn unwrap(&self, tensor: &Self::Tensor) -> Result<Tensor>;
}

impl OnDevice for Native {
    fn new(device: &Device) -> Native {
        Native::new(device)
    }

    fn wrap(tensor: Tensor) -> Tensor {
        tensor
    }

    fn unwrap(&self, tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }
}

/// An exported program with its parameters and buffers on a device.
///
/// It is a [`Module`]: parameters and buffers have PyTorch's names, are trained by optimizers, saved
/// and loaded as those of any module. Programs of other formats than PyTorch's have dispatchers of
/// their own.
pub struct Program<D: OnDevice = Native> {
    exported: Rc<ExportedProgram>,
    state: Vec<D::Tensor>,
    dispatch: D,
    limits: Limits,
}

impl Program {
    /// A program on a device.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::upload`].
    pub fn new(exported: Rc<ExportedProgram>, device: &Device) -> Result<Program> {
        Program::on(exported, device)
    }

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

    /// The program with its parameters and buffers as they are now, as a file for `torch.export.load`.
    ///
    /// # Errors
    ///
    /// See [`pt2::save`] and [`Program::with_state`].
    pub async fn save(&self) -> Result<Vec<u8>> {
        pt2::save(&self.with_state().await?)
    }
}

impl<D: OnDevice> Program<D> {
    /// A program that a dispatcher of its own runs on a device.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::upload`].
    pub fn on(exported: Rc<ExportedProgram>, device: &Device) -> Result<Program<D>> {
        let dispatch = D::new(device);
        let state = exported.upload(&dispatch, &[])?;
        Ok(Program { exported, state, dispatch, limits: Limits::default() })
    }

    /// The same program with its parameters and buffers as the file has them, on another device.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::upload`].
    pub fn to(&self, device: &Device) -> Result<Program<D>> {
        Program::on(self.exported.clone(), device)
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
    pub fn state(&self, name: &str) -> Option<Tensor> {
        let index = self.exported.state.iter().position(|state| state.name == name)?;
        self.dispatch.unwrap(self.state.get(index)?).ok()
    }

    /// Calls the program with positional and named arguments of the structure of `forward`.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::call`].
    pub async fn call(&self, args: Vec<Value<Tensor>>, named: Vec<(String, Value<Tensor>)>) -> Result<Value<Tensor>> {
        let args = args.into_iter().map(wrapped::<D>).collect();
        let named = named.into_iter().map(|(name, value)| (name, wrapped::<D>(value))).collect();
        let result = self.exported.call(&self.dispatch, &self.state, args, named, self.limits).await?;
        self.unwrapped(result)
    }

    /// Calls the program with the leaves of its arguments, and gives the leaves of its results.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::call`].
    pub async fn call_flat(&self, leaves: Vec<Value<Tensor>>) -> Result<Vec<Value<Tensor>>> {
        let leaves = leaves.into_iter().map(wrapped::<D>).collect();
        let results = self.exported.call_flat(&self.dispatch, &self.state, leaves, self.limits).await?;
        results.into_iter().map(|value| self.unwrapped(value)).collect()
    }

    fn unwrapped(&self, value: Value<D::Tensor>) -> Result<Value<Tensor>> {
        value.try_map(&mut |_, tensor| self.dispatch.unwrap(&tensor))
    }

    /// The program with its parameters and buffers as they are now.
    ///
    /// # Errors
    ///
    /// See [`ExportedProgram::with_state`]; [`Error::Operation`] if elements cannot be read.
    pub async fn with_state(&self) -> Result<ExportedProgram> {
        let mut state = Vec::with_capacity(self.state.len());
        for tensor in &self.state {
            state.push(self.dispatch.read(tensor).await?);
        }
        self.exported.with_state(state)
    }

    /// The name of the device.
    pub fn device(&self) -> String {
        self.dispatch.device()
    }

    fn named(&self, kind: fn(StateKind) -> bool) -> Vec<(String, Tensor)> {
        let named = self.exported.named(kind);
        let entries =
            named.map(|(name, index)| Some((name.to_string(), self.dispatch.unwrap(&self.state[index]).ok()?)));
        entries.flatten().collect()
    }
}

/// A value with tensors of a dispatcher.
fn wrapped<D: OnDevice>(value: Value<Tensor>) -> Value<D::Tensor> {
    match value.try_map(&mut |_, tensor| Ok::<_, std::convert::Infallible>(D::wrap(tensor))) {
        Ok(value) => value,
    }
}

impl<D: OnDevice> Module for Program<D> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.named(|kind| kind == StateKind::Parameter)
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.named(|kind| kind == StateKind::Buffer { persistent: true })
    }

    fn set_tensor(&mut self, name: &str, value: Tensor) -> bool {
        let Some(index) = self.exported.state.iter().position(|state| state.name == name) else { return false };
        self.state[index] = D::wrap(value);
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
