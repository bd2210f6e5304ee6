//! Ops as exported programs.

use crate::samples::{tensors, with_tensors};
use lanthorn::{
    Device, Tensor,
    ops::{Arg, Op, Output},
};
use lanthorn_io::TensorData;
use lanthorn_program::{Dispatch, ExportedProgram, Native, Program, Value, export};
use pollster::block_on;
use std::rc::Rc;

/// A call of an op as a program, with the tensors among its arguments and the results of the op
/// itself.
pub struct Sample {
    /// The program.
    pub program: ExportedProgram,
    /// The arguments.
    pub inputs: Vec<Tensor>,
    /// The results, without the program.
    pub outputs: Vec<TensorData<'static>>,
}

/// Whether a program can return an op's results: they must be tensors whose shapes do not depend on
/// elements.
pub fn has_program(op: &Op) -> bool {
    !op.is_async()
}

/// Exports a call of an op, or of its in-place form on a copy of the first argument. `None` if the
/// call returns no tensors, or if the in-place result does not fit in the tensor.
///
/// # Errors
///
/// The error of the op or of the export, as text.
pub fn sample(op: &'static Op, args: &[Arg], in_place: bool, device: &Device) -> Result<Option<Sample>, String> {
    device.manual_seed(7);
    let outputs = match run(op, args, in_place) {
        Ok(Output::Tensor(tensor)) => vec![tensor],
        Ok(Output::Tensors(tensors)) => tensors,
        Ok(_) => return Ok(None),
        Err(_) if in_place => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let outputs = outputs.iter().map(read).collect::<Result<_, _>>()?;
    let inputs = tensors(args);
    let arguments = (inputs.iter().cloned().map(Value::Tensor).collect(), vec![]);
    let call = |(given, _): &export::Arguments| {
        let tensors = given.iter().filter_map(Value::as_tensor).cloned();
        run(op, &with_tensors(args, tensors)?, in_place).map(|output| values(&output))
    };
    let (dispatch, options) = (Native::new(device), export::Options::default());
    let program =
        block_on(export::export(&dispatch, None, &arguments, &options, call)).map_err(|error| error.to_string())?;
    Ok(Some(Sample { program, inputs, outputs }))
}

impl Sample {
    /// Runs the program and compares its results with the op's, bit for bit.
    ///
    /// # Errors
    ///
    /// The error of the program, or the program if its results differ.
    pub fn check(self, device: &Device) -> Result<(), String> {
        let text = self.program.graph.to_string();
        let program = Program::new(Rc::new(self.program), device).map_err(|error| error.to_string())?;
        device.manual_seed(7);
        let inputs = self.inputs.into_iter().map(Value::Tensor).collect();
        let results = block_on(program.call_flat(inputs)).map_err(|error| format!("{error}\n{text}"))?;
        let results = results.iter().filter_map(Value::as_tensor).map(read).collect::<Result<Vec<_>, _>>()?;
        if results == self.outputs { Ok(()) } else { Err(format!("other elements\n{text}")) }
    }
}

fn run(op: &'static Op, args: &[Arg], in_place: bool) -> lanthorn::Result<Output> {
    let (true, Some(Arg::Tensor(target))) = (in_place, args.first()) else { return op.run(args) };
    let target = target.mul(1)?;
    op.run_in_place(&[&[Arg::Tensor(target)], &args[1..]].concat()).map(Output::Tensor)
}

fn values(output: &Output) -> Value<Tensor> {
    match output {
        Output::Tensor(tensor) => Value::Tensor(tensor.clone()),
        Output::Tensors(tensors) => Value::List(tensors.iter().cloned().map(Value::Tensor).collect()),
        _ => Value::None,
    }
}

/// The elements of a tensor.
///
/// # Errors
///
/// The error of the device, as text.
pub fn read(tensor: &Tensor) -> Result<TensorData<'static>, String> {
    block_on(Native::new(tensor.device()).read(tensor)).map_err(|error| error.to_string())
}
