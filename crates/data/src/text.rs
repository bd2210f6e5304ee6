//! Tokenizers: a token for each character, or byte-pair encoding.

mod bpe;
mod character;
mod pretokenize;
mod train;

pub use bpe::BytePairTokenizer;
pub use character::CharacterTokenizer;
