//! The machine that runs [`Code`]: registers, operands of the current block, and the choice of each step's loop.

use super::{
    REGISTER_BYTES, Space, binary, cast,
    code::{Action, Code, Place, Scalar, Step, size_of_type},
    deviates,
    space::Pattern,
    unary,
};
use crate::buffer::{Buffer, elements, elements_mut};
use bytemuck::Pod;
use lanthorn_ir::{
    DType, Result,
    expr::{BinaryOp, Constant, Type, UnaryOp},
};

/// One input during a launch.
struct Source<'a> {
    data: &'a [u8],
    /// Reads what the output holds, before it is overwritten.
    in_place: bool,
    size: usize,
    /// Where the block begins in `data`, in bytes, when it is read in place.
    at: Option<usize>,
    /// What else it is copied to.
    register: Buffer,
    /// The first column and the length that the register holds of a row that repeats.
    held: Option<(usize, usize)>,
}

/// Runs code over blocks of a space.
pub(crate) struct Machine<'a> {
    code: &'a Code,
    space: &'a Space,
    registers: Vec<Buffer>,
    sources: Vec<Source<'a>>,
    outputs: Vec<&'a mut [u8]>,
    start: usize,
    n: usize,
}

/// What a step writes to, taken out of the machine while it is written.
enum Target<'a> {
    Register(Buffer),
    Output(&'a mut [u8]),
}

