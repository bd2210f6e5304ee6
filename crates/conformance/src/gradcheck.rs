//! The derivatives of every op compared with finite differences, in float64 on the CPU, of first
//! and second order.

use crate::{Report, selection};
use lanthorn::{
    Device,
    ops::Arg,
    testing::{GradcheckOptions, gradcheck, gradgradcheck},
};

/// Ops that round. Their derivative is the derivative of the unrounded value.
const STEPS: &[&str] = &[
    "half",
    "bfloat16",
    "fake_quantize_per_tensor_affine",
    "fake_quantize_per_tensor_affine.tensor_qparams",
    "fake_quantize_per_channel_affine",
    "fake_quantize_learnable_per_tensor_affine",
    "fake_quantize_learnable_per_channel_affine",
];

/// Random numbers with implicit gradients: the derivative is at a fixed probability, and not at
/// fixed random bits. `crates/distributions/tests/it/golden.rs` compares them with PyTorch's.
const IMPLICIT: &[&str] = &["standard_gamma", "sample_dirichlet"];

/// Ops whose derivative is defined for log probabilities, as in PyTorch. They are checked after
/// `log_softmax`.
const OF_LOG_PROBABILITIES: &[&str] = &["ctc_loss"];

/// Checks the derivatives of every op that has them on the CPU.
pub async fn check(cpu: &Device, wanted: impl Fn(&str) -> bool) -> Report {
    cpu.set_default();
    let mut report = Report::default();
    let skipped = |name: &str| STEPS.contains(&name) || IMPLICIT.contains(&name);
    for op in selection::ops().filter(|op| wanted(op.name()) && !skipped(op.name()) && !op.is_async()) {
        let function = |args: &[Arg]| match args {
            [Arg::Tensor(x), rest @ ..] if OF_LOG_PROBABILITIES.contains(&op.name()) => {
                let args = [&[Arg::Tensor(x.log_softmax(-1)?)], rest].concat();
                Ok(op.run(&args)?.tensors().to_vec())
            }
            args => Ok(op.run(args)?.tensors().to_vec()),
        };
        for (number, sample) in (op.samples)().iter().enumerate() {
            let first = gradcheck(&function, sample, cpu, GradcheckOptions::FLOAT64).await;
            let second = gradgradcheck(&function, sample, cpu, GradcheckOptions::FLOAT64).await;
            for (order, outcome) in [("first", first), ("second", second)] {
                match outcome {
                    Ok(0) => {}
                    Ok(_) => report.check("", Ok(())),
                    Err(why) => {
                        report.check(
                            format_args!("{} sample {number}, {order} derivative", op.name()),
                            Err(why.to_string()),
                        );
                    }
                }
            }
        }
    }
    report
}
