//! Several kernels in one launch, which run in sequence.

use crate::{block::Input, contract::Packing, kernel::CpuKernel};
use lanthorn_ir::{Result, expr::Constant, kernel::Fusible};
use std::sync::Arc;

/// A prepared kernel, and its numbers of inputs, outputs and parameters of the launch.
struct Part<K> {
    kernel: K,
    inputs: usize,
    outputs: usize,
    params: usize,
}

/// The kernels of a launch.
pub(crate) struct Horizontal<K>(Vec<Part<K>>);

impl<K> Horizontal<K> {
    pub fn new<D: Fusible<usize>>(parts: &[D], ready: impl Fn(&D) -> Result<K>) -> Result<Horizontal<K>> {
        let part = |part: &D| {
            let [inputs, outputs] = part.buffers();
            Ok(Part { kernel: ready(part)?, inputs, outputs, params: part.params().len() })
        };
        Ok(Horizontal(parts.iter().map(part).collect::<Result<_>>()?))
    }
}

/// The input for a part whose first output is number `first` of the launch.
fn renumber(input: Input, first: usize) -> Input {
    match input {
        Input::Output(output) => Input::Output(output - first),
        other => other,
    }
}

impl<K: CpuKernel> CpuKernel for Horizontal<K> {
    fn run(&self, op: &str, mut inputs: &[Input], outputs: Vec<&mut [u8]>, mut params: &[Constant]) -> Result<()> {
        let mut outputs = outputs.into_iter();
        let mut written = 0;
        for part in &self.0 {
            let (own, others) = inputs.split_at(part.inputs);
            let own: Vec<Input> = own.iter().map(|&input| renumber(input, written)).collect();
            let (numbers, rest) = params.split_at(part.params);
            part.kernel.run(op, &own, outputs.by_ref().take(part.outputs).collect(), numbers)?;
            (inputs, params) = (others, rest);
            written += part.outputs;
        }
        Ok(())
    }

    fn packing(&self, mut input: usize) -> Option<&Arc<Packing>> {
        for part in &self.0 {
            if input < part.inputs {
                return part.kernel.packing(input);
            }
            input -= part.inputs;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::test_util::*;
    use lanthorn_ir::{
        BlockFormat, DType, Encoding, Kernel,
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
        let kernel = Kernel::Maps(kernel::Horizontal::of_maps([3, 700].map(part)));
        let x: Vec<f32> = (0..700).map(|i| i as f32).collect();
        let params = [2.0, -1.0].map(|value| Constant::new(value, Type::F32));
        let results = run(&kernel, &[bytes(&x[..3]), bytes(&x)], &params).unwrap();
        assert_eq!(read::<f32>(&results[0]), [0.0, 2.0, 4.0]);
        assert_eq!(read::<f32>(&results[1]), x.iter().map(|x| -x).collect::<Vec<_>>());
    }

    #[test]
    fn products_of_one_row_are_those_of_each_alone() {
        let product = |encoding: Encoding, n: usize| {
            let turned = dense(&[n, 64]).permute(&[1, 0]);
            let mut product = kernel::Contract::matrices(DType::F32, dense(&[1, 64]), turned.clone());
            product.b = operand(encoding, &turned);
            product
        };
        let parts = vec![product(DType::F32.into(), 5), product(BlockFormat::Q8_0.into(), 40)];
        let x: Vec<f32> = (0..64).map(|i| (i as f32 * 0.7).sin()).collect();
        let weight: Vec<f32> = (0..40 * 64).map(|i| (i as f32 * 0.3).cos()).collect();
        let blocks = BlockFormat::Q8_0.quantize(&weight).unwrap();
        let inputs = [bytes(&x), bytes(&weight[..5 * 64]), bytes(&x), blocks];
        let alone = |part: usize| {
            run(&Kernel::Contract(parts[part].clone()), &inputs[2 * part..2 * part + 2], &[]).unwrap().swap_remove(0)
        };
        let together = run(&Kernel::Contracts(kernel::Horizontal::new(parts.clone())), &inputs, &[]).unwrap();
        assert_eq!(together, [alone(0), alone(1)]);
    }
}
