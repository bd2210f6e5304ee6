//! Sizes that grow by one from step to step create no pipeline and no program after the second
//! step.

use lanthorn::{DType, Device, Result, Tensor};
use pollster::block_on;

/// The number of sizes.
const SIZES: i64 = 64;

/// The first size. A kernel has two variants, for sizes divisible by four and for others, and the
/// first two sizes have one of each. Below 8 rows a fused reduction has another variant.
const FIRST: i64 = 11;

/// A computation at one size, whose result is read.
type Step = Box<dyn FnMut(i64) -> Result<Tensor>>;

/// A computation by its name.
type Growing = (&'static str, fn(&Device) -> Result<Step>);

const GROWING: &[Growing] = &[
    ("cat", |device| {
        let mut cache = Tensor::ones_with([2, FIRST, 8], DType::F32, Some(device))?;
        let row = Tensor::ones_with([2, 1, 8], DType::F32, Some(device))?;
        Ok(Box::new(move |_| {
            cache = Tensor::cat(&[&cache, &row].map(Tensor::clone), 1)?;
            cache.mul(2.0)
        }))
    }),
    ("narrow", |device| {
        let all = Tensor::ones_with([2, 128, 8], DType::F32, Some(device))?;
        Ok(Box::new(move |size| all.narrow(1, 0, size)?.exp()?.sum(1, false)))
    }),
    ("write into a part", |device| {
        let all = Tensor::zeros_with([2, 128, 8], DType::F32, Some(device))?;
        let row = Tensor::ones_with([2, 1, 8], DType::F32, Some(device))?;
        Ok(Box::new(move |size| {
            all.narrow(1, size, 1)?.copy_(&row)?;
            all.narrow(1, 0, size + 1)?.mul(2.0)
        }))
    }),
    ("tril", |device| {
        let all = Tensor::ones_with([128, 128], DType::F32, Some(device))?;
        Ok(Box::new(move |size| all.narrow(0, 0, size)?.narrow(1, 0, size)?.tril(0)?.mul(2.0)))
    }),
    ("causal softmax", |device| {
        let all = Tensor::ones_with([128, 128], DType::F32, Some(device))?;
        Ok(Box::new(move |size| {
            let scores = all.narrow(0, 0, size)?.narrow(1, 0, size)?;
            let mask = scores.ones_like()?.tril(0)?;
            Tensor::r#where(&mask.gt(0.0)?, &scores, f64::NEG_INFINITY)?.softmax(-1)
        }))
    }),
    ("cross entropy over rows", |device| {
        let (all, device) = (Tensor::ones_with([128, 10], DType::F32, Some(device))?, device.clone());
        Ok(Box::new(move |size| {
            let logits = all.narrow(0, 0, size)?.requires_grad_(true)?;
            let target = Tensor::from_slice(&vec![3; size as usize], [size], &device)?;
            logits.cross_entropy(&target, None)?.backward()?;
            Ok(logits.grad().expect("the gradient of the logits"))
        }))
    }),
    ("cross entropy over classes", |device| {
        let (all, device) = (Tensor::ones_with([6, 128], DType::F32, Some(device))?, device.clone());
        Ok(Box::new(move |size| {
            let logits = all.narrow(1, 0, size)?.requires_grad_(true)?;
            let target = Tensor::from_slice(&[3; 6], [6], &device)?;
            logits.cross_entropy(&target, None)?.backward()?;
            Ok(logits.grad().expect("the gradient of the logits"))
        }))
    }),
];

/// The sizes at which a computation compiled something after its second size.
fn late(device: &Device, make: fn(&Device) -> Result<Step>) -> Result<Vec<i64>> {
    device.set_default();
    let mut step = make(device)?;
    // Otherwise the kernels of the setup would be part of the first step.
    block_on(device.synchronize())?;
    let (mut late, mut before) = (Vec::new(), 0);
    for size in FIRST..FIRST + SIZES {
        block_on(step(size)?.to_bytes())?;
        let api = device.inspect().stats().api;
        let compiled = api.pipelines + api.programs;
        if size > FIRST + 1 && compiled > before {
            late.push(size);
        }
        before = compiled;
    }
    // This shows that the counter works.
    assert!(before > 0, "nothing was compiled");
    Ok(late)
}

/// Checks every computation, each one on a separate thread, because devices of a thread share
/// programs. `exceptions` are the computations that compile something later, with the sizes.
fn check(device: fn() -> Device, exceptions: &[(&str, &[i64])]) {
    let found: Vec<(&str, Vec<i64>)> = GROWING
        .iter()
        .map(|&(name, make)| {
            let late = std::thread::spawn(move || late(&device(), make).unwrap()).join();
            (name, late.unwrap_or_else(|_| panic!("{name} failed")))
        })
        .filter(|(_, late)| !late.is_empty())
        .collect();
    let found: Vec<(&str, &[i64])> = found.iter().map(|(name, late)| (*name, &late[..])).collect();
    assert_eq!(found, exceptions);
}

fn webgpu() -> Device {
    block_on(lanthorn::wgpu()).expect("this test needs a WebGPU adapter; lavapipe will do")
}

#[test]
fn growing_sizes_make_no_program_on_the_cpu() {
    check(lanthorn::cpu, &[]);
}

#[test]
fn growing_sizes_make_no_pipeline_on_webgpu() {
    check(webgpu, &[]);
}
