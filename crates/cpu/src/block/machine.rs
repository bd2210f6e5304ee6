//! The machine that runs [`Code`]: registers, operands of the current block, and the choice of each
//! step's loop.

use super::{
    Form, REGISTER_BYTES, Space,
    code::{Code, Location, Scalar, Step, size_of_type},
    space::{OperandIterator, Pattern},
};
use crate::{
    buffer::{Buffer, Shared, elements, elements_mut},
    half::Half,
    simd::dispatch,
};
use bytemuck::Pod;
use lanthorn_ir::{
    DType, Result,
    expr::{Constant, Type},
    failed_check,
};
use std::cell::Cell;

/// The source of an input slot.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// A buffer, read by the iterator of the slot's operand.
    Data(&'a [u8]),
    /// A buffer, and its contents as panels for a product.
    Packed { data: &'a [u8], panels: &'a [u8] },
    /// The previous contents of an output with the same element type.
    Output(usize),
    /// The elements that [`Machine::feed`] received for the block.
    Fed,
    /// One element for each row from the machine's origin on.
    Rows(Shared<'a>),
    /// The elements from the machine's origin on.
    Elements(Shared<'a>),
}

/// The destination of a result.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a> {
    pub memory: Shared<'a>,
    pub order: Order,
    /// The half type in which float32 results are stored, if there is one.
    pub half: Option<Half>,
}

/// The order of an output's elements in its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// By position.
    Linear,
    /// By position relative to the machine's origin.
    FromOrigin,
    /// In the order of an operand of the space.
    Operand(usize),
}

impl<'a> Output<'a> {
    /// An output whose elements are in the order of the space.
    pub fn linear(memory: Shared<'a>, dtype: DType) -> Output<'a> {
        Output { memory, order: Order::Linear, half: Half::of(dtype) }
    }

    /// An output in scratch memory, which starts at the machine's origin and is not converted.
    pub fn scratch(memory: Shared<'a>) -> Output<'a> {
        Output { memory, order: Order::FromOrigin, half: None }
    }
}

/// One input during a launch.
struct Source<'a> {
    input: Input<'a>,
    half: Option<Half>,
    /// The size of an element in memory, in bytes.
    size: usize,
    /// The offset of the block in its memory in bytes, if it is read in place.
    at: Option<usize>,
    /// The copy of the block otherwise.
    register: Buffer,
    /// The first column and the length of a repeated row, if the register holds one.
    held: Option<(usize, usize)>,
}

/// One output during a launch.
struct Sink<'a> {
    output: Output<'a>,
    /// The size of an element in memory, in bytes.
    size: usize,
    /// The offset of the block in its memory in bytes, if it is written in place.
    at: Option<usize>,
    /// The results of the block until they are stored, otherwise.
    register: Buffer,
}

/// Runs code over blocks of a space. Several machines may share outputs if they run on different
/// blocks.
pub(crate) struct Machine<'a> {
    code: &'a Code,
    space: &'a Space,
    registers: Vec<Buffer>,
    sources: Vec<Source<'a>>,
    sinks: Vec<Sink<'a>>,
    start: usize,
    n: usize,
    /// The origin of rows and elements of scratch memory, and the length of a row.
    origin: usize,
    row: usize,
    /// The first index that was out of range, and the size of its range.
    pub(super) wrong: Cell<Option<(i32, i32)>>,
}

/// The destination of a step, taken out of the machine while the step writes it.
enum Target<'a> {
    Buffer(Buffer),
    Output(&'a mut [u8]),
}

