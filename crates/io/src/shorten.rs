//! Shortens texts.
//!
//! A file may have a name of a gigabyte or a tensor of a million dimensions. Listings and errors
//! quote at most a bounded part of them.

use std::borrow::Cow;

/// Returns the text if it has at most `limit` characters; otherwise its start and its end, with its
/// length in characters between them.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::shorten;
/// assert_eq!(shorten("weight", 8), "weight");
/// assert_eq!(shorten("abcdefghijkl", 8), "abcdef... (12 characters) ...kl");
/// ```
pub fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    // A character has at least one byte.
    if text.len() <= limit || text.chars().count() <= limit {
        return Cow::Borrowed(text);
    }
    let (first, last) = (limit - limit / 4, limit / 4);
    let head: String = text.chars().take(first).collect();
    let mut tail: Vec<char> = text.chars().rev().take(last).collect();
    tail.reverse();
    Cow::Owned(format!("{head}... ({} characters) ...{}", text.chars().count(), tail.into_iter().collect::<String>()))
}
