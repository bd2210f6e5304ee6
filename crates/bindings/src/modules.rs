//! The classes of built-in modules and the initializers.

use crate::{HEADER, Surface, camel, comment};
use lanthorn_nn::{
    UNARY,
    derive::Declared,
    init::INITS,
    table::{ModuleSpec, all},
};
use lanthorn_schema::Schema;

/// The TypeScript type of `forward`'s result, and its description for `call.ts`: one tensor, or the
/// names of several. `Tensor?` may be missing, and `Tensor[2]` is an array of two.
fn result(schema: &Schema) -> (String, String) {
    if schema.returns.len() == 1 {
        return ("Tensor".into(), "[]".into());
    }
    let of = |ty: &str| match ty.strip_prefix("Tensor").unwrap_or_default() {
        "?" => "Tensor | null".to_string(),
        count => match count.trim_matches(['[', ']']).parse() {
            Ok(count) => format!("[{}]", vec!["Tensor"; count].join(", ")),
            Err(_) => "Tensor".to_string(),
        },
    };
    let types: Vec<String> = schema.returns.iter().map(|result| of(&result.ty)).collect();
    let fields = schema.returns.iter().zip(&types).map(|(result, ty)| format!("{}: {ty}", camel(&result.name)));
    let told = schema
        .returns
        .iter()
        .map(|result| format!("'{}{}'", camel(&result.name), result.ty.trim_start_matches("Tensor")));
    let (fields, told): (Vec<String>, Vec<String>) = (fields.collect(), told.collect());
    (format!("[{}] & {{ {} }}", types.join(", "), fields.join("; ")), format!("[{}]", told.join(", ")))
}

/// A class: the schema types its constructor and `forward`; the code of `forward` is the base
/// class's.
fn class(spec: &ModuleSpec) -> String {
    let (schema, forward) = (spec.schema(), spec.forward_schema());
    let (surface, name) = (Surface::new(&schema), spec.name());
    let unary = spec.forward == UNARY;
    let mut text = comment("", &spec.doc.lines().collect::<Vec<_>>(), &surface);
    let base = if unary { "UnaryModule" } else { "BuiltinModule" };
    // Bundlers rename classes.
    text += &format!("export class {name} extends {base} {{\n  static override readonly name: string = '{name}';\n");
    for (name, is_optional) in Declared::flatten(spec.tensors) {
        text += &format!("  declare {}: Tensor{};\n", camel(name), if is_optional { " | undefined" } else { "" });
    }
    for signature in surface.signatures() {
        text += &format!("  constructor({signature});\n");
    }
    let taken = Surface::new(&forward);
    let (given, told) = result(&forward);
    let of_forward = if unary { String::new() } else { format!(", '{}', {told}", taken.spec("forward")) };
    text +=
        &format!("  constructor(...args: unknown[]) {{ super('{}', args{of_forward}); }}\n}}\n", surface.spec(name));
    if !unary {
        text += &format!("export interface {name} {{\n");
        for signature in taken.signatures() {
            text += &format!("  forward({signature}): {given};\n");
        }
        text += "}\n";
    }
    text + "\n"
}

/// The classes of built-in modules.
pub fn modules() -> String {
    let classes: String = all().map(class).collect();
    format!(
        "{HEADER}import {{ BuiltinModule, UnaryModule }} from './builtin.js';\nimport type {{ Tensor }} from './tensor.js';\nimport type {{ Scalar, TensorLike }} from './types.js';\n\n{classes}"
    )
}

/// The functions of `nn.init`.
pub fn initializers() -> String {
    let function = |(number, spec): (usize, &lanthorn_nn::init::InitSpec)| {
        // The table's test parses every schema.
        let schema = Schema::parse(spec.text).expect("an initializer's schema parses");
        let surface = Surface::new(&schema);
        let name = camel(&schema.name);
        let mut text = comment("", &[spec.doc], &surface);
        for signature in surface.signatures() {
            text += &format!("export function {name}({signature}): Tensor;\n");
        }
        text + &format!(
            "export function {name}(...args: unknown[]): Tensor {{ return initialize({number}, '{}', args); }}\n\n",
            surface.spec(&name)
        )
    };
    let functions: String = INITS.iter().enumerate().map(function).collect();
    format!(
        "{HEADER}import {{ initialize }} from './initialize.js';\nimport type {{ Tensor }} from './tensor.js';\n\n{}export {{ calculateGain }} from './initialize.js';\n",
        // What is filled is a tensor, not what one is made of.
        functions.replace("TensorLike", "Tensor")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_of_one_tensor_is_unary_and_another_says_what_it_takes() {
        let text = modules();
        assert!(text.contains("export class ELU extends UnaryModule {\n  static override readonly name: string = 'ELU';\n  constructor(alpha?: Scalar);\n"));
        assert!(text.contains(
            "export class MSELoss extends BuiltinModule {\n  static override readonly name: string = 'MSELoss';\n  constructor(options?: { reduction?: 'none' | 'mean' | 'sum' });\n"
        ));
        assert!(text.contains("= 'Linear';\n  declare weight: Tensor;\n  declare bias: Tensor | undefined;\n  constructor(inFeatures: number,"));
        assert!(text.contains("  declare runningMean: Tensor | undefined;\n"));
        assert!(
            text.contains("export interface MSELoss {\n  forward(input: TensorLike, target: TensorLike): Tensor;\n}")
        );
        assert!(text.contains("momentum?: number | null"));
        assert!(text.contains("  forward(input: TensorLike, hx?: readonly Tensor[] | null): [Tensor, [Tensor, Tensor]] & { output: Tensor; states: [Tensor, Tensor] };\n"));
        assert!(text.contains("['output', 'states[2]']); }"));
        assert!(text.contains(": [Tensor, Tensor | null] & { output: Tensor; weights: Tensor | null };\n"));
        assert!(text.contains("_weight?: TensorLike | null"));
    }

    #[test]
    fn initializers_fill_the_tensor_that_they_give_back() {
        let text = initializers();
        assert!(text.contains("export function xavierUniform_(tensor: Tensor, gain?: number): Tensor;"));
    }
}
