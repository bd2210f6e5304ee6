//! Types that the interpreter tests or converts to.

use crate::ast::{Expr, ExprKind};
use std::rc::Rc;

/// A type of an annotation. Unknown types are [`Type::Any`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Any,
    None,
    Bool,
    Int,
    Float,
    Number,
    Str,
    Tensor,
    Device,
    List(Option<Rc<Type>>),
    Dict(Option<Rc<(Type, Type)>>),
    Tuple(Option<Rc<[Type]>>),
    Union(Rc<[Type]>),
    /// A class by its path.
    Class(Rc<str>),
}

/// Parses the type of an annotation. `class` resolves the path of a class.
pub(crate) fn annotation_type(expr: &Expr, class: &dyn Fn(&Expr) -> Option<Rc<str>>) -> Type {
    let arguments = |index: &Expr| -> Vec<Type> {
        match &index.kind {
            ExprKind::Tuple(items) => items.iter().map(|item| annotation_type(item, class)).collect(),
            _ => vec![annotation_type(index, class)],
        }
    };
    match &expr.kind {
        ExprKind::None => Type::None,
        ExprKind::Name(name) => find_type(name).unwrap_or_else(|| class(expr).map_or(Type::Any, Type::Class)),
        ExprKind::Attribute(_, name) => match class(expr) {
            Some(path) => Type::Class(path),
            None => find_type(name).unwrap_or(Type::Any),
        },
        // A union as `A | B`.
        ExprKind::Binary(first, rest) => {
            let rest = rest.iter().map(|(_, _, item)| annotation_type(item, class));
            Type::Union(std::iter::once(annotation_type(first, class)).chain(rest).collect())
        }
        // Alternatives of an `isinstance`.
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            Type::Union(items.iter().map(|item| annotation_type(item, class)).collect())
        }
        ExprKind::Index(generic, index) => {
            let (ExprKind::Name(name) | ExprKind::Attribute(_, name)) = &generic.kind else { return Type::Any };
            let arguments = arguments(index);
            let first = arguments.first().cloned();
            match &**name {
                "List" | "list" => Type::List(first.map(Rc::new)),
                "Dict" | "dict" | "OrderedDict" => Type::Dict(first.zip(arguments.get(1).cloned()).map(Rc::new)),
                "Tuple" | "tuple" => Type::Tuple(Some(arguments.into())),
                "Optional" => Type::Union(arguments.into_iter().chain([Type::None]).collect()),
                "Union" => Type::Union(arguments.into()),
                "Final" => first.unwrap_or(Type::Any),
                _ => Type::Any,
            }
        }
        _ => Type::Any,
    }
}

fn find_type(name: &str) -> Option<Type> {
    Some(match name {
        "int" => Type::Int,
        "float" => Type::Float,
        "bool" => Type::Bool,
        "str" => Type::Str,
        "number" => Type::Number,
        "NoneType" => Type::None,
        "Tensor" => Type::Tensor,
        "Device" | "device" => Type::Device,
        "List" | "list" => Type::List(None),
        "Dict" | "dict" => Type::Dict(None),
        "Tuple" | "tuple" => Type::Tuple(None),
        "Any" => Type::Any,
        _ => return None,
    })
}
