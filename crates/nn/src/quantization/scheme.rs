//! Matrices as bytes with scales, and back. A matrix has a row for each output channel.

use super::config::{BLOCK, QuantizationConfig};
use lanthorn_tensor::{DType, Result, Scalar, Tensor, no_grad};

/// The tensors of a quantized matrix, by name: `qdata`, `scale`, `zero_point`.
pub(crate) type Packed = Vec<(&'static str, Tensor)>;

/// The smallest scale: of groups whose elements are all 0.
const EPS: f64 = 1.0 / (1 << 23) as f64;

/// What is added to an int8 for a byte.
const OFFSET: f64 = 128.0;

/// The largest integer of 4 bits, and the middle of their range.
const INT4_MAX: i64 = 15;
const INT4_MIDDLE: f64 = 8.0;

/// Half of the 255 steps of 8 bits: the largest element is this many scales, as in torchao.
const INT8_HALF: f64 = 127.5;

/// How a matrix is quantized.
pub(crate) enum Scheme {
    Int8 {
        group_size: Option<i64>,
    },
    Int4 {
        group_size: i64,
    },
    /// Blocks, whose scales are in float16, and the scheme for a matrix with a scale beyond that.
    Blocks {
        format: String,
        other: Option<Box<Scheme>>,
    },
}

/// The largest number of float16.
const F16_MAX: f64 = 65504.0;

/// Decoded numbers in the type of the weight. A step of rounding beyond the largest number of
/// float16 is no infinity.
fn in_type(numbers: &Tensor, dtype: DType) -> Result<Tensor> {
    match dtype {
        DType::F16 => numbers.clamp(Some(Scalar::Float(-F16_MAX)), Some(Scalar::Float(F16_MAX)))?.to(dtype),
        _ => numbers.to(dtype),
    }
}

/// The type in which numbers with scales of a type are decoded.
fn decoding_type(scale: DType) -> DType {
    if scale == DType::F16 { DType::F32 } else { scale }
}

fn clamp(x: &Tensor, low: i64, high: i64) -> Result<Tensor> {
    x.clamp(Some(Scalar::Int(low)), Some(Scalar::Int(high)))
}

/// A matrix in groups: `[rows, groups, group_size]`.
fn grouped(matrix: &Tensor, group_size: Option<i64>) -> Result<Tensor> {
    let [rows, columns] = [0, 1].map(|dim| matrix.shape().to_i64()[dim]);
    let size = group_size.unwrap_or(columns);
    matrix.reshape([rows, columns / size, size])
}

/// The scales of groups, `[rows, groups, 1]`: the largest element is `most` of them.
fn symmetric_scale(groups: &Tensor, most: f64) -> Result<Tensor> {
    groups.abs()?.amax(-1, true)?.div(most)?.clamp_min(EPS)
}

/// The smallest element and the scale of each group.
fn range(groups: &Tensor) -> Result<(Tensor, Tensor)> {
    let low = groups.amin(-1, true)?;
    let scale = groups.amax(-1, true)?.sub(&low)?.div(INT4_MAX as f64)?.clamp_min(EPS)?;
    Ok((low, scale))
}

/// Rows rounded to grids with a scale each; the gradient passes where they are not clamped.
fn fake_rows(rows: &Tensor, scale: &Tensor, low: i64, high: i64) -> Result<Tensor> {
    let zero_point = Tensor::zeros_with([rows.shape().to_i64()[0]], Some(DType::I32), Some(rows.device()))?;
    rows.fake_quantize_per_channel_affine(&scale.reshape([-1])?, &zero_point, 0, low, high)
}

/// Groups rounded to 8 bits.
fn fake_int8(matrix: &Tensor, group_size: Option<i64>, most: f64) -> Result<Tensor> {
    let groups = grouped(matrix, group_size)?;
    let scale = no_grad(|| symmetric_scale(&groups, most))?;
    let size = groups.shape().to_i64()[2];
    fake_rows(&groups.reshape([-1, size])?, &scale, -128, 127)?.reshape(matrix.shape())
}

/// Each token of `x: [..., features]` rounded to 8 bits, with a scale of its own.
pub(crate) fn fake_tokens(x: &Tensor) -> Result<Tensor> {
    let features = x.shape().to_i64().last().copied().unwrap_or(1);
    let tokens = x.reshape([-1, features])?;
    let scale = no_grad(|| symmetric_scale(&tokens, INT8_HALF))?;
    fake_rows(&tokens, &scale, -128, 127)?.reshape(x.shape())
}

impl Scheme {
    /// The scheme of a configuration. Groups for which there is a block format are blocks, which products read in place.
    pub(crate) fn of(config: &QuantizationConfig) -> Scheme {
        match config {
            QuantizationConfig::BlockWeightOnly { format } => Scheme::Blocks { format: format.clone(), other: None },
            QuantizationConfig::Int4WeightOnly { group_size: BLOCK } => {
                Scheme::blocks_or("q4_1", Scheme::Int4 { group_size: BLOCK })
            }
            QuantizationConfig::Int4WeightOnly { group_size: 128 } => {
                Scheme::blocks_or("q4_1_128", Scheme::Int4 { group_size: 128 })
            }
            QuantizationConfig::Int8WeightOnly { group_size: Some(BLOCK) } => {
                Scheme::blocks_or("q8_0", Scheme::Int8 { group_size: Some(BLOCK) })
            }
            QuantizationConfig::Int4WeightOnly { group_size } => Scheme::Int4 { group_size: *group_size },
            QuantizationConfig::Int8WeightOnly { group_size } => Scheme::Int8 { group_size: *group_size },
            QuantizationConfig::Int8DynamicActivationInt8Weight => Scheme::Int8 { group_size: None },
        }
    }

    fn blocks_or(format: &str, other: Scheme) -> Scheme {
        Scheme::Blocks { format: format.into(), other: Some(Box::new(other)) }
    }

    /// The bytes and scales of a matrix in float32; scales are in the type `dtype`, or in float16
    /// in blocks.
    pub(crate) async fn encode(&self, matrix: &Tensor, dtype: DType) -> Result<Packed> {
        let Scheme::Blocks { format, other } = self else { return self.encode_groups(matrix, dtype) };
        match (matrix.quantize(format).await, other) {
            (Err(error), Some(other)) if error.is_limit() => other.encode_groups(matrix, dtype),
            (blocks, _) => Ok(vec![("qdata", blocks?)]),
        }
    }

    fn encode_groups(&self, matrix: &Tensor, dtype: DType) -> Result<Packed> {
        let [rows, columns] = [0, 1].map(|dim| matrix.shape().to_i64()[dim]);
        match self {
            Scheme::Blocks { .. } => Ok(vec![]),
            Scheme::Int8 { group_size } => {
                let groups = grouped(matrix, *group_size)?;
                let scale = symmetric_scale(&groups, INT8_HALF)?.to(dtype)?;
                let integers = groups.mul(&scale.to(DType::F32)?.reciprocal()?)?.round()?;
                let bytes = clamp(&integers, -128, 127)?.add(OFFSET)?.to(DType::U8)?;
                Ok(vec![("qdata", bytes.reshape(matrix.shape())?), ("scale", scale.squeeze(-1)?)])
            }
            Scheme::Int4 { group_size } => {
                let groups = grouped(matrix, Some(*group_size))?;
                let (low, scale) = range(&groups)?;
                let scale = scale.to(dtype)?;
                let wide = scale.to(DType::F32)?;
                let zero_point = low.add(&wide.mul(INT4_MIDDLE)?)?.to(dtype)?;
                let low = zero_point.to(DType::F32)?.sub(&wide.mul(INT4_MIDDLE)?)?;
                let integers = clamp(&groups.sub(&low)?.div(&wide)?.round()?, 0, INT4_MAX)?;
                let half = group_size / 2;
                let (first, second) = (integers.narrow(-1, 0, half)?, integers.narrow(-1, half, half)?);
                let bytes = first.add(&second.mul(16.0)?)?.to(DType::U8)?;
                Ok(vec![
                    ("qdata", bytes.reshape([rows, columns / 2])?),
                    ("scale", scale.squeeze(-1)?),
                    ("zero_point", zero_point.squeeze(-1)?),
                ])
            }
        }
    }

    /// The matrix, in the type of its scales, or in `dtype` if it is blocks.
    pub(crate) fn decode(&self, packed: &[(&'static str, Tensor)], dtype: DType) -> Result<Tensor> {
        let bytes = &packed[0].1;
        match self {
            Scheme::Blocks { other: Some(other), .. } if packed.iter().any(|(name, _)| *name == "scale") => {
                other.decode(packed, dtype)
            }
            Scheme::Blocks { format, .. } => in_type(&bytes.dequantize(format)?, dtype),
            Scheme::Int8 { .. } => {
                let scale = &packed[1].1;
                let [rows, groups] = [0, 1].map(|dim| scale.shape().to_i64()[dim]);
                let (dtype, wide) = (scale.dtype(), scale.to(decoding_type(scale.dtype()))?);
                let integers = bytes.to(wide.dtype())?.sub(OFFSET)?;
                if groups == 1 {
                    return in_type(&integers.mul(&wide)?, dtype);
                }
                let numbers = integers.reshape([rows, groups, -1])?.mul(&wide.unsqueeze(-1)?)?;
                in_type(&numbers.reshape(bytes.shape())?, dtype)
            }
            Scheme::Int4 { .. } => {
                let (scale, zero_point) = (&packed[1].1, &packed[2].1);
                let [rows, groups] = [0, 1].map(|dim| scale.shape().to_i64()[dim]);
                // The first half of a group is in the low bits, the second in the high ones.
                let shifts = Tensor::arange_with(0, 8, 4, None, Some(bytes.device()))?.reshape([2, 1])?;
                let bytes = bytes.to(DType::I32)?.reshape([rows, groups, 1, -1])?;
                let integers = bytes.bitwise_right_shift(&shifts)?.bitwise_and(INT4_MAX)?;
                let dtype = decoding_type(scale.dtype());
                let along = |tensor: &Tensor| tensor.to(dtype)?.reshape([rows, groups, 1, 1]);
                let numbers = integers.to(dtype)?.sub(INT4_MIDDLE)?.mul(&along(scale)?)?;
                in_type(&numbers.add(&along(zero_point)?)?.reshape([rows, -1])?, scale.dtype())
            }
        }
    }

    /// A matrix as decoding its encoding by `config` would give it; the gradient passes through the
    /// rounding. `None` for blocks that no group is.
    pub(crate) fn fake(config: &QuantizationConfig, matrix: &Tensor) -> Option<Result<Tensor>> {
        match config {
            QuantizationConfig::BlockWeightOnly { .. } => None,
            QuantizationConfig::Int8WeightOnly { group_size: Some(BLOCK) } => {
                Some(fake_int8(matrix, Some(BLOCK), 127.0))
            }
            QuantizationConfig::Int4WeightOnly { group_size } => Some(fake_int4(matrix, *group_size)),
            _ => Some(fake_int8(matrix, config.group_size(), INT8_HALF)),
        }
    }
}

/// Groups rounded to 4 bits.
fn fake_int4(matrix: &Tensor, group_size: i64) -> Result<Tensor> {
    let groups = grouped(matrix, Some(group_size))?;
    let (low, scale) = no_grad(|| range(&groups))?;
    let rows = fake_rows(&groups.sub(&low)?.reshape([-1, group_size])?, &scale, 0, INT4_MAX)?;
    rows.reshape(groups.shape())?.add(&low)?.reshape(matrix.shape())
}
