//! Linear algebra on every device: through training, fused plans and failures. On WebGPU it falls
//! back to the CPU, natively with a blocking wait and also in the deferred mode of a page.

use lanthorn::{
    DType, Device, GradOptions, MatrixTriangle, Result, Tensor, WgpuOptions, grad,
    ops::{Arg, Op},
};
use lanthorn_program::{Native, Value, aten};
use pollster::block_on;

fn devices() -> Vec<Device> {
    let webgpu = |deferred| {
        let options = WgpuOptions { poison: true, deferred, ..Default::default() };
        block_on(lanthorn::wgpu_with(options)).expect("a WebGPU adapter; natively e.g. Mesa's lavapipe")
    };
    vec![lanthorn::cpu(), webgpu(false), webgpu(true)]
}

fn read(x: &Tensor) -> Result<Vec<f32>> {
    block_on(x.to_vec())
}

fn tensor(values: &[f32], shape: &[i64], device: &Device) -> Tensor {
    Tensor::from_slice(values, shape, device).unwrap()
}

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f32 / 504.5 - 1.0).collect()
}

/// Gradient descent on the parameters of a system, through its solution, its factorization and its
/// determinant.
fn train(device: &Device, steps: usize) -> Result<(Vec<f32>, Vec<f32>)> {
    let start = Tensor::eye_with(4, None, None, Some(device))?
        .mul(2.0)?
        .add(tensor(&numbers(16, 1), &[4, 4], device).mul(0.5)?)?;
    let mut a = start.detach().requires_grad_(true)?;
    let b = tensor(&numbers(8, 2), &[4, 2], device);
    let target = tensor(&numbers(8, 3), &[4, 2], device);
    let mut losses = Vec::new();
    for _ in 0..steps {
        let x = a.linalg_solve(&b)?;
        let gram = a.matmul(&a.transpose(0, 1)?)?.add(Tensor::eye_with(4, None, None, Some(device))?)?;
        let penalty = gram.linalg_cholesky()?.diagonal(0, 0, 1)?.log()?.sum((), false)?;
        let loss = x.sub(&target)?.square()?.sum((), false)?.add(penalty.mul(0.1)?)?;
        let gradient =
            grad(std::slice::from_ref(&loss), std::slice::from_ref(&a), &[], GradOptions::default())?[0].clone();
        let step = gradient.expect("the loss depends on the matrix").mul(0.1)?;
        a = a.detach().sub(step)?.detach().requires_grad_(true)?;
        losses.push(loss);
    }
    let losses = losses.iter().map(|loss| Ok(read(loss)?[0])).collect::<Result<Vec<f32>>>()?;
    Ok((losses, read(&a)?))
}

#[test]
fn training_through_a_solution_agrees_on_every_device() -> Result<()> {
    let runs = devices().iter().map(|device| train(device, 30)).collect::<Result<Vec<_>>>()?;
    let (losses, parameters) = &runs[0];
    assert!(losses[29] < losses[0] * 0.8, "{losses:?}");
    for (other_losses, other) in &runs[1..] {
        let pairs = losses.iter().zip(other_losses).chain(parameters.iter().zip(other));
        for (got, want) in pairs {
            assert!((got - want).abs() <= 1e-4 * want.abs().max(1.0), "{got} and {want}");
        }
    }
    Ok(())
}

#[test]
fn a_repeated_step_makes_nothing_new() -> Result<()> {
    for device in devices() {
        let a =
            tensor(&numbers(16, 4), &[4, 4], &device).add(Tensor::eye_with(4, None, None, Some(&device))?.mul(3.0)?)?;
        let step = || read(&a.mul(0.5)?.linalg_inv()?.matmul(&a)?.exp()?.sum(0, false)?);
        let first = step()?;
        step()?;
        let before = device.inspect().stats();
        for _ in 0..10 {
            assert_eq!(step()?, first);
        }
        let after = device.inspect().stats();
        assert_eq!(
            (after.plan_misses, after.memory.buffers_created),
            (before.plan_misses, before.memory.buffers_created)
        );
        assert_eq!((after.api.buffers, after.api.bind_groups), (before.api.buffers, before.api.bind_groups));
    }
    Ok(())
}

#[test]
fn chains_of_steps_and_shaders() -> Result<()> {
    for device in devices() {
        let mut x = Tensor::eye_with(3, None, None, Some(&device))?.mul(1.5)?;
        for _ in 0..12 {
            // The inverse of the inverse, with a shader between them and one after.
            x = x.add(1.0)?.linalg_inv()?.mul(1.0)?.linalg_inv()?.sub(1.0)?;
        }
        for (index, got) in read(&x)?.into_iter().enumerate() {
            let want = if index % 4 == 0 { 1.5 } else { 0.0 };
            assert!((got - want).abs() < 1e-4, "{got} for {want}");
        }
    }
    Ok(())
}

