//! Tensors and a program on one WebGPU device.

use lanthorn::{DType, Device, Result, Tensor, WgpuOptions};
use pollster::block_on;

/// A device of the program's.
fn opened() -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = block_on(instance.request_adapter(&Default::default())).expect("there is an adapter");
    block_on(adapter.request_device(&Default::default())).expect("the adapter gives a device")
}

fn buffer(device: &wgpu::Device, queue: &wgpu::Queue, words: &[f32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let size = 4 * words.len() as u64;
    let usage = usage | wgpu::BufferUsages::COPY_DST;
    let made = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    queue.write_buffer(&made, 0, &bytes);
    made
}

/// The floats of a buffer, by commands of the program's own.
fn read(device: &wgpu::Device, queue: &wgpu::Queue, from: &wgpu::Buffer, offset: u64, bytes: u64) -> Vec<f32> {
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let to =
        device.create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, offset, &to, 0, bytes);
    queue.submit([encoder.finish()]);
    to.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("it is mapped"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
    let view = to.slice(..).get_mapped_range().expect("it is mapped");
    view.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

#[test]
fn a_buffer_of_the_program_is_copied_in() -> Result<()> {
    let (device, queue) = opened();
    let ours = lanthorn::wgpu_on(device.clone(), queue.clone(), WgpuOptions::default());
    let words: Vec<f32> = (0..8).map(|word| word as f32).collect();
    let source = buffer(&device, &queue, &words, wgpu::BufferUsages::COPY_SRC);
    let x = Tensor::from_buffer(DType::F32, &source, 8, [2, 3], &ours)?;
    // The copy is made in the queue's order.
    queue.write_buffer(&source, 0, &[0; 32]);
    assert_eq!(block_on(x.mul(2.0)?.to_vec::<f32>())?, [4.0, 6.0, 8.0, 10.0, 12.0, 14.0]);
    Ok(())
}

#[test]
fn a_buffer_is_copied_before_the_program_goes_on_although_work_waits() -> Result<()> {
    let (device, queue) = opened();
    let ours =
        lanthorn::wgpu_on(device.clone(), queue.clone(), WgpuOptions { deferred: true, ..WgpuOptions::default() });
    let matrix = Tensor::from_slice(&[4.0f32, 2.0, 2.0, 3.0], [2, 2], &ours)?;
    // A factorization runs on the CPU, and all that follows waits for it.
    let factor = matrix.linalg_cholesky()?;
    ours.flush();
    let source = buffer(&device, &queue, &[1.0, 2.0], wgpu::BufferUsages::COPY_SRC);
    let x = Tensor::from_buffer(DType::F32, &source, 0, [2], &ours)?;
    queue.write_buffer(&source, 0, &[0; 8]);
    source.destroy();
    assert_eq!(block_on(x.add(&factor.select(1, 0)?)?.to_vec::<f32>())?, [3.0, 3.0]);
    Ok(())
}

#[test]
fn what_cannot_be_copied_in_is_refused() -> Result<()> {
    let (device, queue) = opened();
    let ours = lanthorn::wgpu_on(device.clone(), queue.clone(), WgpuOptions::default());
    let source = buffer(&device, &queue, &[1.0; 4], wgpu::BufferUsages::COPY_SRC);
    let fails = |dtype, source: &dyn std::any::Any, offset, on: &Device| {
        Tensor::from_buffer(dtype, source, offset, [4], on).expect_err("it is refused").to_string()
    };
    assert!(fails(DType::F32, &source, 4, &ours).contains("16 bytes from byte 4 of a buffer of 16 bytes"));
    assert!(fails(DType::F32, &source, u64::MAX - 3, &ours).contains("of a buffer of 16 bytes"));
    assert!(fails(DType::U8, &source, 1, &ours).contains("whole words"));
    assert!(fails(DType::Bool, &source, 0, &ours).contains("uint8"));
    assert!(fails(DType::I64, &source, 0, &ours).contains("int64"));
    assert!(fails(DType::F32, &"a buffer", 0, &ours).contains("no buffer of WebGPU"));
    let sealed = buffer(&device, &queue, &[1.0; 4], wgpu::BufferUsages::STORAGE);
    assert!(fails(DType::F32, &sealed, 0, &ours).contains("COPY_SRC"));
    let cpu = lanthorn::cpu();
    assert!(fails(DType::F32, &source, 0, &cpu).contains("the device cpu has no buffers to share"));
    let x = Tensor::from_slice(&[1.0f32], [1], &cpu)?;
    assert!(block_on(x.share_buffer()).unwrap_err().to_string().contains("the device cpu has no buffers to share"));
    assert_eq!(block_on(Tensor::from_slice(&[5.0f32], [1], &ours)?.item())?, 5.0);
    Ok(())
}

#[test]
fn a_tensors_buffer_stays_as_it_is_while_it_is_shared() -> Result<()> {
    let (device, queue) = opened();
    let ours = lanthorn::wgpu_on(device.clone(), queue.clone(), WgpuOptions::default());
    let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &ours)?;
    let y = x.mul(10.0)?;
    let shared = block_on(y.share_buffer())?;
    let native: &wgpu::Buffer = shared.native.downcast_ref().expect("a buffer of wgpu");
    // Neither writing to the tensor nor dropping it, nor what takes buffers afterwards, changes it.
    y.add_(1.0)?;
    assert_eq!(block_on(y.to_vec::<f32>())?, [11.0, 21.0, 31.0, 41.0]);
    drop(y);
    for _ in 0..4 {
        block_on(x.mul(7.0)?.to_vec::<f32>())?;
    }
    assert_eq!(read(&device, &queue, native, shared.offset, shared.bytes), [10.0, 20.0, 30.0, 40.0]);
    Ok(())
}

#[test]
fn a_view_is_shared_where_it_can_be_bound_and_otherwise_as_a_copy() -> Result<()> {
    let (device, queue) = opened();
    let ours = lanthorn::wgpu_on(device.clone(), queue.clone(), WgpuOptions::default());
    let numbers: Vec<f32> = (0..128).map(|number| number as f32).collect();
    let x = Tensor::from_slice(&numbers, [2, 64], &ours)?;
    let shared = |view: Tensor| -> Result<(u64, Vec<f32>)> {
        let shared = block_on(view.share_buffer())?;
        let native: &wgpu::Buffer = shared.native.downcast_ref().expect("a buffer of wgpu");
        Ok((shared.offset, read(&device, &queue, native, shared.offset, shared.bytes)))
    };
    assert_eq!(shared(x.select(0, 1)?)?, (256, numbers[64..].to_vec()));
    assert_eq!(shared(x.select(0, 1)?.narrow(0, 1, 2)?)?, (0, vec![65.0, 66.0]));
    assert_eq!(shared(x.narrow(1, 0, 2)?.t()?)?, (0, vec![0.0, 64.0, 1.0, 65.0]));
    Ok(())
}

#[test]
fn a_device_of_the_program_trains() -> Result<()> {
    let (device, queue) = opened();
    let ours = lanthorn::wgpu_on(device, queue, WgpuOptions::default());
    let w = Tensor::from_slice(&[1.0f32, -2.0], [2], &ours)?.requires_grad_(true)?;
    w.mul(&w)?.sum((), false)?.backward()?;
    assert_eq!(block_on(w.grad().expect("a gradient").to_vec::<f32>())?, [2.0, -4.0]);
    Ok(())
}
