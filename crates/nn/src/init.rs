//! Initial values of parameters, as `torch.nn.init`.
//!
//! A function fills a parameter in place, outside of autograd. Those that [`INITS`] lists are JavaScript's `nn.init`, too.

use crate::Parameter;
use lanthorn_tensor::{Error, Ints, Result, Tensor, no_grad, ops::Args};

/// Fills a parameter with uniform numbers from `low` to `high`.
pub fn uniform_(parameter: &Tensor, low: f64, high: f64) -> Result<()> {
    no_grad(|| {
        let unit = Tensor::rand_with(parameter.shape(), parameter.dtype(), Some(parameter.device()))?;
        parameter.copy_(&unit.mul(high - low)?.add(low)?)
    })
}

/// Fills a parameter with normal numbers.
pub fn normal_(parameter: &Tensor, mean: f64, std: f64) -> Result<()> {
    no_grad(|| {
        let unit = Tensor::randn_with(parameter.shape(), parameter.dtype(), Some(parameter.device()))?;
        parameter.copy_(&unit.mul(std)?.add(mean)?)
    })
}

/// Fills a parameter with normal numbers of those from `low` to `high`.
///
/// By the inverse of the distribution function, as PyTorch: uniform numbers between its values at both ends.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_tensor::Tensor;
/// let x = Tensor::zeros([1000])?;
/// lanthorn_nn::init::trunc_normal_(&x, 0.0, 1.0, -0.5, 2.0)?;
/// assert!(pollster::block_on(x.to_vec::<f32>())?.iter().all(|x| (-0.5..=2.0).contains(x)));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub fn trunc_normal_(parameter: &Tensor, mean: f64, std: f64, low: f64, high: f64) -> Result<()> {
    let options = (parameter.dtype(), Some(parameter.device()));
    no_grad(|| {
        // 2 cdf - 1, what the inverse of the error function takes.
        let end = |value: f64| Tensor::full_with([], (value - mean) / std / 2f64.sqrt(), options.0, options.1)?.erf();
        let (low_end, high_end) = (end(low)?, end(high)?);
        let unit = Tensor::rand_with(parameter.shape(), options.0, options.1)?;
        let spread = unit.mul(&high_end.sub(&low_end)?)?.add(&low_end)?.erfinv()?;
        parameter.copy_(&spread.mul(std * 2f64.sqrt())?.add(mean)?.clamp(Some(low.into()), Some(high.into()))?)
    })
}

/// Fills a parameter with a number.
pub fn constant_(parameter: &Tensor, value: f64) -> Result<()> {
    no_grad(|| {
        parameter.copy_(&Tensor::full_with([], value, parameter.dtype(), Some(parameter.device()))?.expand(parameter.shape())?)
    })
}

/// Fills a parameter with ones.
pub fn ones_(parameter: &Tensor) -> Result<()> {
    constant_(parameter, 1.0)
}

/// Fills a parameter with zeros.
pub fn zeros_(parameter: &Tensor) -> Result<()> {
    constant_(parameter, 0.0)
}

/// Makes a matrix the identity, as far as its shape lets it.
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

/// How many inputs meet in one output of a weight `[out, in, ..]`, and in how many outputs an input goes.
pub fn fans(weight: &Tensor) -> Result<(usize, usize)> {
    match weight.shape()[..] {
        [outputs, inputs, ref window @ ..] => {
            let places = window.iter().product::<usize>();
            Ok((inputs * places, outputs * places))
        }
        _ => Err(Error::shape("fan_in", format!("a weight has at least 2 dimensions, not shape {}", weight.shape()))),
    }
}

/// How many inputs meet in one output of a weight `[out, in, ..]`.
pub fn fan_in(weight: &Tensor) -> Result<usize> {
    fans(weight).map(|(inputs, _)| inputs)
}

/// By what a nonlinearity shrinks the standard deviation: `"relu"` by the root of 2, `"leaky_relu"` of slope `param` by that of `2 / (1 + param^2)`.
pub fn calculate_gain(nonlinearity: &str, param: Option<f64>) -> Result<f64> {
    let slope = param.unwrap_or(0.01);
    Ok(match nonlinearity {
        "linear" | "conv1d" | "conv2d" | "conv3d" | "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d" | "sigmoid" => 1.0,
        "tanh" => 5.0 / 3.0,
        "relu" => 2f64.sqrt(),
        "leaky_relu" => (2.0 / (1.0 + slope * slope)).sqrt(),
        "selu" => 0.75,
        _ => return Err(Error::argument("calculate_gain", format!("there is no nonlinearity {nonlinearity:?}"))),
    })
}

/// Glorot's uniform initialization (Glorot and Bengio, 2010): within `gain * sqrt(6 / (fan_in + fan_out))`.
pub fn xavier_uniform_(weight: &Tensor, gain: f64) -> Result<()> {
    let (inputs, outputs) = fans(weight)?;
    let bound = gain * (6.0 / (inputs + outputs).max(1) as f64).sqrt();
    uniform_(weight, -bound, bound)
}

