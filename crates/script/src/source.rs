//! A source text, and locations in it.

use lanthorn_io::shorten;
use std::{fmt, rc::Rc};

/// A named source text.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
}

impl Source {
    /// A text with the name that errors show.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Rc<Source> {
        Rc::new(Source { name: name.into(), text: text.into() })
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line and column of a byte offset, and the text of the line.
    pub fn locate(&self, offset: usize) -> Location {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let start = self.text[..offset].rfind('\n').map_or(0, |index| index + 1);
        let line = self.text[..start].matches('\n').count() + 1;
        let column = self.text[start..offset].chars().count() + 1;
        let text = self.text[start..].lines().next().unwrap_or("").to_string();
        Location { source: self.name.clone(), line, column, text }
    }
}

/// A position in a source text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The name of the text: a path in the archive.
    pub source: String,
    /// The line, from 1; 0 if it is unknown.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The text of the line.
    pub text: String,
}

/// The longest line that a message shows, in characters.
const SHOWN: usize = 160;

impl Location {
    /// Whether the position is known.
    pub fn is_known(&self) -> bool {
        self.line > 0
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_known() {
            return Ok(());
        }
        let position = (self.line, self.column);
        write!(
            f,
            "\n  {}, line {}, column {}:\n    {}",
            self.source,
            position.0,
            position.1,
            shorten(&self.text, SHOWN)
        )?;
        if self.column <= SHOWN { write!(f, "\n    {:>1$}", "^", self.column) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_shows_its_line_with_a_caret() {
        let source = Source::new("f.py", "x = 1\ny = zz\n");
        let location = source.locate(10);
        assert_eq!((location.line, location.column), (2, 5));
        assert_eq!(location.to_string(), "\n  f.py, line 2, column 5:\n    y = zz\n        ^");
    }
}
