//! Quantized layers, observers and training with rounded weights, against torchao and PyTorch
//! (`tests/golden/quantization.json`).

use crate::common::{device, read};
use lanthorn_nn::{
    Conv2d, Embedding, FakeQuantized, Layer, Linear, Module, Quantized, Sequential, load_state_dict,
    quantization::{
        FakeQuantize, HistogramObserver, MinMaxObserver, MovingAverageMinMaxObserver, Observer,
        PerChannelMinMaxObserver, QParams, QRange, QScheme, QuantizationConfig,
    },
    state_dict,
};
use lanthorn_tensor::{BlockFormat, Device, Result, Tensor, no_grad};
use pollster::block_on;
use serde_json::Value;

fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/quantization.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The numbers of nested lists, and their sizes.
fn flat(value: &Value) -> (Vec<f32>, Vec<i64>) {
    let mut shape = vec![];
    let mut level = value;
    while let Value::Array(items) = level {
        shape.push(items.len() as i64);
        level = &items[0];
    }
    fn collect(value: &Value, into: &mut Vec<f32>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
            number => into.push(number.as_f64().unwrap() as f32),
        }
    }
    let mut numbers = vec![];
    collect(value, &mut numbers);
    (numbers, shape)
}

fn tensor(value: &Value, device: &Device) -> Tensor {
    let (numbers, shape) = flat(value);
    Tensor::from_slice(&numbers, shape, device).unwrap()
}

fn bytes(tensor: &Tensor) -> Vec<i64> {
    block_on(tensor.to_vec::<u8>()).unwrap().into_iter().map(i64::from).collect()
}

#[track_caller]
fn close(found: &[f32], wanted: &[f32], absolute: f32, relative: f32) {
    assert_eq!(found.len(), wanted.len());
    for (a, b) in found.iter().zip(wanted) {
        assert!((a - b).abs() <= absolute + relative * b.abs(), "{a}, expected {b}");
    }
}

fn named(module: &dyn Module, name: &str) -> Tensor {
    state_dict(module).remove(&format!("parametrizations.weight.{name}")).unwrap()
}

/// The linear layer of the golden file.
fn linear(golden: &Value, device: &Device) -> Linear {
    let layer = Linear::new(64, 6).unwrap();
    let state = ["weight", "bias"].map(|name| (name.to_string(), tensor(&golden["linear"][name], device)));
    load_state_dict(&layer, &state.into()).unwrap();
    layer
}

fn int4(group_size: i64) -> QuantizationConfig {
    QuantizationConfig::Int4WeightOnly { group_size }
}

fn int8(group_size: Option<i64>) -> QuantizationConfig {
    QuantizationConfig::Int8WeightOnly { group_size }
}

fn blocks(format: BlockFormat) -> QuantizationConfig {
    QuantizationConfig::BlockWeightOnly { format }
}

/// The configurations, with the largest error of normally distributed weights.
fn configs() -> Vec<(QuantizationConfig, f64)> {
    let dynamic = (QuantizationConfig::Int8DynamicActivationInt8Weight, 0.01);
    let plain =
        [(int8(None), 0.01), (int8(Some(32)), 0.01), (int8(Some(16)), 0.01), (int4(32), 0.12), (int4(64), 0.12)];
    use BlockFormat::{Q4_0, Q4_1, Q5_0, Q5_1, Q8_0};
    let formats = [(Q8_0, 0.01), (Q5_1, 0.06), (Q5_0, 0.07), (Q4_1, 0.12), (Q4_0, 0.13)];
    let formats = formats.map(|(format, error)| (blocks(format), error));
    plain.into_iter().chain([dynamic]).chain(formats).collect()
}

