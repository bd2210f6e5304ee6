//! Products whose factors are expressions, in every variant, compared with their naive form.

use crate::common::*;
use lanthorn_ir::{
    DType, Kernel,
    expr::{Constant, Type},
};
use lanthorn_kernel_tests::rotation;
use lanthorn_wgpu::{Contraction, Options, Tuning};

#[test]
fn every_variant_computes_factors_as_it_reads_them() {
    let variants =
        [Contraction::Tiled, Contraction::Wide, Contraction::Register, Contraction::Quad, Contraction::Simple];
    let mut backends: Vec<_> = variants
        .into_iter()
        .map(|contract| open_tuned(Tuning { contract: Some(contract), ..Tuning::default() }))
        .collect();
    backends.push(open(Options { default_limits: true, ..Options::default() }));
    let params = [Constant::new(0.5, Type::F32)];
    let mut checked = 0;
    // Each run tests one kernel in two, in rotation.
    for (_, kernel) in corpus::prologues().into_iter().enumerate().filter(|(index, _)| rotation::takes(*index, 2)) {
        let content = |(seed, elements, dtype): (usize, usize, DType)| match dtype {
            DType::Bool => integers(elements, seed as u32, 0, 2),
            // Numbers that float16 represents exactly.
            _ => integers(elements, seed as u32, -16, 16).into_iter().map(|number| number / 16.0).collect(),
        };
        let operands = kernel.operands();
        let inputs: Vec<Vec<f64>> = operands
            .iter()
            .enumerate()
            .map(|(seed, operand)| content((seed, operand.extent().unwrap(), operand.dtype())))
            .collect();
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let Kernel::Contract(contract) = &kernel else { continue };
        for backend in &backends {
            check_kernel(backend, &kernel, &inputs, &params[..contract.params.len()]);
        }
        checked += 1;
    }
    assert!(checked >= 25, "{checked}");
}
