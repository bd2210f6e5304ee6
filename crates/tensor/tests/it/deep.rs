//! Deep graphs: no recursion in forward, backward or drop, on a stack as small as a page's.

use crate::common::*;

/// Runs a test on a stack of 1 MiB, wasm's.
fn on_a_small_stack(test: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    std::thread::Builder::new().stack_size(1 << 20).spawn(test).expect("a thread").join().expect("no stack overflow")
}

#[test]
fn a_hundred_thousand_ops_forward_and_backward() -> Result<()> {
    on_a_small_stack(|| {
        let _device = device();
        // Transposes record nodes of the graph and no kernel, which keeps the depth cheap.
        let x = leaf(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
        let mut y = x.clone();
        for _ in 0..100_000 {
            y = y.transpose(0, 1)?;
        }
        y.select(1, 0)?.sum((), false)?.backward_with(None, RETAIN)?;
        assert_eq!((read(&y), grad_of(&x)), (vec![1.0, 2.0, 3.0, 4.0], vec![1.0, 0.0, 1.0, 0.0]));
        drop(y);
        Ok(())
    })
}

#[test]
fn a_long_chain_of_kernels() -> Result<()> {
    on_a_small_stack(|| {
        let device = device();
        let x = leaf(&[1.0], &[1]);
        let mut y = x.clone();
        for position in 0..10_000 {
            y = y.add(1.0)?;
            if position % 50 == 0 {
                device.flush();
            }
        }
        y.backward()?;
        assert_eq!((read(&y), grad_of(&x)), (vec![10_001.0], vec![1.0]));
        Ok(())
    })
}

#[test]
fn dropping_nodes_that_hang_together_by_saved_tensors() -> Result<()> {
    on_a_small_stack(|| {
        let device = device();
        let (x, w) = (leaf(&[1.0], &[1]), leaf(&[1.0], &[1]));
        let mut y = x.clone();
        for position in 0..20_000 {
            y = y.mul(&w)?;
            if position % 50 == 0 {
                device.flush();
            }
        }
        drop(x);
        drop(y);
        assert_eq!(read(&w), [1.0]);
        Ok(())
    })
}

#[test]
fn dropping_a_chain_of_writes_through_views() -> Result<()> {
    on_a_small_stack(|| {
        let device = device();
        let y = leaf(&[1.0, 2.0], &[2]).mul(1.0)?;
        for _ in 0..5000 {
            y.select(0, 0)?.add_(1.0)?;
            device.flush();
        }
        assert_eq!(read(&y), [5001.0, 2.0]);
        drop(y);
        Ok(())
    })
}
