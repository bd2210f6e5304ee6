//! torchvision's answers for its models, `tests/golden/vision-models.json`.

use super::sizes_only::sizes_only;
use lanthorn::{
    Device, Result, Tensor,
    nn::{Layer, Module, StateDict, load_state_dict, state_dict},
    vision::models::*,
};
use pollster::block_on;
use serde_json::Value;
use std::path::Path;

fn answers() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/vision-models.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The hash of a text: FNV-1a of 32 bits.
fn fnv(text: &str) -> u32 {
    text.bytes().fold(2_166_136_261, |value, byte| (value ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// A number from -0.5 to 0.5 that looks random, by a hash and an index, as the script has it.
fn number(hash: u32, index: usize) -> f64 {
    let mut x = (index as u32).wrapping_mul(2_654_435_761).wrapping_add(hash);
    x ^= x >> 16;
    x = x.wrapping_mul(2_246_822_519);
    x ^= x >> 13;
    x = x.wrapping_mul(3_266_489_917);
    x ^= x >> 16;
    f64::from(x) / 2f64.powi(32) - 0.5
}

/// The numbers of a tensor by its name and its shape.
fn numbers(name: &str, shape: &[usize]) -> Vec<f32> {
    let (middle, scale) = match shape {
        [_, rest @ ..] if !rest.is_empty() => (0.0, (24.0 / rest.iter().product::<usize>() as f64).sqrt()),
        _ if name.ends_with("running_var") => (1.0, 0.5),
        _ if name.ends_with("weight") => (1.0, 0.4),
        _ => (0.0, 0.2),
    };
    let hash = fnv(name);
    (0..shape.iter().product()).map(|index| (middle + scale * number(hash, index)) as f32).collect()
}

fn tensor(name: &str, shape: &[usize], scale: f32, device: &Device) -> Tensor {
    let data: Vec<f32> = numbers(name, shape).into_iter().map(|number| number * scale).collect();
    let sizes: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    Tensor::from_slice(&data, sizes, device).unwrap()
}

/// Whether a buffer follows from the sizes of the model.
fn is_fixed(name: &str) -> bool {
    ["num_batches_tracked", "relative_position_index", "relative_coords_table"].iter().any(|word| name.contains(word))
}

/// The largest difference of numbers to the wanted ones, relative to the largest of those.
fn distance(got: &Tensor, want: &Value) -> Result<f64> {
    let got = block_on(got.detach().to_vec::<f32>())?;
    let want: Vec<f64> = want.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    assert_eq!(got.len(), want.len());
    let largest = want.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    let each = got.iter().zip(&want).map(|(got, want)| (f64::from(*got) - want).abs() / largest);
    // A NaN is the largest difference.
    Ok(each.fold(0.0, |worst, own| if own > worst || own.is_nan() { own } else { worst }))
}

/// The largest difference of the norms of tensors to the wanted ones by name, relative to each.
fn norm_distance(tensor_of: impl Fn(&str) -> Tensor, want: &Value) -> Result<f64> {
    let mut worst: f64 = 0.0;
    for (name, norm) in want.as_object().unwrap() {
        let data = block_on(tensor_of(name).to_vec::<f32>())?;
        let got = data.iter().map(|&number| f64::from(number).powi(2)).sum::<f64>().sqrt();
        let norm = norm.as_f64().unwrap();
        assert!(got.is_finite(), "{name}");
        worst = worst.max((got - norm).abs() / norm.max(1e-12));
    }
    Ok(worst)
}

/// Fills a model with numbers by their names, for evaluation.
fn load_numbers(model: &dyn Module, device: &Device) -> Result<()> {
    model.train(false);
    let fill = |(name, own): (String, Tensor)| {
        let filled = if is_fixed(&name) { own } else { tensor(&name, &own.shape()[..], 1.0, device) };
        (name, filled)
    };
    let filled: StateDict = state_dict(model).into_iter().map(fill).collect();
    load_state_dict(model, &filled)
}

/// The largest differences of a model to torchvision: of logits, gradients, and in training mode.
fn differences(model: &dyn Layer, size: usize, want: &Value, device: &Device) -> Result<[f64; 3]> {
    load_numbers(model, device)?;
    let logits = model.forward(&tensor("picture", &[1, 3, size, size], size as f32, device))?;
    (&logits * tensor("factors", &[10], 1.0, device))?.sum((), false)?.backward()?;
    let parameters = model.named_parameters();
    let find = |named: &[(String, Tensor)], name: &str| {
        named.iter().find(|(own, _)| own == name).expect("the tensor is there").1.clone()
    };
    let grad = |name: &str| find(&parameters, name).grad().expect("there is a gradient");
    let gradients = norm_distance(grad, &want["gradients"])?;
    let mut training: f64 = 0.0;
    if want.get("training").is_some() {
        model.train(true);
        let logits = model.forward(&tensor("picture", &[2, 3, size, size], size as f32, device))?;
        let state = state_dict(model).into_iter().collect::<Vec<_>>();
        let buffers = norm_distance(|name| find(&state, name), &want["training"]["buffers"])?;
        training = buffers.max(distance(&logits, &want["training"]["logits"])?);
    }
    Ok([distance(&logits, &want["logits"])?, gradients, training])
}

/// A case: its name, its model and the side of its picture.
type Case = (&'static str, fn() -> Result<Box<dyn Layer>>, usize);

macro_rules! cases {
    ($($name:literal $size:literal $model:expr;)*) => { &[$(($name, || Ok(Box::new($model?)), $size)),*] };
}

const FUSED: &[(f64, i64, i64, i64, i64, i64, bool)] =
    &[(1.0, 3, 1, 8, 8, 1, true), (4.0, 3, 2, 8, 16, 2, true), (4.0, 5, 2, 16, 24, 2, false)];

const SMALL: &[Case] = cases! {
    "resnet" 64 ResNet::new(ResNetBlock::Basic, &[1, 1, 1, 1], 10, false, 1, 64, None);
    "resnext" 64 ResNet::new(ResNetBlock::Bottleneck, &[1, 2, 1, 2], 10, false, 4, 8, Some(&[false, true, true]));
    "squeezenet" 64 squeezenet1_1(10, 0.5);
    "mobilenet_v2" 64 mobilenet_v2(10, 0.25, 0.0);
    "mobilenet_v3" 64 mobilenet_v3_small(10, 1.0, 0.0);
    "densenet" 64 DenseNet::new(8, &[2, 3, 2, 2], 16, 4, 0.0, 10);
    "shufflenet_v2" 64 shufflenet_v2_x0_5(10);
    "mnasnet" 64 mnasnet0_5(10, 0.0);
    "regnet" 64 RegNet::new(6, 24, 36.0, 2.5, 8, Some(0.25), 10);
    "efficientnet" 64 EfficientNet::new(FUSED, 0.0, 0.0, 10, Some(64), 1e-5, 0.1);
    "convnext" 64 ConvNeXt::new(&[(8, 16, 2), (16, 0, 2)], 0.1, 1e-6, 10);
    "vit" 32 VisionTransformer::new(32, 8, 2, 2, 16, 32, 0.0, 0.0, 10);
    "swin" 36 SwinTransformer::new(4, 16, &[2, 2], &[2, 4], 4, 4.0, 0.0, 0.1, 10, false);
    "swin_v2" 36 SwinTransformer::new(4, 16, &[2, 2], &[2, 4], 4, 4.0, 0.0, 0.1, 10, true);
};

fn compare(cases: &[Case]) {
    let device = lanthorn::cpu();
    let answers = answers();
    let mut failures = String::new();
    for (name, make, size) in cases {
        let differences = differences(&*make().unwrap(), *size, &answers["answers"][name], &device).unwrap();
        let [logits, gradients, training] = differences;
        let line = format!("{name}: logits {logits:.1e}, gradients {gradients:.1e}, training {training:.1e}\n");
        print!("{line}");
        if !differences.iter().all(|own| *own <= 1e-4) {
            failures += &line;
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn small_models_of_most_families_give_torchvisions_logits_gradients_and_statistics() {
    compare(SMALL);
}

macro_rules! constructors {
    ($($name:ident($($arg:expr),*),)*) => {
        &[$((stringify!($name), || Ok(Box::new($name($($arg),*)?)))),*]
    };
}

/// A constructor's name, and its model.
type Constructor = (&'static str, fn() -> Result<Box<dyn Layer>>);

const CONSTRUCTORS: &[Constructor] = constructors! {
    alexnet(1000, 0.5),
    convnext_base(1000, 0.5),
    convnext_large(1000, 0.5),
    convnext_small(1000, 0.4),
    convnext_tiny(1000, 0.1),
    densenet121(1000, 0.0),
    densenet161(1000, 0.0),
    densenet169(1000, 0.0),
    densenet201(1000, 0.0),
    efficientnet_b0(1000, 0.2),
    efficientnet_b1(1000, 0.2),
    efficientnet_b2(1000, 0.3),
    efficientnet_b3(1000, 0.3),
    efficientnet_b4(1000, 0.4),
    efficientnet_b5(1000, 0.4),
    efficientnet_b6(1000, 0.5),
    efficientnet_b7(1000, 0.5),
    efficientnet_v2_l(1000, 0.4),
    efficientnet_v2_m(1000, 0.3),
    efficientnet_v2_s(1000, 0.2),
    googlenet(1000, true, false),
    inception_v3(1000, true, false),
    mnasnet0_5(1000, 0.2),
    mnasnet0_75(1000, 0.2),
    mnasnet1_0(1000, 0.2),
    mnasnet1_3(1000, 0.2),
    mobilenet_v2(1000, 1.0, 0.2),
    mobilenet_v3_large(1000, 1.0, 0.2),
    mobilenet_v3_small(1000, 1.0, 0.2),
    regnet_x_16gf(1000),
    regnet_x_1_6gf(1000),
    regnet_x_32gf(1000),
    regnet_x_3_2gf(1000),
    regnet_x_400mf(1000),
    regnet_x_800mf(1000),
    regnet_x_8gf(1000),
    regnet_y_128gf(1000),
    regnet_y_16gf(1000),
    regnet_y_1_6gf(1000),
    regnet_y_32gf(1000),
    regnet_y_3_2gf(1000),
    regnet_y_400mf(1000),
    regnet_y_800mf(1000),
    regnet_y_8gf(1000),
    resnet101(1000),
    resnet152(1000),
    resnet18(1000),
    resnet34(1000),
    resnet50(1000),
    resnext101_32x8d(1000),
    resnext101_64x4d(1000),
    resnext50_32x4d(1000),
    shufflenet_v2_x0_5(1000),
    shufflenet_v2_x1_0(1000),
    shufflenet_v2_x1_5(1000),
    shufflenet_v2_x2_0(1000),
    squeezenet1_0(1000, 0.5),
    squeezenet1_1(1000, 0.5),
    swin_b(1000, 0.5),
    swin_s(1000, 0.3),
    swin_t(1000, 0.2),
    swin_v2_b(1000, 0.5),
    swin_v2_s(1000, 0.3),
    swin_v2_t(1000, 0.2),
    vgg11(1000, 0.5),
    vgg11_bn(1000, 0.5),
    vgg13(1000, 0.5),
    vgg13_bn(1000, 0.5),
    vgg16(1000, 0.5),
    vgg16_bn(1000, 0.5),
    vgg19(1000, 0.5),
    vgg19_bn(1000, 0.5),
    vit_b_16(1000, 224),
    vit_b_32(1000, 224),
    vit_h_14(1000, 224),
    vit_l_16(1000, 224),
    vit_l_32(1000, 224),
    wide_resnet101_2(1000),
    wide_resnet50_2(1000),
};

#[test]
fn state_dicts_of_every_constructor_have_torchvisions_names_and_shapes() {
    // The largest model has 3 gigabytes of parameters.
    let _device = sizes_only();
    let answers = answers();
    let mut failures = String::new();
    assert_eq!(CONSTRUCTORS.len(), answers["states"].as_object().unwrap().len());
    for (name, make) in CONSTRUCTORS {
        let model = make().unwrap();
        let state = state_dict(&*model);
        let mut lines: Vec<String> =
            state.iter().map(|(key, tensor)| format!("{key} {:?}\n", tensor.shape().to_vec())).collect();
        lines.sort();
        if fnv(&lines.concat()) != answers["states"][name] {
            failures += &format!("{name}: {} names, {} first\n", lines.len(), lines[0].trim());
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn inputs_and_options_that_do_not_fit_are_errors() {
    let _device = lanthorn::cpu();
    let error = |result: Result<Tensor>| result.unwrap_err().to_string();
    let vit = VisionTransformer::new(32, 8, 1, 2, 16, 32, 0.0, 0.0, 10).unwrap();
    let pictures = Tensor::zeros([1, 3, 64, 64]).unwrap();
    assert!(error(vit.forward(&pictures)).contains("takes pictures of 32 by 32 pixels"));
    let net = squeezenet1_1(10, 0.5).unwrap();
    assert!(error(net.forward(&Tensor::zeros([3, 64, 64]).unwrap())).contains("takes pictures of the shape"));
    assert!(VisionTransformer::new(30, 8, 1, 2, 16, 32, 0.0, 0.0, 10).is_err());
    assert!(ResNet::new(ResNetBlock::Basic, &[1, 1], 10, false, 1, 64, None).is_err());
    assert!(ResNet::new(ResNetBlock::Basic, &[1, 1, 1, 1], 10, false, 2, 64, None).is_err());
    assert!(SqueezeNet::new("2_0", 10, 0.5).is_err());
    assert!(alexnet(10, 1.5).is_err());
}
