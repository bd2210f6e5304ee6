//! Writes an op's documentation with rustdoc's headings.
//!
//! The documentation of an op is printed as a comment of TypeScript and as Markdown too, where a
//! heading for a sentence would be too much. So its source has a paragraph that begins with
//! `Errors:`, and only the method of Rust has the headings `# Errors` and `# Examples`.

use syn::{Attribute, Expr, ExprLit, Lit, Meta, parse_quote};

/// The attributes of the method: the paragraphs, the errors, and the examples, each under its
/// heading.
pub fn sections(documentation: &[&Attribute]) -> Vec<Attribute> {
    let lines: Vec<String> = documentation.iter().filter_map(|attribute| line(attribute)).collect();
    let examples = lines.iter().position(|line| line.trim_start().starts_with("```")).unwrap_or(lines.len());
    let is_errors = |paragraph: &&[String]| paragraph[0].starts_with(ERRORS);
    let paragraphs = lines[..examples].split(|line| line.trim().is_empty()).filter(|lines| !lines.is_empty());
    let (errors, others): (Vec<_>, Vec<_>) = paragraphs.partition(is_errors);
    let mut written = others.join(&String::new());
    for paragraph in errors {
        written.extend([
            String::new(),
            " # Errors".to_string(),
            String::new(),
            capitalize(&paragraph[0][ERRORS.len()..]),
        ]);
        written.extend_from_slice(&paragraph[1..]);
    }
    if examples < lines.len() {
        written.extend([String::new(), " # Examples".to_string(), String::new()]);
        written.extend_from_slice(&lines[examples..]);
    }
    written.iter().map(|line| parse_quote!(#[doc = #line])).collect()
}

const ERRORS: &str = " Errors: ";

fn line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// The first line of a paragraph, which begins with a capital letter or with code.
fn capitalize(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    std::iter::once(' ').chain(first).chain(characters).collect()
}
