//! The functions that make configurations of quantization, and the classes of observers.

use super::{HEADER, Surface, camel, comment, default_text, static_name, type_name};
use lanthorn_nn::quantization::{CONFIGS, ConfigSpec, OBSERVERS, OPTION_DOCS, ObserverSpec, PACKED_NAMES};
use lanthorn_schema::{Default, Param};

/// The options of a function or a class as an interface.
fn interface(name: &str, of: &str, params: &[&Param], docs: &[&str], ty: fn(&Param) -> String) -> String {
    let fields = params.iter().zip(docs).map(|(param, doc)| {
        let default = match &param.default {
            None | Some(Default::None) => String::new(),
            Some(default) => format!(" Default {}.", default_text(default)),
        };
        format!("  /** {doc}{default} */\n  {}?: {};\n", camel(&param.name), ty(param))
    });
    format!("/** Options of {{@link {of}}}. */\nexport interface {name} {{\n{}}}\n\n", fields.collect::<String>())
}

/// A documentation comment with an example.
fn comment_with_example(doc: &str, example: &str) -> String {
    let lines = doc.lines().chain(["", "@example"]).chain(example.lines());
    comment("", &lines.collect::<Vec<_>>(), &Surface { params: vec![], spread: None })
}

/// A union of strings.
fn union<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = texts.into_iter().map(|text| format!("'{text}'")).collect();
    quoted.join(" | ")
}

/// The function of a configuration. Its argument is one of the choices, where there are some.
fn configuration((number, spec): (usize, &ConfigSpec)) -> String {
    let schema = spec.schema();
    let (surface, name) = (Surface::new(&schema), schema.name.as_str());
    let options = format!("{}Options", name.trim_end_matches("WeightOnly"));
    let Some(&param) = surface.params.first() else {
        let call = format!("configure({number}, '{name}', [options], null)");
        let declared = function(name, "Record<string, never>", &call);
        return comment_with_example(spec.doc, &format!("await quantize_(model, {name}());")) + &declared;
    };
    let choices = match (&param.choices[..], spec.sizes) {
        ([], []) => String::new(),
        ([], sizes) => format!(", {sizes:?}"),
        (choices, _) => format!(", {choices:?}").replace('"', "'"),
    };
    let initial = match &param.default {
        Some(Default::Str(text)) => format!("'{text}'"),
        Some(default) => default_text(default),
        None => "undefined".into(),
    };
    let text = interface(&options, name, &surface.params, &[spec.own_doc], argument_type);
    let example = match param.choices.first() {
        Some(choice) => format!("await quantize_(model, {name}({{ {}: '{choice}' }}));", camel(&param.name)),
        None => format!("await quantize_(model, {name}({{ {}: 32 }}));", camel(&param.name)),
    };
    let call = format!("configure({number}, '{}', [options], {initial}{choices})", surface.spec(name));
    text + &comment_with_example(spec.doc, &example) + &function(name, &options, &call)
}

/// A function that takes options.
fn function(name: &str, options: &str, call: &str) -> String {
    format!("export function {name}(options: {options} = {{}}): QuantizationConfig {{ return {call}; }}\n\n")
}

/// The TypeScript type of a configuration's argument. Formats have a type of their own.
fn argument_type(param: &Param) -> String {
    if param.choices.is_empty() { type_name(param) } else { "BlockFormat".into() }
}

/// The class of an observer.
fn observer((number, spec): (usize, &ObserverSpec)) -> String {
    let schema = spec.schema();
    let (surface, name) = (Surface::new(&schema), spec.name);
    let short = name.trim_end_matches("Observer").trim_end_matches("MinMax");
    let options = if short.is_empty() { "ObserverOptions".to_string() } else { format!("{short}Options") };
    let docs: Vec<&str> = OPTION_DOCS.into_iter().chain([spec.own_doc]).collect();
    let is_counting = name == "HistogramObserver";
    let (base, waits) = if is_counting { ("CountingObserver", "await ") } else { ("RangeObserver", "") };
    let example = format!(
        "const observer = new {name}();\nobserver.call(x);\n\
        const {{ scale, zeroPoint }} = {waits}observer.calculateQParams();"
    );
    let mut text =
        interface(&options, name, &surface.params, &docs, type_name) + &comment_with_example(spec.doc, &example);
    text += &format!("export class {name} extends {base} {{\n{}", static_name(name));
    text += &format!(
        "  /** @internal */\n  static override readonly row = [{number}, '{}'] as const;\n",
        surface.spec(name)
    );
    for param in surface.params.iter().skip(OPTION_DOCS.len()) {
        text += &format!("  declare readonly {}: {};\n", camel(&param.name), type_name(param));
    }
    text + &format!("  constructor(options: {options} = {{}}) {{ super([options]); }}\n}}\n\n")
}

