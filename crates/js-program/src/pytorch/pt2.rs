//! Files of `torch.export.save`.

use crate::{
    calls::{ExportedHandle, Host, dispatch::Core},
    error::Thrown,
    tensors::read_state,
};
use js_sys::Array;
use lanthorn_program::{passes::optimize, pt2};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl ExportedHandle {
    /// Reads a file of `torch.export.save`.
    pub fn load(file: &[u8], host: Host) -> Result<ExportedHandle, Thrown> {
        let mut program = pt2::load(file)?;
        optimize(&mut program.graph);
        ExportedHandle::new(program, Core::new(host), &[])
    }

    /// A file for `torch.export.load`. `tensors` are the tensors of the state, as [`read_state`]
    /// accepts them.
    pub fn save(&self, tensors: &Array) -> Result<Vec<u8>, Thrown> {
        let program = self.program();
        Ok(pt2::save(&program.with_state(read_state(program, tensors)?)?)?)
    }
}
