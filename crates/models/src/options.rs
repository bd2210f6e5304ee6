//! The options of `generate`, with the names of transformers' `GenerationConfig`.
//!
//! Options that are numbers are rows of a table, from which the types, defaults and checks of the npm
//! package are printed. Rejected: checks in both languages, whose errors differed.

use crate::{CausalLm, generate::OP, text::TextTokenizer};
use lanthorn_tensor::{Error, Result, Tensor};
use std::rc::Rc;

/// Changes the logits of the next token: gets the ids so far by row, prompts included, and the logits
/// `[batch, vocab_size]`, and returns others of that shape.
pub type LogitsProcessor = Box<dyn Fn(&[Vec<i64>], &Tensor) -> Result<Tensor>>;

/// The accepted values of a number.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Whether the number is an integer.
    pub is_integer: bool,
    /// The smallest accepted number.
    pub min: f64,
    /// The largest accepted number.
    pub max: f64,
    /// The accepted values, in words.
    pub takes: &'static str,
}

/// The smallest positive float64.
const ABOVE_ZERO: f64 = 5e-324;

const NUMBER: Bounds = Bounds { is_integer: false, min: f64::MIN, max: f64::MAX, takes: "a number" };
const POSITIVE: Bounds = Bounds { min: ABOVE_ZERO, takes: "a positive number", ..NUMBER };
const TEMPERATURE: Bounds = Bounds { takes: "a positive number; greedy is do_sample: false", ..POSITIVE };
const SHARE: Bounds = Bounds { max: 1.0, takes: "a number above 0 and up to 1", ..POSITIVE };
const FRACTION: Bounds = Bounds { min: 0.0, max: 1.0, takes: "a number from 0 to 1", ..NUMBER };
const INTEGER: Bounds = Bounds { is_integer: true, min: 0.0, takes: "an integer from 0", ..NUMBER };
const POSITIVE_INTEGER: Bounds = Bounds { min: 1.0, takes: "a positive integer", ..INTEGER };

impl Bounds {
    fn contains(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value) && (!self.is_integer || value.fract() == 0.0)
    }
}

/// An option that is a number.
#[derive(Clone, Copy, Debug)]
pub struct NumberOption {
    /// The field of [`GenerationConfig`].
    pub name: &'static str,
    /// Its documentation, a line for each line.
    pub doc: &'static [&'static str],
    /// The default.
    pub default: f64,
    /// The accepted values.
    pub bounds: Bounds,
}

/// A type of fields that are numbers.
trait Number: Copy {
    fn to_f64(self) -> f64;
}

impl Number for f64 {
    fn to_f64(self) -> f64 {
        self
    }
}

impl Number for usize {
    fn to_f64(self) -> f64 {
        self as f64
    }
}

