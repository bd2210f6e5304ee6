//! Export of functions of the page: their traces become a program.

use super::trace::Row;
use crate::{
    calls::{ExportedHandle, Host, dispatch::Core, tree::Reader},
    error::Thrown,
    tensors::read_tensor,
};
use js_sys::Array;
use lanthorn_program::{
    StateKind, Value,
    aten::raise,
    export::{Built, Dim, NamedState, Probes, TensorId, Trace, build},
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

/// An export under way.
#[wasm_bindgen]
pub struct Exporter {
    core: Core,
    probes: Probes,
    traces: RefCell<Vec<Trace>>,
    built: RefCell<Option<Built>>,
}

#[wasm_bindgen]
impl Exporter {
    /// An export of a function with these dynamic dimensions of its arguments: for each a name, the
    /// smallest and the largest size (or null), and the size of the example.
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host, dims: &Array) -> Result<Exporter, Thrown> {
        let dim = |row: JsValue| {
            let row: Array = row.unchecked_into();
            let number = |index: u32| row.get(index).as_f64().map(|size| size as i64);
            let name = row.get(0).as_string().unwrap_or_default();
            (Dim { name, min: number(1).unwrap_or(2), max: number(2) }, number(3).unwrap_or_default())
        };
        let probes = Probes::new(dims.iter().map(dim))?;
        Ok(Exporter { core: Core::new(host), probes, traces: RefCell::default(), built: RefCell::default() })
    }

    /// For each call that is to be traced, the size of each of those dimensions.
    pub fn sizes(&self) -> Array {
        let row = |sizes: &Vec<i64>| -> JsValue {
            self.probes.indices.iter().map(|&index| JsValue::from(sizes[index] as f64)).collect::<Array>().into()
        };
        self.probes.sizes.iter().map(row).collect()
    }

    /// Whether a call of an operation can be a node of a program. See `traceStart` of the core.
    #[wasm_bindgen(js_name = isExported)]
    pub fn is_exported(
        &self,
        op: Option<u32>,
        in_place: bool,
        words: &[f64],
        strings: Vec<String>,
        shapes: &[f64],
    ) -> Result<bool, Thrown> {
        let operations = self.core.operations();
        let Some(overload) = op.and_then(|op| operations.overload(op as usize)) else { return Ok(false) };
        let args = Row::new(words, &strings, operations).arguments()?;
        let shapes = read_shapes(shapes);
        let shape = |id: &TensorId| shapes.get(id).cloned().unwrap_or_default();
        Ok(raise(&overload.schema, &args, in_place, &shape).is_some())
    }

    /// Adds the trace of a call: the rows of the core, the arguments by position and by name, the
    /// result, and the handles of the tensors among them with their ids.
    #[wasm_bindgen(js_name = addTrace)]
    pub fn add_trace(
        &self,
        words: &[f64],
        strings: Vec<String>,
        values: &Array,
        handles: &[u32],
        ids: &[u32],
    ) -> Result<(), Thrown> {
        let mut row = Row::new(words, &strings, self.core.operations());
        let (ops, tensors) = (row.calls()?, row.tensors()?);
        let ids: FxHashMap<u32, TensorId> = handles.iter().copied().zip(ids.iter().map(|&id| id as TensorId)).collect();
        let untraced = || Thrown::argument("a tensor that is not traced");
        let mut reader = Reader::by(self.core.host(), |given| ids.get(&given).copied().ok_or_else(untraced));
        let args = match reader.read(&values.get(0))? {
            Value::List(args) => Value::Tuple(args),
            args => args,
        };
        let named = reader.read(&values.get(1))?;
        let results = reader.read(&values.get(2))?;
        self.traces.borrow_mut().push(Trace { tensors, arguments: Value::Tuple(vec![args, named]), ops, results });
        Ok(())
    }

    /// Builds the program. `state` has for each parameter and buffer its name, kind, whether it is
    /// in the state dict, id, and whether it requires gradients. Returns the ids of the tensors
    /// whose elements [`Exporter::finish`] needs.
    pub fn build(&self, state: &Array, argument_names: Vec<String>) -> Result<Vec<u32>, Thrown> {
        let entry = |row: JsValue| {
            let row: Array = row.unchecked_into();
            let persistent = row.get(2).is_truthy();
            NamedState {
                name: row.get(0).as_string().unwrap_or_default(),
                kind: match row.get(1).as_string().as_deref() {
                    Some("parameter") => StateKind::Parameter,
                    _ => StateKind::Buffer { persistent },
                },
                tensor: row.get(3).as_f64().unwrap_or_default() as TensorId,
                requires_grad: row.get(4).is_truthy(),
            }
        };
        let state: Vec<NamedState> = state.iter().map(entry).collect();
        let built = build(&state, argument_names, &self.probes, &self.traces.take())?;
        let sources = built.sources.iter().map(|&id| id as u32).collect();
        self.built.replace(Some(built));
        Ok(sources)
    }

    /// The program, with the elements of its state: for each tensor the type, the shape and the
    /// bytes.
    pub fn finish(&self, tensors: &Array) -> Result<ExportedHandle, Thrown> {
        let built = self.built.take().ok_or_else(|| Thrown::argument("the program is not built"))?;
        let mut program = built.program;
        program.tensors = tensors.iter().map(|row| read_tensor(&row.unchecked_into())).collect::<Result<_, _>>()?;
        ExportedHandle::new(program, self.core.clone(), &[])
    }
}

fn read_shapes(words: &[f64]) -> FxHashMap<TensorId, Vec<i64>> {
    let mut shapes = FxHashMap::default();
    let mut rest = words.iter().map(|&word| word as i64);
    while let (Some(id), Some(rank)) = (rest.next(), rest.next()) {
        shapes.insert(id as TensorId, rest.by_ref().take(rank as usize).collect());
    }
    shapes
}