/// Glorot's normal initialization (Glorot and Bengio, 2010): of standard deviation `gain * sqrt(2 / (fan_in + fan_out))`.
pub fn xavier_normal_(weight: &Tensor, gain: f64) -> Result<()> {
    let (inputs, outputs) = fans(weight)?;
    normal_(weight, 0.0, gain * (2.0 / (inputs + outputs).max(1) as f64).sqrt())
}

/// He's standard deviation: the gain of the nonlinearity by the root of the fan that `mode` names.
fn kaiming(weight: &Tensor, a: f64, mode: &str, nonlinearity: &str) -> Result<f64> {
    let (inputs, outputs) = fans(weight)?;
    let fan = match mode {
        "fan_in" => inputs,
        "fan_out" => outputs,
        _ => return Err(Error::argument("kaiming", format!("mode is fan_in or fan_out, not {mode:?}"))),
    };
    Ok(calculate_gain(nonlinearity, Some(a))? / (fan.max(1) as f64).sqrt())
}

/// He's uniform initialization (He et al., 2015) for a nonlinearity: within the root of 3 of its standard deviation.
///
/// `a` is the slope of a leaky ReLU, `mode` is `"fan_in"` or `"fan_out"`. PyTorch's layers take `a = sqrt(5)`.
pub fn kaiming_uniform_(weight: &Tensor, a: f64, mode: &str, nonlinearity: &str) -> Result<()> {
    let bound = 3f64.sqrt() * kaiming(weight, a, mode, nonlinearity)?;
    uniform_(weight, -bound, bound)
}

/// He's normal initialization (He et al., 2015) for a nonlinearity; the arguments are those of [`kaiming_uniform_`].
pub fn kaiming_normal_(weight: &Tensor, a: f64, mode: &str, nonlinearity: &str) -> Result<()> {
    normal_(weight, 0.0, kaiming(weight, a, mode, nonlinearity)?)
}

/// A weight `[rows, ..]` whose rows, flattened, are orthonormal times `gain`, or whose columns are where there are fewer (Saxe et al., 2014).
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
        let (q, r) = Tensor::randn_with(tall, None, Some(weight.device()))?.linalg_qr("reduced")?;
        // Uniform among all of them: with the signs that make R's diagonal positive.
        let q = q.mul(&r.diagonal(0, 0, 1)?.sign()?)?;
        let q = if rows < columns { q.transpose(0, 1)? } else { q };
        parameter_from(weight, &q.mul(gain)?)
    })
}

fn parameter_from(parameter: &Tensor, values: &Tensor) -> Result<()> {
    parameter.copy_(&values.reshape(parameter.shape())?.to(parameter.dtype())?)
}

/// A matrix of normal numbers with a share `sparsity` of every column 0 (Martens, 2010).
pub fn sparse_(weight: &Tensor, sparsity: f64, std: f64) -> Result<()> {
    let [rows, _] = weight.shape()[..] else {
        return Err(Error::shape("sparse_", format!("takes a matrix, not shape {}", weight.shape())));
    };
    let zeros = (sparsity * rows as f64).ceil();
    normal_(weight, 0.0, std)?;
    no_grad(|| {
        // The rank of random numbers in their column is a random permutation.
        let ranks = Tensor::rand_with(weight.shape(), None, Some(weight.device()))?.argsort(0, false)?;
        weight.mul_(&ranks.ge(zeros)?.to(weight.dtype())?)
    })
}

