//! The text of an answer while it comes, and its speed at the end.
//!
//! Of several answers the first one that has not ended is printed as it comes, and the others follow it.
//! Rejected: all at once, which would mix them on a terminal.

use super::{OP, vocabulary::Vocabulary};
use lanthorn::models::{FinishReason, GeneratedToken};
use lanthorn::tokenizer::{DecodeStream, Tokenizer};
use lanthorn::{Error, Result};
use serde_json::{Value, json};
use std::{
    io::{self, Write, stdout},
    time::Instant,
};

/// An answer.
struct Row<'v> {
    stream: Option<DecodeStream<'v>>,
    tokens: Vec<i64>,
    /// The text that has been given out.
    text: String,
    /// The part of it that waits for earlier answers.
    waiting: String,
    /// The end of the text that may be the beginning of a stop string.
    held: String,
    finish: Option<&'static str>,
}

/// The length in bytes of the longest end of a text with which a stop string begins.
fn held_back(text: &str, stops: &[String]) -> usize {
    let begins = |&at: &usize| stops.iter().any(|stop| stop.len() > text.len() - at && stop.starts_with(&text[at..]));
    let at = text.char_indices().map(|(at, _)| at).find(begins);
    at.map_or(0, |at| text.len() - at)
}

impl Row<'_> {
    /// Adds text; returns what is certain to be a part of the answer, and whether a stop string ends it.
    fn add(&mut self, text: &str, stops: &[String]) -> (String, bool) {
        self.held.push_str(text);
        if let Some(at) = stops.iter().filter_map(|stop| self.held.find(stop)).min() {
            return (self.held[..at].to_string(), true);
        }
        let rest = self.held.split_off(self.held.len() - held_back(&self.held, stops));
        (std::mem::replace(&mut self.held, rest), false)
    }

    /// Takes a token; returns the text that it completes.
    fn take(
        &mut self,
        GeneratedToken { token, finish_reason, .. }: GeneratedToken,
        stops: &[String],
    ) -> Result<String> {
        let separator = if self.tokens.is_empty() { "" } else { " " };
        self.tokens.push(token);
        let wrong = |error: lanthorn::tokenizer::Error| Error::data(OP, error.to_string());
        let is_eos = finish_reason == Some(FinishReason::Eos);
        let new = match &mut self.stream {
            None => format!("{separator}{token}"),
            Some(_) if is_eos => String::new(),
            // A model may have more ids than its tokenizer, for padding.
            Some(stream) => match stream.push(token as u32) {
                Err(error) if error.is_unknown_id() => String::new(),
                pushed => pushed.map_err(wrong)?.unwrap_or_default(),
            },
        };
        let (mut text, mut stopped) = self.add(&new, stops);
        if finish_reason.is_some() && !stopped {
            let rest = self.stream.take().map(DecodeStream::finish).transpose().map_err(wrong)?.flatten();
            let (more, stops_now) = self.add(&rest.unwrap_or_default(), stops);
            text.push_str(&more);
            stopped = stops_now;
            if !stopped {
                text.push_str(&self.held);
            }
        }
        self.finish = match finish_reason {
            _ if stopped => Some("stop"),
            Some(FinishReason::Eos) => Some("eos"),
            Some(FinishReason::Length) => Some("length"),
            None => None,
        };
        self.text.push_str(&text);
        Ok(text)
    }
}

/// Takes the tokens of all rows, prints their texts, and measures their speed.
pub struct Output<'v> {
    rows: Vec<Row<'v>>,
    prompts: Vec<Vec<i64>>,
    stops: Vec<String>,
    streams: bool,
    /// The answer that is printed as it comes.
    current: usize,
    begin: Instant,
    first: Option<Instant>,
}

