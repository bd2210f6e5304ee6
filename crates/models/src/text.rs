//! The text of generated tokens, and the tokenizer that decodes them.
//!
//! `generate` knows a tokenizer by a trait, so that a program may use any, and this crate depends on
//! one only with the feature `tokenizer`.

use crate::stop_strings::{Piece, StopStrings};
use lanthorn_tensor::Result;
use std::rc::Rc;

/// A tokenizer that decodes the tokens of [`generate`](crate::generate). With the feature
/// `tokenizer`, `lanthorn::tokenizer::Tokenizer` is one.
///
/// ```
/// use lanthorn::{Result, models::{TextStream, TextTokenizer}};
/// use std::rc::Rc;
///
/// /// A tokenizer with a letter for each id.
/// struct Letters;
///
/// impl TextTokenizer for Letters {
///     fn vocab_size(&self) -> usize {
///         26
///     }
///     fn text_stream(self: Rc<Self>) -> Box<dyn TextStream> {
///         Box::new(Letters)
///     }
/// }
///
/// impl TextStream for Letters {
///     fn push(&mut self, id: i64) -> Result<String> {
///         Ok(char::from(b'a' + id as u8).to_string())
///     }
///     fn finish(&mut self) -> Result<String> {
///         Ok(String::new())
///     }
/// }
/// assert_eq!(Rc::new(Letters).text_stream().push(2)?, "c");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait TextTokenizer {
    /// The number of tokens, of which a model has at least as many.
    fn vocab_size(&self) -> usize;

    /// A decoder for the tokens of one row.
    fn text_stream(self: Rc<Self>) -> Box<dyn TextStream>;
}

/// Decodes the tokens of one row, one by one, without the text of special tokens.
pub trait TextStream {
    /// Returns the text that an id completes: nothing while bytes of a character are missing, and
    /// nothing for an id without a token, which models have as padding.
    ///
    /// # Errors
    ///
    /// The tokenizer's.
    fn push(&mut self, id: i64) -> Result<String>;

    /// Ends the row; returns the text of incomplete characters.
    ///
    /// # Errors
    ///
    /// The tokenizer's.
    fn finish(&mut self) -> Result<String>;
}

/// The text of a row up to a stop string. Without a tokenizer it is empty.
pub(crate) struct RowText {
    stream: Option<Box<dyn TextStream>>,
    stops: StopStrings,
}

impl RowText {
    pub fn new(tokenizer: Option<&Rc<dyn TextTokenizer>>, stops: &[String]) -> RowText {
        let stream = tokenizer.map(|tokenizer| tokenizer.clone().text_stream());
        RowText { stream, stops: StopStrings::new(stops) }
    }

    /// The text that a token completes.
    pub fn push(&mut self, token: i64) -> Result<Piece> {
        let text = self.stream.as_mut().map(|stream| stream.push(token)).transpose()?;
        Ok(self.stops.push(&text.unwrap_or_default()))
    }

    /// The rest of the text at the end of the row.
    pub fn finish(&mut self) -> Result<Piece> {
        let text = self.stream.as_mut().map(|stream| stream.finish()).transpose()?;
        Ok(self.stops.finish(&text.unwrap_or_default()))
    }
}
