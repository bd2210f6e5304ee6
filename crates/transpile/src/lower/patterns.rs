//! Patterns: the conditions under which they match, and the names that they bind.

use super::{
    Lowerer,
    statements::{Target, strip},
};
use crate::{
    error::Result,
    tree::{Binding, Expr, Kind, Stmt},
    types::Type,
};

/// The conditions of a pattern, all of which hold if it matches.
type Conditions = Vec<Expr>;

impl Lowerer<'_> {
    /// The names that a pattern without conditions binds.
    pub(super) fn binding(&mut self, pattern: &syn::Pat, ty: &Type) -> Result<(Binding, usize)> {
        match pattern {
            syn::Pat::Ident(ident) if ident.subpat.is_none() => {
                let (name, id) = self.declare(&ident.ident.to_string(), ty.clone());
                Ok((Binding::Name(name), id))
            }
            syn::Pat::Wild(_) => Ok((Binding::Skip, 0)),
            syn::Pat::Reference(inner) => self.binding(&inner.pat, ty),
            syn::Pat::Paren(inner) => self.binding(&inner.pat, ty),
            syn::Pat::Type(typed) => {
                let ty = self.read(&typed.ty)?;
                self.binding(&typed.pat, &ty)
            }
            syn::Pat::Tuple(syn::PatTuple { elems, .. }) | syn::Pat::Slice(syn::PatSlice { elems, .. }) => {
                let Type::Tuple(types) = ty else { return self.error(pattern, format!("the parts of {ty}")) };
                if types.len() != elems.len() {
                    return self.unsupported(pattern, "this pattern");
                }
                let parts = elems.iter().zip(types).map(|(pattern, ty)| Ok(self.binding(pattern, ty)?.0));
                Ok((Binding::Tuple(parts.collect::<Result<_>>()?), 0))
            }
            _ => self.unsupported(pattern, "this pattern"),
        }
    }

    /// `let pattern = value else { .. }`.
    pub(super) fn let_else(
        &mut self,
        pattern: &syn::Pat,
        value: &syn::Expr,
        otherwise: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Result<()> {
        let syn::Expr::Block(block) = otherwise else { return self.unsupported(otherwise, "this else") };
        let subject = self.subject(value, name_of(pattern), stmts)?;
        let mut conditions = Vec::new();
        let mut bindings = Vec::new();
        self.pattern(pattern, &subject, &mut conditions, &mut bindings)?;
        let Some(condition) = conjunction(conditions) else {
            return self.unsupported(pattern, "a pattern without a condition");
        };
        let failed = self.block(&block.block, &Target::Discard)?;
        stmts.push(Stmt::If(negate(condition), failed, vec![]));
        self.bind_all(bindings, stmts);
        Ok(())
    }

    /// The condition of an `if`, which may bind names: `if let Some(x) = y && x > 0`.
    pub(super) fn condition(&mut self, expr: &syn::Expr, stmts: &mut Vec<Stmt>) -> Result<Expr> {
        match expr {
            syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) && contains_let(expr) => {
                let left = self.condition(&binary.left, stmts)?;
                let right = self.condition(&binary.right, stmts)?;
                Ok(Expr::new(Kind::Binary("&&", Box::new(left), Box::new(right)), Type::Bool))
            }
            syn::Expr::Let(matched) => {
                let subject = self.subject(&matched.expr, name_of(&matched.pat), stmts)?;
                let (mut conditions, mut bindings) = (vec![], vec![]);
                self.pattern(&matched.pat, &subject, &mut conditions, &mut bindings)?;
                for (name, value) in bindings {
                    self.bind(&name, value, None);
                }
                match conjunction(conditions) {
                    Some(condition) => Ok(condition),
                    None => self.unsupported(matched, "a pattern without a condition"),
                }
            }
            other => self.expr(other, Some(&Type::Bool)),
        }
    }

    /// The statements of `match`: a chain of conditions, and the last arm without one.
    pub(super) fn arms(&mut self, arms: &syn::ExprMatch, target: &Target, stmts: &mut Vec<Stmt>) -> Result<()> {
        let name = arms.arms.iter().find_map(|arm| name_of(&arm.pat));
        let subject = self.subject(&arms.expr, name, stmts)?;
        let mut chain: Vec<(Option<Expr>, Vec<Stmt>)> = Vec::new();
        for (index, arm) in arms.arms.iter().enumerate() {
            self.begin();
            let (mut conditions, mut bindings) = (vec![], vec![]);
            self.pattern(&arm.pat, &subject, &mut conditions, &mut bindings)?;
            let mut body = Vec::new();
            let is_guarded = arm.guard.is_some();
            if let Some((_, guard)) = &arm.guard {
                for (name, value) in std::mem::take(&mut bindings) {
                    self.bind(&name, value, None);
                }
                conditions.push(self.expr(guard, Some(&Type::Bool))?);
            }
            self.bind_all(bindings, &mut body);
            self.value(&arm.body, target, &mut body)?;
            self.end();
            // The compiler has checked that some arm matches.
            let is_last = index + 1 == arms.arms.len() && !is_guarded;
            let condition = conjunction(conditions).filter(|_| !is_last);
            let ends = condition.is_none();
            chain.push((condition, body));
            if ends {
                break;
            }
        }
        let mut rest = Vec::new();
        for (condition, body) in chain.into_iter().rev() {
            rest = match condition {
                None => body,
                Some(condition) => vec![Stmt::If(condition, body, rest)],
            };
        }
        stmts.extend(rest);
        Ok(())
    }

    /// The value that is matched, as an expression that may be repeated.
    fn subject(&mut self, expr: &syn::Expr, name: Option<String>, stmts: &mut Vec<Stmt>) -> Result<Expr> {
        if let syn::Expr::Tuple(tuple) = strip(expr) {
            let mut parts = Vec::new();
            for part in &tuple.elems {
                parts.push(self.subject(part, None, stmts)?);
            }
            let types = parts.iter().map(|part| part.ty.clone()).collect();
            return Ok(Expr::new(Kind::List(parts), Type::Tuple(types)));
        }
        let value = self.expr(expr, None)?;
        if value.is_name() {
            return Ok(value);
        }
        let name = name.or_else(|| match &value.kind {
            Kind::Method { name, .. } | Kind::Field(_, name) => Some(name.clone()),
            _ => None,
        });
        let ty = value.ty.clone();
        let (name, id) = self.declare(&name.unwrap_or_else(|| "value".into()), ty.clone());
        stmts.push(Stmt::Let { binding: Binding::Name(name.clone()), value: Some(value), is_assigned: false, id });
        Ok(Expr::new(Kind::Local(name), ty))
    }

    fn bind_all(&mut self, bindings: Vec<(String, Expr)>, stmts: &mut Vec<Stmt>) {
        for (name, value) in bindings {
            if value.is_name() {
                self.bind(&name, value, None);
                continue;
            }
            let (unique, id) = self.declare(&name, value.ty.clone());
            stmts.push(Stmt::Let { binding: Binding::Name(unique), value: Some(value), is_assigned: false, id });
        }
    }

    fn pattern(
        &mut self,
        pattern: &syn::Pat,
        value: &Expr,
        conditions: &mut Conditions,
        bindings: &mut Vec<(String, Expr)>,
    ) -> Result<()> {
        match pattern {
            syn::Pat::Wild(_) => {}
            syn::Pat::Paren(inner) => self.pattern(&inner.pat, value, conditions, bindings)?,
            syn::Pat::Reference(inner) => self.pattern(&inner.pat, value, conditions, bindings)?,
            syn::Pat::Ident(ident) if ident.ident == "None" => conditions.push(is_none(value)),
            syn::Pat::Ident(ident) if ident.subpat.is_none() => bindings.push((ident.ident.to_string(), value.clone())),
            syn::Pat::Lit(literal) => {
                let literal = self.expr(&syn::Expr::Lit(literal.clone()), Some(&value.ty))?;
                conditions.push(equal(value, literal));
            }
            syn::Pat::Path(path) => {
                let path = syn::Expr::Path(path.clone());
                conditions.push(self.variant_condition(&path, value)?);
            }
            syn::Pat::Or(either) => self.alternatives(either, value, conditions)?,
            syn::Pat::Tuple(tuple) => {
                let parts = match (&value.kind, &value.ty) {
                    (Kind::List(parts), _) => parts.clone(),
                    (Kind::Local(_), Type::Tuple(types)) => parts_of(value, types),
                    _ => return self.unsupported(pattern, "a tuple that is no literal and no variable"),
                };
                if parts.len() != tuple.elems.len() {
                    return self.unsupported(pattern, "this pattern");
                }
                for (pattern, part) in tuple.elems.iter().zip(&parts) {
                    self.pattern(pattern, part, conditions, bindings)?;
                }
            }
            syn::Pat::TupleStruct(call) => self.variant(call, value, conditions, bindings)?,
            _ => return self.unsupported(pattern, "this pattern"),
        }
        Ok(())
    }

    fn alternatives(&mut self, either: &syn::PatOr, value: &Expr, conditions: &mut Conditions) -> Result<()> {
        let mut any: Option<Expr> = None;
        for case in &either.cases {
            let (mut own, mut bound) = (vec![], vec![]);
            self.pattern(case, value, &mut own, &mut bound)?;
            let (Some(condition), true) = (conjunction(own), bound.is_empty()) else {
                return self.unsupported(case, "this alternative of a pattern");
            };
            any = Some(match any {
                None => condition,
                Some(other) => Expr::new(Kind::Binary("||", Box::new(other), Box::new(condition)), Type::Bool),
            });
        }
        conditions.extend(any);
        Ok(())
    }

    /// `Some(x)`, `Operand::Tensor(x)`, `Constraint::GreaterThan(lower)`.
    fn variant(
        &mut self,
        call: &syn::PatTupleStruct,
        value: &Expr,
        conditions: &mut Conditions,
        bindings: &mut Vec<(String, Expr)>,
    ) -> Result<()> {
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let parts: Vec<&syn::Pat> = call.elems.iter().collect();
        match (name.as_str(), &value.ty, &parts[..]) {
            ("Some", Type::Optional(inner), [part]) => {
                conditions.push(Expr::new(Kind::IsSome(Box::new(value.clone())), Type::Bool));
                let inner = Expr::new(value.kind.clone(), (**inner).clone());
                self.pattern(part, &inner, conditions, bindings)
            }
            ("Tensor", Type::Operand, [part]) => {
                conditions.push(Expr::new(Kind::IsTensor(Box::new(value.clone())), Type::Bool));
                self.pattern(part, &Expr::new(value.kind.clone(), Type::Tensor), conditions, bindings)
            }
            ("Scalar" | "Number", Type::Operand, [part]) => {
                conditions.push(negate(Expr::new(Kind::IsTensor(Box::new(value.clone())), Type::Bool)));
                self.pattern(part, &Expr::new(value.kind.clone(), Type::Float), conditions, bindings)
            }
            (_, Type::Object(class), _) => {
                let variants = self.library.classes.get(class).map(|class| &class.variants[..]).unwrap_or_default();
                let Some((_, types)) = variants.iter().find(|(variant, _)| *variant == name) else {
                    return self.unsupported(call, "this pattern");
                };
                conditions.push(Expr::new(Kind::IsVariant(Box::new(value.clone()), name), Type::Bool));
                for (index, (part, ty)) in parts.into_iter().zip(types.clone()).enumerate() {
                    let datum = Expr::new(Kind::Datum(Box::new(value.clone()), index), ty);
                    self.pattern(part, &datum, conditions, bindings)?;
                }
                Ok(())
            }
            _ => self.unsupported(call, "this pattern"),
        }
    }

    /// The condition of `Enum::Variant`, or of a constant.
    fn variant_condition(&mut self, path: &syn::Expr, value: &Expr) -> Result<Expr> {
        if let (Type::Object(class), syn::Expr::Path(named)) = (&value.ty, path) {
            let name = named.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            let class = self.library.classes.get(class);
            if class.is_some_and(|class| class.variants.iter().any(|(variant, _)| *variant == name)) {
                return Ok(Expr::new(Kind::IsVariant(Box::new(value.clone()), name), Type::Bool));
            }
        }
        let other = self.expr(path, Some(&value.ty))?;
        Ok(equal(value, other))
    }
}

