//! The types of the subset.
//!
//! References, `Rc`, `Box` and `Result` have no counterpart in a language with exceptions and a
//! garbage collector, so a type is written without them. Iterators, arrays of one type, vectors and
//! slices are lists.

use crate::{
    error::{Result, unsupported},
    library::Names,
    operations::Operations,
};
use std::collections::HashMap;
use std::fmt;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A tensor.
    Tensor,
    /// A tensor or a number.
    Operand,
    /// A number whose kind is known at run time only.
    Scalar,
    /// An integer of any width.
    Int,
    /// A floating-point number of any width.
    Float,
    /// A truth value.
    Bool,
    /// A string.
    Str,
    /// The element type of a tensor.
    DType,
    /// A device, which JavaScript does not name.
    Device,
    /// The state of a random number generator.
    Generator,
    /// No value.
    Unit,
    /// An expression that does not end, such as `return`.
    Never,
    /// An error that was not thrown yet.
    Error,
    /// A list of elements of one type.
    List(Box<Type>),
    /// A value, or none.
    Optional(Box<Type>),
    /// Values by strings, in the order of the strings.
    Map(Box<Type>),
    /// A value of a JSON file: `serde_json::Value`.
    Json,
    /// A fixed number of values.
    Tuple(Vec<Type>),
    /// A struct or a trait of the library.
    Object(String),
    /// An enum of the library without fields: a closed set of strings.
    Choice(String),
    /// A closed set of strings: an enum of an operation's arguments.
    Texts(Vec<String>),
    /// A built-in module by its class, or `Module` for a module of any class.
    Module(String),
    /// A function value.
    Function(Vec<Type>, Box<Type>),
    /// A type that nothing has said yet: of the elements of an empty list, or of `None`.
    Open,
}

impl Type {
    /// A list of elements of this type.
    pub fn list(item: Type) -> Type {
        Type::List(Box::new(item))
    }

    /// A value of this type, or none.
    pub fn optional(item: Type) -> Type {
        Type::Optional(Box::new(item))
    }

    /// Whether the type is a number of the host.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Float)
    }

    /// Whether a value of this type contains tensors or may do so.
    pub fn has_tensors(&self) -> bool {
        match self {
            Type::Tensor | Type::Operand | Type::Object(_) => true,
            Type::List(item) | Type::Optional(item) | Type::Map(item) => item.has_tensors(),
            Type::Tuple(items) => items.iter().any(Type::has_tensors),
            _ => false,
        }
    }

    /// Whether a part of the type is not known.
    pub fn is_open(&self) -> bool {
        match self {
            Type::Open => true,
            Type::List(item) | Type::Optional(item) | Type::Map(item) => item.is_open(),
            Type::Tuple(items) => items.iter().any(Type::is_open),
            _ => false,
        }
    }

    /// The type of the elements of a list or a map, or of a tuple whose elements have one type.
    pub fn item(&self) -> Option<Type> {
        match self {
            Type::List(item) | Type::Map(item) => Some((**item).clone()),
            Type::Module(name) if name == "Sequential" => Some(Type::Module("Module".into())),
            Type::Tuple(items) => items.first().filter(|first| items.iter().all(|item| item == *first)).cloned(),
            _ => None,
        }
    }

    /// The type without `Option`.
    pub fn value(&self) -> &Type {
        if let Type::Optional(value) = self { value } else { self }
    }

    /// The type with unknown parts taken from another.
    pub fn fill(self, other: &Type) -> Type {
        match (self, other) {
            (Type::Open, other) => other.clone(),
            (Type::List(a), Type::List(b)) => Type::list(a.fill(b)),
            (Type::Optional(a), Type::Optional(b)) => Type::optional(a.fill(b)),
            (Type::Map(a), Type::Map(b)) => Type::Map(Box::new(a.fill(b))),
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                Type::Tuple(a.into_iter().zip(b).map(|(a, b)| a.fill(b)).collect())
            }
            (own, _) => own,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::List(item) => write!(f, "a list of {item}"),
            Type::Optional(item) => write!(f, "an optional {item}"),
            Type::Map(item) => write!(f, "a map of {item}"),
            Type::Object(name) | Type::Choice(name) | Type::Module(name) => f.write_str(name),
            Type::Tuple(items) => write!(f, "a tuple of {}", items.len()),
            Type::Function(..) => f.write_str("a function"),
            Type::Texts(texts) => write!(f, "one of {}", texts.join(", ")),
            Type::Open => f.write_str("unknown type"),
            other => write!(f, "{other:?}"),
        }
    }
}

/// The type parameters of an item, with the type that each stands for.
pub type Generics = HashMap<String, Type>;

/// Reads the types of one file.
pub struct TypeReader<'a> {
    /// The path of the file.
    pub file: &'a str,
    /// The structs, traits and enums of the library.
    pub names: &'a Names,
    /// The table of operations and built-in modules.
    pub operations: &'a Operations,
    /// The type parameters that are visible.
    pub generics: &'a Generics,
    /// The type that `Self` stands for.
    pub own: Option<&'a Type>,
}

