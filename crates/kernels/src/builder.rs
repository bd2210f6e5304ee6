//! The parts of a kernel's text while it is assembled: arguments, bindings, functions.

use crate::{
    Bindings, Dialect, Language, MAX_ARGUMENTS, Pass, Slot, Target, blocks,
    buffer::{Access, Buffer, Element},
    indexing::Lanes,
    language::{Names, from_word, print},
    pass::grid,
    source::{Parts, argument_at},
};
use lanthorn_ir::{
    Error, Result,
    backend::{Alias, InPlace},
    expr::{Constant, Program, Type},
    kernel::Fusible,
};
use std::collections::BTreeSet;

/// Maximum number of argument words of a CUDA kernel. CUDA allows 4 KiB of arguments. This leaves
/// room for 64 buffer addresses.
const MAX_BY_VALUE: usize = 880;

/// The position of an element: its linear index, and the affine indices by slot.
#[derive(Clone, Copy)]
pub(super) struct Position<'a> {
    pub(super) linear: &'a str,
    pub(super) affine: &'a dyn Fn(usize) -> String,
}

/// The first buffers and the first parameter of a kernel in a launch of several kernels.
#[derive(Clone, Copy, Default)]
pub(super) struct First {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) param: usize,
}

impl First {
    /// The offsets of all kernels of a launch.
    pub(super) fn of<K: Fusible<usize>>(parts: &[K]) -> Vec<First> {
        let mut next = First::default();
        let each = |part: &K| {
            let first = next;
            let [inputs, outputs] = part.buffers();
            next.input += inputs;
            next.output += outputs;
            next.param += part.params().len();
            first
        };
        parts.iter().map(each).collect()
    }
}

/// The launch of one or several kernels.
#[derive(Clone, Copy)]
pub(super) struct Launch<'a> {
    /// The types of all parameters.
    pub(super) params: &'a [Type],
    pub(super) aliases: &'a [Alias],
    pub(super) first: First,
}

impl<'a> Launch<'a> {
    /// The launch of one kernel.
    pub(super) fn of(params: &'a [Type], aliases: &'a [Alias]) -> Launch<'a> {
        Launch { params, aliases, first: First::default() }
    }
}

/// A buffer that is bound for reading.
struct Bound {
    /// The first input of the launch that reads the buffer.
    slot: Slot,
    name: String,
    ty: String,
    /// The elements and their declaration; none for a buffer that is not read by elements.
    elements: Option<(Element, Lanes)>,
}

/// The parts of a kernel's text while it is assembled.
pub(super) struct Builder {
    pub(super) language: Language,
    /// The offsets of the kernel that is printed. Its slots start here.
    pub(super) first: First,
    arguments: Vec<u32>,
    params: Vec<Type>,
    /// One declaration for each bound buffer.
    declarations: Vec<String>,
    /// Number of blocks whose registers fit on one multiprocessor of a CUDA device at a time.
    pub(super) resident: usize,
    bindings: Bindings,
    slots: Vec<Slot>,
    /// The functions of `shaders/common` that the kernel calls.
    pub(super) functions: BTreeSet<String>,
    /// The functions that decode block-quantized operands.
    generated: Vec<String>,
    status: Option<usize>,
    in_place: Vec<InPlace>,
    /// Pairs of an input and an earlier input that share a buffer.
    repeated: Vec<[usize; 2]>,
    /// The buffers that are read, each once.
    bound: Vec<Bound>,
    /// How threads access the words of packed outputs that they write element by element.
    pub(super) access: Access,
}

impl Builder {
    /// The arguments before the parameters: the width of the grid, and a zero that is unknown at
    /// compile time.
    pub(super) const HEADER: usize = 2;

    pub(super) fn new(language: Language, params: &[Type], aliases: &[Alias]) -> Result<Builder> {
        Builder::of(language, &Launch::of(params, aliases))
    }

