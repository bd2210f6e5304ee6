//! A long training allocates no more than a short one. The test counts every byte of its process,
//! and nextest runs each test in a separate process.

use lanthorn_optim::{Adam, AdamOptions};
use lanthorn_tensor::{Device, Result, Tensor};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicIsize, Ordering},
};

struct Counting;

static HELD: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_process_does_not_grow() -> Result<()> {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let x = Tensor::rand([16, 8])?;
    let target = Tensor::from_slice(&[0, 1, 2, 3].repeat(4), [16], &device)?;
    let weight = Tensor::full([8, 4], 0.1)?.requires_grad_(true)?;
    let optimizer = Adam::new(vec![weight.clone()], AdamOptions { lr: 0.01, ..Default::default() })?;
    let held_after = |steps: usize| -> Result<isize> {
        for _ in 0..steps {
            let loss = x.matmul(&weight)?.relu()?.cross_entropy(&target, None)?;
            optimizer.zero_grad()?;
            loss.backward()?;
            optimizer.step()?;
            assert!(pollster::block_on(loss.item())?.is_finite());
        }
        Ok(HELD.load(Ordering::Relaxed))
    };
    let early = held_after(200)?;
    let late = held_after(600)?;
    assert!((late - early) * 100 <= early, "{early} bytes after 200 steps, {late} after 800");
    Ok(())
}
