//! Tokenizers: Hugging Face's `tokenizer.json`, SentencePiece's `.model`, and the vocabularies of
//! GGUF; and the chat templates that come with them.
//!
//! The crate reads the files of the library `tokenizers`, and returns the same ids and offsets:
//! tests compare the two over a corpus of all scripts. Rejected: that library itself, compiled to
//! WebAssembly. It is 625 kB compressed without chat templates, most of it automata for regular
//! expressions, threads and training; on files that do not fit together it panics; and it has no
//! reader of SentencePiece's models, whose ties and rounding differ.
//!
//! Files are not trusted. For any bytes, a reader returns a tokenizer or a typed [`Error`] that
//! names the part of the file.
//!
//! ```
//! # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
//! use lanthorn::tokenizer::Tokenizer;
//! let json = r#"{
//!     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
//!     "model": {"type": "BPE", "vocab": {"h": 0, "i": 1, "Ġ": 2, "hi": 3, "Ġhi": 4}, "merges": ["h i", "Ġ hi"]},
//!     "decoder": {"type": "ByteLevel"}
//! }"#;
//! let tokenizer = Tokenizer::from_json(json.as_bytes())?;
//! let ids = tokenizer.encode("hi hi", &Default::default())?.ids;
//! assert_eq!(ids, [3, 4]);
//! assert_eq!(tokenizer.decode(&ids, true)?, "hi hi");
//! # Ok::<(), lanthorn::tokenizer::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod added;
mod bytes;
mod chat;
mod decoder;
mod encoding;
mod error;
mod gguf;
mod json;
mod model;
mod normalizer;
mod piece;
mod post_processor;
mod pre_tokenizer;
mod regex;
mod sentence_piece;
mod stream;
mod tokenizer;
mod vocabulary;

pub use added::AddedToken;
pub use chat::{ChatOptions, DateTime};
pub use encoding::{Encoding, Padding, Truncation, TruncationStrategy};
pub use error::{Error, Result};
pub use stream::{DecodeStream, StreamState};
pub use tokenizer::{EncodeOptions, Tokenizer};

/// The most bytes of the beginning of a GGUF file that can have its metadata.
pub const GGUF_METADATA_LIMIT: usize = 64 << 20;
