//! PyTorch's results and gradients of scans, loops and branches, `tests/golden/control.json`, on
//! the CPU and on WebGPU.

use lanthorn::{
    DType, Device, Result, Tensor,
    control::{AssociativeScanOptions, CombineMode, ScanOptions, associative_scan, cond, scan, while_loop},
    grad,
};
use pollster::block_on;
use serde_json::Value;

/// The results of a program, and the tensors whose gradients are compared.
type Answers = (Vec<Tensor>, Vec<Tensor>);

struct Target {
    device: Device,
    dtype: DType,
    tolerance: f64,
}

impl Target {
    fn wave(&self, shape: &[i64], phase: f64) -> Result<Tensor> {
        let count: i64 = shape.iter().product();
        let numbers: Vec<f64> = (0..count).map(|i| (i as f64 * 1.3 + phase).sin() / 2.0).collect();
        let tensor = match self.dtype {
            DType::F64 => Tensor::from_slice(&numbers, shape, &self.device)?,
            _ => {
                let narrow: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
                Tensor::from_slice(&narrow, shape, &self.device)?
            }
        };
        tensor.requires_grad_(true)
    }

    fn recurrent(&self) -> Result<Answers> {
        let (h, xs) = (self.wave(&[4], 0.0)?, self.wave(&[6, 3], 1.0)?);
        let (w, u) = (self.wave(&[4, 4], 2.0)?, self.wave(&[4, 3], 3.0)?);
        let (weight, of_input) = (w.clone(), u.clone());
        let step = move |h: &[Tensor], x: &[Tensor]| {
            let h = weight.matmul(&h[0])?.add(&of_input.matmul(&x[0])?)?.tanh()?;
            Ok((vec![h.clone()], vec![h.mul(2.0)?]))
        };
        let (last, ys) = scan(step, std::slice::from_ref(&h), std::slice::from_ref(&xs), ScanOptions::default())?;
        Ok(([last, ys].concat(), vec![h, xs, w, u]))
    }

    fn backwards(&self) -> Result<Answers> {
        let (a, b) = (self.wave(&[3], 0.0)?, self.wave(&[3], 1.0)?);
        let (x, z) = (self.wave(&[3, 5], 2.0)?, self.wave(&[3, 5, 2], 3.0)?);
        let step = |carry: &[Tensor], x: &[Tensor]| {
            let a = carry[0].mul(0.5)?.add(&x[0])?;
            let b = carry[1].add(&carry[0].sin()?.mul(&x[1].sum(-1, false)?)?)?;
            let outputs = vec![a.mul(&b)?, b.sum((), false)?];
            Ok((vec![a, b], outputs))
        };
        let options = ScanOptions { dim: 1, reverse: true, length: None };
        let (last, ys) = scan(step, &[a.clone(), b.clone()], &[x.clone(), z.clone()], options)?;
        Ok(([last, ys].concat(), vec![a, b, x, z]))
    }

    fn count(&self) -> Result<Answers> {
        let (c, w) = (self.wave(&[2], 1.0)?, self.wave(&[2], 2.0)?);
        let weight = w.clone();
        let step = move |c: &[Tensor], _: &[Tensor]| Ok((vec![c[0].mul(&weight)?.add(1.0)?], vec![c[0].exp()?]));
        let options = ScanOptions { length: Some(4), ..Default::default() };
        let (last, ys) = scan(step, std::slice::from_ref(&c), &[], options)?;
        Ok(([last, ys].concat(), vec![c, w]))
    }

    fn layer(&self, reverse: bool, dim: i64, shape: &[i64]) -> Result<Answers> {
        let (a, b) = (self.wave(shape, 1.0)?, self.wave(shape, 2.0)?);
        let combine = |x: &[Tensor], y: &[Tensor]| Ok(vec![x[0].mul(&y[0])?, x[1].mul(&y[0])?.add(&y[1])?]);
        let options = AssociativeScanOptions { reverse, ..Default::default() };
        Ok((associative_scan(combine, &[a.clone(), b.clone()], dim, options)?, vec![a, b]))
    }