    pub(super) fn of(language: Language, &Launch { params, aliases, first }: &Launch) -> Result<Builder> {
        for &ty in params {
            language.type_name(ty)?;
        }
        let repeated = |alias: &Alias| match *alias {
            Alias::Input { input, first } => Some([input, first]),
            Alias::InPlace(_) => None,
        };
        Ok(Builder {
            language,
            first,
            arguments: vec![0; language.pick(Builder::HEADER + params.len(), 0)],
            params: params.to_vec(),
            declarations: Vec::new(),
            resident: 1,
            bindings: Bindings { inputs: 0, outputs: 0, status: false },
            slots: Vec::new(),
            functions: BTreeSet::new(),
            generated: Vec::new(),
            status: None,
            in_place: Alias::in_place(aliases),
            repeated: aliases.iter().filter_map(repeated).collect(),
            bound: Vec::new(),
            access: Access::Shared,
        })
    }

    /// The expression of a kernel argument.
    pub(super) fn argument_at(&self, index: usize) -> String {
        argument_at(self.language, index)
    }

    /// The number of kernel arguments so far.
    pub(super) fn argument_count(&self) -> usize {
        self.arguments.len()
    }

    /// Changes the value of a kernel argument.
    pub(super) fn set_argument(&mut self, index: usize, value: u32) {
        self.arguments[index] = value;
    }

    /// Adds unused arguments up to a multiple of `multiple`.
    pub(super) fn pad_arguments(&mut self, multiple: usize) {
        self.arguments.resize(self.arguments.len().next_multiple_of(multiple), 0);
    }

    /// Adds a kernel argument, and returns the name that the text defines for it.
    pub(super) fn argument(&mut self, value: u32) -> String {
        self.arguments.push(value);
        format!("w{}", self.arguments.len() - 1)
    }

    /// Adds a constant of the launch as an argument, because WGSL cannot express infinity.
    pub(super) fn constant(&mut self, constant: Constant) -> String {
        let bits = match constant {
            Constant::I64(v) => v as u64,
            Constant::F64(bits) => bits,
            // All other types fit a word.
            other => return from_word(other.ty(), &self.argument(other.to_word().unwrap_or(0))),
        };
        let [low, high] = [bits as u32, (bits >> 32) as u32].map(|word| self.argument(word));
        format!("wide<{}>({low}, {high})", constant.ty().name())
    }

    pub(super) fn count(&mut self, value: usize) -> String {
        // The sizes of a shape and their products fit in 31 bits. A stride may be negative and
        // wraps, as the index arithmetic does.
        self.argument(value as u32)
    }

    pub(super) fn stride(&mut self, value: isize) -> String {
        self.argument(value as u32)
    }

    /// The slot of the launch for a slot of the kernel that is printed.
    fn in_launch(&self, slot: Slot) -> Slot {
        match slot {
            Slot::Input(at) => Slot::Input(self.first.input + at),
            Slot::Output(at) => Slot::Output(self.first.output + at),
            Slot::Scratch => Slot::Scratch,
        }
    }

    /// The pair of an input and the output that replaces it, if there is one.
    fn find_replaced(&self, slot: Slot) -> Option<&InPlace> {
        let slot = self.in_launch(slot);
        self.in_place.iter().find(|pair| slot == Slot::Input(pair.input))
    }

    pub(super) fn bind(&mut self, access: &str, ty: &str, slot: Slot) -> String {
        let slot = self.in_launch(slot);
        let binding = self.slots.len();
        let name = match slot {
            Slot::Input(at) => format!("in{at}"),
            Slot::Output(at) => format!("out{at}"),
            Slot::Scratch => "scratch".to_string(),
        };
        self.declarations.push(match self.language.is_cuda() {
            // A kernel may read a replaced input through the output's binding.
            true if access == "read" => format!("const {ty}* __restrict__ {name}"),
            true => format!("{ty}* {name}"),
            false => format!("@group(0) @binding({binding}) var<storage, {access}> {name}: array<{ty}>;\n"),
        });
        self.slots.push(slot);
        name
    }

