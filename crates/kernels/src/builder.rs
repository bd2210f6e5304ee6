//! The parts of a shader as they come together: words, bindings, functions.

use crate::{Bindings, MAX_WORDS, Pass, Slot, Target, from_word, indent, pass::grid, prelude};
use lanthorn_ir::{
    Error, Result,
    backend::InPlace,
    expr::{Program, Type},
    print::wgsl,
};
use std::{collections::BTreeSet, fmt::Write};

const CHECK_INDEX: &str = include_str!("../../../shaders/common/check_index.wgsl");

/// The parts of a shader as they come together.
pub(super) struct Builder {
    words: Vec<u32>,
    params: Vec<Type>,
    declarations: String,
    bindings: Bindings,
    slots: Vec<Slot>,
    /// The functions of `shaders/common` that are called.
    pub(super) functions: BTreeSet<&'static str>,
    status: Option<usize>,
    in_place: Vec<InPlace>,
}

impl Builder {
    /// Words before the parameters: the width of the grid, and a zero that the compiler does not know.
    pub(super) const HEADER: usize = 2;

    pub(super) fn new(params: &[Type], in_place: &[InPlace]) -> Result<Builder> {
        for &ty in params {
            wgsl::type_name(ty)?;
        }
        Ok(Builder {
            words: vec![0; Builder::HEADER + params.len()],
            params: params.to_vec(),
            declarations: String::new(),
            bindings: Bindings { inputs: 0, outputs: 0, status: false },
            slots: Vec::new(),
            functions: BTreeSet::new(),
            status: None,
            in_place: in_place.to_vec(),
        })
    }

    pub(super) fn word_at(index: usize) -> String {
        format!("params.words[{}].{}", index / 4, ["x", "y", "z", "w"][index % 4])
    }

    /// A number of the launch, as the name that [`Builder::definitions`] gives it.
    pub(super) fn word(&mut self, value: u32) -> String {
        self.words.push(value);
        format!("w{}", self.words.len() - 1)
    }

    /// The words and parameters by name. They are read once, where the shader begins: a compiler cannot know that no store changes them in between.
    pub(super) fn definitions(&self) -> String {
        // Writing to a String does not fail.
        let mut text = format!("let zero = {};\n", Builder::word_at(1));
        for (slot, &ty) in self.params.iter().enumerate() {
            let _ = writeln!(text, "let p{slot} = {};", from_word(ty, &Builder::word_at(Builder::HEADER + slot)));
        }
        for at in Builder::HEADER + self.params.len()..self.words.len() {
            let _ = writeln!(text, "let w{at} = {};", Builder::word_at(at));
        }
        text
    }

    pub(super) fn count(&mut self, value: usize) -> String {
        // A shape's sizes and their products fit in 31 bits; a stride may be negative and wraps, as the index arithmetic does.
        self.word(value as u32)
    }

    pub(super) fn stride(&mut self, value: isize) -> String {
        self.word(value as u32)
    }

    pub(super) fn bind(&mut self, access: &str, ty: &str, slot: Slot) -> String {
        let binding = self.slots.len();
        let name = match slot {
            Slot::Input(at) => format!("in{at}"),
            Slot::Output(at) => format!("out{at}"),
            Slot::Scratch => "scratch".to_string(),
        };
        // Writing to a String does not fail.
        let _ = writeln!(self.declarations, "@group(0) @binding({binding}) var<storage, {access}> {name}: array<{ty}>;");
        self.slots.push(slot);
        name
    }

    /// A buffer that is read. All of them come before those that are written. An input that an output replaces is read from the output's binding, because a
    /// dispatch may not have one buffer both read-only and writable.
    pub(super) fn input(&mut self, ty: &str, slot: Slot) -> String {
        debug_assert_eq!(self.bindings.outputs, 0);
        let replaced = self.in_place.iter().find(|pair| slot == Slot::Input(pair.input));
        if let Some(pair) = replaced {
            return format!("out{}", pair.output);
        }
        self.bindings.inputs += 1;
        self.bind("read", ty, slot)
    }

    pub(super) fn output(&mut self, ty: &str, slot: Slot) -> String {
        self.bindings.outputs += 1;
        self.bind("read_write", ty, slot)
    }

    /// Binds the status buffer, and gives the place to write to in it. After the outputs.
    pub(super) fn status(&mut self) -> String {
        let binding = self.slots.len();
        let _ = writeln!(self.declarations, "@group(0) @binding({binding}) var<storage, read_write> status: array<atomic<u32>>;");
        self.bindings.status = true;
        self.status = Some(self.words.len());
        self.words.push(0);
        format!("status[{}]", Builder::word_at(self.words.len() - 1))
    }

    pub(super) fn print(
        &mut self,
        program: &Program,
        input: &dyn Fn(usize) -> String,
        index: &str,
        prefix: &str,
    ) -> Result<(String, Vec<(String, Type)>)> {
        self.print_from(program, input, 0, index, prefix)
    }

    /// [`Builder::print`] for a program whose parameters begin at `first_param` of the launch's.
    pub(super) fn print_from(
        &mut self,
        program: &Program,
        input: &dyn Fn(usize) -> String,
        first_param: usize,
        index: &str,
        prefix: &str,
    ) -> Result<(String, Vec<(String, Type)>)> {
        let param = |slot, _| format!("p{}", first_param + slot);
        let printed = wgsl::print(program, &wgsl::Names { input, param: &param, index, zero: "zero", prefix })?;
        self.functions.extend(printed.functions);
        Ok((printed.statements, printed.outputs))
    }

    /// The whole shader. `own` is text before the template's: functions of this kernel.
    pub(super) fn finish(
        mut self,
        own: &str,
        template: &str,
        values: &[(&str, &str)],
        groups: usize,
        target: &Target,
    ) -> Result<Pass> {
        if self.words.len() > MAX_WORDS {
            let message = format!("a kernel with {} parameters; at most {} fit", self.params.len(), MAX_WORDS);
            return Err(Error::limit("kernel", message));
        }
        let mut library = prelude::functions(&self.functions);
        if self.functions.contains("check_index") {
            library.push_str(&prelude::fill(CHECK_INDEX, &[("status", &self.status())]));
        }
        let grid = grid(groups, target.max_groups)?;
        let definitions = indent(&self.definitions(), 1);
        let mut words = self.words;
        words[0] = grid[0];
        let body = prelude::fill(template, &[values, &[("words", &definitions), ("grid", &Builder::word_at(0))]].concat());
        let vectors = words.len().div_ceil(4);
        let source = format!(
            "struct Params {{\n    words: array<vec4<u32>, {vectors}>,\n}}\n\n@group(1) @binding(0) var<uniform> params: Params;\n{}\n{library}\n\n{own}\n{body}",
            self.declarations
        );
        Ok(Pass {
            source,
            bindings: self.bindings,
            slots: self.slots,
            words,
            params: self.params.len(),
            grid,
            status: self.status,
            quads: false,
        })
    }
}
