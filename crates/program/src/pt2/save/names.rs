//! Python names: values become variables of the code that PyTorch generates.

use super::invalid;
use crate::{Result, graph::Graph};
use rustc_hash::{FxHashMap, FxHashSet};

/// Python's keywords.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Whether a text is an identifier and not a keyword of Python.
pub(super) fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !KEYWORDS.contains(&text)
}

/// The names of a graph's values, and new names for blocks and for calls with several results.
pub(super) struct Names {
    used: FxHashSet<String>,
    /// The next number for each prefix.
    next: FxHashMap<String, usize>,
}

impl Names {
    /// Collects all names of a graph.
    pub fn of(graph: &Graph) -> Names {
        Names { used: graph.names.iter().cloned().collect(), next: FxHashMap::default() }
    }

    /// Checks that the graph's values have distinct names that are identifiers.
    pub fn check(graph: &Graph) -> Result<Names> {
        let mut used = FxHashSet::default();
        let defined = graph.nodes.iter().flat_map(|node| node.defined());
        for id in graph.inputs.iter().copied().chain(defined) {
            let name = graph.names.get(id).map_or("", String::as_str);
            if !is_identifier(name) {
                return Err(invalid(format!("the name of a value, {name:?}, is no identifier of Python")));
            }
            if !used.insert(name.to_string()) {
                return Err(invalid(format!("two values have the name {name}")));
            }
        }
        Ok(Names { used, next: FxHashMap::default() })
    }

    /// Returns a new name that begins with `base`, an identifier or a keyword.
    pub fn make_unique(&mut self, base: &str) -> String {
        let next = self.next.entry(base.to_string()).or_default();
        loop {
            let name = if *next == 0 { base.to_string() } else { format!("{base}_{next}") };
            *next += 1;
            if is_identifier(&name) && self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_are_no_other_ones() {
        let graph = Graph { names: vec!["add".into(), "add_2".into()], ..Graph::default() };
        let mut names = Names::of(&graph);
        assert_eq!(
            [names.make_unique("add"), names.make_unique("add"), names.make_unique("if")],
            ["add_1", "add_3", "if_1"]
        );
    }

    #[test]
    fn identifiers_are_those_of_python() {
        assert!(["x", "_1", "sym_size_int_1"].into_iter().all(is_identifier));
        assert!(!["", "1x", "a.b", "lambda", "a b", "größe", "x'"].into_iter().any(is_identifier));
    }
}
