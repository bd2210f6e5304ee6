//! A prepared kernel, and the checks before every launch.
//!
//! This module checks the preconditions of the loops: every element that a layout addresses is
//! inside its buffer, and parameters have their types. The loops then index slices, so a mistake
//! could at worst panic, and never accesses other memory.

use crate::{
    attention,
    block::{Input, extent},
    buffer::Buffer,
    contract::{self, Packing},
    copy, custom,
    encoding::FloatEncoding,
    fused_reduction, gather,
    horizontal::Horizontal,
    kernel::{CpuKernel, data},
    linalg, map,
    memory::Slot,
    recurrent, reduce, scan, scatter, sort, store,
};
use lanthorn_ir::{
    DType, Error, Kernel, Layout, Result,
    backend::InPlace,
    expr::{Constant, Type},
    kernel::{Fusible, Operand},
};
use std::sync::Arc;

/// A kernel in the form that this backend runs.
pub(crate) struct Prepared {
    /// The minimum bytes of each input and output.
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    in_place: Vec<InPlace>,
    params: Vec<Type>,
    /// The block-quantized inputs that are decoded before a launch, their format and their extents.
    decoded: Vec<(usize, FloatEncoding, usize)>,
    /// Whether it runs a user's function, which may call the backend.
    is_custom: bool,
    kernel: Box<dyn CpuKernel>,
}

/// The inputs that are factors of products and not read by a prologue. Products decode these while
/// packing.
fn factors(kernel: &Kernel) -> Vec<usize> {
    let products = match kernel {
        Kernel::Contract(contract) => std::slice::from_ref(contract),
        Kernel::Contracts(contracts) => &contracts.parts,
        _ => &[],
    };
    let (mut factors, mut first) = (Vec::new(), 0);
    for product in products {
        let plain = |factor: &usize| product.prologues[*factor].is_none();
        factors.extend((0..2).filter(plain).map(|factor| first + factor));
        first += Fusible::<usize>::buffers(product)[0];
    }
    factors
}

impl Prepared {
    pub fn new(op: &str, kernel: &Kernel, in_place: &[InPlace]) -> Result<Prepared> {
        let outside = |layout: &Layout| {
            let (shape, strides, offset) = (layout.shape(), layout.strides(), layout.offset());
            Error::kernel(
                op,
                format!("an operand of shape {shape} with strides {strides:?} from element {offset} leaves its buffer"),
            )
        };
        let bytes = |layout: &Layout, dtype: DType| -> Result<usize> {
            let elements = extent(layout).and_then(|elements| elements.checked_mul(dtype.size()));
            elements.ok_or_else(|| outside(layout))
        };
        let operand = |operand: &&Operand| -> Result<usize> {
            let elements = operand.extent().and_then(|elements| operand.encoding.bytes(elements));
            elements.ok_or_else(|| outside(&operand.layout))
        };
        kernel.check_blocks().map_err(|error| error.in_op(op))?;
        let operands = kernel.operands();
        let decoded_blocks = |(input, operand): (usize, &&Operand)| {
            let elements = operand.extent()?;
            Some((input, FloatEncoding::of(operand.encoding).filter(|encoding| encoding.is_blocks())?, elements))
        };
        let factors = factors(kernel);
        let decoded = operands.iter().enumerate().filter(|(input, _)| !factors.contains(input));
        let decoded = decoded.filter_map(decoded_blocks).collect();
        let sources = kernel.sources();
        let sources = sources.iter().map(|(dtype, layout)| bytes(layout, *dtype));
        let inputs: Vec<usize> = operands.iter().map(operand).chain(sources).collect::<Result<_>>()?;
        let prepared: Box<dyn CpuKernel> = match kernel {
            Kernel::Map(kernel) => Box::new(map::Map::new(op, kernel)?),
            Kernel::Maps(kernel) => Box::new(Horizontal::new(&kernel.parts, |part| store::Pointwise::new(op, part))?),
            Kernel::Reduce(kernel) => Box::new(reduce::Reduce::new(op, kernel)?),
            Kernel::FusedReduction(kernel) => Box::new(fused_reduction::FusedReduction::new(op, kernel)?),
            Kernel::Contract(kernel) => Box::new(contract::Contract::new(op, kernel)?),
            Kernel::Contracts(kernel) => {
                Box::new(Horizontal::new(&kernel.parts, |part| contract::Contract::new(op, part))?)
            }
            Kernel::Attention(kernel) => Box::new(attention::Attention::new(op, kernel)?),
            Kernel::Gather(kernel) => Box::new(gather::Gather::new(kernel)),
            Kernel::Scatter(kernel) => Box::new(scatter::Scatter::new(op, kernel)?),
            Kernel::Scan(kernel) => Box::new(scan::Scan::new(op, kernel)?),
            Kernel::Recurrent(kernel) => Box::new(recurrent::Recurrent::new(op, kernel)?),
            Kernel::Sort(kernel) => Box::new(sort::Sort::new(kernel)),
            Kernel::Copy(kernel) => Box::new(copy::Copy::new(op, kernel)?),
            Kernel::Linalg(kernel) => Box::new(linalg::Linalg::new(kernel.clone())),
            Kernel::Custom(kernel) => Box::new(custom::Custom::new(op, kernel)?),
        };
        let outputs = match kernel {
            Kernel::Copy(kernel) => vec![bytes(&kernel.target, kernel.dtype)?],
            _ => kernel.outputs().into_iter().map(|(dtype, elements)| elements * dtype.size()).collect(),
        };
        let replaces =
            |&InPlace { input, output }: &InPlace| output < outputs.len() && kernel.can_replace(input, output);
        if let Some(wrong) = in_place.iter().find(|in_place| !replaces(in_place)) {
            return Err(Error::kernel(
                op,
                format!("input {} cannot be replaced by output {}", wrong.input, wrong.output),
            ));
        }
        Ok(Prepared {
            inputs,
            outputs,
            in_place: in_place.to_vec(),
            params: kernel.params().to_vec(),
            decoded,
            is_custom: matches!(kernel, Kernel::Custom(_)),
            kernel: prepared,
        })
    }

