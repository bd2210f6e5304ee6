//! How far an operand has been walked, as WGSL.

use std::fmt::Write;

/// How far the functions of an operand have been added up: the terms of each.
#[derive(Clone)]
pub(crate) struct Cursor(pub(super) Vec<Vec<String>>);

impl Cursor {
    pub(super) fn sum(terms: &[String]) -> String {
        if terms.is_empty() { "0u".to_string() } else { terms.join(" + ") }
    }

    /// Statements that compute what has come together so far, under names that start with `name`.
    pub(crate) fn bind(&mut self, name: &str) -> String {
        let mut text = String::new();
        for (at, terms) in self.0.iter_mut().enumerate().filter(|(_, terms)| !terms.is_empty()) {
            let name = if at == 0 { name.to_string() } else { format!("{name}_t{}", at - 1) };
            // Writing to a String does not fail.
            let _ = writeln!(text, "let {name} = {};", Cursor::sum(terms));
            *terms = vec![name];
        }
        text
    }

    /// The place of an operand without windows.
    pub(crate) fn place(&self) -> String {
        Cursor::sum(&self.0[0])
    }

    /// A cursor with one more term in its place.
    pub(crate) fn with(&self, term: &str) -> Cursor {
        let mut cursor = self.clone();
        cursor.0[0].push(term.to_string());
        cursor
    }

    /// Both sums together.
    pub(crate) fn plus(&self, other: &Cursor) -> Cursor {
        Cursor(self.0.iter().zip(&other.0).map(|(a, b)| [&a[..], &b[..]].concat()).collect())
    }
}
