//! Chat templates: Jinja, as `tokenizer_config.json` and GGUF have it, with what Hugging Face's
//! library gives them.

use crate::json::Part;
use crate::{Error, Result, Tokenizer};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, ErrorKind, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most steps of a template, which may loop.
const FUEL: u64 = 10_000_000;

/// The templates of a tokenizer, and the tokens that they name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChatTemplates {
    templates: BTreeMap<String, String>,
    /// `bos_token` and the like.
    tokens: BTreeMap<String, String>,
}

/// A moment of the calendar, for templates that say what day it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// The year, as 2026.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u32,
    /// The day of the month, 1 to 31.
    pub day: u32,
    /// The hour, 0 to 23.
    pub hour: u32,
    /// The minute, 0 to 59.
    pub minute: u32,
    /// The second, 0 to 60.
    pub second: u32,
}

/// How a chat is written.
///
/// ```
/// let options = lanthorn_tokenizer::ChatOptions { add_generation_prompt: true, ..Default::default() };
/// assert!(options.template.is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChatOptions {
    /// The name of a template of the tokenizer, or a template; the default one if `None`.
    pub template: Option<String>,
    /// Whether the text ends where the model's answer begins.
    pub add_generation_prompt: bool,
    /// Other variables of the template, as a JSON object: `tools`, `documents`, `enable_thinking`.
    pub variables: Option<String>,
    /// The time that the template sees; the clock's, in UTC, if `None` and there is a clock.
    pub now: Option<DateTime>,
}

impl ChatTemplates {
    pub(crate) fn set_token(&mut self, role: &str, content: &str) {
        self.tokens.insert(role.to_string(), content.to_string());
    }

    pub(crate) fn set_template(&mut self, name: &str, template: &str) {
        self.templates.insert(name.to_string(), template.to_string());
    }

    fn read(&mut self, config: &Part) -> Result<()> {
        for (name, value) in config.members()? {
            let content = value.get("content").unwrap_or(value);
            if name.ends_with("_token")
                && let Some(text) = content.as_str()
            {
                self.set_token(name, text);
            }
        }
        let Some(templates) = config.get("chat_template") else { return Ok(()) };
        if templates.value().is_string() {
            self.set_template("default", templates.str()?);
            return Ok(());
        }
        for template in templates.list()? {
            self.set_template(template.need("name")?.str()?, template.need("template")?.str()?);
        }
        Ok(())
    }

    fn source<'a>(&'a self, options: &'a ChatOptions) -> Result<&'a str> {
        let name = options.template.as_deref();
        match name {
            Some(template) if template.contains("{{") || template.contains("{%") => Ok(template),
            _ => self.templates.get(name.unwrap_or("default")).map(String::as_str).ok_or_else(|| {
                let all = self.templates.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let all = if all.is_empty() { "none".to_string() } else { all };
                let name = name.unwrap_or("default");
                Error::argument(format!("applyChatTemplate: there is no template {name:?}; the tokenizer has {all}"))
            }),
        }
    }
}

impl Tokenizer {
    /// Takes chat templates and the names of special tokens from a `tokenizer_config.json`.
    ///
    /// # Errors
    /// The bytes are no such file.
    ///
    /// ```
    /// # let json = br#"{"model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}"#;
    /// use lanthorn_tokenizer::{ChatOptions, Tokenizer};
    /// let mut tokenizer = Tokenizer::from_json(json)?;
    /// tokenizer.set_config(br#"{"eos_token": "</s>",
    ///     "chat_template": "{% for m in messages %}{{ m['role'] }}: {{ m.content }}{{ eos_token }}{% endfor %}"}"#)?;
    /// let messages = r#"[{"role": "user", "content": "Hi"}]"#;
    /// assert_eq!(tokenizer.apply_chat_template(messages, &ChatOptions::default())?, "user: Hi</s>");
    /// # Ok::<(), lanthorn_tokenizer::Error>(())
    /// ```
    pub fn set_config(&mut self, bytes: &[u8]) -> Result<()> {
        let config: serde_json::Value = serde_json::from_slice(bytes)
            .map_err(|error| Error::malformed(format!("tokenizer_config.json: no JSON: {error}")))?;
        let part = Part::new(&config, "");
        self.chat.read(&part).map_err(|error| error.within("tokenizer_config.json"))
    }

