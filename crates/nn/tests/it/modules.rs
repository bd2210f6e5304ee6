//! Modules: their initial values, and the state dicts that they accept.

use crate::common::{device, read};
use lanthorn_call::Language;
use lanthorn_cpu::CpuBackend;
use lanthorn_nn::{
    Buffer, Conv2d, CrossEntropyLoss, Embedding, Flatten, Functional, GELU, HuberLoss, Layer, Linear, Module,
    ModuleList, Parameter, ReLU, Sequential, Softmax, SpectralNorm, WeightNorm, call, load_state_dict, state_dict,
    table::{ModuleFunction, build, number},
};
use lanthorn_tensor::{
    Approximate, DType, Device, Reduction, Result, Scalar, Tensor,
    ops::{Arg, Op},
};

#[test]
fn linear_starts_uniform_within_its_bound() -> Result<()> {
    let device = device();
    device.manual_seed(3);
    let layer = Linear::new(100, 300)?;
    let [(weight_name, weight), (bias_name, bias)] = &layer.named_parameters()[..] else { panic!("two parameters") };
    assert_eq!((weight_name.as_str(), bias_name.as_str()), ("weight", "bias"));
    assert_eq!((weight.shape().to_vec(), bias.shape().to_vec()), (vec![300, 100], vec![300]));
    for parameter in [weight, bias] {
        assert!(parameter.is_leaf() && parameter.requires_grad());
        let values = read(parameter);
        let (low, high) = values.iter().fold((0f32, 0f32), |(low, high), &value| (low.min(value), high.max(value)));
        assert!((-0.1..-0.098).contains(&low) && (0.098..=0.1).contains(&high), "{low} to {high}");
        let mean: f32 = values.iter().sum::<f32>() / values.len() as f32;
        // The standard deviation of a uniform variable is 0.2 / sqrt(12).
        assert!(mean.abs() < 4.0 * 0.0577 / (values.len() as f32).sqrt(), "{mean}");
        let variance: f32 = values.iter().map(|value| value * value).sum::<f32>() / values.len() as f32;
        assert!((variance - 0.01 / 3.0).abs() < 3e-4, "{variance}");
    }
    // One seed determines one initialization; the layers of a model differ.
    device.manual_seed(3);
    let again = Linear::new(100, 300)?;
    assert_eq!(read(weight), read(&again.parameters()[0]));
    assert_ne!(read(weight), read(&Linear::new(100, 300)?.parameters()[0]));
    assert_eq!(Linear::builder(4, 2).bias(false).build()?.parameters().len(), 1);
    assert!(Linear::new(-1, 2).is_err_and(|error| error.is_argument()));
    // No inputs: the result is the bias, which is 0.
    let empty = Linear::new(0, 2)?;
    assert_eq!(read(&empty.forward(&Tensor::zeros([3, 0])?)?), [0.0; 6]);
    Ok(())
}

fn network() -> Result<Sequential> {
    let layers: Vec<Box<dyn Layer>> = vec![
        Box::new(Flatten::default()),
        Box::new(Linear::new(4, 3)?),
        Box::new(ReLU),
        Box::new(Linear::builder(3, 2).bias(false).build()?),
    ];
    Ok(Sequential::new(layers))
}

#[test]
fn a_state_dict_goes_from_one_network_to_another() -> Result<()> {
    let _device = device();
    let (from, to) = (network()?, network()?);
    let x = Tensor::rand([5, 2, 2])?;
    assert_ne!(read(&from.forward(&x)?), read(&to.forward(&x)?));
    let state = state_dict(&from);
    assert_eq!(state.keys().collect::<Vec<_>>(), ["1.bias", "1.weight", "3.weight"]);
    assert!(state.values().all(|tensor| !tensor.requires_grad()));
    load_state_dict(&to, &state)?;
    assert_eq!(read(&from.forward(&x)?), read(&to.forward(&x)?));
    // Loading copied: the two share nothing, and the parameters are still the same leaves.
    lanthorn_tensor::no_grad(|| from.parameters()[0].mul_(0.0))?;
    assert_ne!(read(&from.forward(&x)?), read(&to.forward(&x)?));
    assert!(to.parameters().iter().all(|parameter| parameter.is_leaf() && parameter.requires_grad()));
    // A state dict shares with its module, as in PyTorch, and float64 is converted.
    state["1.bias"].add_(1.0)?;
    assert_eq!(read(&state["1.bias"]), read(&from.named_parameters()[1].1));
    let wide = state.iter().map(|(name, tensor)| Ok((name.clone(), tensor.to(DType::F64)?))).collect::<Result<_>>()?;
    load_state_dict(&to, &wide)?;
    assert_eq!(read(&to.parameters()[1]), read(&state["1.bias"]));
    Ok(())
}

