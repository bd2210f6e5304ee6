//! Byte-pair encoding of bytes, with the file format of GPT-2.

use super::{pretokenize::words, train};
use lanthorn_tensor::{Error, Result};
use serde_json::Value;
use std::collections::HashMap;

/// Byte-pair encoding (Sennrich, Haddow and Birch, 2016) over bytes, as in GPT-2: every text can be
/// encoded, and decodes to itself.
///
/// A tokenizer is read from `vocab.json` and `merges.txt`, or trained. These files write a byte as
/// a printable character.
///
/// ```
/// use lanthorn::data::text::BytePairTokenizer;
/// let tokenizer = BytePairTokenizer::train("low lower lowest low low", 260)?;
/// let tokens = tokenizer.encode("lower slow")?;
/// assert!(tokens.len() < "lower slow".len());
/// assert_eq!(tokenizer.decode(&tokens)?, "lower slow");
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BytePairTokenizer {
    /// The bytes of each token.
    tokens: HashMap<i32, Vec<u8>>,
    /// The token of each single byte that has one.
    bytes: Vec<Option<i32>>,
    /// The rank of each pair and its merged token; lower ranks are merged first.
    merges: HashMap<(i32, i32), (usize, i32)>,
    /// The pairs in the order of their ranks.
    ranked: Vec<(i32, i32)>,
}

impl BytePairTokenizer {
    /// A tokenizer from the contents of GPT-2's `vocab.json` and `merges.txt`.
    ///
    /// # Errors
    ///
    /// `file` for texts of another format, and for merges of tokens that the vocabulary lacks.
    pub fn from_files(vocab_json: &str, merges_txt: &str) -> Result<BytePairTokenizer> {
        let vocab = match serde_json::from_str(vocab_json) {
            Ok(Value::Object(vocab)) => vocab,
            Ok(_) => return Err(file_error("vocab.json is not an object of tokens")),
            Err(error) => return Err(file_error(format!("vocab.json is no JSON: {error}"))),
        };
        let from_character: HashMap<char, u8> = characters().into_iter().zip(0..=u8::MAX).collect();
        let mut ids: HashMap<String, i32> = HashMap::new();
        let mut tokens = HashMap::new();
        for (name, id) in vocab {
            let id = id.as_i64().and_then(|id| i32::try_from(id).ok()).filter(|&id| id >= 0);
            let id = id.ok_or_else(|| file_error(format!("the id of token {name:?} is not a whole number")))?;
            let byte = |character: char| from_character.get(&character).copied();
            // Added tokens may have characters that encode no byte.
            let bytes =
                name.chars().map(byte).collect::<Option<Vec<u8>>>().unwrap_or_else(|| name.clone().into_bytes());
            if tokens.insert(id, bytes).is_some() {
                return Err(file_error(format!("two tokens have the id {id}")));
            }
            ids.insert(name, id);
        }
        let bytes =
            characters().iter().map(|character| ids.get(character.encode_utf8(&mut [0; 4]) as &str).copied()).collect();
        let mut tokenizer = BytePairTokenizer { tokens, bytes, merges: HashMap::new(), ranked: Vec::new() };
        for (number, line) in merges_txt.lines().enumerate() {
            if line.is_empty() || (number == 0 && line.starts_with("#version")) {
                continue;
            }
            let wrong = |what: &str| file_error(format!("line {} of merges.txt {what}: {line:?}", number + 1));
            let (left, right) = line
                .split_once(' ')
                .filter(|(_, right)| !right.contains(' '))
                .ok_or_else(|| wrong("is not two tokens"))?;
            let id = |name: &str| ids.get(name).copied().ok_or_else(|| wrong("names a token that vocab.json lacks"));
            let (pair, merged) = ((id(left)?, id(right)?), id(&format!("{left}{right}"))?);
            if !tokenizer.add(pair, merged) {
                return Err(wrong("is there twice"));
            }
        }
        Ok(tokenizer)
    }

