//! User-defined kernels: a body with generated functions for its tensors and numbers, or a whole
//! module in WGSL.
//!
//! The text of a kernel with a body depends only on the body and on the element types of its
//! tensors. Sizes, strides, numbers and the number of threads are argument words, so one pipeline
//! serves all shapes. The words are in the order that the documentation of whole modules specifies:
//! 1. the workgroups along x, and a zero
//! 2. the numbers, one word each
//! 3. three words for each tensor: its elements, its rank, and the index of the word at which its
//!    sizes start, followed by its strides
//! 4. two words for each list: its length, and the index of its first word
//! 5. the number of threads of a body
//!
//! A read outside of a tensor returns 0, and a write outside is dropped, so an error in a body
//! cannot corrupt other memory.

use crate::{
    BLOCK, Builder, Dialect, Pass, Plan, Slot, Target,
    buffer::{Buffer, Element},
    indent,
    indexing::Lanes,
    language::from_word,
    pass::UserText,
    prelude,
};
use lanthorn_ir::{
    DType, Error, Result, Shape,
    expr::Type,
    kernel::{ArgumentKind, Custom, Extent, Wgsl},
};
use std::fmt::Write;

const WGSL: &str = include_str!("../shaders/custom/body.wgsl");
const CUDA: &str = include_str!("../shaders/custom/body.cu");
const TENSOR: &str = include_str!("../shaders/custom/tensor.wgsl");
const TENSOR_CUDA: &str = include_str!("../shaders/custom/tensor.cu");
const LIST: &str = include_str!("../shaders/custom/list.wgsl");
const LIST_CUDA: &str = include_str!("../shaders/custom/list.cu");
const READ: &str = include_str!("../shaders/custom/read.wgsl");
const READ_CUDA: &str = include_str!("../shaders/custom/read.cu");
const WRITE: &str = include_str!("../shaders/custom/write.wgsl");
const WRITE_CUDA: &str = include_str!("../shaders/custom/write.cu");

/// The marker that the body replaces at the end, after all templates have been filled.
const BODY: &str = "//@ body";
const DECLARATIONS: &str = "//@ declarations";

/// The number of argument words is a multiple of this, so that the text does not depend on ranks.
const WORDS: usize = 64;

pub(super) fn plan(custom: &Custom, target: &Target) -> Result<Plan> {
    let (language, kernel) = (target.language, custom.kernel.0);
    let missing = || Error::kernel("kernel", format!("{} has no kernel in the device's language", kernel.name));
    let mut builder = Builder::new(language, &custom.params, &[])?;
    let words = Words::new(&mut builder, custom);
    let (groups, threads) = match custom.extent {
        Extent::Threads(threads) => (threads.div_ceil(256), threads),
        Extent::Workgroups([x, y]) => (x * y, 0),
    };
    if groups == 0 {
        return Ok(Plan::default());
    }
    let accessors = accessors(&mut builder, custom, &words)?;
    let count = words.fill(&mut builder, custom, threads);
    let count = builder.argument_at(count);
    builder.pad_arguments(WORDS);
    let numbers = numbers(&builder, custom);
    let mut pass = match (language.is_cuda(), &kernel.wgsl, &kernel.cuda) {
        (true, _, Some(body)) => {
            let accessors = indent(&(numbers + &accessors), 1);
            let values = [("accessors", accessors.as_str()), ("count", &count), ("user", BODY)];
            let pass = builder.finish("", CUDA, &values, [threads.div_ceil(BLOCK), BLOCK], target)?;
            // The compiler then reports lines of the body.
            let body = format!("#line 1 \"{}\"\n{body}\n", kernel.name);
            Pass { source: pass.source.text().replacen(BODY, &body, 1).into(), ..pass }
        }
        (false, Some(Wgsl::Body { text, declarations }), _) => {
            let user = format!("fn lanthorn_body(i: u32) {{\n{numbers}{BODY}\n}}\n\n{DECLARATIONS}\n");
            let values = [("accessors", accessors.as_str()), ("threads", &count), ("user", &user)];
            let pass = builder.finish("", WGSL, &values, [groups, 256], target)?;
            with_user_text(pass, &[(BODY, text), (DECLARATIONS, declarations)])
        }
        (false, Some(Wgsl::Module(text)), _) => {
            let pass = builder.finish("", BODY, &[], [1, 256], target)?;
            let user = vec![UserText { first_line: 1, text: text.clone() }];
            Pass { source: text.clone().into(), user, ..pass }
        }
        _ => return Err(missing()),
    };
    if let Extent::Workgroups(grid) = custom.extent {
        if grid.iter().any(|&groups| groups > target.max_groups as usize) {
            let most = target.max_groups;
            return Err(Error::limit(
                "kernel",
                format!("{grid:?} workgroups; the device dispatches at most {most} x {most}"),
            ));
        }
        pass.grid = grid.map(|groups| groups as u32);
        pass.arguments[0] = pass.grid[0];
    }
    Ok(Plan { passes: vec![pass], scratch_bytes: 0 })
}