    /// Binds a buffer for reading. All inputs are bound before the outputs. An input that an output
    /// replaces is read from the output's binding, because a dispatch may not bind a buffer both as
    /// read-only and as writable. Inputs that share a buffer share a binding for each type.
    pub(super) fn input(&mut self, ty: &str, slot: Slot) -> String {
        debug_assert_eq!(self.bindings.outputs, 0);
        if let Some(pair) = self.find_replaced(slot) {
            return format!("out{}", pair.output);
        }
        let first = self.first_read(slot);
        let known = self.bound.iter().find(|bound| bound.slot == first && bound.ty == ty);
        if let Some(bound) = known {
            return bound.name.clone();
        }
        self.bindings.inputs += 1;
        let name = self.bind("read", ty, slot);
        self.bound.push(Bound { slot: first, name: name.clone(), ty: ty.to_string(), elements: None });
        name
    }

    /// The first input that reads the same buffer.
    fn first_read(&self, slot: Slot) -> Slot {
        let slot = self.in_launch(slot);
        let first = self.repeated.iter().find(|[input, _]| slot == Slot::Input(*input)).map(|[_, first]| *first);
        first.map_or(slot, Slot::Input)
    }

    pub(super) fn output(&mut self, ty: &str, slot: Slot) -> String {
        self.bindings.outputs += 1;
        self.bind("read_write", ty, slot)
    }

    /// How threads access an output, if they write `lanes` elements at a time.
    fn choose_access(&self, lanes: Lanes) -> Access {
        if lanes == Lanes::Vector { Access::Plain } else { self.access }
    }

    /// [`Builder::input`] for elements that are read as `lanes`.
    pub(super) fn reads(&mut self, element: Element, lanes: Lanes, slot: Slot) -> Result<Buffer> {
        let access = self.access_of(lanes, slot);
        let ty = element.declare(lanes, access)?;
        let name = self.input(&ty, slot);
        if let Some(bound) = self.bound.iter_mut().find(|bound| bound.name == name) {
            bound.elements = Some((element, lanes));
        }
        self.buffer(Buffer { name, element, lanes, declared: lanes, access })
    }

    /// [`Builder::reads`] for elements that only [`Buffer::at`] reads. If an earlier input reads
    /// the same buffer, this one shares its binding, even if their lanes differ.
    pub(super) fn reads_at(&mut self, element: Element, lanes: Lanes, slot: Slot) -> Result<Buffer> {
        let first = self.first_read(slot);
        let is_like = |other: Element| other.encoding == element.encoding && other.moved == element.moved;
        let known = self.bound.iter().filter(|bound| bound.slot == first && element.blocks().is_none());
        let known =
            known.filter_map(|bound| Some((bound, bound.elements.filter(|(other, _)| is_like(*other))?))).next();
        let Some((bound, (_, declared))) = known else { return self.reads(element, lanes, slot) };
        let ty = element.declare(lanes, Access::Plain)?;
        // A CUDA pointer can be cast to any type.
        let cast = self.language.is_cuda() && ty != bound.ty;
        let name = if cast { format!("((const {ty}*){})", bound.name) } else { bound.name.clone() };
        let declared = if self.language.is_cuda() { lanes } else { declared };
        self.buffer(Buffer { name, element, lanes, declared, access: Access::Plain })
    }

    /// How threads access an input.
    fn access_of(&self, lanes: Lanes, slot: Slot) -> Access {
        if self.find_replaced(slot).is_some() { self.choose_access(lanes) } else { Access::Plain }
    }

    /// Adds the functions that read the buffer.
    fn buffer(&mut self, buffer: Buffer) -> Result<Buffer> {
        if let Some(format) = buffer.element.blocks() {
            let function = blocks::function(self.language, format, &buffer.name, buffer.lanes, &mut self.functions)?;
            if !self.generated.contains(&function) {
                self.generated.push(function);
            }
        }
        self.functions.extend(buffer.reading().into_iter().chain(buffer.element.function()).map(str::to_string));
        Ok(buffer)
    }

