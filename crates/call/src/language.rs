//! How a caller's language writes calls.

use std::borrow::Cow;

/// How the caller's language writes a call: the names of arguments, and how it names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// As PyTorch: `keepdim=True`.
    Python,
    /// Names are in camel case, and named arguments are in an object.
    JavaScript,
}

impl Language {
    /// The name of a parameter in the language.
    ///
    /// ```
    /// use lanthorn_call::Language;
    /// assert_eq!(Language::JavaScript.name("return_indices"), "returnIndices");
    /// assert_eq!(Language::JavaScript.name("_random_samples"), "_randomSamples");
    /// assert_eq!(Language::Python.name("return_indices"), "return_indices");
    /// ```
    pub fn name(self, name: &str) -> Cow<'_, str> {
        if self == Language::Python || !name.trim_matches('_').contains('_') {
            return name.into();
        }
        let (lead, name) = name.strip_prefix('_').map_or(("", name), |rest| ("_", rest));
        let (body, tail) = name.strip_suffix('_').map_or((name, ""), |body| (body, "_"));
        let mut text = lead.to_string();
        for (index, word) in body.split('_').enumerate() {
            let mut letters = word.chars();
            match letters.next() {
                Some(first) if index > 0 => text.extend(first.to_uppercase()),
                Some(first) => text.push(first),
                None => {}
            }
            text.push_str(letters.as_str());
        }
        (text + tail).into()
    }

    /// How the caller can give further arguments.
    pub(crate) fn by_name(self) -> &'static str {
        match self {
            Language::Python => "by name",
            Language::JavaScript => "in an object",
        }
    }
}
