//! What a layer is quantized to.

use lanthorn_tensor::{Error, Result, Tensor};
use std::fmt;

/// The numbers in a block of the formats that can be written.
pub(crate) const BLOCK: i64 = 32;

/// The formats that can be written.
const FORMATS: [&str; 5] = ["q4_0", "q4_1", "q5_0", "q5_1", "q8_0"];

/// The sizes of groups of 4 bits.
const GROUP_SIZES: [i64; 4] = [32, 64, 128, 256];

/// What a weight is quantized to, by torchao's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantizationConfig {
    /// 4 bits, two in a byte, with a scale and a zero point for each group of neighbours in a row:
    /// `(integer - 8) * scale + zero_point`. Groups of 32 and 128 are blocks of the formats `q4_1` and `q4_1_128`,
    /// which products read in place; others are decoded to memory in every call.
    Int4WeightOnly {
        /// 32, 64, 128 or 256.
        group_size: i64,
    },
    /// 8 bits with a scale for each row, which is an output channel, or for each group of neighbours in it:
    /// `integer * scale`. Groups of 32 are blocks of the format `q8_0`.
    Int8WeightOnly {
        /// The neighbours that share a scale; `None` for a row.
        group_size: Option<i64>,
    },
    /// As `Int8WeightOnly`, and inputs rounded to 8 bits with a scale for each token.
    Int8DynamicActivationInt8Weight,
    /// Blocks of 32 numbers of a GGUF format, which products read in place.
    BlockWeightOnly {
        /// `q4_0`, `q4_1`, `q5_0`, `q5_1` or `q8_0`.
        format: String,
    },
}

impl fmt::Display for QuantizationConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuantizationConfig::Int4WeightOnly { group_size } => write!(f, "Int4WeightOnly(group_size={group_size})"),
            QuantizationConfig::Int8WeightOnly { group_size: None } => f.write_str("Int8WeightOnly()"),
            QuantizationConfig::Int8WeightOnly { group_size: Some(size) } => {
                write!(f, "Int8WeightOnly(group_size={size})")
            }
            QuantizationConfig::Int8DynamicActivationInt8Weight => f.write_str("Int8DynamicActivationInt8Weight()"),
            QuantizationConfig::BlockWeightOnly { format } => write!(f, "BlockWeightOnly(format={format})"),
        }
    }
}

impl QuantizationConfig {
    /// The neighbours that share a scale; `None` for a row.
    pub(crate) fn group_size(&self) -> Option<i64> {
        match self {
            QuantizationConfig::Int4WeightOnly { group_size } => Some(*group_size),
            QuantizationConfig::Int8WeightOnly { group_size } => *group_size,
            QuantizationConfig::Int8DynamicActivationInt8Weight => None,
            QuantizationConfig::BlockWeightOnly { .. } => Some(BLOCK),
        }
    }

    /// Checks the options, and that they fit the weight of a layer.
    pub(crate) fn check(&self, layer: &str, weight: &Tensor) -> Result<()> {
        let refused = |message: String| Err(Error::argument("Quantized", message));
        match self {
            QuantizationConfig::Int4WeightOnly { group_size } if !GROUP_SIZES.contains(group_size) => {
                return refused(format!("group_size is {group_size}, and has to be one of {GROUP_SIZES:?}"));
            }
            QuantizationConfig::Int8WeightOnly { group_size: Some(size) } if *size < 1 => {
                return refused(format!("group_size is {size}, and has to be above 0"));
            }
            QuantizationConfig::BlockWeightOnly { format } if !FORMATS.contains(&format.as_str()) => {
                return refused(format!("the format is {format:?}, and has to be one of {FORMATS:?}"));
            }
            _ => {}
        }
        if !weight.dtype().is_floating_point() {
            let message =
                format!("{layer} has a weight of {}, and floating-point weights are quantized", weight.dtype());
            return Err(Error::dtype("Quantized", message));
        }
        let columns: i64 = weight.shape().to_i64().iter().skip(1).product();
        if weight.rank() < 2 || columns == 0 {
            return refused(format!("{layer} has a weight of shape {}, which has no rows", weight.shape()));
        }
        match self.group_size() {
            Some(size) if columns % size != 0 => {
                refused(format!("{layer} has {columns} input features, which groups of {size} do not divide"))
            }
            _ => Ok(()),
        }
    }
}
