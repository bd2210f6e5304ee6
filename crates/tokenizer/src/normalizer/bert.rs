//! BERT's cleaning of text.

use super::lowercase;
use crate::Result;
use crate::json::Part;
use crate::piece::{Change, Piece};
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// The steps of BERT's normalization.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BertNormalizer {
    pub(crate) clean_text: bool,
    pub(crate) handle_chinese_chars: bool,
    pub(crate) strip_accents: bool,
    pub(crate) lowercase: bool,
}

impl BertNormalizer {
    pub(crate) fn from_json(part: &Part) -> Result<BertNormalizer> {
        let lowercase = part.bool_or("lowercase", true)?;
        Ok(BertNormalizer {
            clean_text: part.bool_or("clean_text", true)?,
            handle_chinese_chars: part.bool_or("handle_chinese_chars", true)?,
            strip_accents: part.bool_or("strip_accents", lowercase)?,
            lowercase,
        })
    }

    pub(crate) fn apply(&self, piece: &mut Piece) {
        if self.clean_text {
            piece.filter(|character| !matches!(character, '\0' | '\u{fffd}') && !is_control(character));
            piece.map(|character| if character.is_whitespace() { ' ' } else { character });
        }
        if self.handle_chinese_chars {
            let spaced = |character: char| match is_ideograph(character) {
                true => vec![(' ', 0), (character, 1), (' ', 1)],
                false => vec![(character, 0)],
            };
            let changes: Vec<Change> = piece.text().chars().flat_map(spaced).collect();
            piece.transform(changes, 0);
        }
        if self.strip_accents {
            let changes: Vec<Change> = piece.text().nfd().collect();
            piece.transform(changes, 0);
            piece.filter(|character| !character.is_mark_nonspacing());
        }
        if self.lowercase {
            lowercase(piece);
        }
    }
}

fn is_control(character: char) -> bool {
    !matches!(character, '\t' | '\n' | '\r') && character.is_other()
}

/// The blocks that BERT puts spaces around. Kana and hangul are written with others.
fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2B73F}' | '\u{2B740}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}
