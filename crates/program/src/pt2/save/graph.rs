//! Converts graphs to the schema's JSON.

use super::{
    arguments, cannot_save,
    complex::{self, Separated},
    invalid, metas,
    names::Names,
    string, targets, union,
};
use crate::{
    ExportedProgram, Input, InputKind, OutputKind, Result, Value,
    graph::{Graph, HigherOrder, Meta, ModuleCall, Node, Operand, Results, Target, ValueId, stack_text},
    json::Json,
    operators::Operator,
    pt2::MAX_DEPTH,
};
use lanthorn_schema::Param;
use rustc_hash::FxHashSet;

/// A positional argument.
const POSITIONAL: i64 = 1;
/// A named argument.
const KEYWORD: i64 = 2;

/// Writes the graphs of a program.
pub(super) struct Writer<'p> {
    program: &'p ExportedProgram,
}

impl<'p> Writer<'p> {
    pub fn new(program: &'p ExportedProgram) -> Writer<'p> {
        Writer { program }
    }

    /// Converts the graph of a program.
    pub fn program(&self) -> Result<Json> {
        let program = self.program;
        let separated = complex::separate(&program.graph, true)?;
        let Some(Separated { graph, complex }) = separated else {
            return self.body(&program.graph, &FxHashSet::default(), Some(&program.inputs), false, 0);
        };
        for (output, operand) in program.outputs.iter().zip(&graph.outputs) {
            if output.kind != OutputKind::User && matches!(operand, Operand::Value(id) if complex.contains(id)) {
                return Err(cannot_save("a complex value for an argument, a parameter or a buffer"));
            }
        }
        self.body(&graph, &complex, Some(&program.inputs), false, 0)
    }

    /// Converts a block. `one` is whether it returns a single value instead of a tuple.
    fn block(&self, graph: &Graph, one: bool, depth: usize) -> Result<Json> {
        if depth > MAX_DEPTH {
            return Err(cannot_save(format!("more than {MAX_DEPTH} nested blocks")));
        }
        match complex::separate(graph, false)? {
            Some(Separated { graph, complex }) => self.body(&graph, &complex, None, one, depth),
            None => self.body(graph, &FxHashSet::default(), None, one, depth),
        }
    }

    /// Converts a graph with complex values. `kinds` are the kinds of a program's inputs.
    fn body(
        &self,
        graph: &Graph,
        complex: &FxHashSet<ValueId>,
        kinds: Option<&[Input]>,
        one: bool,
        depth: usize,
    ) -> Result<Json> {
        let mut names = Names::check(graph)?;
        let mut inputs = Vec::new();
        let mut described = Vec::new();
        for (index, &id) in graph.inputs.iter().enumerate() {
            match kinds.and_then(|kinds| kinds.get(index)).map(|input| &input.kind) {
                Some(InputKind::Constant(value)) => {
                    inputs.push(arguments::operand(graph, &Operand::Constant(value.clone()), None)?);
                }
                _ => {
                    inputs.push(arguments::value(graph, id)?);
                    described.push(id);
                }
            }
        }
        let mut nodes = Vec::new();
        for node in &graph.nodes {
            nodes.push(self.node(graph, node, &mut names, depth)?);
            described.extend(node.defined());
        }
        let outputs = graph.outputs.iter().map(|output| result(graph, output)).collect::<Result<Vec<Json>>>()?;
        if one && outputs.len() != 1 {
            return Err(invalid(format!("a block returns {} values instead of one", outputs.len())));
        }
        let values = self.values(graph, complex, &described)?;
        let [tensors, ints, bools, floats] = values.map(Json::Object);
        Ok(Json::object([
            ("inputs", Json::Array(inputs)),
            ("outputs", Json::Array(outputs)),
            ("nodes", Json::Array(nodes)),
            ("tensor_values", tensors),
            ("sym_int_values", ints),
            ("sym_bool_values", bools),
            ("is_single_tensor_return", Json::Bool(one)),
            ("custom_obj_values", Json::Object(vec![])),
            ("sym_float_values", floats),
        ]))
    }

    /// Converts the descriptions of values: tensors, integers, booleans and floats.
    fn values(&self, graph: &Graph, complex: &FxHashSet<ValueId>, ids: &[ValueId]) -> Result<[Vec<(String, Json)>; 4]> {
        let mut values = [const { Vec::new() }; 4];
        for &id in ids {
            let name = &graph.names[id];
            let (kind, json) = match graph.meta(id) {
                Some(Meta::Tensor(meta)) if complex.contains(&id) => {
                    (0, metas::complex_tensor(name, meta, self.program)?)
                }
                Some(Meta::Tensor(meta)) => (0, metas::tensor(name, meta, self.program)?),
                Some(Meta::Int(size)) => (1, metas::int(size, self.program)?),
                Some(Meta::Bool(meta)) => (2, metas::symbolic(meta, "as_bool", Json::Bool, self.program)?),
                Some(Meta::Float(meta)) => (3, metas::symbolic(meta, "as_float", metas::float, self.program)?),
                None => return Err(arguments::no_description(name)),
            };
            values[kind].push((name.clone(), json));
        }
        Ok(values)
    }

    fn node(&self, graph: &Graph, node: &Node, names: &mut Names, depth: usize) -> Result<Json> {
        let (target, inputs, outputs) = match &node.target {
            Target::Aten(name, target) => {
                let operator = targets::overload(name, target, node, graph)?;
                let inputs = aten_inputs(graph, node, operator)?;
                (targets::aten_name(name, operator), inputs, aten_outputs(graph, node, operator)?)
            }
            Target::Operator { .. } | Target::HigherOrder(HigherOrder::Loop | HigherOrder::SequenceMap) => {
                let target = &node.target;
                let message = format!("writing {target} to .pt2; export a call of the program instead");
                return Err(crate::Error::unsupported(message));
            }
            Target::Scalar(op) => (targets::scalar_name(*op)?, scalar_inputs(graph, node)?, results(graph, node)?),
            Target::HigherOrder(op) => {
                let inputs = self.block_inputs(graph, node, *op, names, depth)?;
                (targets::higher_order_name(*op), inputs, results(graph, node)?)
            }
        };
        let name = match (&node.results, &node.target) {
            (Results::One(id), Target::Aten(..) | Target::Scalar(_)) => graph.names[*id].clone(),
            _ => names.make_unique(&base_name(&target)),
        };
        let one = if matches!(node.target, Target::HigherOrder(_)) { Json::Bool(false) } else { Json::Null };
        Ok(Json::object([
            ("target", string(target)),
            ("inputs", Json::Array(inputs)),
            ("outputs", Json::Array(outputs)),
            ("metadata", metadata(&node.modules)),
            ("is_hop_single_tensor_return", one),
            ("name", string(name)),
        ]))
    }

    /// Converts the arguments of an operator with blocks.
    fn block_inputs(
        &self,
        graph: &Graph,
        node: &Node,
        op: HigherOrder,
        names: &mut Names,
        depth: usize,
    ) -> Result<Vec<Json>> {
        let mut blocks = 0;
        let mut inputs = Vec::new();
        let unnamed = node.args.iter().map(|operand| ("", operand));
        let operands: Vec<(&str, &Operand)> =
            unnamed.chain(node.named.iter().map(|(name, operand)| (name.as_str(), operand))).collect();
        for (index, &(name, operand)) in operands.iter().enumerate() {
            let kind = if name.is_empty() { POSITIONAL } else { KEYWORD };
            let Operand::Block(block) = operand else {
                let param = targets::block_param(op, index);
                inputs.push(input(name, arguments::operand(graph, operand, param.as_ref())?, kind));
                continue;
            };
            let block_name = names.make_unique(targets::block_name(op, blocks));
            let body = self.block(block, targets::gives_one(op, blocks), depth + 1)?;
            let body = Json::object([("name", string(&block_name)), ("graph", body)]);
            inputs.push(input(name, union("as_graph", body), kind));
            blocks += 1;
            let identified = matches!(operands.get(index + 1), Some((_, Operand::Constant(Value::Str(_)))));
            if op == HigherOrder::Call && !identified {
                // `invoke_subgraph` takes a text after its block, which identifies equal blocks.
                inputs.push(input("", union("as_string", string(block_name)), POSITIONAL));
            }
        }
        Ok(inputs)
    }
}

/// Converts a node's metadata: the modules that it was called in.
fn metadata(modules: &[ModuleCall]) -> Json {
    let stack = || ("nn_module_stack".to_string(), string(stack_text(modules)));
    Json::Object((!modules.is_empty()).then(stack).into_iter().collect())
}

/// Converts a result of a graph. PyTorch does not read lists and texts here.
fn result(graph: &Graph, output: &Operand) -> Result<Json> {
    match output {
        Operand::Value(_) | Operand::Constant(Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_)) => {
            arguments::operand(graph, output, None)
        }
        _ => Err(cannot_save("a result that is no tensor, number or None")),
    }
}

