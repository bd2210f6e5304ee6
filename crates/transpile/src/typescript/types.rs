//! Types in TypeScript.

use crate::types::Type;

/// A type as variables, fields and results have it.
pub fn type_name(ty: &Type) -> String {
    match ty {
        Type::Tensor => "Tensor".into(),
        Type::Operand => "Tensor | number".into(),
        Type::Scalar => "Scalar".into(),
        Type::Int | Type::Float => "number".into(),
        Type::Bool => "boolean".into(),
        Type::Str => "string".into(),
        Type::DType => "DType".into(),
        Type::Device | Type::Generator => "never".into(),
        Type::Unit => "void".into(),
        Type::Never => "never".into(),
        Type::Error => "LanthornError".into(),
        Type::List(item) => format!("readonly {}[]", in_list(item)),
        Type::Optional(item) => format!("{} | undefined", in_union(type_name(item), item)),
        Type::Tuple(items) => format!("[{}]", items.iter().map(type_name).collect::<Vec<_>>().join(", ")),
        Type::Map(item) => format!("Readonly<Record<string, {}>>", type_name(item)),
        Type::Json => "Json".into(),
        Type::Object(name) | Type::Choice(name) => name.clone(),
        Type::Texts(texts) => texts.iter().map(|text| format!("'{text}'")).collect::<Vec<_>>().join(" | "),
        Type::Module(name) => format!("nn.{name}"),
        Type::Function(params, result) => {
            let params = params.iter().enumerate().map(|(index, ty)| format!("{}: {}", letter(index), type_name(ty)));
            format!("({}) => {}", params.collect::<Vec<_>>().join(", "), type_name(result))
        }
        Type::Open => "unknown".into(),
    }
}

/// The type of a list or a map that is changed.
pub fn mutable(ty: &Type) -> String {
    match ty {
        Type::Map(item) => format!("Record<string, {}>", type_name(item)),
        ty => type_name(ty).trim_start_matches("readonly ").to_string(),
    }
}

/// A type as an argument has it: arrays of numbers are tensors too, and a number is a list of one.
pub fn argument_type(ty: &Type) -> String {
    match ty {
        Type::Tensor => "TensorLike".into(),
        Type::Operand => "TensorLike | number".into(),
        Type::Optional(item) => format!("{} | null", in_union(argument_type(item), item)),
        Type::List(item) if item.is_number() => "number | readonly number[]".into(),
        other => type_name(other),
    }
}

/// The kind of an argument, by which `bind` checks and converts it.
pub fn argument_kind(ty: &Type) -> String {
    match ty {
        Type::Tensor => "tensor".into(),
        Type::Operand => "param".into(),
        Type::Int => "int".into(),
        Type::Float => "number".into(),
        Type::Bool => "bool".into(),
        Type::Str => "string".into(),
        Type::List(item) if **item == Type::Int => "ints".into(),
        Type::List(item) if **item == Type::Float => "numbers".into(),
        Type::List(item) if **item == Type::Tensor => "tensors".into(),
        Type::List(_) | Type::Tuple(_) => "list".into(),
        Type::Function(..) => "function".into(),
        Type::Object(name) => name.clone(),
        Type::Texts(texts) => format!("={}", texts.join("|")),
        Type::Optional(item) => argument_kind(item),
        _ => "any".into(),
    }
}

/// The text of a type before `|`.
fn in_union(text: String, ty: &Type) -> String {
    if matches!(ty, Type::Function(..)) { format!("({text})") } else { text }
}

fn in_list(item: &Type) -> String {
    match item {
        Type::Operand | Type::Optional(_) | Type::Function(..) | Type::List(_) | Type::Texts(_) => {
            format!("({})", type_name(item))
        }
        item => type_name(item),
    }
}

fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}
