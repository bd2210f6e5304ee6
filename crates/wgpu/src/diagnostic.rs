//! Compiler messages about a user's source text, with lines and columns of that text.

use lanthorn_ir::Error;
use lanthorn_kernels::UserText;

/// The error of a shader with a user's text. `description` is the error if no message is about that
/// text.
pub(crate) async fn error(
    op: &str,
    module: Option<wgpu::ShaderModule>,
    user: &[UserText],
    description: &str,
    source: &str,
) -> Error {
    let messages = match module {
        Some(module) => module.get_compilation_info().await.messages,
        None => vec![],
    };
    let errors = messages.iter().filter(|message| message.message_type == wgpu::CompilationMessageType::Error);
    let placed = errors.clone().find_map(|message| {
        let location = message.location?;
        let (line, text) = user.iter().find_map(|user| user.line(location.line_number as usize))?;
        Some(format_message(&message.message, line, location.line_position as usize, text))
    });
    let placed = placed.or_else(|| errors.clone().find_map(|message| from_label(&message.message, user)));
    let message = placed.or_else(|| errors.clone().next().map(|message| message.message.clone()));
    match message {
        Some(message) => Error::kernel(op, format!("its WGSL does not compile: {message}")),
        None => Error::kernel(op, format!("its WGSL does not compile: {description}\n{source}")),
    }
}

/// Converts a validator's message about a whole function, whose label is a line of the user's text.
fn from_label(message: &str, user: &[UserText]) -> Option<String> {
    let lines: Vec<&str> = message.lines().collect();
    let why = lines.iter().rev().find_map(|line| line.trim().strip_prefix("= ")).unwrap_or("invalid");
    lines.iter().zip(lines.get(1..)?).find_map(|(line, below)| {
        let number = line.split('│').next()?.trim().parse().ok()?;
        let (at, text) = user.iter().find_map(|user| user.line(number))?;
        let (start, caret) = (line.find(text.trim())?, below.find('^')?);
        let columns = |line: &str, byte: usize| line[..byte].chars().count();
        let indent = text.chars().take_while(|c| c.is_whitespace()).count();
        let column = columns(below, caret).checked_sub(columns(line, start))? + indent + 1;
        Some(format_message(why, at, column, text))
    })
}

/// Formats a message with its position, its line, and a caret.
fn format_message(message: &str, line: usize, column: usize, text: &str) -> String {
    // The first line is the message. The others show the text around it, including generated lines.
    let first = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let what = first.split_once("parsing error: ").map_or(first, |(_, what)| what);
    let column = column.max(1);
    format!("line {line}, column {column}: {what}\n  {text}\n  {}^", " ".repeat(column - 1))
}
