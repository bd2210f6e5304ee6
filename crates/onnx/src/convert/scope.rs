//! The names of a graph that is being built, and the outer values that it captures.

use super::Converter;
use crate::proto::{GraphProto, TensorProto};
use lanthorn_program::{
    Error, Result,
    graph::{Graph, Meta, Operand, ValueId},
};
use rustc_hash::FxHashMap;

/// A graph that is being built.
#[derive(Default)]
pub struct Scope {
    pub graph: Graph,
    /// The operands of names.
    pub names: FxHashMap<String, Operand>,
    /// The values that are entries of the state.
    pub states: FxHashMap<ValueId, usize>,
    /// The outer names of captured values, in the order of the inputs that pass them.
    pub captured: Vec<String>,
    /// Initializers that no node has used yet.
    initializers: FxHashMap<String, TensorProto>,
}

impl Scope {
    /// Whether this graph has an initializer of this name.
    pub fn has_initializer(&self, name: &str) -> bool {
        self.initializers.contains_key(name)
    }
}

impl Converter<'_> {
    /// Adds the initializers of a model's graph to the innermost scope.
    pub fn initializers(&mut self, graph: &GraphProto) {
        for tensor in &graph.initializer {
            self.scope().initializers.insert(tensor.name().to_string(), tensor.clone());
        }
    }

    /// Defines a value of the innermost graph.
    pub fn define(&mut self, name: &str, meta: Option<Meta>) -> Result<ValueId> {
        let scope = self.scope();
        let id = scope.graph.add_value(name, meta);
        if !name.is_empty() && scope.names.insert(name.to_string(), Operand::Value(id)).is_some() {
            return Err(Error::malformed(format!("the value `{name}` is defined twice")));
        }
        Ok(id)
    }

    /// Binds a name to an existing operand.
    pub fn alias(&mut self, name: &str, operand: Operand) -> Result<()> {
        match self.scope().names.insert(name.to_string(), operand) {
            Some(_) => Err(Error::malformed(format!("the value `{name}` is defined twice"))),
            None => Ok(()),
        }
    }

    /// Returns the operand of a name in a graph. An outer value becomes an input of all graphs
    /// between. An initializer becomes an entry of the state at its first use.
    pub fn find(&mut self, depth: usize, name: &str) -> Result<Option<Operand>> {
        if let Some(operand) = self.scopes[depth].names.get(name) {
            return Ok(Some(operand.clone()));
        }
        if let Some(tensor) = self.scopes[depth].initializers.remove(name) {
            let key = self.state(&tensor)?;
            let operand = self.find(depth, &key)?;
            if let (Some(operand), true) = (&operand, key != name) {
                self.scopes[depth].names.insert(name.to_string(), operand.clone());
            }
            return Ok(operand);
        }
        if depth == 0 {
            return Ok(None);
        }
        let Some(outer) = self.find(depth - 1, name)? else { return Ok(None) };
        let operand = match outer {
            Operand::Value(id) => {
                let state = self.scopes[depth - 1].states.get(&id).copied();
                let meta = self.scopes[depth - 1].graph.meta(id).cloned();
                let scope = &mut self.scopes[depth];
                let own = scope.graph.add_value(name, meta);
                scope.graph.inputs.push(own);
                scope.captured.push(name.to_string());
                if let Some(state) = state {
                    scope.states.insert(own, state);
                }
                Operand::Value(own)
            }
            constant => constant,
        };
        self.scopes[depth].names.insert(name.to_string(), operand.clone());
        Ok(Some(operand))
    }
}
