//! Random numbers have the distributions that they say: moments within five standard errors, and
//! every outcome as often as it should be.

use crate::common::*;

const COUNT: i64 = 40_000;

/// Checks mean and variance against the distribution, whose kurtosis bounds the error of the
/// variance.
#[track_caller]
fn has_moments(x: &Tensor, mean: f64, variance: f64, kurtosis: f64) {
    let values: Vec<f64> = read(x).into_iter().map(f64::from).collect();
    let n = values.len() as f64;
    let got = values.iter().sum::<f64>() / n;
    let spread = values.iter().map(|value| (value - got).powi(2)).sum::<f64>() / n;
    assert!((got - mean).abs() < 5.0 * (variance / n).sqrt(), "mean {got}, expected {mean}");
    assert!(
        (spread - variance).abs() < 5.0 * variance * ((kurtosis - 1.0) / n).sqrt(),
        "variance {spread}, expected {variance}"
    );
}

#[test]
fn moments() -> Result<()> {
    let device = device();
    device.manual_seed(3);
    let x = Tensor::zeros([COUNT])?;
    has_moments(&x.uniform(-1.0, 3.0)?, 1.0, 16.0 / 12.0, 1.8);
    has_moments(&x.exponential(2.0)?, 0.5, 0.25, 9.0);
    has_moments(&x.normal_functional(2.0, 0.5)?, 2.0, 0.25, 3.0);
    has_moments(&Tensor::normal_size(-1.0, 3.0, [COUNT])?, -1.0, 9.0, 3.0);
    has_moments(&Tensor::normal(&x.add(4.0)?, 0.1)?, 4.0, 0.01, 3.0);
    has_moments(&x.log_normal(0.5, 0.25)?.log()?, 0.5, 0.0625, 3.0);
    has_moments(&x.geometric(0.25)?, 4.0, 12.0, 9.1);
    has_moments(&x.bernoulli_p(0.3)?, 0.3, 0.21, 1.8);
    has_moments(&x.add(0.8)?.bernoulli()?, 0.8, 0.16, 3.3);
    has_moments(&Tensor::randint_low(-4, 6, [COUNT])?.to(DType::F32)?, 0.5, 99.0 / 12.0, 1.8);
    // The Cauchy distribution has no moments, but quartiles: half of it lies within its width.
    has_moments(&x.cauchy(1.0, 2.0)?.sub(1.0)?.abs()?.lt(2.0)?.to(DType::F32)?, 0.5, 0.25, 1.0 + 1e-3);
    Ok(())
}

#[test]
fn every_outcome_is_as_likely() -> Result<()> {
    let device = device();
    device.manual_seed(5);
    let counts = |values: Vec<f32>, outcomes: usize| {
        let mut counts = vec![0f64; outcomes];
        values.iter().for_each(|&value| counts[value as usize] += 1.0);
        counts
    };
    let even = |counts: Vec<f64>| {
        let expected = counts.iter().sum::<f64>() / counts.len() as f64;
        assert!(counts.iter().all(|count| (count - expected).abs() < 5.0 * expected.sqrt()), "{counts:?}");
    };
    even(counts(read(&Tensor::randint(10, [COUNT])?.to(DType::F32)?), 10));
    // A category is drawn in proportion to its weight: with weight 0 never, and without replacement
    // once.
    let weights = tensor(&[1.0, 0.0, 3.0], &[3]);
    let drawn = counts(read(&weights.multinomial(COUNT, true)?.to(DType::F32)?), 3);
    assert!(drawn[1] == 0.0 && (drawn[0] - 10_000.0).abs() < 5.0 * 7500f64.sqrt(), "{drawn:?}");
    // Memory and time follow the numbers of weights and of samples, and not their product.
    let [weights, samples] = [4096i64, 100_000];
    let even_ones = Tensor::arange(0, weights, 1)?.remainder(2)?.logical_not()?.to(DType::F32)?;
    let drawn = read(&even_ones.multinomial(samples, true)?.to(DType::F32)?);
    assert!(drawn.iter().all(|&index| index % 2.0 == 0.0 && (0.0..4096.0).contains(&index)));
    even(counts(drawn.iter().map(|index| (index / 256.0).floor()).collect(), 16));
    let all = read(&Tensor::ones([2, 5])?.multinomial(5, false)?.to(DType::F32)?);
    even(counts(all, 5));
    // Each number is at each position equally often.
    let mut positions = Vec::new();
    for _ in 0..2000 {
        let order = read(&Tensor::randperm(6)?.to(DType::F32)?);
        let mut sorted = order.clone();
        sorted.sort_by(f32::total_cmp);
        assert_eq!(sorted, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        positions.extend(order.iter().enumerate().map(|(position, &number)| position as f32 * 6.0 + number));
    }
    even(counts(positions, 36));
    Ok(())
}

#[test]
fn a_seed_gives_the_same_numbers_and_a_call_other_ones() -> Result<()> {
    let device = device();
    let draw = || -> Result<[Vec<f32>; 4]> {
        let x = Tensor::zeros([8])?;
        x.exponential_(1.0)?;
        Ok([
            read(&x),
            read(&Tensor::randperm(20)?.to(DType::F32)?),
            read(&Tensor::randint(1000, [8])?.to(DType::F32)?),
            read(&x.normal_functional(0.0, 1.0)?),
        ])
    };
    device.manual_seed(9);
    let (first, second) = (draw()?, draw()?);
    device.manual_seed(9);
    assert_eq!(draw()?, first);
    first.iter().zip(&second).for_each(|(first, second)| assert_ne!(first, second));
    Ok(())
}

#[test]
fn what_has_no_distribution_is_refused() -> Result<()> {
    let _device = device();
    let x = count(&[3]);
    refused(x.uniform(1.0, 0.0), "argument", &["uniform"]);
    refused(x.exponential(0.0), "argument", &["exponential"]);
    refused(x.normal_functional(0.0, -1.0), "argument", &["std"]);
    refused(x.bernoulli_p(1.5), "argument", &["bernoulli"]);
    refused(x.geometric(0.0), "argument", &["geometric"]);
    refused(x.cauchy(0.0, f64::NAN), "argument", &["cauchy"]);
    refused(Tensor::randint_low(3, 3, [2]), "argument", &["randint"]);
    refused(x.multinomial(4, false), "argument", &["multinomial"]);
    refused(Tensor::randperm(-1), "shape", &["randperm"]);
    refused(ints(&[1], &[1]).exponential(1.0), "dtype", &["exponential"]);
    Ok(())
}
