//! Names in the case of JavaScript.

/// Names that a variable or a parameter cannot have: reserved words, and those that every printed
/// module imports.
const RESERVED: &[&str] = &[
    "Tensor",
    "arguments",
    "asFlag",
    "asInteger",
    "asList",
    "asNumber",
    "asObject",
    "asText",
    "await",
    "bind",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "failure",
    "false",
    "fft",
    "finally",
    "for",
    "function",
    "getOwn",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "linalg",
    "make",
    "makeModule",
    "mapValue",
    "new",
    "nn",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "scope",
    "sortedEntries",
    "special",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "torch",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "windows",
    "with",
    "yield",
    "zip",
];

/// `index_select` becomes `indexSelect`. Leading and trailing underscores are kept, and underscores
/// between digits: `resnext50_32x4d` is no 5032.
pub fn camel(name: &str) -> String {
    let body = name.trim_start_matches('_');
    let lead = &name[..name.len() - body.len()];
    let (body, tail) = body.strip_suffix('_').map_or((body, ""), |body| (body, "_"));
    let mut words = body.split('_');
    let mut text = words.next().unwrap_or_default().to_string();
    for word in words {
        let Some(letter) = word.chars().next() else { continue };
        if letter.is_ascii_digit() && text.ends_with(|last: char| last.is_ascii_digit()) {
            text.push('_');
        }
        text.extend(letter.to_uppercase());
        text += &word[letter.len_utf8()..];
    }
    lead.to_string() + &text + tail
}

/// The name of a variable.
pub fn variable(name: &str) -> String {
    let name = camel(name);
    if RESERVED.contains(&name.as_str()) { name + "_" } else { name }
}

/// The name of a function of a class. Rust's constructor is `of`, because the constructor of
/// JavaScript also converts its arguments.
pub fn function(name: &str) -> String {
    if name == "new" { "of".into() } else { camel(name) }
}

/// The name of a constant, which keeps its case, or of a function or a class.
pub fn global(name: &str) -> String {
    let is_constant = !name.chars().any(char::is_lowercase);
    let is_class = name.chars().next().is_some_and(char::is_uppercase);
    if is_constant || is_class { name.to_string() } else { camel(name) }
}

/// `GreaterThan` becomes `greaterThan`.
pub fn variant(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().to_string() + letters.as_str())
}
