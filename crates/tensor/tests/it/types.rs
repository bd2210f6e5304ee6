//! float16, bfloat16 and int64 as element types: where they are rounded, what gradients have, and
//! how they come and go.

use crate::common::*;

fn half(values: &[f32], dtype: DType) -> Tensor {
    tensor(values, &[values.len() as i64]).to(dtype).unwrap()
}

/// Some work whose roundings show: a chain, a reduction with an epilogue, a product, rows.
fn work(x: &Tensor) -> Result<Vec<Tensor>> {
    let chain = x.mul(3.3)?.add(x.sin()?)?.div(7.7)?;
    let sum = x.square()?.sum(1, true)?.sqrt()?;
    let product = x.matmul(&x.transpose(0, 1)?)?.add(0.7)?.tanh()?;
    let rows = x.sub(&sum)?.softmax(1)?.mul(x)?;
    let normalized = x.layer_norm(x.shape()[1] as i64, None, None, 1e-5)?.mul(1.3)?;
    Ok(vec![chain.clone(), sum, product, rows, normalized, chain.clamp_min(0.1)?.to(DType::F32)?.mul(0.3)?])
}

#[test]
fn fusion_changes_no_bit() -> Result<()> {
    for dtype in [DType::F16, DType::BF16] {
        let results = [Optimizations::default(), Optimizations::none()].map(|optimizations| {
            let device = device();
            device.inspect().set_optimizations(optimizations);
            let values: Vec<f32> = (0..24 * 40).map(|i| (i as f32 * 0.37).sin() * 3.0).collect();
            let x = tensor(&values, &[24, 40]).to(dtype).unwrap();
            let results = work(&x).unwrap();
            results.iter().map(|result| pollster::block_on(result.to_bytes()).unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(results[0], results[1], "{dtype}");
    }
    Ok(())
}

#[test]
fn an_op_rounds_its_result_once() -> Result<()> {
    let _device = device();
    // 2048 + 1 is halfway, and even is below: the second addition must not see the bits that the
    // first one lost.
    let x = half(&[2048.0], DType::F16);
    assert_eq!(read(&x.add(1.0)?.add(1.0)?), [2048.0]);
    assert_eq!(read(&x.add(2.0)?), [2050.0]);
    // A sum beyond what float16 holds, of which the mean is not; squares beyond it, of which the
    // norm is not.
    let many = Tensor::full_with([300], 300.0, DType::F16, None)?;
    assert_eq!(read(&many.sum((), false)?), [f32::INFINITY]);
    assert_eq!(read(&many.mean((), false)?), [300.0]);
    assert_eq!(
        read(&half(&[300.0, 400.0], DType::F16).normalize(2.0, 0, 1e-12)?),
        read(&half(&[0.6, 0.8], DType::F16))
    );
    // A number stays as it was given: float16 has no 0.1.
    assert_eq!(read(&half(&[1000.0], DType::F16).mul(0.1)?), [100.0]);
    assert_eq!(read(&half(&[0.5], DType::F16).pad([1, 0], PadMode::Constant, Some(0.1.into()))?), [0.099_975_586, 0.5]);
    Ok(())
}

#[test]
fn gradients_have_the_types_of_what_they_are_gradients_of() -> Result<()> {
    let _device = device();
    for dtype in [DType::F16, DType::BF16] {
        let (wide, x) = (leaf(&[1.0, 2.0, 3.0], &[3]), half(&[0.5, 0.25, 2.0], dtype).requires_grad_(true)?);
        let product = wide.mul(&x)?;
        assert_eq!(product.dtype(), DType::F32);
        product.to(dtype)?.square()?.sum((), false)?.backward()?;
        let (of_wide, of_x) = (wide.grad().unwrap(), x.grad().unwrap());
        assert_eq!((of_wide.dtype(), of_x.dtype()), (DType::F32, dtype));
        assert_eq!((read(&of_wide), read(&of_x)), (vec![0.5, 0.25, 24.0], vec![1.0, 2.0, 36.0]));
        let rows = half(&[1.0; 6], dtype).reshape([3, 2])?.requires_grad_(true)?;
        rows.index_select(0, &ints(&[2, 2, 0], &[3]))?.sum((), false)?.backward()?;
        assert_eq!(grad_of(&rows), [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    }
    Ok(())
}

#[test]
fn halves_are_read_as_float32_and_as_bits() -> Result<()> {
    let device = device();
    let bits = [0x3c00u16, 0xc000, 0x0001, 0x7c00];
    let x = Tensor::from_bytes(DType::F16, bytemuck::cast_slice(&bits), [4], &device)?;
    assert_eq!(read(&x), [1.0, -2.0, 2f32.powi(-24), f32::INFINITY]);
    assert_eq!(pollster::block_on(x.to_bytes())?, bytemuck::cast_slice::<u16, u8>(&bits));
    assert_eq!(item(&x.select(0, 1)?), -2.0);
    assert_eq!(read(&x.to(DType::BF16)?)[..2], [1.0, -2.0]);
    refused(pollster::block_on(x.to_vec::<f64>()), "dtype", &["float16", "float64"]);
    refused(Tensor::from_bytes(DType::BF16, &[0; 3], [2], &device), "shape", &["2 elements"]);
    // An in-place op on elements that are not adjacent in memory.
    let y = Tensor::zeros_with([3, 4], DType::F16, None)?;
    y.transpose(0, 1)?.select(0, 1)?.copy_(&tensor(&[1.0, 0.1, 65520.0], &[3]))?;
    y.add_(1.0)?;
    assert_eq!(read(&y.select(1, 1)?), [2.0, 1.0996094, f32::INFINITY]);
    Ok(())
}

#[test]
fn int64_keeps_all_its_bits() -> Result<()> {
    let device = device();
    let large = (1i64 << 60) + 1;
    let x = Tensor::from_slice(&[large, -3], [2], &device)?;
    let read = |x: &Tensor| pollster::block_on(x.to_vec::<i64>()).unwrap();
    assert_eq!(read(&x.add(1)?), [large + 1, -2]);
    assert_eq!(read(&x.sum((), false)?), [large - 3]);
    assert_eq!(read(&x.cumsum(0)?), [large, large - 3]);
    assert_eq!(read(&x.mul(&x)?), [large.wrapping_mul(large), 9]);
    assert_eq!(read(&Tensor::full_with([1], large, DType::I64, None)?), [large]);
    assert_eq!(read(&Tensor::arange_with(0, 3, 1, DType::I64, None)?), [0, 1, 2]);
    assert_eq!((x.argmax(0, false)?.dtype(), item(&x.argmax(0, false)?)), (DType::I32, 0.0));
    assert_eq!(pollster::block_on(x.to(DType::I32)?.to_vec::<i32>())?, [1, -3]);
    refused(x.requires_grad_(true), "dtype", &["int64"]);
    Ok(())
}

#[test]
fn int64_tensors_are_indices_and_do_not_wrap() -> Result<()> {
    let device = device();
    let rows = count(&[3, 2]);
    let index = |values: &[i64]| Tensor::from_slice(values, [values.len() as i64], &device);
    assert_eq!(read(&rows.index_select(0, &index(&[2, 0])?)?), [4.0, 5.0, 0.0, 1.0]);
    // Its lower half would be a row.
    let beyond = rows.index_select(0, &index(&[1 << 32])?)?;
    assert!(pollster::block_on(beyond.to_vec::<f32>()).unwrap_err().is_index());
    let logits = count(&[2, 3]);
    let loss = |target: &Tensor| Ok::<f64, Error>(item(&logits.cross_entropy(target, None)?));
    assert_eq!(loss(&index(&[1, 0])?)?, loss(&ints(&[1, 0], &[2]))?);
    refused(rows.index_select(0, &count(&[1])), "dtype", &["index_select", "float32"]);
    Ok(())
}