/// Replaces the markers by the user's texts, and records the first line of each.
fn with_user_text(mut pass: Pass, texts: &[(&str, &str)]) -> Pass {
    let mut source = pass.source.text();
    for &(marker, text) in texts {
        let Some(at) = source.find(marker) else { continue };
        let first_line = source[..at].matches('\n').count() + 1;
        source.replace_range(at..at + marker.len(), text);
        pass.user.push(UserText { first_line, text: text.to_string() });
    }
    pass.source = source.into();
    pass
}

/// The argument words of each tensor and list.
struct Words {
    tensors: usize,
    lists: usize,
}

impl Words {
    /// Reserves all words. The sizes follow the number of threads.
    fn new(builder: &mut Builder, custom: &Custom) -> Words {
        let first = builder.argument_count();
        let tensors = custom.tensors.len() + custom.results.len();
        (0..3 * tensors + 2 * custom.lists.len() + 1).for_each(|_| drop(builder.argument(0)));
        Words { tensors: first, lists: first + 3 * tensors }
    }

    /// Writes all words, and returns the index of the number of threads.
    fn fill(&self, builder: &mut Builder, custom: &Custom, threads: usize) -> usize {
        let nothing = (DType::F32, Shape::from_dims([0]));
        let inputs = custom.tensors.iter().map(|tensor| tensor.as_ref().unwrap_or(&nothing));
        for (position, (_, shape)) in inputs.chain(&custom.results).enumerate() {
            let start = builder.argument_count();
            let words = [shape.elements(), shape.rank(), start];
            (0..3).for_each(|word| builder.set_argument(self.tensors + 3 * position + word, words[word] as u32));
            let stride = |dim: usize| shape[dim + 1..].iter().product();
            shape
                .iter()
                .copied()
                .chain((0..shape.rank()).map(stride))
                .for_each(|word| drop(builder.argument(word as u32)));
        }
        for (position, list) in custom.lists.iter().enumerate() {
            let words = [list.len(), builder.argument_count()];
            (0..2).for_each(|word| builder.set_argument(self.lists + 2 * position + word, words[word] as u32));
            // Integers on the device have 32 bits.
            list.iter().for_each(|&value| drop(builder.argument(value as i32 as u32)));
        }
        let position = self.lists + 2 * custom.lists.len();
        builder.set_argument(position, threads as u32);
        position
    }
}

/// The name of an argument in a kernel's text. `self` is a keyword of WGSL.
fn escape_name(name: &str) -> &str {
    if name == "self" { "input" } else { name }
}

/// Functions for the tensors and lists.
fn accessors(builder: &mut Builder, custom: &Custom, words: &Words) -> Result<String> {
    let (language, kernel) = (builder.language, custom.kernel.0);
    let of_kind = |kind: ArgumentKind| kernel.arguments.iter().filter(move |argument| argument.kind == kind);
    let (mut text, mut slot) = (String::new(), 0);
    let tensors = of_kind(ArgumentKind::Tensor).zip(&custom.tensors).enumerate();
    for (position, (argument, tensor)) in tensors {
        let (name, at) = (escape_name(&argument.name), words.tensors + 3 * position);
        text += &sizes(builder, name, at, tensor.is_some());
        let (dtype, value) = match tensor {
            Some((dtype, _)) => {
                let element = Element::of(language, *dtype);
                let buffer = builder.reads(element, Lanes::One, Slot::Input(slot))?;
                slot += 1;
                (*dtype, element.value(&buffer.at("i")))
            }
            None => (DType::F32, "f32(0)".to_string()),
        };
        let (ty, numel) = (language.type_name(Type::from(dtype))?, builder.argument_at(at));
        let values = [("name", name), ("ty", ty), ("numel", &numel), ("value", &value)];
        text += &prelude::fill(language.pick(READ, READ_CUDA), &values);
        text.push('\n');
    }
    for (position, argument) in of_kind(ArgumentKind::Ints).enumerate() {
        let [length, start] = [0, 1].map(|word| builder.argument_at(words.lists + 2 * position + word));
        let values = [("name", escape_name(&argument.name)), ("length", &length), ("start", &start)];
        text += &prelude::fill(language.pick(LIST, LIST_CUDA), &values);
        text.push('\n');
    }
    for (position, (name, (dtype, _))) in kernel.results.iter().zip(&custom.results).enumerate() {
        let at = words.tensors + 3 * (custom.tensors.len() + position);
        text += &sizes(builder, name, at, true);
        let buffer = builder.writes(Element::of(language, *dtype), Lanes::One, Slot::Output(position))?;
        let (ty, numel) = (language.type_name(Type::from(*dtype))?, builder.argument_at(at));
        let store = store(builder, &buffer, *dtype)?;
        let values = [("name", name.as_str()), ("ty", ty), ("numel", &numel), ("store", &indent(&store, 1))];
        text += &prelude::fill(language.pick(WRITE, WRITE_CUDA), &values);
        text.push('\n');
    }
    Ok(text)
}

