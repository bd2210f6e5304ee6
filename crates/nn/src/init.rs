//! Initializers of parameters, as `torch.nn.init`.
//!
//! Each function fills a parameter in place, outside of autograd. The functions in [`INITS`] are
//! JavaScript's `nn.init` too.

#[macro_use]
mod gain;

pub use gain::{CALCULATE_GAIN, FanMode, GainOf, calculate_gain};

use crate::{Parameter, table::documentation};
use lanthorn_schema::Schema;
use lanthorn_tensor::{
    Error, Ints, QrMode, Result, Tensor, no_grad,
    ops::{Arg, Args},
};

/// Fills a parameter with uniform numbers from `low` to `high`.
///
/// # Errors
///
/// The error of the device.
pub fn uniform_(parameter: &Tensor, low: f64, high: f64) -> Result<()> {
    no_grad(|| {
        let unit = Tensor::rand_with(parameter.shape(), parameter.dtype(), Some(parameter.device()))?;
        parameter.copy_(&unit.mul(high - low)?.add(low)?)
    })
}

/// Fills a parameter with normal numbers.
///
/// # Errors
///
/// The error of the device.
pub fn normal_(parameter: &Tensor, mean: f64, std: f64) -> Result<()> {
    no_grad(|| {
        let unit = Tensor::randn_with(parameter.shape(), parameter.dtype(), Some(parameter.device()))?;
        parameter.copy_(&unit.mul(std)?.add(mean)?)
    })
}

/// Fills a parameter with normally distributed numbers truncated to `low` to `high`.
///
/// It inverts the distribution function, as PyTorch does: uniform numbers between its values at
/// both ends.
///
/// # Errors
///
/// The error of the device.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::Tensor;
/// let x = Tensor::zeros([1000])?;
/// lanthorn::nn::init::trunc_normal_(&x, 0.0, 1.0, -0.5, 2.0)?;
/// assert!(pollster::block_on(x.to_vec::<f32>())?.iter().all(|x| (-0.5..=2.0).contains(x)));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn trunc_normal_(parameter: &Tensor, mean: f64, std: f64, low: f64, high: f64) -> Result<()> {
    let options = (parameter.dtype(), Some(parameter.device()));
    no_grad(|| {
        // 2 cdf - 1, the argument of the inverse error function.
        let end = |value: f64| Tensor::full_with([], (value - mean) / std / 2f64.sqrt(), options.0, options.1)?.erf();
        let (low_end, high_end) = (end(low)?, end(high)?);
        let unit = Tensor::rand_with(parameter.shape(), options.0, options.1)?;
        let spread = unit.mul(&high_end.sub(&low_end)?)?.add(&low_end)?.erfinv()?;
        parameter.copy_(&spread.mul(std * 2f64.sqrt())?.add(mean)?.clamp(Some(low.into()), Some(high.into()))?)
    })
}

/// Fills a parameter with a number.
///
/// # Errors
///
/// The error of the device.
pub fn constant_(parameter: &Tensor, value: f64) -> Result<()> {
    no_grad(|| {
        parameter.copy_(
            &Tensor::full_with([], value, parameter.dtype(), Some(parameter.device()))?.expand(parameter.shape())?,
        )
    })
}

/// Fills a parameter with ones.
///
/// # Errors
///
/// The error of the device.
pub fn ones_(parameter: &Tensor) -> Result<()> {
    constant_(parameter, 1.0)
}

/// Fills a parameter with zeros.
///
/// # Errors
///
/// The error of the device.
pub fn zeros_(parameter: &Tensor) -> Result<()> {
    constant_(parameter, 0.0)
}

/// Fills a matrix with the identity, with zeros beyond it if it is not square.
///
/// # Errors
///
/// `shape` if the parameter is no matrix.
pub fn eye_(parameter: &Tensor) -> Result<()> {
    let [rows, columns] = parameter.shape()[..] else {
        return Err(Error::shape("eye_", format!("takes a matrix, not shape {}", parameter.shape())));
    };
    no_grad(|| {
        let index = |size: usize| Tensor::arange_with(0, size as i64, 1, None, Some(parameter.device()));
        let diagonal = index(rows)?.unsqueeze(1)?.eq(&index(columns)?)?;
        parameter.copy_(&diagonal.to(parameter.dtype())?)
    })
}

