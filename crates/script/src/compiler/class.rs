//! Compiles classes: modules, named tuples, enumerations, exceptions, and plain classes.

use super::{Names, constant::constant, function};
use crate::{
    Error, Result, Source,
    ast::{ClassDef, Expr, ExprKind, StmtKind},
    code::{Class, ClassKind},
};
use std::rc::Rc;

/// Compiles a class.
pub(super) fn class(def: &ClassDef, names: &Names, source: &Rc<Source>) -> Result<Class> {
    let bases: Vec<String> = def.bases.iter().filter_map(|base| names.path(base)).collect();
    let mut class = Class::new(names.qualify(&def.name), kind(&bases));
    class.bases = bases.iter().map(|base| names.qualify(base)).collect();
    for stmt in &def.body {
        match &stmt.kind {
            StmtKind::Function(method) => {
                let decorators: Vec<String> =
                    method.decorators.iter().filter_map(|decorator| names.path(decorator)).collect();
                let has = |name: &str| decorators.iter().any(|decorator| decorator == name);
                if has("torch.jit.ignore") || has("torch.jit.unused") {
                    continue;
                }
                if has("property") {
                    class.properties.push(method.name.clone());
                }
                if has("staticmethod") {
                    class.statics.push(method.name.clone());
                }
                let compiled = function(method, names, source, Some(&class.name))?;
                class.methods.insert(method.name.clone(), Rc::new(compiled));
            }
            StmtKind::Annotated(target, annotation, value) => {
                let Some(name) = attribute_name(target) else { continue };
                let value = match value {
                    Some(value) => Some(constant(value, names, source)?),
                    None => None,
                };
                let is_final = matches!(&annotation.kind, ExprKind::Index(generic, _)
                    if names.path(generic).is_some_and(|path| path.ends_with("Final")));
                match value {
                    Some(value) if is_final || class.kind == ClassKind::Enum => {
                        class.constants.insert(name, value);
                    }
                    value => class.fields.push((name, value)),
                }
            }
            StmtKind::Assign(targets, value) => assign(&mut class, targets, value, names, source)?,
            StmtKind::Expr(Expr { kind: ExprKind::Str(_) | ExprKind::Ellipsis, .. }) | StmtKind::Pass => {}
            _ => return Err(Error::syntax("expected a method or an attribute", source.locate(stmt.at as usize))),
        }
    }
    Ok(class)
}

fn kind(bases: &[String]) -> ClassKind {
    let bases = bases.iter().filter_map(|base| base.rsplit('.').next());
    let kinds = bases.map(|base| match base {
        "Module" | "ScriptModule" => ClassKind::Module,
        "NamedTuple" => ClassKind::NamedTuple,
        "Enum" | "IntEnum" => ClassKind::Enum,
        base if base.ends_with("Error") || base == "Exception" => ClassKind::Exception,
        _ => ClassKind::Plain,
    });
    kinds.into_iter().find(|kind| *kind != ClassKind::Plain).unwrap_or(ClassKind::Plain)
}

fn assign(class: &mut Class, targets: &[Expr], value: &Expr, names: &Names, source: &Source) -> Result<()> {
    for target in targets {
        match &target.kind {
            ExprKind::Name(name) if &**name == "__parameters__" => class.parameters = texts(value),
            ExprKind::Name(name) if &**name == "__buffers__" => class.buffers = texts(value),
            ExprKind::Name(name) => {
                let value = constant(value, names, source)?;
                class.constants.insert(name.clone(), value);
            }
            // `__annotations__["0"] = …` declares an attribute whose name is not an identifier.
            ExprKind::Index(..) => {
                class.fields.extend(attribute_name(target).map(|name| (name, None)));
            }
            _ => return Err(Error::syntax("expected a name", source.locate(target.at as usize))),
        }
    }
    Ok(())
}

fn attribute_name(target: &Expr) -> Option<Rc<str>> {
    match &target.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Index(_, index) => match &index.kind {
            ExprKind::Str(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the strings of a list.
fn texts(list: &Expr) -> Vec<Rc<str>> {
    let (ExprKind::List(items) | ExprKind::Tuple(items)) = &list.kind else { return Vec::new() };
    let texts = items.iter().filter_map(|item| match &item.kind {
        ExprKind::Str(text) => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

/// Whether a name belongs to a member of an enumeration: a constant that is not private.
pub(crate) fn is_member(class: &Class, name: &str) -> bool {
    class.kind == ClassKind::Enum && !name.starts_with("__") && class.constants.contains_key(name)
}