#[test]
fn numbers_beyond_float16_have_scales_of_another_type() {
    let device = device();
    // The largest error of a number is half a step: of 15 steps between the ends, or of 127.5 from
    // 0 to the largest number.
    let most = |config: &QuantizationConfig, largest: f32| match config {
        QuantizationConfig::Int4WeightOnly { .. } => largest * 2.0 / 15.0 * 0.55,
        _ => largest / 127.0 * 0.55,
    };
    for largest in [1e5f32, 3e9] {
        let wave = |index: usize| if index < 2 { 1.0 - 2.0 * index as f32 } else { (index as f32 * 0.7).cos() };
        let row: Vec<f32> = (0..256).map(|index| largest * wave(index)).collect();
        for config in [int4(32), int4(64), int4(128), int4(256), int8(Some(32)), int8(Some(16)), int8(None)] {
            let layer = Linear::builder(256, 1).bias(false).build().unwrap();
            let weight = Tensor::from_slice(&row, [1, 256], &device).unwrap();
            load_state_dict(&layer, &[("weight".to_string(), weight)].into()).unwrap();
            let layer = block_on(Quantized::new(layer, &config)).unwrap().dequantize().unwrap();
            let found = read(&state_dict(&layer)["weight"]);
            let error = found.iter().zip(&row).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(error <= most(&config, largest), "{config} up to {largest}: {error}");
        }
    }
    let layer = Linear::builder(32, 1).bias(false).build().unwrap();
    let state = [("weight".to_string(), Tensor::from_slice(&[1e6f32; 32], [1, 32], &device).unwrap())];
    load_state_dict(&layer, &state.into()).unwrap();
    let error = block_on(Quantized::new(layer, &blocks(BlockFormat::Q4_0))).err().unwrap();
    assert!(error.is_limit() && error.message().contains("beyond float16"), "{error}");
}

#[test]
fn integers_and_scales_of_8_bits_are_those_of_torchao() {
    let (device, golden) = (device(), golden());
    let dynamic = QuantizationConfig::Int8DynamicActivationInt8Weight;
    for (name, config) in [("int8_weight_only", int8(None)), ("int8_dynamic", dynamic)] {
        let layer = block_on(Quantized::new(linear(&golden, &device), &config)).unwrap();
        let wanted = &golden[name];
        close(&read(&named(&layer, "scale")), &flat(&wanted["scale"]).0, 0.0, 1e-6);
        // The largest element of a row is at the middle of two integers.
        let integers = flat(&wanted["qdata"]).0;
        let found: Vec<f32> = bytes(&named(&layer, "qdata")).iter().map(|byte| (byte - 128) as f32).collect();
        assert!(found.iter().zip(&integers).filter(|(a, b)| a != b).count() <= 6, "{config}");
        close(&found, &integers, 1.0, 0.0);
        let y = layer.forward(&tensor(&golden["linear"]["x"], &device)).unwrap();
        close(&read(&y), &flat(&wanted["y"]).0, 0.1, 0.0);
    }
}

#[test]
fn integers_scales_and_zero_points_of_4_bits_are_those_of_torchao() {
    let (device, golden) = (device(), golden());
    let x = tensor(&golden["linear"]["x"], &device);
    let wanted = &golden["int4_group_64"];
    let layer = block_on(Quantized::new(linear(&golden, &device), &int4(64))).unwrap();
    close(&read(&named(&layer, "scale")), &flat(&wanted["scale"]).0, 0.0, 1e-6);
    close(&read(&named(&layer, "zero_point")), &flat(&wanted["zero_point"]).0, 1e-6, 1e-5);
    let row = |packed: &[i64]| packed.iter().map(|byte| byte % 16).chain(packed.iter().map(|byte| byte / 16)).collect();
    let found: Vec<f32> = bytes(&named(&layer, "qdata"))
        .chunks(32)
        .flat_map(|packed| -> Vec<i64> { row(packed) })
        .map(|value| value as f32)
        .collect();
    assert_eq!(found, flat(&wanted["integers"]).0);
    close(&read(&layer.forward(&x).unwrap()), &flat(&wanted["y"]).0, 1e-4, 1e-5);
    // Blocks have their scales in float16.
    let layer = block_on(Quantized::new(linear(&golden, &device), &int4(32))).unwrap();
    close(&read(&layer.forward(&x).unwrap()), &flat(&golden["int4_group_32"]["y"]).0, 0.05, 1e-3);
}

