//! Compiles expressions.

use super::{Compiler, scope::names};
use crate::{
    Result,
    ast::{Argument, CompareOp, Expr, ExprKind, Loop, Piece},
    code::{Arguments, Constant, Instr},
};
use std::rc::Rc;

impl Compiler<'_> {
    /// Pushes the value of an expression.
    pub(super) fn expression(&mut self, expr: &Expr) -> Result<()> {
        let outer = std::mem::replace(&mut self.at, expr.at);
        match &expr.kind {
            ExprKind::None => self.constant(Constant::None),
            ExprKind::Ellipsis => self.constant(Constant::Ellipsis),
            ExprKind::Bool(value) => self.constant(Constant::Bool(*value)),
            ExprKind::Int(value) => self.constant(Constant::Int(*value)),
            ExprKind::Float(value) => self.constant(Constant::Float(*value)),
            ExprKind::Str(text) => {
                let index = self.text(text);
                self.emit(Instr::Constant(index));
            }
            ExprKind::Joined(pieces) => self.join_pieces(pieces)?,
            ExprKind::Name(name) => match self.scope.slot(name) {
                Some(slot) => {
                    self.emit(Instr::Load(slot));
                }
                None => {
                    let constant = self.names.resolve(name);
                    self.constant(constant);
                }
            },
            ExprKind::Attribute(object, name) => match self.global_path(expr) {
                Some(path) => {
                    let constant = self.names.resolve(&path);
                    self.constant(constant);
                }
                None => {
                    self.expression(object)?;
                    self.at = expr.at;
                    let name = self.text(name);
                    self.emit(Instr::Attribute(name));
                }
            },
            ExprKind::Call(callee, arguments) => self.call(expr, callee, arguments)?,
            ExprKind::Index(object, index) => {
                self.expression(object)?;
                self.expression(index)?;
                self.at = expr.at;
                self.emit(Instr::Index);
            }
            ExprKind::Slice(start, stop, step) => {
                for part in [start, stop, step] {
                    match part {
                        Some(part) => self.expression(part)?,
                        None => self.constant(Constant::None),
                    }
                }
                self.emit(Instr::Slice);
            }
            ExprKind::Tuple(items) => self.items(items, true)?,
            ExprKind::List(items) => self.items(items, false)?,
            ExprKind::Dict(items) => {
                for (key, value) in items {
                    self.expression(key)?;
                    self.expression(value)?;
                }
                self.emit(Instr::Dict(items.len() as u32));
            }
            ExprKind::Unary(op, value) => {
                self.expression(value)?;
                self.at = expr.at;
                self.emit(Instr::Unary(*op));
            }
            ExprKind::Binary(first, rest) => {
                self.expression(first)?;
                for (op, at, value) in rest {
                    self.expression(value)?;
                    self.at = *at;
                    self.emit(Instr::Binary(*op));
                }
            }
            ExprKind::Compare(first, rest) => self.compare(first, rest)?,
            ExprKind::And(values) => self.short_circuit(values, Instr::JumpIfFalseOrPop(0))?,
            ExprKind::Or(values) => self.short_circuit(values, Instr::JumpIfTrueOrPop(0))?,
            ExprKind::Conditional(branches, last) => {
                let mut ends = Vec::new();
                for (test, value) in branches {
                    self.expression(test)?;
                    let skip = self.emit(Instr::JumpIfFalse(0));
                    self.expression(value)?;
                    ends.push(self.emit(Instr::Jump(0)));
                    self.land(skip);
                }
                self.expression(last)?;
                ends.into_iter().for_each(|end| self.land(end));
            }
            ExprKind::ListComprehension(element, loops) => {
                self.emit(Instr::List(0));
                self.comprehension(loops, &mut |compiler, depth| {
                    compiler.expression(element)?;
                    compiler.emit(Instr::Append(depth));
                    Ok(())
                })?;
            }
            ExprKind::DictComprehension(entry, loops) => {
                self.emit(Instr::Dict(0));
                self.comprehension(loops, &mut |compiler, depth| {
                    compiler.expression(&entry.0)?;
                    compiler.expression(&entry.1)?;
                    compiler.emit(Instr::Insert(depth));
                    Ok(())
                })?;
            }
            ExprKind::Starred(_) => return self.error("a starred value outside of a call, a list or a tuple", expr.at),
        }
        self.at = outer;
        Ok(())
    }

    /// Returns the path of an expression that does not begin with a local variable.
    fn global_path(&self, expr: &Expr) -> Option<String> {
        let path = self.names.path(expr)?;
        let root = path.split('.').next().unwrap_or(&path);
        self.scope.slot(root).is_none().then_some(path)
    }

    fn join_pieces(&mut self, pieces: &[Piece]) -> Result<()> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let index = self.text(text);
                    self.emit(Instr::Constant(index));
                }
                Piece::Field(value, conversion, format) => {
                    self.expression(value)?;
                    let format = self.text(format);
                    self.emit(Instr::Format(*conversion, format));
                }
            }
        }
        self.emit(Instr::Join(pieces.len() as u32));
        Ok(())
    }

    fn items(&mut self, items: &[Expr], tuple: bool) -> Result<()> {
        if items.iter().any(|item| matches!(item.kind, ExprKind::Starred(_))) {
            self.spread(items.iter())?;
            if tuple {
                let builtin = self.names.builtin("tuple");
                let builtin = builtin.map(|builtin| self.builtin(builtin)).unwrap_or(0);
                self.emit(Instr::Builtin(builtin, Arguments { positional: 1, spread: false, keywords: None }));
            }
            return Ok(());
        }
        items.iter().try_for_each(|item| self.expression(item))?;
        let count = items.len() as u32;
        self.emit(if tuple { Instr::Tuple(count) } else { Instr::List(count) });
        Ok(())
    }

    /// Pushes a single list of values, some of which are starred.
    fn spread<'e>(&mut self, items: impl Iterator<Item = &'e Expr>) -> Result<()> {
        self.emit(Instr::List(0));
        for item in items {
            match &item.kind {
                ExprKind::Starred(values) => {
                    self.expression(values)?;
                    self.emit(Instr::Extend);
                }
                _ => {
                    self.expression(item)?;
                    self.emit(Instr::Append(0));
                }
            }
        }
        Ok(())
    }

    fn compare(&mut self, first: &Expr, rest: &[(CompareOp, u32, Expr)]) -> Result<()> {
        self.expression(first)?;
        let mut ends = Vec::new();
        for (index, (op, at, value)) in rest.iter().enumerate() {
            self.expression(value)?;
            self.at = *at;
            if index + 1 == rest.len() {
                self.emit(Instr::Compare(*op));
                break;
            }
            // Keeps the middle operand for the next comparison.
            self.emit(Instr::Copy);
            self.emit(Instr::Rotate);
            self.emit(Instr::Compare(*op));
            ends.push(self.emit(Instr::JumpIfFalseOrPop(0)));
        }
        if !ends.is_empty() {
            let done = self.emit(Instr::Jump(0));
            ends.into_iter().for_each(|end| self.land(end));
            // Drops the kept operand.
            self.emit(Instr::Swap);
            self.emit(Instr::Pop);
            self.land(done);
        }
        Ok(())
    }

    fn short_circuit(&mut self, values: &[Expr], jump: Instr) -> Result<()> {
        let mut ends = Vec::new();
        for (index, value) in values.iter().enumerate() {
            self.expression(value)?;
            if index + 1 < values.len() {
                ends.push(self.emit(jump.clone()));
            }
        }
        ends.into_iter().for_each(|end| self.land(end));
        Ok(())
    }

    /// Compiles the loops of a comprehension around the instructions that add one element. Its
    /// variables hide the function's variables.
    fn comprehension(&mut self, loops: &[Loop], element: &mut dyn FnMut(&mut Self, u32) -> Result<()>) -> Result<()> {
        let mut hidden: Vec<(Rc<str>, Option<u32>)> = Vec::new();
        let mut open = Vec::new();
        for entry in loops {
            self.expression(&entry.iterable)?;
            self.emit(Instr::Iterate);
            let start = self.here();
            let next = self.emit(Instr::Next(0));
            names(&entry.target, &mut |name| {
                let previous = self.scope.hide(name);
                hidden.push((name.clone(), previous));
            });
            self.store(&entry.target)?;
            for condition in &entry.conditions {
                self.expression(condition)?;
                let pass = self.emit(Instr::JumpIfTrue(0));
                self.emit(Instr::Jump(start));
                self.land(pass);
            }
            open.push((start, next));
        }
        element(self, loops.len() as u32)?;
        for (start, next) in open.into_iter().rev() {
            self.emit(Instr::Jump(start));
            self.land(next);
        }
        hidden.into_iter().rev().for_each(|(name, previous)| self.scope.restore(&name, previous));
        Ok(())
    }

    fn call(&mut self, expr: &Expr, callee: &Expr, arguments: &[Argument]) -> Result<()> {
        if let Some(path) = self.global_path(callee) {
            if self.special(&path, arguments)? {
                return Ok(());
            }
            if let Some(builtin) = self.names.builtin(&path) {
                let arguments = self.arguments(arguments)?;
                self.at = expr.at;
                let builtin = self.builtin(builtin);
                self.emit(Instr::Builtin(builtin, arguments));
                return Ok(());
            }
            // `__torch__.C.__new__(__torch__.C)`
            if let Some(class) = path.strip_suffix(".__new__") {
                let constant = self.names.resolve(class);
                self.constant(constant);
                let name = self.text(&"__new__".into());
                self.emit(Instr::Method(name, Arguments { positional: 0, spread: false, keywords: None }));
                return Ok(());
            }
        } else if let ExprKind::Attribute(object, name) = &callee.kind {
            if self.is_super(object) {
                return self.super_call(name, arguments);
            }
            self.expression(object)?;
            let arguments = self.arguments(arguments)?;
            self.at = callee.at;
            let name = self.text(name);
            self.emit(Instr::Method(name, arguments));
            return Ok(());
        }
        self.expression(callee)?;
        let arguments = self.arguments(arguments)?;
        self.at = expr.at;
        self.emit(Instr::Call(arguments));
        Ok(())
    }

    fn is_super(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Call(callee, _)
            if matches!(&callee.kind, ExprKind::Name(name) if &**name == "super"))
    }

    /// Compiles `super().method(…)`. For `Module` only `__init__` is supported, which does nothing.
    fn super_call(&mut self, name: &Rc<str>, arguments: &[Argument]) -> Result<()> {
        if &**name == "__init__" && arguments.is_empty() {
            self.constant(Constant::None);
            return Ok(());
        }
        self.error("a method of a base class; inheritance is not part of the language", self.at)
    }

    /// Compiles calls that the compiler resolves. Returns whether this is one.
    fn special(&mut self, path: &str, arguments: &[Argument]) -> Result<bool> {
        match (path, arguments) {
            ("annotate" | "torch.jit.annotate" | "unchecked_cast" | "cast" | "typing.cast", [ty, value]) => {
                self.expression(&value.value)?;
                // Reads a tensor that is used as a number.
                if let ExprKind::Name(name) = &ty.value.kind
                    && path.ends_with("annotate")
                    && ["number", "int", "float"].contains(&&**name)
                    && let Some(builtin) = self.names.builtin("torch.ScalarImplicit")
                {
                    let builtin = self.builtin(builtin);
                    self.emit(Instr::Builtin(builtin, Arguments { positional: 1, spread: false, keywords: None }));
                }
            }
            ("uninitialized", [_]) => self.constant(Constant::None),
            ("isinstance" | "torch.jit.isinstance", [value, ty]) => {
                let ty = self.names.annotation_type(&ty.value);
                self.expression(&value.value)?;
                let ty = self.add(Constant::Type(ty.into()));
                self.emit(Instr::IsInstance(ty));
            }
            ("getattr", [object, name]) if matches!(name.value.kind, ExprKind::Str(_)) => {
                let ExprKind::Str(name) = &name.value.kind else { return Ok(false) };
                self.expression(&object.value)?;
                let name = self.text(name);
                self.emit(Instr::Attribute(name));
            }
            ("torch.jit.is_scripting" | "torch._C._get_tracing_state" | "torch.jit.is_tracing", []) => {
                self.constant(if path.ends_with("is_scripting") {
                    Constant::Bool(true)
                } else {
                    Constant::Bool(false)
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn arguments(&mut self, arguments: &[Argument]) -> Result<Arguments> {
        let spread = arguments.iter().any(|argument| matches!(argument.value.kind, ExprKind::Starred(_)));
        let positional = arguments.iter().filter(|argument| argument.keyword.is_none());
        let count = positional.clone().count() as u32;
        if spread {
            self.spread(positional.map(|argument| &argument.value))?;
        } else {
            for argument in positional {
                self.expression(&argument.value)?;
            }
        }
        let mut keywords: Vec<Rc<str>> = Vec::new();
        for argument in arguments {
            let Some(keyword) = &argument.keyword else { continue };
            if keywords.contains(keyword) {
                return self.error(format!("the argument {keyword} occurs twice"), argument.value.at);
            }
            keywords.push(keyword.clone());
            self.expression(&argument.value)?;
        }
        let keywords = (!keywords.is_empty()).then(|| self.add(Constant::Names(keywords.into())));
        Ok(Arguments { positional: count, spread, keywords })
    }
}
