//! Prints the text of an answer while it is generated, and its speed at the end.
//!
//! Several answers are printed one after another: the first unfinished answer appears while it is
//! generated. Rejected: printing all at once, which would mix them on a terminal.

use super::OP;
use lanthorn::models::{FinishReason, GeneratedToken};
use lanthorn::{Error, Result};
use serde_json::{Value, json};
use std::{
    io::{self, Write, stdout},
    time::Instant,
};

/// An answer.
#[derive(Default)]
struct Row {
    tokens: Vec<i64>,
    text: String,
    /// The part of the text that waits for earlier answers.
    waiting: String,
    finish_reason: Option<FinishReason>,
}

impl Row {
    /// Takes a token with its text, or with its id as text.
    fn take(&mut self, token: GeneratedToken, has_text: bool) {
        let text = match (has_text, self.tokens.is_empty()) {
            (true, _) => token.text,
            (false, true) => token.token.to_string(),
            (false, false) => format!(" {}", token.token),
        };
        self.tokens.push(token.token);
        self.waiting.push_str(&text);
        self.text.push_str(&text);
        self.finish_reason = token.finish_reason;
    }
}

/// Takes the tokens of all rows, prints their texts, and measures their speed.
pub struct Output {
    rows: Vec<Row>,
    prompts: Vec<Vec<i64>>,
    has_text: bool,
    streams: bool,
    /// The answer that is printed as it comes.
    current: usize,
    begin: Instant,
    first: Option<Instant>,
}

impl Output {
    /// `has_text`: whether tokens have texts, or are printed as ids. `streams`: whether they are
    /// printed as they come.
    pub fn new(prompts: &[Vec<i64>], has_text: bool, streams: bool) -> Output {
        Output {
            rows: prompts.iter().map(|_| Row::default()).collect(),
            prompts: prompts.to_vec(),
            has_text,
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

    /// Prints a token; returns false if the reader has closed the output.
    pub fn take(&mut self, token: GeneratedToken) -> Result<bool> {
        self.first.get_or_insert_with(Instant::now);
        let is_first = self.rows.iter().all(|row| row.tokens.is_empty());
        self.rows[token.row].take(token, self.has_text);
        if self.streams { self.print(is_first) } else { Ok(true) }
    }

    /// Prints the text of all complete rows and of the current one; false if the output is closed.
    fn print(&mut self, is_first: bool) -> Result<bool> {
        let mut text = String::new();
        if is_first {
            text.push_str(&self.heading());
        }
        while let Some(row) = self.rows.get_mut(self.current) {
            text.push_str(&std::mem::take(&mut row.waiting));
            if row.finish_reason.is_none() {
                break;
            }
            text.push('\n');
            self.current += 1;
            text.push_str(&self.heading());
        }
        write_out(&text)
    }

    /// The heading of the current answer, if there are several.
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
        let row = |(row, ids): (&Row, &Vec<i64>)| json!({ "prompt": ids, "tokens": row.tokens, "text": row.text, "finish_reason": row.finish_reason.map(FinishReason::name) });
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
