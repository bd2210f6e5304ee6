//! The local variables of a function: its parameters and every name that its body binds.

use crate::ast::{Block, Expr, ExprKind, FunctionDef, StmtKind};
use std::{collections::HashMap, rc::Rc};

/// The slots of local variables.
pub(super) struct Scope {
    pub names: Vec<Rc<str>>,
    slots: HashMap<Rc<str>, u32>,
}

impl Scope {
    /// Collects the variables of a function. The compiler renames the variables of comprehensions.
    pub fn of(def: &FunctionDef) -> Scope {
        let mut scope = Scope { names: Vec::new(), slots: HashMap::new() };
        def.params.iter().for_each(|param| scope.declare(&param.name));
        scope.block(&def.body);
        scope
    }

    /// Returns the slot of a local variable.
    pub fn slot(&self, name: &str) -> Option<u32> {
        self.slots.get(name).copied()
    }

    fn declare(&mut self, name: &Rc<str>) {
        if !self.slots.contains_key(name) {
            self.slots.insert(name.clone(), self.names.len() as u32);
            self.names.push(name.clone());
        }
    }

    /// Adds a variable that hides an existing one of this name, and returns the hidden slot.
    pub fn hide(&mut self, name: &Rc<str>) -> Option<u32> {
        let slot = self.names.len() as u32;
        self.names.push(name.clone());
        self.slots.insert(name.clone(), slot)
    }

    /// Reverts [`Scope::hide`].
    pub fn restore(&mut self, name: &Rc<str>, hidden: Option<u32>) {
        match hidden {
            Some(slot) => self.slots.insert(name.clone(), slot),
            None => self.slots.remove(name),
        };
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Assign(targets, _) => targets.iter().for_each(|target| self.target(target)),
                StmtKind::AugmentedAssign(target, ..) | StmtKind::Annotated(target, ..) => self.target(target),
                StmtKind::If(branches, last) => {
                    branches.iter().for_each(|(_, block)| self.block(block));
                    self.block(last);
                }
                StmtKind::While(_, body) => self.block(body),
                StmtKind::For(target, _, body) => {
                    self.target(target);
                    self.block(body);
                }
                StmtKind::With(items, body) => {
                    items.iter().filter_map(|(_, target)| target.as_ref()).for_each(|target| self.target(target));
                    self.block(body);
                }
                _ => {}
            }
        }
    }

    fn target(&mut self, target: &Expr) {
        names(target, &mut |name| self.declare(name));
    }
}

/// Visits the names that a target binds.
pub(super) fn names(target: &Expr, visit: &mut dyn FnMut(&Rc<str>)) {
    match &target.kind {
        ExprKind::Name(name) => visit(name),
        ExprKind::Starred(target) => names(target, visit),
        ExprKind::Tuple(targets) | ExprKind::List(targets) => targets.iter().for_each(|target| names(target, visit)),
        _ => {}
    }
}
