//! Parses the table of ATen's operators from the lines of `schemas/`.

use super::functions;
use crate::operators::Operator;
use lanthorn_schema::Schema;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The namespaces other than `aten`, with their operators.
const NAMESPACES: [(&str, &str); 2] =
    [("prims", include_str!("schemas/prims.txt")), ("torchvision", include_str!("schemas/torchvision.txt"))];

/// The lines, in a file for each family.
const FAMILIES: [&str; 14] = [
    include_str!("schemas/attention.txt"),
    include_str!("schemas/bookkeeping.txt"),
    include_str!("schemas/complex.txt"),
    include_str!("schemas/convolutions.txt"),
    include_str!("schemas/factories.txt"),
    include_str!("schemas/linalg.txt"),
    include_str!("schemas/losses.txt"),
    include_str!("schemas/norms.txt"),
    include_str!("schemas/pointwise.txt"),
    NAMESPACES[0].1,
    NAMESPACES[1].1,
    include_str!("schemas/quantization.txt"),
    include_str!("schemas/reductions.txt"),
    include_str!("schemas/shapes.txt"),
];

/// The parameters of every factory. The lines abbreviate them as `@options`.
const OPTIONS: &str = "*, ScalarType? dtype=None, int? layout=None, Device? device=None, bool? pin_memory=None";

/// Returns the overloads of an operator by its base name, in the order of trial.
pub(super) fn operators(base: &str) -> Option<&'static [Operator]> {
    table().get(base).map(Vec::as_slice)
}

/// Returns all operators. Operators of one name are in the order of trial.
pub(super) fn all() -> impl Iterator<Item = &'static Operator> {
    let mut names: Vec<&&str> = table().keys().collect();
    names.sort_unstable();
    names.into_iter().flat_map(|name| &table()[*name])
}

fn table() -> &'static FxHashMap<&'static str, Vec<Operator>> {
    static TABLE: OnceLock<FxHashMap<&'static str, Vec<Operator>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: FxHashMap<&'static str, Vec<Operator>> = FxHashMap::default();
        for line in lines() {
            let base = line.split(['.', '(']).next().unwrap_or(line);
            // A test parses every line.
            table.entry(base).or_default().extend(parse(line));
        }
        table
    })
}

/// Returns the base name and overload in a name with PyTorch's namespace:
/// `torch.ops.aten.add.Tensor`.
pub(super) fn without_namespace(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("torch.ops.")?;
    let (space, name) = rest.split_once('.')?;
    (space == "aten" || NAMESPACES.iter().any(|(known, _)| *known == space)).then_some(name)
}

/// Returns the namespace of an operator of the table.
pub(super) fn namespace(base: &str) -> &'static str {
    let is_base = |line: &str| line.split(['.', '(']).next() == Some(base);
    let other = NAMESPACES.iter().find(|(_, lines)| lines.lines().any(is_base));
    other.map_or("aten", |(name, _)| name)
}

fn lines() -> impl Iterator<Item = &'static str> {
    FAMILIES
        .iter()
        .flat_map(|text| text.lines())
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn parse(line: &'static str) -> Option<Operator> {
    Operator::parse_with(line, functions::NAMES, |text| Schema::parse(&text.replace("@options", OPTIONS)).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_line_is_an_operator_that_is_declared_once() {
        let mut names = HashSet::new();
        for line in lines() {
            let operator = parse(line).unwrap_or_else(|| panic!("{line}"));
            assert!(names.insert(operator.schema.full_name()), "{line}");
        }
        assert!(names.len() > 400, "{}", names.len());
    }

    #[cfg(feature = "tensor")]
    #[test]
    fn every_line_names_an_operation_of_the_table_and_its_parameters() {
        let mut odd = Vec::new();
        for operator in lines().filter_map(parse) {
            let Some(name) = operator.operation() else { continue };
            let overloads = lanthorn_tensor::ops::Op::overloads(name);
            let overload = overloads.iter().any(|op| operator.fits(op.schema()));
            if !overload {
                odd.push(format!("{} as {name}", operator.schema));
            }
        }
        assert!(odd.is_empty(), "{}", odd.join("\n"));
    }
}
