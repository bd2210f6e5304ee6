//! Prints the TypeScript of the methods from the op table and the module table.
//!
//! A method is a signature, a comment, and one call with the op's number. The package's
//! `npm/src/tensor/arguments.ts` gathers and encodes the arguments, for all methods.
//!
//! This is a separate crate, so that printing needs neither a backend nor a browser.

#![forbid(unsafe_code)]

pub mod libraries;
mod modules;
pub mod optim;
pub mod quantization;

pub use modules::{initializers, modules};

use lanthorn_call::{CALLER, texts};
use lanthorn_models::options::{Bounds, NUMBERS, NumberOption};
use lanthorn_schema::{ArgKind, Default, Param, ParamType, Schema};
use lanthorn_tensor::{
    BlockFormat, DType,
    ops::{self, InPlace},
};
use std::sync::LazyLock;

/// `index_select` becomes `indexSelect`; leading and trailing underscores are kept.
fn camel(name: &str) -> String {
    let (lead, name) = name.strip_prefix('_').map_or(("", name), |rest| ("_", rest));
    let (body, tail) = name.strip_suffix('_').map_or((name, ""), |body| (body, "_"));
    let mut words = body.split('_');
    let first = words.next().unwrap_or_default();
    let rest = words.map(|word| word[..1].to_uppercase() + &word[1..]);
    lead.to_string() + first + &rest.collect::<String>() + tail
}

/// Reserved words of JavaScript, which cannot name a parameter.
const RESERVED: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// The name of a positional parameter. Callers do not write it, so a reserved word gets an
/// underscore; as a keyword it is unchanged.
fn positional_name(param: &Param) -> String {
    let name = camel(&param.name);
    if RESERVED.contains(&name.as_str()) { name + "_" } else { name }
}

/// The TypeScript type of a parameter: a union of the strings that it takes, where there are some.
fn type_name(param: &Param) -> String {
    if is_generator(param) {
        return "Generator | null".to_string();
    }
    let name = any_of(param.ty);
    if param.choices.is_empty() {
        return name.to_string();
    }
    let choices: Vec<String> = param.choices.iter().map(|choice| format!("'{choice}'")).collect();
    name.replace("string", &choices.join(" | "))
}

/// The TypeScript type of all parameters of a type.
fn any_of(ty: ParamType) -> &'static str {
    match ty {
        ParamType::Tensor => "TensorLike",
        ParamType::OptionalTensor => "TensorLike | null",
        ParamType::TensorOrScalar => "TensorLike | Scalar",
        ParamType::Tensors => "readonly Tensor[]",
        ParamType::Scalar => "Scalar",
        ParamType::OptionalScalar => "Scalar | null",
        ParamType::OptionalTensors => "readonly (Tensor | null)[]",
        ParamType::TensorOrInts => "Tensor | number | readonly number[]",
        ParamType::Int | ParamType::Float => "number",
        ParamType::OptionalInt | ParamType::OptionalFloat => "number | null",
        ParamType::Ints | ParamType::Floats => "number | readonly number[]",
        ParamType::OptionalInts | ParamType::OptionalFloats => "number | readonly number[] | null",
        ParamType::PartialInts | ParamType::PartialFloats => "number | readonly (number | null)[]",
        ParamType::IntsOrStr => "number | readonly number[] | string",
        ParamType::Bool => "boolean",
        ParamType::OptionalBool => "boolean | null",
        ParamType::Str => "string",
        ParamType::OptionalStr => "string | null",
        ParamType::DType => "DType",
        ParamType::OptionalDType => "DType | null",
        ParamType::OptionalDevice => "never",
        ParamType::OptionalTensorList => "readonly Tensor[] | null",
        ParamType::Module => "Module",
        ParamType::OptionalModule => "Module | null",
        ParamType::ModuleOrStr => "Module | string | ((x: Tensor) => Tensor)",
    }
}

/// The TypeScript type of a call's result, and its description for `call.ts`; nothing if it is one
/// tensor.
fn result(op: &'static ops::Op) -> (String, Option<String>) {
    let returns = &op.schema().returns;
    let several = returns.len() > 1;
    let (ty, told) = match (several, returns[0].ty.as_str()) {
        (true, _) => {
            let names: Vec<String> = returns.iter().map(|result| camel(&result.name)).collect();
            let fields: Vec<String> = names.iter().map(|name| format!("{name}: Tensor")).collect();
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            // Without labels in the tuple, because a label may be a reserved word, as `var` is.
            (
                format!("[{}] & {{ {} }}", vec!["Tensor"; names.len()].join(", "), fields.join("; ")),
                Some(format!("[{}]", quoted.join(", "))),
            )
        }
        (_, "Tensor[]") => ("Tensor[]".to_string(), Some("'tensors'".to_string())),
        (_, "int[]") => ("number[]".into(), Some("'numbers'".into())),
        (_, "bool") => ("boolean".into(), Some("'boolean'".into())),
        (_, "ScalarType") => ("DType".into(), Some("'dtype'".into())),
        _ => ("Tensor".into(), None),
    };
    if op.is_async() { (format!("Promise<{ty}>"), Some(told.unwrap_or("'tensor'".into()))) } else { (ty, told) }
}

