//! Kernel variants chosen by measurement, and kept between devices.

use lanthorn::{Device, Result, Tensor};
use pollster::block_on;
use std::path::PathBuf;

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lanthorn-tuning-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    // SAFETY: nextest runs each test in a separate process, before it starts a thread.
    unsafe { std::env::set_var("LANTHORN_TUNING", &folder) };
    folder
}

fn matrix(device: &Device) -> Result<Tensor> {
    let values: Vec<f32> = (0..48 * 48).map(|i| (i % 7) as f32).collect();
    Tensor::from_slice(&values, [48, 48], device)
}

fn work(x: &Tensor) -> Result<Tensor> {
    x.matmul(x)?.softmax(1)?.add(x.sum(0, false)?)
}

fn read(x: &Tensor) -> Vec<f32> {
    block_on(x.to_vec()).unwrap()
}

#[test]
fn choices_are_measured_used_and_kept() -> Result<()> {
    let folder = folder("kept");
    let device = block_on(lanthorn::wgpu())?;
    let x = matrix(&device)?;
    let before = read(&work(&x)?);
    let tuned = block_on(lanthorn::tune(&device, || work(&x)))?;
    let kinds: Vec<&str> = tuned.kernels.iter().map(|kernel| kernel.class.split('/').next().unwrap()).collect();
    assert!(kinds.contains(&"contract") && kinds.contains(&"fused_reduction"), "{tuned}");
    for kernel in &tuned.kernels {
        assert!(kernel.times.len() > 1 && kernel.times.iter().all(|&(_, time)| time > 0.0), "{tuned}");
        assert!(kernel.times.iter().any(|&(variant, _)| variant == kernel.chosen), "{tuned}");
    }
    for (got, want) in read(&work(&x)?).iter().zip(&before) {
        assert!((got - want).abs() < 1e-3, "{got} and {want}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    let again = block_on(lanthorn::wgpu())?;
    assert_eq!(again.tuner().choices(), device.tuner().choices());
    assert_eq!(device.tuner().choices().lines().count(), tuned.kernels.len());
    std::fs::remove_dir_all(folder).unwrap();
    Ok(())
}

#[test]
fn a_restored_choice_is_what_kernels_are_compiled_by() -> Result<()> {
    folder("restored");
    let device = block_on(lanthorn::wgpu())?;
    let x = matrix(&device)?;
    let shader = |choice: &str| -> Result<String> {
        device.tuner().restore(choice);
        Ok(device.inspect().explain(|| x.matmul(&x))?.kernels[0].sources[0].clone())
    };
    let shaders =
        ["tiled", "register", "simple"].map(|name| shader(&format!("contract/float32/1x64x64x64 {name}\n")).unwrap());
    assert!(shaders[0] != shaders[1] && shaders[1] != shaders[2] && shaders[0] != shaders[2]);
    let before = device.tuner().choices();
    for nonsense in [
        "",
        "no such thing",
        "contract/float32/1x64x64x64 none",
        "fused_reduction",
        "\n\n \n",
        "other/float32/1 simple",
    ] {
        assert_eq!(shader(nonsense)?, shaders[2], "{nonsense:?}");
    }
    assert_eq!(device.tuner().choices(), before);
    Ok(())
}

#[test]
fn work_that_fails_leaves_nothing_behind() -> Result<()> {
    folder("fails");
    let device = block_on(lanthorn::wgpu())?;
    let x = matrix(&device)?;
    assert!(block_on(lanthorn::tune(&device, || x.reshape([5]))).is_err());
    let made = device.inspect().stats().plan_misses;
    read(&x.exp()?);
    read(&x.exp()?);
    assert_eq!(device.inspect().stats().plan_misses, made + 1, "plans are kept again");
    Ok(())
}
