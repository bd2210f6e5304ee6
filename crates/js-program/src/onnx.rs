//! Models of ONNX.

use crate::{
    calls::{
        ExportedHandle, Host,
        dispatch::{Core, OverCore},
        host::Tensor,
    },
    error::Thrown,
};
use js_sys::Array;
use lanthorn_onnx::{
    Loader,
    external::Extent,
    hosted::{self, Hosted},
};
use lanthorn_program::passes::optimize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

impl OverCore for Hosted<Core> {
    fn core(&self) -> &Core {
        self.inner()
    }

    fn raise(tensor: Tensor) -> hosted::Tensor<Tensor> {
        hosted::Tensor::Device(tensor)
    }

    fn in_core(tensor: &hosted::Tensor<Tensor>) -> Option<&Tensor> {
        match tensor {
            hosted::Tensor::Device(tensor) => Some(tensor),
            hosted::Tensor::Host(_) => None,
        }
    }

    fn lower(&self, tensor: &hosted::Tensor<Tensor>) -> lanthorn_program::Result<Tensor> {
        self.on_device(tensor)
    }
}

/// The description of a file of another format, if the first bytes are known.
#[wasm_bindgen]
pub fn foreign(start: &[u8]) -> Option<String> {
    lanthorn_onnx::foreign(start)
}

/// A model that arrives in pieces: its file, and then the external files with its weights.
#[wasm_bindgen]
pub struct OnnxLoader {
    loader: Loader<Hosted<Core>>,
    dispatch: Hosted<Core>,
    /// Elements outside of the file.
    extents: Vec<Extent>,
}

#[wasm_bindgen]
impl OnnxLoader {
    /// A loader before the first byte.
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host) -> OnnxLoader {
        let dispatch = Hosted::new(Core::new(host));
        OnnxLoader { loader: Loader::new(dispatch.clone()), dispatch, extents: Vec::new() }
    }

    /// The next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Thrown> {
        Ok(self.loader.push(bytes)?)
    }

    /// Ends the file. Returns the location of each tensor outside of it: the name of its file, the
    /// first byte and the number of bytes.
    #[wasm_bindgen(js_name = finishFile)]
    pub fn finish_file(&mut self) -> Result<Array, Thrown> {
        self.extents = self.loader.finish_file()?;
        let rows = self.extents.iter().map(|extent| {
            let (offset, length) = (extent.offset as f64, extent.length as f64);
            Array::<JsValue>::of3(&extent.location.as_str().into(), &offset.into(), &length.into())
        });
        Ok(rows.collect())
    }

    /// Begins the elements with this index.
    pub fn begin(&mut self, index: usize) -> Result<(), Thrown> {
        let extent = self.extents.get(index).ok_or_else(|| Thrown::argument("no elements of this index"))?;
        Ok(self.loader.begin(extent)?)
    }

    /// The next bytes of the elements that have begun.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Thrown> {
        Ok(self.loader.bytes(bytes)?)
    }

    /// Ends the elements that have begun.
    pub fn end(&mut self) -> Result<(), Thrown> {
        Ok(self.loader.end()?)
    }

    /// The model without the elements that are in the core, for the module that writes models.
    pub fn skeleton(&self) -> Result<Vec<u8>, Thrown> {
        Ok(self.loader.skeleton()?)
    }

    /// The program, when all bytes are there.
    pub fn program(self) -> Result<ExportedHandle, Thrown> {
        let (mut program, uploaded) = self.loader.program()?;
        optimize(&mut program.graph);
        ExportedHandle::new(program, self.dispatch, &uploaded)
    }
}
