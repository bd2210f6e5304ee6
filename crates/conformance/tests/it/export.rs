//! Every op as an exported program: its samples, traced and run again, return the same elements.

use lanthorn::{
    DType,
    ops::{self, Arg, Op},
};
use lanthorn_conformance::export::{has_program, sample};

/// Whether PyTorch has no such call, so that no program can have it.
fn is_not_in_pytorch(op: &Op, args: &[Arg]) -> bool {
    let has_own_option = || args.iter().skip(8).any(|arg| !matches!(arg, Arg::Missing | Arg::Null));
    ["dequantize", "store"].contains(&op.name()) || op.name() == "scaled_dot_product_attention" && has_own_option()
}

#[test]
fn every_op_runs_as_a_program() {
    let device = lanthorn::cpu();
    device.set_default();
    let (mut failures, mut programs) = (Vec::new(), 0);
    for op in ops::built_in().filter(|op| has_program(op)) {
        for (index, args) in (op.samples)().iter().map(|sample| sample.make(DType::F32, &device, Ok)).enumerate() {
            let args = args.unwrap();
            for in_place in [false, true].into_iter().filter(|&in_place| !in_place || op.in_place.is_some()) {
                let sample = sample(op, &args, in_place, &device);
                if is_not_in_pytorch(op, &args) {
                    assert!(sample.is_err_and(|message| message.contains("no such operator in ATen")), "{}", op.name());
                    continue;
                }
                programs += usize::from(matches!(sample, Ok(Some(_))));
                if let Err(message) = sample.and_then(|sample| sample.map_or(Ok(()), |sample| sample.check(&device))) {
                    failures.push(format!("{}{} {index}: {message}", op.name(), if in_place { "_" } else { "" }));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
    assert!(programs > 2500, "{programs}");
}
