//! Programs of one graph: `torch.export` programs, and models of ONNX.

use super::{
    call::Arguments,
    dispatch::{Core, OverCore},
    host::{Lent, Signal, Tensor},
    run::{Running, answer},
    tree::Reader,
};
use crate::error::Thrown;
use js_sys::Array;
use lanthorn_program::{ExportedProgram, Limits, PartReport, PlanReport, Plans, StateKind, Value};
use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    rc::Rc,
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A program with its state in the core.
#[wasm_bindgen]
pub struct ExportedHandle {
    program: Rc<ExportedProgram>,
    state: Rc<dyn State>,
    core: Core,
    /// The names of the arguments, positional ones first.
    names: Vec<String>,
}

/// The state of a program, with the dispatcher that runs it.
trait State {
    /// The tensor of an entry, if it is in the core.
    fn tensor(&self, index: usize) -> Option<Tensor>;

    /// Replaces the tensor of an entry.
    fn replace(&self, index: usize, tensor: Tensor);

    /// Calls the program.
    fn call(&self, program: Rc<ExportedProgram>, arguments: Arguments) -> Running;

    /// Sets whether calls replay what earlier calls recorded, and drops the recordings.
    fn set_planned(&self, planned: bool);

    /// Describes the recordings.
    fn explain(&self) -> PlanReport;
}

struct StateOf<D: OverCore> {
    dispatch: D,
    tensors: RefCell<Vec<D::Tensor>>,
    plans: Rc<Plans<D>>,
    is_planned: Cell<bool>,
}

impl<D: OverCore> State for StateOf<D> {
    fn tensor(&self, index: usize) -> Option<Tensor> {
        self.tensors.borrow().get(index).and_then(D::in_core).cloned()
    }

    fn replace(&self, index: usize, tensor: Tensor) {
        if let Some(entry) = self.tensors.borrow_mut().get_mut(index) {
            *entry = D::raise(tensor);
        }
    }

    fn call(&self, program: Rc<ExportedProgram>, arguments: Arguments) -> Running {
        let raised = |value: Value<Tensor>| match value.try_map(&mut |_, tensor| Ok::<_, Infallible>(D::raise(tensor)))
        {
            Ok(value) => value,
        };
        let (dispatch, state) = (self.dispatch.clone(), self.tensors.borrow().clone());
        let positional = arguments.positional.into_iter().map(raised).collect();
        let named = arguments.named.into_iter().map(|(name, value)| (name, raised(value))).collect();
        let plans = self.is_planned.get().then(|| self.plans.clone());
        Box::pin(async move {
            let plans = plans.as_deref();
            let result = program.call(&dispatch, &state, positional, named, Limits::default(), plans).await?;
            Ok(result.try_map(&mut |_, tensor| dispatch.lower(&tensor))?)
        })
    }

    fn set_planned(&self, planned: bool) {
        self.is_planned.set(planned);
        self.plans.clear();
    }

    fn explain(&self) -> PlanReport {
        self.plans.report()
    }
}

impl ExportedHandle {
    /// A program with its state in the core. `uploaded` are the tensors of it that a reader has put
    /// there.
    pub fn new<D: OverCore>(
        mut program: ExportedProgram,
        dispatch: D,
        uploaded: &[D::Tensor],
    ) -> Result<ExportedHandle, Thrown> {
        let tensors = RefCell::new(program.upload(&dispatch, uploaded)?);
        // The state is in the core now.
        program.tensors = Vec::new();
        let (names, core) = (program.arguments_by_name(), dispatch.core().clone());
        let state = StateOf { dispatch, tensors, plans: Rc::default(), is_planned: Cell::new(true) };
        Ok(ExportedHandle { program: Rc::new(program), state: Rc::new(state), core, names })
    }

    /// The program.
    #[cfg(feature = "pytorch")]
    pub fn program(&self) -> &ExportedProgram {
        &self.program
    }
}

#[wasm_bindgen]
impl ExportedHandle {
    /// The entries of the state that are in the core, as rows of [`state_row`]. The kind is
    /// `parameter`, `buffer` or `constant`.
    pub fn state(&self) -> Array {
        let rows = self.program.state.iter().enumerate().filter_map(|(index, entry)| {
            let tensor = self.state.tensor(index)?;
            let (kind, persistent) = match entry.kind {
                StateKind::Parameter => ("parameter", true),
                StateKind::Buffer { persistent } => ("buffer", persistent),
                StateKind::Constant => ("constant", false),
            };
            Some(state_row(index, &entry.name, kind, persistent, tensor.handle()))
        });
        rows.collect()
    }

    /// Replaces the tensor of an entry of the state by the tensor of a handle, which the module
    /// owns then.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&self, index: usize, handle: u32) {
        self.state.replace(index, Tensor::own(self.core.host(), handle));
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

    /// The notes of the file's writer, as rows of a key and a value.
    pub fn metadata(&self) -> Array {
        let row = |(key, value): &(String, String)| -> Array {
            [key, value].into_iter().map(|text| JsValue::from(text.as_str())).collect()
        };
        self.program.metadata.iter().map(row).collect()
    }

    /// The graph as text.
    pub fn graph(&self) -> String {
        self.program.graph.to_string()
    }

    /// The program as JSON.
    pub fn json(&self) -> String {
        self.program.to_json()
    }

    /// Sets whether calls replay what earlier calls recorded, and drops the recordings.
    #[wasm_bindgen(js_name = setPlanned)]
    pub fn set_planned(&self, planned: bool) {
        self.state.set_planned(planned);
    }

    /// The parts of the program's graphs, as rows: the graph, the first node and the node after the
    /// last one, the numbers of kernels of the recordings, the number of replays, and why the nodes
    /// are interpreted.
    pub fn explain(&self) -> Array {
        let row = |part: &PartReport| -> Array {
            let kernels: Array = part.kernels.iter().map(|&count| JsValue::from(count as u32)).collect();
            let [first, end] = part.nodes.map(|node| JsValue::from(node as u32));
            let reason = part.reason.as_deref().map_or(JsValue::UNDEFINED, JsValue::from);
            let row = [part.graph.as_str().into(), first, end, kernels.into(), (part.replays as f64).into(), reason];
            row.into_iter().collect()
        };
        self.state.explain().parts.iter().map(row).collect()
    }

    /// Calls the program: a value, or a promise of one if it reads elements or has a signal. The
    /// call records operations for gradients as the page does, or as `grad_enabled` says.
    pub fn call(&self, inputs: &Array, signal: Option<Signal>, grad_enabled: Option<bool>) -> Result<JsValue, Thrown> {
        let mut lent = Lent::default();
        let mut arguments = Arguments::read(&mut Reader::new(self.core.host(), &mut lent), inputs, &self.names)?;
        arguments.arrange(&self.names, self.program.positional_arguments());
        answer(self.core.host(), signal, lent, grad_enabled, self.state.call(self.program.clone(), arguments))
    }
}

/// The row of an entry of a program's state: the index, name, kind, whether it is in the state
/// dict, and the handle of its tensor, which the module keeps.
pub fn state_row(index: usize, name: &str, kind: &str, persistent: bool, handle: u32) -> Array {
    let row: [JsValue; 5] = [index.into(), name.into(), kind.into(), persistent.into(), handle.into()];
    row.into_iter().collect()
}
