//! Breaks long lines of the printed code at brackets.

/// A piece of code whose line breaks are chosen by [`render`].
#[derive(Clone, Debug)]
pub enum Doc {
    /// Characters without a line break.
    Text(String),
    /// Pieces one after the other.
    Concat(Vec<Doc>),
    /// A list between brackets, on one line, or with one item a line.
    Brackets(String, Vec<Doc>, String),
    /// Alternatives after operators, on one line, or with each operator at the start of a line.
    Chain(Box<Doc>, Vec<(String, Doc)>),
    /// Lines in braces, which are never on one line.
    Block(String, Vec<String>, String),
}

/// The width of a line.
const WIDTH: usize = 100;

impl Doc {
    /// Characters.
    pub fn text(text: impl Into<String>) -> Doc {
        Doc::Text(text.into())
    }

    /// The text on one line, or nothing if there is a block in it.
    pub fn flat(&self) -> Option<String> {
        Some(match self {
            Doc::Text(text) => text.clone(),
            Doc::Concat(parts) => parts.iter().map(Doc::flat).collect::<Option<String>>()?,
            Doc::Brackets(open, items, close) => {
                let items = items.iter().map(Doc::flat).collect::<Option<Vec<_>>>()?;
                // Braces have spaces inside.
                let space = if open.ends_with('{') && !items.is_empty() { " " } else { "" };
                format!("{open}{space}{}{space}{close}", items.join(", "))
            }
            Doc::Chain(first, rest) => {
                let rest = rest.iter().map(|(operator, part)| Some(format!(" {operator} {}", part.flat()?)));
                first.flat()? + &rest.collect::<Option<String>>()?
            }
            Doc::Block(..) => return None,
        })
    }
}

/// The text of a piece that begins at a column of a line with an indentation; `after` characters
/// follow it on its last line.
pub fn render(doc: &Doc, indent: usize, column: usize, after: usize) -> String {
    if let Some(flat) = doc.flat()
        && column + flat.chars().count() + after <= WIDTH
    {
        return flat;
    }
    match doc {
        Doc::Text(text) => text.clone(),
        Doc::Concat(parts) => concat(parts, indent, column, after),
        Doc::Brackets(open, items, close) => brackets(open, items, close, indent, column),
        Doc::Chain(first, rest) => {
            let mut text = render(first, indent, column, 0);
            for (operator, part) in rest {
                let part = render(part, indent + 2, indent + 3 + operator.len(), 0);
                text += &format!("\n{}{operator} {part}", " ".repeat(indent + 2));
            }
            text
        }
        Doc::Block(open, lines, close) => {
            let lines: String = lines.iter().map(|line| format!("\n{}", shift(line, indent + 2))).collect();
            format!("{open}{lines}\n{}{close}", " ".repeat(indent))
        }
    }
}

/// Parts one after the other: the last brackets that are long enough are broken first.
fn concat(parts: &[Doc], indent: usize, column: usize, after: usize) -> String {
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        let start = if text.contains('\n') { last_width(&text) } else { column + text.chars().count() };
        let rest: Option<String> = parts[index + 1..].iter().map(Doc::flat).collect();
        // The text after the last bracket stays on its line.
        let follows = rest.map_or(1, |rest| rest.chars().count()) + after;
        let is_last_bracket =
            !parts[index + 1..].iter().any(|part| matches!(part, Doc::Brackets(_, items, _) if !items.is_empty()));
        let after = if is_last_bracket { follows } else { 0 };
        text += &render(part, indent, start, after);
    }
    text
}

fn brackets(open: &str, items: &[Doc], close: &str, indent: usize, column: usize) -> String {
    if let [single @ (Doc::Block(..) | Doc::Concat(_))] = items
        && single.flat().is_none()
    {
        // A function as the only argument stays on the line of the bracket.
        return format!("{open}{}{close}", render(single, indent, column + open.len(), close.len()));
    }
    if let [first @ .., last] = items
        && last.flat().is_none()
        && let Some(first) = first.iter().map(Doc::flat).collect::<Option<Vec<_>>>()
    {
        let first: String = first.iter().map(|item| format!("{item}, ")).collect();
        let last = render(last, indent, column + open.len() + first.len(), close.len());
        return format!("{open}{first}{last}{close}");
    }
    let lines =
        items.iter().map(|item| format!("\n{}{},", " ".repeat(indent + 2), render(item, indent + 2, indent + 2, 1)));
    format!("{open}{}\n{}{close}", lines.collect::<String>(), " ".repeat(indent))
}

fn last_width(text: &str) -> usize {
    text.rsplit('\n').next().unwrap_or_default().chars().count()
}

/// Text with its lines moved to the right.
pub fn shift(text: &str, by: usize) -> String {
    let space = " ".repeat(by);
    let lines = text.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("{space}{line}") });
    lines.collect::<Vec<_>>().join("\n")
}
