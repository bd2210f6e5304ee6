//! Parses the table of ONNX operators from the lines of `schemas/`.

use super::functions;
use lanthorn_program::operators::Operator;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The domains, with the files of their lines.
const SCHEMAS: [(&str, &[&str]); 5] = [
    (
        "",
        &[
            include_str!("schemas/generator.txt"),
            include_str!("schemas/image.txt"),
            include_str!("schemas/logical.txt"),
            include_str!("schemas/math.txt"),
            include_str!("schemas/nn.txt"),
            include_str!("schemas/object_detection.txt"),
            include_str!("schemas/optional.txt"),
            include_str!("schemas/quantization.txt"),
            include_str!("schemas/reduction.txt"),
            include_str!("schemas/rnn.txt"),
            include_str!("schemas/sequence.txt"),
            include_str!("schemas/signal.txt"),
            include_str!("schemas/tensor.txt"),
        ],
    ),
    ("ai.onnx.preview.training", &[include_str!("schemas/training.txt")]),
    ("ai.onnx.ml", &[include_str!("schemas/traditionalml.txt")]),
    ("com.microsoft", &[include_str!("schemas/microsoft.txt")]),
    // Operators that only the reader writes into graphs.
    ("lanthorn", &[include_str!("schemas/reader.txt")]),
];

/// The known domains. The first is `ai.onnx`, whose name is empty in files.
pub const DOMAINS: [&str; 4] = ["", "ai.onnx.ml", "ai.onnx.preview.training", "com.microsoft"];

/// The lines of an operator by the version from which they apply, in ascending order.
type Versions = Vec<(i64, Operator)>;

/// Finds an operator by its name in a version of its domain's operator set.
///
/// ```
/// use lanthorn::onnx::operators::find;
/// assert!(find("", "Clip", 13).is_some());
/// assert!(find("", "Clip", 1).is_none() && find("", "NoSuchOperator", 13).is_none());
/// ```
pub fn find(domain: &str, name: &str, version: i64) -> Option<&'static Operator> {
    let versions = versions(domain, name)?;
    versions.iter().rev().find(|(since, _)| *since <= version).map(|(_, operator)| operator)
}

/// Returns all versions of an operator.
pub fn versions(domain: &str, name: &str) -> Option<&'static [(i64, Operator)]> {
    let domain = if domain == "ai.onnx" { "" } else { domain };
    table().get(domain)?.get(name).map(Vec::as_slice)
}

/// The operators of a domain by name.
type Domain = FxHashMap<&'static str, Versions>;

fn table() -> &'static FxHashMap<&'static str, Domain> {
    static TABLE: OnceLock<FxHashMap<&'static str, Domain>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: FxHashMap<&'static str, Domain> = FxHashMap::default();
        for (domain, line) in lines() {
            let name = line.split(['.', '(']).next().unwrap_or(line);
            // A test parses every line.
            if let Some(entry) = parse(line) {
                table.entry(domain).or_default().entry(name).or_default().push(entry);
            }
        }
        let versions = table.values_mut().flat_map(FxHashMap::values_mut);
        versions.for_each(|versions| versions.sort_by_key(|(since, _)| *since));
        table
    })
}

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCHEMAS.iter().flat_map(|(domain, files)| {
        let lines = files.iter().flat_map(|text| text.lines()).map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| (*domain, line))
    })
}

fn parse(line: &'static str) -> Option<(i64, Operator)> {
    let operator = Operator::parse(line, functions::NAMES)?;
    Some((operator.schema.overload.parse().ok()?, operator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_program::{
        graph::{Graph, ModuleStack, Node, Operand, Results, Target},
        passes::optimize,
    };
    use std::collections::HashSet;

    #[test]
    fn every_line_is_an_operator_that_is_declared_once_for_a_version() {
        let mut names = HashSet::new();
        for (domain, line) in lines() {
            let (since, operator) = parse(line).unwrap_or_else(|| panic!("{line}"));
            assert!(names.insert((domain, operator.schema.name.clone(), since)), "{line}");
        }
        assert!(names.len() > 100, "{}", names.len());
    }

    #[test]
    fn equal_calls_are_merged_unless_they_draw_random_numbers() {
        let names = [
            ("Bernoulli", true),
            ("Dropout", true),
            ("Multinomial", true),
            ("RandomNormal", true),
            ("RandomNormalLike", true),
            ("RandomUniform", true),
            ("RandomUniformLike", true),
            ("Relu", false),
        ];
        for (name, random) in names {
            let operator = find("", name, 22).unwrap();
            let mut graph = Graph::default();
            let x = graph.add_value("x", None);
            graph.inputs = vec![x];
            for name in ["a", "b"] {
                let result = graph.add_value(name, None);
                graph.nodes.push(Node {
                    target: Target::Operator {
                        set: crate::operators::SET,
                        name: operator.schema.full_name(),
                        operator,
                    },
                    args: vec![Operand::Value(x)],
                    named: vec![],
                    results: Results::One(result),
                    modules: ModuleStack::default(),
                });
                graph.outputs.push(Operand::Value(result));
            }
            optimize(&mut graph);
            assert_eq!(graph.nodes.len(), if random { 2 } else { 1 }, "{name}");
        }
    }

    #[cfg(feature = "tensor")]
    #[test]
    fn every_line_names_an_operation_of_the_table_and_its_parameters() {
        let mut odd = Vec::new();
        for (_, operator) in lines().filter_map(|(_, line)| parse(line)) {
            let Some(name) = operator.operation() else { continue };
            let overloads = lanthorn_tensor::ops::Op::overloads(name);
            if !overloads.iter().any(|op| operator.fits(op.schema())) {
                odd.push(format!("{} as {name}", operator.schema));
            }
        }
        assert!(odd.is_empty(), "{}", odd.join("\n"));
    }
}
