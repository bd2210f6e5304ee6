//! Converts branches and loops.

use super::{Converter, attributes::find, node::first_output, scope::Scope, types};
use crate::check::Opsets;
use crate::{
    operators,
    proto::{GraphProto, NodeProto},
};
use lanthorn_program::{
    Error, Result, Value,
    graph::{Graph, HigherOrder, ModuleStack, Node, Operand, Results, Target},
};
use std::rc::Rc;

/// A graph of an attribute, and the outer values that are its last inputs.
struct Block {
    graph: Graph,
    captured: Vec<String>,
}

impl Converter<'_> {
    /// Adds a node that runs graphs.
    pub fn control_flow(&mut self, node: &NodeProto, opsets: &Opsets<'_>) -> Result<()> {
        match node.op_type() {
            "If" => self.branch(node, opsets),
            "Loop" => self.repeat(node, opsets),
            "Scan" => self.scan(node, opsets),
            _ => self.map(node, opsets),
        }
    }

    /// Converts the graph of an attribute.
    fn block(&mut self, node: &NodeProto, name: &str, opsets: &Opsets<'_>) -> Result<Block> {
        let graph = find(node, name).and_then(|attribute| attribute.g.as_ref());
        let graph = graph.ok_or_else(|| Error::malformed(format!("{} has no graph {name}", node.op_type())))?;
        self.scopes.push(Scope::default());
        let built = self.build(graph, opsets);
        // The scope that this function pushed.
        let Some(scope) = self.scopes.pop() else { return Err(Error::malformed("a graph without a scope")) };
        built?;
        Ok(Block { graph: scope.graph, captured: scope.captured })
    }

    fn build(&mut self, graph: &GraphProto, opsets: &Opsets<'_>) -> Result<()> {
        self.initializers(graph);
        for info in &graph.input {
            let id = self.define(info.name(), types::meta(info))?;
            self.scope().graph.inputs.push(id);
        }
        self.body(graph, opsets)?;
        for output in &graph.output {
            let operand = self.value(output.name())?;
            if let (Operand::Value(id), Some(meta)) = (&operand, types::meta(output)) {
                let own = &mut self.scope().graph;
                own.metas.resize(own.names.len(), None);
                own.metas[*id].get_or_insert(meta);
            }
            self.scope().graph.outputs.push(operand);
        }
        Ok(())
    }

    /// Returns the outer values that a block takes.
    fn captures(&mut self, captured: &[String]) -> Result<Operand> {
        Ok(Operand::List(captured.iter().map(|name| self.value(name)).collect::<Result<_>>()?))
    }

    fn inputs(&mut self, node: &NodeProto, from: usize, to: usize) -> Result<Vec<Operand>> {
        let names = node.input.get(from..to.min(node.input.len())).unwrap_or_default();
        names.iter().map(|name| self.value(name)).collect()
    }

    fn push(&mut self, node: &NodeProto, op: HigherOrder, args: Vec<Operand>) -> Result<()> {
        let mut ids = Vec::with_capacity(node.output.len());
        for output in &node.output {
            ids.push(if output.is_empty() { None } else { Some(self.define(output, None)?) });
        }
        let (results, modules) = (Results::Several(ids), ModuleStack::default());
        self.scope().graph.nodes.push(Node { target: Target::HigherOrder(op), args, named: vec![], results, modules });
        Ok(())
    }

    /// Converts a branch. Both blocks take the same outer values in the same order.
    fn branch(&mut self, node: &NodeProto, opsets: &Opsets<'_>) -> Result<()> {
        let condition = self.inputs(node, 0, 1)?;
        let mut then = self.block(node, "then_branch", opsets)?;
        let mut other = self.block(node, "else_branch", opsets)?;
        let mut all = then.captured.clone();
        all.extend(other.captured.iter().filter(|name| !then.captured.contains(name)).cloned());
        for block in [&mut then, &mut other] {
            let own = std::mem::take(&mut block.graph.inputs);
            for name in &all {
                let id = match block.captured.iter().position(|own| own == name) {
                    Some(position) => own[position],
                    None => block.graph.add_value(name.clone(), None),
                };
                block.graph.inputs.push(id);
            }
        }
        let captures = self.captures(&all)?;
        let blocks = [then, other].map(|block| Operand::Block(Rc::new(block.graph)));
        let args = condition.into_iter().chain(blocks).chain([captures]).collect();
        self.push(node, HigherOrder::Cond, args)
    }

    fn repeat(&mut self, node: &NodeProto, opsets: &Opsets<'_>) -> Result<()> {
        let mut limits = self.inputs(node, 0, 2)?;
        limits.resize(2, Operand::Constant(Value::None));
        let carried = self.inputs(node, 2, usize::MAX)?;
        let block = self.block(node, "body", opsets)?;
        let captures = self.captures(&block.captured)?;
        limits.extend([Operand::List(carried), Operand::Block(Rc::new(block.graph)), captures]);
        self.push(node, HigherOrder::Loop, limits)
    }

    fn map(&mut self, node: &NodeProto, opsets: &Opsets<'_>) -> Result<()> {
        let inputs = self.inputs(node, 0, usize::MAX)?;
        let block = self.block(node, "body", opsets)?;
        let captures = self.captures(&block.captured)?;
        let args = vec![Operand::List(inputs), Operand::Block(Rc::new(block.graph)), captures];
        self.push(node, HigherOrder::SequenceMap, args)
    }

    /// Converts a scan to one along the first axis, with its inputs and results transposed to and
    /// from the given axes.
    fn scan(&mut self, node: &NodeProto, opsets: &Opsets<'_>) -> Result<()> {
        match opsets.get("") {
            Some(8) => return self.scan_batches(node, opsets),
            Some(version) if *version > 8 => {}
            version => return self.unknown(node, "", version.copied()),
        }
        let ints = |name: &str| find(node, name).map(|attribute| attribute.ints.clone()).unwrap_or_default();
        let scanned = find(node, "num_scan_inputs").map_or(0, |attribute| attribute.i());
        let scanned = usize::try_from(scanned).unwrap_or(0).min(node.input.len());
        let states = node.input.len() - scanned;
        let carried = self.inputs(node, 0, states)?;
        let mut xs = self.inputs(node, states, usize::MAX)?;
        let (axes, directions) = (ints("scan_input_axes"), ints("scan_input_directions"));
        for (index, x) in xs.iter_mut().enumerate() {
            if let Some(&axis) = axes.get(index).filter(|&&axis| axis != 0) {
                *x = self.move_axis(x.clone(), axis, 0)?;
            }
            if directions.get(index) == Some(&1) {
                *x = self.flip(x.clone(), 0)?;
            }
        }
        let block = self.block(node, "body", opsets)?;
        let captures = self.captures(&block.captured)?;
        let args = vec![Operand::List(carried), Operand::List(xs), Operand::Block(Rc::new(block.graph)), captures];
        let (axes, directions) = (ints("scan_output_axes"), ints("scan_output_directions"));
        let changed =
            |index: usize| axes.get(index).is_some_and(|&axis| axis != 0) || directions.get(index) == Some(&1);
        let mut own = node.clone();
        for (index, output) in own.output.iter_mut().skip(states).enumerate() {
            if changed(index) && !output.is_empty() {
                *output = format!("{output}\0");
            }
        }
        self.push(&own, HigherOrder::Scan, args)?;
        for (index, output) in node.output.iter().skip(states).enumerate() {
            if !changed(index) || output.is_empty() {
                continue;
            }
            let mut result = self.value(&format!("{output}\0"))?;
            if directions.get(index) == Some(&1) {
                result = self.flip(result, 0)?;
            }
            if let Some(&axis) = axes.get(index).filter(|&&axis| axis != 0) {
                result = self.move_axis(result, 0, axis)?;
            }
            self.alias(output, result)?;
        }
        first_output(node).map(|_| ())
    }

    /// Converts a scan of version 8: the first axis is the batch, each example of which has its own
    /// states, and the second axis is the steps. The result is a scan over examples of a scan over
    /// steps.
    fn scan_batches(&mut self, node: &NodeProto, opsets: &Opsets<'_>) -> Result<()> {
        if node.input.first().is_none_or(|lengths| !lengths.is_empty()) {
            return Err(Error::unsupported("Scan over sequences of several lengths"));
        }
        let scanned = find(node, "num_scan_inputs").map_or(0, |attribute| attribute.i());
        let scanned = usize::try_from(scanned).unwrap_or(0).min(node.input.len() - 1);
        let states = node.input.len() - 1 - scanned;
        let mut operands = self.inputs(node, 1, usize::MAX)?;
        let directions = find(node, "directions").map(|attribute| attribute.ints.clone()).unwrap_or_default();
        for (x, _) in operands[states..].iter_mut().zip(directions).filter(|(_, direction)| *direction == 1) {
            *x = self.flip(x.clone(), 1)?;
        }
        let steps = self.block(node, "body", opsets)?;
        let captures = self.captures(&steps.captured)?;
        let mut example = Graph::default();
        let count = operands.len() + steps.captured.len();
        example.inputs = (0..count).map(|index| example.add_value(format!("input{index}"), None)).collect();
        let results: Vec<_> =
            (0..node.output.len()).map(|index| example.add_value(format!("result{index}"), None)).collect();
        let list = |ids: &[usize]| Operand::List(ids.iter().copied().map(Operand::Value).collect());
        let (own, captured) = example.inputs.split_at(operands.len());
        let args =
            vec![list(&own[..states]), list(&own[states..]), Operand::Block(Rc::new(steps.graph)), list(captured)];
        example.outputs = results.iter().copied().map(Operand::Value).collect();
        example.nodes.push(Node {
            target: Target::HigherOrder(HigherOrder::Scan),
            args,
            named: vec![],
            results: Results::Several(results.into_iter().map(Some).collect()),
            modules: ModuleStack::default(),
        });
        let args = vec![Operand::List(vec![]), Operand::List(operands), Operand::Block(Rc::new(example)), captures];
        self.push(node, HigherOrder::Scan, args)
    }

    fn move_axis(&mut self, x: Operand, source: i64, destination: i64) -> Result<Operand> {
        self.reader_call("MoveAxis", x, &[("source", source), ("destination", destination)])
    }

    fn flip(&mut self, x: Operand, axis: i64) -> Result<Operand> {
        self.reader_call("Flip", x, &[("axis", axis)])
    }

    /// Calls an operator of the domain `lanthorn`, which only the reader writes.
    fn reader_call(&mut self, name: &str, x: Operand, attributes: &[(&str, i64)]) -> Result<Operand> {
        let operator = operators::find("lanthorn", name, 1);
        let operator = operator.ok_or_else(|| Error::MissingOperators(vec![name.to_string()]))?;
        let named = attributes.iter().map(|(name, value)| (name.to_string(), Operand::Constant(Value::Int(*value))));
        let named = named.collect();
        let id = self.scope().graph.add_value(name.to_lowercase(), None);
        let target = Target::Operator { set: crate::operators::SET, name: format!("lanthorn.{name}.1"), operator };
        let results = Results::One(id);
        self.scope().graph.nodes.push(Node { target, args: vec![x], named, results, modules: ModuleStack::default() });
        Ok(Operand::Value(id))
    }
}
