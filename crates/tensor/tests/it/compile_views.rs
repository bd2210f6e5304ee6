//! Compiled functions of views: a replay on a copy of an argument has the results of a call of the
//! function.

use lanthorn_cpu::CpuBackend;
use lanthorn_tensor::{DType, Device, Result, Tensor, compile};
use pollster::block_on;

fn device() -> Device {
    let device = Device::new(CpuBackend::new());
    device.set_default();
    device
}

/// The numbers from 0 on, as a tensor of 8 rows.
fn rows() -> Result<Tensor> {
    Tensor::arange(0, 24, 1)?.to(DType::F32)?.reshape([8, 3])
}

fn values(x: &Tensor) -> Vec<f32> {
    block_on(x.to_vec::<f32>()).unwrap()
}

#[test]
fn views_at_other_offsets_are_replayed() -> Result<()> {
    let _device = device();
    let data = rows()?;
    let step = |weight: &Tensor, x: &Tensor| {
        weight.copy_(&weight.add(&x.mean([0], false)?)?)?;
        x.mul(weight)?.sum((), false)
    };
    let (weight, called) = (Tensor::ones([3])?, Tensor::ones([3])?);
    let compiled = compile(|x: &[Tensor]| Ok(vec![step(&weight, &x[0])?]));
    for batch in 0..4 {
        let x = data.narrow(0, 2 * batch, 2)?;
        let expected = step(&called, &x)?;
        assert_eq!(values(&compiled.call(&[x])?[0]), values(&expected));
    }
    let report = compiled.explain();
    assert_eq!((report.calls, report.replays), (2, 2), "{report}");
    // A function that writes to such an argument is called on the argument itself.
    let fill = compile(|x: &[Tensor]| {
        x[0].mul_(2)?;
        Ok(vec![])
    });
    for batch in 0..4 {
        fill.call(&[data.narrow(0, 2 * batch, 2)?])?;
    }
    assert_eq!(values(&data), (0..24).map(|x| 2.0 * x as f32).collect::<Vec<_>>());
    Ok(())
}

/// The results of a function on tensors that it does not write, of which the first is recorded, and
/// then on views of one that it writes.
fn on_views(
    call: &dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    others: &[Tensor],
    written: &dyn Fn() -> Result<Tensor>,
) -> Result<Vec<Vec<f32>>> {
    let mut found = vec![];
    for other in others {
        found.push(values(&call(std::slice::from_ref(other))?[0]));
    }
    for start in [1, 3, 4] {
        found.push(values(&call(&[written()?.narrow(0, start, 2)?])?[0]));
    }
    Ok(found)
}

/// Tensors to record a call with: where a recorded call has a whole tensor, later ones are replayed
/// on copies; where it has a view, a later one is recorded on a copy.
fn others() -> Result<Vec<Vec<Tensor>>> {
    let (whole, view) = (Tensor::ones([2, 3])?, Tensor::ones([6, 3])?.narrow(0, 1, 2)?);
    Ok(vec![vec![whole.clone()], vec![view.clone()], vec![whole, view]])
}

#[test]
fn a_view_of_a_captured_tensor_that_the_function_writes_is_not_copied() -> Result<()> {
    let _device = device();
    let run = |is_compiled: bool, others: &[Tensor]| {
        let state = rows()?;
        let function = |x: &[Tensor]| {
            state.add_(1)?;
            Ok(vec![x[0].mul(2)?])
        };
        let compiled = compile(function);
        let call = |x: &[Tensor]| if is_compiled { compiled.call(x) } else { function(x) };
        on_views(&call, others, &|| Ok(state.clone()))
    };
    for others in others()? {
        assert_eq!(run(true, &others)?, run(false, &others)?);
    }
    Ok(())
}

#[test]
fn a_view_of_a_gradient_that_the_function_writes_is_not_copied() -> Result<()> {
    let _device = device();
    let run = |is_compiled: bool, others: &[Tensor]| {
        let weight = rows()?.requires_grad_(true)?;
        weight.set_grad(Some(rows()?))?;
        let gradient = || Ok(weight.grad().expect("it was set"));
        let function = |x: &[Tensor]| {
            gradient()?.add_(1)?;
            Ok(vec![x[0].mul(2)?])
        };
        let compiled = compile(function);
        let call = |x: &[Tensor]| if is_compiled { compiled.call(x) } else { function(x) };
        on_views(&call, others, &gradient)
    };
    for others in others()? {
        assert_eq!(run(true, &others)?, run(false, &others)?);
    }
    Ok(())
}

#[test]
fn views_of_one_tensor_of_which_the_function_writes_one_are_not_copied() -> Result<()> {
    let _device = device();
    let run = |is_compiled: bool| {
        let function = |x: &[Tensor]| {
            x[0].add_(1)?;
            Ok(vec![x[1].mul(2)?])
        };
        let compiled = compile(function);
        let call = |x: &[Tensor]| if is_compiled { compiled.call(x) } else { function(x) };
        let (target, data) = (rows()?, rows()?);
        let mut found = vec![];
        for start in [0, 2, 4] {
            found.push(values(&call(&[target.clone(), data.narrow(0, start, 2)?])?[0]));
        }
        for start in [0, 2, 4] {
            found.push(values(&call(&[target.clone(), target.narrow(0, start, 2)?])?[0]));
        }
        Ok::<_, lanthorn_tensor::Error>(found)
    };
    assert_eq!(run(true)?, run(false)?);
    Ok(())
}
