//! Statements, blocks, and the conditions and matches whose branches are blocks.

use super::{Lowerer, empty};
use crate::{
    error::Result,
    tree::{Binding, Expr, Kind, Stmt},
    types::Type,
};

/// Where the value of a block goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// It is the function's result.
    Return,
    /// A variable takes it.
    Assign(Expr),
    /// Nowhere.
    Discard,
}

impl Lowerer<'_> {
    /// The statements of a block, in a separate scope.
    pub(super) fn block(&mut self, block: &syn::Block, target: &Target) -> Result<Vec<Stmt>> {
        self.begin();
        let mut stmts = Vec::new();
        for (index, stmt) in block.stmts.iter().enumerate() {
            let is_last = index + 1 == block.stmts.len();
            match stmt {
                syn::Stmt::Local(local) => self.local(local, &mut stmts)?,
                syn::Stmt::Expr(expr, None) if is_last => self.value(expr, target, &mut stmts)?,
                syn::Stmt::Expr(expr, _) => self.statement(expr, &mut stmts)?,
                syn::Stmt::Item(item) => return self.unsupported(item, "an item in a function"),
                syn::Stmt::Macro(call) => return self.unsupported(&call.mac, "this macro"),
            }
        }
        self.end();
        Ok(stmts)
    }

    /// Sends the value of an expression to its target.
    pub(super) fn value(&mut self, expr: &syn::Expr, target: &Target, stmts: &mut Vec<Stmt>) -> Result<()> {
        match strip(expr) {
            syn::Expr::If(branch) => self.branch(branch, target, stmts),
            syn::Expr::Match(arms) => self.arms(arms, target, stmts),
            syn::Expr::Block(block) if block.label.is_none() => {
                stmts.extend(self.block(&block.block, target)?);
                Ok(())
            }
            syn::Expr::Return(_) | syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Assign(_) => {
                self.statement(strip(expr), stmts)
            }
            plain => {
                if let Some(error) = self.refusal(plain)? {
                    stmts.push(Stmt::Throw(error));
                    return Ok(());
                }
                let expected = match target {
                    Target::Return => Some(self.result.clone()),
                    Target::Assign(variable) => Some(variable.ty.clone()),
                    Target::Discard => None,
                };
                let value = self.expr(plain, expected.as_ref())?;
                match target {
                    // `Ok(())`
                    _ if value.ty == Type::Unit && value.kind == Kind::None => {}
                    Target::Return => stmts.push(Stmt::Return(Some(value))),
                    Target::Assign(variable) => stmts.push(Stmt::Assign(variable.clone(), "=", value)),
                    Target::Discard => stmts.push(Stmt::Expr(value)),
                }
                Ok(())
            }
        }
    }

    /// The error of `Err(error)`.
    fn refusal(&mut self, expr: &syn::Expr) -> Result<Option<Expr>> {
        let syn::Expr::Call(call) = expr else { return Ok(None) };
        let is_err = matches!(&*call.func, syn::Expr::Path(path) if path.path.is_ident("Err"));
        match call.args.first() {
            Some(error) if is_err => Ok(Some(self.expr(error, None)?)),
            _ => Ok(None),
        }
    }

    pub(super) fn statement(&mut self, expr: &syn::Expr, stmts: &mut Vec<Stmt>) -> Result<()> {
        match strip(expr) {
            syn::Expr::Return(end) => match &end.expr {
                None => stmts.push(Stmt::Return(None)),
                Some(value) => {
                    let before = stmts.len();
                    self.value(value, &Target::Return, stmts)?;
                    if stmts.len() == before {
                        stmts.push(Stmt::Return(None));
                    }
                }
            },
            syn::Expr::Assign(assign) => self.assign(assign, stmts)?,
            syn::Expr::Binary(binary) => match assignment(&binary.op) {
                Some(operator) => {
                    let target = self.expr(&binary.left, None)?;
                    let value = self.expr(&binary.right, Some(&target.ty))?;
                    if !target.ty.is_number() {
                        return self.unsupported(binary, "this assignment to an expression that is no number");
                    }
                    stmts.push(Stmt::Assign(target, operator, value));
                }
                None => return self.unsupported(expr, "an operator as a statement"),
            },
            syn::Expr::ForLoop(each) => self.for_loop(each, stmts)?,
            syn::Expr::While(each) if !matches!(&*each.cond, syn::Expr::Let(_)) => {
                let condition = self.expr(&each.cond, Some(&Type::Bool))?;
                stmts.push(Stmt::While(condition, self.block(&each.body, &Target::Discard)?));
            }
            syn::Expr::Break(end) if end.expr.is_none() && end.label.is_none() => stmts.push(Stmt::Break),
            syn::Expr::Continue(end) if end.label.is_none() => stmts.push(Stmt::Continue),
            other => self.value(other, &Target::Discard, stmts)?,
        }
        Ok(())
    }

    fn assign(&mut self, assign: &syn::ExprAssign, stmts: &mut Vec<Stmt>) -> Result<()> {
        let target = self.expr(&assign.left, None)?;
        if !matches!(target.kind, Kind::Local(_) | Kind::Index(..)) {
            return self.unsupported(&assign.left, "an assignment to an expression that is no variable");
        }
        self.value(&assign.right, &Target::Assign(target), stmts)
    }

    /// `let`.
    pub(super) fn local(&mut self, local: &syn::Local, stmts: &mut Vec<Stmt>) -> Result<()> {
        let (pattern, annotated) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(self.read(&typed.ty)?)),
            pattern => (pattern, None),
        };
        let Some(init) = &local.init else {
            let syn::Pat::Ident(ident) = pattern else {
                return self.unsupported(local, "this variable without a value");
            };
            let (name, id) = self.declare(&ident.ident.to_string(), annotated.unwrap_or(Type::Open));
            stmts.push(empty(&name, id));
            return Ok(());
        };
        if let Some((_, otherwise)) = &init.diverge {
            return self.let_else(pattern, &init.expr, otherwise, stmts);
        }
        if let syn::Pat::Ident(ident) = pattern {
            return self.variable(ident, annotated, &init.expr, stmts);
        }
        let value = self.expr(&init.expr, annotated.as_ref())?;
        let (binding, id) = self.binding(pattern, &value.ty)?;
        stmts.push(Stmt::Let { binding, value: Some(value), is_assigned: false, id });
        Ok(())
    }

    /// `let name = value`, whose value may be a condition or a match.
    fn variable(
        &mut self,
        ident: &syn::PatIdent,
        annotated: Option<Type>,
        init: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Result<()> {
        let name = ident.ident.to_string();
        if ident.by_ref.is_some() || ident.subpat.is_some() {
            return self.unsupported(ident, "this pattern");
        }
        if self.is_branched(init) {
            // The first branch with a type has the type of the variable.
            let ty = match annotated {
                Some(ty) => ty,
                None => self.type_of_branches(init)?,
            };
            let (unique, id) = self.declare(&name, ty.clone());
            stmts.push(empty(&unique, id));
            return self.value(init, &Target::Assign(Expr::new(Kind::Local(unique), ty)), stmts);
        }
        let mut value = self.expr(init, annotated.as_ref())?;
        if let Some(ty) = annotated {
            value.ty = ty.fill(&value.ty);
        }
        let is_mutable = ident.mutability.is_some();
        if is_mutable && matches!(value.ty, Type::List(_) | Type::Map(_)) && !is_fresh(&value) {
            value = Expr { ty: value.ty.clone(), kind: Kind::Copy(Box::new(value)) };
        }
        let (unique, id) = self.declare(&name, value.ty.clone());
        stmts.push(Stmt::Let { binding: Binding::Name(unique), value: Some(value), is_assigned: is_mutable, id });
        Ok(())
    }

    /// Whether an expression is a condition or a match whose branches are more than values.
    fn is_branched(&self, expr: &syn::Expr) -> bool {
        fn is_value(block: &syn::Block) -> bool {
            matches!(&block.stmts[..], [syn::Stmt::Expr(expr, None)] if !is_control(expr))
        }
        fn is_control(expr: &syn::Expr) -> bool {
            matches!(strip(expr), syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_))
        }
        match strip(expr) {
            syn::Expr::If(branch) => {
                let is_plain = |expr: &syn::Expr| matches!(expr, syn::Expr::Block(block) if is_value(&block.block));
                let is_else_plain = branch.else_branch.as_ref().is_some_and(|(_, other)| is_plain(other));
                !(is_value(&branch.then_branch) && is_else_plain) || matches!(&*branch.cond, syn::Expr::Let(_))
            }
            other => is_control(other),
        }
    }

    /// The type of the first branch with a value.
    fn type_of_branches(&mut self, expr: &syn::Expr) -> Result<Type> {
        let mut trial = Vec::new();
        let open = Expr::new(Kind::None, Type::Open);
        let (types, scopes, names) = (self.types.clone(), self.scopes.clone(), self.names.clone());
        self.value(expr, &Target::Assign(open), &mut trial)?;
        (self.types, self.scopes, self.names) = (types, scopes, names);
        let mut found = Type::Open;
        find_assigned(&trial, &mut found);
        if found.is_open() {
            return self.error(expr, "the type of this value is not known: annotate the variable");
        }
        Ok(found)
    }

    fn branch(&mut self, branch: &syn::ExprIf, target: &Target, stmts: &mut Vec<Stmt>) -> Result<()> {
        self.begin();
        let before = stmts.len();
        let condition = self.condition(&branch.cond, stmts)?;
        let then = self.block(&branch.then_branch, target)?;
        self.end();
        // The variables of a condition precede the statement, in the scope around it.
        for stmt in &stmts[before..] {
            if let (Stmt::Let { binding: Binding::Name(name), .. }, Some(names)) = (stmt, self.names.last_mut()) {
                names.push(name.clone());
            }
        }
        let mut otherwise = Vec::new();
        if let Some((_, other)) = &branch.else_branch {
            self.value(other, target, &mut otherwise)?;
        }
        stmts.push(Stmt::If(condition, then, otherwise));
        Ok(())
    }

    fn for_loop(&mut self, each: &syn::ExprForLoop, stmts: &mut Vec<Stmt>) -> Result<()> {
        if each.label.is_some() {
            return self.unsupported(each, "a label");
        }
        let (range, is_reversed) = match strip(&each.expr) {
            syn::Expr::MethodCall(call) if call.method == "rev" => (strip(&call.receiver), true),
            other => (other, false),
        };
        self.begin();
        let stmt = if let syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) = range {
            let name = match &*each.pat {
                syn::Pat::Ident(ident) => ident.ident.to_string(),
                syn::Pat::Wild(_) => "_step".to_string(),
                pattern => return self.unsupported(pattern, "this pattern"),
            };
            if matches!(limits, syn::RangeLimits::Closed(_)) {
                return self.unsupported(range, "a range with its end");
            }
            let (from, to) = (self.expr(start, None)?, self.expr(end, None)?);
            let (name, _) = self.declare(&name, Type::Int);
            Stmt::ForRange(name, from, to, is_reversed, self.block(&each.body, &Target::Discard)?)
        } else {
            let mut list = self.expr(&each.expr, None)?;
            if let Type::Map(item) = &list.ty {
                let ty = Type::list(Type::Tuple(vec![Type::Str, (**item).clone()]));
                list = Expr::new(Kind::Intrinsic(crate::intrinsics::by_name("map.iter"), vec![list]), ty);
            }
            let Some(item) = list.ty.item() else { return self.error(&each.expr, format!("a loop over {}", list.ty)) };
            let (binding, _) = self.binding(&each.pat, &item)?;
            Stmt::ForEach(binding, list, self.block(&each.body, &Target::Discard)?)
        };
        self.end();
        stmts.push(stmt);
        Ok(())
    }
}

