//! Documentation comments.

use crate::names::camel;

/// A documentation comment, with lines at its end. Examples are Rust's and are left out; names of
/// Rust between backquotes are JavaScript's.
pub fn comment(docs: &[String], more: &[String], indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_example = false;
    let mut is_errors = false;
    let mut is_defaults = false;
    for line in docs {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        if line.trim_start().starts_with("```") {
            is_example = !is_example;
        } else if line == "# Errors" {
            is_errors = true;
        } else if line.starts_with("Defaults:") {
            is_defaults = true;
        } else if is_defaults && !line.is_empty() {
            // The paragraph of defaults continues.
        } else if !is_example {
            is_defaults = false;
            if is_errors && line.is_empty() && lines.last().is_some_and(String::is_empty) {
                continue;
            }
            let text = in_javascript(line);
            lines.push(if is_errors && !line.is_empty() { format!("@throws {text}") } else { text });
            is_errors &= line.is_empty();
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if !lines.is_empty() && !more.is_empty() {
        lines.push(String::new());
    }
    lines.extend(more.iter().cloned());
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    let space = " ".repeat(indent);
    match &lines[..] {
        [] => String::new(),
        [line] if line.len() + indent < 90 => format!("{space}/** {line} */\n"),
        lines => {
            let body: String =
                lines.iter().map(|line| format!("{space} * {line}").trim_end().to_string() + "\n").collect();
            format!("{space}/**\n{body}{space} */\n")
        }
    }
}

/// Links and names of Rust as JavaScript's.
fn in_javascript(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let Some(end) = rest[at + 1..].find('`') else { break };
        let code = &rest[at + 1..at + 1 + end];
        let mut before = &rest[..at];
        let mut after = &rest[at + end + 2..];
        // A link: [`name`](target) or [`name`].
        if before.ends_with('[') && after.starts_with(']') {
            before = &before[..before.len() - 1];
            after = &after[1..];
            if after.starts_with('(') {
                after = after.find(')').map_or(after, |close| &after[close + 1..]);
            }
        }
        text += &strip_links(before);
        text += &format!("`{}`", name(code));
        rest = after;
    }
    text + &strip_links(rest)
}

/// `[text](target)` is `text`.
fn strip_links(text: &str) -> String {
    let (Some(open), Some(middle)) = (text.find('['), text.find("](")) else { return text.to_string() };
    match text[middle..].find(')') {
        Some(close) if open < middle => {
            let after = strip_links(&text[middle + close + 1..]);
            format!("{}{}{after}", &text[..open], &text[open + 1..middle])
        }
        _ => text.to_string(),
    }
}

fn name(code: &str) -> String {
    let is_path = code.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':');
    if !is_path {
        return code.to_string();
    }
    code.split("::").map(camel).collect::<Vec<_>>().join(".")
}
