//! A kernel made ready, and the checks that stand before every launch.
//!
//! What the loops take for granted is checked here once: that every element a layout can name lies in its buffer, and that parameters
//! have their types. After that the loops index slices, so a mistake could end in a panic at worst and never in foreign memory.

use crate::{block::extent, contract, copy, gather, map, reduce, scatter};
use lanthorn_ir::{
    DType, Error, Kernel, Layout, Result,
    expr::{Constant, Type},
};

/// A kernel in the form that this backend runs.
pub(crate) struct Prepared {
    /// The bytes that each input and output must have.
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    params: Vec<Type>,
    work: Box<dyn Work>,
}

/// What one kernel kind does with its checked buffers.
pub(crate) trait Work {
    fn run(&self, op: &str, inputs: &[&[u8]], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()>;
}

impl Prepared {
    pub fn new(op: &str, kernel: &Kernel) -> Result<Prepared> {
        let bytes = |layout: &Layout, dtype: DType| -> Result<usize> {
            let elements = extent(layout).and_then(|elements| elements.checked_mul(dtype.size()));
            elements.ok_or_else(|| Error::kernel(op, format!("a layout leaves its buffer: {layout:?}")))
        };
        let (inputs, work): (Vec<usize>, Box<dyn Work>) = match kernel {
            Kernel::Map(kernel) => {
                let inputs = kernel.inputs.iter().map(|input| bytes(&input.layout, input.dtype)).collect::<Result<_>>()?;
                (inputs, Box::new(map::Map::new(op, kernel)?))
            }
            Kernel::Reduce(kernel) => {
                let inputs = kernel.inputs.iter().map(|input| bytes(&input.layout, input.dtype)).collect::<Result<_>>()?;
                (inputs, Box::new(reduce::Reduce::new(op, kernel)?))
            }
            Kernel::Contract(kernel) => {
                let inputs = vec![bytes(&kernel.a, kernel.dtype)?, bytes(&kernel.b, kernel.dtype)?];
                (inputs, Box::new(contract::Contract::new(op, kernel)?))
            }
            Kernel::Gather(kernel) => {
                let source = if kernel.extent == 0 { 0 } else { bytes(&gather::whole_source(kernel), kernel.dtype)? };
                (vec![source, bytes(&kernel.index, DType::I32)?], Box::new(gather::Gather::new(kernel)))
            }
            Kernel::Scatter(kernel) => {
                let inputs = vec![bytes(&kernel.source, kernel.dtype)?, bytes(&kernel.index, DType::I32)?];
                (inputs, Box::new(scatter::Scatter::new(op, kernel)?))
            }
            Kernel::Copy(kernel) => (vec![bytes(&kernel.source, kernel.dtype)?], Box::new(copy::Copy::new(op, kernel)?)),
        };
        let outputs = match kernel {
            Kernel::Copy(kernel) => vec![bytes(&kernel.target, kernel.dtype)?],
            _ => kernel.outputs().into_iter().map(|(dtype, elements)| elements * dtype.size()).collect(),
        };
        Ok(Prepared { inputs, outputs, params: kernel.params().to_vec(), work })
    }

    /// Runs the kernel on whole buffers.
    pub fn run(&self, op: &str, inputs: &[&[u8]], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let fits = |needed: &[usize], given: &mut dyn Iterator<Item = usize>| -> Result<()> {
            let given: Vec<usize> = given.collect();
            if needed.len() != given.len() || needed.iter().zip(&given).any(|(needed, given)| needed > given) {
                return Err(Error::kernel(op, format!("buffers of {given:?} bytes for a kernel that needs {needed:?}")));
            }
            Ok(())
        };
        fits(&self.inputs, &mut inputs.iter().map(|input| input.len()))?;
        fits(&self.outputs, &mut outputs.iter().map(|output| output.len()))?;
        if params.len() < self.params.len() || params.iter().zip(&self.params).any(|(param, ty)| param.ty() != *ty) {
            return Err(Error::kernel(op, format!("parameters {params:?} for slots of types {:?}", self.params)));
        }
        // An output buffer may be larger than the kernel's output, as a pool hands it out.
        let outputs = outputs.into_iter().zip(&self.outputs).map(|(output, &bytes)| &mut output[..bytes]).collect();
        self.work.run(op, inputs, outputs, params)
    }
}
