//! PyTorch's answers, `tests/golden/distributions.json`: all in float64 on the CPU, and densities,
//! moments and distribution functions in float32 on WebGPU.

use lanthorn_distributions::*;
use lanthorn_tensor::{DType, Device, Result, Tensor};
use pollster::block_on;
use serde_json::Value;
use std::{path::Path, rc::Rc};

fn answers() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/distributions.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A device and the type of its tensors.
struct Target {
    device: Device,
    dtype: DType,
    tolerance: f64,
}

fn cpu() -> Target {
    Target { device: Device::new(lanthorn_cpu::CpuBackend::new()), dtype: DType::F64, tolerance: 1e-6 }
}

fn numbers(value: &Value) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap());
    value["data"].as_array().unwrap().iter().map(number).collect()
}

impl Target {
    fn tensor(&self, value: &Value) -> Tensor {
        let shape: Vec<i64> = value["shape"].as_array().unwrap().iter().map(|size| size.as_i64().unwrap()).collect();
        match self.dtype {
            DType::F64 => Tensor::from_slice(&numbers(value), shape, &self.device),
            _ => {
                let narrow: Vec<f32> = numbers(value).iter().map(|&number| number as f32).collect();
                Tensor::from_slice(&narrow, shape, &self.device)
            }
        }
        .unwrap()
    }

    /// The first difference of a result to an answer.
    fn difference(&self, got: &Tensor, want: &Value) -> Option<String> {
        let shape: Vec<usize> =
            want["shape"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize).collect();
        if got.shape()[..] != shape[..] {
            return Some(format!("shape {} instead of {shape:?}", got.shape()));
        }
        let want = numbers(want);
        let got: Vec<f64> = match got.dtype() {
            DType::F64 => block_on(got.to_vec::<f64>()).unwrap(),
            _ => block_on(got.to(DType::F32).unwrap().to_vec::<f32>()).unwrap().into_iter().map(f64::from).collect(),
        };
        let is_close = |&(&got, &want): &(&f64, &f64)| {
            got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= self.tolerance * (1.0 + want.abs())
        };
        (!got.iter().zip(&want).all(|pair| is_close(&pair))).then(|| format!("{got:?} instead of {want:?}"))
    }
}

/// The arguments of a case: tensors as leaves that require a gradient.
struct Given<'a> {
    case: &'a Value,
    tensors: Vec<(String, Tensor)>,
}