#[test]
fn a_state_dict_that_does_not_fit_changes_nothing_and_names_everything() -> Result<()> {
    let _device = device();
    let net = network()?;
    let before: Vec<Vec<f32>> = net.parameters().iter().map(read).collect();
    let mut state = state_dict(&net);
    for tensor in state.values_mut() {
        *tensor = tensor.add(1.0)?;
    }
    state.remove("1.bias");
    state.insert("3.bias".into(), Tensor::zeros([2])?);
    state.insert("4.weight".into(), Tensor::zeros([2])?);
    state.insert("3.weight".into(), Tensor::zeros([3, 2])?);
    let error = load_state_dict(&net, &state).unwrap_err();
    assert!(error.is_argument());
    for name in ["load_state_dict", "1.bias", "3.bias", "4.weight", "3.weight", "[3, 2]", "[2, 3]"] {
        assert!(error.to_string().contains(name), "{name} does not stand in: {error}");
    }
    assert!(!error.to_string().contains("1.weight"), "{error}");
    assert_eq!(net.parameters().iter().map(read).collect::<Vec<_>>(), before);
    // A file may hold any number of names of any length.
    let mut state = state_dict(&net);
    for index in 0..1000 {
        state.insert(format!("{index}.{}", "n".repeat(1000)), Tensor::zeros([1])?);
    }
    let error = load_state_dict(&net, &state).unwrap_err().to_string();
    assert!(error.len() < 10_000 && error.contains("and 960 more"), "{error}");
    // A tensor of another device is refused before anything is copied.
    let mut state = state_dict(&net);
    state.values_mut().try_for_each(|tensor| tensor.mul(2.0).map(|doubled| *tensor = doubled))?;
    let other = Device::new(CpuBackend::poisoned());
    state.insert("3.weight".into(), Tensor::zeros_with([2, 3], None, Some(&other))?);
    assert!(load_state_dict(&net, &state).is_err());
    assert_eq!(net.parameters().iter().map(read).collect::<Vec<_>>(), before);
    Ok(())
}

#[test]
fn losses_and_layers_refuse_what_does_not_fit() -> Result<()> {
    let device = device();
    let net = network()?;
    let error = net.forward(&Tensor::zeros([5, 3])?).unwrap_err();
    assert_eq!(error.to_string(), "linear: an input of shape [5, 3] does not fit a weight of shape [3, 4]");
    // An error of a module names the function that it is, also where the op's name is another.
    let unfold = Functional::new("Unfold", &[Arg::Scalar(Scalar::Int(2))])?;
    let error = unfold.forward(&Tensor::zeros([3])?).unwrap_err();
    assert!(error.op() == "unfold" && error.is_shape(), "{error}");
    let function = ModuleFunction::new(number("Unfold")?, Language::JavaScript)?;
    let error = function.tensors(&[]).err().unwrap().to_string();
    assert!(error.starts_with("Unfold: the argument kernelSize is missing: Unfold(int[] kernelSize, "), "{error}");
    let target = Tensor::from_slice(&[0, 1], [2], &device)?;
    let loss = CrossEntropyLoss::default().forward(&net.forward(&Tensor::zeros([2, 4])?)?, &target)?;
    loss.backward()?;
    assert!(net.parameters().iter().all(|parameter| parameter.grad().is_some()));
    Ok(())
}

/// A loss passes its constructor's arguments to its op, by name.
#[test]
fn losses_are_their_ops() -> Result<()> {
    let device = device();
    let pairs = [
        ("MSELoss", "mse_loss"),
        ("L1Loss", "l1_loss"),
        ("HuberLoss", "huber_loss"),
        ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits"),
        ("PoissonNLLLoss", "poisson_nll_loss"),
        ("HingeEmbeddingLoss", "hinge_embedding_loss"),
    ];
    let input = Tensor::from_slice(&[0.2f32, 0.5, 0.9, 0.4], [2, 2], &device)?;
    let target = Tensor::from_slice(&[1.0f32, 0.0, 1.0, 1.0], [2, 2], &device)?;
    for (module, op) in pairs {
        let expected = Op::find(op).expect(op).run(&[Arg::Tensor(input.clone()), Arg::Tensor(target.clone())])?;
        let got = build(module, &[])?.call(&[Arg::Tensor(input.clone()), Arg::Tensor(target.clone())])?;
        assert_eq!(read(&got.into_tensor(module)?), read(&expected.into_tensor(op)?), "{module}");
    }
    let sum = HuberLoss::builder().reduction(Reduction::Sum).delta(0.5).build()?.forward(&input, &target)?;
    let expected = input.huber_loss_with(&target, Reduction::Sum, 0.5, None)?;
    assert_eq!(read(&sum), read(&expected));
    Ok(())
}