/// The type parameters of a signature, its parameters, and its result. A call whose arguments name
/// the type of elements returns a tensor of that type, and so does a conversion such as `x.long()`.
fn type_call(op: &'static ops::Op, signature: &str) -> (&'static str, String, String) {
    let ty = result(op).0;
    let named = signature.replace("dtype: DType", "dtype: D").replace("dtype?: DType", "dtype?: D");
    if ty == "Tensor" && named != signature {
        return ("<D extends DType = DType>", named, "Typed<D> & Tensor".to_string());
    }
    match DType::from_name(op.base_name()) {
        Some(dtype) if ty == "Tensor" => ("", signature.to_string(), format!("Typed<'{}'> & Tensor", dtype.name())),
        _ => ("", signature.to_string(), ty),
    }
}

fn default_text(default: &Default) -> String {
    match default {
        Default::None => "null".into(),
        Default::Bool(value) => value.to_string(),
        other => other.to_string(),
    }
}

/// The option that an op which makes a tensor has in addition, and which `call.ts` carries out.
static REQUIRES_GRAD: LazyLock<Param> = LazyLock::new(|| {
    let schema = Schema::parse("make(*, bool requires_grad=False) -> Tensor");
    schema.expect("the schema of one option parses").params.remove(0)
});

/// The option of an op that draws random numbers. The package carries it out, so that it is not
/// among the arguments of the op.
static GENERATOR: LazyLock<Param> = LazyLock::new(|| {
    let schema = Schema::parse("draw(*, bool generator=False) -> Tensor");
    schema.expect("the schema of one option parses").params.remove(0)
});

/// The ops that draw random numbers from the generator of a call.
#[rustfmt::skip]
const RANDOM: &[&str] = &[
    "bernoulli", "binomial", "cauchy", "exponential", "geometric", "gumbel_softmax", "log_normal", "multinomial",
    "normal", "normal_functional", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
    "random", "randperm", "rrelu", "uniform",
];

/// Whether a parameter is one that the package carries out before the call.
fn is_generator(param: &Param) -> bool {
    std::ptr::eq(param, &*GENERATOR)
}

/// The signature of a call: its parameters without the receiver and the device, which JavaScript
/// does not name.
struct Surface<'a> {
    params: Vec<&'a Param>,
    /// The position of a list that may be passed as separate numbers or tensors: `reshape(2, 3)`,
    /// `meshgrid(x, y)`.
    spread: Option<usize>,
}

impl<'a> Surface<'a> {
    fn new(schema: &'a Schema) -> Surface<'a> {
        // `polygamma(n, self)` has it among its arguments.
        let is_receiver = |param: &Param| schema.is_method() && param.name == "self";
        let named = |param: &&Param| !is_receiver(param) && param.ty != ParamType::OptionalDevice;
        let made = schema.makes_tensor().then(|| &*REQUIRES_GRAD);
        let drawn = RANDOM.contains(&schema.name.as_str()).then(|| &*GENERATOR);
        let params: Vec<&Param> = schema.params.iter().filter(named).chain(drawn).chain(made).collect();
        let list = schema.spread().map(|index| &schema.params[index]);
        let spread = list.and_then(|list| params.iter().position(|param| std::ptr::eq(*param, list)));
        Surface { params, spread }
    }

    fn positional(&self) -> usize {
        self.params.iter().filter(|param| !param.keyword_only).count()
    }

    fn field(param: &Param) -> String {
        format!("{}?: {}", camel(&param.name), type_name(param))
    }

    /// The signatures: all positional with an options object for the rest and, if something is
    /// optional, everything optional in the options object.
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
                    let optional = if param.is_required() { "" } else { "?" };
                    format!("{}{optional}: {}", positional_name(param), type_name(param))
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
        if let Some(spread) = self.spread {
            let parts: Vec<String> = positional[..spread]
                .iter()
                .map(|param| format!("{}: {}", positional_name(param), type_name(param)))
                .collect();
            let name = positional_name(positional[spread]);
            let item = if positional[spread].ty == ParamType::Tensors { "Tensor" } else { "number" };
            let mut variadic =
                |rest: String| signatures.push([&parts[..], &[format!("...{name}: {rest}")]].concat().join(", "));
            variadic(format!("{item}[]"));
            if item == "Tensor" && !optional.is_empty() {
                variadic(format!("[...Tensor[], {{ {} }}]", optional.join("; ")));
            }
        }
        signatures
    }

    /// The description of the call for `spec.ts`: its name and the parameters' names, keywords
    /// after a bar. `*` marks a list that may be spread, `^` a tensor that may be an array.
    fn spec(&self, name: &str) -> String {
        self.spec_with(name, |_| String::new())
    }