/// A convolution's weight `[out, in, *kernel]` that passes on its input, channel by channel, in each of `groups`.
pub fn dirac_(weight: &Tensor, groups: i64) -> Result<()> {
    let sizes: Vec<i64> = weight.shape().iter().map(|&size| size as i64).collect();
    if !(3..=5).contains(&sizes.len()) || groups < 1 || sizes[0] % groups != 0 {
        let message = format!("takes 3 to 5 dimensions, the first divisible by groups {groups}, not shape {}", weight.shape());
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
pub fn zeros(shape: impl Into<Ints>) -> Result<Parameter> {
    Tensor::zeros(shape)?.requires_grad_(true)
}

/// A parameter of ones on the default device.
pub fn ones(shape: impl Into<Ints>) -> Result<Parameter> {
    Tensor::ones(shape)?.requires_grad_(true)
}

/// A layer's weight `[out, in, ..]` as PyTorch's layers begin: uniform within `1 / sqrt(fan_in)`.
pub fn weight(shape: impl Into<Ints>) -> Result<Parameter> {
    let weight = zeros(shape)?;
    kaiming_uniform_(&weight, 5f64.sqrt(), "fan_in", "leaky_relu")?;
    Ok(weight)
}

/// The bias of `count` numbers that goes with a layer's weight: uniform within the same bound, or 0 where the weight has no inputs.
pub fn bias(weight: &Tensor, count: i64) -> Result<Parameter> {
    let bias = zeros([count])?;
    let inputs = fan_in(weight)? as f64;
    let bound = if inputs > 0.0 { 1.0 / inputs.sqrt() } else { 0.0 };
    uniform_(&bias, -bound, bound)?;
    Ok(bias)
}

/// An initializer by its name, for callers without types.
pub struct InitSpec {
    /// Its schema; the first parameter is filled.
    pub text: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Fills it.
    pub run: fn(&Args<'_>) -> Result<()>,
}

/// Every initializer.
pub static INITS: &[InitSpec] = &[
    InitSpec {
        text: "uniform_(Tensor tensor, float a=0.0, float b=1.0) -> Tensor",
        doc: "Fills a tensor with uniform numbers from `a` to `b`.",
        run: |args| uniform_(args.tensor(0), args.float(1), args.float(2)),
    },
    InitSpec {
        text: "normal_(Tensor tensor, float mean=0.0, float std=1.0) -> Tensor",
        doc: "Fills a tensor with normal numbers.",
        run: |args| normal_(args.tensor(0), args.float(1), args.float(2)),
    },
    InitSpec {
        text: "trunc_normal_(Tensor tensor, float mean=0.0, float std=1.0, float a=-2.0, float b=2.0) -> Tensor",
        doc: "Fills a tensor with normal numbers of those from `a` to `b`.",
        run: |args| trunc_normal_(args.tensor(0), args.float(1), args.float(2), args.float(3), args.float(4)),
    },
    InitSpec {
        text: "constant_(Tensor tensor, float val) -> Tensor",
        doc: "Fills a tensor with a number.",
        run: |args| constant_(args.tensor(0), args.float(1)),
    },
    InitSpec { text: "ones_(Tensor tensor) -> Tensor", doc: "Fills a tensor with ones.", run: |args| ones_(args.tensor(0)) },
    InitSpec { text: "zeros_(Tensor tensor) -> Tensor", doc: "Fills a tensor with zeros.", run: |args| zeros_(args.tensor(0)) },
    InitSpec {
        text: "eye_(Tensor tensor) -> Tensor",
        doc: "Makes a matrix the identity, as far as its shape lets it.",
        run: |args| eye_(args.tensor(0)),
    },
    InitSpec {
        text: "dirac_(Tensor tensor, int groups=1) -> Tensor",
        doc: "A convolution's weight that passes on its input, channel by channel, in each of `groups`.",
        run: |args| dirac_(args.tensor(0), args.int(1)),
    },
    InitSpec {
        text: "xavier_uniform_(Tensor tensor, float gain=1.0) -> Tensor",
        doc: "Glorot's uniform initialization: within `gain * sqrt(6 / (fan_in + fan_out))`.",
        run: |args| xavier_uniform_(args.tensor(0), args.float(1)),
    },
    InitSpec {
        text: "xavier_normal_(Tensor tensor, float gain=1.0) -> Tensor",
        doc: "Glorot's normal initialization: of standard deviation `gain * sqrt(2 / (fan_in + fan_out))`.",
        run: |args| xavier_normal_(args.tensor(0), args.float(1)),
    },
    InitSpec {
        text: "kaiming_uniform_(Tensor tensor, float a=0.0, str mode=\"fan_in\", str nonlinearity=\"leaky_relu\") -> Tensor",
        doc: "He's uniform initialization for a nonlinearity; `a` is the slope of a leaky ReLU, `mode` is `\"fan_in\"` or `\"fan_out\"`.",
        run: |args| kaiming_uniform_(args.tensor(0), args.float(1), args.str(2), args.str(3)),
    },
    InitSpec {
        text: "kaiming_normal_(Tensor tensor, float a=0.0, str mode=\"fan_in\", str nonlinearity=\"leaky_relu\") -> Tensor",
        doc: "He's normal initialization for a nonlinearity; `a` is the slope of a leaky ReLU, `mode` is `\"fan_in\"` or `\"fan_out\"`.",
        run: |args| kaiming_normal_(args.tensor(0), args.float(1), args.str(2), args.str(3)),
    },
    InitSpec {
        text: "orthogonal_(Tensor tensor, float gain=1.0) -> Tensor",
        doc: "A weight whose rows, or columns where there are fewer, are orthonormal times `gain`.",
        run: |args| orthogonal_(args.tensor(0), args.float(1)),
    },
    InitSpec {
        text: "sparse_(Tensor tensor, float sparsity, float std=0.01) -> Tensor",
        doc: "A matrix of normal numbers with a share `sparsity` of every column 0.",
        run: |args| sparse_(args.tensor(0), args.float(1), args.float(2)),
    },
];
