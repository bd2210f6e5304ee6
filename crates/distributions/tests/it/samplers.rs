//! Samples against their distribution functions, with fixed seeds: the statistic of Kolmogorov and
//! Smirnov for continuous samples, and of Pearson for discrete ones.

use lanthorn_distributions::*;
use lanthorn_tensor::{DType, Device, Tensor};
use pollster::block_on;
use std::rc::Rc;

const COUNT: usize = 20_000;

fn cpu() -> Device {
    Device::new(lanthorn_cpu::CpuBackend::new())
}

fn values(x: &Tensor) -> Vec<f64> {
    block_on(x.to(DType::F64).unwrap().reshape([-1]).unwrap().to_vec::<f64>()).unwrap()
}

/// The largest distance of the empirical distribution of uniform numbers to the line, times the
/// root of their count. It exceeds 1.95 with a probability of 0.1 % (Stephens, 1974).
fn kolmogorov(mut uniform: Vec<f64>) -> f64 {
    uniform.sort_by(f64::total_cmp);
    let n = uniform.len() as f64;
    let distance = |(i, u): (usize, &f64)| (u - i as f64 / n).abs().max(((i + 1) as f64 / n - u).abs());
    uniform.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

#[test]
fn continuous_samples_follow_their_distribution_functions() {
    let device = cpu();
    device.manual_seed(37);
    let cases: Vec<Rc<dyn Distribution>> = vec![
        Rc::new(Normal::new(1.0, 2.0).unwrap()),
        Rc::new(LogNormal::new(0.5, 0.75).unwrap()),
        Rc::new(HalfNormal::new(2.0).unwrap()),
        Rc::new(Uniform::new(-1.0, 3.0).unwrap()),
        Rc::new(Exponential::new(2.0).unwrap()),
        Rc::new(Laplace::new(0.5, 2.0).unwrap()),
        Rc::new(Cauchy::new(0.5, 2.0).unwrap()),
        Rc::new(HalfCauchy::new(2.0).unwrap()),
        Rc::new(Gumbel::new(0.5, 2.0).unwrap()),
        Rc::new(Pareto::new(1.0, 2.5).unwrap()),
        Rc::new(Weibull::new(2.0, 1.5).unwrap()),
        Rc::new(Kumaraswamy::new(2.0, 0.75).unwrap()),
        Rc::new(GeneralizedPareto::new(0.0, 1.0, 0.25).unwrap()),
        Rc::new(ContinuousBernoulli::new(0.2).unwrap()),
        Rc::new(Gamma::new(0.3, 1.0).unwrap()),
        Rc::new(Gamma::new(1.0, 2.0).unwrap()),
        Rc::new(Gamma::new(40.0, 1.0).unwrap()),
        Rc::new(InverseGamma::new(3.0, 2.0).unwrap()),
        Rc::new(Chi2::new(3.0).unwrap()),
    ];
    for case in cases {
        let x = case.sample(&[COUNT]).unwrap();
        let statistic = kolmogorov(values(&case.cdf(&x).unwrap()));
        assert!(statistic < 1.95, "{}: {statistic}", case.name());
    }
}

/// Compares samples from 0 to 1 with the mean of the density over equal intervals: Pearson's
/// statistic.
fn density_statistic(samples: &[f64], density: impl Fn(&Tensor) -> Tensor, low: f64, high: f64) -> f64 {
    const BINS: usize = 20;
    const POINTS: usize = 200;
    let width = (high - low) / (BINS * POINTS) as f64;
    let grid: Vec<f32> = (0..BINS * POINTS).map(|i| (low + (i as f64 + 0.5) * width) as f32).collect();
    let device = Device::default_device().unwrap();
    let grid = Tensor::from_slice(&grid, [grid.len() as i64], &device).unwrap();
    let densities = values(&density(&grid));
    let mut statistic = 0.0;
    for (bin, chunk) in densities.chunks(POINTS).enumerate() {
        let expected = chunk.iter().sum::<f64>() * width * samples.len() as f64;
        let from = low + (bin * POINTS) as f64 * width;
        let inside = |x: &&f64| **x >= from && **x < from + POINTS as f64 * width;
        let counted = samples.iter().filter(inside).count() as f64;
        statistic += (counted - expected).powi(2) / expected;
    }
    statistic
}

#[test]
fn samples_without_a_distribution_function_follow_their_densities() {
    let device = cpu();
    device.manual_seed(38);
    let cases: Vec<(Rc<dyn Distribution>, f64, f64)> = vec![
        (Rc::new(VonMises::new(0.5, 3.0).unwrap()), -1.0, 2.0),
        (Rc::new(VonMises::new(-1.0, 0.5).unwrap()), -3.0, 3.0),
        (Rc::new(Beta::new(2.0, 3.0).unwrap()), 0.05, 0.95),
        (Rc::new(StudentT::new(4.0, 0.0, 1.0).unwrap()), -3.0, 3.0),
        (Rc::new(FisherSnedecor::new(5.0, 7.0).unwrap()), 0.1, 3.0),
        (Rc::new(RelaxedBernoulli::new(1.5, 0.4).unwrap()), 0.05, 0.95),
    ];
    for (case, low, high) in cases {
        let samples = values(&case.sample(&[COUNT]).unwrap());
        let statistic = density_statistic(&samples, |x| case.log_prob(x).unwrap().exp().unwrap(), low, high);
        // 20 degrees of freedom: exceeded with a probability of 0.1 %.
        assert!(statistic < 45.3, "{}: {statistic}", case.name());
    }
}

#[test]
fn discrete_samples_follow_their_probabilities() {
    let device = cpu();
    device.manual_seed(39);
    let cases: Vec<(Rc<dyn Distribution>, usize, usize)> = vec![
        (Rc::new(Bernoulli::new(0.3).unwrap()), 0, 1),
        (Rc::new(Geometric::new(0.3).unwrap()), 0, 12),
        (Rc::new(Poisson::new(4.0).unwrap()), 0, 11),
        (Rc::new(Poisson::new(29.0).unwrap()), 16, 44),
        (Rc::new(Poisson::new(31.0).unwrap()), 18, 46),
        (Rc::new(Poisson::new(400.0).unwrap()), 370, 430),
        (Rc::new(Binomial::new(12.0, 0.3).unwrap()), 0, 8),
        (Rc::new(Binomial::new(60.0, 0.9).unwrap()), 46, 60),
        (Rc::new(Binomial::new(400.0, 0.25).unwrap()), 80, 120),
        (Rc::new(Binomial::new(200.0, 0.75).unwrap()), 134, 166),
        (Rc::new(NegativeBinomial::new(3.5, 0.5).unwrap()), 0, 12),
    ];
    for (case, low, high) in cases {
        let samples = values(&case.sample(&[COUNT]).unwrap());
        let numbers: Vec<f32> = (low..=high).map(|k| k as f32).collect();
        let numbers = Tensor::from_slice(&numbers, [numbers.len() as i64], &device).unwrap();
        let probabilities = values(&case.log_prob(&numbers).unwrap().exp().unwrap());
        let mut statistic = 0.0;
        for (k, probability) in (low..=high).zip(&probabilities) {
            let expected = probability * COUNT as f64;
            let counted = samples.iter().filter(|&&x| x == k as f64).count() as f64;
            statistic += (counted - expected).powi(2) / expected;
        }
        // The statistic has the mean `n` and the standard deviation `sqrt(2 n)`.
        let n = (high - low + 1) as f64;
        assert!(statistic < n + 3.7 * (2.0 * n).sqrt() + 4.0, "{} of {n}: {statistic}", case.name());
    }
}

/// Means of samples of distributions of vectors and matrices, within five standard errors.
#[test]
fn vectors_have_their_means() {
    let device = cpu();
    device.manual_seed(40);
    let tensor = |data: &[f32], shape: &[i64]| Tensor::from_slice(data, shape, &device).unwrap();
    let covariance = tensor(&[2.0, 0.5, 0.5, 1.0], &[2, 2]);
    let weights = tensor(&[0.25, 0.5, 0.25], &[3]);
    let mixture = Categorical::new(&weights).unwrap();
    let components = Normal::new(tensor(&[-1.0, 0.0, 4.0], &[3]), 0.5).unwrap();
    let cases: Vec<Rc<dyn Distribution>> = vec![
        Rc::new(MultivariateNormal::new(tensor(&[1.0, -2.0], &[2]), &covariance).unwrap()),
        Rc::new(
            LowRankMultivariateNormal::new(tensor(&[1.0, -2.0], &[2]), &covariance, tensor(&[0.5, 1.0], &[2])).unwrap(),
        ),
        Rc::new(Dirichlet::new(tensor(&[0.5, 1.5, 3.0], &[3])).unwrap()),
        Rc::new(OneHotCategorical::new(&weights).unwrap()),
        Rc::new(Multinomial::new(5, &weights).unwrap()),
        Rc::new(Wishart::new(3.5, &covariance).unwrap()),
        Rc::new(MixtureSameFamily::new(mixture, Rc::new(components)).unwrap()),
    ];
    for case in cases {
        let samples = case.sample(&[COUNT]).unwrap();
        let [mean, variance] = [samples.mean([0], false).unwrap(), case.variance().unwrap()].map(|x| values(&x));
        for ((got, want), variance) in mean.iter().zip(values(&case.mean().unwrap())).zip(variance) {
            let error = (variance / COUNT as f64).sqrt();
            assert!((got - want).abs() < 5.0 * error, "{}: {got} instead of {want}", case.name());
        }
    }
    let factor = LKJCholesky::new(3, 2.0).unwrap().sample(&[COUNT]).unwrap();
    let correlations = values(&factor.matmul(&factor.mt().unwrap()).unwrap().mean([0], false).unwrap());
    // A correlation has the variance 1 / (2 concentration + dim - 1).
    let error = (1.0 / 6.0 / COUNT as f64).sqrt();
    assert!(correlations.iter().enumerate().all(|(i, r)| (r - f64::from(i % 4 == 0)).abs() < 5.0 * error));
}

#[test]
fn a_seed_gives_the_same_samples_on_webgpu() {
    let backend = block_on(lanthorn_wgpu::WgpuBackend::new(lanthorn_wgpu::Options::default())).unwrap();
    let draw = |device: &Device| {
        device.manual_seed(41);
        let rate = Tensor::from_slice(&[0.5f32, 4.0, 50.0], [3], device).unwrap();
        let counts = Poisson::new(&rate).unwrap().sample(&[500]).unwrap();
        let trials = Binomial::new((&rate * 8.0).unwrap().floor().unwrap(), 0.3).unwrap().sample(&[500]).unwrap();
        let normal = Normal::new(&rate, 1.0).unwrap().sample(&[500]).unwrap();
        let classes = Categorical::new(&rate).unwrap().sample(&[500]).unwrap();
        let gamma = Gamma::new(&rate, 1.0).unwrap().sample(&[500]).unwrap();
        ([counts, trials, normal, classes].map(|x| values_f32(&x)), values_f32(&gamma))
    };
    let (exact, gamma) = draw(&cpu());
    let (other, other_gamma) = draw(&Device::new(backend));
    assert!(exact == other);
    // The last steps of a gamma number are logarithms, which differ in their last bit.
    assert!(gamma.iter().zip(&other_gamma).all(|(a, b)| (a - b).abs() <= 1e-4 * a.abs() + 1e-6));
}

fn values_f32(x: &Tensor) -> Vec<f32> {
    block_on(x.to(DType::F32).unwrap().reshape([-1]).unwrap().to_vec::<f32>()).unwrap()
}
