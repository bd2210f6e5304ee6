//! Results of einops, `tests/golden/einops.json`.

use lanthorn_einops::*;
use lanthorn_tensor::{Device, Result, Tensor};
use pollster::block_on;
use serde_json::Value;
use std::path::Path;

fn sizes(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|size| size.as_i64().unwrap()).collect()
}

fn ramp(shape: &Value, device: &Device) -> Tensor {
    let shape = sizes(shape);
    let numbers: Vec<f32> = (0..shape.iter().product()).map(|index: i64| index as f32 / 8.0).collect();
    Tensor::from_slice(&numbers, shape, device).unwrap()
}

fn evaluate(row: &Value, device: &Device) -> Result<Tensor> {
    let pattern = row["pattern"].as_str().unwrap();
    if row["function"] == "einsum" {
        let tensors: Vec<Tensor> = row["shape"].as_array().unwrap().iter().map(|shape| ramp(shape, device)).collect();
        return einsum(&tensors, pattern);
    }
    let axes = row["axes"].as_object().unwrap();
    let axes: Vec<(&str, usize)> =
        axes.iter().map(|(name, size)| (name.as_str(), size.as_u64().unwrap() as usize)).collect();
    let x = ramp(&row["shape"], device);
    match row["function"].as_str().unwrap() {
        "rearrange" => rearrange(&x, pattern, &axes),
        "repeat" => repeat(&x, pattern, &axes),
        _ => {
            let reduction = match row["reduction"][0].as_str().unwrap() {
                "mean" => Reduction::Mean,
                "sum" => Reduction::Sum,
                "max" => Reduction::Max,
                "min" => Reduction::Min,
                _ => Reduction::Prod,
            };
            reduce(&x, pattern, reduction, &axes)
        }
    }
}

#[test]
fn patterns_have_the_results_of_einops() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/einops.json");
    let rows: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut wrong = vec![];
    for row in rows.as_array().unwrap() {
        let (got, name) = (evaluate(row, &device), format!("{} {}", row["function"], row["pattern"]));
        match (got, row["value"].is_null()) {
            (Err(error), true) => {
                let pattern = row["pattern"].as_str().unwrap();
                if !error.to_string().contains(pattern) {
                    wrong.push(format!("{name}: the error has no pattern: {error}"));
                }
            }
            (Ok(_), true) => wrong.push(format!("{name}: no error")),
            (Err(error), false) => wrong.push(format!("{name}: {error}")),
            (Ok(got), false) => {
                let want: Vec<f64> =
                    row["value"]["data"].as_array().unwrap().iter().map(|each| each.as_f64().unwrap()).collect();
                let shape: Vec<i64> = got.shape().iter().map(|&size| size as i64).collect();
                let got = block_on(got.to_vec::<f32>()).unwrap();
                let is_close = got.iter().zip(&want).all(|(&got, want)| (f64::from(got) - want).abs() <= 1e-4);
                if shape != sizes(&row["value"]["shape"]) || !is_close {
                    wrong.push(format!("{name}: {shape:?} {got:?} instead of {want:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows.as_array().unwrap().len() > 40);
}

#[test]
fn packed_tensors_are_unpacked() -> Result<()> {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    let [x, y] = [serde_json::json!([2, 4]), serde_json::json!([2, 3, 2, 4])].map(|shape| ramp(&shape, &device));
    let (packed, shapes) = pack(&[x.clone(), y.clone()], "a * b")?;
    assert_eq!(packed.shape()[..], [2, 7, 4]);
    assert_eq!(shapes, [vec![], vec![3, 2]]);
    let parts = unpack(&packed, &[vec![], vec![-1, 2]], "a * b")?;
    for (part, whole) in parts.iter().zip([&x, &y]) {
        assert_eq!(part.shape()[..], whole.shape()[..]);
        assert_eq!(block_on(part.to_vec::<f32>())?, block_on(whole.to_vec::<f32>())?);
    }
    for (shapes, pattern) in [(vec![vec![3]], "a * b"), (vec![vec![-1], vec![-1]], "a * b"), (vec![vec![7]], "a b")] {
        assert!(unpack(&packed, &shapes, pattern).is_err(), "{shapes:?} {pattern}");
    }
    assert!(pack(&[x], "a b * c").is_err());
    Ok(())
}