    /// [`Surface::spec`] with text after each parameter's name.
    fn spec_with(&self, name: &str, rest: impl Fn(&Param) -> String) -> String {
        let mut text = name.to_string();
        let encoded: Vec<&Param> = self.params.iter().copied().filter(|param| !is_generator(param)).collect();
        for (position, param) in encoded.into_iter().enumerate() {
            let takes_array =
                matches!(param.ty, ParamType::Tensor | ParamType::OptionalTensor | ParamType::TensorOrScalar);
            text.push(if position == self.positional() { '|' } else { ' ' });
            text += if self.spread == Some(position) { "*" } else { "" };
            text += if takes_array { "^" } else { "" };
            text += &camel(&param.name);
            text += &rest(param);
        }
        text
    }
}

/// A documentation comment: the prose without the Rust examples, and the parameters that have
/// defaults.
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
        if is_generator(param) {
            lines.push(
                "@param generator the source of the random numbers; by default the device's generator".to_string(),
            );
        } else if let Some(default) = &param.default {
            lines.push(format!("@param {} default {}", camel(&param.name), default_text(default)));
        }
    }
    let body: String = lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_string() + "\n").collect();
    format!("{indent}/**\n{body}{indent} */\n")
}

/// The name of a class as a member, because bundlers rename classes.
fn static_name(name: &str) -> String {
    format!("  static override readonly name: string = '{name}';\n")
}

const HEADER: &str =
    "// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.\n\n";

/// An op with its number.
type Numbered = (usize, &'static ops::Op);

/// The names under which ops are called, each with the op or its overloads and their numbers. An
/// op's alias is listed with the overloads too.
fn names() -> Vec<(&'static str, Vec<Numbered>)> {
    let mut names: Vec<(&str, Vec<Numbered>)> = Vec::new();
    for op in ops::all() {
        for name in std::iter::once(op.base_name()).chain(op.aliases.iter().copied()) {
            if !names.iter().any(|(known, _)| *known == name) {
                let overloads = ops::all().enumerate().filter(|(_, other)| other.base_name() == op.base_name());
                names.push((name, overloads.collect()));
            }
        }
    }
    names
}

/// The description of overloads for `spec.ts`: the name, and for each overload its results if they
/// are not one tensor.
fn choices(name: &str, overloads: &[Numbered]) -> String {
    let told = |(_, op): &Numbered| result(op).1.map_or(String::new(), |told| told.replace(['[', ']', '\'', ' '], ""));
    format!("'{name};{}'", overloads.iter().map(told).collect::<Vec<_>>().join(";"))
}

/// The call of one op, or of the overload that accepts the arguments, as the body of a method, or
/// of a function, which passes the class of its results.
fn body(name: &str, overloads: &[Numbered], receiver: &str) -> String {
    let text = call_of(name, overloads, receiver);
    if is_random(overloads) { drawing(name, &text, "") } else { text }
}

/// Whether the ops of a name take a generator.
fn is_random(overloads: &[Numbered]) -> bool {
    overloads.first().is_some_and(|(_, op)| RANDOM.contains(&op.base_name()))
}

/// A call with the generator that its arguments name.
fn drawing(name: &str, text: &str, result: &str) -> String {
    let call = text.trim_start_matches("return ").trim_end_matches(';');
    format!("return drawing('{name}', args, (args){result} => {call});")
}

/// [`body`] without a generator.
fn call_of(name: &str, overloads: &[Numbered], receiver: &str) -> String {
    let args = if receiver == "this" { "args" } else { "args, Tensor" };
    match overloads {
        [(number, op)] => {
            let spec = Surface::new(op.schema()).spec(name);
            match result(op).1 {
                None => format!("return call({number}, '{spec}', {receiver}, {args});"),
                Some(told) => format!("return callAny({number}, '{spec}', {told}, {receiver}, {args}) as never;"),
            }
        }
        [(number, _), ..] => {
            format!("return callOverload({number}, {}, {receiver}, {args}) as never;", choices(name, overloads))
        }
        [] => String::new(),
    }
}

/// PyTorch's modules of functions: the name in JavaScript, and the prefix of their ops.
pub const NAMESPACES: &[(&str, &str)] =
    &[("fft", "fft_"), ("linalg", "linalg_"), ("special", "special_"), ("windows", "signal_windows_")];

/// The names in one of the [`NAMESPACES`], or those in none.
fn names_in(prefix: Option<&str>) -> Vec<(&'static str, Vec<Numbered>)> {
    let home = |name: &str| NAMESPACES.iter().map(|&(_, prefix)| prefix).find(|prefix| name.starts_with(prefix));
    names().into_iter().filter(|(name, _)| home(name) == prefix).collect()
}

/// The target of a function: where it is declared.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// A method of a tensor.
    Method,
    /// A function of the package.
    Function,
    /// A function of a namespace, named without the prefix; its first parameter is the tensor that
    /// a method would have as receiver.
    Namespace(&'a str, &'a str),
}

