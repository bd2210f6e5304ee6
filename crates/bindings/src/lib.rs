//! Prints the TypeScript of the method surface from the op table and the module table.
//!
//! A method is a signature, a comment, and one call with the op's number; how arguments are gathered and encoded is written once, in the
//! package's `call.ts`.
//!
//! A crate of its own, so that printing needs neither a backend nor a browser.

use lanthorn_nn::table::MODULES;
use lanthorn_schema::{Default, Param, ParamType, Schema};
use lanthorn_tensor::ops;

/// `index_select` as `indexSelect`; a trailing underscore stays.
fn camel(name: &str) -> String {
    let (body, tail) = name.strip_suffix('_').map_or((name, ""), |body| (body, "_"));
    let mut words = body.split('_');
    let first = words.next().unwrap_or_default().to_string();
    let rest = words.map(|word| word[..1].to_uppercase() + &word[1..]);
    first + &rest.collect::<String>() + tail
}

fn type_name(ty: ParamType) -> &'static str {
    match ty {
        ParamType::Tensor => "Tensor",
        ParamType::OptionalTensor => "Tensor | null",
        ParamType::TensorOrScalar => "Tensor | Scalar",
        ParamType::Tensors => "readonly Tensor[]",
        ParamType::Scalar => "Scalar",
        ParamType::OptionalScalar => "Scalar | null",
        ParamType::Int | ParamType::Float => "number",
        ParamType::OptionalInt => "number | null",
        ParamType::Ints => "number | readonly number[]",
        ParamType::OptionalInts => "number | readonly number[] | null",
        ParamType::IntsOrStr => "number | readonly number[] | string",
        ParamType::Bool => "boolean",
        ParamType::Str => "string",
        ParamType::DType => "DType",
        ParamType::OptionalDType => "DType | null",
        ParamType::OptionalDevice => "never",
    }
}

fn default_text(default: &Default) -> String {
    match default {
        Default::None => "null".into(),
        Default::Bool(value) => value.to_string(),
        other => other.to_string(),
    }
}

/// How a call is written: its parameters without the receiver and the device, which JavaScript does not name.
struct Surface<'a> {
    params: Vec<&'a Param>,
}

impl<'a> Surface<'a> {
    fn new(schema: &'a Schema) -> Surface<'a> {
        let named = |param: &&Param| param.name != "self" && param.ty != ParamType::OptionalDevice;
        Surface { params: schema.params.iter().filter(named).collect() }
    }

    fn positional(&self) -> usize {
        self.params.iter().filter(|param| !param.keyword_only).count()
    }

    /// The place of a list that may be given as separate numbers: `reshape(2, 3)`.
    fn spread(&self) -> Option<usize> {
        let last = self.positional().checked_sub(1)?;
        (self.params[last].ty == ParamType::Ints && self.params[last].is_required()).then_some(last)
    }

    fn field(param: &Param) -> String {
        format!("{}?: {}", camel(&param.name), type_name(param.ty))
    }

    /// The signatures: all positional with the rest as options, and, where something is optional, everything optional as options.
    fn signatures(&self) -> Vec<String> {
        let positional = &self.params[..self.positional()];
        let required: Vec<&Param> = positional.iter().copied().filter(|param| param.is_required()).collect();
        let keywords: Vec<String> = self.params[positional.len()..].iter().map(|param| Surface::field(param)).collect();
        let optional: Vec<String> =
            self.params.iter().filter(|param| !param.is_required()).map(|param| Surface::field(param)).collect();
        let list = |params: &[&Param], options: &[String]| {
            let mut parts: Vec<String> = params
                .iter()
                .map(|param| {
                    format!("{}{}: {}", camel(&param.name), if param.is_required() { "" } else { "?" }, type_name(param.ty))
                })
                .collect();
            if !options.is_empty() {
                parts.push(format!("options?: {{ {} }}", options.join("; ")));
            }
            parts.join(", ")
        };
        let mut signatures = vec![list(positional, &keywords)];
        if required.len() < positional.len() {
            signatures.push(list(&required, &optional));
        }
        if let Some(spread) = self.spread() {
            let mut parts: Vec<String> =
                positional[..spread].iter().map(|param| format!("{}: {}", camel(&param.name), type_name(param.ty))).collect();
            parts.push(format!("...{}: number[]", camel(&positional[spread].name)));
            signatures.push(parts.join(", "));
        }
        signatures
    }

    /// What `call.ts` knows of the call: its name, the parameters' names, how many are positional, and which may be spread.
    fn spec(&self, name: &str) -> String {
        let names: Vec<String> = self.params.iter().map(|param| format!("'{}'", camel(&param.name))).collect();
        let spread = self.spread().map_or(-1, |place| place as i64);
        format!("{{ name: '{name}', params: [{}], positional: {}, spread: {spread} }}", names.join(", "), self.positional())
    }
}

/// A documentation comment: prose without the Rust examples, and the parameters that have defaults.
fn comment(indent: &str, doc: &[&str], surface: &Surface<'_>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in doc {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(line.to_string());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    for param in &surface.params {
        if let Some(default) = &param.default {
            lines.push(format!("@param {} default {}", camel(&param.name), default_text(default)));
        }
    }
    let body: String = lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_string() + "\n").collect();
    format!("{indent}/**\n{body}{indent} */\n")
}

