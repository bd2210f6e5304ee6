//! The examples of documentation comments, which the compiler of Rust has tested.
//!
//! A statement that has no counterpart is left out of the printed example, such as one that expects
//! an error.

use super::Lowerer;
use crate::{
    error::Result,
    tree::{Expr, Kind, Stmt},
    types::Type,
};

/// A line of an example.
pub enum Line {
    /// A statement.
    Stmt(Stmt),
    /// An expression, and its value.
    Value(Expr, Expr),
}

/// The code of the first example of a documentation comment, without hidden lines. One that takes
/// too long for a test is only compiled.
pub fn code(docs: &[String]) -> String {
    let mut lines = docs.iter().skip_while(|line| !["```", "```no_run"].contains(&line.trim()));
    let code = lines.by_ref().skip(1).take_while(|line| line.trim() != "```");
    let shown = code.filter(|line| line.trim() != "#" && !line.trim().starts_with("# "));
    shown.map(|line| format!("{line}\n")).collect()
}

impl Lowerer<'_> {
    /// The lines of an example.
    pub fn example(&mut self, code: &str) -> Vec<Line> {
        let Ok(block) = syn::parse_str::<syn::Block>(&format!("{{\n{code}}}")) else { return vec![] };
        self.types.clear();
        self.begin();
        let mut lines = Vec::new();
        for stmt in &block.stmts {
            let mut stmts = Vec::new();
            let lowered = match stmt {
                syn::Stmt::Local(local) => self.local(local, &mut stmts),
                syn::Stmt::Macro(call) => self.assertion(&call.mac).map(|line| lines.extend(line)),
                syn::Stmt::Expr(expr, _) => self.statement(expr, &mut stmts),
                syn::Stmt::Item(_) => Ok(()),
            };
            if lowered.is_ok() {
                lines.extend(stmts.into_iter().map(Line::Stmt));
            }
        }
        self.end();
        lines
    }

    /// The types of the variables of the last example.
    pub fn take_types(&mut self) -> Vec<Type> {
        std::mem::take(&mut self.types)
    }

    /// `assert_eq!(a, b)` or `assert!((a - b).abs() < 1e-6)`: that `a` is `b`.
    fn assertion(&mut self, call: &syn::Macro) -> Result<Option<Line>> {
        let args = call.parse_body_with(syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated);
        let Ok(args) = args else { return Ok(None) };
        let args: Vec<&syn::Expr> = args.iter().collect();
        let (value, expected) = match &args[..] {
            [value, expected] if call.path.is_ident("assert_eq") => (*value, *expected),
            [condition] if call.path.is_ident("assert") => match difference(condition) {
                Some(parts) => parts,
                None => {
                    let holds = self.expr(condition, Some(&Type::Bool))?;
                    return Ok(Some(Line::Value(holds, Expr::new(Kind::Bool(true), Type::Bool))));
                }
            },
            _ => return Ok(None),
        };
        let value = self.expr(value, None)?;
        let expected = self.expr(expected, Some(&value.ty))?;
        Ok(Some(Line::Value(value, expected)))
    }
}

/// The parts of `(a - b).abs() < tolerance`.
fn difference(condition: &syn::Expr) -> Option<(&syn::Expr, &syn::Expr)> {
    let syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Lt(_), .. }) = condition else { return None };
    let syn::Expr::MethodCall(call) = &**left else { return None };
    let syn::Expr::Paren(inner) = &*call.receiver else { return None };
    let syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Sub(_), right, .. }) = &*inner.expr else {
        return None;
    };
    (call.method == "abs").then_some((&**left, &**right))
}
