//! Decoding of ids that come one by one.

use crate::{Result, Tokenizer};

/// The most ids that are held back: a character has at most four bytes, and special tokens that are
/// skipped have no text.
const HELD_LIMIT: usize = 64;

/// Text from ids that come one by one, made by [`Tokenizer::decode_stream`].
///
/// A token may be a part of a character, and its text may depend on the token before it. The stream
/// therefore decodes a few ids again with each new one, and holds incomplete characters back.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
/// # let json = br#"{"model": {"type": "BPE", "vocab": {"<0xC3>": 0, "<0xA9>": 1, "a": 2}, "merges": []},
/// #   "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}}"#;
/// let tokenizer = lanthorn::tokenizer::Tokenizer::from_json(json)?;
/// let mut stream = tokenizer.decode_stream(true);
/// assert_eq!(stream.push(2)?.as_deref(), Some("a"));
/// assert_eq!(stream.push(0)?, None);
/// assert_eq!(stream.finish()?.as_deref(), Some("\u{fffd}")); // the text ended within a character
/// # Ok::<(), lanthorn::tokenizer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DecodeStream<'t> {
    tokenizer: &'t Tokenizer,
    state: StreamState,
}

/// The state of a stream, for those that keep the tokenizer elsewhere.
#[derive(Clone, Debug, Default)]
pub struct StreamState {
    skip_special_tokens: bool,
    /// The ids that are decoded again: those whose text was given, and those held back.
    ids: Vec<u32>,
    given: usize,
    /// The text of the given ids.
    text: String,
}

impl StreamState {
    /// The state before the first id.
    pub fn new(skip_special_tokens: bool) -> StreamState {
        StreamState { skip_special_tokens, ..StreamState::default() }
    }

    /// Takes the next id; returns the text that it completes.
    ///
    /// # Errors
    /// No token has the id, which the stream then leaves out.
    pub fn push(&mut self, tokenizer: &Tokenizer, id: u32) -> Result<Option<String>> {
        self.ids.push(id);
        let decoded = tokenizer.decode(&self.ids, self.skip_special_tokens);
        let text = decoded.inspect_err(|_| self.ids.truncate(self.ids.len() - 1))?;
        let is_complete = !text.ends_with(char::REPLACEMENT_CHARACTER) || self.ids.len() - self.given >= HELD_LIMIT;
        if !is_complete || text.len() <= self.text.len() {
            self.forget_silent(tokenizer)?;
            return Ok(None);
        }
        self.give(tokenizer, text)
    }

    /// Ends the stream, and returns the text held back so far. Incomplete characters become
    /// replacement characters.
    ///
    /// # Errors
    /// As [`StreamState::push`].
    pub fn finish(&mut self, tokenizer: &Tokenizer) -> Result<Option<String>> {
        let text = tokenizer.decode(&self.ids, self.skip_special_tokens)?;
        let rest = self.give(tokenizer, text)?;
        *self = StreamState::new(self.skip_special_tokens);
        Ok(rest.filter(|rest| !rest.is_empty()))
    }

    fn give(&mut self, tokenizer: &Tokenizer, text: String) -> Result<Option<String>> {
        let new = match text.strip_prefix(self.text.as_str()) {
            Some(new) => new.to_string(),
            // ByteFallback decodes a run of bytes again with each byte, to no text if its end is no
            // character. Text that was returned stays.
            None => tokenizer.decode(self.ids.get(self.given..).unwrap_or_default(), self.skip_special_tokens)?,
        };
        // Decoders treat the front of a text differently, so the ids that are kept have text.
        let kept = self.ids.get(self.given..).unwrap_or_default();
        let kept_text = tokenizer.decode(kept, self.skip_special_tokens)?;
        if kept_text.is_empty() && self.ids.len() < HELD_LIMIT {
            self.text = text;
        } else {
            self.ids.drain(..self.given);
            self.text = kept_text;
        }
        self.given = self.ids.len();
        Ok(Some(new))
    }

    /// Drops ids without text, of which there may be any number.
    fn forget_silent(&mut self, tokenizer: &Tokenizer) -> Result<()> {
        if self.skip_special_tokens && self.ids.last().is_some_and(|id| tokenizer.is_special(*id)) {
            self.ids.pop();
        }
        Ok(())
    }
}

impl<'t> DecodeStream<'t> {
    pub(crate) fn new(tokenizer: &'t Tokenizer, skip_special_tokens: bool) -> DecodeStream<'t> {
        DecodeStream { tokenizer, state: StreamState::new(skip_special_tokens) }
    }

    /// Takes the next id; returns the text that it completes.
    ///
    /// # Errors
    /// No token has the id, which the stream then leaves out.
    pub fn push(&mut self, id: u32) -> Result<Option<String>> {
        self.state.push(self.tokenizer, id)
    }

    /// Ends the stream, and returns the text held back so far. Incomplete characters become
    /// replacement characters.
    ///
    /// # Errors
    /// As [`DecodeStream::push`].
    pub fn finish(mut self) -> Result<Option<String>> {
        self.state.finish(self.tokenizer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_was_given_stays_when_the_bytes_after_it_are_no_character() -> Result<()> {
        let json = br#"{"model": {"type": "BPE", "vocab": {"<0xC3>": 0, "<0xA9>": 1, "a": 2}, "merges": []},
            "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}}"#;
        let tokenizer = Tokenizer::from_json(json)?;
        let mut stream = tokenizer.decode_stream(true);
        let mut push = |id| stream.push(id).map(Option::unwrap_or_default);
        assert_eq!((push(0)?, push(1)?), (String::new(), "é".to_string()));
        assert_eq!((push(0)?, push(2)?), (String::new(), "\u{fffd}a".to_string()));
        assert_eq!((push(0)?, push(1)?, push(0)?), (String::new(), "é".to_string(), String::new()));
        assert_eq!(stream.finish()?.as_deref(), Some("\u{fffd}"));
        Ok(())
    }
}
