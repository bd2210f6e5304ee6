//! The partial sums of an operand's index functions, as text in WGSL or CUDA.

use std::fmt::Write;

/// The terms added so far to each index function of an operand: first the offset, then the bounded
/// indices.
#[derive(Clone)]
pub(crate) struct Cursor(pub(super) Vec<Vec<String>>);

impl Cursor {
    pub(super) fn sum(terms: &[String]) -> String {
        if terms.is_empty() { "0u".to_string() } else { terms.join(" + ") }
    }

    /// Statements that compute the sums so far, with names that start with `name`.
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

    /// The offset of an operand without bounded indices.
    pub(crate) fn offset(&self) -> String {
        Cursor::sum(&self.0[0])
    }

    /// A cursor with one more term in its offset.
    pub(crate) fn with(&self, term: &str) -> Cursor {
        let mut cursor = self.clone();
        cursor.0[0].push(term.to_string());
        cursor
    }

    /// The sum of both.
    pub(crate) fn plus(&self, other: &Cursor) -> Cursor {
        Cursor(self.0.iter().zip(&other.0).map(|(a, b)| [&a[..], &b[..]].concat()).collect())
    }
}
