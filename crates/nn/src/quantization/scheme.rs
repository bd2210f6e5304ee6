//! Matrices as bytes with scales, and back. A matrix has a row for each output channel.

use super::{
    config::{BLOCK, QuantizationConfig},
    grid::EPS,
};
use lanthorn_tensor::{BlockFormat, DType, Error, Result, Scalar, Tensor, no_grad};

/// The names of the tensors of a quantized matrix, in order. Blocks are the first alone, and 8 bits
/// the first two.
pub const PACKED_NAMES: [&str; 3] = ["qdata", "scale", "zero_point"];

/// The difference between a stored byte and its int8.
const OFFSET: f64 = 128.0;

/// The largest integer of 4 bits, and the middle of their range.
const INT4_MAX: i64 = 15;
const INT4_MIDDLE: f64 = 8.0;

/// Half of the 255 steps of 8 bits: the largest element is this many scales, as in torchao.
const INT8_HALF: f64 = 127.5;

/// The same for blocks of `q8_0`.
const INT8_BLOCK_HALF: f64 = 127.0;

/// The way to quantize a matrix: in blocks of a format, in groups, or in blocks unless a scale is
/// beyond float16.
pub(super) struct Scheme {
    format: Option<BlockFormat>,
    groups: Option<Groups>,
}

