//! Layers with state: their initial values, the changes of training and evaluation, and their state
//! dicts.

use crate::common::{device, read};
use lanthorn_nn::{
    BatchNorm1d, BatchNorm2d, Conv1d, Conv2d, Dropout, Embedding, GroupNorm, Layer, LayerNorm, MaxPool2d, Module, ReLU,
    Sequential, load_state_dict, state_dict,
    table::{all, argument, build},
};
use lanthorn_schema::{Default, Param};
use lanthorn_tensor::{Padding, Result, Scalar, Tensor, ops::Arg};
use pollster::block_on;
use std::rc::Rc;

#[track_caller]
fn assert_close(got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len());
    let off = got.iter().zip(want).map(|(got, want)| (got - want).abs()).fold(0.0, f32::max);
    assert!(off < 2e-5, "{got:?}, expected {want:?}");
}

fn named(module: &dyn Module, name: &str) -> Tensor {
    let all = module.named_parameters().into_iter().chain(module.named_buffers());
    all.into_iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("no {name}")).1
}

#[test]
fn convolutions_start_uniform_within_the_bound_of_their_inputs() -> Result<()> {
    let _device = device();
    let layer = Conv2d::builder(4, 30, [3, 5]).groups(2).build()?;
    let (weight, bias) = (named(&layer, "weight"), named(&layer, "bias"));
    assert_eq!((weight.shape().to_vec(), bias.shape().to_vec()), (vec![30, 2, 3, 5], vec![30]));
    // 2 channels of 3 x 5 kernel taps contribute to an output.
    let bound = 1.0 / 30f32.sqrt();
    for parameter in [&weight, &bias] {
        let largest = read(parameter).iter().fold(0f32, |largest, value| largest.max(value.abs()));
        assert!(largest <= bound && largest > 0.85 * bound, "{largest} of {bound}");
        assert!(parameter.is_leaf() && parameter.requires_grad());
    }
    let bare = Conv1d::builder(2, 3, 3).bias(false).padding(Padding::Same).build()?;
    assert_eq!(bare.parameters().len(), 1);
    assert_eq!(bare.forward(&Tensor::zeros([1, 2, 7])?)?.shape().to_vec(), [1, 3, 7]);
    assert!(Conv2d::builder(4, 30, 3).groups(4).build().is_err_and(|error| error.is_argument()));
    assert!(Conv2d::new(4, 30, [3, 3, 3]).is_err_and(|error| error.is_argument()));
    Ok(())
}

#[test]
fn batch_norm_follows_its_batches_and_uses_what_it_kept() -> Result<()> {
    let device = device();
    let layer = BatchNorm1d::new(2)?;
    let x = Tensor::from_slice(&[1.0f32, 10.0, 3.0, 30.0, 8.0, 20.0], [3, 2], &device)?;
    let y = layer.forward(&x)?;
    // Means 4 and 20, variances (of n) 26/3 and 200/3.
    let want = |x: f32, mean: f32, variance: f32| (x - mean) / (variance + 1e-5).sqrt();
    let (a, b) = (26.0 / 3.0, 200.0 / 3.0);
    let normalized = [
        want(1.0, 4.0, a),
        want(10.0, 20.0, b),
        want(3.0, 4.0, a),
        want(30.0, 20.0, b),
        want(8.0, 4.0, a),
        want(20.0, 20.0, b),
    ];
    assert_close(&read(&y), &normalized);
    // A tenth of the way to the batch's mean, and to its variance (of n - 1).
    assert_close(&read(&named(&layer, "running_mean")), &[0.4, 2.0]);
    assert_close(&read(&named(&layer, "running_var")), &[0.9 + 1.3, 0.9 + 10.0]);
    assert_eq!(block_on(named(&layer, "num_batches_tracked").item())?, 1.0);
    layer.train(false);
    let y = layer.forward(&x)?;
    assert_close(&read(&y)[..2], &[want(1.0, 0.4, 2.2), want(10.0, 2.0, 10.9)]);
    assert_close(&read(&named(&layer, "running_mean")), &[0.4, 2.0]);
    assert!(layer.forward(&Tensor::zeros([1, 2, 3, 3])?).is_err_and(|error| error.is_shape()));
    layer.train(true);
    assert!(layer.forward(&Tensor::zeros([1, 2])?).is_err_and(|error| error.is_shape()));
    Ok(())
}

