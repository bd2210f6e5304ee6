//! Epilogues: the pointwise computation between a result and its store, with other operands over
//! the same elements.

use crate::{
    block::{Code, Form, Input, Machine, Output, Space, size_of_type},
    map::{check_outputs, forms_of, pair_forms, slots_of, space_of},
};
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::{Constant, Type},
    kernel::{self, Operand},
};
use std::sync::Arc;

/// A prepared epilogue.
pub(crate) struct Epilogue {
    code: Arc<Code>,
    /// The operands: the elements of the result in order, the epilogue's operands, the index.
    space: Space,
    forms: Vec<Form>,
    /// The type of the result.
    result: Type,
    /// The element types of the outputs.
    pub dtypes: Vec<DType>,
}

impl Epilogue {
    /// The epilogue of results over `shape`.
    pub fn new(op: &str, kernel: &kernel::Epilogue, result: Type, shape: &Shape, params: &[Type]) -> Result<Epilogue> {
        let elements = Layout::contiguous(shape.clone());
        let dtype = result.dtype().ok_or_else(|| Error::kernel(op, format!("a result of type {}", result.name())))?;
        let results = Operand::new(dtype, elements.clone());
        let operands: Vec<&Operand> = std::iter::once(&results).chain(&kernel.inputs).collect();
        let space = space_of(op, &elements, &operands, &[])?;
        let forms = forms_of(&operands);
        let mut slots = slots_of(&forms, &space, 0);
        // A result does not exist when a launch starts, even if it has only one element.
        slots.inputs[0].1 = false;
        let code = Code::compile_cached(op, &kernel.program, slots, params, 0)?;
        check_outputs(op, &kernel.dtypes, code.types())?;
        Ok(Epilogue { code, space, forms, result, dtypes: kernel.dtypes.clone() })
    }

    /// The store for the results of one launch. Several stores may share the outputs if they store
    /// different results.
    pub fn store<'a>(
        &'a self,
        op: &'a str,
        inputs: &[Input<'a>],
        outputs: &[Output<'a>],
        params: &[Constant],
    ) -> Result<Store<'a>> {
        if let (true, &[output @ Output { half: None, .. }]) = (self.code.is_identity(), outputs) {
            return Ok(Store { epilogue: self, op, by: By::Copy(output) });
        }
        let inputs = pair_forms(&self.forms, std::iter::once(Input::Fed).chain(inputs.iter().copied()));
        Ok(Store {
            epilogue: self,
            op,
            by: By::Machine(Machine::new(op, &self.code, &self.space, &inputs, outputs, params)?),
        })
    }
}

/// Applies the epilogue to results and stores them.
pub(crate) struct Store<'a> {
    epilogue: &'a Epilogue,
    pub op: &'a str,
    by: By<'a>,
}

enum By<'a> {
    /// Results are stored unchanged.
    Copy(Output<'a>),
    Machine(Machine<'a>),
}

impl Store<'_> {
    /// Stores consecutive results, the first one at a position.
    pub fn results(&mut self, first: usize, results: &[u8]) {
        let size = size_of_type(self.epilogue.result);
        let elements = results.len() / size;
        match &mut self.by {
            By::Copy(output) => {
                // SAFETY: each result is stored once, by one of the stores that share the output.
                unsafe { output.memory.part(first * size..(first + elements) * size) }.copy_from_slice(results);
            }
            By::Machine(machine) => {
                let block = self.epilogue.code.block;
                for start in (0..elements).step_by(block) {
                    let n = block.min(elements - start);
                    machine.feed(0, &results[start * size..(start + n) * size]);
                    machine.run(first + start, n);
                }
            }
        }
    }

    /// Returns an error if the epilogue had an index out of range.
    pub fn finish(&self) -> Result<()> {
        match &self.by {
            By::Copy(_) => Ok(()),
            By::Machine(machine) => machine.finish(self.op),
        }
    }
}
