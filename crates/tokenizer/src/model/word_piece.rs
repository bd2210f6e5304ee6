//! BERT's WordPiece: the longest token that a word begins with, and so on for the rest.

use super::Token;
use crate::Result;
use crate::json::Part;
use crate::normalizer::Prefixes;
use crate::vocabulary::Vocabulary;

/// The model of `tokenizer.json`.
#[derive(Clone, Debug)]
pub(crate) struct WordPiece {
    pub(crate) vocabulary: Vocabulary,
    unknown: u32,
    longest_word: usize,
    /// Tokens that begin a word.
    first: Prefixes,
    /// Tokens inside of a word, without their mark.
    inner: Prefixes,
}

impl WordPiece {
    pub(crate) fn from_json(part: &Part) -> Result<WordPiece> {
        let vocabulary = Vocabulary::from_json(&part.need("vocab")?)?;
        let unknown = vocabulary.need(part.str_or("unk_token", "[UNK]")?, "unknown token")?;
        let prefix = part.str_or("continuing_subword_prefix", "##")?;
        let longest_word = part.u32_or("max_input_chars_per_word", 100)? as usize;
        Ok(WordPiece::new(vocabulary, unknown, prefix, longest_word))
    }

    pub(crate) fn new(vocabulary: Vocabulary, unknown: u32, prefix: &str, longest_word: usize) -> WordPiece {
        let (mut first, mut inner) = (Prefixes::default(), Prefixes::default());
        for (token, id) in vocabulary.iter() {
            first.insert(token, id);
            if let Some(rest) = token.strip_prefix(prefix) {
                inner.insert(rest, id);
            }
        }
        WordPiece { vocabulary, unknown, longest_word, first, inner }
    }

    pub(super) fn tokenize(&self, text: &str, tokens: &mut Vec<Token>) -> Result<()> {
        let before = tokens.len();
        let mut at = 0;
        let is_short = text.chars().count() <= self.longest_word;
        while is_short && at < text.len() {
            let known = if at == 0 { &self.first } else { &self.inner };
            let Some((length, id)) = known.longest(&text[at..]) else { break };
            tokens.push(Token::new(id, at..at + length));
            at += length;
        }
        if at < text.len() {
            tokens.truncate(before);
            tokens.push(Token::unknown(self.unknown, 0..text.len()));
        }
        Ok(())
    }
}
