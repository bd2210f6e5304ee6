//! Several pointwise kernels in one launch: one after another.

use crate::{block::Input, kernel::CpuKernel, map::Map};
use lanthorn_ir::{Result, expr::Constant, kernel};

/// A pointwise kernel made ready, and how many inputs, outputs and parameters of the launch are its.
struct Part {
    map: Map,
    inputs: usize,
    outputs: usize,
    params: usize,
}

/// The kernels of a launch.
pub(crate) struct Maps(Vec<Part>);

impl Maps {
    pub fn new(op: &str, kernel: &kernel::Maps) -> Result<Maps> {
        let part = |part: &kernel::Map| {
            let [inputs, outputs, params] = [part.inputs.len(), part.dtypes.len(), part.params.len()];
            Ok(Part { map: Map::new(op, part)?, inputs, outputs, params })
        };
        Ok(Maps(kernel.parts.iter().map(part).collect::<Result<_>>()?))
    }
}

/// An input as a part sees it whose first output is number `first` of the launch.
fn renumbered(input: Input, first: usize) -> Input {
    match input {
        Input::Output(output) => Input::Output(output - first),
        other => other,
    }
}

impl CpuKernel for Maps {
    fn run(&self, op: &str, mut inputs: &[Input], outputs: Vec<&mut [u8]>, mut params: &[Constant]) -> Result<()> {
        let mut outputs = outputs.into_iter();
        let mut written = 0;
        for part in &self.0 {
            let (own, others) = inputs.split_at(part.inputs);
            let own: Vec<Input> = own.iter().map(|&input| renumbered(input, written)).collect();
            let (numbers, rest) = params.split_at(part.params);
            part.map.run(op, &own, outputs.by_ref().take(part.outputs).collect(), numbers)?;
            (inputs, params) = (others, rest);
            written += part.outputs;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::test_util::*;
    use lanthorn_ir::{
        DType, Kernel,
        expr::{Constant, Expr, Program, Type},
        kernel,
    };

    #[test]
    fn each_part_has_its_own_shape_and_numbers() {
        let part = |n: usize| kernel::Map {
            indices: vec![],
            shape: dense(&[n]).shape().clone(),
            inputs: vec![operand(DType::F32, &dense(&[n]))],
            params: vec![Type::F32],
            program: Program::new(&[Expr::input(0, Type::F32) * Expr::param(0, Type::F32)]),
            dtypes: vec![DType::F32],
        };
        let kernel = Kernel::Maps(kernel::Maps::new(vec![part(3), part(700)]));
        let x: Vec<f32> = (0..700).map(|i| i as f32).collect();
        let params = [2.0, -1.0].map(|value| Constant::new(value, Type::F32));
        let results = run(&kernel, &[bytes(&x[..3]), bytes(&x)], &params).unwrap();
        assert_eq!(read::<f32>(&results[0]), [0.0, 2.0, 4.0]);
        assert_eq!(read::<f32>(&results[1]), x.iter().map(|x| -x).collect::<Vec<_>>());
    }
}