    fn products(&self) -> Result<Answers> {
        let m = self.wave(&[6, 2, 2], 1.0)?;
        let combine = |x: &[Tensor], y: &[Tensor]| Ok(vec![y[0].matmul(&x[0])?]);
        let options = AssociativeScanOptions { combine_mode: CombineMode::Generic, ..Default::default() };
        Ok((associative_scan(combine, std::slice::from_ref(&m), 0, options)?, vec![m]))
    }

    fn repeat(&self) -> Result<Answers> {
        let (x, w) = (self.wave(&[3], 1.0)?, self.wave(&[3], 2.0)?);
        let weight = w.clone();
        let goes_on = |c: &[Tensor]| c[1].square()?.sum((), false)?.lt(50.0);
        let body = move |c: &[Tensor]| Ok(vec![c[0].add(1)?, c[1].mul(1.5)?.add(&weight.sin()?)?]);
        let count = Tensor::from_slice(&[0i32], [], &self.device)?;
        Ok((block_on(while_loop(goes_on, body, &[count, x.clone()]))?.split_off(1), vec![x, w]))
    }

    fn branch(&self, sign: f64) -> Result<Answers> {
        let (x, y) = (self.wave(&[3], 1.0)?, self.wave(&[3], 2.0)?);
        let pred = x.sum((), false)?.mul(0.0)?.add(sign)?.gt(0.0)?;
        let if_true = |x: &[Tensor]| Ok(vec![x[0].mul(&x[0].exp()?)?]);
        let if_false = |x: &[Tensor]| Ok(vec![x[1].cos()?.add(1.0)?]);
        Ok((block_on(cond(&pred, if_true, if_false, &[x.clone(), y.clone()]))?, vec![x, y]))
    }

    fn run(&self, name: &str) -> Result<Answers> {
        match name {
            "recurrent" => self.recurrent(),
            "backwards" => self.backwards(),
            "counted" => self.count(),
            "layer" => self.layer(false, 0, &[7, 2]),
            "reversed layer" => self.layer(true, 1, &[2, 6]),
            "products" => self.products(),
            "repeated" => self.repeat(),
            "true" => self.branch(1.0),
            "false" => self.branch(-1.0),
            _ => panic!("no program for {name}"),
        }
    }

    fn compare(&self, what: &str, found: &[Tensor], wanted: &Value) {
        let wanted = wanted.as_array().expect("a list");
        assert_eq!(found.len(), wanted.len(), "{what}");
        for (found, wanted) in found.iter().zip(wanted) {
            let list = |key: &str| wanted[key].as_array().expect("a list").iter().filter_map(Value::as_f64);
            assert!(found.shape().iter().map(|&size| size as f64).eq(list("shape")), "{what}: {}", found.shape());
            let numbers = match self.dtype {
                DType::F64 => block_on(found.to_vec::<f64>()).expect("elements"),
                _ => block_on(found.to_vec::<f32>()).expect("elements").into_iter().map(f64::from).collect(),
            };
            let is_close = |(a, b): (&f64, f64)| (a - b).abs() <= self.tolerance * (1.0 + b.abs());
            let all = numbers.iter().zip(list("data")).all(is_close);
            assert!(all, "{what} on {:?}: {numbers:?} instead of {}", self.device, wanted["data"]);
        }
    }
}

#[test]
fn answers_of_pytorch() -> Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/control.json");
    let rows: Value = serde_json::from_slice(&std::fs::read(path).expect("the answers")).expect("JSON");
    let gpu = block_on(lanthorn::wgpu())?;
    let targets = [
        Target { device: lanthorn::cpu(), dtype: DType::F64, tolerance: 1e-8 },
        Target { device: gpu, dtype: DType::F32, tolerance: 2e-5 },
    ];
    for target in &targets {
        target.device.set_default();
        for (name, row) in rows.as_object().expect("rows") {
            let (results, inputs) = target.run(name)?;
            target.compare(name, &results, &row["results"]);
            let squares = results.iter().map(|result| result.square()?.sum((), false)).collect::<Result<Vec<_>>>()?;
            let total = Tensor::stack(&squares, 0)?.sum((), false)?;
            let found = grad(&[total], &inputs, &[], Default::default())?.into_iter().zip(&inputs);
            let found = found.map(|(found, input)| found.map_or_else(|| input.zeros_like(), Ok));
            target.compare(&format!("gradients of {name}"), &found.collect::<Result<Vec<_>>>()?, &row["gradients"]);
        }
    }
    Ok(())
}
