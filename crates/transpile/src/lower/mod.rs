//! Lowers Rust's syntax to the typed tree.
//!
//! Types are inferred from the bottom up, from declarations, signatures and the table of
//! operations.
//! A construct outside of the subset, and an expression whose type is not known, are errors.

mod calls;
pub(crate) mod examples;
mod expressions;
mod modules;
mod patterns;
mod statements;

use crate::{
    error::{Error, Result, unsupported},
    library::{Library, SourceFile},
    tree::{Binding, Body, Expr, Kind, Stmt},
    types::{Generics, Type, TypeReader},
};
pub(crate) use expressions::snake;
use quote::ToTokens;
use statements::{Target, strip};
use std::collections::HashMap;
use syn::spanned::Spanned;

/// A variable that is visible.
#[derive(Clone)]
struct Variable {
    /// The expression that reads it.
    value: Expr,
    /// Its number among the types of the body, if it is a variable of the printed code.
    id: Option<usize>,
}

/// Lowers the body of a function.
pub struct Lowerer<'a> {
    library: &'a Library,
    file: &'a SourceFile,
    generics: Generics,
    own: Option<Type>,
    /// The type of the function's result.
    result: Type,
    /// The visible variables, the innermost scope last.
    scopes: Vec<HashMap<String, Variable>>,
    /// The names of the printed variables of each scope.
    names: Vec<Vec<String>>,
    types: Vec<Type>,
}

impl<'a> Lowerer<'a> {
    /// A lowerer for the functions of a file, or of an impl in it.
    pub fn new(library: &'a Library, file: &'a SourceFile, generics: Generics, own: Option<Type>) -> Lowerer<'a> {
        Lowerer { library, file, generics, own, result: Type::Unit, scopes: vec![], names: vec![], types: vec![] }
    }

    /// The body of a function whose parameters have these names and types.
    ///
    /// # Errors
    ///
    /// The first construct outside of the subset.
    pub fn body(&mut self, params: &[(String, Type)], result: &Type, block: &syn::Block) -> Result<Body> {
        self.result = result.clone();
        self.types.clear();
        self.begin();
        let params = params.iter().map(|(name, ty)| self.declare(name, ty.clone()).0).collect();
        let target = if *result == Type::Unit { Target::Discard } else { Target::Return };
        let mut stmts = self.block(block, &target)?;
        self.end();
        let mut assigned = Vec::new();
        find_assigned_names(&stmts, &mut assigned);
        mark_assigned(&mut stmts, &assigned);
        Ok(Body { stmts, types: std::mem::take(&mut self.types), params })
    }

    /// The value of a constant.
    ///
    /// # Errors
    ///
    /// A construct outside of the subset.
    pub fn constant(&mut self, value: &syn::Expr, ty: &Type) -> Result<Expr> {
        self.begin();
        let value = self.expr(value, Some(ty))?;
        self.end();
        Ok(value)
    }

    fn begin(&mut self) {
        self.scopes.push(HashMap::new());
        self.names.push(vec![]);
    }

    fn end(&mut self) {
        self.scopes.pop();
        self.names.pop();
    }

    /// Makes a variable; its printed name has a number if the name is visible already.
    fn declare(&mut self, name: &str, ty: Type) -> (String, usize) {
        let name = name.trim_start_matches("r#");
        let is_taken = |candidate: &str| {
            let is_local = self.names.iter().flatten().any(|known| known == candidate);
            is_local || self.library.function_in(&self.file.module, candidate).is_some()
        };
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let unique = std::iter::once(name.to_string()).chain(numbered).find(|candidate| !is_taken(candidate));
        let unique = unique.unwrap_or_else(|| name.to_string());
        let id = self.types.len();
        self.types.push(ty.clone());
        let value = Expr::new(Kind::Local(unique.clone()), ty);
        self.bind(name, value, Some(id));
        if let Some(names) = self.names.last_mut() {
            names.push(unique.clone());
        }
        (unique, id)
    }

    /// Makes a name stand for an expression.
    fn bind(&mut self, name: &str, value: Expr, id: Option<usize>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), Variable { value, id });
        }
    }

    fn lookup(&self, name: &str) -> Option<&Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Sets the type of the elements of an empty list, with the first that is added.
    fn learn(&mut self, receiver: &syn::Expr, ty: &Type) {
        let syn::Expr::Path(path) = receiver else { return };
        let Some(name) = path.path.get_ident().map(ToString::to_string) else { return };
        for scope in self.scopes.iter_mut().rev() {
            let Some(variable) = scope.get_mut(&name) else { continue };
            variable.value.ty = variable.value.ty.clone().fill(ty);
            if let Some(id) = variable.id {
                self.types[id] = variable.value.ty.clone();
            }
            return;
        }
    }

    /// The type of a declaration.
    fn read(&self, ty: &syn::Type) -> Result<Type> {
        let names = &self.library.names;
        let operations = &self.library.operations;
        TypeReader { file: &self.file.path, names, operations, generics: &self.generics, own: self.own.as_ref() }
            .read(ty)
    }

    fn unsupported<T>(&self, node: &(impl Spanned + ToTokens), what: &str) -> Result<T> {
        unsupported(&self.file.path, node, what)
    }

    fn error<T>(&self, node: &impl Spanned, message: impl Into<String>) -> Result<T> {
        Err(Error::at(&self.file.path, node.span(), message))
    }

    /// An error unless the type of an expression is known.
    fn check_type(&self, node: &impl Spanned, expr: Expr) -> Result<Expr> {
        if expr.ty.is_open() {
            return self
                .error(node, "the type of this expression is not known: annotate the variable or the parameter");
        }
        Ok(expr)
    }
}

/// A variable whose value branches assign.
fn empty(name: &str, id: usize) -> Stmt {
    Stmt::Let { binding: Binding::Name(name.to_string()), value: None, is_assigned: true, id }
}

/// The variables that statements assign.
fn find_assigned_names(stmts: &[Stmt], names: &mut Vec<String>) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign(Expr { kind: Kind::Local(name), .. }, _, _) => names.push(name.clone()),
            Stmt::If(_, then, otherwise) => {
                find_assigned_names(then, names);
                find_assigned_names(otherwise, names);
            }
            Stmt::ForEach(_, _, body) | Stmt::ForRange(_, _, _, _, body) | Stmt::While(_, body) => {
                find_assigned_names(body, names);
            }
            _ => {}
        }
    }
}

/// Marks the variables that are assigned, and no others: a list that only grows is not.
fn mark_assigned(stmts: &mut [Stmt], names: &[String]) {
    for stmt in stmts {
        match stmt {
            Stmt::Let { binding: Binding::Name(name), is_assigned, .. } => *is_assigned = names.contains(name),
            Stmt::If(_, then, otherwise) => {
                mark_assigned(then, names);
                mark_assigned(otherwise, names);
            }
            Stmt::ForEach(_, _, body) | Stmt::ForRange(_, _, _, _, body) | Stmt::While(_, body) => {
                mark_assigned(body, names);
            }
            _ => {}
        }
    }
}