    /// Whether it runs a user's function, which may call the backend.
    pub fn is_custom(&self) -> bool {
        self.is_custom
    }

    /// Whether a launch that failed can run again: it has overwritten no input, and called no user
    /// function.
    pub fn can_repeat(&self) -> bool {
        self.in_place.is_empty() && !self.is_custom
    }

    /// The panels in which the kernel reads an input, if its buffer has all bytes that they are
    /// packed from.
    pub fn packing(&self, input: usize, bytes: usize) -> Option<&Arc<Packing>> {
        self.kernel.packing(input).filter(|_| self.inputs.get(input).is_some_and(|&needed| needed <= bytes))
    }

    /// The argument of the kernel for an input's buffer.
    pub fn input<'a>(&self, number: usize, slot: &'a Slot) -> Input<'a> {
        let data = slot.buffer.bytes();
        match self.packing(number, data.len()).and_then(|packing| slot.panels(packing)) {
            Some(panels) => Input::Packed { data, panels: panels.bytes() },
            None => Input::Data(data),
        }
    }

    /// The output whose buffer an input shares.
    pub fn find_replacing(&self, input: usize) -> Option<usize> {
        self.in_place.iter().find(|in_place| in_place.input == input).map(|in_place| in_place.output)
    }

    /// Runs the kernel on whole buffers. Inputs that outputs replace are passed as outputs.
    pub fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let fits = |needed: &[usize], given: Vec<usize>| -> Result<()> {
            if needed.len() != given.len() || needed.iter().zip(&given).any(|(needed, given)| needed > given) {
                return Err(Error::kernel(
                    op,
                    format!("buffers of {given:?} bytes for a kernel that needs {needed:?}"),
                ));
            }
            Ok(())
        };
        let bytes = |input: &Input| match input {
            Input::Output(output) => outputs.get(*output).map_or(0, |output| output.len()),
            input => data(input).len(),
        };
        fits(&self.inputs, inputs.iter().map(bytes).collect())?;
        fits(&self.outputs, outputs.iter().map(|output| output.len()).collect())?;
        if params.len() < self.params.len() || params.iter().zip(&self.params).any(|(param, ty)| param.ty() != *ty) {
            let types: Vec<Type> = params.iter().map(|param| param.ty()).collect();
            return Err(Error::kernel(
                op,
                format!("parameters of types {types:?} for slots of types {:?}", self.params),
            ));
        }
        let decode = |&(input, encoding, elements): &(usize, FloatEncoding, usize)| {
            encoding.widen(op, data(&inputs[input]), elements).map(|buffer| (input, buffer))
        };
        let decoded: Vec<(usize, Buffer)> = self.decoded.iter().map(decode).collect::<Result<_>>()?;
        let mut inputs = inputs.to_vec();
        decoded.iter().for_each(|(input, buffer)| inputs[*input] = Input::Data(buffer.bytes()));
        // A buffer from the pool may be larger than the kernel's output.
        let outputs = outputs.into_iter().zip(&self.outputs).map(|(output, &bytes)| &mut output[..bytes]).collect();
        self.kernel.run(op, &inputs, outputs, params)
    }
}