impl<'a> Machine<'a> {
    /// Prepares a machine for one launch. The operands of `space` are the inputs, the linear index
    /// and the affine indices. The operand of an input without data is ignored.
    pub fn new(
        op: &str,
        code: &'a Code,
        space: &'a Space,
        inputs: &[(Form, Input<'a>)],
        outputs: &[Output<'a>],
        params: &[Constant],
    ) -> Result<Machine<'a>> {
        let register = || Buffer::new(op, REGISTER_BYTES, 0);
        let longest = code.block.min(space.elements());
        let mut machine = Machine {
            code,
            space,
            registers: (0..code.registers).map(|_| register()).collect::<Result<_>>()?,
            sources: Vec::with_capacity(inputs.len() + 1),
            sinks: Vec::with_capacity(outputs.len()),
            start: 0,
            n: longest,
            origin: 0,
            row: 1,
            wrong: Cell::new(None),
        };
        let indices = std::iter::repeat_n((Form::from(Type::U32), Input::Fed), code.reads.len() - code.inputs);
        for ((form, input), operand) in inputs.iter().copied().chain(indices).zip(&space.operands) {
            let read_there = form.half.is_none()
                && match input {
                    Input::Data(_) => operand.pattern == Pattern::Contiguous,
                    Input::Elements(_) => true,
                    _ => false,
                };
            let unused = !code.reads[machine.sources.len()];
            let register = if read_there || unused { Buffer::default() } else { register()? };
            machine.sources.push(Source { input, half: form.half, size: form.size(), at: None, register, held: None });
        }
        let stored = &code.results[code.results.len() - outputs.len()..];
        for (&output, &(_, ty)) in outputs.iter().zip(stored) {
            let written_there = output.half.is_none() && !matches!(output.order, Order::Operand(_));
            let register = if written_there { Buffer::default() } else { register()? };
            machine.sinks.push(Sink { output, size: Form { ty, half: output.half }.size(), at: None, register });
        }
        for &(register, scalar) in &code.scalars {
            let constant = match scalar {
                Scalar::Constant(constant) => constant,
                Scalar::Param(slot) => params[slot],
            };
            splat(&mut machine.registers[register], constant, longest);
        }
        if longest > 0 {
            machine.load(|operand| operand.pattern == Pattern::Uniform);
            for step in &code.prelude {
                machine.step(step);
            }
        }
        Ok(machine)
    }

    /// Sets the elements of the next block for this input slot.
    pub fn feed(&mut self, slot: usize, bytes: &[u8]) {
        if self.code.reads[slot] {
            self.sources[slot].register.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Sets the position of the space at which rows and elements of scratch memory start, and the
    /// length of a row.
    pub fn begin(&mut self, origin: usize, row: usize) {
        (self.origin, self.row) = (origin, row);
        self.sources
            .iter_mut()
            .filter(|source| matches!(source.input, Input::Rows(_)))
            .for_each(|source| source.held = None);
    }

    /// Computes the elements at linear positions `start..start + n`. `n` is at most the code's
    /// block.
    pub fn run(&mut self, start: usize, n: usize) {
        (self.start, self.n) = (start, n);
        self.load(|_| true);
        self.aim();
        let code = self.code;
        for step in &code.body {
            self.step(step);
        }
        self.store();
    }

    /// Returns an error if a block had an index out of range.
    pub fn finish(&self, op: &str) -> Result<()> {
        self.wrong.get().map_or(Ok(()), |(index, size)| Err(failed_check(op, Some(index), size)))
    }

    /// A result of the last block that is not stored.
    pub fn result<T: Pod>(&self, number: usize) -> &[T] {
        self.operand(self.code.results[number].0)
    }

    /// [`Machine::result`] as bytes.
    pub fn result_bytes(&self, number: usize) -> &[u8] {
        let (location, ty) = self.code.results[number];
        self.bytes(location, size_of_type(ty))
    }

    /// Loads the elements of the current block for the inputs of the chosen operands.
    fn load(&mut self, chosen: impl Fn(&OperandIterator) -> bool) {
        let (start, n) = (self.start, self.n);
        for (slot, (source, operand)) in self.sources.iter_mut().zip(&self.space.operands).enumerate() {
            match source.input {
                _ if !self.code.reads[slot] || !chosen(operand) => {}
                _ if slot >= self.code.inputs => {
                    // One number fills the register once.
                    let same = operand.pattern == Pattern::Uniform;
                    if same && source.held.is_some_and(|(_, length)| n <= length) {
                        continue;
                    }
                    source.held = same.then_some((0, n));
                    self.space.offsets(operand, start, &mut elements_mut(source.register.bytes_mut())[..n]);
                }
                Input::Data(data) | Input::Packed { data, .. } => {
                    load_data(self.space, operand, source, data, start, n)
                }
                Input::Output(output) => {
                    let block = start * source.size..(start + n) * source.size;
                    // SAFETY: no other machine has this block, and the step that writes it runs
                    // later.
                    let held = unsafe { self.sinks[output].output.memory.part(block) };
                    match source.half {
                        Some(half) => half.widen(elements(held), &mut source.register.elements_mut()[..n]),
                        None => source.register.bytes_mut()[..held.len()].copy_from_slice(held),
                    }
                }
                Input::Fed => {}
                Input::Rows(memory) => load_rows(source, memory, self.row, start - self.origin, n),
                Input::Elements(_) => source.at = Some((start - self.origin) * source.size),
            }
        }
    }

    /// Locates the current block of each output.
    fn aim(&mut self) {
        let (start, n) = (self.start, self.n);
        for sink in &mut self.sinks {
            let at = match sink.output.order {
                // A half type differs from the type of the register, so it is not written in place.
                _ if sink.output.half.is_some() => None,
                Order::Linear => Some(start),
                Order::FromOrigin => Some(start - self.origin),
                Order::Operand(operand) => self.space.slice(&self.space.operands[operand], start, n),
            };
            sink.at = at.map(|at| at * sink.size);
        }
    }

    /// Stores the results that were not written in place.
    fn store(&mut self) {
        for sink in self.sinks.iter().filter(|sink| sink.at.is_none()) {
            let memory = sink.output.memory;
            let mut narrowed;
            let block = match sink.output.half {
                Some(half) => {
                    narrowed = [0u16; REGISTER_BYTES / size_of::<f32>()];
                    half.narrow(elements(sink.register.bytes()), &mut narrowed[..self.n]);
                    bytemuck::cast_slice(&narrowed[..self.n])
                }
                None => &sink.register.bytes()[..self.n * sink.size],
            };
            let Order::Operand(operand) = sink.output.order else {
                let at = self.start * sink.size;
                // SAFETY: no other machine has this block.
                unsafe { memory.part(at..at + block.len()) }.copy_from_slice(block);
                continue;
            };
            let (space, operand) = (self.space, &self.space.operands[operand]);
            // SAFETY: no other machine has this block, and the target contains no element twice.
            unsafe {
                match sink.size {
                    1 => space.store(operand, memory, self.start, block),
                    2 => space.store::<u16>(operand, memory, self.start, elements(block)),
                    4 => space.store::<u32>(operand, memory, self.start, elements(block)),
                    _ => space.store::<u64>(operand, memory, self.start, elements(block)),
                }
            }
        }
    }

    pub(super) fn operand<T: Pod>(&self, location: Location) -> &[T] {
        let bytes = self.n * size_of::<T>();
        let block = |memory: Shared<'a>, at: usize| -> &[u8] {
            // SAFETY: scratch memory belongs to one worker, and an output's block to one machine.
            // No step writes its own operands.
            unsafe { memory.part(at..at + bytes) }
        };
        bytemuck::cast_slice(match location {
            Location::Register(register) => &self.registers[register].bytes()[..bytes],
            Location::Input(slot) => {
                let source = &self.sources[slot];
                match (source.input, source.at) {
                    (Input::Data(data), Some(at)) => &data[at..at + bytes],
                    (Input::Elements(memory), Some(at)) => block(memory, at),
                    _ => &source.register.bytes()[..bytes],
                }
            }
            Location::Output(output) => {
                let sink = &self.sinks[output];
                sink.at.map_or_else(|| &sink.register.bytes()[..bytes], |at| block(sink.output.memory, at))
            }
        })
    }

    /// An operand as bytes, of elements of `size`.
    pub(super) fn bytes(&self, location: Location, size: usize) -> &[u8] {
        match size {
            1 => self.operand::<u8>(location),
            4 => bytemuck::cast_slice(self.operand::<u32>(location)),
            _ => bytemuck::cast_slice(self.operand::<u64>(location)),
        }
    }

    fn step(&mut self, step: &Step) {
        let bytes = self.n * size_of_type(step.to);
        let mut target = match step.target {
            Location::Output(output) => match self.sinks[output].at {
                // SAFETY: no other machine has this block, and the step has no operand there.
                Some(at) => Target::Output(unsafe { self.sinks[output].output.memory.part(at..at + bytes) }),
                None => Target::Buffer(std::mem::take(&mut self.sinks[output].register)),
            },
            Location::Register(register) | Location::Input(register) => {
                Target::Buffer(std::mem::take(&mut self.registers[register]))
            }
        };
        self.compute(
            step,
            match &mut target {
                Target::Output(output) => output,
                Target::Buffer(buffer) => &mut buffer.bytes_mut()[..bytes],
            },
        );
        match (step.target, target) {
            (Location::Output(output), Target::Buffer(buffer)) => self.sinks[output].register = buffer,
            (Location::Register(register), Target::Buffer(buffer)) => self.registers[register] = buffer,
            _ => {}
        }
    }
}

fn load_data(space: &Space, operand: &OperandIterator, source: &mut Source, data: &[u8], start: usize, n: usize) {
    let at = space.slice(operand, start, n).map(|at| at * source.size);
    if source.half.is_none() && at.is_some() {
        source.at = at;
        return;
    }
    source.at = None;
    let column = match operand.pattern {
        Pattern::Uniform => Some(0),
        Pattern::Repeated => Some(start % space.row()),
        _ => None,
    };
    if let (Some(column), Some((held, length))) = (column, source.held)
        && column == held
        && n <= length
    {
        return;
    }
    let register = source.register.bytes_mut();
    match (source.half, source.size) {
        (Some(half), size) => {
            let mut gathered = [0u16; REGISTER_BYTES / size_of::<f32>()];
            let halves = match at {
                Some(at) => elements(&data[at..at + n * size]),
                None => {
                    space.load(operand, elements(data), start, &mut gathered[..n]);
                    &gathered[..n]
                }
            };
            half.widen(halves, &mut elements_mut(register)[..n]);
        }
        (None, 1) => space.load(operand, data, start, &mut register[..n]),
        (None, 4) => space.load::<u32>(operand, elements(data), start, &mut elements_mut(register)[..n]),
        (None, _) => space.load::<u64>(operand, elements(data), start, &mut elements_mut(register)[..n]),
    }
    source.held = column.map(|column| (column, n));
}

dispatch! {
    /// Fills a slice with one element of the most frequent size.
    fn fill(target: &mut [u32], element: u32) {
        target.fill(element);
    }
}

/// Spreads the element of each row over the positions `from..from + n` after the origin.
fn load_rows(source: &mut Source, memory: Shared, row: usize, from: usize, n: usize) {
    let (first, last) = (from / row, (from + n - 1) / row);
    if first == last && source.held.is_some_and(|(held, length)| held == first && n <= length) {
        return;
    }
    source.held = (first == last).then_some((first, n));
    let register = source.register.bytes_mut();
    for number in first..=last {
        let positions = (number * row).max(from) - from..((number + 1) * row).min(from + n) - from;
        // SAFETY: scratch memory belongs to one worker, and is not written while a block is loaded.
        let element = unsafe { memory.part(number * source.size..(number + 1) * source.size) };
        match source.size {
            1 => register[positions].fill(element[0]),
            4 => fill(&mut elements_mut(register)[positions], elements(element)[0]),
            _ => elements_mut::<u64>(register)[positions].fill(elements(element)[0]),
        }
    }
}

/// Fills the first `n` elements of a register with a number.
fn splat(register: &mut Buffer, constant: Constant, n: usize) {
    match constant {
        Constant::Bool(value) => register.elements_mut()[..n].fill(u8::from(value)),
        Constant::U8(value) => register.elements_mut()[..n].fill(value),
        Constant::I32(value) => register.elements_mut()[..n].fill(value),
        Constant::U32(value) | Constant::F32(value) => register.elements_mut()[..n].fill(value),
        Constant::I64(value) => register.elements_mut()[..n].fill(value),
        Constant::F64(value) => register.elements_mut()[..n].fill(value),
    }
}
