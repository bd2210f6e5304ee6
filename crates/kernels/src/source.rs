//! The text of a pass, kept in parts until a caller needs the whole.
//!
//! A pass is looked up by its text, and nearly always found. The parts therefore serve as the key,
//! because they determine the text. The text is assembled only when a device compiles it.
//! Assembling several kilobytes for each lookup took more than half of the time that a known kernel
//! took to run at a new size.
//!
//! Rejected: a key of the kernel's structure. It would have to repeat every decision that a
//! generator makes based on sizes.

use crate::{
    Builder, Language, indent,
    language::{from_word, word_count},
    prelude,
};
use lanthorn_ir::expr::Type;
use std::{collections::BTreeSet, fmt::Write};

const CHECK_INDEX: &str = include_str!("../shaders/common/check_index.wgsl");

const CHECK_INDEX_CUDA: &str = include_str!("../shaders/common/check_index.cu");

/// The text of a pass. Equal sources have equal texts; the converse may not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source(Repr);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Parts(Box<Parts>),
    Whole(String),
}

impl Source {
    /// The whole text.
    pub fn text(&self) -> String {
        match &self.0 {
            Repr::Parts(parts) => parts.text(),
            Repr::Whole(text) => text.clone(),
        }
    }
}

impl From<Parts> for Source {
    fn from(parts: Parts) -> Source {
        Source(Repr::Parts(Box::new(parts)))
    }
}

impl From<String> for Source {
    fn from(text: String) -> Source {
        Source(Repr::Whole(text))
    }
}

/// Everything that a generated text depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parts {
    pub(super) language: Language,
    /// The functions of this kernel, which precede the template.
    pub(super) own: String,
    pub(super) template: &'static str,
    /// The text of each placeholder of the template.
    pub(super) values: Vec<(&'static str, String)>,
    /// One declaration for each bound buffer.
    pub(super) declarations: Vec<String>,
    /// The functions of `shaders/common` that the kernel calls.
    pub(super) functions: BTreeSet<String>,
    /// The number of kernel arguments.
    pub(super) arguments: usize,
    pub(super) params: Vec<Type>,
    /// Number of blocks whose registers fit on one multiprocessor of a CUDA device at a time.
    pub(super) resident: usize,
    /// The threads of a workgroup.
    pub(super) threads: usize,
    /// The entry of the status buffer for indices that are out of range.
    pub(super) status: Option<String>,
}

/// The expression of a kernel argument.
pub(super) fn argument_at(language: Language, index: usize) -> String {
    if language.is_cuda() {
        return format!("words.at[{index}]");
    }
    format!("params.words[{}].{}", index / 4, ["x", "y", "z", "w"][index % 4])
}

impl Parts {
    fn text(&self) -> String {
        if self.language.is_cuda() { self.cuda() } else { self.wgsl() }
    }

    /// Definitions of the arguments and parameters by name. They are read once, at the start of the
    /// kernel, because the compiler cannot know that no store changes them.
    ///
    /// In WGSL `zero` also depends on the workgroup, and every parameter depends on `zero`. Mesa's
    /// pass that propagates constant uniforms visits the operands of each branch condition again
    /// for each use of a value, until it finds a value that is not uniform. For conditions in
    /// `pow_f32` that depend only on parameters, it made more than 8^13 visits.
    fn definitions(&self) -> String {
        let (language, mut text) = (self.language, String::new());
        let first = if language.is_cuda() { 0 } else { Builder::HEADER + self.params.len() };
        // Writing to a String does not fail.
        if language.is_cuda() {
            text.push_str("const u32 block = blockIdx.y * gridDim.x + blockIdx.x;\nconst u32 lane = threadIdx.x;\n");
        } else {
            let _ = writeln!(text, "let zero = {} & group.x;", argument_at(language, 1));
        }
        let mut at = 0;
        for (slot, &ty) in self.params.iter().enumerate() {
            let value = match ty {
                Type::I64 | Type::F64 => format!("wide<{}>(params[{at}], params[{}])", ty.name(), at + 1),
                _ if language.is_cuda() => from_word(ty, &format!("params[{at}]")),
                _ => from_word(ty, &format!("({} | zero)", argument_at(language, Builder::HEADER + slot))),
            };
            at += word_count(ty);
            let _ = writeln!(text, "let p{slot} = {value};");
        }
        for at in first..self.arguments {
            let _ = writeln!(text, "let w{at} = {};", argument_at(language, at));
        }
        text
    }

    fn fill(&self, more: &[(&str, &str)]) -> String {
        let values: Vec<(&str, &str)> = self.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        prelude::fill(self.template, &[&values, more].concat())
    }

    fn wgsl(&self) -> String {
        let mut library = prelude::functions(&self.functions);
        if let Some(status) = &self.status {
            library.push_str(&prelude::fill(CHECK_INDEX, &[("status", status)]));
        }
        let definitions = indent(&self.definitions(), 1);
        let body = self.fill(&[("words", &definitions), ("grid", &argument_at(self.language, 0))]);
        let vectors = self.arguments.div_ceil(4);
        let declares = |ty: &str| self.declarations.iter().any(|declaration| declaration.contains(ty));
        let extensions = if declares("<f16>") { "enable f16;\n\n" } else { "" };
        format!(
            "{extensions}struct Params {{\n    words: array<vec4<u32>, {vectors}>,\n}}\n\n@group(1) @binding(0) var<uniform> params: Params;\n{}\n{library}\n\n{}\n{body}",
            self.declarations.concat(),
            self.own,
        )
    }

    fn cuda(&self) -> String {
        let check =
            self.status.as_ref().map_or(String::new(), |status| prelude::fill(CHECK_INDEX_CUDA, &[("status", status)]));
        let words = indent(&(self.definitions() + &check), 1);
        let mut parameters = self.declarations.clone();
        parameters.push("const Words words".to_string());
        if !self.params.is_empty() {
            parameters.push("const u32* __restrict__ params".to_string());
        }
        let (parameters, threads) = (parameters.join(", "), self.threads);
        let kernel = format!(
            "extern \"C\" __global__ void __launch_bounds__({threads}, {}) kernel({parameters})",
            self.resident
        );
        let body = self.fill(&[("words", &words), ("kernel", &kernel), ("threads", &format!("{threads}u"))]);
        let (count, own) = (self.arguments, &self.own);
        format!("{}\nstruct Words {{\n    u32 at[{count}];\n}};\n\n{own}\n{body}", prelude::CUDA.concat())
    }
}
