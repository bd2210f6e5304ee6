//! Exported programs.

use crate::{
    call::Arguments,
    dispatch::Core,
    error::Thrown,
    export::read_tensors,
    host::{Host, Signal, Tensor},
    run::answer,
    tree::Reader,
};
use js_sys::Array;
use lanthorn_program::{ExportedProgram, Limits, StateKind, passes::optimize, pt2};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A program of `torch.export` with its state in the core.
#[wasm_bindgen]
pub struct ExportedHandle {
    program: Rc<ExportedProgram>,
    core: Core,
    state: RefCell<Vec<Tensor>>,
    /// The names of the arguments, positional ones first.
    names: Vec<String>,
}

impl ExportedHandle {
    /// A program with its state in the core.
    pub fn new(mut program: ExportedProgram, core: Core) -> Result<ExportedHandle, Thrown> {
        let state = RefCell::new(program.upload(&core)?);
        // The state is in the core now.
        program.tensors = Vec::new();
        let names = program.arguments_by_name();
        Ok(ExportedHandle { program: Rc::new(program), core, state, names })
    }
}

#[wasm_bindgen]
impl ExportedHandle {
    /// Reads a file of `torch.export.save`.
    pub fn load(file: &[u8], host: Host) -> Result<ExportedHandle, Thrown> {
        let mut program = pt2::load(file)?;
        optimize(&mut program.graph);
        ExportedHandle::new(program, Core::new(host))
    }

    /// A file for `torch.export.load`. `tensors` are those of the entries of the state: of each its type, shape
    /// and bytes.
    pub fn save(&self, tensors: &Array) -> Result<Vec<u8>, Thrown> {
        let program = self.program.with_state(read_tensors(tensors)?)?;
        Ok(pt2::save(&program)?)
    }

    /// The entries of the state: name, kind (`parameter`, `buffer`, `constant`), whether it is in the
    /// state dict, and the handle of its tensor, which the module keeps.
    pub fn state(&self) -> Array {
        let tensors = self.state.borrow();
        let rows = self.program.state.iter().zip(&*tensors).map(|(entry, tensor)| {
            let (kind, persistent) = match entry.kind {
                StateKind::Parameter => ("parameter", true),
                StateKind::Buffer { persistent } => ("buffer", persistent),
                StateKind::Constant => ("constant", false),
            };
            Array::of4(&entry.name.as_str().into(), &kind.into(), &persistent.into(), &tensor.handle().into())
        });
        rows.collect()
    }

    /// Replaces the tensor of an entry of the state by that of a handle, which the module owns then.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&self, index: usize, handle: u32) {
        let tensor = Tensor::own(self.core.host(), handle);
        if let Some(entry) = self.state.borrow_mut().get_mut(index) {
            *entry = tensor;
        }
    }

    /// The names of the arguments.
    pub fn parameters(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The names of the leaves of the arguments.
    pub fn inputs(&self) -> Vec<String> {
        self.program.input_names()
    }

    /// The names of the leaves of the results.
    pub fn outputs(&self) -> Vec<String> {
        self.program.output_names()
    }

    /// The graph as text.
    pub fn graph(&self) -> String {
        self.program.graph.to_string()
    }

    /// The program as JSON.
    pub fn json(&self) -> String {
        self.program.to_json()
    }

    /// Calls the program: a value, or a promise of one if it reads elements or has a signal.
    pub fn call(&self, inputs: &Array, signal: Option<Signal>) -> Result<JsValue, Thrown> {
        let mut reader = Reader::new(self.core.host());
        let mut arguments = Arguments::read(&mut reader, inputs, &self.names)?;
        arguments.arrange(&self.names, self.program.positional_arguments());
        let (program, core, state) = (self.program.clone(), self.core.clone(), self.state.borrow().clone());
        let running = async move {
            let Arguments { positional, named } = arguments;
            Ok(program.call(&core, &state, positional, named, Limits::default()).await?)
        };
        answer(self.core.host(), signal, Box::pin(running))
    }
}
