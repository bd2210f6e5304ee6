//! Runs models on lanthorn's tensors.

use crate::{
    external::Source,
    hosted::{Hosted, Tensor as HostedTensor},
    proto::Bytes,
    read,
};
use lanthorn_program::{Native, OnDevice, Program, Result, passes::optimize};
use lanthorn_tensor::{Device, Tensor};
use std::{collections::HashMap, rc::Rc};

/// A model on a device: a [`Program`], which is a module. Its arguments are the model's inputs in
/// order. A single result is a tensor; several results are a dictionary by name.
pub type Model = Program<Hosted<Native>>;

impl OnDevice for Hosted<Native> {
    fn new(device: &Device) -> Self {
        Hosted::new(Native::new(device))
    }

    fn wrap(tensor: Tensor) -> HostedTensor<Tensor> {
        HostedTensor::Device(tensor)
    }

    fn unwrap(&self, tensor: &HostedTensor<Tensor>) -> Result<Tensor> {
        self.on_device(tensor)
    }
}

/// Reads a model that has all its elements in the file.
///
/// # Errors
///
/// The errors of [`load_with`].
pub fn load(bytes: impl Into<Bytes>, device: &Device) -> Result<Model> {
    load_with(bytes, &HashMap::<String, Vec<u8>>::new(), device)
}

/// Reads a model. `external` reads elements outside of the file.
///
/// # Errors
///
/// The errors of [`read`] and of [`upload`](lanthorn_program::ExportedProgram::upload).
pub fn load_with(bytes: impl Into<Bytes>, external: &dyn Source, device: &Device) -> Result<Model> {
    let mut program = read(bytes, external)?;
    optimize(&mut program.graph);
    Program::on(Rc::new(program), device)
}