/// Methods without arguments that are properties in PyTorch.
const PROPERTIES: &[&str] = &["H", "T", "mH", "mT"];

/// The in-place form of a method, with the overloads that have one.
fn in_place(camel: &str, overloads: &[Numbered]) -> String {
    let overloads: Vec<Numbered> = overloads.iter().copied().filter(|(_, op)| op.in_place.is_some()).collect();
    let is_view = overloads.iter().any(|(_, op)| op.in_place == Some(InPlace::View));
    let takes = if is_view { "becomes that view" } else { "takes the result" };
    let mut text = format!("  /** The in-place form of `{camel}`: this tensor {takes}, and is returned. */\n");
    for (_, op) in &overloads {
        for signature in Surface::new(op.schema()).signatures() {
            text += &format!("  {camel}_({signature}): this;\n");
        }
    }
    let name = format!("{camel}_");
    let body = match &overloads[..] {
        [] => return String::new(),
        [(number, op)] => format!("callInPlace({number}, '{}', this, args)", Surface::new(op.schema()).spec(&name)),
        [(number, _), ..] => format!("callOverloadInPlace({number}, '{name}', this, args)"),
    };
    let body = format!("return {body};");
    let body = if is_random(&overloads) { drawing(&name, &body, ": this") } else { body };
    text + &format!("  {name}(...args: unknown[]): this {{ {body} }}\n")
}

/// A method or function with its overloads, and its in-place form.
fn function(name: &str, overloads: &[Numbered], target: Target<'_>) -> String {
    let short = if let Target::Namespace(_, prefix) = target { &name[prefix.len()..] } else { name };
    let camel = camel(short);
    let takes_self = overloads[0].1.schema().is_method();
    let (indent, prefix) = if matches!(target, Target::Method) { ("  ", "  ") } else { ("", "export function ") };
    let mut text = String::new();
    for (_, op) in overloads {
        let schema = op.schema();
        let surface = Surface::new(schema);
        if op.base_name() == name {
            text += &comment(indent, op.doc, &surface);
        } else {
            text += &format!("{indent}/** Another name of `{}`. */\n", self::camel(op.base_name()));
        }
        if matches!(target, Target::Method) && PROPERTIES.contains(&name) {
            let body = body(&camel, overloads, "this").replace("args", "[]");
            return text + &format!("  get {camel}(): Tensor {{ {body} }}\n\n");
        }
        for signature in surface.signatures() {
            let input = match (target, takes_self, signature.is_empty()) {
                (Target::Namespace(..), true, true) => format!("input: {}", input_type(name)),
                (Target::Namespace(..), true, false) => format!("input: {}, ", input_type(name)),
                _ => String::new(),
            };
            let (parameters, signature, result) = type_call(op, &signature);
            text += &format!("{prefix}{camel}{parameters}({input}{signature}): {result};\n");
        }
    }
    let (shown, receiver) = match target {
        Target::Method => (camel.clone(), "this"),
        Target::Function => (camel.clone(), "undefined"),
        Target::Namespace(namespace, _) => {
            let receiver = if NUMBER_FIRST.contains(&name) { "leading(input, args)" } else { "input" };
            // PyTorch's `torch.signal.windows` is a module in a module.
            let path = if namespace == "windows" { "signal.windows" } else { namespace };
            (format!("{path}.{camel}"), if takes_self { receiver } else { "undefined" })
        }
    };
    let parameters =
        if receiver.contains("input") { "input: unknown, ...args: unknown[]" } else { "...args: unknown[]" };
    let plain = overloads.len() == 1 && result(overloads[0].1).1.is_none();
    let returned = if plain { "Tensor" } else { "unknown" };
    text += &format!("{prefix}{camel}({parameters}): {returned} {{ {} }}\n", body(&shown, overloads, receiver));
    if matches!(target, Target::Method) {
        text += &in_place(&camel, overloads);
    }
    text + "\n"
}

fn imports(text: &str) -> String {
    let mut called: Vec<&str> =
        ["call", "callAny", "callInPlace", "callMethod", "callOverload", "callOverloadInPlace", "leading"]
            .into_iter()
            .filter(|name| text.contains(&format!(" {name}(")))
            .collect();
    if text.contains("drawing(") {
        called.push("drawing");
        called.sort_unstable();
    }
    let types: Vec<&str> = ["DType", "Scalar", "Typed"].into_iter().filter(|name| text.contains(*name)).collect();
    let mut imports = format!("{HEADER}import {{ {} }} from '../tensor/call.js';\n", called.join(", "));
    if !types.is_empty() {
        imports += &format!("import type {{ {} }} from '../core/types.js';\n", types.join(", "));
    }
    if text.contains("Generator | null") {
        imports += "import type { Generator } from '../core/generator.js';\n";
    }
    // The class `Tensor` extends the class of methods, whose module therefore cannot import it.
    imports += if text.contains("class TensorOperations") {
        "import { TensorHandle } from '../tensor/tensor-handle.js';\n"
    } else if text.contains("TensorLike") {
        "import { Tensor, type TensorLike } from '../tensor/tensor.js';\n"
    } else {
        "import { Tensor } from '../tensor/tensor.js';\n"
    };
    imports + "\n"
}