/// The numbers of inputs and outputs that an element of a weight `[out, in, ..]` connects: fan in
/// and fan out.
///
/// # Errors
///
/// `shape` for fewer than two dimensions.
pub fn fans(weight: &Tensor) -> Result<(usize, usize)> {
    match weight.shape()[..] {
        [outputs, inputs, ref window @ ..] => {
            let taps = window.iter().product::<usize>();
            Ok((inputs * taps, outputs * taps))
        }
        _ => Err(Error::shape("fan_in", format!("a weight has at least 2 dimensions, not shape {}", weight.shape()))),
    }
}

/// The fan in of a weight `[out, in, ..]`: the number of inputs of one output.
///
/// # Errors
///
/// `shape` for fewer than two dimensions.
pub fn fan_in(weight: &Tensor) -> Result<usize> {
    fans(weight).map(|(inputs, _)| inputs)
}

/// Glorot's uniform initialization (Glorot and Bengio, 2010): within
/// `gain * sqrt(6 / (fan_in + fan_out))`.
///
/// # Errors
///
/// `shape` for fewer than two dimensions.
pub fn xavier_uniform_(weight: &Tensor, gain: f64) -> Result<()> {
    let (inputs, outputs) = fans(weight)?;
    let bound = gain * (6.0 / (inputs + outputs).max(1) as f64).sqrt();
    uniform_(weight, -bound, bound)
}

/// Glorot's normal initialization (Glorot and Bengio, 2010): standard deviation
/// `gain * sqrt(2 / (fan_in + fan_out))`.
///
/// # Errors
///
/// `shape` for fewer than two dimensions.
pub fn xavier_normal_(weight: &Tensor, gain: f64) -> Result<()> {
    let (inputs, outputs) = fans(weight)?;
    normal_(weight, 0.0, gain * (2.0 / (inputs + outputs).max(1) as f64).sqrt())
}

/// He's standard deviation: the gain of the nonlinearity divided by the root of the fan that `mode`
/// selects.
fn kaiming(weight: &Tensor, a: f64, mode: FanMode, nonlinearity: GainOf) -> Result<f64> {
    let (inputs, outputs) = fans(weight)?;
    let fan = match mode {
        FanMode::FanIn => inputs,
        FanMode::FanOut => outputs,
    };
    Ok(calculate_gain(nonlinearity, Some(a)) / (fan.max(1) as f64).sqrt())
}

/// He's uniform initialization (He et al., 2015) for a nonlinearity: within the root of 3 times its
/// standard deviation.
///
/// `a` is the slope of a leaky ReLU. PyTorch's layers use `a = sqrt(5)`.
///
/// # Errors
///
/// `shape` for fewer than two dimensions.
pub fn kaiming_uniform_(weight: &Tensor, a: f64, mode: FanMode, nonlinearity: GainOf) -> Result<()> {
    let bound = 3f64.sqrt() * kaiming(weight, a, mode, nonlinearity)?;
    uniform_(weight, -bound, bound)
}

/// He's normal initialization (He et al., 2015) for a nonlinearity; with the arguments of
/// [`kaiming_uniform_`].
///
/// # Errors
///
/// `shape` for fewer than two dimensions.
pub fn kaiming_normal_(weight: &Tensor, a: f64, mode: FanMode, nonlinearity: GainOf) -> Result<()> {
    normal_(weight, 0.0, kaiming(weight, a, mode, nonlinearity)?)
}

