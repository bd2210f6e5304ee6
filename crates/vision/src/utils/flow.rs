//! Motion as colors.

use crate::host::float_tensor;
use lanthorn_tensor::{DType, Error, Result, Tensor};
use std::f64::consts::PI;

/// The number of colors of the wheel.
const COLORS: f64 = 55.0;

/// The numbers from 0 to 255 of a sector of the wheel, which rise or fall.
fn ramp(count: usize, is_rising: bool) -> Vec<f64> {
    let mut numbers = vec![];
    for index in 0..count {
        let part = (255.0 * index as f64 / count as f64).floor();
        numbers.push(if is_rising { part } else { 255.0 - part });
    }
    numbers
}

/// One number several times.
fn flat(count: usize, value: f64) -> Vec<f64> {
    vec![value; count]
}

/// A channel of the wheel from its six sectors.
fn channel(sectors: &[Vec<f64>]) -> Vec<f64> {
    let mut numbers: Vec<f64> = vec![];
    for sector in sectors {
        numbers.extend_from_slice(sector);
    }
    numbers
}

/// The wheel of colors, `[3, 55]`, from 0 to 1: red, yellow, green, cyan, blue, magenta.
fn wheel(like: &Tensor) -> Result<Tensor> {
    let red = channel(&[flat(15, 255.0), ramp(6, false), flat(4, 0.0), flat(11, 0.0), ramp(13, true), flat(6, 255.0)]);
    let green =
        channel(&[ramp(15, true), flat(6, 255.0), flat(4, 255.0), ramp(11, false), flat(13, 0.0), flat(6, 0.0)]);
    let blue = channel(&[flat(15, 0.0), flat(6, 0.0), ramp(4, true), flat(11, 255.0), flat(13, 255.0), ramp(6, false)]);
    let numbers = channel(&[red, green, blue]);
    float_tensor(&numbers, &[3, 55], like)? * (1.0 / 255.0)
}

/// A flow of pixels as a picture, as `torchvision.utils.flow_to_image`: the direction is the hue,
/// and the length the saturation.
///
/// `flow` has the shape `[2, H, W]` or `[n, 2, H, W]`, in float32; the result has three channels,
/// in uint8.
///
/// Source: Baker et al., "A Database and Evaluation Methodology for Optical Flow" (2007).
///
/// # Errors
/// `dtype` if the flow is not in float32; `shape` if it has another shape.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, vision::utils::flow_to_image};
/// let still = flow_to_image(&Tensor::zeros([2, 1, 1])?)?;
/// assert_eq!(pollster::block_on(still.to_vec::<u8>())?, [255, 255, 255]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn flow_to_image(flow: &Tensor) -> Result<Tensor> {
    if flow.dtype() != DType::F32 {
        return Err(Error::dtype("flow_to_image", format!("flow must be float32, and is {}", flow.dtype())));
    }
    let batch = if flow.rank() == 3 { flow.unsqueeze(0)? } else { flow.clone() };
    if batch.rank() != 4 || batch.shape()[1] != 2 {
        let message = format!("flow must have shape [2, H, W] or [n, 2, H, W], and has {}", flow.shape());
        return Err(Error::shape("flow_to_image", message));
    }
    let longest = batch.square()?.sum(1, false)?.sqrt()?.amax((), false)?;
    let unit = (&batch / &(longest + 1.1920928955078125e-7)?)?;
    let length = unit.square()?.sum(1, false)?.sqrt()?;
    let turn = (unit.select(1, 1)?.neg()?.atan2(&unit.select(1, 0)?.neg()?)? * (1.0 / PI))?;
    let position = ((turn + 1.0)? * (0.5 * (COLORS - 1.0)))?;
    let low = position.floor()?;
    let part = (position - &low)?;
    let next = (&low + 1.0)?.remainder(COLORS)?;
    let colors = wheel(&batch)?;
    let shape = [3, low.shape()[0] as i64, low.shape()[1] as i64, low.shape()[2] as i64];
    let below = colors.index_select(1, &low.to(DType::I32)?.flatten(0, -1)?)?.reshape(shape)?;
    let above = colors.index_select(1, &next.to(DType::I32)?.flatten(0, -1)?)?.reshape(shape)?;
    let color = (((1.0 - &part)? * &below)? + &part * &above)?;
    let pale = ((1.0 - color)? * &length)?;
    let faded = (1.0 - pale)?;
    let bytes = (faded * 255.0)?.floor()?.to(DType::U8)?.permute([1, 0, 2, 3])?;
    if flow.rank() == 3 { bytes.squeeze(0) } else { Ok(bytes) }
}
