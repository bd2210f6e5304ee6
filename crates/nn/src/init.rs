//! Initial values of parameters, as `torch.nn.init`.

use lanthorn_tensor::{Error, Result, Tensor, no_grad};

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