#[test]
fn observers_are_those_of_pytorch() {
    let (device, golden) = (device(), golden());
    let observers = &golden["observers"];
    let batches: Vec<Tensor> =
        observers["batches"].as_array().unwrap().iter().map(|batch| tensor(batch, &device)).collect();
    let observed = |mut observer: Box<dyn Observer>| -> QParams {
        batches.iter().for_each(|batch| observer.observe(batch).unwrap());
        observer.calculate_qparams().unwrap()
    };
    let results = observers["results"].as_array().unwrap();
    assert_eq!(results.len(), 8);
    for result in results {
        let (scheme, range) = match result["qscheme"].as_str().unwrap().ends_with("symmetric") {
            true => (QScheme::Symmetric, QRange::INT8),
            false => (QScheme::Affine, QRange::UINT8),
        };
        let name = result["observer"].as_str().unwrap();
        let found = match name {
            "MinMaxObserver" => observed(Box::new(MinMaxObserver::new(scheme, range))),
            "MovingAverageMinMaxObserver" => observed(Box::new(MovingAverageMinMaxObserver::new(scheme, range, 0.1))),
            "PerChannelMinMaxObserver" => observed(Box::new(PerChannelMinMaxObserver::new(scheme, range, 1))),
            _ => {
                let mut observer = HistogramObserver::new(scheme, range, 256).unwrap();
                batches.iter().for_each(|batch| block_on(observer.observe(batch)).unwrap());
                observer.calculate_qparams(&device).unwrap()
            }
        };
        close(&read(&found.scale), &flat(&result["scale"]).0, 0.0, 1e-5);
        let zero_point: Vec<f32> =
            block_on(found.zero_point.to_vec::<i32>()).unwrap().iter().map(|&zero| zero as f32).collect();
        assert_eq!(zero_point, flat(&result["zero_point"]).0, "{name} {scheme:?}");
    }
}

#[test]
fn results_stay_close_and_reports_have_sizes() -> Result<()> {
    let _device = device();
    for (config, most) in configs() {
        let layer = Linear::new(128, 64)?;
        let x = Tensor::randn([5, 128])?;
        let before = layer.forward(&x)?;
        let layer = block_on(Quantized::new(layer, &config))?;
        let error =
            layer.forward(&x)?.sub(&before)?.square()?.sum((), false)?.div(&before.square()?.sum((), false)?)?;
        assert!(block_on(error.item())?.sqrt() < 2.0 * most, "{config}");
        let report = layer.report();
        assert!(report.relative_error > 0.0 && report.relative_error < most, "{report:?}");
        let part = if report.scheme.contains("nt8") || report.scheme.contains("q8") { 0.35 } else { 0.2 };
        assert!((report.bytes_after as f64) < part * report.bytes_before as f64, "{report:?}");
        assert_eq!((report.type_name.as_str(), report.bytes_before), ("Linear", 128 * 64 * 4));
        let same = lanthorn_nn::call(&layer, &[lanthorn_tensor::ops::Arg::Tensor(x.clone())])?.into_tensor("Linear")?;
        assert_eq!(read(&same), read(&layer.forward(&x)?));
    }
    Ok(())
}

#[test]
fn convolutions_and_embeddings_are_quantized() -> Result<()> {
    let device = device();
    let convolution = Conv2d::new(4, 8, 3)?;
    let x = Tensor::randn([1, 4, 5, 5])?;
    let before = read(&convolution.forward(&x)?);
    let layer = block_on(Quantized::new(convolution, &int8(None)))?;
    close(&read(&layer.forward(&x)?), &before, 0.05, 0.05);
    let table = Embedding::new(6, 32)?;
    let ids = Tensor::from_slice(&[1, 5], [2], &device)?;
    let before = read(&table.forward(&ids)?);
    close(&read(&block_on(Quantized::new(table, &blocks(BlockFormat::Q8_0)))?.forward(&ids)?), &before, 0.05, 0.0);
    Ok(())
}