#[test]
fn a_matrix_without_a_result_fails_what_depends_on_it_and_nothing_else() -> Result<()> {
    for device in devices() {
        let singular = tensor(&[1.0, 2.0, 2.0, 4.0], &[2, 2], &device);
        let good = tensor(&[2.0, 0.0, 0.0, 4.0], &[2, 2], &device);
        let (bad, fine) = (singular.linalg_inv()?, good.linalg_inv()?);
        let (worse, well) = (bad.add(1.0)?.matmul(&good)?, fine.mul(2.0)?);
        device.flush();
        let later = worse.sum((), false)?;
        assert_eq!(read(&well)?, [1.0, 0.0, 0.0, 0.5]);
        for value in [&later, &worse, &bad] {
            let error = read(value).unwrap_err();
            assert!(error.is_linalg() && error.op() == "linalg_inv", "{error}");
            assert!(error.message().contains("singular"), "{error}");
        }
        let indefinite = good.neg()?.linalg_cholesky()?;
        assert!(read(&indefinite).unwrap_err().is_linalg());
        let endless = tensor(&[f32::NAN; 4], &[2, 2], &device);
        assert!(read(&endless.linalg_svdvals()?).unwrap_err().message().contains("not a number"));
        assert!(read(&endless.linalg_eigvalsh(MatrixTriangle::Lower)?).unwrap_err().is_linalg());
        // The device continues to work, and an operation without checks returns numbers.
        let (_, info) = singular.linalg_inv_ex()?;
        assert_eq!(block_on(info.to_vec::<i32>())?, [2]);
        assert_eq!(read(&singular.linalg_det()?)?, [0.0]);
        assert_eq!(read(&good.linalg_solve(&tensor(&[2.0, 4.0], &[2], &device))?)?, [1.0, 1.0]);
    }
    Ok(())
}

/// The check of `istft` reads the sum of the windows, and the least sum that passes is 1e-11.
#[test]
fn a_window_that_leaves_samples_out_is_refused() -> Result<()> {
    for device in devices() {
        let spectra = Tensor::ones_with([3, 2, 2], None, Some(&device))?;
        let inverse = |window: [f32; 4]| {
            let dispatch = Native::new(&device);
            let window = Value::Tensor(tensor(&window, &[4], &device));
            let args = vec![Value::Tensor(spectra.clone()), Value::Int(4), Value::Int(2)];
            let named = vec![("window".to_string(), window), ("center".to_string(), Value::Bool(false))];
            block_on(aten::call(&dispatch, "istft", args, named).unwrap().value())
        };
        for window in [[0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1e-6, 1.0]] {
            let error = inverse(window).map(drop).unwrap_err().to_string();
            assert!(error.contains("istft") && error.contains("window overlap add min: 1"), "{window:?}: {error}");
        }
        assert!(inverse([1.0, 1.0, 1e-5, 1.0]).is_ok_and(|signal| signal.as_tensor().is_some()));
    }
    Ok(())
}

#[test]
fn singular_matrices_have_cofactors() -> Result<()> {
    for device in devices() {
        let singular = tensor(&[1.0, 2.0, 2.0, 4.0], &[2, 2], &device).requires_grad_(true)?;
        let gradient = grad(&[singular.linalg_det()?], &[singular], &[], GradOptions::default())?[0].clone().unwrap();
        for (got, want) in read(&gradient)?.iter().zip([4.0, -2.0, -2.0, 1.0]) {
            assert!((got - want).abs() < 1e-5, "{got} for {want}");
        }
    }
    Ok(())
}

#[test]
fn bad_shapes_are_errors_at_the_call() {
    let device = lanthorn::cpu();
    let wide = tensor(&numbers(6, 1), &[2, 3], &device);
    let vector = tensor(&[1.0, 2.0], &[2], &device);
    let square = tensor(&numbers(4, 1), &[2, 2], &device);
    let whole = square.to(DType::I32).unwrap();
    assert!(wide.linalg_inv().unwrap_err().is_shape() && vector.linalg_svdvals().unwrap_err().is_shape());
    assert!(square.linalg_solve(&wide.transpose(0, 1).unwrap()).unwrap_err().is_shape());
    assert!(whole.linalg_inv().unwrap_err().is_dtype() && whole.linalg_norm(None, (), false).is_err());
    for (op, choice) in [("linalg_eigh", "X"), ("linalg_qr", "some"), ("linalg_svdvals", "fast")] {
        let args = [Arg::from(&square), Arg::Str(choice.into())];
        assert!(Op::find(op).unwrap().run(&args).unwrap_err().is_argument(), "{op}");
    }
    assert!(square.linalg_matrix_norm_ord(3, [0, 1], false).unwrap_err().is_argument());
    assert!(wide.linalg_tensorinv(1).unwrap_err().is_shape());
}
