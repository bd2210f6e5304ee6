//! Initial values of parameters, as `torch.nn.init`.

use crate::Parameter;
use lanthorn_tensor::{Error, Ints, Result, Tensor, no_grad};

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

/// How many inputs meet in one output of a weight `[out, in, ..]`.
pub fn fan_in(weight: &Tensor) -> Result<usize> {
    match weight.shape()[..] {
        [_, inputs, ref window @ ..] => Ok(inputs * window.iter().product::<usize>()),
        _ => Err(Error::shape("fan_in", format!("a weight has at least 2 dimensions, not shape {}", weight.shape()))),
    }
}

/// He's uniform initialization (He et al., 2015) for a leaky ReLU of negative slope `a`; PyTorch's layers take `a = sqrt(5)`.
///
/// The bound is `sqrt(6 / ((1 + a^2) * fan_in))`.
pub fn kaiming_uniform_(weight: &Tensor, a: f64) -> Result<()> {
    let bound = (6.0 / ((1.0 + a * a) * fan_in(weight)?.max(1) as f64)).sqrt();
    uniform_(weight, -bound, bound)
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
    kaiming_uniform_(&weight, 5f64.sqrt())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_tensor::Device;

    #[test]
    fn kaiming_stays_within_its_bound_and_fills_it() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        let weight = Tensor::zeros_with([50, 24], None, Some(&device)).unwrap();
        kaiming_uniform_(&weight, 5f64.sqrt()).unwrap();
        let values = pollster::block_on(weight.to_vec::<f32>()).unwrap();
        let bound = (1.0f32 / 24.0).sqrt();
        assert!(values.iter().all(|value| value.abs() <= bound));
        let largest = values.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        assert!(largest > 0.97 * bound, "{largest} of {bound}");
    }
}