    /// The chat template with a name, `default` mostly.
    pub fn chat_template(&self, name: &str) -> Option<&str> {
        self.chat.templates.get(name).map(String::as_str)
    }

    /// The text of the token that has a role in templates: `bos_token`, `eos_token`, `pad_token`.
    pub fn token_of_role(&self, role: &str) -> Option<&str> {
        self.chat.tokens.get(role).map(String::as_str)
    }

    /// Writes messages as the model was trained to see them. `messages` is JSON, a list of objects
    /// with `role` and `content`. Encode the text with
    /// [`EncodeOptions::add_special_tokens`](crate::EncodeOptions::add_special_tokens) off, because
    /// templates write those tokens.
    ///
    /// # Errors
    /// There is no such template, it is no Jinja, it raises an exception, or it takes too long.
    pub fn apply_chat_template(&self, messages: &str, options: &ChatOptions) -> Result<String> {
        let parse = |json: &str, what: &str| -> Result<Value> {
            serde_json::from_str(json)
                .map_err(|error| Error::argument(format!("applyChatTemplate: {what} are no JSON: {error}")))
        };
        let mut context: BTreeMap<String, Value> =
            self.chat.tokens.iter().map(|(role, token)| (role.clone(), token.as_str().into())).collect();
        if let Some(variables) = &options.variables {
            let variables = parse(variables, "the variables")?;
            for name in variables.try_iter().into_iter().flatten() {
                let value = variables.get_item(&name).unwrap_or_default();
                context.insert(name.to_string(), value);
            }
        }
        context.insert("messages".to_string(), parse(messages, "the messages")?);
        context.insert("add_generation_prompt".to_string(), options.add_generation_prompt.into());
        let source = without_generation(self.chat.source(options)?);
        let environment = environment(options.now);
        let rendered =
            environment.template_from_str(&source).and_then(|template| template.render(Value::from(context)));
        rendered.map_err(|error| Error::argument(format!("applyChatTemplate: {}", described(&error))))
    }
}

fn described(error: &minijinja::Error) -> String {
    let detail = error.detail().map_or(error.kind().to_string(), str::to_string);
    match error.line() {
        Some(line) => format!("{detail} (line {line} of the template)"),
        None => detail,
    }
}

/// The template without the marks around what the assistant says, which only training reads.
fn without_generation(source: &str) -> String {
    let mut text = source.to_string();
    for (mark, plain) in [("generation", "if true"), ("endgeneration", "endif")] {
        for (open, close) in [("{%", "%}"), ("{%-", "%}"), ("{%", "-%}"), ("{%-", "-%}")] {
            text = text.replace(&format!("{open} {mark} {close}"), &format!("{open} {plain} {close}"));
        }
    }
    text
}

fn environment(now: Option<DateTime>) -> Environment<'static> {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_filter("tojson", to_json);
    environment.add_function("raise_exception", |message: String| -> Result<Value, minijinja::Error> {
        Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
    });
    environment.add_function("strftime_now", move |format: String| -> Result<String, minijinja::Error> {
        let now = now.or_else(clock).ok_or_else(|| {
            minijinja::Error::new(ErrorKind::InvalidOperation, "the template asks for the time; give `now`")
        })?;
        Ok(strftime(now, &format))
    });
    environment
}