/// Integers with a scale for each group of neighbours in a row.
#[derive(Clone, Copy)]
enum Groups {
    Int8 {
        /// `None` for a whole row.
        group_size: Option<i64>,
    },
    Int4 {
        group_size: i64,
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

/// Each token of `x: [..., features]` rounded to 8 bits, with its own scale.
pub(super) fn fake_tokens(x: &Tensor) -> Result<Tensor> {
    let features = x.shape().to_i64().last().copied().unwrap_or(1);
    let tokens = x.reshape([-1, features])?;
    let scale = no_grad(|| symmetric_scale(&tokens, INT8_HALF))?;
    fake_rows(&tokens, &scale, -128, 127)?.reshape(x.shape())
}

impl Scheme {
    /// The scheme of a configuration. Groups for which there is a block format are blocks, which
    /// products read in place.
    pub(super) fn of(config: &QuantizationConfig) -> Scheme {
        use QuantizationConfig as Config;
        let groups = match *config {
            Config::BlockWeightOnly { .. } => None,
            Config::Int4WeightOnly { group_size } => Some(Groups::Int4 { group_size }),
            _ => Some(Groups::Int8 { group_size: config.group_size() }),
        };
        let format = match config {
            Config::BlockWeightOnly { format } => Some(*format),
            Config::Int4WeightOnly { group_size: BLOCK } => Some(BlockFormat::Q4_1),
            Config::Int4WeightOnly { group_size: 128 } => Some(BlockFormat::Q4_1_128),
            Config::Int8WeightOnly { group_size: Some(BLOCK) } => Some(BlockFormat::Q8_0),
            _ => None,
        };
        Scheme { format, groups }
    }

    /// The tensors of a matrix in float32, in the order of [`PACKED_NAMES`]. Scales are in the type
    /// `dtype`, or in float16 in blocks.
    pub(super) async fn encode(&self, matrix: &Tensor, dtype: DType) -> Result<Vec<Tensor>> {
        if let Some(format) = self.format {
            match (matrix.quantize(format).await, self.groups) {
                (Err(error), Some(_)) if error.is_limit() => {}
                (blocks, _) => return Ok(vec![blocks?]),
            }
        }
        match self.groups {
            Some(Groups::Int8 { group_size }) => encode_int8(matrix, group_size, dtype),
            Some(Groups::Int4 { group_size }) => encode_int4(matrix, group_size, dtype),
            None => Ok(vec![]),
        }
    }

    /// The matrix, in the type of its scales, or in `dtype` if it is blocks.
    pub(super) fn decode(&self, packed: &[Tensor], dtype: DType) -> Result<Tensor> {
        match (self.format, self.groups, packed) {
            (Some(format), _, [bytes]) => in_type(&bytes.dequantize(format)?, dtype),
            (_, Some(Groups::Int8 { .. }), [bytes, scale]) => decode_int8(bytes, scale),
            (_, Some(Groups::Int4 { .. }), [bytes, scale, zero_point]) => decode_int4(bytes, scale, zero_point),
            _ => Err(Error::argument("dequantize", "the weight was quantized to another configuration")),
        }
    }

    /// A matrix as decoding its encoding would give it; the gradient passes through the rounding.
    ///
    /// # Errors
    ///
    /// `argument` for blocks that have no groups.
    pub(super) fn fake(&self, matrix: &Tensor) -> Result<Tensor> {
        match self.groups {
            Some(Groups::Int8 { group_size }) => {
                let half = if self.format.is_some() { INT8_BLOCK_HALF } else { INT8_HALF };
                fake_int8(matrix, group_size, half)
            }
            Some(Groups::Int4 { group_size }) => fake_int4(matrix, group_size),
            None => Err(Error::argument("FakeQuantized", "weights are not trained in blocks")),
        }
    }
}

fn encode_int8(matrix: &Tensor, group_size: Option<i64>, dtype: DType) -> Result<Vec<Tensor>> {
    let groups = grouped(matrix, group_size)?;
    let scale = symmetric_scale(&groups, INT8_HALF)?.to(dtype)?;
    let integers = groups.mul(&scale.to(DType::F32)?.reciprocal()?)?.round()?;
    let bytes = clamp(&integers, -128, 127)?.add(OFFSET)?.to(DType::U8)?;
    Ok(vec![bytes.reshape(matrix.shape())?, scale.squeeze(-1)?])
}

fn decode_int8(bytes: &Tensor, scale: &Tensor) -> Result<Tensor> {
    let [rows, groups] = [0, 1].map(|dim| scale.shape().to_i64()[dim]);
    let (dtype, wide) = (scale.dtype(), scale.to(decoding_type(scale.dtype()))?);
    let integers = bytes.to(wide.dtype())?.sub(OFFSET)?;
    if groups == 1 {
        return in_type(&integers.mul(&wide)?, dtype);
    }
    let numbers = integers.reshape([rows, groups, -1])?.mul(&wide.unsqueeze(-1)?)?;
    in_type(&numbers.reshape(bytes.shape())?, dtype)
}

fn encode_int4(matrix: &Tensor, group_size: i64, dtype: DType) -> Result<Vec<Tensor>> {
    let [rows, columns] = [0, 1].map(|dim| matrix.shape().to_i64()[dim]);
    let groups = grouped(matrix, Some(group_size))?;
    let (low, scale) = range(&groups)?;
    let scale = scale.to(dtype)?;
    let wide = scale.to(DType::F32)?;
    let middle = wide.mul(INT4_MIDDLE)?;
    let zero_point = low.add(&middle)?.to(dtype)?;
    let low = zero_point.to(DType::F32)?.sub(&middle)?;
    let integers = clamp(&groups.sub(&low)?.div(&wide)?.round()?, 0, INT4_MAX)?;
    let half = group_size / 2;
    let (first, second) = (integers.narrow(-1, 0, half)?, integers.narrow(-1, half, half)?);
    let bytes = first.add(&second.mul(16.0)?)?.to(DType::U8)?;
    Ok(vec![bytes.reshape([rows, columns / 2])?, scale.squeeze(-1)?, zero_point.squeeze(-1)?])
}

fn decode_int4(bytes: &Tensor, scale: &Tensor, zero_point: &Tensor) -> Result<Tensor> {
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

/// Groups rounded to 4 bits.
fn fake_int4(matrix: &Tensor, group_size: i64) -> Result<Tensor> {
    let groups = grouped(matrix, Some(group_size))?;
    let (low, scale) = no_grad(|| range(&groups))?;
    let rows = fake_rows(&groups.sub(&low)?.reshape([-1, group_size])?, &scale, 0, INT4_MAX)?;
    rows.reshape(groups.shape())?.add(&low)?.reshape(matrix.shape())
}
