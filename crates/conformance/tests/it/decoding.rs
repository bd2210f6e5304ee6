//! Products of one token on devices that compute them as reductions: few launches, with the CPU's
//! results.

use lanthorn::{BlockFormat, CudaHostOptions, Device, Result, Tensor, WgpuOptions, WgpuTuning};
use pollster::block_on;

const HIDDEN: i64 = 64;
const INNER: i64 = 96;

/// The kernels for a software adapter and for a GPU, and CUDA's without and with a library.
fn devices() -> Vec<(&'static str, Device)> {
    let wgpu = |software| {
        let tuning = WgpuTuning { software: Some(software), ..WgpuTuning::default() };
        block_on(lanthorn::wgpu_with(WgpuOptions { poison: true, tuning, ..Default::default() })).unwrap()
    };
    let cuda = |library| lanthorn::cuda_host(CudaHostOptions { checked: true, library, ..Default::default() }).unwrap();
    vec![("software", wgpu(true)), ("GPU", wgpu(false)), ("CUDA", cuda(false)), ("CUDA with a library", cuda(true))]
}

fn waves(device: &Device, shape: [i64; 2], step: f32) -> Tensor {
    let values: Vec<f32> = (0..shape[0] * shape[1]).map(|i| (i as f32 * step).sin()).collect();
    Tensor::from_slice(&values, shape, device).unwrap()
}

/// Weights as numbers or as blocks.
type Weight = Box<dyn Fn() -> Result<Tensor>>;

fn weight(device: &Device, shape: [i64; 2], step: f32, format: Option<BlockFormat>) -> Weight {
    let numbers = waves(device, shape, step);
    match format {
        None => Box::new(move || Ok(numbers.clone())),
        Some(format) => {
            let blocks = block_on(numbers.quantize(format)).unwrap();
            if device.capabilities().name == "cpu" {
                // Written to memory, because a product with a vector rounds the vector if it reads
                // blocks from memory.
                let numbers = blocks.dequantize(format).unwrap();
                device.flush();
                return Box::new(move || Ok(numbers.clone()));
            }
            Box::new(move || blocks.dequantize(format))
        }
    }
}

fn plain(x: &Tensor, weight: &Weight) -> Result<Tensor> {
    x.linear(&weight()?, None::<&Tensor>)
}

/// The results of `work` as numbers, and its number of launches.
fn run_and_count(device: &Device, work: impl FnOnce() -> Result<Vec<Tensor>>) -> (Vec<f32>, u64) {
    device.flush();
    let before = device.inspect().stats().launches;
    let results = work().unwrap();
    device.flush();
    let launches = device.inspect().stats().launches - before;
    (results.iter().flat_map(|result| block_on(result.to_vec::<f32>()).unwrap()).collect(), launches)
}

fn close(name: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let largest = expected.iter().fold(1f32, |largest, value| largest.max(value.abs()));
    found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() <= 2e-5 * largest, "{name}: {a}, expected {b}"));
}

/// Queries, keys and values, one of them with a bias and an activation.
fn heads(device: &Device, format: Option<BlockFormat>) -> (Vec<f32>, u64) {
    let x = waves(device, [1, HIDDEN], 0.7);
    let weights =
        [(HIDDEN, 0.37), (32, 0.21), (32, 0.13)].map(|(rows, step)| weight(device, [rows, HIDDEN], step, format));
    let bias = waves(device, [1, 32], 0.9).reshape([-1]).unwrap();
    run_and_count(device, || {
        let key = x.linear(&weights[1]()?, Some(&bias))?.tanh()?;
        Ok(vec![plain(&x, &weights[0])?, key, plain(&x, &weights[2])?])
    })
}

/// A gated MLP with a residual.
fn mlp(device: &Device, format: Option<BlockFormat>) -> (Vec<f32>, u64) {
    let x = waves(device, [1, HIDDEN], 0.7);
    let [gate, up] = [0.37, 0.21].map(|step| weight(device, [INNER, HIDDEN], step, format));
    let down = weight(device, [HIDDEN, INNER], 0.13, format);
    run_and_count(device, || Ok(vec![plain(&plain(&x, &gate)?.silu()?.mul(plain(&x, &up)?)?, &down)?.add(&x)?]))
}

/// Runs `work` on every device, with weights as numbers and as blocks. The results must equal the
/// CPU's, in `launches` launches. If a library computes products of numbers, each of the three is a
/// separate launch.
fn takes(launches: u64, work: fn(&Device, Option<BlockFormat>) -> (Vec<f32>, u64)) {
    let cpu = lanthorn::cpu();
    for format in [None, Some(BlockFormat::Q4_0), Some(BlockFormat::Q8_0)] {
        let (expected, _) = work(&cpu, format);
        for (name, device) in devices() {
            let (found, taken) = work(&device, format);
            close(name, &found, &expected);
            let apart = name.ends_with("library") && format.is_none();
            assert_eq!(taken, if apart { 3 } else { launches }, "{name}, {format:?}");
        }
    }
}

#[test]
fn queries_keys_and_values_are_one_launch() {
    takes(1, heads);
}

#[test]
fn gate_and_up_are_one_kernel() {
    takes(2, mlp);
}

#[test]
fn gradients_go_through_a_joint_kernel() {
    let gradients = |device: &Device| {
        let leaf = |shape, step| waves(device, shape, step).requires_grad_(true).unwrap();
        let (x, gate, up) = (leaf([1, HIDDEN], 0.7), leaf([INNER, HIDDEN], 0.37), leaf([INNER, HIDDEN], 0.21));
        let work = || {
            let [gate, up] = [x.linear(&gate, None::<&Tensor>)?, x.linear(&up, None::<&Tensor>)?];
            gate.silu()?.mul(&up)?.square()?.sum((), false)?.backward()?;
            Ok(vec![])
        };
        run_and_count(device, work);
        [x, gate, up]
            .iter()
            .flat_map(|leaf| block_on(leaf.grad().unwrap().to_vec::<f32>()).unwrap())
            .collect::<Vec<_>>()
    };
    let expected = gradients(&lanthorn::cpu());
    devices().iter().for_each(|(name, device)| close(name, &gradients(device), &expected));
}

#[test]
fn a_gate_that_is_used_again_is_stored_too() {
    let work = |device: &Device| {
        let x = waves(device, [1, HIDDEN], 0.7);
        let [gate, up] = [0.37, 0.21].map(|step| weight(device, [INNER, HIDDEN], step, None));
        run_and_count(device, || {
            let gate = plain(&x, &gate)?.sigmoid()?;
            let mixed = gate.mul(plain(&x, &up)?)?;
            Ok(vec![mixed.add(1.0)?, gate])
        })
    };
    let (expected, _) = work(&lanthorn::cpu());
    for (name, device) in devices() {
        let (found, launches) = work(&device);
        close(name, &found, &expected);
        assert!(name.ends_with("library") || launches == 1, "{name}: {launches}");
    }
}