    /// Trains a tokenizer of at most `vocab_size` tokens: the 256 bytes, then repeatedly the most
    /// frequent pair. Ties are broken by the lower ids.
    ///
    /// # Errors
    ///
    /// `argument` for a `vocab_size` below 256 or above 2^24.
    pub fn train(text: &str, vocab_size: usize) -> Result<BytePairTokenizer> {
        if !(256..=1 << 24).contains(&vocab_size) {
            return Err(Error::argument(
                "BytePairTokenizer",
                format!("vocab_size is from 256 to 2^24, not {vocab_size}"),
            ));
        }
        // GPT-2 numbers the bytes by the code points of their characters.
        let mut ordered: Vec<(char, u8)> = characters().into_iter().zip(0..=u8::MAX).collect();
        ordered.sort();
        let mut tokenizer = BytePairTokenizer {
            tokens: HashMap::new(),
            bytes: vec![None; 256],
            merges: HashMap::new(),
            ranked: Vec::new(),
        };
        for (id, (_, byte)) in (0..).zip(ordered) {
            tokenizer.tokens.insert(id, vec![byte]);
            tokenizer.bytes[usize::from(byte)] = Some(id);
        }
        let mut counts: HashMap<&str, usize> = HashMap::new();
        words(text).for_each(|word| *counts.entry(word).or_default() += 1);
        let counted =
            counts.into_iter().map(|(word, count)| Ok((tokenizer.start(word)?, count))).collect::<Result<_>>()?;
        for pair in train::merges(counted, 256, vocab_size) {
            let bytes = [tokenizer.bytes_of(pair.0)?, tokenizer.bytes_of(pair.1)?].concat();
            let merged = tokenizer.tokens.len() as i32;
            tokenizer.tokens.insert(merged, bytes);
            tokenizer.add(pair, merged);
        }
        Ok(tokenizer)
    }

    fn add(&mut self, pair: (i32, i32), merged: i32) -> bool {
        self.ranked.push(pair);
        self.merges.insert(pair, (self.ranked.len() - 1, merged)).is_none()
    }

    /// The number of tokens.
    pub fn vocab_size(&self) -> usize {
        self.tokens.len()
    }

    /// The token of this text as a whole, such as GPT-2's `<|endoftext|>`; `None` if there is none.
    pub fn token(&self, text: &str) -> Option<i32> {
        self.tokens.iter().find(|(_, bytes)| *bytes == text.as_bytes()).map(|(&id, _)| id)
    }

    /// The tokens of a text.
    ///
    /// # Errors
    ///
    /// `data` for a byte that has no token.
    pub fn encode(&self, text: &str) -> Result<Vec<i32>> {
        let mut known: HashMap<&str, Vec<i32>> = HashMap::new();
        let mut tokens = Vec::new();
        for word in words(text) {
            if !known.contains_key(word) {
                known.insert(word, self.merge_pairs(self.start(word)?));
            }
            tokens.extend_from_slice(&known[word]);
        }
        Ok(tokens)
    }

    /// The tokens of the word's bytes.
    fn start(&self, word: &str) -> Result<Vec<i32>> {
        let lacking =
            |byte| Error::data("encode", format!("the vocabulary has no token for the byte {byte}, of {word:?}"));
        word.bytes().map(|byte| self.bytes[usize::from(byte)].ok_or_else(|| lacking(byte))).collect()
    }

    /// Merges all occurrences of the pair of lowest rank, until no pair is left.
    fn merge_pairs(&self, mut word: Vec<i32>) -> Vec<i32> {
        while let Some((&(_, merged), pair)) =
            word.windows(2).filter_map(|pair| Some((self.merges.get(&(pair[0], pair[1]))?, (pair[0], pair[1])))).min()
        {
            train::merge(&mut word, pair, merged);
        }
        word
    }

    fn bytes_of(&self, token: i32) -> Result<&[u8]> {
        let unknown = || Error::index("decode", format!("there is no token {token}, there are {}", self.vocab_size()));
        self.tokens.get(&token).map(Vec::as_slice).ok_or_else(unknown)
    }