impl<'v> Output<'v> {
    /// `streams`: whether texts are printed as they come.
    pub fn new(
        vocabulary: Option<&'v Vocabulary>,
        prompts: &[Vec<i64>],
        stops: &[String],
        streams: bool,
    ) -> Output<'v> {
        let tokenizer = vocabulary.map(Vocabulary::tokenizer);
        let row = || Row {
            stream: tokenizer.map(|tokenizer: &Tokenizer| tokenizer.decode_stream(true)),
            tokens: vec![],
            text: String::new(),
            waiting: String::new(),
            held: String::new(),
            finish: None,
        };
        Output {
            rows: prompts.iter().map(|_| row()).collect(),
            prompts: prompts.to_vec(),
            stops: stops.to_vec(),
            streams,
            current: 0,
            begin: Instant::now(),
            first: None,
        }
    }

    /// The computation begins now.
    pub fn begin(&mut self) {
        self.begin = Instant::now();
    }

    /// Takes a token; false when there is nothing left to generate.
    pub fn take(&mut self, token: GeneratedToken) -> Result<bool> {
        self.first.get_or_insert_with(Instant::now);
        let is_first = self.rows.iter().all(|row| row.tokens.is_empty());
        let row = &mut self.rows[token.row];
        if row.finish.is_none() {
            let text = row.take(token, &self.stops)?;
            row.waiting.push_str(&text);
        }
        if self.streams && !self.print(is_first)? {
            return Ok(false);
        }
        Ok(self.rows.iter().any(|row| row.finish.is_none()))
    }

    /// Prints what can be printed; false if nobody reads it.
    fn print(&mut self, is_first: bool) -> Result<bool> {
        let mut text = String::new();
        if is_first {
            text.push_str(&self.heading());
        }
        while let Some(row) = self.rows.get_mut(self.current) {
            text.push_str(&std::mem::take(&mut row.waiting));
            if row.finish.is_none() {
                break;
            }
            text.push('\n');
            self.current += 1;
            text.push_str(&self.heading());
        }
        write_out(&text)
    }

    /// What stands before the current one of several answers.
    fn heading(&self) -> String {
        let is_one = self.rows.len() == 1 || self.current == self.rows.len();
        if is_one { String::new() } else { format!("== {} ==\n", self.current + 1) }
    }

    /// Prints the speed, and as JSON everything.
    pub fn finish(self, as_json: bool) -> Result<()> {
        let end = Instant::now();
        let first = self.first.unwrap_or(end);
        let count = |lengths: &mut dyn Iterator<Item = usize>| lengths.sum::<usize>();
        let tokens = count(&mut self.rows.iter().map(|row| row.tokens.len()));
        let prompt_tokens = count(&mut self.prompts.iter().map(Vec::len));
        // The first token of each row belongs to the prompt.
        let speed = rate(tokens.saturating_sub(self.rows.len()), (end - first).as_secs_f64());
        let prompt_speed = rate(prompt_tokens, (first - self.begin).as_secs_f64());
        let words = |rate: Option<f64>| rate.map_or("–".to_string(), |rate| format!("{rate:.1}"));
        eprintln!("{tokens} tokens, {} tokens a second (prompt: {})", words(speed), words(prompt_speed));
        if !as_json {
            return Ok(());
        }
        let row = |(row, ids): (&Row, &Vec<i64>)| json!({ "prompt": ids, "tokens": row.tokens, "text": row.text, "finish_reason": row.finish });
        let rows: Vec<Value> = self.rows.iter().zip(&self.prompts).map(row).collect();
        let all = json!({ "rows": rows, "tokens": tokens, "tokens_per_second": speed,
            "prompt_tokens": prompt_tokens, "prompt_tokens_per_second": prompt_speed });
        write_out(&format!("{all}\n")).map(|_| ())
    }
}

fn rate(count: usize, seconds: f64) -> Option<f64> {
    (count > 0 && seconds > 0.0).then(|| count as f64 / seconds)
}

/// Writes at once to standard output; false if its reader has gone.
fn write_out(text: &str) -> Result<bool> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::file(OP, format!("standard output: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tokenizer: Option<&Tokenizer>) -> Row<'_> {
        Row {
            stream: tokenizer.map(|tokenizer| tokenizer.decode_stream(true)),
            tokens: vec![],
            text: String::new(),
            waiting: String::new(),
            held: String::new(),
            finish: None,
        }
    }

    #[test]
    fn only_what_may_become_a_stop_string_is_held_back() {
        let stops = ["</s>".to_string(), "\nUser:".to_string()];
        assert_eq!(held_back("Hello", &stops), 0);
        assert_eq!(held_back("Hello <", &stops), 1);
        assert_eq!(held_back("Hello </s", &stops), 3);
        assert_eq!(held_back("é\nUs", &stops), 3);
        assert_eq!(held_back("é", &[]), 0);
    }

    #[test]
    fn a_row_ends_before_its_stop_string() {
        let mut row = row(None);
        let stops = ["END".to_string()];
        assert_eq!(row.add("one E", &stops), ("one ".to_string(), false));
        assert_eq!(row.add("N", &stops), (String::new(), false));
        assert_eq!(row.add("other EN", &stops), ("ENother ".to_string(), false));
        assert_eq!(row.add("D more", &stops), (String::new(), true));
    }

    #[test]
    fn a_character_of_several_tokens_is_given_whole() {
        let json = br#"{"model": {"type": "BPE", "vocab": {"a": 0, "<0xC3>": 1, "<0xA9>": 2}, "merges": []},
            "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}}"#;
        let tokenizer = Tokenizer::from_json(json).unwrap();
        let mut row = row(Some(&tokenizer));
        let mut take = |token, finish_reason| row.take(GeneratedToken { row: 0, token, finish_reason }, &[]).unwrap();
        assert_eq!(["a", "", "é"], [0, 1, 2].map(|token| take(token, None)).each_ref().map(String::as_str));
        assert_eq!(take(1, Some(FinishReason::Length)), "\u{fffd}", "half a character at the end");
    }
}