impl TypeReader<'_> {
    /// The type of a declaration.
    pub fn read(&self, ty: &syn::Type) -> Result<Type> {
        match ty {
            syn::Type::Reference(reference) if reference.mutability.is_none() => self.read(&reference.elem),
            syn::Type::Paren(inner) => self.read(&inner.elem),
            syn::Type::Slice(slice) => Ok(Type::list(self.read(&slice.elem)?)),
            syn::Type::Array(array) => self.array(array),
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Type::Unit),
            syn::Type::Tuple(tuple) => {
                Ok(Type::Tuple(tuple.elems.iter().map(|ty| self.read(ty)).collect::<Result<_>>()?))
            }
            syn::Type::Path(path) if path.qself.is_none() => self.path(ty, &path.path),
            syn::Type::ImplTrait(bounds) => self.bounds(ty, &bounds.bounds),
            syn::Type::TraitObject(object) => self.bounds(ty, &object.bounds),
            syn::Type::Infer(_) => Ok(Type::Open),
            _ => unsupported(self.file, ty, "this type"),
        }
    }

    fn array(&self, array: &syn::TypeArray) -> Result<Type> {
        let item = self.read(&array.elem)?;
        match &array.len {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => {
                let length: usize = length.base10_parse().or_else(|_| unsupported(self.file, array, "this length"))?;
                Ok(Type::Tuple(vec![item; length]))
            }
            _ => Ok(Type::list(item)),
        }
    }

    /// The type of the first bound that is not a marker.
    fn bounds<'b>(&self, node: &syn::Type, bounds: impl IntoIterator<Item = &'b syn::TypeParamBound>) -> Result<Type> {
        for bound in bounds {
            let syn::TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else { continue };
            if !["Clone", "Debug", "Copy", "Sized", "Any", "Send", "Sync"].contains(&last.ident.to_string().as_str()) {
                return self.path(node, &bound.path);
            }
        }
        unsupported(self.file, node, "a type without a trait of the library")
    }

    fn path(&self, node: &syn::Type, path: &syn::Path) -> Result<Type> {
        let Some(last) = path.segments.last() else { return unsupported(self.file, node, "this type") };
        let name = last.ident.to_string();
        let arguments: Vec<&syn::Type> = match &last.arguments {
            syn::PathArguments::AngleBracketed(list) => list.args.iter().filter_map(type_argument).collect(),
            _ => vec![],
        };
        if let Some(ty) = self.generics.get(&name) {
            return Ok(ty.clone());
        }
        match (name.as_str(), &arguments[..], &last.arguments) {
            ("Rc" | "Arc" | "Box" | "Result" | "Into" | "AsRef" | "IntoIterator" | "Iterator", [inner, ..], _) => {
                self.read(inner)
            }
            ("Vec", [inner], _) => Ok(Type::list(self.read(inner)?)),
            ("Option", [inner], _) => Ok(Type::optional(self.read(inner)?)),
            ("Map" | "BTreeMap", [key, value], _) if self.read(key)? == Type::Str => {
                Ok(Type::Map(Box::new(self.read(value)?)))
            }
            ("Fn" | "FnOnce" | "FnMut", _, syn::PathArguments::Parenthesized(signature)) => {
                let params = signature.inputs.iter().map(|ty| self.read(ty)).collect::<Result<_>>()?;
                let output = match &signature.output {
                    syn::ReturnType::Default => Type::Unit,
                    syn::ReturnType::Type(_, ty) => self.read(ty)?,
                };
                Ok(Type::Function(params, Box::new(output)))
            }
            ("Self", [], _) => match self.own {
                Some(own) => Ok(own.clone()),
                None => unsupported(self.file, node, "`Self` outside of an impl"),
            },
            (_, [], _) => {
                match plain(&name).or_else(|| self.names.get(&name).cloned()).or_else(|| self.module(&name)) {
                    Some(ty) => Ok(ty),
                    None => unsupported(self.file, node, "this type"),
                }
            }
            _ => unsupported(self.file, node, "this type"),
        }
    }
}

impl TypeReader<'_> {
    /// The type of a built-in module, of its tensors, or of its mode.
    fn module(&self, name: &str) -> Option<Type> {
        match name {
            "Parameter" | "Buffer" => Some(Type::Tensor),
            "TrainingFlag" => Some(Type::Bool),
            "Layer" | "Module" => Some(Type::Module("Module".into())),
            name => self.operations.is_module(name).then(|| Type::Module(name.to_string())),
        }
    }
}

/// A type among the arguments of a path; an associated type counts too: `Iterator<Item = T>`.
fn type_argument(argument: &syn::GenericArgument) -> Option<&syn::Type> {
    match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        syn::GenericArgument::AssocType(associated) => Some(&associated.ty),
        _ => None,
    }
}

/// The types that every library has.
fn plain(name: &str) -> Option<Type> {
    Some(match name {
        "Tensor" => Type::Tensor,
        "Operand" => Type::Operand,
        "Scalar" => Type::Scalar,
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => Type::Int,
        "f32" | "f64" => Type::Float,
        "bool" => Type::Bool,
        "str" | "String" | "char" => Type::Str,
        "Value" => Type::Json,
        "DType" => Type::DType,
        "Device" => Type::Device,
        "Generator" => Type::Generator,
        "Error" => Type::Error,
        "Ints" | "Shape" => Type::list(Type::Int),
        "OptionalInts" => Type::optional(Type::list(Type::Int)),
        _ => return None,
    })
}
