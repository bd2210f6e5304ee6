//! Tensors in shared memory: the same elements on several threads, writes that go through, and
//! errors.

use crate::common::*;
use lanthorn_tensor::{TensorHandle, compile};
use pollster::block_on;
use std::{
    sync::{Arc, Barrier, mpsc},
    thread,
};

fn share(values: &[f32], shape: &[i64]) -> Tensor {
    tensor(values, shape).share_memory_().unwrap()
}

/// Runs a function on a thread with another device.
fn elsewhere<T: Send + 'static>(run: impl FnOnce(&Device) -> Result<T> + Send + 'static) -> T {
    thread::spawn(move || run(&device()).unwrap()).join().unwrap()
}

#[test]
fn a_thread_has_the_same_elements_and_its_writes_are_seen() -> Result<()> {
    let device = device();
    let x = share(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
    assert!(x.is_shared() && !tensor(&[1.0], &[1]).is_shared());
    let (row, leaf) = (x.select(0, 1)?.handle()?, x.clone().requires_grad_(true)?.handle()?);
    x.requires_grad_(false)?;
    let (seen, seen_leaf) = elsewhere(move |device| {
        let (row, leaf) = (Tensor::from_handle(&row, device)?, Tensor::from_handle(&leaf, device)?);
        assert!(leaf.requires_grad() && !row.requires_grad() && row.shares_storage_with(&leaf));
        assert_eq!((shape_of(&row), row.storage_offset()), (vec![2], 2));
        let seen = (read(&row), read(&leaf));
        row.mul_(10.0)?;
        device.flush();
        Ok(seen)
    });
    assert_eq!((seen, seen_leaf), (vec![3.0, 4.0], vec![1.0, 2.0, 3.0, 4.0]));
    assert_eq!(read(&x), [1.0, 2.0, 30.0, 40.0]);
    assert_eq!(read(&x.t()?.add(1.0)?), [2.0, 31.0, 3.0, 41.0]);
    drop(device);
    Ok(())
}

/// The elements that another thread sees of a tensor.
fn values(x: &Tensor) -> Vec<f32> {
    let handle = x.handle().unwrap();
    elsewhere(move |device| Ok(read(&Tensor::from_handle(&handle, device)?)))
}

#[test]
fn every_kind_of_write_goes_through_and_what_was_read_before_stays() -> Result<()> {
    for optimizations in [Optimizations::all(), Optimizations::none()] {
        let device = device();
        device.inspect().set_optimizations(optimizations);
        let x = share(&[1.0, 2.0, 3.0, 4.0], &[4]);
        let old = x.add(0.0)?;
        let copy = x.clone_tensor()?;
        x.mul_(2.0)?;
        x.add_(1.0)?;
        x.slice(0, 0, 2, 1)?.copy_(&tensor(&[-1.0, -2.0], &[2]))?;
        assert_eq!((values(&x), read(&x)), (vec![-1.0, -2.0, 7.0, 9.0], vec![-1.0, -2.0, 7.0, 9.0]));
        assert_eq!((read(&old), read(&copy)), (vec![1.0, 2.0, 3.0, 4.0], vec![1.0, 2.0, 3.0, 4.0]));
        // A result that something else keeps.
        let kept = x.square()?;
        x.copy_(&kept)?;
        assert_eq!(values(&x), [1.0, 4.0, 49.0, 81.0]);
        x.zero_()?;
        assert_eq!((values(&x), read(&kept)), (vec![0.0; 4], vec![1.0, 4.0, 49.0, 81.0]));
        // Two tensors that take each other's elements.
        let y = share(&[5.0, 6.0, 7.0, 8.0], &[4]);
        let before = x.clone_tensor()?;
        x.copy_(&y)?;
        y.copy_(&before)?;
        y.add_(&x)?;
        assert_eq!((values(&x), values(&y)), (vec![5.0, 6.0, 7.0, 8.0], vec![5.0, 6.0, 7.0, 8.0]));
        // A tensor outside that takes the elements of a shared one keeps them.
        let plain = tensor(&[0.0; 4], &[4]);
        plain.copy_(&x)?;
        device.flush();
        x.zero_()?;
        assert_eq!((values(&x), read(&plain)), (vec![0.0; 4], vec![5.0, 6.0, 7.0, 8.0]));
        // A tensor that is dropped before the flush has written all the same.
        let handle = x.handle()?;
        x.clone_tensor()?;
        Tensor::from_handle(&handle, &device)?.add_(3.0)?;
        assert_eq!((read(&x), values(&x)), (vec![3.0; 4], vec![3.0; 4]));
    }
    Ok(())
}

#[test]
fn an_update_is_one_launch_without_a_copy() -> Result<()> {
    let device = device();
    let (x, step) = (share(&[1.0; 64], &[8, 8]), tensor(&[0.5; 64], &[8, 8]));
    let updates: [fn(&Tensor, &Tensor) -> Result<()>; 4] = [
        |x, step| x.sub_(step),
        |x, step| x.copy_(&step.mul(2.0)?),
        |x, step| x.select(0, 1)?.copy_(&step.select(0, 0)?),
        |x, step| x.copy_(&step.matmul(step)?),
    ];
    for update in updates {
        let before = device.inspect().stats().launches;
        update(&x, &step)?;
        device.flush();
        assert_eq!(device.inspect().stats().launches - before, 1);
    }
    assert_eq!((read(&x), values(&x)), (vec![2.0; 64], vec![2.0; 64]));
    // A product cannot replace its factor, and is copied.
    x.copy_(&x.matmul(&step)?)?;
    assert_eq!(values(&x), [8.0; 64]);
    Ok(())
}

#[test]
fn tensors_of_every_type_and_size_move_to_shared_memory() -> Result<()> {
    let _device = device();
    for size in [16, 4, 100, 3] {
        for dtype in [DType::U8, DType::F32, DType::F64, DType::I64, DType::I32, DType::F16, DType::Bool] {
            let values: Vec<f32> = (0..size).map(|i| (i % 2) as f32).collect();
            let x = tensor(&values, &[size]).to(dtype)?.to_bytes();
            let y = tensor(&values, &[size]).to(dtype)?;
            block_on(y.to_bytes())?;
            assert_eq!(block_on(y.share_memory_()?.to_bytes())?, block_on(x)?, "{size} {dtype}");
        }
    }
    Ok(())
}

#[test]
fn a_result_never_takes_shared_memory_for_its_buffer() -> Result<()> {
    let device = device();
    let x = share(&[1.0; 64], &[64]);
    let handle = x.handle()?;
    let y = Tensor::from_handle(&handle, &device)?.add(1.0)?;
    drop(x);
    let sum = y.mul(2.0)?.sum((), false)?;
    let other = elsewhere(move |device| {
        let x = Tensor::from_handle(&handle, device)?;
        let y = Tensor::from_handle(&handle, device)?.add(1.0)?;
        assert_eq!(read(&y), [2.0; 64]);
        Ok(read(&x))
    });
    assert_eq!((other, item(&sum)), (vec![1.0; 64], 256.0));
    Ok(())
}

#[test]
fn products_see_weights_that_another_thread_changes() -> Result<()> {
    let _device = device();
    let (w, x) = (share(&[1.0; 32 * 32], &[32, 32]), tensor(&[1.0; 32 * 32], &[32, 32]));
    let handle = w.handle()?;
    let (go, wait) = mpsc::channel::<f32>();
    let (done, finished) = mpsc::channel();
    let writer = thread::spawn(move || {
        let device = device();
        let w = Tensor::from_handle(&handle, &device).unwrap();
        while let Ok(value) = wait.recv() {
            w.fill_(value).unwrap();
            device.flush();
            done.send(()).unwrap();
        }
    });
    for value in 1..6 {
        go.send(value as f32).unwrap();
        finished.recv().unwrap();
        for _ in 0..3 {
            assert_eq!(read(&x.matmul(&w)?), [32.0 * value as f32; 32 * 32]);
        }
    }
    drop(go);
    writer.join().unwrap();
    Ok(())
}

#[test]
fn a_compiled_step_writes_through_and_reads_what_others_wrote() -> Result<()> {
    let _device = device();
    let w = share(&[1.0, 2.0], &[2]).requires_grad_(true)?;
    let step = compile(|x: &[Tensor]| {
        let loss = w.mul(&x[0])?.sum((), false)?;
        w.set_grad(None)?;
        loss.backward()?;
        no_grad(|| w.sub_(w.grad().unwrap().mul(0.5)?))?;
        Ok(vec![loss.detach()])
    });
    let x = tensor(&[1.0, 2.0], &[2]);
    for round in 1..5 {
        let before = values(&w);
        let loss = item(&step.call(std::slice::from_ref(&x))?[0]);
        assert_eq!(loss as f32, before[0] + 2.0 * before[1]);
        assert_eq!(values(&w), [before[0] - 0.5, before[1] - 1.0], "round {round}");
        let handle = w.detach().handle()?;
        elsewhere(move |device| {
            Tensor::from_handle(&handle, device)?.add_(10.0)?;
            device.flush();
            Ok(())
        });
    }
    assert_eq!((step.explain().calls, step.explain().replays), (1, 3), "{}", step.explain());
    Ok(())
}

#[test]
fn hogwild_of_four_threads_trains_one_model() -> Result<()> {
    let _device = device();
    let w = share(&[0.0; 8], &[8]).requires_grad_(true)?;
    let together = Arc::new(Barrier::new(4));
    let workers: Vec<_> = (0..4)
        .map(|rank| {
            let (handle, together) = (w.handle().unwrap(), together.clone());
            thread::spawn(move || {
                let device = device();
                let w = Tensor::from_handle(&handle, &device).unwrap();
                let target = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[8]);
                together.wait();
                for _ in 0..200 {
                    w.set_grad(None).unwrap();
                    let loss = w.sub(&target).unwrap().square().unwrap().sum((), false).unwrap();
                    loss.backward().unwrap();
                    no_grad(|| w.sub_(w.grad().unwrap().mul(0.05).unwrap())).unwrap();
                    device.flush();
                }
                assert!(rank < 4);
            })
        })
        .collect();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    for (value, wanted) in read(&w).iter().zip(1..) {
        assert!((value - wanted as f32).abs() < 1e-3, "{value} for {wanted}");
    }
    Ok(())
}

