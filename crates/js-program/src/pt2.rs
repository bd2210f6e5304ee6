//! Files of `torch.export.save`.

use crate::{dispatch::Core, error::Thrown, exported::ExportedHandle, host::Host};
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

    /// A file for `torch.export.load`. `tensors` are those of the entries of the state that are in the core: of
    /// each its type, shape and bytes.
    pub fn save(&self, tensors: &Array) -> Result<Vec<u8>, Thrown> {
        Ok(pt2::save(&self.with_state(tensors)?)?)
    }
}
