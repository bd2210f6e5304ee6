//! Complex tensors. The table represents them as pairs along a last dimension, and PyTorch's
//! operators take and return complex tensors. So the writer inserts `view_as_complex` and
//! `view_as_real`.

use super::{cannot_save, names::Names};
use crate::{
    Result,
    graph::{Graph, ModuleStack, Node, Operand, Results, Size, Target, TensorMeta, ValueId},
    pt2::{numbers, pairs},
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A graph of PyTorch's operators.
pub(super) struct Separated {
    /// The graph with views between pairs and complex tensors.
    pub graph: Graph,
    /// The complex values. The graph describes them as pairs.
    pub complex: FxHashSet<ValueId>,
}

/// Returns the graph with complex tensors where PyTorch's operators have them, or `None` if there
/// are none. `complex_results` is whether results may stay complex.
pub(super) fn separate(graph: &Graph, complex_results: bool) -> Result<Option<Separated>> {
    if !graph.nodes.iter().any(|node| pairs::operator_of(node).is_some()) {
        return Ok(None);
    }
    let copy = Graph {
        names: graph.names.clone(),
        metas: graph.metas.clone(),
        inputs: graph.inputs.clone(),
        ..Graph::default()
    };
    let result = Separated { graph: copy, complex: FxHashSet::default() };
    let mut views = Views { result, twins: FxHashMap::default(), names: Names::of(graph) };
    for node in &graph.nodes {
        let operator = pairs::operator_of(node);
        let is_complex = |name: &str| operator.is_some_and(|operator| operator.complex.contains(&name));
        let param = |index: usize| match &node.target {
            Target::Aten(_, target) => target.operators().first()?.schema.params.get(index),
            _ => None,
        };
        let args =
            node.args.iter().enumerate().map(|(index, operand)| {
                views.operand(operand, param(index).is_some_and(|param| is_complex(&param.name)))
            });
        let args = args.collect::<Result<Vec<Operand>>>()?;
        let named =
            node.named.iter().map(|(name, operand)| Ok((name.clone(), views.operand(operand, is_complex(name))?)));
        let named = named.collect::<Result<Vec<_>>>()?;
        if operator.is_some_and(|operator| operator.gives_complex) {
            views.result.complex.extend(node.defined());
        }
        let (target, results) = (node.target.clone(), node.results.clone());
        let modules = node.modules.clone();
        views.result.graph.nodes.push(Node { target, args, named, results, modules });
    }
    for output in &graph.outputs {
        let output = if complex_results { output.clone() } else { views.operand(output, false)? };
        views.result.graph.outputs.push(output);
    }
    Ok(Some(views.result))
}

struct Views {
    result: Separated,
    /// The views of values in the other form.
    twins: FxHashMap<ValueId, ValueId>,
    names: Names,
}

impl Views {
    /// Converts the values of an operand to complex tensors or to pairs.
    fn operand(&mut self, operand: &Operand, complex: bool) -> Result<Operand> {
        Ok(match operand {
            Operand::Value(id) if self.result.complex.contains(id) != complex => {
                Operand::Value(self.view(*id, complex)?)
            }
            Operand::List(items) => {
                Operand::List(items.iter().map(|item| self.operand(item, complex)).collect::<Result<_>>()?)
            }
            operand => operand.clone(),
        })
    }

    /// Returns the view of a value in the other form.
    fn view(&mut self, id: ValueId, complex: bool) -> Result<ValueId> {
        if let Some(twin) = self.twins.get(&id) {
            return Ok(*twin);
        }
        let twin = if complex {
            self.call("view_as_complex", id, true)?
        } else {
            // A conjugate may be lazy, which pairs cannot represent.
            let resolved = self.call("resolve_conj", id, true)?;
            self.call("view_as_real", resolved, false)?
        };
        self.twins.insert(id, twin);
        Ok(twin)
    }

    /// Adds a call of an operator with one argument.
    fn call(&mut self, base: &str, id: ValueId, complex: bool) -> Result<ValueId> {
        let target = Target::find(&format!("torch.ops.aten.{base}.default"));
        let target = target.ok_or_else(|| cannot_save(base))?;
        let name = self.names.make_unique(base);
        let graph = &mut self.result.graph;
        let result = graph.add_value(name, graph.meta(id).cloned());
        let named = vec![("self".to_string(), Operand::Value(id))];
        let results = Results::One(result);
        graph.nodes.push(Node { target, args: vec![], named, results, modules: ModuleStack::default() });
        if complex {
            self.result.complex.insert(result);
        }
        Ok(result)
    }
}

/// Returns the description of a complex tensor from the pairs' description, and the number of its
/// type.
pub(super) fn of_pairs(name: &str, meta: &TensorMeta) -> Result<(TensorMeta, i64)> {
    let number = numbers::complex_number(meta.dtype);
    let number = number.ok_or_else(|| cannot_save(format!("complex numbers of two {}: {name}", meta.dtype)))?;
    let mut meta = meta.clone();
    if meta.sizes.pop() != Some(Size::Int(2)) {
        return Err(cannot_save(format!("the complex tensor {name}, whose last size is not 2")));
    }
    meta.strides.pop();
    match meta.strides.iter().map(half).collect::<Option<Vec<Size>>>() {
        Some(strides) => meta.strides = strides,
        None => meta = TensorMeta::contiguous(meta.dtype, meta.sizes, meta.requires_grad),
    }
    Ok((meta, number))
}

/// Returns half of a stride.
fn half(stride: &Size) -> Option<Size> {
    match stride {
        Size::Int(value) if value % 2 == 0 => Some(Size::Int(value / 2)),
        Size::Call(crate::graph::Function::Mul, factors) => {
            let (Size::Int(first), rest) = factors.split_first()? else { return None };
            let half = if first % 2 == 0 { Size::Int(first / 2) } else { return None };
            Some(rest.iter().cloned().fold(half, Size::times))
        }
        _ => None,
    }
}
