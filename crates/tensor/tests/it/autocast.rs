//! Mixed precision: the types in which operations run, and the gradients of the parameters.

use lanthorn_cpu::CpuBackend;
use lanthorn_tensor::{
    DType, Device, Result, Tensor, autocast, autocast_dtype,
    ops::{Arg, Op},
    set_autocast,
};
use pollster::block_on;

fn device() -> Device {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    device
}

#[test]
fn products_are_lowered_and_sums_are_not() -> Result<()> {
    let _device = device();
    for half in [DType::BF16, DType::F16] {
        let x = Tensor::rand([4, 4])?;
        let low = autocast(half, || x.matmul(&x))??;
        assert_eq!(low.dtype(), half);
        autocast(half, || -> Result<()> {
            assert_eq!(x.linear(&x, Some(&x.select(0, 0)?))?.dtype(), half);
            assert_eq!(x.addmm(&x, &x)?.dtype(), half);
            assert_eq!(low.softmax(-1)?.dtype(), DType::F32);
            assert_eq!(low.sum((), false)?.dtype(), DType::F32);
            assert_eq!(low.exp()?.dtype(), DType::F32);
            assert_eq!(low.mse_loss(&low)?.dtype(), DType::F32);
            // An operation in neither list does not convert its arguments.
            assert_eq!((low.relu()?.dtype(), x.relu()?.dtype()), (half, DType::F32));
            assert_eq!(low.add(&x)?.dtype(), DType::F32);
            Ok(())
        })??;
        assert_eq!(x.matmul(&x)?.dtype(), DType::F32);
    }
    Ok(())
}

#[test]
fn numbers_are_those_of_the_casts_written_out() -> Result<()> {
    let _device = device();
    let (x, w) = (Tensor::rand([5, 7])?, Tensor::rand([3, 7])?.requires_grad_(true)?);
    let loss = autocast(DType::BF16, || x.linear(&w, None)?.log_softmax(-1)?.sum((), false))??;
    loss.backward()?;
    let by_hand = w.detach().requires_grad_(true)?;
    let product = x.to(DType::BF16)?.linear(&by_hand.to(DType::BF16)?, None)?;
    let want = product.to(DType::F32)?.log_softmax(-1)?.sum((), false)?;
    want.backward()?;
    assert_eq!(block_on(loss.item())?, block_on(want.item())?);
    let [got, want] = [&w, &by_hand].map(|tensor| tensor.grad().unwrap());
    assert_eq!(got.dtype(), DType::F32);
    assert_eq!(block_on(got.to_vec::<f32>())?, block_on(want.to_vec::<f32>())?);
    Ok(())
}

#[test]
fn it_ends_with_the_closure_and_takes_half_types_alone() -> Result<()> {
    let _device = device();
    let unwound = std::panic::catch_unwind(|| autocast(DType::F16, || panic!("out of the closure")));
    assert!(unwound.is_err() && autocast_dtype().is_none());
    assert!(autocast(DType::F32, || ()).unwrap_err().is_dtype());
    assert_eq!(set_autocast(Some(DType::BF16))?, None);
    let x = Tensor::rand([2, 2])?;
    // By name, as JavaScript calls.
    let product = Op::find("matmul").unwrap().run(&[Arg::Tensor(x.clone()), Arg::Tensor(x)])?.into_tensor("matmul")?;
    assert_eq!(product.dtype(), DType::BF16);
    assert_eq!(set_autocast(None)?, Some(DType::BF16));
    Ok(())
}
