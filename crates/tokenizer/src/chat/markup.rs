//! Filters that write HTML: escapes, links, attributes.

use super::arguments::Arguments;
use super::methods::is_space;
use super::text::{representation, text};
use crate::regex::Regex;
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Error, ErrorKind, Value};
use std::collections::BTreeSet;

/// Escapes a text for HTML, as the library MarkupSafe does.
pub(super) fn escape(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => made.push_str("&amp;"),
            '>' => made.push_str("&gt;"),
            '<' => made.push_str("&lt;"),
            '\'' => made.push_str("&#39;"),
            '"' => made.push_str("&#34;"),
            other => made.push(other),
        }
    }
    made
}

/// A value escaped once: one that is safe stays.
pub(super) fn escape_once(value: &Value) -> Value {
    if value.is_safe() { value.clone() } else { Value::from_safe_string(escape(&text(value))) }
}

/// `xmlattr(autospace=true)`.
pub(super) fn xmlattr(value: &Value, args: Rest<Value>, named: Kwargs) -> Result<String, Error> {
    let mut arguments = Arguments::of("xmlattr", args, named);
    let spaced = arguments.next("autospace")?.is_none_or(|flag| flag.is_true());
    if value.kind() != ValueKind::Map {
        return Err(arguments.wrong("takes a dictionary"));
    }
    let mut attributes = String::new();
    for key in value.try_iter()? {
        let item = value.get_item(&key)?;
        if item.is_none() || item.is_undefined() {
            continue;
        }
        let name = key.as_str().ok_or_else(|| arguments.wrong("takes a dictionary whose keys are texts"))?;
        if name.contains(|c: char| is_space(c) || matches!(c, '/' | '>' | '=')) {
            return Err(arguments.wrong(format!("Invalid character in attribute name: {}", representation(&key))));
        }
        if spaced || !attributes.is_empty() {
            attributes.push(' ');
        }
        attributes.push_str(&format!("{}=\"{}\"", escape(name), text(&escape_once(&item))));
    }
    arguments.finish()?;
    Ok(attributes)
}

/// The addresses that `urlize` takes, in lower case: with a scheme or `www.`, of a known domain, or
/// with numbers.
const ADDRESS: &str = r"^(?:(?:https?://|www\.)(?:(?:[\w%\-]+\.)+)?(?:[a-z]{2,63}|xn--[\w%]{2,59})|(?:[\w%\-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)|https?://(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\]))(?::\d{1,5})?(?:[/?#]\S*)?$";
const MAIL: &str = r"^\S+@\w[\w.\-]*\.\w+$";
const SCHEME: &str = r"^(?:[\w.+\-]{2,}:(?:/){0,2})$";

/// The options of links.
struct Links {
    limit: Option<usize>,
    /// ` rel="..." target="..."`.
    attributes: String,
    schemes: Vec<String>,
    address: Regex,
    mail: Regex,
}

fn regex(source: &str) -> Result<Regex, Error> {
    Regex::new(source).map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

fn matches(regex: &Regex, text: &str) -> Result<bool, Error> {
    let found = regex.find_all(text);
    let found = found.map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("urlize: {error}")))?;
    Ok(!found.is_empty())
}