/// The types and names that the printed code and the package's own share. The package's own is
/// imported by the printed code, and therefore imports these from a file of their own.
pub fn types() -> String {
    let names: Vec<String> = CONFIGS.iter().map(|spec| spec.schema().name).collect();
    let formats: Vec<String> =
        CONFIGS.iter().flat_map(|spec| spec.schema().params).flat_map(|param| param.choices).collect();
    let mut schemes: Vec<String> = vec![];
    for scheme in OBSERVERS.iter().flat_map(|spec| spec.schema().params).flat_map(|param| param.choices) {
        if !schemes.contains(&scheme) {
            schemes.push(scheme);
        }
    }
    let declared = |doc: &str, name: &str, list: &[String]| {
        format!("/** {doc} */\nexport type {name} = {};\n\n", union(list.iter().map(String::as_str)))
    };
    let formats_doc = "The formats of GGUF that weights can be written in; see `dequantize` of the package.";
    let packed = PACKED_NAMES.map(|name| format!("'{name}'")).join(", ");
    let text = [
        declared("The names of the functions that make configurations.", "ConfigName", &names),
        declared(formats_doc, "BlockFormat", &formats),
        declared("Whether the range is symmetric around 0.", "QScheme", &schemes),
        "/** The names of the tensors of a quantized weight, in the core's order. */\n".to_string(),
        format!("export const PACKED_NAMES = [{packed}] as const;\n"),
    ];
    HEADER.to_string() + &text.concat()
}

/// The functions and classes of `lanthorn/quantization`.
pub fn quantization() -> String {
    let configurations: String = CONFIGS.iter().enumerate().map(configuration).collect();
    let observers: String = OBSERVERS.iter().enumerate().map(observer).collect();
    let imports = "import { configure, type QuantizationConfig } from '../quantization/config.js';\n\
        import { CountingObserver, RangeObserver } from '../quantization/observers.js';\n\
        import type { BlockFormat } from './quantization-types.js';\n";
    format!("{HEADER}{imports}\n{configurations}{observers}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_a_function_of_options_with_its_choices() {
        let text = quantization() + &types();
        for expected in [
            "export interface Int4Options {\n  /** The neighbours that share a scale and a zero point: ",
            " 32, 64, 128 or 256. Default 128. */\n  groupSize?: number;\n}",
            "{ return configure(0, 'Int4WeightOnly|groupSize', [options], 128, [32, 64, 128, 256]); }",
            "  groupSize?: number | null;\n",
            "{ return configure(1, 'Int8WeightOnly|groupSize', [options], null); }",
            "(options: Record<string, never> = {}): QuantizationConfig { return configure(2, ",
            "[options], 'q8_0', ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0']); }",
            "export type BlockFormat = 'q4_0' | 'q4_1' | 'q5_0' | 'q5_1' | 'q8_0';\n",
            "  format?: BlockFormat;\n",
            "await quantize_(model, Int4WeightOnly({ groupSize: 32 }));",
        ] {
            assert!(text.contains(expected), "{expected}");
        }
    }

    #[test]
    fn an_observer_is_a_class_with_its_options_as_properties() {
        let text = quantization();
        for expected in [
            "export interface ObserverOptions {\n",
            "  qscheme?: 'per_channel_affine' | 'per_channel_symmetric';\n",
            "export class MovingAverageMinMaxObserver extends RangeObserver {\n",
            "row = [1, 'MovingAverageMinMaxObserver|qscheme quantMin quantMax averagingConstant'] as const;\n",
            "as const;\n  declare readonly averagingConstant: number;\n",
            "  constructor(options: HistogramOptions = {}) { super([options]); }\n",
            "const { scale, zeroPoint } = await observer.calculateQParams();",
        ] {
            assert!(text.contains(expected), "{expected}");
        }
    }
}
