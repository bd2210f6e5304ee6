//! The range of rows on the other side that a row attends to, as text for both WGSL and CUDA:
//! filled keys, not after the query's position, and within its window.
//!
//! Neither end of the range decreases from one row to the next. A workgroup therefore reads from
//! the start of its first row's range to the end of its last row's range. The number of filled keys
//! is read from a read-only buffer, at an index that the threads of the workgroup share, so the
//! loop between barriers is uniform.

use lanthorn_ir::kernel::Attention;

/// The texts of one pass. They use the names `owned` and `met`, and the names that
/// [`Bounds::definitions`] defines.
pub(super) struct Bounds {
    keys_own: bool,
    has_lengths: bool,
    causal: bool,
    /// The name of the launch's parameter.
    window: Option<String>,
}

impl Bounds {
    pub(super) fn new(attention: &Attention, keys_own: bool) -> Bounds {
        let window = attention.window_param().map(|slot| format!("p{slot}"));
        Bounds { keys_own, has_lengths: attention.lengths.is_some(), causal: attention.causal, window }
    }

    /// Statements that define how many keys are filled, from the element of `lengths`, and the
    /// position of the first query.
    pub(super) fn definitions(&self, length: Option<&str>) -> String {
        let (keys, queries) = if self.keys_own { ("owned", "met") } else { ("met", "owned") };
        match length {
            Some(length) => format!(
                "let filled = min(max({length}, 0), i32({keys}));\nlet first_position = filled - i32({queries});\n"
            ),
            None => format!("let filled = i32({keys});\nlet first_position = 0;\n"),
        }
    }

    /// The first row that `row`, of type u32, meets.
    pub(super) fn start(&self, row: &str) -> String {
        match (self.keys_own, &self.window) {
            (true, _) if self.causal => clamp(&format!("i32({row}) - first_position"), "i32(met)"),
            (false, Some(window)) => clamp(&format!("first_position + i32({row}) + 1 - {window}"), "filled"),
            _ => "0u".to_string(),
        }
    }

    /// The end of the rows that `row`, of type u32, meets. If it meets none it may be below the
    /// start.
    pub(super) fn end(&self, row: &str) -> String {
        self.end_of(row, row)
    }

    /// The end of the rows that rows `first` to `last` meet. Both are of type u32.
    pub(super) fn end_of(&self, first: &str, last: &str) -> String {
        match (self.keys_own, self.has_lengths) {
            (false, _) if self.causal => clamp(&format!("first_position + i32({last}) + 1"), "filled"),
            (false, _) => "u32(filled)".to_string(),
            (true, false) => self.end_of_queries(&format!("i32({last})")),
            // An owned key that is not filled meets no query.
            (true, true) => {
                let queries = self.end_of_queries(&format!("min(i32({last}), filled - 1)"));
                format!("select(0u, {queries}, i32({first}) < filled)")
            }
        }
    }

    /// The end of the queries that attend to a filled key, of type i32.
    fn end_of_queries(&self, key: &str) -> String {
        match &self.window {
            Some(window) => clamp(&format!("{key} - first_position + {window}"), "i32(met)"),
            None => "met".to_string(),
        }
    }
}

/// Clamps a number of type i32 to 0..=`most`, as u32.
fn clamp(number: &str, most: &str) -> String {
    format!("u32(min(max({number}, 0), {most}))")
}