    /// The text of tokens. Invalid UTF-8, as when the tokens of a character are separated, becomes
    /// `\u{FFFD}`.
    ///
    /// # Errors
    ///
    /// `index` for a token that does not exist.
    pub fn decode(&self, tokens: &[i32]) -> Result<String> {
        let mut bytes = Vec::new();
        for &token in tokens {
            bytes.extend_from_slice(self.bytes_of(token)?);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The contents of `vocab.json` and `merges.txt`.
    pub fn to_files(&self) -> (String, String) {
        let characters = characters();
        let name = |id: &i32| -> String { self.tokens[id].iter().map(|&byte| characters[usize::from(byte)]).collect() };
        let mut ids: Vec<&i32> = self.tokens.keys().collect();
        ids.sort();
        let entries: Vec<String> = ids.into_iter().map(|id| format!("{}:{id}", Value::from(name(id)))).collect();
        let lines = self.ranked.iter().map(|(left, right)| format!("{} {}\n", name(left), name(right)));
        (format!("{{{}}}", entries.join(",")), std::iter::once("#version: 0.2\n".to_string()).chain(lines).collect())
    }
}

/// GPT-2's characters for the 256 bytes: a printable byte is its own character, the others are
/// numbered from U+0100.
fn characters() -> [char; 256] {
    let mut next = 0x100;
    std::array::from_fn(|byte| match byte as u8 {
        byte @ (b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF) => char::from(byte),
        _ => {
            next += 1;
            // U+0100 to U+0143 are letters.
            char::from_u32(next - 1).unwrap_or_default()
        }
    })
}

fn file_error(message: impl Into<String>) -> Error {
    Error::file("BytePairTokenizer", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "the cat sat on the mat; the mat's cat'll sit — naïve, 数学 and 12 345 more\n\n  the end";

    proptest! {
        #[test]
        fn any_text_comes_back(text: String, extra in 0usize..60) {
            let tokenizer = BytePairTokenizer::train(TEXT, 256 + extra).unwrap();
            prop_assert_eq!(tokenizer.decode(&tokenizer.encode(&text).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn files_come_back() {
        let tokenizer = BytePairTokenizer::train(TEXT, 290).unwrap();
        assert_eq!(tokenizer.vocab_size(), 290);
        let (vocab, merges) = tokenizer.to_files();
        assert_eq!(BytePairTokenizer::from_files(&vocab, &merges).unwrap(), tokenizer);
        assert_eq!(tokenizer.token("!"), Some(0));
        assert_eq!(tokenizer.token("<|endoftext|>"), None);
    }

    #[test]
    fn a_long_word_takes_no_long() {
        let tokenizer = BytePairTokenizer::train(&"a".repeat(1000), 300).unwrap();
        let text = "a".repeat(200_000);
        assert_eq!(tokenizer.decode(&tokenizer.encode(&text).unwrap()).unwrap(), text);
    }

    #[test]
    fn malformed_files_are_refused() {
        let cases = [
            ("", ""),
            ("[]", ""),
            (r#"{"a":-1}"#, ""),
            (r#"{"a":1.5}"#, ""),
            (r#"{"a":0,"b":0}"#, ""),
            (r#"{"a":0,"b":1,"ab":2}"#, "a"),
            (r#"{"a":0,"b":1,"ab":2}"#, "a b c"),
            (r#"{"a":0,"b":1}"#, "a b"),
            (r#"{"a":0,"b":1,"ab":2}"#, "a b\na b"),
        ];
        for (vocab, merges) in cases {
            assert!(BytePairTokenizer::from_files(vocab, merges).unwrap_err().is_file(), "{vocab} {merges}");
        }
        let small =
            BytePairTokenizer::from_files(r#"{"a":0,"b":1,"ab":2,"<|endoftext|>":3}"#, "#version: 0.2\na b\n").unwrap();
        assert_eq!(small.encode("abba").unwrap(), [2, 1, 0]);
        assert_eq!(small.token("<|endoftext|>"), Some(3));
        assert!(small.encode("abc").unwrap_err().is_data());
        assert!(small.decode(&[4]).unwrap_err().is_index());
        assert!(BytePairTokenizer::train("", 255).unwrap_err().is_argument());
    }
}
