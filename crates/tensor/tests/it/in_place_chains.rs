//! Random programs of views and in-place ops: their gradient against finite differences in float64.

use crate::common::*;
use proptest::prelude::*;

type Step = (u8, usize, usize, usize);

/// The loss of a program on a matrix `x`: some of all the views that it made, weighted.
fn program(x: &Tensor, steps: &[Step]) -> Result<Tensor> {
    let base = x.mul(1.5)?;
    let mut views = vec![base.clone()];
    let mut others: Vec<Tensor> = Vec::new();
    for &(kind, which, a, b) in steps {
        let view = views[which % views.len()].clone();
        let rank = view.rank() as i64;
        let dim = if rank == 0 { 0 } else { a as i64 % rank };
        let size = view.shape().get(dim as usize).map_or(1, |&size| size as i64);
        match kind {
            0 if rank > 0 => views.push(view.select(dim, b as i64 % size)?),
            1 if rank > 0 => views.push(view.slice(dim, b as i64 % size, None, 1 + a as i64 % 2)?),
            2 if rank > 1 => views.push(view.transpose(0, 1)?),
            3 => {
                let flat = view.reshape([-1])?;
                // Where that copied, it is an op like others.
                if flat.shares_storage_with(&view) { views.push(flat) } else { others.push(flat) }
            }
            4 => view.mul_(1.25)?,
            5 => view.add_(0.5)?,
            6 => view.sin_()?,
            7 => view.square_()?,
            8 => {
                let source = views[b % views.len()].mean((), false)?;
                view.copy_(&source)?;
            }
            9 => {
                let factor = views[b % views.len()].cos()?.mean((), false)?;
                view.mul_(&factor)?;
            }
            10 => no_grad(|| view.detach().neg().map(drop))?,
            _ => others.push(view.tanh()?),
        }
    }
    let mut loss = Tensor::zeros_with([], DType::F64, Some(x.device()))?;
    for (position, tensor) in views.iter().chain(&others).enumerate() {
        let weights = Tensor::arange(0, tensor.numel() as i64, 1)?
            .add(position as i64)?
            .to(DType::F64)?
            .sin()?
            .reshape(tensor.shape())?;
        loss = loss.add(tensor.mul(&weights)?.sum((), false)?)?;
    }
    Ok(loss)
}

fn input(values: &[f64], shape: [i64; 2], device: &Device) -> Tensor {
    Tensor::from_slice(values, shape, device).unwrap()
}

/// Compares the gradient of a program on a matrix of this shape with finite differences; `false`
/// where it has none.
fn check(device: &Device, plain: &Device, steps: &[Step], shape: [i64; 2]) -> std::result::Result<bool, TestCaseError> {
    device.set_default();
    let count = (shape[0] * shape[1]) as usize;
    let values: Vec<f64> = (0..count).map(|i| 0.2 + 0.6 * i as f64 / count as f64).collect();
    let x = input(&values, shape, device).requires_grad_(true).unwrap();
    let loss = program(&x, steps).unwrap();
    if let Err(error) = loss.backward() {
        // The only possible error of such a program: an op saved a value that a later op overwrote.
        prop_assert!(error.is_autograd() && error.to_string().contains("changed in place"), "{error}");
        return Ok(false);
    }
    let gradient = pollster::block_on(x.grad().unwrap().to_vec::<f64>()).unwrap();
    // The reference numbers are computed without fusion, so that the two do not share its faults.
    plain.set_default();
    for direction in 1..4 {
        let along: Vec<f64> = (0..values.len()).map(|i| (i as f64 * 1.7 + f64::from(direction)).sin()).collect();
        let at = |step: f64| {
            let moved: Vec<f64> = values.iter().zip(&along).map(|(value, along)| value + step * along).collect();
            item(&program(&input(&moved, shape, plain), steps).unwrap())
        };
        let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
        let analytic: f64 = gradient.iter().zip(&along).map(|(gradient, along)| gradient * along).sum();
        prop_assert!(
            (analytic - numeric).abs() <= 1e-5 + 1e-5 * numeric.abs(),
            "{analytic} and {numeric} for {shape:?}"
        );
    }
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn gradients_are_those_of_finite_differences(
        steps in prop::collection::vec((0u8..12, 0usize..40, 0usize..40, 0usize..40), 1..14),
    ) {
        let (device, plain) = (device(), Device::new(lanthorn_cpu::CpuBackend::poisoned()));
        plain.inspect().set_optimizations(Optimizations::none());
        // The later sizes run on plans of the first, where these are valid for them.
        for shape in [[3, 4], [5, 7], [4, 8], [1, 6]] {
            if !check(&device, &plain, &steps, shape)? {
                return Err(TestCaseError::reject("nothing to compare"));
            }
        }
    }
}