impl<'a> Given<'a> {
    fn new(target: &Target, case: &'a Value) -> Given<'a> {
        let args = case["args"].as_object().unwrap();
        let tensors = args.iter().filter(|(_, value)| value.is_object());
        let leaf = |value: &Value| target.tensor(value).requires_grad_(true).unwrap();
        Given { case, tensors: tensors.map(|(name, value)| (name.clone(), leaf(value))).collect() }
    }

    fn get(&self, name: &str) -> Param {
        let given = self.tensors.iter().find(|(other, _)| other == name);
        given.map_or_else(|| self.case["args"][name].as_f64().unwrap().into(), |(_, tensor)| tensor.into())
    }
}

/// The distributions of two arguments or fewer, by the names of the arguments.
macro_rules! constructors {
    ($given:ident, $name:expr, $($type:ident.$constructor:ident($($arg:ident),*),)*) => {
        match ($name, $given.case["constructor"].as_str().unwrap()) {
            $((stringify!($type), stringify!($constructor)) =>
                Rc::new($type::$constructor($($given.get(stringify!($arg))),*)?) as Rc<dyn Distribution>,)*
            ("LKJCholesky", "new") => {
                Rc::new(LKJCholesky::new(3, $given.get("concentration"))?) as Rc<dyn Distribution>
            }
            ("Multinomial", "new") => Rc::new(Multinomial::new(4, $given.get("probs"))?) as Rc<dyn Distribution>,
            other => panic!("no distribution {other:?}"),
        }
    };
}

fn build(given: &Given) -> Result<Rc<dyn Distribution>> {
    Ok(constructors! { given, given.case["name"].as_str().unwrap(),
        Bernoulli.new(probs),
        Bernoulli.from_logits(logits),
        Beta.new(concentration1, concentration0),
        Binomial.new(total_count, probs),
        Binomial.from_logits(total_count, logits),
        Categorical.new(probs),
        Categorical.from_logits(logits),
        Cauchy.new(loc, scale),
        Chi2.new(df),
        ContinuousBernoulli.new(probs),
        ContinuousBernoulli.from_logits(logits),
        Dirichlet.new(concentration),
        Exponential.new(rate),
        FisherSnedecor.new(df1, df2),
        Gamma.new(concentration, rate),
        GeneralizedPareto.new(loc, scale, concentration),
        Geometric.new(probs),
        Geometric.from_logits(logits),
        Gumbel.new(loc, scale),
        HalfCauchy.new(scale),
        HalfNormal.new(scale),
        InverseGamma.new(concentration, rate),
        Kumaraswamy.new(concentration1, concentration0),
        Laplace.new(loc, scale),
        LogNormal.new(loc, scale),
        LogisticNormal.new(loc, scale),
        LogitRelaxedBernoulli.from_logits(temperature, logits),
        LowRankMultivariateNormal.new(loc, cov_factor, cov_diag),
        MultivariateNormal.new(loc, covariance_matrix),
        MultivariateNormal.from_precision_matrix(loc, precision_matrix),
        MultivariateNormal.from_scale_tril(loc, scale_tril),
        NegativeBinomial.new(total_count, probs),
        Normal.new(loc, scale),
        OneHotCategorical.new(probs),
        OneHotCategorical.from_logits(logits),
        Pareto.new(scale, alpha),
        Poisson.new(rate),
        RelaxedBernoulli.new(temperature, probs),
        RelaxedOneHotCategorical.new(temperature, probs),
        StudentT.new(df, loc, scale),
        Uniform.new(low, high),
        VonMises.new(loc, concentration),
        Weibull.new(scale, concentration),
        Wishart.new(df, covariance_matrix),
    })
}

fn method(distribution: &dyn Distribution, name: &str, value: &Tensor, units: &Tensor) -> Result<Tensor> {
    match name {
        "log_prob" => distribution.log_prob(value),
        "cdf" => distribution.cdf(value),
        "icdf" => distribution.icdf(units),
        "entropy" => distribution.entropy(),
        "mean" => distribution.mean(),
        "mode" => distribution.mode(),
        "variance" => distribution.variance(),
        _ => panic!("no method {name}"),
    }
}

/// Compares the methods of all distributions, and returns the differences and the number of
/// answers.
fn compare(target: &Target, methods: &[&str]) -> (Vec<String>, usize) {
    let (answers, mut wrong, mut compared) = (answers(), vec![], 0);
    let units = Value::from_iter([("shape", Value::from(vec![3])), ("data", Value::from(vec![0.125, 0.5, 0.75]))]);
    for case in answers["distributions"].as_array().unwrap() {
        let given = Given::new(target, case);
        let distribution = build(&given).unwrap();
        let value = target.tensor(&case["value"]);
        for &name in methods.iter().filter(|&&name| !case[name].is_null()) {
            let result = method(distribution.as_ref(), name, &value, &target.tensor(&units));
            let difference = match &result {
                Ok(result) => target.difference(result, &case[name]),
                Err(error) => Some(error.to_string()),
            };
            compared += 1;
            wrong.extend(difference.map(|why| format!("{} {name}: {why}", case["name"])));
            if name == "log_prob" && !case["gradients"].is_null() {
                result.unwrap().sum_all().unwrap().backward().unwrap();
                for (name, tensor) in &given.tensors {
                    let Some(want) = case["gradients"].get(name) else { continue };
                    let difference = match tensor.grad() {
                        Some(grad) => target.difference(&grad, want),
                        None => Some("no gradient".into()),
                    };
                    compared += 1;
                    wrong.extend(difference.map(|why| format!("{} gradient of {name}: {why}", case["name"])));
                }
            }
        }
    }
    (wrong, compared)
}

#[test]
fn distributions_have_pytorchs_answers() {
    let (wrong, compared) = compare(&cpu(), &["log_prob", "cdf", "icdf", "entropy", "mean", "mode", "variance"]);
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 380, "{compared} answers");
}

#[test]
fn densities_have_pytorchs_answers_on_webgpu() {
    let backend = block_on(lanthorn_wgpu::WgpuBackend::new(lanthorn_wgpu::Options::default())).unwrap();
    let target = Target { device: Device::new(backend), dtype: DType::F32, tolerance: 2e-5 };
    let (wrong, compared) = compare(&target, &["log_prob", "cdf", "mean"]);
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 200, "{compared} answers");
}