/// Fills a weight `[rows, ..]` so that its rows, flattened, are orthonormal times `gain`; if there
/// are fewer columns than rows, the columns are (Saxe et al., 2014).
///
/// # Errors
///
/// `shape` for fewer than two dimensions.
pub fn orthogonal_(weight: &Tensor, gain: f64) -> Result<()> {
    if weight.rank() < 2 {
        return Err(Error::shape("orthogonal_", format!("takes at least 2 dimensions, not shape {}", weight.shape())));
    }
    if weight.shape().contains(&0) {
        return Ok(());
    }
    let rows = weight.shape()[0];
    let columns: usize = weight.shape()[1..].iter().product();
    no_grad(|| {
        let tall = [rows.max(columns) as i64, rows.min(columns) as i64];
        let (q, r) = Tensor::randn_with(tall, None, Some(weight.device()))?.linalg_qr(QrMode::Reduced)?;
        // Uniform among all orthonormal matrices: the signs make R's diagonal positive.
        let q = q.mul(&r.diagonal(0, 0, 1)?.sign()?)?;
        let q = if rows < columns { q.transpose(0, 1)? } else { q };
        parameter_from(weight, &q.mul(gain)?)
    })
}

fn parameter_from(parameter: &Tensor, values: &Tensor) -> Result<()> {
    parameter.copy_(&values.reshape(parameter.shape())?.to(parameter.dtype())?)
}

/// A matrix of normal numbers with a fraction `sparsity` of zeros in every column (Martens, 2010).
///
/// # Errors
///
/// `shape` if the weight is no matrix.
pub fn sparse_(weight: &Tensor, sparsity: f64, std: f64) -> Result<()> {
    let [rows, _] = weight.shape()[..] else {
        return Err(Error::shape("sparse_", format!("takes a matrix, not shape {}", weight.shape())));
    };
    let zeros = (sparsity * rows as f64).ceil();
    normal_(weight, 0.0, std)?;
    no_grad(|| {
        // The ranks of random numbers within their column are a random permutation.
        let ranks = Tensor::rand_with(weight.shape(), None, Some(weight.device()))?.argsort(0, false)?;
        weight.mul_(&ranks.ge(zeros)?.to(weight.dtype())?)
    })
}

/// Fills a convolution's weight `[out, in, *kernel]` so that it copies its input, channel by
/// channel, in each of `groups`.
///
/// # Errors
///
/// `shape` unless there are 3 to 5 dimensions, the first divisible by `groups`.
pub fn dirac_(weight: &Tensor, groups: i64) -> Result<()> {
    let sizes: Vec<i64> = weight.shape().iter().map(|&size| size as i64).collect();
    if !(3..=5).contains(&sizes.len()) || groups < 1 || sizes[0] % groups != 0 {
        let message =
            format!("takes 3 to 5 dimensions, the first divisible by groups {groups}, not shape {}", weight.shape());
        return Err(Error::shape("dirac_", message));
    }
    no_grad(|| {
        zeros_(weight)?;
        let outputs = sizes[0] / groups;
        for group in 0..groups {
            let mut middle = weight.narrow(0, group * outputs, outputs)?;
            for &size in &sizes[2..] {
                middle = middle.select(2, size / 2)?;
            }
            eye_(&middle)?;
        }
        Ok(())
    })
}

/// A parameter of zeros on the default device.
///
/// # Errors
///
/// `argument` for a negative size, and the error of the device.
pub fn zeros(shape: impl Into<Ints>) -> Result<Parameter> {
    Tensor::zeros(shape)?.requires_grad_(true)
}

/// A parameter of ones on the default device.
///
/// # Errors
///
/// `argument` for a negative size, and the error of the device.
pub fn ones(shape: impl Into<Ints>) -> Result<Parameter> {
    Tensor::ones(shape)?.requires_grad_(true)
}

/// A layer's weight `[out, in, ..]` with the default initialization of PyTorch's layers: uniform
/// within `1 / sqrt(fan_in)`.
///
/// # Errors
///
/// `shape` for fewer than two dimensions, `argument` for a negative size.
pub fn weight(shape: impl Into<Ints>) -> Result<Parameter> {
    let weight = zeros(shape)?;
    kaiming_uniform_(&weight, 5f64.sqrt(), FanMode::FanIn, GainOf::LeakyRelu)?;
    Ok(weight)
}