/// The options of `generate` that are numbers: their types, defaults and accepted values.
pub fn generation_options() -> String {
    let camelize = |text: &str| text.split(' ').map(camel).collect::<Vec<_>>().join(" ");
    let number = |value: f64| match value {
        f64::MIN => "-Infinity".to_string(),
        f64::MAX => "Infinity".to_string(),
        value => format!("{value:?}").trim_end_matches(".0").to_string(),
    };
    let (mut fields, mut rows) = (String::new(), String::new());
    for NumberOption { name, doc, default, bounds } in NUMBERS {
        let (name, doc) = (camel(name), camelize(doc.concat().trim()));
        let Bounds { is_integer, min, max, takes } = bounds;
        let [default, min, max] = [*default, *min, *max].map(number);
        fields += &format!("  /** {doc} Default: {default}. */\n  {name}?: number;\n");
        rows += &format!("  {name}: [{default}, {is_integer}, {min}, {max}, '{}'],\n", camelize(takes));
    }
    format!(
        "{HEADER}/** Options of {{@link generate}} that are numbers. */\n\
         export interface NumberOptions {{\n{fields}}}\n\n\
         /** The default of each number, whether it is an integer, its bounds, and the accepted values in \
         words. */\n\
         export const NUMBER_OPTIONS: Readonly<Record<keyof NumberOptions, \
         readonly [number, boolean, number, number, string]>> = {{\n{rows}}};\n"
    )
}

/// The table of model families, which `lanthorn-models` reads, too.
pub fn families() -> String {
    let table = include_str!("../../models/families.json").trim_end();
    format!(
        "/** The families of language models: crates/models/families.json. */\nexport const FAMILIES = {table} as const;\n"
    )
}

/// The formats of blocks of low-bit integers.
pub fn block_formats() -> String {
    let row = |format: BlockFormat| format!("  {}: [{}, {}],\n", format.name(), format.elements(), format.bytes());
    let rows: String = BlockFormat::ALL.into_iter().map(row).collect();
    format!(
        "/** The numbers and the bytes of a block, by format. */\nexport const BLOCK_FORMATS = {{\n{rows}}} as const;\n"
    )
}

/// The numbers of the kinds of arguments, by which `arguments.ts` encodes them, and the texts of
/// errors that the package has in common with the core.
pub fn kinds() -> String {
    let constants = ArgKind::ALL.into_iter().enumerate().map(|(number, kind)| {
        let name = format!("{kind:?}");
        let words = name.char_indices().flat_map(|(i, letter)| {
            let begins = letter.is_uppercase() && name[..i].ends_with(char::is_lowercase);
            begins.then_some('_').into_iter().chain(letter.to_uppercase())
        });
        format!("export const {} = {number};\n", words.collect::<String>())
    });
    let observed = ("nothingObserved", lanthorn_nn::quantization::NOTHING_OBSERVED);
    let texts = texts::ALL.into_iter().chain([observed]);
    let texts: String = texts.map(|(name, text)| format!("  {name}: '{text}',\n")).collect();
    format!(
        "{HEADER}/** The kinds of arguments, which are the tags of encoded ones. */\n{}\n\
         /** The tag before an argument that is given by name. */\nexport const NAME = {};\n\n\
         /** The name of the operation in an error of the core, in place of the caller's name of it. */\n\
         export const CALLER = '{}';\n\n/** The texts of errors, with parts in braces; see `fill`. */\nexport const TEXTS = {{\n{texts}}} as const;\n",
        constants.collect::<String>(),
        lanthorn_call::NAME,
        CALLER.escape_default().to_string().replace("\\u{1a}", "\\x1a"),
    )
}

/// The table of operations as text, for programs: a line for each operation with its schema,
/// whether it has an in-place form, and its other names. It is read by
/// `lanthorn-js-program`.
pub fn table() -> String {
    let lines = ops::built_in().map(|op| {
        let in_place = if op.in_place.is_some() { "!" } else { "" };
        format!("{}|{in_place}{}", op.schema(), op.aliases.join(" "))
    });
    let text = lines.collect::<Vec<_>>().join("\n").replace('\\', "\\\\").replace('`', "\\`").replace("${", "\\${");
    format!("{HEADER}/** The operations in the order of their numbers. */\nexport const OPERATIONS = `{text}`;\n")
}

