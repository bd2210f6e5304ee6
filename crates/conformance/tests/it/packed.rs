//! Random programs on elements of one and two bytes, which share words on WebGPU: views with odd
//! offsets, written in place. Their bits must equal the CPU's.

use lanthorn::{DType, Device, Optimizations, Result, Scalar, Tensor, WgpuOptions};
use pollster::block_on;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

type Step = (u8, usize, usize, usize);

/// The tensors of a program whose input is `[7, 9]`, as bytes. Sums and products that a type cannot
/// represent exactly are excluded.
fn program(device: &Device, dtype: DType, steps: &[Step]) -> Result<Vec<Vec<u8>>> {
    let values: Vec<i32> = (0..63).map(|i| i * 37 % 101 % if dtype == DType::Bool { 2 } else { 90 }).collect();
    let base = Tensor::from_slice(&values, [7, 9], device)?.to(dtype)?;
    let mut views = vec![base];
    for &(kind, which, a, b) in steps {
        let view = views[which % views.len()].clone();
        let other = views[a % views.len()].clone();
        let rank = view.rank() as i64;
        let dim = if rank == 0 { 0 } else { a as i64 % rank };
        let size = view.shape().get(dim as usize).map_or(1, |&size| size as i64);
        let numbers = |count: i64| Tensor::arange_with(0, count, 1, None, Some(device));
        match kind {
            0 if rank > 0 => views.push(view.slice(dim, b as i64 % (size + 1), None, 1 + a as i64 % 3)?),
            1 if rank > 1 => views.push(view.transpose(0, 1)?),
            2 if rank > 1 && size > 0 => views.push(view.select(dim, b as i64 % size)?),
            3 => views.push(view.reshape([-1])?),
            4 => view.fill_(Scalar::Int(b as i64 % 2))?,
            5 if other.numel() > 0 => {
                let element = other.reshape([-1])?.select(0, b as i64 % other.numel() as i64)?;
                view.copy_(&element)?;
            }
            6 if rank > 0 && size > 0 => {
                let index = numbers(size)?.mul(2)?.remainder(size)?;
                views.push(view.index_select(dim, &index)?);
            }
            7 => views.push(Tensor::cat(&[view.reshape([-1])?, other.reshape([-1])?], 0)?),
            8 => view.masked_fill_(&view.ne(Scalar::Int(1))?, Scalar::Int(0))?,
            9 => views.push(view.to(if b % 2 == 0 { DType::F32 } else { DType::U8 })?.to(dtype)?),
            10 if rank > 0 && size > 0 => views.push(view.amax(dim, false)?),
            11 if rank > 0 && size > 0 => views.push(view.sort(dim, b % 2 == 0)?.0),
            12 if rank > 0 && size > 0 => {
                let index = numbers(size)?.add(b as i64)?.remainder(size)?;
                view.index_copy_(dim, &index, &view.flip(dim)?)?;
            }
            _ => views.push(view.maximum(&view.reshape([-1])?.flip(0)?.reshape(view.shape())?)?),
        }
    }
    views.iter().map(|view| block_on(view.to_bytes())).collect()
}

#[test]
fn programs_on_packed_types_agree_with_the_cpu() {
    let cpu = lanthorn::cpu();
    // float16 is packed where shaders do not support it.
    let open = |default_limits| {
        block_on(lanthorn::wgpu_with(WgpuOptions { poison: true, default_limits, ..Default::default() }))
    };
    let devices = [false, true].map(|weak| open(weak).expect("this test needs a WebGPU adapter; lavapipe will do"));
    let steps = prop::collection::vec((0u8..14, 0usize..40, 0usize..40, 0usize..40), 1..12);
    let dtype = prop::sample::select(vec![DType::Bool, DType::U8, DType::F16, DType::BF16]);
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&(dtype, steps), |(dtype, steps)| {
        let want = program(&cpu, dtype, &steps);
        prop_assert!(want.is_ok(), "{want:?}");
        for device in &devices {
            for optimizations in [Optimizations::default(), Optimizations::none()] {
                device.inspect().set_optimizations(optimizations);
                prop_assert_eq!(&program(device, dtype, &steps), &want);
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
