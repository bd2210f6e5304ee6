//! Language models: GPT-2, Llama, Mistral, Qwen, Gemma and Phi, read from Hugging Face's folders
//! and from GGUF, and the generation of tokens and, with a tokenizer, of text.
//!
//! One decoder serves all families: `families.json`, which the npm package also reads, has the
//! parts of each family and their names in its files. Rejected: a file for each family, which
//! repeats the same computation with other names.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod attend;
mod cache;
mod candidates;
mod causal_lm;
mod config;
mod decoder;
mod generate;
mod gguf;
mod layers;
#[cfg(feature = "tokenizer")]
mod model_tokenizer;
#[doc(hidden)]
pub mod options;
mod prefill;
mod pretrained;
mod sampling;
#[cfg(test)]
mod shared_tests;
mod stop_strings;
mod text;
mod weight;

pub use attend::{AttendOptions, attend};
pub use cache::KvCache;
pub use causal_lm::CausalLm;
pub use config::DecoderConfig;
pub use generate::{FinishReason, GeneratedToken, Generation, generate};
#[cfg(feature = "tokenizer")]
pub use model_tokenizer::ModelTokenizer;
pub use options::{GenerationConfig, LogitsProcessor};
pub use pretrained::{PretrainedOptions, from_pretrained, from_pretrained_with};
pub use text::{TextStream, TextTokenizer};