/// The methods of `Tensor`.
pub fn methods() -> String {
    let of_tensor = |(_, overloads): &(&str, Vec<Numbered>)| overloads[0].1.schema().is_method();
    let methods = names_in(None).into_iter().filter(of_tensor);
    let methods: String = methods.map(|(name, overloads)| function(name, &overloads, Target::Method)).collect();
    let text = format!(
        "/**\n * The operations that are methods of a tensor. The parameters are the class that extends this \
         one, and the values\n * that stand for a tensor.\n */\n\
         export abstract class TensorOperations<Tensor extends TensorHandle, TensorLike> extends TensorHandle \
         {{\n{methods}}}\n"
    );
    imports(&text) + &text
}

/// The functions: those that make or join tensors, and the methods of a tensor once more.
pub fn operations() -> String {
    let mut text = String::new();
    for (name, overloads) in names_in(None) {
        if !overloads[0].1.schema().is_method() {
            text += &function(name, &overloads, Target::Function);
        } else if !PROPERTIES.contains(&name) {
            text += &method_as_function(name, &overloads);
            text += &in_place_function(name, &overloads);
        }
    }
    imports(&text) + &text
}

/// The in-place forms that are functions of `torch` or `torch.nn.functional`, too.
#[rustfmt::skip]
const IN_PLACE: &[&str] = &[
    "abs", "acos", "acosh", "addmv", "alpha_dropout", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh",
    "as_strided", "asin", "asinh", "atan", "atanh", "ceil", "celu", "clamp", "clamp_max", "clamp_min", "clip", "cos",
    "cosh", "deg2rad", "dropout", "elu", "erf", "erfc", "exp", "exp2", "expm1", "feature_alpha_dropout",
    "feature_dropout", "fill", "fix", "floor", "frac", "gcd", "hardtanh", "i0", "index_put", "lcm", "ldexp",
    "leaky_relu", "log", "log10", "log1p", "log2", "logit", "nan_to_num", "neg", "negative", "rad2deg", "reciprocal",
    "relu", "resize_as", "round", "rrelu", "rsqrt", "selu", "sigmoid", "sin", "sinc", "sinh", "sqrt", "square", "tan",
    "tanh", "threshold", "trunc", "xlogy", "zero",
];

/// An in-place form as a function, `relu_(x)`.
fn in_place_function(name: &str, overloads: &[Numbered]) -> String {
    if !IN_PLACE.contains(&name) {
        return String::new();
    }
    let camel = camel(name) + "_";
    let mut text = format!("/** {{@link Tensor.{camel}}} as a function. */\n");
    for (_, op) in overloads.iter().filter(|(_, op)| op.in_place.is_some()) {
        for signature in Surface::new(op.schema()).signatures() {
            let rest = if signature.is_empty() { String::new() } else { format!(", {signature}") };
            let receiver = if signature.contains("input:") { "self" } else { "input" };
            text += &format!("export function {camel}({receiver}: Tensor{rest}): Tensor;\n");
        }
    }
    text + &format!(
        "export function {camel}(...args: unknown[]): unknown {{ return callMethod('{camel}', args, Tensor) as never; }}\n\n"
    )
}

/// PyTorch's functions in `torch.nn.functional` that the table has; `nn/functional.ts` has three more.
#[rustfmt::skip]
const FUNCTIONAL: &[&str] = &[
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "affine_grid", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "batch_norm", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu",
    "alpha_dropout", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_embedding_loss", "cosine_similarity", "cross_entropy", "ctc_loss", "dropout1d", "dropout2d", "dropout3d", "elu", "feature_alpha_dropout", "fold", "fractional_max_pool2d", "fractional_max_pool3d", "gaussian_nll_loss", "gelu", "glu", "gumbel_softmax",
    "grid_sample", "group_norm", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "hinge_embedding_loss",
    "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear",
    "local_response_norm", "log_softmax", "logsigmoid", "lp_pool1d", "lp_pool2d", "lp_pool3d",
    "margin_ranking_loss", "max_pool1d", "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d",
    "max_unpool3d", "mish", "mse_loss", "multi_head_attention_forward", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize", "one_hot", "pad",
    "pairwise_distance", "pdist", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu", "relu",
    "relu6", "rms_norm", "rrelu", "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss",
    "soft_margin_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink",
    "threshold", "triplet_margin_loss",
];

/// The functions of `torch.nn.functional` with an argument `inplace`.
#[rustfmt::skip]
pub(crate) const INPLACE: &[&str] = &[
    "alpha_dropout", "celu", "dropout1d", "dropout2d", "dropout3d", "elu", "feature_alpha_dropout", "hardsigmoid",
    "hardswish", "hardtanh", "leaky_relu", "mish", "relu", "relu6", "rrelu", "selu", "silu", "threshold",
];

