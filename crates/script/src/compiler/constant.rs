//! Evaluates constant expressions: defaults of parameters, attributes of classes, members of
//! enumerations.

use super::Names;
use crate::{
    Error, Result, Source,
    ast::{Expr, ExprKind, UnaryOp},
    code::Constant,
};

/// Evaluates a constant expression.
pub(super) fn constant(expr: &Expr, names: &Names, source: &Source) -> Result<Constant> {
    let all = |items: &[Expr]| items.iter().map(|item| constant(item, names, source)).collect::<Result<Vec<_>>>();
    Ok(match &expr.kind {
        ExprKind::None => Constant::None,
        ExprKind::Ellipsis => Constant::Ellipsis,
        ExprKind::Bool(value) => Constant::Bool(*value),
        ExprKind::Int(value) => Constant::Int(*value),
        ExprKind::Float(value) => Constant::Float(*value),
        ExprKind::Str(text) => Constant::Str(text.clone()),
        ExprKind::List(items) => Constant::List(all(items)?),
        ExprKind::Tuple(items) => Constant::Tuple(all(items)?),
        ExprKind::Dict(items) => {
            let items =
                items.iter().map(|(key, value)| Ok((constant(key, names, source)?, constant(value, names, source)?)));
            Constant::Dict(items.collect::<Result<_>>()?)
        }
        ExprKind::Unary(UnaryOp::Neg, value) => match constant(value, names, source)? {
            Constant::Float(value) => Constant::Float(-value),
            Constant::Int(value) if value != i64::MIN => Constant::Int(-value),
            _ => return refuse(expr, source),
        },
        // `annotate(List[int], [])`, `torch.device("cpu")`, `float("inf")`.
        ExprKind::Call(callee, arguments) => match (names.path(callee).as_deref(), &arguments[..]) {
            (Some("annotate" | "torch.jit.annotate"), [_, value]) => constant(&value.value, names, source)?,
            (Some("torch.device"), [name]) => match constant(&name.value, names, source)? {
                Constant::Str(name) => Constant::Device(name),
                _ => return refuse(expr, source),
            },
            (Some("float"), [text]) => match constant(&text.value, names, source)? {
                Constant::Str(text) => match text.parse() {
                    Ok(value) => Constant::Float(value),
                    Err(_) => return refuse(expr, source),
                },
                _ => return refuse(expr, source),
            },
            _ => return refuse(expr, source),
        },
        ExprKind::Name(_) | ExprKind::Attribute(..) => match names.path(expr) {
            Some(path) => names.resolve(&path),
            None => return refuse(expr, source),
        },
        _ => return refuse(expr, source),
    })
}

fn refuse<T>(expr: &Expr, source: &Source) -> Result<T> {
    Err(Error::syntax("expected a constant", source.locate(expr.at as usize)))
}
