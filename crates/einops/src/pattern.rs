//! The sides of patterns: lists of groups of named dimensions.

use crate::host::{is_name, number_of_word, split_text, words_of};
use lanthorn_tensor::{Error, Result};

/// The word for any dimensions, as a name.
pub(crate) const ELLIPSIS: &str = "...";

/// A side of a pattern: each group is one dimension of the tensor.
#[derive(Clone)]
pub(crate) struct Side {
    /// The names of each group; none for a dimension of size 1.
    pub(crate) groups: Vec<Vec<String>>,
    /// The names of all groups, in order.
    pub(crate) names: Vec<String>,
    /// Whether `...` is inside of parentheses.
    pub(crate) is_ellipsis_grouped: bool,
}

/// An error with its pattern.
pub(crate) fn pattern_error(op: &str, pattern: &str, message: &str) -> Error {
    Error::argument(op, format!("pattern '{pattern}': {message}"))
}

/// The two sides of a pattern with an arrow.
///
/// # Errors
/// `argument` for a pattern that is not well-formed.
pub(crate) fn read_pattern(op: &str, pattern: &str) -> Result<(Side, Side)> {
    let sides = split_text(pattern, "->");
    if sides.len() != 2 {
        return Err(pattern_error(op, pattern, "needs one '->' between its sides"));
    }
    let (left, right) = (read_side(op, pattern, &sides[0])?, read_side(op, pattern, &sides[1])?);
    if left.is_ellipsis_grouped {
        return Err(pattern_error(op, pattern, "'...' cannot be in parentheses on the left side"));
    }
    if right.names.contains(&ELLIPSIS.to_string()) && !left.names.contains(&ELLIPSIS.to_string()) {
        return Err(pattern_error(op, pattern, "has '...' on the right side only"));
    }
    Ok((left, right))
}

/// A side of a pattern. A number above 1 is a dimension without a name, whose name here begins with
/// `#` and ends with the size.
///
/// # Errors
/// `argument` for parentheses that do not match, a repeated name, or a word that is no name.
pub(crate) fn read_side(op: &str, pattern: &str, text: &str) -> Result<Side> {
    let mut groups: Vec<Vec<String>> = vec![];
    let mut names: Vec<String> = vec![];
    let mut group: Vec<String> = vec![];
    let mut is_open = false;
    let mut is_ellipsis_grouped = false;
    for word in words_of(text) {
        if word == "(" {
            if is_open {
                return Err(pattern_error(op, pattern, "has parentheses in parentheses"));
            }
            is_open = true;
            group = vec![];
            continue;
        }
        if word == ")" {
            if !is_open {
                return Err(pattern_error(op, pattern, "has a ')' without a '('"));
            }
            is_open = false;
            groups.push(group.clone());
            continue;
        }
        let name = read_name(op, pattern, &word, names.len())?;
        let is_unit = name.is_empty();
        if !is_unit && names.contains(&name) {
            return Err(pattern_error(op, pattern, &format!("has '{word}' twice on one side")));
        }
        if name == ELLIPSIS && is_open {
            is_ellipsis_grouped = true;
        }
        if !is_unit {
            names.push(name.clone());
        }
        let members: Vec<String> = if is_unit { vec![] } else { vec![name] };
        if is_open {
            group.extend(members);
        } else {
            groups.push(members);
        }
    }
    if is_open {
        return Err(pattern_error(op, pattern, "has a '(' without a ')'"));
    }
    Ok(Side { groups, names, is_ellipsis_grouped })
}

/// The name of a word; none for 1.
fn read_name(op: &str, pattern: &str, word: &str, index: usize) -> Result<String> {
    if word == ELLIPSIS || is_name(word) {
        return Ok(word.to_string());
    }
    let Some(size) = number_of_word(word) else {
        return Err(pattern_error(op, pattern, &format!("has '{word}', which is no name of a dimension")));
    };
    if size == 0 {
        return Err(pattern_error(op, pattern, "has a dimension of size 0"));
    }
    if size == 1 { Ok(String::new()) } else { Ok(format!("#{index} {size}")) }
}

/// The size of a dimension without a name.
pub(crate) fn anonymous_size(name: &str) -> Option<usize> {
    if !name.starts_with("#") {
        return None;
    }
    number_of_word(&split_text(name, " ")[1])
}

/// The side with names in place of `...`, for a number of dimensions.
pub(crate) fn expand_ellipsis(side: &Side, count: usize) -> Side {
    let mut groups = vec![];
    let mut names = vec![];
    for group in &side.groups {
        let mut members: Vec<String> = vec![];
        for name in group {
            if name != ELLIPSIS {
                members.push(name.clone());
                names.push(name.clone());
                continue;
            }
            for i in 0..count {
                let part = format!("...{i}");
                names.push(part.clone());
                if side.is_ellipsis_grouped {
                    members.push(part);
                } else {
                    groups.push(vec![part]);
                }
            }
        }
        let is_replaced = !side.is_ellipsis_grouped && group.contains(&ELLIPSIS.to_string());
        if !is_replaced {
            groups.push(members);
        }
    }
    Side { groups, names, is_ellipsis_grouped: false }
}