/// The clock's time in UTC. WebAssembly has no clock: the page gives the time.
fn clock() -> Option<DateTime> {
    if cfg!(target_family = "wasm") {
        return None;
    }
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    let (days, rest) = (seconds / 86400, (seconds % 86400) as u32);
    // Days to a date of the Gregorian calendar, in eras of 400 years that begin in March.
    let day = days as i64 + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    Some(DateTime {
        year: (year + era * 400 + i64::from(month <= 2)) as i32,
        month: month as u32,
        day: (of_year - (153 * shifted + 2) / 5 + 1) as u32,
        hour: rest / 3600,
        minute: rest / 60 % 60,
        second: rest % 60,
    })
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Python's `strftime` in English; what is not known stays as it is.
fn strftime(now: DateTime, format: &str) -> String {
    let month = MONTHS[(now.month.clamp(1, 12) - 1) as usize];
    let weekday = DAYS[weekday(now)];
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        let is_unpadded = rest.next_if_eq(&'-').is_some();
        let number = |number: u32| if is_unpadded { number.to_string() } else { format!("{number:02}") };
        let part = match rest.next() {
            Some('Y') => now.year.to_string(),
            Some('y') => number(now.year.rem_euclid(100) as u32),
            Some('m') => number(now.month),
            Some('d') => number(now.day),
            Some('e') => format!("{:2}", now.day),
            Some('H') => number(now.hour),
            Some('I') => number((now.hour + 11) % 12 + 1),
            Some('M') => number(now.minute),
            Some('S') => number(now.second),
            Some('p') => if now.hour < 12 { "AM" } else { "PM" }.to_string(),
            Some('B') => month.to_string(),
            Some('b') => month[..3].to_string(),
            Some('A') => weekday.to_string(),
            Some('a') => weekday[..3].to_string(),
            Some('F') => format!("{}-{:02}-{:02}", now.year, now.month, now.day),
            Some('T') => format!("{:02}:{:02}:{:02}", now.hour, now.minute, now.second),
            Some('%') => "%".to_string(),
            Some(other) => format!("%{other}"),
            None => "%".to_string(),
        };
        text.push_str(&part);
    }
    text
}

/// The day of the week, 0 for Sunday (Sakamoto's congruence).
fn weekday(now: DateTime) -> usize {
    const SHIFTS: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let month = now.month.clamp(1, 12) as usize;
    let year = now.year - i32::from(month < 3);
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (year + leaps + SHIFTS[month - 1] + now.day as i32).rem_euclid(7) as usize
}

/// JSON as Python's `json.dumps` writes it, with `ensure_ascii=False`.
fn to_json(value: &Value, options: Kwargs) -> Result<Value, minijinja::Error> {
    let indent = options.get::<Option<usize>>("indent")?;
    // Arguments that Python has and that change nothing here.
    let _ = (options.get::<Option<bool>>("ensure_ascii")?, options.get::<Option<bool>>("sort_keys")?);
    let _ = options.get::<Option<Value>>("separators")?;
    options.assert_all_used()?;
    let mut text = String::new();
    write_json(&mut text, value, indent, 0)?;
    Ok(Value::from_safe_string(text))
}

fn write_json(text: &mut String, value: &Value, indent: Option<usize>, depth: usize) -> Result<(), minijinja::Error> {
    let line = |text: &mut String, depth: usize| {
        if let Some(indent) = indent {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent * depth));
        }
    };
    let separate = |text: &mut String, index: usize| {
        if index > 0 {
            text.push_str(if indent.is_some() { "," } else { ", " });
        }
        line(text, depth + 1);
    };
    match value.kind() {
        ValueKind::Map => {
            text.push('{');
            let mut count = 0;
            for (index, key) in value.try_iter()?.enumerate() {
                separate(text, index);
                write_string(text, &key.to_string());
                text.push_str(": ");
                write_json(text, &value.get_item(&key)?, indent, depth + 1)?;
                count += 1;
            }
            if count > 0 {
                line(text, depth);
            }
            text.push('}');
        }
        ValueKind::Seq | ValueKind::Iterable => {
            text.push('[');
            let mut count = 0;
            for (index, item) in value.try_iter()?.enumerate() {
                separate(text, index);
                write_json(text, &item, indent, depth + 1)?;
                count += 1;
            }
            if count > 0 {
                line(text, depth);
            }
            text.push(']');
        }
        ValueKind::None | ValueKind::Undefined => text.push_str("null"),
        ValueKind::Bool => text.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => text.push_str(&value.to_string()),
        _ => write_string(text, &value.to_string()),
    }
    Ok(())
}

fn write_string(text: &mut String, value: &str) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            // Writing to a String cannot fail.
            '\0'..='\u{1f}' => drop(write!(text, "\\u{:04x}", character as u32)),
            other => text.push(other),
        }
    }
    text.push('"');
}
