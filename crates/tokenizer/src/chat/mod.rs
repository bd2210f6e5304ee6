//! Chat templates: Jinja, as in `tokenizer_config.json` and GGUF, with the functions and variables
//! of Hugging Face's library.

mod arguments;
mod clock;
mod codecs;
mod filters;
mod globals;
mod json;
mod markup;
mod methods;
mod pretty;
mod source;
mod text;
mod views;
mod wrap;

pub use clock::DateTime;

use crate::json::Part;
use crate::{Error, Result, Tokenizer};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, ErrorKind, Value};
use std::collections::BTreeMap;

/// The most steps of a template, which may loop.
const FUEL: u64 = 10_000_000;

/// The templates of a tokenizer, and the tokens that they name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChatTemplates {
    templates: BTreeMap<String, String>,
    /// `bos_token` and the like.
    tokens: BTreeMap<String, String>,
}

/// How a chat is written.
///
/// ```
/// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
/// let options = lanthorn::tokenizer::ChatOptions { add_generation_prompt: true,
/// ..Default::default() };
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
            Some(template) if ["{{", "{%", "{#"].iter().any(|tag| template.contains(tag)) => Ok(template),
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
    /// # mod lanthorn { pub use lanthorn_tokenizer as tokenizer; }
    /// # let json = br#"{"model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}"#;
    /// use lanthorn::tokenizer::{ChatOptions, Tokenizer};
    /// let mut tokenizer = Tokenizer::from_json(json)?;
    /// tokenizer.set_config(br#"{"eos_token": "</s>",
    ///     "chat_template": "{% for m in messages %}{{ m['role'] }}: {{ m.content }}{{ eos_token }}{% endfor %}"}"#)?;
    /// let messages = r#"[{"role": "user", "content": "Hi"}]"#;
    /// let written = tokenizer.apply_chat_template(messages, &ChatOptions::default())?;
    /// assert_eq!(written, "user: Hi</s>");
    /// # Ok::<(), lanthorn::tokenizer::Error>(())
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
        let source = source::rewrite(self.chat.source(options)?);
        let environment = environment(options.now);
        let rendered =
            environment.template_from_str(&source).and_then(|template| template.render(Value::from(context)));
        rendered.map_err(|error| Error::argument(format!("applyChatTemplate: {}", describe(&error))))
    }
}

fn describe(error: &minijinja::Error) -> String {
    let detail = error.detail().map_or(error.kind().to_string(), str::to_string);
    match error.line() {
        Some(line) => format!("{detail} (line {line} of the template)"),
        None => detail,
    }
}

fn environment(now: Option<DateTime>) -> Environment<'static> {
    let mut environment = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(methods::call);
    environment.set_formatter(|output, state, value| {
        let written = match state.auto_escape() {
            AutoEscape::None => text::text(value),
            _ => text::text(&markup::escape_once(value)),
        };
        output.write_str(&written).map_err(minijinja::Error::from)
    });
    filters::add(&mut environment);
    environment.add_filter("tojson", json::to_json);
    environment.add_function("range", views::range);
    environment.add_function("joiner", globals::joiner);
    environment.add_function("cycler", globals::cycler);
    let refused = |message: String| minijinja::Error::new(ErrorKind::InvalidOperation, message);
    environment.add_function("raise_exception", move |message: String| -> Result<Value, minijinja::Error> {
        Err(refused(message))
    });
    environment.add_function("strftime_now", move |format: String| -> Result<String, minijinja::Error> {
        let now = now.or_else(DateTime::now);
        let now = now.ok_or_else(|| refused("the template asks for the time; give `now`".to_string()))?;
        now.format(&format)
            .map_err(|directive| refused(format!("strftime_now: the directive {directive} is not known")))
    });
    environment
}
