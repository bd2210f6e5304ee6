//! The text of tokens and the reasons for the end of a row, with a tokenizer of the test.

use crate::golden::{greedy, load, read_expected, rows};
use lanthorn_models::{CausalLm, FinishReason, GeneratedToken, GenerationConfig, TextStream, TextTokenizer, generate};
use std::rc::Rc;

/// A tokenizer with a character for each id: `A` for 0.
struct Letters(usize);

fn letter(id: i64) -> char {
    char::from(65 + id as u8)
}

fn text(ids: &[i64]) -> String {
    ids.iter().map(|&id| letter(id)).collect()
}

impl TextTokenizer for Letters {
    fn vocab_size(&self) -> usize {
        self.0
    }

    fn text_stream(self: Rc<Self>) -> Box<dyn TextStream> {
        Box::new(Letters(self.0))
    }
}

impl TextStream for Letters {
    fn push(&mut self, id: i64) -> lanthorn::Result<String> {
        Ok(letter(id).into())
    }

    fn finish(&mut self) -> lanthorn::Result<String> {
        Ok(String::new())
    }
}

fn config(count: usize, stops: &[&str]) -> GenerationConfig {
    let stop_strings = stops.iter().map(|stop| stop.to_string()).collect();
    GenerationConfig { tokenizer: Some(Rc::new(Letters(96))), stop_strings, ..greedy(count) }
}

fn all(model: &CausalLm, prompts: &[Vec<i64>], config: GenerationConfig) -> Vec<GeneratedToken> {
    generate(model, prompts, config, None).unwrap().collect::<lanthorn::Result<_>>().unwrap()
}

/// The text of one row, the number of its tokens, and why it ended.
fn summarize(tokens: &[GeneratedToken], row: usize) -> (String, usize, Option<FinishReason>) {
    let own: Vec<&GeneratedToken> = tokens.iter().filter(|token| token.row == row).collect();
    let text = own.iter().map(|token| token.text.as_str()).collect();
    (text, own.len(), own.last().and_then(|token| token.finish_reason))
}

#[test]
fn text_comes_with_tokens_up_to_a_stop_string() {
    let device = lanthorn::cpu();
    let (model, expected) = (load("llama3", &device), read_expected("llama3"));
    let (prompts, tokens) = (rows(&expected["prompts"]), rows(&expected["tokens"]));
    let (prompt, first) = (&prompts[..1], &tokens[0]);
    let plain = all(&model, prompt, config(30, &[]));
    assert!(plain.iter().all(|token| token.text == letter(token.token).to_string()));
    assert_eq!(summarize(&plain, 0), (text(&first[..30]), 30, Some(FinishReason::Length)));

    // Of two tokens the first is held back until the second is there; the other one never ends.
    let (stop, never) = (text(&first[9..11]), format!("{}never", letter(first[3])));
    let position = |ids: &[i64]| ids.windows(2).position(|pair| text(pair) == stop);
    let end = position(first).unwrap();
    let wanted = (text(&first[..end]), end + 2, Some(FinishReason::Stop));
    assert_eq!(summarize(&all(&model, prompt, config(30, &[&never, &stop])), 0), wanted);
    // Tokens after the stop string that candidates brought are dropped.
    let drafted = GenerationConfig { prompt_lookup_num_tokens: 4, ..config(30, &[&never, &stop]) };
    assert_eq!(summarize(&all(&model, prompt, drafted), 0), wanted);
    // A row that ends leaves the others as they are.
    let both = all(&model, &prompts, config(30, &[&stop]));
    let other = position(&tokens[1]).filter(|&end| end + 2 <= 30).unwrap_or(30);
    assert_eq!((summarize(&both, 0), summarize(&both, 1).0), (wanted, text(&tokens[1][..other])));

    // A beginning of a stop string at the end of the text is text.
    let held = all(&model, prompt, config(4, &[&never]));
    assert_eq!(summarize(&held, 0), (text(&first[..4]), 4, Some(FinishReason::Length)));
    let ended = GenerationConfig { eos_token_ids: Some(vec![first[4]]), ..config(30, &[&never]) };
    assert_eq!(summarize(&all(&model, prompt, ended), 0), (text(&first[..4]), 5, Some(FinishReason::Eos)));
}

#[test]
fn options_of_texts_that_are_wrong_are_errors() {
    let model = load("llama3", &lanthorn::cpu());
    for (wrong, words) in [
        (config(1, &[""]), "stop_strings takes texts that are not empty"),
        (GenerationConfig { tokenizer: None, ..config(1, &["x"]) }, "stop_strings need a tokenizer"),
        (
            GenerationConfig { tokenizer: Some(Rc::new(Letters(97))), ..greedy(1) },
            "the tokenizer has 97 tokens, and the model's embedding 96",
        ),
    ] {
        let error = generate(&model, &[vec![1]], wrong, None).err().unwrap();
        assert!(error.is_argument() && error.message().contains(words), "{error}");
    }
}