/// A user-defined module: a parameter, a buffer, modules in every kind of field, and other fields.
#[derive(Module)]
struct Mixture {
    scale: Parameter,
    seen: Option<Buffer>,
    experts: Vec<Linear>,
    gate: Option<Linear>,
    nothing: Option<Linear>,
    #[module(name = "act")]
    activation: Box<dyn Layer>,
    #[module(skip)]
    spare: Linear,
    count: usize,
    training: std::cell::Cell<bool>,
}

impl Layer for Mixture {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let sum = self.experts.iter().try_fold(input.mul(0.0)?, |sum, expert| sum.add(&expert.forward(input)?))?;
        self.activation.forward(&sum.mul(&self.scale)?)
    }
}

#[test]
fn a_derived_module_finds_its_members() -> Result<()> {
    let _device = device();
    let linear = || Linear::builder(2, 2).bias(false).build();
    let module = Mixture {
        scale: Tensor::ones([2])?.requires_grad_(true)?,
        seen: Some(Tensor::zeros([1])?),
        experts: vec![linear()?, linear()?],
        gate: Some(linear()?),
        nothing: None,
        activation: Box::new(Sequential::new(vec![Box::new(linear()?), Box::new(ReLU)])),
        spare: linear()?,
        count: 3,
        training: true.into(),
    };
    let names: Vec<String> = module.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["scale", "experts.0.weight", "experts.1.weight", "gate.weight", "act.0.weight"]);
    let names: Vec<String> = module.children().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["experts.0", "experts.1", "gate", "act"]);
    assert_eq!(module.named_buffers().len(), 1);
    module.train(false);
    assert!(!module.training.get() && module.nothing.is_none() && module.spare.parameters().len() + module.count == 4);
    let y = call(&module, &[Arg::Tensor(Tensor::ones([3, 2])?)])?.into_tensor("Mixture")?;
    assert_eq!(y.shape().to_vec(), [3, 2]);
    Ok(())
}

/// The numbers of PyTorch 2.15 for this matrix and these vectors.
#[test]
fn a_spectral_norm_takes_one_step_of_the_power_method() -> Result<()> {
    let device = device();
    let layer = SpectralNorm::new(Linear::builder(2, 3).bias(false).build()?, "weight", 1, 1e-12, 0)?;
    let tensor = |values: &[f32], shape: &[i64]| Tensor::from_slice(values, shape, &device);
    let prefix = "parametrizations.weight";
    let state = [
        (format!("{prefix}.original"), tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[3, 2])?),
        (format!("{prefix}.0._u"), tensor(&[1.0, 0.0, 0.0], &[3])?),
        (format!("{prefix}.0._v"), tensor(&[1.0, 0.0], &[2])?),
    ];
    load_state_dict(&layer, &state.into())?;
    let close = |got: &Tensor, want: &[f32]| {
        let got = read(got);
        assert!(
            got.len() == want.len() && got.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-6),
            "{got:?}"
        );
    };
    let x = Tensor::ones([1, 2])?;
    let (y, left) = ([0.315677, 0.736580, 1.157483], [0.169031, 0.507093, 0.845154]);
    let output = layer.forward(&x)?;
    close(&output, &y);
    output.mul(&tensor(&[1.0, 2.0, 3.0], &[3])?)?.sum((), false)?.backward()?;
    let gradient = layer.parameters()[0].grad().expect("the original is trained");
    close(&gradient, &[0.046970, 0.031990, 0.035686, -0.009254, 0.024401, -0.050499]);
    close(&layer.own_buffers()[0].1, &left);
    close(&layer.own_buffers()[1].1, &[0.622524, 0.782601]);
    layer.train(false);
    close(&layer.forward(&x)?, &y);
    close(&layer.own_buffers()[0].1, &left);
    for (iterations, dim) in [(0, 0), (1, 2)] {
        let refused = SpectralNorm::new(Linear::new(2, 3)?, "weight", iterations, 1e-12, dim);
        assert!(refused.is_err(), "{iterations} {dim}");
    }
    Ok(())
}

#[test]
fn a_weight_norm_computes_the_same_and_is_trained() -> Result<()> {
    let _device = device();
    let x = Tensor::rand([2, 4])?;
    let layer = Linear::new(4, 3)?;
    let before = read(&layer.forward(&x)?);
    let layer = WeightNorm::new(layer, "weight", Some(0))?;
    let after = layer.forward(&x)?;
    assert!(read(&after).iter().zip(&before).all(|(got, want)| (got - want).abs() < 1e-5));
    after.sum((), false)?.backward()?;
    let named = layer.named_parameters();
    let shapes: Vec<_> = named.iter().map(|(name, tensor)| (name.as_str(), tensor.shape().to_vec())).collect();
    let (length, direction) = ("parametrizations.weight.original0", "parametrizations.weight.original1");
    assert_eq!(shapes, [("bias", vec![3]), (length, vec![3, 1]), (direction, vec![3, 4])]);
    assert!(named.iter().all(|(_, parameter)| parameter.grad().is_some()));
    assert!(WeightNorm::new(ReLU, "weight", None).is_err_and(|error| error.is_argument()));
    Ok(())
}