/// The name that a pattern binds to the matched value: `x` of `Some(x)`.
fn name_of(pattern: &syn::Pat) -> Option<String> {
    match pattern {
        syn::Pat::TupleStruct(call) if call.elems.len() == 1 && call.path.is_ident("Some") => match &call.elems[0] {
            syn::Pat::Ident(ident) => Some(ident.ident.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// The parts of a variable that is a tuple.
fn parts_of(tuple: &Expr, types: &[Type]) -> Vec<Expr> {
    let part = |(index, ty): (usize, &Type)| {
        let index = Expr::new(Kind::Number(index.to_string()), Type::Int);
        Expr::new(Kind::Index(Box::new(tuple.clone()), Box::new(index)), ty.clone())
    };
    types.iter().enumerate().map(part).collect()
}

fn contains_let(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => contains_let(&binary.left) || contains_let(&binary.right),
        _ => false,
    }
}

fn is_none(value: &Expr) -> Expr {
    negate(Expr::new(Kind::IsSome(Box::new(value.clone())), Type::Bool))
}

fn equal(value: &Expr, other: Expr) -> Expr {
    Expr::new(Kind::Binary("===", Box::new(value.clone()), Box::new(other)), Type::Bool)
}

/// A condition that holds if another does not.
pub(super) fn negate(condition: Expr) -> Expr {
    match condition.kind {
        Kind::Unary("!", inner) => *inner,
        _ => Expr::new(Kind::Unary("!", Box::new(condition)), Type::Bool),
    }
}

fn conjunction(conditions: Conditions) -> Option<Expr> {
    conditions
        .into_iter()
        .reduce(|left, right| Expr::new(Kind::Binary("&&", Box::new(left), Box::new(right)), Type::Bool))
}
