//! A program on lanthorn's tensors, which is a module.

use crate::{
    Dispatch, Error, ExportedProgram, Limits, Native, PlanReport, Plans, Result, StateKind, Value, passes::optimize,
    poll_past_yields, pt2,
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

/// A dispatcher whose tensors convert to and from the tensors of a device.
pub trait OnDevice: Dispatch + 'static {
    /// Creates the dispatcher of a device.
    fn new(device: &Device) -> Self;

    /// Converts a tensor of the device.
    fn wrap(tensor: Tensor) -> Self::Tensor;

    /// Returns a tensor on the device.
    ///
    /// # Errors
    ///
    /// The errors of [`Dispatch::tensor`].
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
/// It is a [`Module`]: its parameters and buffers have PyTorch's names, and optimizers, saving and
/// loading work as for any module. Programs of other formats have their own dispatchers.
pub struct Program<D: OnDevice = Native> {
    exported: Rc<ExportedProgram>,
    state: Vec<D::Tensor>,
    dispatch: D,
    limits: Limits,
    /// `None` for a program that is interpreted.
    plans: Option<Plans<D>>,
}

impl Program {
    /// Uploads a program to a device.
    ///
    /// # Errors
    ///
    /// The errors of [`ExportedProgram::upload`].
    pub fn new(exported: Rc<ExportedProgram>, device: &Device) -> Result<Program> {
        Program::on(exported, device)
    }

    /// Reads a `.pt2` file, and uploads its program to a device.
    ///
    /// # Errors
    ///
    /// The errors of [`pt2::load`] and [`ExportedProgram::upload`].
    pub fn load(bytes: &[u8], device: &Device) -> Result<Program> {
        let mut exported = pt2::load(bytes)?;
        optimize(&mut exported.graph);
        Program::new(Rc::new(exported), device)
    }

    /// Saves the program with the current parameters and buffers, as a file for
    /// `torch.export.load`.
    ///
    /// # Errors
    ///
    /// The errors of [`pt2::save`] and [`Program::with_state`].
    pub async fn save(&self) -> Result<Vec<u8>> {
        pt2::save(&self.with_state().await?)
    }
}

impl<D: OnDevice> Program<D> {
    /// Uploads a program to a device, with another dispatcher.
    ///
    /// # Errors
    ///
    /// The errors of [`ExportedProgram::upload`].
    pub fn on(exported: Rc<ExportedProgram>, device: &Device) -> Result<Program<D>> {
        let dispatch = D::new(device);
        let state = exported.upload(&dispatch, &[])?;
        Ok(Program { exported, state, dispatch, limits: Limits::default(), plans: Some(Plans::default()) })
    }

    /// Uploads the same program with the file's parameters and buffers to another device.
    ///
    /// # Errors
    ///
    /// The errors of [`ExportedProgram::upload`].
    pub fn to(&self, device: &Device) -> Result<Program<D>> {
        Program::on(self.exported.clone(), device)
    }

    /// Limits the number of operations of a call.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Sets whether calls replay what earlier calls recorded, which is the default. Otherwise the
    /// program is interpreted, with the same results. Drops all recordings.
    pub fn set_planned(&mut self, planned: bool) {
        self.plans = planned.then(Plans::default);
    }

    /// Describes the recordings, and why nodes are interpreted.
    pub fn explain(&self) -> PlanReport {
        self.plans.as_ref().map(Plans::report).unwrap_or_default()
    }

    /// Returns the exported program.
    pub fn exported(&self) -> &ExportedProgram {
        &self.exported
    }

    /// Returns the parameter, buffer or constant of this name.
    pub fn state(&self, name: &str) -> Option<Tensor> {
        let index = self.exported.state.iter().position(|state| state.name == name)?;
        self.dispatch.unwrap(self.state.get(index)?).ok()
    }

    /// Calls the program with positional and named arguments in the structure of `forward`.
    ///
    /// # Errors
    ///
    /// The errors of [`ExportedProgram::call`].
    pub async fn call(&self, args: Vec<Value<Tensor>>, named: Vec<(String, Value<Tensor>)>) -> Result<Value<Tensor>> {
        let args = args.into_iter().map(wrap_value::<D>).collect();
        let named = named.into_iter().map(|(name, value)| (name, wrap_value::<D>(value))).collect();
        let result =
            self.exported.call(&self.dispatch, &self.state, args, named, self.limits, self.plans.as_ref()).await?;
        self.unwrap_value(result)
    }

    /// Calls the program with the leaves of its arguments, and returns the leaves of its results.
    ///
    /// # Errors
    ///
    /// The errors of [`ExportedProgram::call`].
    pub async fn call_flat(&self, leaves: Vec<Value<Tensor>>) -> Result<Vec<Value<Tensor>>> {
        let leaves = leaves.into_iter().map(wrap_value::<D>).collect();
        let results =
            self.exported.call_flat(&self.dispatch, &self.state, leaves, self.limits, self.plans.as_ref()).await?;
        results.into_iter().map(|value| self.unwrap_value(value)).collect()
    }

    fn unwrap_value(&self, value: Value<D::Tensor>) -> Result<Value<Tensor>> {
        value.try_map(&mut |_, tensor| self.dispatch.unwrap(&tensor))
    }

    /// Returns the program with the current parameters and buffers.
    ///
    /// # Errors
    ///
    /// The errors of [`ExportedProgram::with_state`]; [`Error::Operation`] if elements cannot be
    /// read.
    pub async fn with_state(&self) -> Result<ExportedProgram> {
        let mut state = Vec::with_capacity(self.state.len());
        for tensor in &self.state {
            state.push(self.dispatch.read(tensor).await?);
        }
        self.exported.with_state(state)
    }

    /// Returns the name of the device.
    pub fn device(&self) -> String {
        self.dispatch.device()
    }

    fn state_by_kind(&self, kind: fn(StateKind) -> bool) -> Vec<(String, Tensor)> {
        let named = self.exported.named(kind);
        let entries =
            named.map(|(name, index)| Some((name.to_string(), self.dispatch.unwrap(&self.state[index]).ok()?)));
        entries.flatten().collect()
    }
}

/// Converts the tensors of a value to a dispatcher's.
fn wrap_value<D: OnDevice>(value: Value<Tensor>) -> Value<D::Tensor> {
    match value.try_map(&mut |_, tensor| Ok::<_, std::convert::Infallible>(D::wrap(tensor))) {
        Ok(value) => value,
    }
}

impl<D: OnDevice> Module for Program<D> {
    fn own_parameters(&self) -> Vec<(String, Parameter)> {
        self.state_by_kind(|kind| kind == StateKind::Parameter)
    }

    fn own_buffers(&self) -> Vec<(String, Buffer)> {
        self.state_by_kind(|kind| kind == StateKind::Buffer { persistent: true })
    }

    fn set_tensor(&mut self, name: &str, value: Tensor) -> bool {
        let Some(index) = self.exported.state.iter().position(|state| state.name == name) else { return false };
        self.state[index] = D::wrap(value);
        true
    }

    fn signature(&self) -> &'static str {
        "forward(Tensor[] inputs) -> Tensor[]"
    }

    /// Returns the leaves of the results. The inputs are the leaves of the arguments. A program
    /// that reads elements needs [`Program::call`].
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
