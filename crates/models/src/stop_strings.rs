//! Stop strings: texts that end a row and are no part of its text.

/// A part of a row's text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    pub text: String,
    /// Whether a stop string follows the text and ends the row.
    pub is_stopped: bool,
}

/// Cuts a row's text at the first stop string. The end of the text is held back while it may be the
/// beginning of a stop string.
#[derive(Default)]
pub(crate) struct StopStrings {
    stops: Vec<String>,
    held: String,
}

impl StopStrings {
    pub fn new(stops: &[String]) -> StopStrings {
        StopStrings { stops: stops.to_vec(), held: String::new() }
    }

    /// Adds text; returns the part that no stop string can cut any more.
    pub fn push(&mut self, text: &str) -> Piece {
        self.held.push_str(text);
        if let Some(start) = self.stops.iter().filter_map(|stop| self.held.find(stop)).min() {
            self.held.truncate(start);
            return Piece { text: std::mem::take(&mut self.held), is_stopped: true };
        }
        let rest = self.held.split_off(self.held.len() - self.count_held());
        Piece { text: std::mem::replace(&mut self.held, rest), is_stopped: false }
    }

    /// Ends the row with `text`; returns everything that is left.
    pub fn finish(&mut self, text: &str) -> Piece {
        let mut piece = self.push(text);
        piece.text.push_str(&std::mem::take(&mut self.held));
        piece
    }

    /// The length in bytes of the longest end of the text with which a stop string begins.
    fn count_held(&self) -> usize {
        let text = &self.held;
        let is_begun = |&start: &usize| {
            let end = &text[start..];
            self.stops.iter().any(|stop| stop.len() > end.len() && stop.starts_with(end))
        };
        let start = text.char_indices().map(|(start, _)| start).find(is_begun);
        start.map_or(0, |start| text.len() - start)
    }
}