/// `urlize(trim_url_limit=none, nofollow=false, target=none, rel=none, extra_schemes=none)`.
pub(super) fn urlize(value: &Value, args: Rest<Value>, named: Kwargs) -> Result<String, Error> {
    let mut arguments = Arguments::of("urlize", args, named);
    let limit = arguments.int("trim_url_limit")?.map(|limit| usize::try_from(limit).unwrap_or(0));
    let nofollow = arguments.next("nofollow")?.is_some_and(|flag| flag.is_true());
    let target = arguments.text("target")?;
    let given = arguments.text("rel")?.unwrap_or_default();
    // The environment adds `noopener` to every link.
    let mut rel: BTreeSet<&str> = given.split_whitespace().chain(["noopener"]).collect();
    rel.extend(nofollow.then_some("nofollow"));
    let rel: Vec<&str> = rel.into_iter().collect();
    let mut attributes = format!(" rel=\"{}\"", escape(&rel.join(" ")));
    if let Some(target) = target.filter(|target| !target.is_empty()) {
        attributes.push_str(&format!(" target=\"{}\"", escape(&target)));
    }
    let scheme = regex(SCHEME)?;
    let mut schemes = Vec::new();
    if let Some(given) = arguments.next("extra_schemes")?.filter(|given| !given.is_none()) {
        for given in given.try_iter()? {
            let own = text(&given);
            if !matches(&scheme, &own)? {
                let shown = representation(&given);
                return Err(arguments.wrong(format!("{shown} is not a valid URI scheme prefix.")));
            }
            schemes.push(own);
        }
    }
    arguments.finish()?;
    let links = Links { limit, attributes, schemes, address: regex(ADDRESS)?, mail: regex(MAIL)? };
    let (own, mut made, mut rest) = (text(&escape_once(value)), String::new(), 0);
    while rest < own.len() {
        let is_space_here = own[rest..].starts_with(is_space);
        let end = own[rest..].find(|c: char| is_space(c) != is_space_here).map_or(own.len(), |at| rest + at);
        match is_space_here {
            true => made.push_str(&own[rest..end]),
            false => made.push_str(&links.word(&own[rest..end])?),
        }
        rest = end;
    }
    Ok(made)
}

/// The length of the brackets that a word begins with.
fn head(word: &str) -> usize {
    let mut rest = word;
    while let Some(next) = ["(", "<", "&lt;"].iter().find_map(|open| rest.strip_prefix(open)) {
        rest = next;
    }
    word.len() - rest.len()
}

/// The length of a word without the brackets and marks that it ends with.
fn middle(word: &str) -> usize {
    let mut rest = word;
    while let Some(next) = [")", ">", ".", ",", "&gt;"].iter().find_map(|close| rest.strip_suffix(close)) {
        rest = next;
    }
    rest.len()
}

impl Links {
    fn word(&self, word: &str) -> Result<String, Error> {
        let (head, rest) = word.split_at(head(word));
        let mut end = middle(rest);
        for (open, close) in [("(", ")"), ("<", ">"), ("&lt;", "&gt;")] {
            let opened = rest[..end].matches(open).count();
            if opened <= rest[..end].matches(close).count() {
                continue;
            }
            // What closes brackets of the address is a part of it.
            for _ in 0..opened.min(rest[end..].matches(close).count()) {
                end += rest[end..].find(close).map_or(0, |at| at + close.len());
            }
        }
        let (middle, tail) = rest.split_at(end);
        Ok(format!("{head}{}{tail}", self.link(middle)?))
    }

    fn link(&self, word: &str) -> Result<String, Error> {
        if matches(&self.address, &word.to_lowercase())? {
            let has_scheme = word.starts_with("https://") || word.starts_with("http://");
            let scheme = if has_scheme { "" } else { "https://" };
            let trimmed = match self.limit {
                Some(limit) if word.chars().count() > limit => word.chars().take(limit).collect::<String>() + "...",
                _ => word.to_string(),
            };
            return Ok(format!("<a href=\"{scheme}{word}\"{}>{trimmed}</a>", self.attributes));
        }
        if let Some(mail) = word.strip_prefix("mailto:")
            && matches(&self.mail, mail)?
        {
            return Ok(format!("<a href=\"{word}\">{mail}</a>"));
        }
        let may_be_mail = word.contains('@') && !word.starts_with("www.") && !word.starts_with('@');
        if may_be_mail && !word.contains(':') && matches(&self.mail, word)? {
            return Ok(format!("<a href=\"mailto:{word}\">{word}</a>"));
        }
        let mut link = word.to_string();
        for scheme in &self.schemes {
            if link != *scheme && link.starts_with(scheme) {
                link = format!("<a href=\"{link}\"{}>{link}</a>", self.attributes);
            }
        }
        Ok(link)
    }
}