/// Declares [`GenerationConfig`]: its numbers with their defaults and bounds, and its other fields.
macro_rules! generation_config {
    (
        $($(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:literal, $bounds:expr;)+
        others {
            $($(#[doc = $other_doc:literal])+ $other:ident: $other_type:ty = $other_default:expr;)+
        }
    ) => {
        /// How the next tokens are chosen, with the names of transformers' `GenerationConfig`.
        ///
        /// ```
        /// let config = lanthorn::models::GenerationConfig { max_new_tokens: 100, ..Default::default() };
        /// assert_eq!((config.temperature, config.do_sample), (1.0, false));
        /// ```
        pub struct GenerationConfig {
            $($(#[doc = $doc])+
            #[doc = concat!(" Default: ", stringify!($default), ".")]
            pub $name: $type,)+
            $($(#[doc = $other_doc])+
            pub $other: $other_type,)+
        }

        impl Default for GenerationConfig {
            fn default() -> GenerationConfig {
                GenerationConfig { $($name: $default,)+ $($other: $other_default,)+ }
            }
        }

        impl GenerationConfig {
            /// The numbers in the order of [`NUMBERS`].
            fn numbers(&self) -> Vec<f64> {
                vec![$(Number::to_f64(self.$name)),+]
            }
        }

        /// The options that are numbers.
        pub static NUMBERS: &[NumberOption] = &[
            $(NumberOption {
                name: stringify!($name),
                doc: &[$($doc),+],
                default: $default as f64,
                bounds: $bounds,
            }),+
        ];
    };
}

generation_config! {
    /// The most tokens of a row.
    max_new_tokens: usize = 20, POSITIVE_INTEGER;
    /// Divides logits.
    temperature: f64 = 1.0, TEMPERATURE;
    /// The number of the most likely tokens that are kept; 0 for all.
    top_k: usize = 50, INTEGER;
    /// Only the most likely tokens whose probabilities add up to this.
    top_p: f64 = 1.0, SHARE;
    /// Only tokens that are at least so likely, relative to the most likely one.
    min_p: f64 = 0.0, FRACTION;
    /// Divides positive logits of tokens that occurred, and multiplies negative ones.
    repetition_penalty: f64 = 1.0, POSITIVE;
    /// Subtracted from the logits of a generated token, once for each occurrence.
    frequency_penalty: f64 = 0.0, NUMBER;
    /// Subtracted from the logits of all tokens that were generated.
    presence_penalty: f64 = 0.0, NUMBER;
    /// The most tokens of a prompt that are computed at once. The rest of a prompt takes quarters of
    /// it, down to 16, so that little is computed for padding and few sizes occur.
    prefill_chunk: usize = 256, POSITIVE_INTEGER;
    /// The number of candidates, taken from where the text's last tokens occurred before; 0 for none.
    /// The model checks them in one call, and takes those that it would have chosen: the tokens are
    /// the same, and come faster where a text repeats itself. For one prompt.
    prompt_lookup_num_tokens: usize = 0, INTEGER;
    /// The most tokens that have to occur before candidates.
    max_matching_ngram_size: usize = 2, POSITIVE_INTEGER;
    /// The number of candidates of `assistant_model`.
    num_assistant_tokens: usize = 5, POSITIVE_INTEGER;
    others {
        /// Whether tokens are drawn at random (default: false, the most likely one).
        do_sample: bool = false;
        /// The seed of random choices (default: 0).
        seed: u64 = 0;
        /// Decodes the tokens (default: none, their texts are empty).
        tokenizer: Option<Rc<dyn TextTokenizer>> = None;
        /// Texts that end a row and are no part of its text (default: none). They need a tokenizer.
        stop_strings: Vec<String> = vec![];
        /// The ids that end a row; by default the model's.
        eos_token_ids: Option<Vec<i64>> = None;
        /// Functions that change logits, before the temperature.
        logits_processors: Vec<LogitsProcessor> = vec![];
        /// A smaller model with the same vocabulary, whose most likely tokens are the candidates
        /// (default: none).
        assistant_model: Option<Rc<CausalLm>> = None;
    }
}

impl GenerationConfig {
    /// Refuses options that are wrong, and a tokenizer with more tokens than the model.
    pub(crate) fn check(&self, vocab: usize) -> Result<()> {
        for (NumberOption { name, bounds, .. }, value) in NUMBERS.iter().zip(self.numbers()) {
            if !bounds.contains(value) {
                let message = format!("the argument {name} takes {}, not {value}", bounds.takes);
                return Err(Error::argument(OP, message));
            }
        }
        if self.stop_strings.iter().any(String::is_empty) {
            return Err(Error::argument(OP, "the argument stop_strings takes texts that are not empty"));
        }
        match &self.tokenizer {
            None if !self.stop_strings.is_empty() => Err(Error::argument(OP, "stop_strings need a tokenizer")),
            Some(tokenizer) if tokenizer.vocab_size() > vocab => {
                let tokens = tokenizer.vocab_size();
                let message = format!("the tokenizer has {tokens} tokens, and the model's embedding {vocab}");
                Err(Error::argument(OP, message))
            }
            _ => Ok(()),
        }
    }
}