#[test]
fn modes_and_buffers_reach_through_containers() -> Result<()> {
    let _device = device();
    let network = || -> Result<Sequential> {
        let layers: Vec<Box<dyn Layer>> = vec![
            Box::new(Conv2d::builder(1, 4, 3).padding(1).build()?),
            Box::new(BatchNorm2d::new(4)?),
            Box::new(ReLU),
            Box::new(MaxPool2d::new(2)?),
            Box::new(Dropout::new(0.5)?),
        ];
        Ok(Sequential::new(layers))
    };
    let (from, to) = (network()?, network()?);
    let x = Tensor::randn([3, 1, 6, 6])?;
    let trained = from.forward(&x)?;
    assert_eq!(trained.shape().to_vec(), [3, 4, 3, 3]);
    trained.square()?.sum((), false)?.backward()?;
    assert!(from.parameters().iter().all(|parameter| parameter.grad().is_some()));
    let state = state_dict(&from);
    let names =
        ["0.bias", "0.weight", "1.bias", "1.num_batches_tracked", "1.running_mean", "1.running_var", "1.weight"];
    assert_eq!(state.keys().collect::<Vec<_>>(), names);
    load_state_dict(&to, &state)?;
    from.train(false);
    to.train(false);
    // In evaluation nothing is random and nothing is updated.
    assert_eq!(read(&from.forward(&x)?), read(&to.forward(&x)?));
    assert_eq!(read(&from.forward(&x)?), read(&from.forward(&x)?));
    from.train(true);
    assert_ne!(read(&from.forward(&x)?), read(&to.forward(&x)?));
    Ok(())
}

#[test]
fn the_padding_row_of_an_embedding_stays() -> Result<()> {
    let device = device();
    let table = Embedding::builder(5, 3).padding_idx(-1).build()?;
    let weight = named(&table, "weight");
    assert_eq!(read(&weight)[12..], [0.0; 3]);
    let rows = table.forward(&Tensor::from_slice(&[4, 1, 1], [3], &device)?)?;
    rows.sum((), false)?.backward()?;
    let gradient = read(&weight.grad().unwrap());
    assert_eq!(gradient, [0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(Embedding::builder(5, 3).padding_idx(5).build().is_err_and(|error| error.is_argument()));
    Ok(())
}

#[test]
fn dropout_keeps_the_mean() -> Result<()> {
    let _device = device();
    let dropout = Dropout::new(0.25)?;
    let kept = read(&dropout.forward(&Tensor::ones([4000])?)?);
    assert!(kept.iter().all(|&value| value == 0.0 || (value - 4.0 / 3.0).abs() < 1e-6));
    let share = kept.iter().filter(|&&value| value != 0.0).count() as f64 / 4000.0;
    assert!((share - 0.75).abs() < 0.03, "{share}");
    assert!(Dropout::new(1.5).is_err());
    Ok(())
}

#[test]
fn norms_start_as_the_plain_functions() -> Result<()> {
    let _device = device();
    let x = Tensor::randn([3, 4, 5])?;
    assert_close(&read(&LayerNorm::new([4, 5])?.forward(&x)?), &read(&x.layer_norm([4, 5], None, None, 1e-5)?));
    assert_close(&read(&GroupNorm::new(2, 4)?.forward(&x)?), &read(&x.group_norm(2, None, None, 1e-5)?));
    assert!(GroupNorm::new(3, 4).is_err_and(|error| error.is_argument()));
    Ok(())
}

#[test]
fn every_module_is_built_from_its_schema() -> Result<()> {
    let _device = device();
    for spec in all() {
        let schema = spec.schema();
        // 2 for every argument that is required or large, a size, a number of channels, a
        // dimension; and a module named after its parameter.
        let two = || Arg::Scalar(Scalar::Int(2));
        let given = |param: &Param| match (param.name.as_str(), &param.default) {
            ("encoder_layer", _) => Ok(argument(Rc::new(build("TransformerEncoderLayer", &[two(), two()])?))),
            ("decoder_layer", _) => Ok(argument(Rc::new(build("TransformerDecoderLayer", &[two(), two()])?))),
            (_, None) => Ok(two()),
            (_, Some(Default::Int(size))) if *size > 2 => Ok(two()),
            _ => Ok(Arg::Missing),
        };
        let args: Vec<Arg> = schema.params.iter().map(given).collect::<Result<_>>()?;
        let built = build(&schema.name, &args)?;
        assert_eq!(built.module().signature(), spec.forward, "{}", spec.text);
        // A copy does not share tensors.
        let copy = built.copy()?;
        for ((name, own), (_, copied)) in built.module().named_parameters().iter().zip(copy.module().named_parameters())
        {
            assert_eq!(read(own), read(&copied), "{}: {name}", spec.text);
            assert!(!own.shares_storage_with(&copied), "{}: {name}", spec.text);
        }
    }
    Ok(())
}
