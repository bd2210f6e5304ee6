//! `silu(gate) * up` (Shazeer, "GLU Variants Improve Transformer", 2020) as one kernel, which reads
//! both tensors once.

use lanthorn::{
    Error, Result, Tensor,
    custom::{Cpu, Cuda, CustomOp, FakeTensor, Wgsl, custom_op},
    samples::{Sample, real},
};

/// Runs for each element `i` of the result. The tensors are functions, which take care of their
/// types and bounds.
const WGSL: &str = "
let g = gate(i);
set_out(i, g / (1.0 + exp(-g)) * up(i));
";

const CUDA: &str = "
const f32 g = gate(i);
set_out(i, g / (1.0f + expf(-g)) * up(i));
";

/// The fused operation, with its derivative in tensor operations, which are also differentiable.
pub fn register() -> Result<CustomOp> {
    custom_op("example::swiglu(Tensor gate, Tensor up) -> Tensor")
        .register_fake(|args| {
            let (gate, up) = (args.tensor("gate")?, args.tensor("up")?);
            if gate.shape() != up.shape() || gate.dtype() != up.dtype() || !gate.dtype().is_floating_point() {
                let message = format!(
                    "takes two floating-point tensors of one shape and type, not {} {} and {} {}",
                    gate.dtype(),
                    gate.shape(),
                    up.dtype(),
                    up.shape()
                );
                return Err(Error::shape("example::swiglu", message));
            }
            Ok(vec![FakeTensor::like(gate)])
        })
        .register_kernel(Wgsl::body(WGSL))
        .register_kernel(Cuda::body(CUDA))
        .register_kernel(Cpu::new(|call| {
            let (gate, up) = (call.input("gate")?.to_f32()?, call.input("up")?.to_f32()?);
            let result: Vec<f32> = gate.iter().zip(up).map(|(g, up)| g / (1.0 + (-g).exp()) * up).collect();
            call.output("out")?.store_f32(&result)
        }))
        .register_autograd(
            |ctx, args, _outputs| {
                ctx.save_for_backward(&[args.tensor("gate")?, args.tensor("up")?]);
                Ok(())
            },
            |ctx, grads| {
                let (grad, gate, up) = (grads.at(0)?, ctx.saved(0)?, ctx.saved(1)?);
                let sigmoid = gate.sigmoid()?;
                // silu'(x) = sigmoid(x) * (1 + x * (1 - sigmoid(x)))
                let slope = sigmoid.mul(&gate.mul(&sigmoid.neg()?.add(1.0)?)?.add(1.0)?)?;
                let by_gate = || -> Result<Tensor> { grad.mul(&up)?.mul(&slope) };
                let by_up = || -> Result<Tensor> { grad.mul(&gate)?.mul(&sigmoid) };
                Ok(vec![
                    if ctx.needs_input_grad(0) { Some(by_gate()?) } else { None },
                    if ctx.needs_input_grad(1) { Some(by_up()?) } else { None },
                ])
            },
        )
        .register()
}

/// Calls to check it on.
pub fn samples() -> Vec<Sample> {
    let pair = |shape: &[i64]| Sample::new([real(shape, -2.0, 2.0), real(shape, -2.0, 2.0)]);
    vec![pair(&[4, 6]), pair(&[300]), pair(&[2, 3, 2]), pair(&[0, 5])]
}
