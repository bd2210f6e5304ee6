//! The WGSL library: selects the functions that a shader needs, and fills in templates.
//!
//! `shaders/common` contains items, separated by blank lines. A shader includes the items whose
//! names occur in it, and the items whose names occur in those. No dependency is declared, and no
//! unused function is compiled.

use rustc_hash::FxHashMap;
use std::{collections::BTreeSet, sync::OnceLock};

const SOURCES: [&str; 9] = [
    include_str!("../shaders/common/compare.wgsl"),
    include_str!("../shaders/common/half.wgsl"),
    include_str!("../shaders/common/packed.wgsl"),
    include_str!("../shaders/common/integer.wgsl"),
    include_str!("../shaders/common/parts.wgsl"),
    include_str!("../shaders/common/exponential.wgsl"),
    include_str!("../shaders/common/trigonometric.wgsl"),
    include_str!("../shaders/common/power.wgsl"),
    include_str!("../shaders/common/random.wgsl"),
];

/// The start of every text in CUDA C++. It compiles quickly, so it is always included as a whole.
pub(crate) const CUDA: [&str; 5] = [
    include_str!("../shaders/common/words.cuh"),
    include_str!("../shaders/common/integer.cuh"),
    include_str!("../shaders/common/math.cuh"),
    include_str!("../shaders/common/random.cuh"),
    include_str!("../shaders/common/workgroup.cuh"),
];

struct Item {
    text: &'static str,
    needs: Vec<&'static str>,
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    // A word in a comment is not a reference.
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).filter(|word| !word.is_empty())
}

fn library() -> &'static FxHashMap<&'static str, Item> {
    static LIBRARY: OnceLock<FxHashMap<&'static str, Item>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut items = FxHashMap::default();
        for text in SOURCES.iter().flat_map(|source| source.split("\n\n")) {
            let mut words = identifiers(text);
            if words.any(|word| word == "fn" || word == "struct")
                && let Some(name) = words.next()
            {
                items.insert(name, Item { text: text.trim_end(), needs: Vec::new() });
            }
        }
        let names: Vec<&'static str> = items.keys().copied().collect();
        let is_structure = |(_, item): &(&&str, &Item)| identifiers(item.text).any(|word| word == "struct");
        let structures: BTreeSet<&str> = items.iter().filter(is_structure).map(|(name, _)| *name).collect();
        for (name, item) in &mut items {
            let used: BTreeSet<&str> = identifiers(item.text).collect();
            // A variable may have the same name as a function. Only a call has parentheses after
            // the name.
            let called = |other: &str| item.text.contains(&format!("{other}("));
            let is_used = |other: &&str| used.contains(other) && (structures.contains(other) || called(other));
            item.needs = names.iter().copied().filter(|other| other != name && is_used(other)).collect();
        }
        items
    })
}

/// The text of these functions and of all that they need, in a fixed order.
pub(crate) fn functions(wanted: &BTreeSet<String>) -> String {
    let library = library();
    let mut all = BTreeSet::new();
    let mut stack: Vec<&str> = wanted.iter().map(String::as_str).collect();
    while let Some(name) = stack.pop() {
        if all.insert(name)
            && let Some(item) = library.get(name)
        {
            stack.extend(&item.needs);
        }
    }
    let texts = all.iter().filter_map(|name| library.get(name)).map(|item| item.text);
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Replaces every `{{name}}` in a template. A replacement may contain placeholders that later
/// entries fill.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = template.to_string();
    for (name, value) in values {
        text = text.replace(&format!("{{{{{name}}}}}"), value.trim_end());
    }
    debug_assert!(!text.contains("{{"), "a placeholder is unfilled:\n{text}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_brings_what_it_needs_and_no_more() {
        let text = functions(&BTreeSet::from(["sin_f32".to_string()]));
        for needed in ["fn sin_f32", "fn reduce_angle", "struct Reduced", "fn multiply_high(", "fn select_bits"] {
            assert!(text.contains(needed), "{needed}");
        }
        assert!(!text.contains("exp_f32"));
        // `f16_value` has a variable `normal`, and a library function has the same name.
        assert!(!functions(&BTreeSet::from(["f16_value".to_string()])).contains("fn normal"));
    }
}
