//! The texts of refusals. The npm package checks the names of arguments too, and has these texts
//! printed (`npm/src/generated/kinds.ts`), so that a caller reads the same words from both.

/// An argument is not given that has no default.
pub const MISSING: &str = "the argument {name} is missing: {signature}";
/// An argument is of a type or value that its parameter does not take.
pub const WRONG: &str = "the argument {name} takes {accepted}, not {found}";
/// There is no parameter of this name, which is quoted.
pub const UNKNOWN: &str = "there is no argument {name}";
/// After [`UNKNOWN`], if there are parameters.
pub const KNOWN: &str = "; there are {names}";
/// An argument is given by position and by name.
pub const TWICE: &str = "the argument {name} is given twice";
/// More arguments are given by position than there are parameters for.
pub const TOO_MANY: &str = "takes at most {limit} positional arguments, {count} were given";
/// After [`TOO_MANY`], if further arguments can be given by name. `form` is "by name" in the words
/// of the language.
pub const BY_NAME: &str = "; give {names} {form}";

/// All texts by name, for printing.
pub const ALL: [(&str, &str); 7] = [
    ("missing", MISSING),
    ("wrong", WRONG),
    ("unknown", UNKNOWN),
    ("known", KNOWN),
    ("twice", TWICE),
    ("tooMany", TOO_MANY),
    ("byName", BY_NAME),
];

/// A text with its parts in braces filled in.
///
/// ```
/// use lanthorn_call::texts::{TWICE, fill};
/// assert_eq!(fill(TWICE, &[("name", "dim")]), "the argument dim is given twice");
/// ```
#[cold]
pub fn fill(text: &str, parts: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let value = parts.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
        filled += before;
        filled += value;
        rest = after;
    }
    filled + rest
}
