//! The classes of built-in modules and the initializers.

use crate::{GENERATOR, HEADER, Surface, camel, comment, static_name, type_name};
use lanthorn_nn::{
    UNARY,
    derive::Declared,
    init::{CALCULATE_GAIN, INITS},
    table::{Constructor, ModuleSpec, all},
};
use lanthorn_schema::{Default, Param, ParamType, Schema};
use lanthorn_tensor::ops;
use std::sync::LazyLock;

/// The TypeScript type of `forward`'s result, and its description for `builtin.ts`: one tensor, or
/// the names of several with commas between them. `Tensor?` may be missing, and `Tensor[2]` is an
/// array of two.
fn result(schema: &Schema) -> (String, String) {
    if schema.returns.len() == 1 {
        return ("Tensor".into(), String::new());
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
        .map(|result| format!("{}{}", camel(&result.name), result.ty.trim_start_matches("Tensor")));
    let (fields, told): (Vec<String>, Vec<String>) = (fields.collect(), told.collect());
    (format!("[{}] & {{ {} }}", types.join(", "), fields.join("; ")), told.join(","))
}

/// The length of the list that a single number stands for in the property of a constructor's
/// argument, as PyTorch has it: `kernelSize` of a `Conv2d` is a list of two, and a `MaxPool2d`
/// keeps a number.
fn list_length(spec: &ModuleSpec, param: &Param) -> Option<usize> {
    if !matches!(param.ty, ParamType::Ints | ParamType::IntsOrStr) {
        return None;
    }
    let dimensions = spec.name().chars().find_map(|letter| letter.to_digit(10)).map(|digit| digit as usize);
    match spec.name() {
        "LayerNorm" | "RMSNorm" => Some(1),
        name if name.starts_with("Conv") => dimensions,
        name if name.contains("Pad") => dimensions.map(|dimensions| 2 * dimensions),
        _ => None,
    }
}

/// A default as JSON, without spaces.
fn json(default: &Default) -> String {
    match default {
        Default::None => "null".into(),
        Default::Bool(value) => value.to_string(),
        Default::Int(value) => value.to_string(),
        Default::Float(value) => format!("{value:?}"),
        Default::Str(text) => format!("\"{text}\""),
        Default::Ints(values) => format!("{values:?}").replace(' ', ""),
        Default::Floats(values) => format!("{values:?}").replace(' ', ""),
    }
}

/// The row for `builtin.ts`: the number, the constructor with lengths and defaults, `forward` and
/// the names of its results.
fn row(number: usize, spec: &ModuleSpec, surface: &Surface<'_>, forward: &Surface<'_>, returns: &str) -> String {
    let constructor = surface.spec_with(spec.name(), |param| {
        let length = list_length(spec, param).map(|length| format!(":{length}")).unwrap_or_default();
        let default = param.default.as_ref().map(|default| format!("={}", json(default))).unwrap_or_default();
        length + &default
    });
    let taken = forward.spec("");
    format!("{number};{constructor};{};{returns}", taken.trim_start())
}

/// The modules of their own types whose `forward` is one call of an op, with the arguments that the
/// op names differently; an argument with `?` has this value then.
const CALLS: &[(&str, &str)] = &[
    ("Linear", "linear"),
    ("Bilinear", "bilinear"),
    ("Conv1d", "conv1d(padding_mode?=\"zeros\")"),
    ("Conv2d", "conv2d(padding_mode?=\"zeros\")"),
    ("Conv3d", "conv3d(padding_mode?=\"zeros\")"),
    ("Dropout", "dropout(train=training)"),
    ("Embedding", "embedding(indices=input)"),
    ("GroupNorm", "group_norm"),
    ("LayerNorm", "layer_norm"),
    ("PReLU", "prelu"),
    ("RMSNorm", "rms_norm"),
];

/// The call of a module whose `forward` is one call of an op: the op's number and the sources of
/// its arguments. `0` is an input, `.eps` a property, `!` the mode, `=` a value, `-` none; a
/// property with `?` and a value is a condition. Nothing for a module that selects among overloads.
fn op_call(spec: &ModuleSpec, constructor: &Schema, forward: &Schema) -> Option<String> {
    let text = match spec.make {
        Constructor::Op(text) => text,
        Constructor::Type(_) => CALLS.iter().find(|(name, _)| *name == spec.name())?.1,
    };
    let selects = |param: &Param| param.name == "dim" && param.ty == ParamType::OptionalInt;
    let (name, rest) = text.split_once('(').unwrap_or((text, ""));
    let said: Vec<(&str, &str)> =
        rest.trim_end_matches(')').split(", ").filter_map(|pair| pair.split_once('=')).collect();
    let op = ops::Op::find(name)?;
    let number = ops::all().position(|known| std::ptr::eq(known, op))?;
    if constructor.params.iter().any(selects) || op.schema().returns.len() > 1 || op.is_async() {
        return None;
    }
    let tensors = Declared::flatten(spec.tensors);
    let source = |(index, param): (usize, &Param)| {
        let value = said.iter().find(|(own, _)| *own == param.name).map(|(_, value)| *value);
        // `padding*4` is a property of this length.
        let name = value.map_or(param.name.as_str(), |value| value.split('*').next().unwrap_or(value));
        let has = |schema: &Schema| schema.params.iter().position(|own| own.name == name);
        if index == 0 && name == "self" {
            "0".to_string()
        } else if tensors.iter().any(|(own, _)| *own == name) || has(constructor).is_some() {
            format!(".{}", camel(name))
        } else if let Some(input) = has(forward) {
            input.to_string()
        } else if name == "training" {
            "!".to_string()
        } else {
            value.map_or("-".to_string(), |value| format!("={value}"))
        }
    };
    let condition = |(name, value): &(&str, &str)| Some(format!("?{}={value}", camel(name.strip_suffix('?')?)));
    let has_indices = constructor.params.iter().any(|param| param.name == "return_indices");
    let conditions = said.iter().filter_map(condition).chain(has_indices.then(|| "?returnIndices=false".to_string()));
    let sources = op.schema().params.iter().enumerate().map(source);
    Some(std::iter::once(number.to_string()).chain(conditions).chain(sources).collect::<Vec<_>>().join(" "))
}

/// Whether JavaScript has a module as one that calls its child modules (`nn/transformer.ts`).
fn is_composite(spec: &ModuleSpec) -> bool {
    spec.name().starts_with("Transformer")
}

/// The properties of a class: the constructor's arguments, and its parameters and buffers.
fn properties(spec: &ModuleSpec, schema: &Schema) -> String {
    let mut text = String::new();
    let tensors = Declared::flatten(spec.tensors);
    let is_tensor = |param: &Param| matches!(param.ty, ParamType::Tensor | ParamType::OptionalTensor);
    for param in schema.params.iter().filter(|param| !param.name.starts_with('_') && !is_composite(spec)) {
        if tensors.iter().any(|(name, _)| *name == param.name) && !is_tensor(param) {
            continue;
        }
        let ty = match (list_length(spec, param), param.ty) {
            (Some(_), ParamType::Ints) => "readonly number[]".to_string(),
            (Some(_), _) => type_name(param).replace("number | readonly number[]", "readonly number[]"),
            (None, _) if is_tensor(param) => "Tensor | null".to_string(),
            (None, _) => type_name(param),
        };
        text += &format!("  declare {}: {ty};\n", camel(&param.name));
    }
    let arguments = |name: &str| schema.params.iter().any(|param| param.name == name && is_tensor(param));
    for (name, is_optional) in tensors.into_iter().filter(|(name, _)| !arguments(name)) {
        text += &format!("  declare {}: Tensor{};\n", camel(name), if is_optional { " | undefined" } else { "" });
    }
    text
}

/// The modules with an argument `inplace`.
#[rustfmt::skip]
const INPLACE: &[&str] = &[
    "AlphaDropout", "CELU", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "ELU", "FeatureAlphaDropout",
    "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "Mish", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Threshold",
];

/// The arguments that the package carries out: `inplace`, the last one by position, and the type of
/// parameters.
static CARRIED_OUT: LazyLock<Schema> = LazyLock::new(|| {
    let schema = Schema::parse("make(bool inplace=False, *, ScalarType? dtype=None) -> Module");
    schema.expect("the schema of two arguments parses")
});

/// The signatures of a constructor.
fn constructor_signatures(spec: &ModuleSpec, schema: &Schema) -> Vec<String> {
    let mut surface = Surface::new(schema);
    if INPLACE.contains(&spec.name()) {
        let position = surface.positional();
        surface.params.insert(position, &CARRIED_OUT.params[0]);
    }
    if !spec.tensors.is_empty() && !is_composite(spec) {
        surface.params.push(&CARRIED_OUT.params[1]);
    }
    surface.signatures()
}

/// A class: the schema types its constructor and `forward`; the code of `forward` is the base
/// class's.
fn class((number, spec): (usize, &ModuleSpec)) -> String {
    let (schema, forward) = (spec.schema(), spec.forward_schema());
    let (surface, name) = (Surface::new(&schema), spec.name());
    let unary = spec.forward == UNARY;
    let mut text = comment("", &spec.doc.lines().collect::<Vec<_>>(), &surface);
    let base = if unary { "UnaryModule" } else { "BuiltinModule" };
    let taken = Surface::new(&forward);
    let (given, told) = result(&forward);
    text += &format!("export class {name} extends {base} {{\n{}", static_name(name));
    let mut row = row(number, spec, &surface, &taken, &told);
    if let Some(call) = op_call(spec, &schema, &forward) {
        row += &format!(";{call}");
    }
    text += &format!("  /** @internal */\n  static override readonly layer: string = '{row}';\n");
    text += &properties(spec, &schema);
    if INPLACE.contains(&name) {
        text +=
            "  declare inplace: boolean;\n  /** @internal */\n  static override readonly overwrites: boolean = true;\n";
    }
    for signature in constructor_signatures(spec, &schema) {
        text += &format!("  constructor({signature});\n");
    }
    let options = if is_composite(spec) { ", false" } else { "" };
    text += &format!("  constructor(...args: unknown[]) {{ super(args{options}); }}\n}}\n");
    if !unary {
        text += &format!("export interface {name} {{\n");
        for signature in taken.signatures() {
            text += &format!("  forward({signature}): {given};\n");
        }
        text += "}\n";
    }
    text + "\n" + &lazy_class(spec)
}

/// The argument that the first call of a lazy module determines, and the number of dimensions of
/// the input after the one that has it, or -1 for dimension 1.
fn infer(spec: &ModuleSpec) -> Option<(&'static str, i64)> {
    let dimensions = spec.name().chars().find_map(|letter| letter.to_digit(10)).map(i64::from);
    match (spec.name(), dimensions) {
        ("Linear", _) => Some(("inFeatures", 0)),
        (name, Some(dimensions)) if name.starts_with("Conv") => Some(("inChannels", dimensions)),
        (name, Some(_)) if name.starts_with("BatchNorm") => Some(("numFeatures", -1)),
        (name, Some(dimensions)) if name.starts_with("InstanceNorm") => Some(("numFeatures", dimensions)),
        _ => None,
    }
}

/// The lazy form of a class, whose constructor is without the argument that a call determines.
fn lazy_class(spec: &ModuleSpec) -> String {
    let Some((property, trailing)) = infer(spec) else { return String::new() };
    let mut schema = spec.schema();
    schema.params.remove(0);
    let (surface, name) = (Surface::new(&schema), spec.name());
    let signatures = constructor_signatures(spec, &schema);
    let doc =
        format!("A `{name}` that takes `{property}` from the input of its first call, which makes its parameters.");
    let mut text = comment("", &[&doc], &surface);
    text += &format!(
        "export class Lazy{name} extends {name} {{\n  static override readonly name: string = 'Lazy{name}';\n  /** @internal */\n  static override readonly inferred: Inferred = ['{property}', {trailing}];\n"
    );
    for signature in signatures {
        text += &format!("  constructor({signature});\n");
    }
    text + &format!(
        "  constructor(...args: unknown[]) {{ super(...([undefined, ...args] as unknown as ConstructorParameters<typeof {name}>)); }}\n}}\n\n"
    )
}

/// The classes of built-in modules.
pub fn modules() -> String {
    let classes: String = all().enumerate().map(class).collect();
    format!(
        "{HEADER}import {{ BuiltinModule, UnaryModule, type Inferred }} from '../nn/builtin.js';\nimport type {{ Module }} from '../nn/module.js';\nimport type {{ Tensor, TensorLike }} from '../tensor/tensor.js';\nimport type {{ DType, Scalar }} from '../core/types.js';\n\n{classes}"
    )
}

/// The functions of `nn.init`.
pub fn initializers() -> String {
    let function = |(number, spec): (usize, &lanthorn_nn::init::InitSpec)| {
        // The table's test parses every schema.
        let schema = Schema::parse(spec.text).expect("an initializer's schema parses");
        let mut surface = Surface::new(&schema);
        if !["constant_", "dirac_", "eye_", "ones_", "zeros_"].contains(&schema.name.as_str()) {
            surface.params.push(&GENERATOR);
        }
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
    // The core's tests parse it.
    let gain = Schema::parse(CALCULATE_GAIN).expect("the schema of a gain parses");
    let (surface, spec) = (Surface::new(&gain), Surface::new(&gain).spec("calculateGain"));
    let doc = "The recommended gain of a nonlinearity; `param` is the slope of a leaky ReLU.";
    let gain = comment("", &[doc], &surface)
        + &format!("export function calculateGain({}): number;\n", surface.signatures()[0])
        + &format!("export function calculateGain(...args: unknown[]): number {{ return gain('{spec}', args); }}\n");
    format!(
        "{HEADER}import type {{ Generator }} from '../core/generator.js';\nimport {{ gain, initialize }} from '../nn/initialize.js';\nimport type {{ Tensor }} from '../tensor/tensor.js';\n\n{}{gain}",
        // An initializer fills an existing tensor, so data of which a tensor could be made is not
        // accepted.
        functions.replace("TensorLike", "Tensor")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_of_one_tensor_is_unary_and_another_says_what_it_takes() {
        let text = modules();
        assert!(
            text.contains("export class ELU extends UnaryModule {\n  static override readonly name: string = 'ELU';\n")
        );
        assert!(text.contains("  declare alpha: Scalar;\n  declare inplace: boolean;\n  /** @internal */\n  static override readonly overwrites: boolean = true;\n  constructor(alpha?: Scalar, inplace?: boolean);\n"));
        assert!(text.contains("export class MSELoss extends BuiltinModule {\n"));
        assert!(text.contains("  constructor(options?: { reduction?: 'none' | 'mean' | 'sum' });\n"));
        assert!(text.contains(";Linear inFeatures outFeatures bias=true;^input;;"));
        assert!(text.contains(" 0 .weight .bias';\n  declare inFeatures: number;\n  declare outFeatures: number;\n  declare weight: Tensor;\n  declare bias: Tensor | undefined;\n  constructor(inFeatures: number,"));
        assert!(text.contains(";Conv2d inChannels outChannels kernelSize:2 stride:2=1 padding:2=0 "));
        assert!(text.contains("  declare kernelSize: readonly number[];\n"));
        assert!(text.contains("class LazyConv2d extends Conv2d {\n"));
        assert!(text.contains("['inChannels', 2];\n  constructor(outChannels: number, kernelSize: "));
        assert!(text.contains("  declare runningMean: Tensor | undefined;\n"));
        assert!(
            text.contains("export interface MSELoss {\n  forward(input: TensorLike, target: TensorLike): Tensor;\n}")
        );
        assert!(text.contains("momentum?: number | null"));
        assert!(text.contains("  forward(input: TensorLike, hx?: readonly Tensor[] | null, options?: { batchSizes?: number | readonly number[] | null }): [Tensor, [Tensor, Tensor]] & { output: Tensor; states: [Tensor, Tensor] };\n"));
        assert!(text.contains(";output,states[2]';\n"));
        assert!(text.contains(": [Tensor, Tensor | null] & { output: Tensor; weights: Tensor | null };\n"));
        assert!(text.contains("_weight?: TensorLike | null"));
    }

    #[test]
    fn initializers_fill_the_tensor_that_they_give_back() {
        let text = initializers();
        assert!(text.contains("export function xavierUniform_(tensor: Tensor, gain?: number, options?: { generator?: Generator | null }): Tensor;"));
        assert!(text.contains("export function calculateGain(nonlinearity: 'linear' | 'conv1d' |"));
        assert!(text.contains("| 'selu', param?: number | null): number;"));
    }
}
