//! The caller of an operation: its language, and the name under which it calls.

use lanthorn_schema::Schema;
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
    /// assert_eq!(Language::JavaScript.name("self"), "input");
    /// assert_eq!(Language::Python.name("return_indices"), "return_indices");
    /// ```
    pub fn name(self, name: &str) -> Cow<'_, str> {
        if self == Language::JavaScript && name == "self" {
            return "input".into();
        }
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

/// The name of an operation in an error whose reader knows the name under which it was called. The
/// reader replaces this character, which no text of an error contains: a string is quoted with
/// control characters escaped.
pub const CALLER: &str = "\u{1a}";

/// The caller of an operation, as errors name it.
///
/// ```
/// use lanthorn_call::{Caller, Language, Value, bind};
/// use lanthorn_schema::Schema;
/// let schema = Schema::parse("col2im(Tensor self, int[] output_size) -> Tensor").unwrap();
/// let caller = Caller { language: Language::JavaScript, name: Some("fold") };
/// let refusal = bind::<usize>(&schema, &[7usize.into()], caller).unwrap_err();
/// let text = "the argument outputSize is missing: fold(Tensor input, int[] outputSize) -> Tensor";
/// assert_eq!((&*refusal.op, &*refusal.text), ("fold", text));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caller {
    /// How the caller writes names.
    pub language: Language,
    /// The name under which the operation was called: an alias, the in-place form, or [`CALLER`].
    /// `None` for the schema's.
    pub name: Option<&'static str>,
}

/// A caller that uses the schema's names.
impl From<Language> for Caller {
    fn from(language: Language) -> Caller {
        Caller { language, name: None }
    }
}

impl Caller {
    /// A caller that PyTorch's names suit: Rust, and programs.
    pub const PYTHON: Caller = Caller { language: Language::Python, name: None };

    /// The name of the operation.
    pub(crate) fn op(self, schema: &Schema) -> &str {
        self.name.unwrap_or(&schema.name)
    }

    /// The schema with the caller's names.
    #[cold]
    pub(crate) fn signature(self, schema: &Schema) -> String {
        let mut own = schema.clone();
        if let Some(name) = self.name {
            (own.name, own.overload) = (name.to_string(), String::new());
        }
        for param in &mut own.params {
            param.name = self.language.name(&param.name).into_owned();
        }
        own.to_string()
    }
}