/// Functions that return the sizes of a tensor, whose words start at argument `at`.
fn sizes(builder: &Builder, name: &str, at: usize, given: bool) -> String {
    let [numel, rank, start] = [0, 1, 2].map(|word| builder.argument_at(at + word));
    let values = [
        ("name", name),
        ("numel", &numel),
        ("rank", &rank),
        ("start", &start),
        ("given", if given { "true" } else { "false" }),
    ];
    prelude::fill(builder.language.pick(TENSOR, TENSOR_CUDA), &values) + "\n"
}

/// Statements that store `value`, rounded if the element has a half type.
fn store(builder: &mut Builder, buffer: &Buffer, dtype: DType) -> Result<String> {
    let (language, ty) = (builder.language, Type::from(dtype));
    let rounding = match dtype {
        DType::F16 => Some("to_f16"),
        DType::BF16 => Some("to_bf16"),
        _ => None,
    };
    let rounded = match rounding.filter(|_| !language.is_cuda()) {
        Some(function) => {
            builder.functions.insert(function.to_string());
            format!("{function}(value)")
        }
        None => "value".to_string(),
    };
    let stored = language.to_element(dtype, &rounded, ty, &mut builder.functions)?;
    Ok(buffer.store("i", &stored))
}

/// Definitions of the numbers by name.
fn numbers(builder: &Builder, custom: &Custom) -> String {
    let names = custom.kernel.0.arguments.iter().filter(|argument| argument.kind == ArgumentKind::Number);
    let mut text = String::new();
    for (position, (argument, &ty)) in names.zip(&custom.params).enumerate() {
        let word = match builder.language.is_cuda() {
            true => format!("params[{position}]"),
            false => builder.argument_at(Builder::HEADER + position),
        };
        // Writing to a String does not fail.
        let _ = writeln!(text, "let {} = {};", escape_name(&argument.name), from_word(ty, &word));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Tuning};
    use lanthorn_ir::kernel::{Argument, CustomKernel, KernelRef};

    fn custom(text: &str, tensors: Vec<Option<(DType, Shape)>>, result: DType) -> Custom {
        let argument = |name: &str, kind| Argument { name: name.to_string(), kind };
        let kernel = CustomKernel {
            name: "test::kernel",
            arguments: vec![
                argument("self", ArgumentKind::Tensor),
                argument("scale", ArgumentKind::Number),
                argument("bias", ArgumentKind::Tensor),
                argument("dims", ArgumentKind::Ints),
            ],
            results: vec!["out".to_string()],
            wgsl: Some(Wgsl::Body {
                text: text.to_string(),
                declarations: "fn twice(x: f32) -> f32 { return x + x; }".into(),
            }),
            cuda: None,
            cpu: None,
        };
        Custom {
            kernel: KernelRef(Box::leak(Box::new(kernel))),
            tensors,
            lists: vec![vec![5, -6]],
            results: vec![(result, Shape::from_dims([2, 3]))],
            params: vec![Type::F32],
            extent: Extent::Threads(6),
        }
    }

    fn target() -> Target {
        Target {
            language: Language::Wgsl,
            software: false,
            quads: false,
            max_groups: 65_535,
            max_scratch_bytes: 1 << 20,
            max_buffer_bytes: 1 << 27,
            tuning: Tuning::default(),
        }
    }

    fn pass(custom: &Custom) -> Pass {
        plan(custom, &target()).unwrap().passes.remove(0)
    }

    #[test]
    fn the_text_does_not_depend_on_shapes_and_knows_its_users_lines() {
        let text = "let x = input(i);\nset_out(i, {{x}});";
        let of = |dims: &[usize]| {
            pass(&custom(text, vec![Some((DType::F16, Shape::from_dims(dims.iter().copied()))), None], DType::BF16))
        };
        let (small, large) = (of(&[6]), of(&[7, 5, 3, 2]));
        assert_eq!(small.source, large.source);
        assert_ne!(small.arguments, large.arguments);
        // Elements, rank, first word; sizes and strides follow there.
        let at = Builder::HEADER + 1;
        let start = large.arguments[at + 2] as usize;
        assert_eq!(large.arguments[at..at + 2], [210, 4]);
        assert_eq!(large.arguments[start..start + 8], [7, 5, 3, 2, 30, 6, 2, 1]);
        let text = large.source.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[large.user[0].first_line - 1..][..2], ["let x = input(i);", "set_out(i, {{x}});"]);
        assert!(lines[large.user[1].first_line - 1].starts_with("fn twice"));
    }

    #[test]
    fn nothing_to_do_and_no_kernel() {
        let mut empty = custom("", vec![None, None], DType::F32);
        empty.extent = Extent::Threads(0);
        assert!(plan(&empty, &target()).unwrap().passes.is_empty());
        let mut wide = custom("", vec![None, None], DType::F32);
        wide.extent = Extent::Workgroups([70_000, 1]);
        assert!(plan(&wide, &target()).unwrap_err().is_limit());
    }
}
