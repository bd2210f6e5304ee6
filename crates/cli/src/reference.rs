//! Shared parts of the reference pages.

/// Returns the documentation on one line, up to its example and without rustdoc links.
pub fn prose<'a>(doc: impl Iterator<Item = &'a str>) -> String {
    let lines = doc.map(str::trim).take_while(|line| !line.starts_with("```"));
    let text: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let text = text.join(" ");
    // `[`name`](path)` becomes `name`.
    let mut parts = text.split("](");
    let mut plain = parts.next().unwrap_or_default().to_string();
    for part in parts {
        plain.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    plain.replace("[`", "`").replace("`]", "`")
}