#[test]
fn divergences_have_pytorchs_answers() {
    let (target, answers) = (cpu(), answers());
    let cases = answers["distributions"].as_array().unwrap();
    let built: Vec<_> = cases.iter().map(|case| build(&Given::new(&target, case)).unwrap()).collect();
    let (mut wrong, mut pairs) = (vec![], std::collections::BTreeSet::new());
    for row in answers["divergences"].as_array().unwrap() {
        let [p, q] = ["p", "q"].map(|side| &built[row[side].as_u64().unwrap() as usize]);
        let difference = match kl_divergence(p.as_ref(), q.as_ref()) {
            Ok(divergence) => target.difference(&divergence, &row["value"]),
            Err(error) => Some(error.to_string()),
        };
        pairs.insert((p.name(), q.name()));
        wrong.extend(difference.map(|why| format!("{} and {}: {why}", p.name(), q.name())));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(pairs.len() > 80, "{} pairs", pairs.len());
}

#[test]
fn gradients_of_samples_have_pytorchs_answers() {
    // PyTorch's expansions have three to four digits.
    let (target, answers) = (Target { tolerance: 5e-4, ..cpu() }, answers());
    let gamma = &answers["sample_gradients"]["gamma"];
    let [shape, sample] = ["shape", "sample"].map(|name| target.tensor(&gamma[name]));
    let gradient = shape.standard_gamma_grad(&sample).unwrap();
    assert_eq!(target.difference(&gradient, &gamma["gradient"]), None);
    let dirichlet = &answers["sample_gradients"]["dirichlet"];
    let [x, alpha, total] = ["sample", "concentration", "total"].map(|name| target.tensor(&dirichlet[name]));
    let gradient = x.dirichlet_grad(&alpha, &total).unwrap();
    assert_eq!(target.difference(&gradient, &dirichlet["gradient"]), None);
}

/// The types whose samples have implicit gradients: other random bits have the same probability.
const IMPLICIT: [&str; 8] =
    ["Beta", "Chi2", "Dirichlet", "FisherSnedecor", "Gamma", "InverseGamma", "StudentT", "Wishart"];

#[test]
fn gradients_of_samples_are_finite_differences() {
    const STEP: f64 = 1e-6;
    let (target, answers) = (cpu(), answers());
    let draw = |given: &Given| {
        target.device.manual_seed(5);
        build(given).unwrap().rsample(&[3]).unwrap().sum_all().unwrap()
    };
    let (mut wrong, mut compared) = (vec![], 0);
    for case in answers["distributions"].as_array().unwrap() {
        let given = Given::new(&target, case);
        let distribution = build(&given).unwrap();
        if !distribution.has_rsample() || IMPLICIT.contains(&distribution.name()) {
            continue;
        }
        draw(&given).backward().unwrap();
        for (index, (name, tensor)) in given.tensors.iter().enumerate() {
            // A concentration of 0 selects the formula of the limit, as in PyTorch, which has no
            // gradient with respect to it.
            if name == "concentration" && numbers(&case["args"][name]).contains(&0.0) {
                continue;
            }
            let moved = |step: f64| {
                let mut tensors = given.tensors.clone();
                tensors[index].1 = (tensor.detach() + step).unwrap();
                block_on(draw(&Given { case, tensors }).item()).unwrap()
            };
            let want = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let got = tensor.grad().map_or(f64::NAN, |grad| block_on(grad.sum_all().unwrap().item()).unwrap());
            compared += 1;
            let is_close = (got - want).abs() <= 1e-5 * (1.0 + want.abs());
            if !is_close {
                wrong.push(format!("{} {name}: {got} instead of {want}", distribution.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 45, "{compared} gradients");
}

#[test]
fn transforms_have_pytorchs_answers() {
    let (target, answers) = (cpu(), answers());
    for row in answers["transforms"].as_array().unwrap() {
        let args: Vec<f64> = row["args"].as_array().unwrap().iter().map(|arg| arg.as_f64().unwrap()).collect();
        let transform: Rc<dyn Transform> = match row["name"].as_str().unwrap() {
            "ExpTransform" => Rc::new(ExpTransform),
            "PowerTransform" => Rc::new(PowerTransform::new(args[0]).unwrap()),
            "SigmoidTransform" => Rc::new(SigmoidTransform),
            "TanhTransform" => Rc::new(TanhTransform),
            "SoftplusTransform" => Rc::new(SoftplusTransform),
            "AffineTransform" => Rc::new(AffineTransform::new(args[0], args[1], 0).unwrap()),
            "StickBreakingTransform" => Rc::new(StickBreakingTransform),
            "CorrCholeskyTransform" => Rc::new(CorrCholeskyTransform),
            "SoftmaxTransform" => Rc::new(SoftmaxTransform),
            "LowerCholeskyTransform" => Rc::new(LowerCholeskyTransform),
            "PositiveDefiniteTransform" => Rc::new(PositiveDefiniteTransform),
            other => panic!("no transform {other}"),
        };
        let (x, name) = (target.tensor(&row["x"]), &row["name"]);
        let y = transform.forward(&x).unwrap();
        assert_eq!(target.difference(&y, &row["y"]), None, "{name}");
        assert!(
            block_on(transform.codomain().check(&y).unwrap().all((), false).unwrap().item()).unwrap() == 1.0,
            "{name}"
        );
        if transform.is_bijective()
            && !["LowerCholeskyTransform", "PositiveDefiniteTransform"].contains(&transform.name())
        {
            assert_eq!(target.difference(&transform.inverse(&y).unwrap(), &row["x"]), None, "inverse of {name}");
            let log_det = transform.log_abs_det_jacobian(&x, &y).unwrap();
            assert_eq!(target.difference(&log_det, &row["log_abs_det_jacobian"]), None, "Jacobian of {name}");
            assert_eq!(transform.forward_shape(x.shape()).unwrap(), y.shape().to_vec(), "{name}");
            assert_eq!(transform.inverse_shape(y.shape()).unwrap(), x.shape().to_vec(), "{name}");
        }
    }
}
