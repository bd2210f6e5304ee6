//! A token for each word.

use super::Token;
use crate::Result;
use crate::json::Part;
use crate::vocabulary::Vocabulary;

/// The model of `tokenizer.json`.
#[derive(Clone, Debug)]
pub(crate) struct WordLevel {
    pub(crate) vocabulary: Vocabulary,
    unknown: u32,
}

impl WordLevel {
    pub(crate) fn from_json(part: &Part) -> Result<WordLevel> {
        let vocabulary = Vocabulary::from_json(&part.need("vocab")?)?;
        let unknown = vocabulary.need(part.str_or("unk_token", "<unk>")?, "unknown token")?;
        Ok(WordLevel { vocabulary, unknown })
    }

    pub(super) fn tokenize(&self, text: &str, tokens: &mut Vec<Token>) -> Result<()> {
        tokens.push(match self.vocabulary.id(text) {
            Some(id) => Token::new(id, 0..text.len()),
            None => Token::unknown(self.unknown, 0..text.len()),
        });
        Ok(())
    }
}