#[test]
fn gradients_go_through_frozen_weights_to_an_adapter() -> Result<()> {
    let _device = device();
    for (config, _) in configs() {
        let first = Linear::new(32, 64)?;
        let base = block_on(Quantized::new(Linear::builder(64, 4).bias(false).build()?, &config))?;
        let weight = read(&base.weight()?);
        let net = Sequential::new(vec![Box::new(first), Box::new(base)]);
        net.forward(&Tensor::randn([3, 32])?)?.sum((), false)?.backward()?;
        assert_eq!(net.parameters().len(), 2);
        assert!(net.parameters().iter().all(|parameter| parameter.grad().is_some()));
        // The gradient of the bias is the sum of the weight over the outputs, for each of three rows.
        let sums: Vec<f32> =
            (0..64).map(|column| (0..4).map(|row| weight[row * 64 + column]).sum::<f32>() * 3.0).collect();
        let gradient = read(&net.parameters()[1].grad().unwrap());
        let wanted = if matches!(config, QuantizationConfig::Int8DynamicActivationInt8Weight) { 0.2 } else { 1e-4 };
        close(&gradient, &sums, wanted, 1e-4);
    }
    Ok(())
}

#[test]
fn groups_of_128_are_blocks() -> Result<()> {
    let device = device();
    device.manual_seed(4);
    let layer = Linear::new(256, 24)?;
    let x = Tensor::randn([3, 256])?;
    let before = layer.forward(&x)?;
    let layer = block_on(Quantized::new(layer, &int4(128)))?;
    // Two blocks a row: 64 bytes of integers, a scale and a smallest element.
    assert_eq!(named(&layer, "qdata").shape().to_vec(), [24, 2 * 68]);
    let error = layer.forward(&x)?.sub(&before)?.square()?.sum((), false)?.div(&before.square()?.sum((), false)?)?;
    assert!(block_on(error.item())?.sqrt() < 0.2);
    let report = layer.report();
    assert!((0.05..0.15).contains(&report.relative_error) && report.bytes_after == 24 * 136, "{report:?}");
    Ok(())
}

#[test]
fn a_state_dict_loads_into_a_layer_of_the_same_configuration() -> Result<()> {
    let _device = device();
    for (config, _) in configs() {
        let make = || block_on(Quantized::new(Linear::new(64, 8)?, &config));
        let (one, other) = (make()?, make()?);
        load_state_dict(&other, &state_dict(&one))?;
        let x = Tensor::randn([2, 64])?;
        assert_eq!(read(&one.forward(&x)?), read(&other.forward(&x)?));
        let plain = one.dequantize()?;
        assert_eq!(plain.named_parameters()[0].0, "weight");
        assert!(plain.parameters().iter().all(Tensor::requires_grad));
        assert_eq!(read(&plain.parameters()[0]), read(&other.weight()?));
    }
    let one = block_on(Quantized::new(Linear::new(64, 8)?, &int8(None)))?;
    let other = block_on(Quantized::new(Linear::new(64, 8)?, &int4(64)))?;
    assert!(load_state_dict(&other, &state_dict(&one)).is_err_and(|error| error.to_string().contains("zero_point")));
    Ok(())
}

#[test]
fn products_read_blocks_in_place() -> Result<()> {
    let device = device();
    for config in [int4(32), int8(Some(32)), blocks(BlockFormat::Q4_0)] {
        let layer = block_on(Quantized::new(Linear::new(64, 48)?, &config))?;
        for rows in [1, 20] {
            let x = Tensor::randn([rows, 64])?;
            read(&x);
            let before = device.inspect().stats().launches;
            read(&no_grad(|| layer.forward(&x))?);
            assert_eq!(device.inspect().stats().launches - before, 1, "{config}, {rows} rows");
        }
    }
    Ok(())
}