/// An expression without brackets, references and `?`, whose value is the same.
pub(super) fn strip(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(inner) => strip(&inner.expr),
        syn::Expr::Group(inner) => strip(&inner.expr),
        syn::Expr::Try(inner) => strip(&inner.expr),
        syn::Expr::Reference(inner) => strip(&inner.expr),
        other => other,
    }
}

/// The operator of `+=` and the like.
fn assignment(operator: &syn::BinOp) -> Option<&'static str> {
    Some(match operator {
        syn::BinOp::AddAssign(_) => "+=",
        syn::BinOp::SubAssign(_) => "-=",
        syn::BinOp::MulAssign(_) => "*=",
        _ => return None,
    })
}

/// Whether a list is new, so that it may be changed.
fn is_fresh(list: &Expr) -> bool {
    match &list.kind {
        Kind::List(_) | Kind::Copy(_) => true,
        Kind::Intrinsic(row, _) => crate::intrinsics::is_fresh(row),
        _ => false,
    }
}

fn find_assigned(stmts: &[Stmt], found: &mut Type) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign(target, _, value) if target.kind == Kind::None && found.is_open() => {
                *found = found.clone().fill(&value.ty);
            }
            Stmt::If(_, then, otherwise) => {
                find_assigned(then, found);
                find_assigned(otherwise, found);
            }
            Stmt::ForEach(_, _, body) | Stmt::ForRange(_, _, _, _, body) | Stmt::While(_, body) => {
                find_assigned(body, found)
            }
            _ => {}
        }
    }
}