/// Converts a named argument.
fn input(name: &str, argument: Json, kind: i64) -> Json {
    Json::object([("name", string(name)), ("arg", argument), ("kind", Json::Int(kind))])
}

/// Converts the arguments of an ATen call in the order of its schema. Arguments before the first
/// omitted one are positional, as far as the schema allows.
fn aten_inputs(graph: &Graph, node: &Node, operator: &Operator) -> Result<Vec<Json>> {
    let given = |index: usize, param: &Param| {
        let named = || node.named.iter().find(|(name, _)| *name == param.name).map(|(_, operand)| operand);
        node.args.get(index).or_else(named)
    };
    let mut inputs = Vec::new();
    let mut kind = POSITIONAL;
    for (index, param) in operator.schema.params.iter().enumerate() {
        let Some(operand) = given(index, param) else {
            kind = KEYWORD;
            continue;
        };
        if param.keyword_only {
            kind = KEYWORD;
        }
        inputs.push(input(&param.name, arguments::operand(graph, operand, Some(param))?, kind));
    }
    if inputs.len() == node.args.len() + node.named.len() {
        return Ok(inputs);
    }
    Err(invalid(format!("a call of {} has arguments that it does not take", operator.schema)))
}

/// Converts the arguments of an operator on numbers.
fn scalar_inputs(graph: &Graph, node: &Node) -> Result<Vec<Json>> {
    let letters = ["a", "b", "c"].into_iter().chain(std::iter::repeat(""));
    let inputs = node.operands().zip(letters);
    inputs.map(|(operand, name)| Ok(input(name, arguments::operand(graph, operand, None)?, POSITIONAL))).collect()
}