/// The bias of `count` numbers for a layer's weight: uniform within the same bound, or 0 where the
/// weight has no inputs.
///
/// # Errors
///
/// `shape` if the weight has fewer than two dimensions.
pub fn bias(weight: &Tensor, count: i64) -> Result<Parameter> {
    let bias = zeros([count])?;
    let inputs = fan_in(weight)? as f64;
    let bound = if inputs > 0.0 { 1.0 / inputs.sqrt() } else { 0.0 };
    uniform_(&bias, -bound, bound)?;
    Ok(bias)
}

/// An initializer by its name, for dynamically typed callers.
pub struct InitSpec {
    /// Its schema; the first parameter is the tensor to fill.
    pub text: &'static str,
    /// One sentence; present with the feature `reference`.
    pub doc: &'static str,
    /// Runs it.
    pub run: fn(&Args<'_>) -> Result<()>,
}

impl InitSpec {
    /// Fills the first of these arguments according to the others.
    ///
    /// # Errors
    ///
    /// `argument` for arguments that the schema does not take, and the error of the initializer.
    pub fn fill(&self, args: &[Arg]) -> Result<()> {
        // The table's test parses every schema.
        let schema = Schema::parse(self.text).expect("an initializer's schema parses");
        (self.run)(&Args::bind(&schema, args)?)
    }
}

/// Every initializer.
pub static INITS: &[InitSpec] = &[
    InitSpec {
        text: "uniform_(Tensor tensor, float a=0.0, float b=1.0) -> Tensor",
        doc: documentation("Fills a tensor with uniform numbers from `a` to `b`."),
        run: |args| uniform_(args.tensor(0), args.float(1), args.float(2)),
    },
    InitSpec {
        text: "normal_(Tensor tensor, float mean=0.0, float std=1.0) -> Tensor",
        doc: documentation("Fills a tensor with normal numbers."),
        run: |args| normal_(args.tensor(0), args.float(1), args.float(2)),
    },
    InitSpec {
        text: "trunc_normal_(Tensor tensor, float mean=0.0, float std=1.0, float a=-2.0, float b=2.0) -> Tensor",
        doc: documentation("Fills a tensor with normal numbers truncated to `a` to `b`."),
        run: |args| trunc_normal_(args.tensor(0), args.float(1), args.float(2), args.float(3), args.float(4)),
    },
    InitSpec {
        text: "constant_(Tensor tensor, float val) -> Tensor",
        doc: documentation("Fills a tensor with a number."),
        run: |args| constant_(args.tensor(0), args.float(1)),
    },
    InitSpec {
        text: "ones_(Tensor tensor) -> Tensor",
        doc: documentation("Fills a tensor with ones."),
        run: |args| ones_(args.tensor(0)),
    },
    InitSpec {
        text: "zeros_(Tensor tensor) -> Tensor",
        doc: documentation("Fills a tensor with zeros."),
        run: |args| zeros_(args.tensor(0)),
    },
    InitSpec {
        text: "eye_(Tensor tensor) -> Tensor",
        doc: documentation("Fills a matrix with the identity, with zeros beyond it if it is not square."),
        run: |args| eye_(args.tensor(0)),
    },
    InitSpec {
        text: "dirac_(Tensor tensor, int groups=1) -> Tensor",
        doc: documentation(
            "A weight with which a convolution copies its input, channel by channel, in each of `groups`.",
        ),
        run: |args| dirac_(args.tensor(0), args.int(1)),
    },
    InitSpec {
        text: "xavier_uniform_(Tensor tensor, float gain=1.0) -> Tensor",
        doc: documentation("Glorot's uniform initialization: within `gain * sqrt(6 / (fan_in + fan_out))`."),
        run: |args| xavier_uniform_(args.tensor(0), args.float(1)),
    },
    InitSpec {
        text: "xavier_normal_(Tensor tensor, float gain=1.0) -> Tensor",
        doc: documentation("Glorot's normal initialization: standard deviation `gain * sqrt(2 / (fan_in + fan_out))`."),
        run: |args| xavier_normal_(args.tensor(0), args.float(1)),
    },
    InitSpec {
        text: concat!(
            "kaiming_uniform_(Tensor tensor, float a=0.0, str{fan_in|fan_out} mode=\"fan_in\", str{",
            nonlinearities!(),
            "} nonlinearity=\"leaky_relu\") -> Tensor"
        ),
        doc: documentation(
            "He's uniform initialization for a nonlinearity; `a` is the slope of a leaky ReLU, `mode` is `\"fan_in\"` or `\"fan_out\"`.",
        ),
        run: |args| kaiming_uniform_(args.tensor(0), args.float(1), args.choice(2), args.choice(3)),
    },
    InitSpec {
        text: concat!(
            "kaiming_normal_(Tensor tensor, float a=0.0, str{fan_in|fan_out} mode=\"fan_in\", str{",
            nonlinearities!(),
            "} nonlinearity=\"leaky_relu\") -> Tensor"
        ),
        doc: documentation(
            "He's normal initialization for a nonlinearity; `a` is the slope of a leaky ReLU, `mode` is `\"fan_in\"` or `\"fan_out\"`.",
        ),
        run: |args| kaiming_normal_(args.tensor(0), args.float(1), args.choice(2), args.choice(3)),
    },
    InitSpec {
        text: "orthogonal_(Tensor tensor, float gain=1.0) -> Tensor",
        doc: documentation("A weight whose rows (or columns, if there are fewer) are orthonormal times `gain`."),
        run: |args| orthogonal_(args.tensor(0), args.float(1)),
    },
    InitSpec {
        text: "sparse_(Tensor tensor, float sparsity, float std=0.01) -> Tensor",
        doc: documentation("A matrix of normal numbers with a fraction `sparsity` of zeros in every column."),
        run: |args| sparse_(args.tensor(0), args.float(1), args.float(2)),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_tensor::{Device, Scalar};
    use pollster::block_on;

    fn filled(shape: &[i64], fill: impl FnOnce(&Tensor) -> Result<()>) -> Vec<f32> {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        device.manual_seed(7);
        let tensor = Tensor::full_with(shape, 9.0, None, Some(&device)).unwrap();
        fill(&tensor).unwrap();
        block_on(tensor.to_vec::<f32>()).unwrap()
    }

    fn deviation(values: &[f32]) -> f32 {
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / values.len() as f32).sqrt()
    }

    /// Checks that the numbers reach their bounds and have the standard deviation of a uniform
    /// variable.
    fn assert_uniform(values: &[f32], bound: f32) {
        let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        assert!(largest <= bound && largest > 0.97 * bound, "{largest} of {bound}");
        assert!((deviation(values) / (bound / 3f32.sqrt()) - 1.0).abs() < 0.1);
    }

    #[test]
    fn uniform_ones_fill_their_bounds() {
        assert_uniform(
            &filled(&[50, 24], |w| kaiming_uniform_(w, 5f64.sqrt(), FanMode::FanIn, GainOf::LeakyRelu)),
            (1.0f32 / 24.0).sqrt(),
        );
        assert_uniform(
            &filled(&[50, 24], |w| kaiming_uniform_(w, 0.0, FanMode::FanOut, GainOf::Relu)),
            (6.0f32 / 50.0).sqrt(),
        );
        assert_uniform(&filled(&[20, 6, 5], |w| xavier_uniform_(w, 2.0)), 2.0 * (6.0f32 / 130.0).sqrt());
    }

    #[test]
    fn normal_ones_have_their_deviations() {
        let near = |values: Vec<f32>, want: f32| {
            assert!((deviation(&values) / want - 1.0).abs() < 0.06, "{}", deviation(&values))
        };
        near(filled(&[80, 40], |w| kaiming_normal_(w, 0.0, FanMode::FanIn, GainOf::Relu)), (2.0f32 / 40.0).sqrt());
        near(filled(&[80, 40], |w| xavier_normal_(w, 1.0)), (2.0f32 / 120.0).sqrt());
        // Of a normal variable truncated at one deviation: the root of 1 - 2 phi(1) / (2 Phi(1) -
        // 1).
        let cut = filled(&[4000], |w| trunc_normal_(w, 1.0, 2.0, -1.0, 3.0));
        assert!(cut.iter().all(|value| (-1.0..=3.0).contains(value)));
        near(cut, 2.0 * 0.5396);
    }

    #[test]
    fn an_orthogonal_weight_has_orthonormal_rows_or_columns() {
        for shape in [[4i64, 6], [6, 4]] {
            let [rows, columns] = shape.map(|size| size as usize);
            let values = filled(&shape, |w| orthogonal_(w, 3.0));
            let (count, length) = (rows.min(columns), rows.max(columns));
            let at = |vector: usize, index: usize| {
                if rows < columns { values[vector * columns + index] } else { values[index * columns + vector] }
            };
            for a in 0..count {
                for b in 0..count {
                    let product: f32 = (0..length).map(|index| at(a, index) * at(b, index)).sum();
                    assert!((product - if a == b { 9.0 } else { 0.0 }).abs() < 1e-4, "{shape:?}: {a} {b} {product}");
                }
            }
        }
    }

    #[test]
    fn the_ones_of_fixed_positions() {
        assert_eq!(filled(&[2, 3], eye_), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let dirac = filled(&[4, 2, 3], |w| dirac_(w, 2));
        assert_eq!(
            dirac.iter().enumerate().filter(|(_, value)| **value == 1.0).map(|(index, _)| index).collect::<Vec<_>>(),
            [1, 10, 13, 22]
        );
        assert_eq!(dirac.iter().sum::<f32>(), 4.0);
        let sparse = filled(&[10, 7], |w| sparse_(w, 0.25, 0.5));
        for column in 0..7 {
            assert_eq!((0..10).filter(|row| sparse[row * 7 + column] == 0.0).count(), 3);
        }
    }

    #[test]
    fn a_gain_is_pytorchs_and_a_wrong_name_an_error() {
        assert_eq!(calculate_gain(GainOf::Tanh, None), 5.0 / 3.0);
        assert!((calculate_gain(GainOf::LeakyRelu, Some(0.2)) - (2.0f64 / 1.04).sqrt()).abs() < 1e-12);
        assert!("sine".parse::<GainOf>().is_err_and(|error| error.is_argument()));
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        let vector = Tensor::zeros_with([3], None, Some(&device)).unwrap();
        for error in [
            xavier_uniform_(&vector, 1.0),
            eye_(&vector),
            orthogonal_(&vector, 1.0),
            dirac_(&vector, 1),
            sparse_(&vector, 0.1, 1.0),
        ] {
            assert!(error.is_err_and(|error| error.is_shape()));
        }
        let matrix = Tensor::zeros_with([3, 3], None, Some(&device)).unwrap();
        let kaiming = INITS.iter().find(|spec| spec.text.starts_with("kaiming_normal_")).unwrap();
        let args = [Arg::from(&matrix), Arg::from(0.0), Arg::Str("fan".into())];
        assert!(kaiming.fill(&args).is_err_and(|error| error.is_argument()));
    }

    #[test]
    fn every_initializer_is_run_by_its_schema() {
        for spec in INITS {
            let schema = Schema::parse(spec.text).unwrap();
            assert_eq!(schema.to_string(), spec.text);
            let required = schema
                .params
                .iter()
                .skip(1)
                .filter(|param| param.is_required())
                .map(|_| Arg::Scalar(Scalar::Float(0.5)));
            let shape: &[i64] = if schema.name == "dirac_" { &[4, 4, 3] } else { &[4, 4] };
            let values = filled(shape, |tensor| {
                spec.fill(&[Arg::Tensor(tensor.clone())].into_iter().chain(required).collect::<Vec<_>>())
            });
            assert!(values.iter().all(|value| *value != 9.0 && value.is_finite()), "{}", spec.text);
        }
    }
}
