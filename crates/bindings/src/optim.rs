//! The classes of optimizers and schedules.

use super::{HEADER, Surface, camel, comment, default_text, static_name, type_name};
use lanthorn_optim::{schedule::SCHEDULES, table::OPTIMIZERS};
use lanthorn_schema::{Param, Schema};

/// The options as an interface, for constructors and groups.
fn interface(name: &str, params: &[&Param], docs: &[&str]) -> String {
    let fields = params.iter().zip(docs).map(|(param, doc)| {
        let default =
            param.default.as_ref().map_or(String::new(), |default| format!(" default {}", default_text(default)));
        format!("  /**{doc}{default} */\n  {}?: {};\n", camel(&param.name), type_name(param))
    });
    format!(
        "/** Options of {{@link {name}}}, with PyTorch's meanings. */\nexport interface {name}Options {{\n{}}}\n\n",
        fields.collect::<String>()
    )
}

/// The constructor's signatures after its first parameter. Required arguments may be among the
/// keywords too.
fn constructors(surface: &Surface<'_>, first: &str) -> String {
    let required = surface.params.iter().any(|param| param.is_required());
    let named = surface.params.iter().map(|param| {
        let optional = if param.is_required() { "" } else { "?" };
        format!("{}{optional}: {}", camel(&param.name), type_name(param))
    });
    let keywords = required.then(|| format!("options: {{ {} }}", named.collect::<Vec<_>>().join("; ")));
    let signatures = surface.signatures().into_iter().chain(keywords);
    let line = |signature: String| match signature.is_empty() {
        true => format!("  constructor({first});\n"),
        false => format!("  constructor({first}, {signature});\n"),
    };
    signatures.map(line).collect()
}

/// The classes of optimizers.
pub fn optimizers() -> String {
    let mut classes = String::new();
    for spec in OPTIMIZERS {
        let (name, mut schema) = (spec.name, spec.schema());
        schema.params.remove(0);
        let surface = Surface::new(&schema);
        classes += &interface(name, &surface.params, spec.option_docs);
        classes += &comment("", spec.doc, &Surface { params: vec![], spread: None });
        classes += &format!("export class {name} extends BuiltinOptimizer<{name}Options> {{\n{}", static_name(name));
        classes += &constructors(&surface, &format!("params: Params<{name}Options>"));
        let call = format!("super('{}', params, args)", surface.spec(name));
        classes += &format!("  constructor(params: unknown, ...args: unknown[]) {{ {call}; }}\n}}\n\n");
    }
    format!(
        "{HEADER}import {{ BuiltinOptimizer }} from '../optim/builtin-optimizer.js';\nimport type {{ Params }} from '../optim/param-groups.js';\n\n{classes}"
    )
}

/// The classes of schedules.
pub fn schedules() -> String {
    let mut classes = String::new();
    for spec in SCHEDULES {
        let (name, schema): (_, Schema) = (spec.name, spec.schema());
        let surface = Surface::new(&schema);
        let described = surface
            .params
            .iter()
            .zip(spec.option_docs())
            .map(|(param, doc)| format!(" @param {}{doc}", camel(&param.name)));
        let lines: Vec<String> = spec.doc.iter().map(ToString::to_string).chain(described).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        classes += &comment("", &lines, &Surface { params: vec![], spread: None });
        let base = if spec.is_measured() { "MeasuredScheduler" } else { "BuiltinScheduler" };
        classes += &format!("export class {name} extends {base} {{\n{}", static_name(name));
        classes += &constructors(&surface, "optimizer: Optimizer");
        let call = format!("super('{}', optimizer, args)", surface.spec(name));
        classes += &format!("  constructor(optimizer: unknown, ...args: unknown[]) {{ {call}; }}\n}}\n\n");
    }
    format!(
        "{HEADER}import type {{ Optimizer }} from '../optim/optimizer.js';\nimport {{ BuiltinScheduler, MeasuredScheduler }} from '../optim/builtin-schedulers.js';\n\n{classes}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constructor_takes_options_in_order_or_by_name() {
        let text = optimizers();
        assert!(text.contains("  constructor(params: Params<LionOptions>, lr?: number, betas?: number | readonly number[], weightDecay?: number, options?: { maximize?: boolean });\n"));
        assert!(text.contains("  /** The learning rate. default 0.001 */\n  lr?: number;\n"));
        assert!(text.contains("  lineSearchFn?: 'strong_wolfe' | null;\n"));
        assert!(text.contains("  adjustLrFn?: 'original' | 'match_rms_adamw' | 'spectral_unclamped' | null;\n"));
        let text = schedules();
        assert!(
            text.contains(
                "  constructor(optimizer: Optimizer, stepSize: number, gamma?: number, lastEpoch?: number);\n"
            )
        );
        assert!(text.contains(
            "  constructor(optimizer: Optimizer, options: { stepSize: number; gamma?: number; lastEpoch?: number });\n"
        ));
        assert!(text.contains("export class ReduceLROnPlateau extends MeasuredScheduler {\n  static override readonly name: string = 'ReduceLROnPlateau';\n"));
        assert!(text.contains("mode?: 'min' | 'max'") && text.contains("thresholdMode?: 'rel' | 'abs'"));
        assert!(text.contains("mode?: 'triangular' | 'triangular2' | 'exp_range'"));
        assert!(text.contains("annealStrategy?: 'cos' | 'linear'"));
    }
}