/// Converts the results of an ATen call.
fn aten_outputs(graph: &Graph, node: &Node, operator: &Operator) -> Result<Vec<Json>> {
    let outputs = results(graph, node)?;
    let (Results::Several(_), [returned]) = (&node.results, &operator.schema.returns[..]) else {
        return Ok(outputs);
    };
    if !returned.ty.ends_with("[]") {
        return Ok(outputs);
    }
    // A single list of tensors.
    let tensors = outputs.iter().map(|output| output.get("as_tensor").cloned()).collect::<Option<Vec<Json>>>();
    let tensors = tensors.ok_or_else(|| invalid(format!("{} returns only a list of tensors", operator.schema)))?;
    Ok(vec![union("as_tensors", Json::Array(tensors))])
}

/// Converts the results of a call separately.
fn results(graph: &Graph, node: &Node) -> Result<Vec<Json>> {
    match &node.results {
        Results::None => Ok(vec![]),
        Results::One(id) => Ok(vec![arguments::value(graph, *id)?]),
        Results::Several(ids) => {
            let none = || Ok(union("as_none", Json::Bool(true)));
            ids.iter().map(|id| id.map_or_else(none, |id| arguments::value(graph, id))).collect()
        }
    }
}

/// Returns the name of an operator without its namespace and overload.
fn base_name(target: &str) -> String {
    let parts: Vec<&str> = target.split('.').collect();
    let base = if target.starts_with("torch.ops.") { parts.get(3) } else { parts.last() };
    base.map_or_else(|| "call".to_string(), |base| base.trim_end_matches('_').to_string())
}
