//! Every op on WebGPU, natively: Vulkan, Metal or DirectX. A machine without an adapter fails.

use lanthorn::{DType, Device, Optimizations, Tensor, WgpuOptions};
use lanthorn_conformance::{
    samples::{self, MemoryLayout},
    selection, transforms, types,
};
use lanthorn_kernel_tests::rotation;
use pollster::block_on;

fn device(options: WgpuOptions) -> Device {
    block_on(lanthorn::wgpu_with(options)).expect("this test needs a WebGPU adapter; lavapipe will do")
}

/// The memory layouts of a run: one layout, in rotation, because compiling the pipelines of all
/// takes minutes.
fn layouts() -> &'static [MemoryLayout] {
    let layouts: &'static [MemoryLayout] = &samples::LAYOUTS;
    rotation::rotation().map_or(layouts, |number| std::slice::from_ref(&layouts[number % layouts.len()]))
}

/// A third of the ops, so that two processors share the work. Allocated buffers are filled with
/// garbage, so that a read before a write is noticed.
fn samples_agree_with_float64(third: usize) {
    let device = device(WgpuOptions { poison: true, ..Default::default() });
    selection::assert_all(&block_on(samples::check(&device, &lanthorn::cpu(), layouts(), |op| op.len() % 3 == third)));
}

#[test]
fn samples_agree_with_float64_part_1() {
    samples_agree_with_float64(0);
}

#[test]
fn samples_agree_with_float64_part_2() {
    samples_agree_with_float64(1);
}

#[test]
fn samples_agree_with_float64_part_3() {
    samples_agree_with_float64(2);
}

/// Each run tests one in 32 of the ops, in rotation, because batches need further pipelines.
#[test]
fn batches_agree_with_their_samples() {
    let device = device(WgpuOptions { poison: true, ..Default::default() });
    selection::assert_all(&block_on(transforms::check(&device, |op| rotation::takes_name(op, 32))));
}

/// float16 with and without shader support, and bfloat16. Each op runs in one of the three, because
/// they differ only in storage and rounding, and compiling pipelines takes most of the time.
#[test]
fn half_types_agree_with_float64() {
    for (third, (half, default_limits)) in
        [(DType::F16, false), (DType::F16, true), (DType::BF16, false)].into_iter().enumerate()
    {
        let device = device(WgpuOptions { poison: true, default_limits, ..Default::default() });
        // Each run tests a quarter of them, in rotation.
        let wanted = |op: &str| op.len() % 3 == third && rotation::takes_name(op, 4);
        selection::assert_all(&block_on(types::check_half(&device, &lanthorn::cpu(), half, wanted)));
    }
}

/// The default limits of WebGPU and no fusion: every kernel as its op recorded it, for a third of
/// the ops. Each run tests a quarter of them, in rotation.
fn samples_agree_under_default_limits_unfused(third: usize) {
    let device = device(WgpuOptions { default_limits: true, ..Default::default() });
    device.inspect().set_optimizations(Optimizations::none());
    let wanted = |op: &str| op.len() % 3 == third && rotation::takes_name(op, 4);
    selection::assert_all(&block_on(samples::check(&device, &lanthorn::cpu(), layouts(), wanted)));
}

#[test]
fn samples_agree_under_default_limits_unfused_part_1() {
    samples_agree_under_default_limits_unfused(0);
}

#[test]
fn samples_agree_under_default_limits_unfused_part_2() {
    samples_agree_under_default_limits_unfused(1);
}

#[test]
fn samples_agree_under_default_limits_unfused_part_3() {
    samples_agree_under_default_limits_unfused(2);
}

/// Attention by its kernel, which the rules do not choose on a software adapter.
#[test]
fn attention_agrees_as_on_a_gpu() {
    let mut options = WgpuOptions { poison: true, ..Default::default() };
    options.tuning.software = Some(false);
    selection::assert_all(&block_on(samples::check(&device(options), &lanthorn::cpu(), layouts(), |op| {
        op == "scaled_dot_product_attention"
    })));
}

/// A cache that is filled: neither a plan nor a pipeline is created after the first token, with and
/// without the kernel.
#[test]
fn lengths_of_a_cache_make_no_pipeline() {
    for software in [false, true] {
        let mut options = WgpuOptions { poison: true, ..Default::default() };
        options.tuning.software = Some(software);
        let device = device(options);
        let ones = |shape: [i64; 4]| Tensor::ones_with(shape, DType::F32, Some(&device)).unwrap();
        let (query, cache) = (ones([2, 4, 1, 8]), ones([2, 2, 64, 8]));
        let token = |length: i32| {
            let lengths = Some(Tensor::from_slice(&[length, 64 - length], [2], &device).unwrap());
            let attended = Tensor::scaled_dot_product_attention_with(
                &query,
                &cache,
                &cache,
                None,
                0.0,
                true,
                None,
                true,
                lengths.as_ref(),
                Some(i64::from(8 + length)),
                Some(30.0),
            );
            block_on(attended.unwrap().to_vec::<f32>()).unwrap()
        };
        // The first plan also creates the query and the cache.
        token(0);
        token(0);
        let before = device.inspect().stats();
        assert!(before.api.pipelines > 0);
        for length in 1..=20 {
            assert!(token(length).iter().all(|x| (x - 1.0).abs() < 1e-6));
        }
        let after = device.inspect().stats();
        assert_eq!(after.api.pipelines, before.api.pipelines);
        assert_eq!((after.plan_misses, after.plan_resizes), (before.plan_misses, before.plan_resizes));
    }
}

/// Even for hundreds of small maps, fusion creates no launch that exceeds the device's limits.
#[test]
fn hundreds_of_small_maps_at_once() {
    let device = device(WgpuOptions::default());
    let step = |i: usize| {
        let x = Tensor::full_with([2, 3], i as f64, DType::F32, Some(&device))?;
        x.transpose(0, 1)?.mul(0.5)?.add(i as f64)?.sigmoid()?.mul(2.0)?.sub(1.0)
    };
    let made: Vec<Tensor> = (0..300).map(|i| step(i).unwrap()).collect();
    for (i, tensor) in made.iter().enumerate() {
        let expected = 2.0 / (1.0 + (-1.5 * i as f64).exp()) - 1.0;
        let got = block_on(tensor.to_vec::<f32>()).unwrap();
        assert!(got.iter().all(|&got| (f64::from(got) - expected).abs() < 1e-6), "{i}: {got:?}, expected {expected}");
    }
    assert!(device.inspect().stats().launches < 300);
}