/// A function that overwrites its input where `inplace` is true.
fn with_inplace(name: &str, op: &'static ops::Op) -> String {
    let camel = camel(name);
    let mut surface = Surface::new(op.schema());
    // The arguments of ATen that PyTorch's function has not.
    surface.params.retain(|param| !["scale", "input_scale"].contains(&param.name.as_str()));
    let position = surface.positional();
    surface.params.insert(position, &INPLACE_OPTION);
    let names: Vec<String> =
        surface.params.iter().filter(|param| !is_generator(param)).map(|param| self::camel(&param.name)).collect();
    let mut text =
        format!("/** {{@link Tensor.{camel}}} as a function; with `inplace`, of the input's own elements. */\n");
    for signature in surface.signatures() {
        text += &format!("export function {camel}(input: TensorLike, {signature}): Tensor;\n");
    }
    text + &format!(
        "export function {camel}(...args: unknown[]): Tensor {{ return inPlaceOr('{camel} input {}', args) as never; }}\n\n",
        names.join(" ")
    )
}

/// The argument of functions and layers that may overwrite their input.
static INPLACE_OPTION: LazyLock<Param> = LazyLock::new(|| {
    let schema = Schema::parse("f(bool inplace=False) -> Tensor");
    schema.expect("the schema of one argument parses").params.remove(0)
});

/// The functions of `nn.functional`.
pub fn functional() -> String {
    let plain = FUNCTIONAL.iter().filter(|name| !INPLACE.contains(name)).map(|name| camel(name));
    let in_place = ["celu", "elu", "hardtanh", "leaky_relu", "relu", "rrelu", "selu", "threshold"];
    let names: Vec<String> =
        plain.chain(in_place.map(|name| camel(name) + "_")).map(|name| format!("  {name},\n")).collect();
    let functions: String = INPLACE.iter().filter_map(|name| Some(with_inplace(name, ops::Op::find(name)?))).collect();
    let types = if functions.contains("Generator | null") {
        "import type { Generator } from '../core/generator.js';\n"
    } else {
        ""
    };
    format!(
        "{HEADER}{types}import type {{ Scalar }} from '../core/types.js';\nimport {{ inPlaceOr }} from '../nn/in-place.js';\nimport type {{ Tensor, TensorLike }} from '../tensor/tensor.js';\n\nexport {{\n{}}} from './operations.js';\n\n{functions}",
        names.concat()
    )
}

/// The functions of two tensors whose first argument may be a number in PyTorch, `torch.pow(2, x)`:
/// overloads with a `Scalar` in front, and Python's operators.
#[rustfmt::skip]
const NUMBER_FIRST: &[&str] = &[
    "add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "bucketize", "div",
    "divide", "float_power", "floor_divide", "mul", "multiply", "pow", "remainder", "special_xlog1py", "special_xlogy",
    "sub", "subtract", "true_divide", "xlogy",
];

/// The TypeScript type of the first argument of a function.
fn input_type(name: &str) -> &'static str {
    if NUMBER_FIRST.contains(&name) { "TensorLike | number" } else { "TensorLike" }
}

/// A method as a function, as `torch.relu(x)` is `x.relu()`. It finds the method by its name, so
/// that a bundle has only the functions that are used.
fn method_as_function(name: &str, overloads: &[Numbered]) -> String {
    let camel = camel(name);
    let is_reserved = RESERVED.contains(&camel.as_str());
    let (declared, export) = if is_reserved { (format!("{camel}_"), "") } else { (camel.clone(), "export ") };
    let mut text = format!("/** {{@link Tensor.{camel}}} as a function. */\n");
    for (_, op) in overloads {
        for signature in Surface::new(op.schema()).signatures() {
            // A method may have a parameter of this name.
            let receiver =
                if signature.starts_with("input:") || signature.contains(" input:") { "self" } else { "input" };
            let rest = if signature.is_empty() { String::new() } else { format!(", {signature}") };
            let taken = input_type(name);
            let (parameters, rest, result) = type_call(op, &rest);
            text += &format!("{export}function {declared}{parameters}({receiver}: {taken}{rest}): {result};\n");
        }
    }
    let number = if NUMBER_FIRST.contains(&name) { ", true" } else { "" };
    text += &format!(
        "{export}function {declared}(...args: unknown[]): unknown {{ return callMethod('{camel}', args, Tensor{number}) as never; }}\n"
    );
    text + &if is_reserved { format!("export {{ {declared} as {camel} }};\n\n") } else { "\n".to_string() }
}