/// A model whose output layer has the embedding's weight, and one layer twice.
#[derive(lanthorn_nn::Module)]
#[module("forward(Tensor ids) -> Tensor")]
struct Tied {
    wte: Embedding,
    first: std::rc::Rc<Linear>,
    again: std::rc::Rc<Linear>,
    lm_head: Linear,
}

impl Tied {
    fn new() -> Result<Tied> {
        let wte = Embedding::new(5, 3)?;
        let mut lm_head = Linear::builder(3, 5).bias(false).build()?;
        assert!(lm_head.set_tensor("weight", wte.own_parameters()[0].1.clone()));
        let first = std::rc::Rc::new(Linear::new(3, 3)?);
        Ok(Tied { wte, again: first.clone(), first, lm_head })
    }

    fn forward(&self, ids: &Tensor) -> Result<Tensor> {
        self.lm_head.forward(&self.again.forward(&self.first.forward(&self.wte.forward(ids)?)?)?)
    }
}

#[test]
fn tied_weights_are_one_parameter_with_an_entry_for_every_name() -> Result<()> {
    let device = device();
    let (from, to) = (Tied::new()?, Tied::new()?);
    let names: Vec<String> = from.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["wte.weight", "first.weight", "first.bias"]);
    assert_eq!(from.parameters().len(), 3);
    let state = state_dict(&from);
    let all = ["again.bias", "again.weight", "first.bias", "first.weight", "lm_head.weight", "wte.weight"];
    assert_eq!(state.keys().collect::<Vec<_>>(), all);
    assert!(state["lm_head.weight"].shares_storage_with(&state["wte.weight"]));
    load_state_dict(&to, &state)?;
    let ids = Tensor::from_slice(&[0, 4, 2], [3], &device)?;
    assert_eq!(read(&from.forward(&ids)?), read(&to.forward(&ids)?));
    // They are still tied: the gradients of both uses are one, and so is a write.
    to.forward(&ids)?.sum((), false)?.backward()?;
    assert!(to.lm_head.own_parameters()[0].1.is(&to.wte.own_parameters()[0].1));
    assert!(to.parameters()[0].grad().is_some());
    // Of different values under two names, the last name in the module's order counts, as in
    // PyTorch.
    let mut other = state.clone();
    other.insert("wte.weight".into(), state["wte.weight"].add(1.0)?);
    load_state_dict(&to, &other)?;
    assert_eq!(read(&state_dict(&to)["wte.weight"]), read(&state["lm_head.weight"]));
    // As in PyTorch, every name is required.
    other.remove("lm_head.weight");
    let error = load_state_dict(&to, &other).unwrap_err().to_string();
    assert!(error.contains("missing") && error.contains("lm_head.weight"), "{error}");
    Ok(())
}

#[test]
fn a_model_prints_as_a_tree() -> Result<()> {
    let _device = device();
    let block = || -> Result<Sequential> {
        Ok(Sequential::new(vec![
            Box::new(Conv2d::new(3, 3, 3)?),
            Box::new(GELU::builder().approximate(Approximate::Tanh).build()?),
        ]))
    };
    let last = Sequential::new(vec![Box::new(Softmax::builder().dim(-1).build()?)]);
    let list = ModuleList::from_iter([block()?, block()?, last]);
    let want = "\
ModuleList(
  (0-1): 2 x Sequential(
    (0): Conv2d(weight=[3, 3, 3, 3], bias=[3])
    (1): GELU(approximate='tanh')
  )
  (2): Sequential(
    (0): Softmax(dim=-1)
  )
)";
    assert_eq!(list.to_string(), want);
    let tied = Tied::new()?;
    let want = "\
Tied(
  (wte): Embedding(weight=[5, 3])
  (first): Linear(weight=[3, 3], bias=[3])
  (again): Linear(weight=[3, 3], bias=[3])
  (lm_head): Linear(weight=[5, 3])
)";
    assert_eq!(tied.to_string(), want);
    // A trait object, a pointer and a recurrent module.
    let boxed: Box<dyn Layer> = Box::new(ReLU);
    assert_eq!((boxed.to_string(), format!("{boxed:?}")), ("ReLU()".into(), "ReLU()".into()));
    assert!(
        lanthorn_nn::LSTMCell::builder(2, 3).bias(false).build()?.to_string().starts_with("LSTMCell(weight_ih=[12, 2]")
    );
    Ok(())
}