#[test]
fn backward_through_a_shared_tensor_uses_its_elements() -> Result<()> {
    let _device = device();
    let x = share(&[2.0, 3.0], &[2]);
    let w = leaf(&[1.0, 1.0], &[2]);
    // An in-place op on a shared tensor that becomes part of a graph.
    x.mul_(&w)?;
    x.square()?.sum((), false)?.backward()?;
    assert_eq!((grad_of(&w), read(&x)), (vec![8.0, 18.0], vec![2.0, 3.0]));
    refused(x.handle(), "autograd", &["handle", "detach"]);
    x.detach().handle()?;
    Ok(())
}

#[test]
fn handles_that_lead_nowhere_are_errors() -> Result<()> {
    let device = device();
    refused(tensor(&[1.0], &[1]).handle(), "device", &["handle", "share_memory_"]);
    let x = share(&[1.0, 2.0], &[2]);
    let handle = x.handle()?;
    let wrong = |change: fn(&mut TensorHandle)| {
        let mut handle = handle.clone();
        change(&mut handle);
        Tensor::from_handle(&handle, &device)
    };
    refused(wrong(|handle| handle.dtype = "float7".into()), "argument", &["float7"]);
    refused(wrong(|handle| handle.offset = 1), "argument", &["offset 1", "2 elements"]);
    refused(wrong(|handle| handle.strides = vec![-1]), "argument", &["strides [-1]"]);
    refused(wrong(|handle| handle.shape = vec![usize::MAX, 2]), "shape", &[]);
    refused(wrong(|handle| handle.elements = 3), "argument", &["2 elements"]);
    refused(wrong(|handle| handle.dtype = "float64".into()), "argument", &["float64"]);
    refused(wrong(|handle| (handle.memory.space, handle.memory.file) = (1, None)), "device", &["another core"]);
    let (late, given_up) = (x.handle()?, x.handle()?);
    handle.release(&device);
    given_up.release(&device);
    drop(x);
    // The last handle in flight keeps the memory.
    let y = Tensor::from_handle(&late, &device)?;
    assert_eq!(read(&y), [1.0, 2.0]);
    drop(y);
    refused(Tensor::from_handle(&late, &device), "disposed", &["from_handle", "let go"]);
    refused(Tensor::from_handle(&given_up, &device), "disposed", &["let go"]);
    // The device works on.
    assert_eq!(read(&share(&[3.0], &[1])), [3.0]);
    Ok(())
}

#[test]
fn a_write_that_fails_fails_the_reads_until_the_next_one() -> Result<()> {
    let device = device();
    let x = share(&[1.0, 2.0], &[2]);
    let gathered = tensor(&[1.0, 2.0], &[2]).index_select(0, &ints(&[0, 7], &[2]))?;
    x.copy_(&gathered)?;
    block_on(x.to_vec::<f32>()).unwrap_err();
    assert!(x.handle().is_err());
    x.copy_(&tensor(&[5.0, 6.0], &[2]))?;
    assert_eq!((read(&x), values(&x)), (vec![5.0, 6.0], vec![5.0, 6.0]));
    drop(device);
    Ok(())
}
