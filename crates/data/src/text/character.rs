//! A token for each character.

use lanthorn_tensor::{Error, Result};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// A tokenizer with a token for each character of a text, numbered by code point.
///
/// ```
/// use lanthorn::data::text::CharacterTokenizer;
/// let tokenizer = CharacterTokenizer::fit("hello");
/// assert_eq!(tokenizer.encode("hole")?, [1, 3, 2, 0]);
/// assert_eq!(tokenizer.decode(&[1, 3, 2, 0])?, "hole");
/// assert_eq!(CharacterTokenizer::from_json(&tokenizer.to_json())?, tokenizer);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterTokenizer {
    characters: Vec<char>,
    tokens: HashMap<char, i32>,
}

impl CharacterTokenizer {
    /// A tokenizer for the characters of this text.
    pub fn fit(text: &str) -> CharacterTokenizer {
        let characters: BTreeSet<char> = text.chars().collect();
        CharacterTokenizer::from_characters(characters.into_iter().collect())
    }

    fn from_characters(characters: Vec<char>) -> CharacterTokenizer {
        let tokens = characters.iter().enumerate().map(|(token, &character)| (character, token as i32)).collect();
        CharacterTokenizer { characters, tokens }
    }

    /// The number of tokens.
    pub fn vocab_size(&self) -> usize {
        self.characters.len()
    }

    /// The token of each character; an unknown character is an error.
    ///
    /// # Errors
    ///
    /// `data` for a character that has no token.
    pub fn encode(&self, text: &str) -> Result<Vec<i32>> {
        let unknown = |index, character: char| {
            Error::data("encode", format!("there is no token for {character:?}, character {index} of the text"))
        };
        let token = |(index, character)| self.tokens.get(&character).copied().ok_or_else(|| unknown(index, character));
        text.chars().enumerate().map(token).collect()
    }

    /// The text of tokens.
    ///
    /// # Errors
    ///
    /// `index` for a token that does not exist.
    pub fn decode(&self, tokens: &[i32]) -> Result<String> {
        let unknown =
            |token| Error::index("decode", format!("there is no token {token}, there are {}", self.vocab_size()));
        let character = |&token: &i32| {
            usize::try_from(token).ok().and_then(|at| self.characters.get(at)).ok_or_else(|| unknown(token))
        };
        tokens.iter().map(character).collect()
    }

    /// The tokenizer as JSON: `{"type":"character","characters":["a","b"]}`.
    pub fn to_json(&self) -> String {
        json!({ "type": "character", "characters": self.characters }).to_string()
    }

    /// A tokenizer from [`CharacterTokenizer::to_json`].
    ///
    /// # Errors
    ///
    /// `file` for other texts.
    pub fn from_json(json: &str) -> Result<CharacterTokenizer> {
        let refused = |message: String| Error::file("CharacterTokenizer", message);
        let value: Value = serde_json::from_str(json).map_err(|error| refused(format!("this is no JSON: {error}")))?;
        let characters = match (value["type"].as_str(), value["characters"].as_array()) {
            (Some("character"), Some(characters)) => characters,
            _ => return Err(refused("this is not the JSON of a character tokenizer".to_string())),
        };
        let one = |value: &Value| {
            let mut characters = value.as_str().unwrap_or_default().chars();
            match (characters.next(), characters.next()) {
                (Some(character), None) => Ok(character),
                _ => Err(refused(format!("{value} is not one character"))),
            }
        };
        let tokenizer = CharacterTokenizer::from_characters(characters.iter().map(one).collect::<Result<_>>()?);
        if tokenizer.tokens.len() < tokenizer.characters.len() {
            return Err(refused("a character is there twice".to_string()));
        }
        Ok(tokenizer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_fitted_comes_back(text: String) {
            let tokenizer = CharacterTokenizer::fit(&text);
            prop_assert_eq!(tokenizer.decode(&tokenizer.encode(&text).unwrap()).unwrap(), text);
            prop_assert_eq!(CharacterTokenizer::from_json(&tokenizer.to_json()).unwrap(), tokenizer);
        }
    }

    #[test]
    fn mistakes_are_told() {
        let tokenizer = CharacterTokenizer::fit("ab");
        assert_eq!(
            tokenizer.encode("abc").unwrap_err().to_string(),
            "encode: there is no token for 'c', character 2 of the text"
        );
        assert!(tokenizer.decode(&[2]).unwrap_err().is_index());
        assert!(tokenizer.decode(&[-1]).unwrap_err().is_index());
        for json in [
            "",
            "{}",
            "[]",
            r#"{"type":"character","characters":["ab"]}"#,
            r#"{"type":"character","characters":["a","a"]}"#,
        ] {
            assert!(CharacterTokenizer::from_json(json).unwrap_err().is_file(), "{json}");
        }
    }
}