const HEADER: &str = "// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.\n\n";

/// The methods of `Tensor` and the functions that make tensors.
pub fn operations() -> String {
    let (mut methods, mut functions) = (String::new(), String::new());
    for (number, op) in ops::all().enumerate() {
        let schema = op.schema();
        let surface = Surface::new(schema);
        for name in std::iter::once(op.name()).chain(op.aliases.iter().copied()) {
            let camel = camel(name);
            let spec = surface.spec(&camel);
            let indent = if schema.is_method() { "  " } else { "" };
            let about = if name == op.name() {
                comment(indent, op.doc, &surface)
            } else {
                format!("{indent}/** Another name of `{}`. */\n", self::camel(op.name()))
            };
            let prefix = if schema.is_method() { "  " } else { "export function " };
            let mut text = about;
            for signature in surface.signatures() {
                text += &format!("{prefix}{camel}({signature}): Tensor;\n");
            }
            let (receiver, target) = if schema.is_method() { ("this", &mut methods) } else { ("undefined", &mut functions) };
            text +=
                &format!("{prefix}{camel}(...args: unknown[]): Tensor {{ return call({number}, {spec}, {receiver}, args); }}\n");
            if op.in_place && schema.is_method() {
                let spec = surface.spec(&format!("{camel}_"));
                text += &format!("  /** In-place form of `{camel}`: this tensor takes the result, and is returned. */\n");
                for signature in surface.signatures() {
                    text += &format!("  {camel}_({signature}): this;\n");
                }
                text += &format!("  {camel}_(...args: unknown[]): this {{ return callInPlace({number}, {spec}, this, args); }}\n");
            }
            *target += &(text + "\n");
        }
    }
    format!(
        "{HEADER}import {{ call, callInPlace }} from './call.js';\nimport type {{ DType, Scalar }} from './types.js';\nimport type {{ Tensor }} \
         from './tensor.js';\n\n/** The operations that are methods of a tensor. */\nexport abstract class TensorOperations {{\n{methods}}}\n\n{functions}"
    )
}

/// The classes of built-in modules.
pub fn modules() -> String {
    let mut classes = String::new();
    for spec in MODULES {
        let schema = spec.schema();
        let surface = Surface::new(&schema);
        let name = &schema.name;
        let base = if schema.returns[0] == "Loss" { "BuiltinLoss" } else { "BuiltinModule" };
        classes += &comment("", &[spec.doc], &surface);
        classes += &format!("export class {name} extends {base} {{\n");
        for signature in surface.signatures() {
            classes += &format!("  constructor({signature});\n");
        }
        classes += &format!("  constructor(...args: unknown[]) {{ super({}, args); }}\n}}\n\n", surface.spec(name));
    }
    format!(
        "{HEADER}import {{ BuiltinLoss, BuiltinModule }} from './module.js';\n{}import type {{ Tensor }} from './tensor.js';\n\n{classes}",
        if classes.contains("Scalar") { "import type { Scalar } from './types.js';\n" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_printed_with_its_overloads() {
        let text = operations();
        assert!(text.contains(
            "  sum(dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: DType | null }): Tensor;"
        ));
        assert!(text.contains(
            "  sum(options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: DType | null }): Tensor;"
        ));
        assert!(text.contains("  reshape(...shape: number[]): Tensor;"));
        assert!(text.contains("export function rand(...size: number[]): Tensor;"));
    }

    #[test]
    fn names_are_camel_case() {
        assert_eq!(camel("index_select"), "indexSelect");
        assert_eq!(camel("clamp_min_"), "clampMin_");
        assert_eq!(camel("t"), "t");
    }
}
