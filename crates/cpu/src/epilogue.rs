//! What is done with each element of a result before it is stored, with other operands over the same elements.

use crate::{
    block::{Code, Input, Machine, Output, Space},
    launch::linear,
    map::{blocks, check_outputs, inputs_of, space_of},
};
use lanthorn_ir::{
    DType, Layout, Result, Shape,
    expr::{Constant, Type},
    kernel::{self, Operand},
};

/// An epilogue made ready.
pub(crate) struct Epilogue {
    code: Code,
    /// The streams: the result's elements in order, the operands', the index.
    space: Space,
    dtypes: Vec<DType>,
    /// The type of the result.
    pub result: DType,
}

impl Epilogue {
    /// The epilogue of results over `shape`.
    pub fn new(op: &str, kernel: &kernel::Epilogue, result: DType, shape: &Shape, params: &[Type]) -> Result<Epilogue> {
        let elements = Layout::contiguous(shape.clone());
        let results = Operand::new(result, elements.clone());
        let operands: Vec<&Operand> = std::iter::once(&results).chain(&kernel.inputs).collect();
        let space = space_of(op, &elements, &operands)?;
        let dtypes: Vec<DType> = operands.iter().map(|operand| operand.dtype).collect();
        let mut slots = inputs_of(&dtypes, &space, 0);
        // A result is not there yet when a launch begins, even if it has but one element.
        slots[0].1 = false;
        let code = Code::new(op, &kernel.program, &slots, params, 0)?;
        check_outputs(op, &kernel.dtypes, code.types())?;
        Ok(Epilogue { code, space, dtypes, result })
    }

    /// Whether the result is stored as it is.
    pub fn is_identity(&self) -> bool {
        self.code.is_identity()
    }

    /// A machine for blocks of results, which are fed to its slot 0.
    pub fn machine<'a>(
        &'a self,
        op: &str,
        inputs: &[Input<'a>],
        outputs: &[Output<'a>],
        params: &[Constant],
    ) -> Result<Machine<'a>> {
        let inputs = std::iter::once(Input::Fed).chain(inputs.iter().copied());
        let inputs: Vec<(DType, Input)> = self.dtypes.iter().copied().zip(inputs).collect();
        Machine::new(op, &self.code, &self.space, &inputs, outputs, params)
    }

    /// Runs a machine over results that lie one after another, the first at a position of the space.
    pub fn apply(&self, machine: &mut Machine, first: usize, results: &[u8]) {
        let size = self.result.size();
        let elements = results.len() / size;
        for (start, n) in blocks(elements, elements, self.code.block) {
            machine.feed(0, &results[start * size..(start + n) * size]);
            machine.run(first + start, n);
        }
    }

    /// Applies the epilogue to all results at once.
    pub fn run(&self, op: &str, results: &[u8], inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let outputs = linear(outputs);
        let mut machine = self.machine(op, inputs, &outputs, params)?;
        self.apply(&mut machine, 0, results);
        machine.finish(op)
    }
}