#[test]
fn training_with_rounded_weights_ends_in_the_same_layer() -> Result<()> {
    let _device = device();
    for config in [int8(None), int8(Some(32)), QuantizationConfig::Int8DynamicActivationInt8Weight, int4(32), int4(64)]
    {
        let layer = FakeQuantized::new(Linear::new(64, 8)?, &config)?;
        let x = Tensor::randn([6, 64])?;
        layer.forward(&x)?.square()?.sum((), false)?.backward()?;
        let names: Vec<String> = layer.named_parameters().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["bias", "parametrizations.weight.original"]);
        assert!(layer.parameters().iter().all(|parameter| parameter.grad().is_some()));
        let before = read(&layer.forward(&x)?);
        let quantized = block_on(layer.convert())?;
        assert_eq!(quantized.parameters().len(), 1);
        close(&read(&quantized.forward(&x)?), &before, 0.03, 0.01);
    }
    Ok(())
}

#[test]
fn channels_are_rounded_to_their_own_grids() -> Result<()> {
    let device = device();
    let mut round = FakeQuantize::new(PerChannelMinMaxObserver::new(QScheme::Symmetric, QRange { min: -1, max: 1 }, 0));
    let x = Tensor::from_slice(&[1.0f32, -0.2, 40.0, 30.0], [2, 2], &device)?;
    assert_eq!(read(&round.apply(&x)?), [1.0, 0.0, 40.0, 40.0]);
    assert_eq!(read(&round.observer().calculate_qparams()?.scale), [1.0, 40.0]);
    assert!(round.apply(&Tensor::ones([3, 2])?).is_err_and(|error| error.is_shape()));
    Ok(())
}

#[test]
fn layers_that_do_not_fit_are_errors() -> Result<()> {
    let device = device();
    let refused = |layer: Linear, config: &QuantizationConfig| block_on(Quantized::new(layer, config)).err().unwrap();
    let make = || Linear::new(20, 4).unwrap();
    for (config, text) in [
        (int4(32), "Linear has 20 input features, which group_size 32 does not divide"),
        (int4(48), "group_size is 48"),
        (int8(Some(0)), "group_size is 0"),
        (blocks(BlockFormat::Q4_0), "Linear has 20 input features, which the 32 numbers of a block do not divide"),
        (blocks(BlockFormat::Q4_K), "the format is \"q4_k\""),
    ] {
        let error = refused(make(), &config);
        assert!(error.is_argument() && error.to_string().contains(text), "{error}");
    }
    let broken = make();
    no_grad(|| broken.parameters()[0].fill_(f64::NAN))?;
    assert!(refused(broken, &int8(None)).to_string().contains("Linear has a weight with NaN or infinity"));
    let once = block_on(Quantized::new(make(), &int8(None)))?;
    let twice = block_on(Quantized::new(once, &int8(None))).err().unwrap();
    assert!(twice.to_string().contains("may be quantized already"), "{twice}");
    assert!(
        FakeQuantized::new(Linear::new(32, 4)?, &blocks(BlockFormat::Q8_0)).is_err_and(|error| error.is_argument())
    );
    assert!(
        MinMaxObserver::new(QScheme::Affine, QRange::UINT8).calculate_qparams().is_err_and(|error| error.is_argument())
    );
    let histogram = HistogramObserver::new(QScheme::Affine, QRange::UINT8, 8)?;
    assert!(histogram.calculate_qparams(&device).is_err_and(|error| error.is_argument()));
    assert!(HistogramObserver::new(QScheme::Affine, QRange::UINT8, 0).is_err());
    // Weights of 0 have a scale, and an error of 0.
    let zero = Linear::builder(32, 4).bias(false).build()?;
    no_grad(|| zero.parameters()[0].zero_())?;
    let zero = block_on(Quantized::new(zero, &int4(32)))?;
    assert_eq!((read(&zero.forward(&Tensor::ones([1, 32])?)?), zero.report().relative_error), (vec![0.0; 4], 0.0));
    Ok(())
}
