//! Compiles statements.

use super::{Compiler, OpenLoop};
use crate::{
    Result,
    ast::{BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind},
    code::{Constant, Instr},
};

impl Compiler<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Result<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<()> {
        self.at = stmt.at;
        match &stmt.kind {
            StmtKind::Expr(Expr { kind: ExprKind::Str(_), .. }) | StmtKind::Pass => {}
            StmtKind::Expr(value) => {
                self.expression(value)?;
                self.emit(Instr::Pop);
            }
            StmtKind::Assign(targets, value) => {
                self.expression(value)?;
                for (index, target) in targets.iter().enumerate() {
                    if index + 1 < targets.len() {
                        self.emit(Instr::Copy);
                    }
                    self.store(target)?;
                }
            }
            StmtKind::Annotated(target, _, value) => {
                if let Some(value) = value {
                    self.expression(value)?;
                    self.store(target)?;
                }
            }
            StmtKind::AugmentedAssign(target, op, value) => self.augment(target, *op, value, stmt.at)?,
            StmtKind::If(branches, last) => {
                let mut ends = Vec::new();
                for (test, body) in branches {
                    self.expression(test)?;
                    let skip = self.emit(Instr::JumpIfFalse(0));
                    self.block(body)?;
                    ends.push(self.emit(Instr::Jump(0)));
                    self.land(skip);
                }
                self.block(last)?;
                ends.into_iter().for_each(|end| self.land(end));
            }
            StmtKind::While(test, body) => {
                let start = self.here();
                self.expression(test)?;
                let exit = self.emit(Instr::JumpIfFalse(0));
                self.body(start, false, body)?;
                self.land(exit);
                self.end_loop();
            }
            StmtKind::For(target, iterable, body) => {
                self.expression(iterable)?;
                self.emit(Instr::Iterate);
                let start = self.here();
                let exit = self.emit(Instr::Next(0));
                self.store(target)?;
                self.body(start, true, body)?;
                self.land(exit);
                self.end_loop();
            }
            StmtKind::With(items, body) => {
                for (manager, target) in items {
                    self.expression(manager)?;
                    let slot = self.hidden_variable();
                    self.emit(Instr::Copy);
                    self.emit(Instr::Store(slot));
                    self.emit(Instr::Enter);
                    match target {
                        Some(target) => self.store(target)?,
                        None => {
                            self.emit(Instr::Pop);
                        }
                    }
                    self.contexts.push(slot);
                }
                self.block(body)?;
                self.leave(self.contexts.len() - items.len());
                self.contexts.truncate(self.contexts.len() - items.len());
            }
            StmtKind::Return(value) => {
                match value {
                    Some(value) => self.expression(value)?,
                    None => self.constant(Constant::None),
                }
                self.leave(0);
                self.emit(Instr::Return);
            }
            StmtKind::Raise(exception) => {
                match exception {
                    Some(exception) => self.expression(exception)?,
                    None => self.constant(Constant::None),
                }
                self.at = stmt.at;
                self.emit(Instr::Raise);
            }
            StmtKind::Assert(test, message) => {
                self.expression(test)?;
                let pass = self.emit(Instr::JumpIfTrue(0));
                match message {
                    Some(message) => self.expression(message)?,
                    None => self.constant(Constant::Str("".into())),
                }
                self.at = stmt.at;
                self.emit(Instr::AssertionError);
                self.land(pass);
            }
            StmtKind::Delete(targets) => targets.iter().try_for_each(|target| self.delete(target))?,
            StmtKind::Break | StmtKind::Continue => self.jump_out(stmt)?,
            StmtKind::Function(_) => return self.error("a function within a function", stmt.at),
            StmtKind::Class(_) => return self.error("a class within a function", stmt.at),
        }
        Ok(())
    }

    fn hidden_variable(&mut self) -> u32 {
        self.scope.names.push("".into());
        self.scope.names.len() as u32 - 1
    }

    /// Exits all contexts except the outermost `outer`.
    fn leave(&mut self, outer: usize) {
        for index in (outer..self.contexts.len()).rev() {
            self.emit(Instr::Load(self.contexts[index]));
            self.emit(Instr::Exit);
            self.emit(Instr::Pop);
        }
    }

    fn body(&mut self, start: u32, iterates: bool, body: &Block) -> Result<()> {
        self.loops.push(OpenLoop { start, breaks: Vec::new(), iterates, contexts: self.contexts.len() });
        self.block(body)?;
        self.emit(Instr::Jump(start));
        Ok(())
    }

    fn end_loop(&mut self) {
        let breaks = self.loops.pop().map_or_else(Vec::new, |open| open.breaks);
        breaks.into_iter().for_each(|jump| self.land(jump));
    }

    fn jump_out(&mut self, stmt: &Stmt) -> Result<()> {
        let Some(open) = self.loops.last() else { return self.error("outside of a loop", stmt.at) };
        let (start, iterates, contexts) = (open.start, open.iterates, open.contexts);
        self.leave(contexts);
        if matches!(stmt.kind, StmtKind::Continue) {
            self.emit(Instr::Jump(start));
            return Ok(());
        }
        if iterates {
            self.emit(Instr::Pop);
        }
        let jump = self.emit(Instr::Jump(0));
        if let Some(open) = self.loops.last_mut() {
            open.breaks.push(jump);
        }
        Ok(())
    }

    /// Pops a value into a target.
    pub(super) fn store(&mut self, target: &Expr) -> Result<()> {
        match &target.kind {
            ExprKind::Name(name) => match self.scope.slot(name) {
                Some(slot) => {
                    self.emit(Instr::Store(slot));
                }
                None => return self.error("not a local variable", target.at),
            },
            ExprKind::Attribute(object, name) => {
                self.expression(object)?;
                let name = self.text(name);
                self.emit(Instr::SetAttribute(name));
            }
            ExprKind::Index(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.at = target.at;
                self.emit(Instr::SetIndex);
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                let starred = targets.iter().position(|target| matches!(target.kind, ExprKind::Starred(_)));
                let count = targets.len() as u32;
                self.emit(match starred {
                    Some(index) => Instr::UnpackStarred(index as u32, count - index as u32 - 1),
                    None => Instr::Unpack(count),
                });
                for target in targets {
                    match &target.kind {
                        ExprKind::Starred(target) => self.store(target)?,
                        _ => self.store(target)?,
                    }
                }
            }
            _ => return self.error("not something to assign to", target.at),
        }
        Ok(())
    }

    fn augment(&mut self, target: &Expr, op: BinaryOp, value: &Expr, at: u32) -> Result<()> {
        match &target.kind {
            ExprKind::Attribute(object, name) => {
                self.expression(object)?;
                self.emit(Instr::Copy);
                let name = self.text(name);
                self.emit(Instr::Attribute(name));
                self.expression(value)?;
                self.at = at;
                self.emit(Instr::Augment(op));
                self.emit(Instr::Swap);
                self.emit(Instr::SetAttribute(name));
            }
            ExprKind::Index(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.expression(value)?;
                self.at = at;
                self.emit(Instr::AugmentIndex(op));
            }
            _ => {
                self.expression(target)?;
                self.expression(value)?;
                self.at = at;
                self.emit(Instr::Augment(op));
                self.store(target)?;
            }
        }
        Ok(())
    }

    fn delete(&mut self, target: &Expr) -> Result<()> {
        match &target.kind {
            ExprKind::Name(name) => match self.scope.slot(name) {
                Some(slot) => {
                    self.emit(Instr::Delete(slot));
                }
                None => return self.error("not a local variable", target.at),
            },
            ExprKind::Attribute(object, name) => {
                self.expression(object)?;
                let name = self.text(name);
                self.emit(Instr::DeleteAttribute(name));
            }
            ExprKind::Index(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.at = target.at;
                self.emit(Instr::DeleteIndex);
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                targets.iter().try_for_each(|target| self.delete(target))?;
            }
            _ => return self.error("not something to delete", target.at),
        }
        Ok(())
    }
}
