//! Grids of numbers: a scale and a zero point for a range.

use lanthorn_tensor::{DType, Error, Result, Scalar, Tensor, no_grad};

/// The smallest scale, of numbers that are all 0.
pub(super) const EPS: f64 = 1.0 / (1 << 23) as f64;

/// Whether a grid has a zero point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QScheme {
    /// With a zero point: the ends of the grid are the ends of the range.
    Affine,
    /// The range is symmetric around 0.
    Symmetric,
}

/// The integers of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QRange {
    /// The smallest integer.
    pub min: i64,
    /// The largest integer.
    pub max: i64,
}

impl QRange {
    /// 0 to 255.
    pub const UINT8: QRange = QRange { min: 0, max: 255 };
    /// -128 to 127.
    pub const INT8: QRange = QRange { min: -128, max: 127 };

    /// Checks that the range has more than one integer.
    pub(super) fn check(self, op: &str) -> Result<()> {
        let QRange { min, max } = self;
        if min < max {
            return Ok(());
        }
        let rule = "quant_min and quant_max are whole numbers, the smaller one first";
        Err(Error::argument(op, format!("{rule}, not {min} and {max}")))
    }

    /// The number of integers.
    pub(super) fn count(self) -> f64 {
        (self.max - self.min + 1) as f64
    }
}

/// A grid of numbers: `scale * (integer - zero_point)`.
#[derive(Clone, Debug)]
pub struct QParams {
    /// float32, one number or one for each channel.
    pub scale: Tensor,
    /// int32, in the shape of the scale.
    pub zero_point: Tensor,
}

impl QParams {
    /// The grid of the range from `low` to `high`, which is made to contain 0.
    pub(super) fn of(op: &str, [low, high]: [&Tensor; 2], scheme: QScheme, range: QRange) -> Result<QParams> {
        range.check(op)?;
        let QRange { min, max } = range;
        no_grad(|| {
            let (below, above) = (low.clamp_max(0)?, high.clamp_min(0)?);
            if scheme == QScheme::Symmetric {
                let scale = below.neg()?.maximum(&above)?.div((max - min) as f64 / 2.0)?.clamp_min(EPS)?;
                // The middle of integers without a sign.
                let zero = if min < 0 { 0 } else { (min + max + 1) / 2 };
                let zero_point = Tensor::full_with(scale.shape(), zero, Some(DType::I32), Some(scale.device()))?;
                return Ok(QParams { scale, zero_point });
            }
            let scale = above.sub(&below)?.div((max - min) as f64)?.clamp_min(EPS)?;
            let zero_point = below.div(&scale)?.round()?.neg()?.add(min)?;
            let zero_point = zero_point.clamp(Some(Scalar::Int(min)), Some(Scalar::Int(max)))?.to(DType::I32)?;
            Ok(QParams { scale, zero_point })
        })
    }
}