/// The functions of one of the [`NAMESPACES`].
pub fn namespace(name: &str, prefix: &str) -> String {
    let functions = names_in(Some(prefix)).into_iter();
    let text: String =
        functions.map(|(full, overloads)| function(full, &overloads, Target::Namespace(name, prefix))).collect();
    imports(&text) + &text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_generate_have_their_defaults_and_bounds() {
        let text = generation_options();
        assert!(text.contains("  /** Divides logits. Default: 1. */\n  temperature?: number;\n"));
        let row = "[1, false, 5e-324, Infinity, 'a positive number; greedy is doSample: false']";
        assert!(text.contains(&format!("  temperature: {row},\n")));
        assert!(text.contains("of `assistantModel`. Default: 5."));
    }

    #[test]
    fn a_method_is_printed_with_its_overloads() {
        let text = methods();
        assert!(text.contains(
            "  sum<D extends DType = DType>(dim?: number | readonly number[] | null, keepdim?: boolean, options?: { dtype?: D | null }): Typed<D> & Tensor;"
        ));
        assert!(text.contains(
            "  sum<D extends DType = DType>(options?: { dim?: number | readonly number[] | null; keepdim?: boolean; dtype?: D | null }): Typed<D> & Tensor;"
        ));
        assert!(text.contains("  reshape(...shape: number[]): Tensor;"));
        assert!(operations().contains("export function rand(...size: number[]): Tensor;"));
        assert!(text.contains("return call(") && text.contains(", 'sigmoid', this, args);"));
    }

    #[test]
    fn a_random_op_takes_a_generator_that_is_no_argument_of_the_core() {
        let text = operations();
        assert!(
            text.contains("drawing('randperm', args, (args) => call(")
                && text.contains("'randperm n|dtype requiresGrad'")
        );
        assert!(text.contains("dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }"));
        assert!(
            methods()
                .contains("uniform_(...args: unknown[]): this { return drawing('uniform_', args, (args): this => ")
        );
        for name in RANDOM.iter().chain(INPLACE).chain(IN_PLACE) {
            let is_known = names().iter().any(|(known, _)| known == name);
            assert!(is_known, "there is no op {name}");
        }
        assert!(text.contains("export function relu_(input: Tensor): Tensor;\n"));
        assert!(
            functional().contains("export function elu(input: TensorLike, alpha?: Scalar, inplace?: boolean): Tensor;")
        );
    }

    #[test]
    fn a_function_of_a_namespace_takes_the_tensor_first() {
        let text = namespace("fft", "fft_");
        assert!(text.contains(
            "export function fft(input: TensorLike, n?: number | null, dim?: number, norm?: 'forward' | 'backward' | 'ortho' | null): Tensor;"
        ));
        assert!(text.contains(
            "export function fftfreq<D extends DType = DType>(n: number, d?: number, options?: { dtype?: D | null; requiresGrad?: boolean }): Typed<D> & Tensor;"
        ));
        assert!(text.contains("'fft.rfft n dim norm'"));
        assert!(!methods().contains("fftFft") && !operations().contains("fftFft"));
    }

    #[test]
    fn an_in_place_form_and_another_name_have_all_overloads() {
        let text = methods();
        assert!(text.contains("  clamp_(min?: TensorLike | null, max?: TensorLike | null): this;"));
        assert!(text.contains("  clip(min?: TensorLike | null, max?: TensorLike | null): Tensor;"));
        assert!(text.contains(", 'clamp_', this, args); }") && text.contains("return callOverloadInPlace("));
    }

    #[test]
    fn a_transpose_is_a_property_and_no_parameter_is_a_reserved_word() {
        let text = methods();
        assert!(text.contains("  get mT(): Tensor { return call("));
        assert!(text.contains("  gaussianNllLoss(target: TensorLike, var_: TensorLike, "));
        assert!(text.contains("'gaussianNllLoss ^target ^var"));
    }

    #[test]
    fn an_overload_is_known_by_its_results() {
        let text = kinds();
        assert!(text.contains("export const MISSING = 0;\n") && text.contains("export const PARTIAL_INTS = "));
        assert!(text.contains("export const NAME = -1;\n"));
        assert!(methods().contains(", 'max;;values,indices;', this, args)"));
    }

    #[test]
    fn nn_functional_has_functions_of_the_table() {
        let known = names_in(None);
        for name in FUNCTIONAL {
            assert!(known.iter().any(|(known, _)| known == name), "there is no op {name}");
        }
        assert!(functional().contains("  crossEntropy,\n"));
    }

    #[test]
    fn a_method_is_a_function_too_and_a_function_that_makes_a_tensor_takes_requires_grad() {
        let text = operations();
        assert!(text.contains(
            "export function softmax<D extends DType = DType>(input: TensorLike, dim: number, options?: { dtype?: D | null }): Typed<D> & Tensor;"
        ));
        assert!(text.contains("{ return callMethod('softmax', args, Tensor) as never; }"));
        assert!(text.contains("function var_(input: TensorLike, ") && text.contains("export { var_ as var };"));
        assert!(text.contains("export function randn<D extends DType = DType>(size: number | readonly number[], options?: { dtype?: D | null; generator?: Generator | null; requiresGrad?: boolean }): Typed<D> & Tensor;"));
    }

    #[test]
    fn the_table_has_a_line_for_each_operation() {
        let text = table();
        assert!(
            text.contains("\nmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)|\n")
        );
        assert_eq!(text.matches(") -> ").count(), ops::built_in().count());
    }

    #[test]
    fn names_are_camel_case() {
        assert_eq!(camel("index_select"), "indexSelect");
        assert_eq!(camel("clamp_min_"), "clampMin_");
        assert_eq!(camel("t"), "t");
    }
}
