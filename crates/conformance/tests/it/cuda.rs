//! CUDA's kernels without a GPU: generated, compiled by g++ with a header that emulates CUDA, and
//! run on the processor.
//!
//! Whole trainings, whose steps are replayed as one graph, and the library's products, computed by
//! a plain loop. `golden` compares operations with PyTorch's answers.

use lanthorn::{
    Approximate, CudaHostOptions, Device, Result, Tensor,
    nn::{CrossEntropyLoss, GELU, Layer, Linear, Module, ReLU, Sequential},
    optim::{Adam, AdamOptions},
};
use lanthorn_conformance::{
    golden::{self, KNOWN_MISSES, Strictness, known},
    selection,
};
use pollster::block_on;
use std::{path::Path, process::Command};

/// Allocated buffers are filled with garbage, and every access of a kernel is checked against its
/// buffers.
fn emulator() -> Result<Device> {
    lanthorn::cuda_host(CudaHostOptions { checked: true, deferred: true, ..Default::default() })
}

/// Products by the emulated library.
fn with_library() -> Result<Device> {
    lanthorn::cuda_host(CudaHostOptions { library: true, ..Default::default() })
}

#[test]
fn products_by_the_library() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/ops"));
    let known = known::parse(KNOWN_MISSES, "cuda-host").unwrap();
    let wanted = |name: &str| {
        ["matmul", "nn.functional.linear", "addmm", "bmm"].contains(&name) && selection::selects_file(name)
    };
    let report = golden::check(folder, &with_library, Strictness::Device, &known, wanted).unwrap();
    report.assert_all();
    assert!(report.passed_count() > 50 || selection::is_active(), "{} checks", report.passed_count());
}

/// The library computes bias and activation where it supports them, otherwise a kernel after the
/// product does.
#[test]
fn an_epilogue_goes_along_with_the_product() {
    let device = with_library().unwrap();
    device.set_default();
    let linear = Linear::new(64, 32).unwrap();
    let x = Tensor::ones([16, 64]).unwrap();
    // The launches of a forward pass.
    let calls = |work: &dyn Fn(Tensor) -> Result<Tensor>| {
        let before = device.inspect().stats().api.dispatches;
        let y = lanthorn::no_grad(|| work(linear.forward(&x)?)).unwrap();
        block_on(y.to_vec::<f32>()).unwrap();
        device.inspect().stats().api.dispatches - before
    };
    // The first pass initializes the weights.
    calls(&Ok);
    assert_eq!(calls(&Ok), 1);
    assert_eq!(calls(&|y| y.relu()), 1);
    assert_eq!(calls(&|y| y.gelu_with(Approximate::Tanh)), 1);
    assert_eq!(calls(&|y| y.gelu()), 2);
    assert_eq!(calls(&|y| y.mul(y.sigmoid()?)), 2);
}

/// Some steps, each loss read; returns the number of launches of each.
fn train(device: &Device, steps: usize) -> Result<(Vec<f64>, Vec<u64>)> {
    device.manual_seed(3);
    device.set_default();
    let model = Sequential::new(vec![
        Box::new(Linear::new(8, 96)?),
        Box::new(ReLU),
        Box::new(Linear::new(96, 16)?),
        Box::new(GELU::builder().approximate(Approximate::Tanh).build()?),
        Box::new(Linear::new(16, 4)?),
    ]);
    let optimizer = Adam::new(model.parameters(), AdamOptions { lr: 0.01, ..Default::default() })?;
    let x = Tensor::from_slice(&(0..64 * 8).map(|i| (i % 13) as f32 / 6.0 - 1.0).collect::<Vec<_>>(), [64, 8], device)?;
    let y = Tensor::from_slice(&(0..64).map(|i| i % 4).collect::<Vec<i32>>(), [64], device)?;
    let (mut losses, mut dispatches) = (vec![], vec![]);
    for _ in 0..steps {
        let before = device.inspect().stats().api.dispatches;
        let loss = CrossEntropyLoss::default().forward(&model.forward(&x)?, &y)?;
        optimizer.zero_grad()?;
        loss.backward()?;
        optimizer.step()?;
        losses.push(block_on(loss.item())?);
        dispatches.push(device.inspect().stats().api.dispatches - before);
    }
    block_on(device.synchronize())?;
    Ok((losses, dispatches))
}

#[test]
fn a_training_is_the_cpus_and_its_steps_are_graphs() {
    let (expected, _) = train(&lanthorn::cpu(), 40).unwrap();
    assert!(expected[39] < expected[0]);
    let close = |losses: &[f64]| {
        let close = |(got, expected): (&f64, &f64)| (got - expected).abs() < 1e-4 * expected.abs();
        assert!(losses.iter().zip(&expected).all(close), "{losses:?}, expected {expected:?}");
    };
    close(&train(&emulator().unwrap(), 5).unwrap().0);
    let (losses, launches) = train(&with_library().unwrap(), 40).unwrap();
    close(&losses);
    // Values of one size use their buffers alternately, so that every twelfth step has the buffers
    // of the first.
    assert!(launches[..12].iter().all(|&launches| launches > 10) && launches[34..] == [1; 6], "{launches:?}");
}

/// The last steps of a gamma number are logarithms, which differ in their last bit; counts are
/// quantiles of the same words.
#[test]
fn a_seed_gives_the_samples_of_the_cpu() {
    let draw = |device: &Device| -> Result<[Vec<f32>; 4]> {
        device.manual_seed(41);
        let x = Tensor::from_slice(&[0.5f32, 4.0, 50.0], [3], device)?.expand([100, 3])?;
        let prob = Tensor::from_slice(&[0.3f32], [1], device)?;
        let gamma = x.standard_gamma()?;
        let results = [x.poisson()?, (&x * 8.0)?.floor()?.binomial(&prob)?, x.sample_dirichlet()?, gamma];
        let [poisson, binomial, dirichlet, gamma] = results.map(|result| block_on(result.to_vec()));
        Ok([poisson?, binomial?, dirichlet?, gamma?])
    };
    let expected = draw(&lanthorn::cpu()).unwrap();
    let got = draw(&emulator().unwrap()).unwrap();
    assert!(got[..2] == expected[..2]);
    for (got, expected) in got[2..].iter().flatten().zip(expected[2..].iter().flatten()) {
        assert!((got - expected).abs() <= 1e-4 * expected.abs() + 1e-6, "{got} instead of {expected}");
    }
}

/// A build without the feature contains nothing of CUDA.
#[test]
fn a_build_without_the_feature_has_no_trace_of_it() {
    let tree = |features: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["tree", "--offline", "-p", "lanthorn", "-e", "normal", "--prefix", "none"]).args(features);
        let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let without = tree(&[]);
    assert!(
        without.contains("lanthorn-wgpu v") && !without.contains("lanthorn-cuda v") && !without.contains("cudarc v"),
        "{without}"
    );
    assert!(tree(&["--features", "cuda"]).contains("cudarc v"));
}