    /// [`Builder::output`] for elements that are written as `lanes`: as vectors, or one by one.
    pub(super) fn writes(&mut self, element: Element, lanes: Lanes, slot: Slot) -> Result<Buffer> {
        let access = self.choose_access(lanes);
        let name = self.output(&element.declare(lanes, access)?, slot);
        let buffer = Buffer { name, element, lanes, declared: lanes, access };
        self.functions.extend(buffer.writing().map(str::to_string));
        Ok(buffer)
    }

    /// Binds the status buffer, after the outputs, and returns the expression of its entry for this
    /// launch.
    pub(super) fn status(&mut self) -> String {
        let binding = self.slots.len();
        self.declarations.push(self.language.pick(
            format!("@group(0) @binding({binding}) var<storage, read_write> status: array<atomic<u32>>;\n"),
            "u32* status".to_string(),
        ));
        self.bindings.status = true;
        self.status = Some(self.arguments.len());
        self.arguments.push(0);
        format!("status[{}]", argument_at(self.language, self.arguments.len() - 1))
    }

    pub(super) fn print(
        &mut self,
        program: &Program,
        input: &dyn Fn(usize) -> String,
        index: &str,
        prefix: &str,
    ) -> Result<(String, Vec<(String, Type)>)> {
        // Epilogues and prologues of products have no affine indices.
        self.print_at(program, input, Position { linear: index, affine: &|slot| format!("a{slot}") }, prefix)
    }

    /// [`Builder::print`] for a program that may have affine indices.
    pub(super) fn print_at(
        &mut self,
        program: &Program,
        input: &dyn Fn(usize) -> String,
        at: Position,
        prefix: &str,
    ) -> Result<(String, Vec<(String, Type)>)> {
        let first = self.first.param;
        let param = |slot, _| format!("p{}", first + slot);
        let names = Names { input, param: &param, index: at.linear, affine: at.affine, zero: "zero", prefix };
        let printed = print(self.language, program, &names)?;
        self.functions.extend(printed.functions);
        Ok((printed.statements, printed.outputs))
    }

    /// Finishes the pass. `own` has the functions of this kernel, which precede the template. A
    /// workgroup has `threads` threads.
    pub(super) fn finish(
        mut self,
        own: &str,
        template: &'static str,
        values: &[(&'static str, &str)],
        [groups, threads]: [usize; 2],
        target: &Target,
    ) -> Result<Pass> {
        let most = self.language.pick(MAX_ARGUMENTS, MAX_BY_VALUE);
        if self.arguments.len() > most {
            return Err(Error::limit(
                "kernel",
                format!("a kernel with {} parameters; at most {most} fit", self.params.len()),
            ));
        }
        let grid = grid(groups, target.max_groups)?;
        let status = self.functions.contains("check_index").then(|| self.status());
        if self.language.is_cuda() {
            // A kernel without arguments gets one, so that all kernels have the same signature.
            self.arguments.resize(self.arguments.len().max(1), 0);
        } else {
            self.arguments[0] = grid[0];
        }
        let Builder {
            language,
            params,
            declarations,
            resident,
            functions,
            generated,
            bindings,
            slots,
            arguments,
            status: status_argument,
            ..
        } = self;
        let params_count = params.len();
        let source = Parts {
            language,
            own: generated.concat() + own,
            template,
            values: values.iter().map(|&(name, value)| (name, value.to_string())).collect(),
            declarations,
            functions,
            arguments: arguments.len(),
            resident,
            threads,
            status,
            params,
        };
        Ok(Pass {
            source: source.into(),
            bindings,
            slots,
            arguments,
            params: params_count,
            grid,
            threads: threads as u32,
            status: status_argument,
            quads: false,
            user: vec![],
        })
    }
}