impl<'a> Machine<'a> {
    /// A machine for one launch. The streams of `space` are the inputs', and one more for the index where the code has one; outputs
    /// are the whole output buffers. An input of `None` is what the first output holds, of an equally wide type.
    pub fn new(
        op: &str,
        code: &'a Code,
        space: &'a Space,
        inputs: &[(DType, Option<&'a [u8]>)],
        outputs: Vec<&'a mut [u8]>,
        params: &[Constant],
    ) -> Result<Machine<'a>> {
        let register = || Buffer::new(op, REGISTER_BYTES, 0);
        let longest = code.block.min(space.elements());
        let mut machine = Machine {
            code,
            space,
            registers: (0..code.registers).map(|_| register()).collect::<Result<_>>()?,
            sources: Vec::with_capacity(inputs.len() + 1),
            outputs,
            start: 0,
            n: longest,
        };
        let sizes = inputs.iter().map(|&(dtype, data)| (data, dtype.size())).chain(code.index.map(|_| (Some(&[][..]), 4)));
        for ((data, size), stream) in sizes.zip(&space.streams) {
            let (in_place, data) = (data.is_none(), data.unwrap_or_default());
            let read_there = stream.pattern == Pattern::Contiguous && !data.is_empty();
            let register = if read_there { Buffer::default() } else { register()? };
            machine.sources.push(Source { data, in_place, size, at: None, register, held: None });
        }
        for &(register, scalar) in &code.scalars {
            let constant = match scalar {
                Scalar::Constant(constant) => constant,
                Scalar::Param(slot) => params[slot],
            };
            splat(&mut machine.registers[register], constant, longest);
        }
        if longest > 0 {
            machine.load();
            for step in &code.prelude {
                machine.step(step);
            }
        }
        Ok(machine)
    }

    /// Computes the elements at linear positions `start..start + n`; `n` at most the code's block.
    pub fn run(&mut self, start: usize, n: usize) {
        (self.start, self.n) = (start, n);
        self.load();
        let code = self.code;
        for step in &code.body {
            self.step(step);
        }
    }

    /// A result of the last block, of code that has no outputs.
    pub fn result<T: Pod>(&self, number: usize) -> &[T] {
        self.operand(self.code.results[number].0)
    }

    /// [`Machine::result`] as bytes.
    pub fn result_bytes(&self, number: usize) -> &[u8] {
        let (place, ty) = self.code.results[number];
        self.bytes(place, size_of_type(ty))
    }

    /// Makes the inputs' elements of the current block readable.
    fn load(&mut self) {
        let (start, n) = (self.start, self.n);
        for (slot, (source, stream)) in self.sources.iter_mut().zip(&self.space.streams).enumerate() {
            if source.in_place {
                let block = start * source.size..(start + n) * source.size;
                source.register.bytes_mut()[..block.len()].copy_from_slice(&self.outputs[0][block]);
                continue;
            }
            let index = self.code.index == Some(slot);
            if !index {
                source.at = self.space.slice(stream, start, n).map(|at| at * source.size);
                if source.at.is_some() {
                    continue;
                }
            }
            let column = match stream.pattern {
                Pattern::Uniform => Some(0),
                Pattern::Repeated => Some(start % self.space.row()),
                _ => None,
            };
            if let (Some(column), Some((held, length))) = (column, source.held)
                && column == held
                && n <= length
            {
                continue;
            }
            let register = source.register.bytes_mut();
            if index {
                self.space.offsets(stream, start, &mut elements_mut(register)[..n]);
            } else {
                match source.size {
                    1 => self.space.load(stream, source.data, start, &mut register[..n]),
                    4 => self.space.load::<u32>(stream, elements(source.data), start, &mut elements_mut(register)[..n]),
                    _ => self.space.load::<u64>(stream, elements(source.data), start, &mut elements_mut(register)[..n]),
                }
            }
            source.held = column.map(|column| (column, n));
        }
    }

    fn operand<T: Pod>(&self, place: Place) -> &[T] {
        let bytes = self.n * size_of::<T>();
        let (data, at) = match place {
            Place::Register(register) => (self.registers[register].bytes(), 0),
            Place::Input(slot) => {
                let source = &self.sources[slot];
                source.at.map_or((source.register.bytes(), 0), |at| (source.data, at))
            }
            Place::Output(output) => (&*self.outputs[output], self.start * size_of::<T>()),
        };
        bytemuck::cast_slice(&data[at..at + bytes])
    }

    /// An operand as bytes, of elements of `size`.
    fn bytes(&self, place: Place, size: usize) -> &[u8] {
        match size {
            1 => self.operand::<u8>(place),
            4 => bytemuck::cast_slice(self.operand::<u32>(place)),
            _ => bytemuck::cast_slice(self.operand::<u64>(place)),
        }
    }

    fn step(&mut self, step: &Step) {
        let mut target = match step.target {
            Place::Output(output) => Target::Output(std::mem::take(&mut self.outputs[output])),
            Place::Register(register) | Place::Input(register) => Target::Register(std::mem::take(&mut self.registers[register])),
        };
        let size = size_of_type(step.to);
        let bytes = match &mut target {
            Target::Output(output) => &mut output[self.start * size..(self.start + self.n) * size],
            Target::Register(register) => &mut register.bytes_mut()[..self.n * size],
        };
        self.compute(step, bytes);
        match (step.target, target) {
            (Place::Output(output), Target::Output(bytes)) => self.outputs[output] = bytes,
            (Place::Register(register), Target::Register(buffer)) => self.registers[register] = buffer,
            _ => {}
        }
    }

    fn compute(&self, step: &Step, target: &mut [u8]) {
        match step.action {
            Action::Unary(UnaryOp::IsNan, a) => match step.from {
                Type::F32 => unary::is_nan_f32(target, self.operand(a)),
                Type::F64 => unary::is_nan_f64(target, self.operand(a)),
                _ => target.fill(0),
            },
            Action::Unary(op, a) => match step.from {
                Type::F32 => unary::float32(op, elements_mut(target), self.operand(a)),
                Type::F64 => unary::float64(op, elements_mut(target), self.operand(a)),
                Type::I32 => unary::int32(op, elements_mut(target), self.operand(a)),
                Type::U32 => unary::uint32(op, elements_mut(target), self.operand(a)),
                Type::U8 => unary::uint8(op, target, self.operand(a)),
                Type::Bool => unary::boolean(op, target, self.operand(a)),
            },
            Action::Binary(op, a, b) if op.is_comparison() => match step.from {
                Type::F32 => binary::compare_f32(op, target, self.operand(a), self.operand(b)),
                Type::F64 => binary::compare_f64(op, target, self.operand(a), self.operand(b)),
                Type::I32 => binary::compare_i32(op, target, self.operand(a), self.operand(b)),
                Type::U32 => binary::compare_u32(op, target, self.operand(a), self.operand(b)),
                Type::U8 | Type::Bool => binary::compare_u8(op, target, self.operand(a), self.operand(b)),
            },
            Action::Binary(BinaryOp::Normal, a, b) => {
                deviates::normal(elements_mut(target), self.operand(a), self.operand(b));
            }
            Action::Binary(op, a, b) => match step.from {
                Type::F32 => binary::float32(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::F64 => binary::float64(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::I32 => binary::int32(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::U32 => binary::uint32(op, elements_mut(target), self.operand(a), self.operand(b)),
                Type::U8 => binary::uint8(op, target, self.operand(a), self.operand(b)),
                Type::Bool => binary::boolean(op, target, self.operand(a), self.operand(b)),
            },
            Action::Select(c, a, b) => {
                let size = size_of_type(step.to);
                cast::select(size, target, self.operand(c), self.bytes(a, size), self.bytes(b, size));
            }
            Action::Cast(a) => cast::cast(step.from, step.to, target, self.bytes(a, size_of_type(step.from))),
            Action::Threefry(words) => cast::threefry(elements_mut(target), words.map(|word| self.operand(word))),
            Action::Move(a) => target.copy_from_slice(self.bytes(a, size_of_type(step.to))),
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
        Constant::F64(value) => register.elements_mut()[..n].fill(value),
    }
}
