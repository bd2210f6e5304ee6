//! Arguments: refused arguments, shapes, and the methods that a distribution does not have.

use lanthorn_distributions::*;
use lanthorn_tensor::{Device, Tensor};
use pollster::block_on;
use std::rc::Rc;

fn cpu() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::new())
}

#[test]
fn errors_name_the_distribution_and_the_argument() {
    let device = cpu();
    let ones = Tensor::from_slice(&[1.0f32, 1.0, 1.0], [3], &device).unwrap();
    let two = Tensor::from_slice(&[1.0f32, -1.0], [2], &device).unwrap();
    let messages = [
        Normal::new(0.0, 0.0).err(),
        Uniform::new(2.0, 1.0).err(),
        Bernoulli::new(1.5).err(),
        Binomial::new(-1.0, 0.5).err(),
        Normal::new(&ones, &two).err(),
        Categorical::new(1.0).err(),
        LKJCholesky::new(1, 1.0).err(),
        PowerTransform::new(0.0).err(),
        MultivariateNormal::new(&ones, &two).err(),
        Independent::new(Rc::new(Normal::new(&ones, 1.0).unwrap()), 2).err(),
        Cauchy::new(0.0, 1.0).unwrap().enumerate_support(true).err(),
        kl_divergence(&Cauchy::new(0.0, 1.0).unwrap(), &Normal::new(0.0, 1.0).unwrap()).err(),
        biject_to(&Constraint::Boolean).err(),
        block_on(check_args(&Gamma::new(&two, 1.0).unwrap())).err(),
        block_on(check_sample(&Exponential::new(1.0).unwrap(), &two)).err(),
    ]
    .map(|error| error.unwrap().to_string());
    assert_eq!(
        messages.join("\n"),
        "Normal: scale must be greater than 0, and is 0\n\
         Uniform: low must be less than 1, and is 2\n\
         Bernoulli: probs must be from 0 to 1, and is 1.5\n\
         Binomial: total_count must be an integer from 0, and is -1\n\
         Normal: shapes [3] and [2] do not broadcast together\n\
         Categorical: probs must have at least one dimension\n\
         LKJCholesky: dim must be at least 2, and is 1\n\
         PowerTransform: exponent must not be 0\n\
         MultivariateNormal: loc of shape [3] and covariance_matrix of shape [2]\n\
         Independent: reinterpreted_batch_ndims is 2, and Normal has 1 batch dimensions\n\
         Cauchy: Cauchy.enumerate_support is not implemented\n\
         kl_divergence: there is no formula for Cauchy and Normal\n\
         biject_to: there is no transform to values that must be 0 or 1\n\
         Gamma: every element of concentration must be greater than 0\n\
         Exponential: every element of value must be at least 0"
    );
}

#[test]
fn expanded_distributions_have_the_batch_shape() {
    let device = cpu();
    let ones = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], &device).unwrap();
    let square = Tensor::eye(3, None).unwrap();
    let normal = || Rc::new(Normal::new(&ones, 1.0).unwrap());
    let components = Normal::new(Tensor::ones([1, 3]).unwrap(), 1.0).unwrap();
    let cases: Vec<Rc<dyn Distribution>> = vec![
        normal(),
        Rc::new(Categorical::new(&ones).unwrap()),
        Rc::new(OneHotCategoricalStraightThrough::from_logits(&ones).unwrap()),
        Rc::new(Multinomial::new(2, &ones).unwrap()),
        Rc::new(Binomial::new(3.0, 0.5).unwrap()),
        Rc::new(Dirichlet::new(&ones).unwrap()),
        Rc::new(MultivariateNormal::new(&ones, &square).unwrap()),
        Rc::new(LowRankMultivariateNormal::new(&ones, &square, &ones).unwrap()),
        Rc::new(Wishart::new(4.0, &square).unwrap()),
        Rc::new(LKJCholesky::new(3, 1.0).unwrap()),
        Rc::new(LogisticNormal::new(&ones, 1.0).unwrap()),
        Rc::new(RelaxedBernoulli::new(0.5, 0.5).unwrap()),
        Rc::new(RelaxedOneHotCategorical::new(0.5, &ones).unwrap()),
        Rc::new(MixtureSameFamily::new(Categorical::new(&ones).unwrap(), Rc::new(components)).unwrap()),
        Rc::new(Independent::new(normal(), 1).unwrap()),
        Rc::new(TransformedDistribution::new(normal(), vec![Rc::new(ExpTransform)]).unwrap()),
        Rc::new(TransformedDistribution::new(normal(), vec![Rc::new(StickBreakingTransform)]).unwrap()),
    ];
    for case in cases {
        let batch: Vec<usize> = [2].iter().chain(case.batch_shape()).copied().collect();
        let wide = case.expand(&batch).unwrap();
        let sample = wide.sample(&[4, 5]).unwrap();
        let shape: Vec<usize> = [4, 5].iter().chain(&batch).chain(case.event_shape()).copied().collect();
        assert_eq!(sample.shape().to_vec(), shape, "{}", case.name());
        let log_prob = wide.log_prob(&sample).unwrap();
        assert_eq!(log_prob.shape().to_vec(), shape[..shape.len() - case.event_shape().len()], "{}", case.name());
        assert!(
            block_on(log_prob.isfinite().unwrap().all((), false).unwrap().item()).unwrap() == 1.0,
            "{}",
            case.name()
        );
        block_on(check_args(wide.as_ref())).unwrap();
        block_on(check_sample(wide.as_ref(), &sample)).unwrap();
    }
}

#[test]
fn constraints_have_transforms_into_them() {
    let _device = cpu();
    let constraints = [
        Constraint::Real,
        Constraint::Positive,
        Constraint::GreaterThan(1.0.into()),
        Constraint::LessThan(1.0.into()),
        Constraint::Interval((-1.0).into(), 2.0.into()),
        Constraint::UnitInterval,
        Constraint::Simplex,
        Constraint::CorrCholesky,
        Constraint::Independent(Box::new(Constraint::Positive), 1),
        Constraint::Stack(vec![Constraint::Real, Constraint::Positive, Constraint::UnitInterval], 0),
        Constraint::Cat(vec![Constraint::Positive, Constraint::Real], 0, vec![1, 2]),
    ];
    let x = Tensor::randn([3]).unwrap();
    let matrix = Tensor::randn([3, 3]).unwrap();
    for constraint in constraints {
        for transform in [biject_to(&constraint).unwrap(), transform_to(&constraint).unwrap()] {
            let holds = constraint.check(&transform.forward(&x).unwrap()).unwrap();
            assert!(block_on(holds.all((), false).unwrap().item()).unwrap() == 1.0, "{constraint:?}");
        }
    }
    for constraint in [Constraint::LowerCholesky, Constraint::PositiveDefinite] {
        let y = biject_to(&constraint).unwrap().forward(&matrix).unwrap();
        assert!(block_on(constraint.check(&y).unwrap().item()).unwrap() == 1.0, "{constraint:?}");
        assert!(block_on(constraint.check(&(-&y).unwrap()).unwrap().item()).unwrap() == 0.0, "{constraint:?}");
    }
}
