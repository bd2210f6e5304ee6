//! The formats to which a layer is quantized.

use super::scheme::{Scheme, fake_tokens};
use crate::table::documentation;
use lanthorn_schema::Schema;
use lanthorn_tensor::{BlockFormat, DType, Error, Result, Tensor, no_grad};
use std::fmt;

/// The numbers in a block of the formats that can be written.
pub const BLOCK: i64 = 32;

/// The formats that can be written.
const FORMATS: [BlockFormat; 5] =
    [BlockFormat::Q4_0, BlockFormat::Q4_1, BlockFormat::Q5_0, BlockFormat::Q5_1, BlockFormat::Q8_0];

/// The sizes of groups of 4 bits.
const GROUP_SIZES: [i64; 4] = [32, 64, 128, 256];

/// The format to which a weight is quantized, by torchao's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantizationConfig {
    /// 4 bits, two in a byte, with a scale and a zero point for each group of neighbours in a row:
    /// `(integer - 8) * scale + zero_point`. Groups of 32 and 128 are blocks of the formats `q4_1`
    /// and `q4_1_128`, which products read in place; others are decoded to memory in every call.
    Int4WeightOnly {
        /// 32, 64, 128 or 256.
        group_size: i64,
    },
    /// 8 bits with a scale for each row, which is an output channel, or for each group of
    /// neighbours in it: `integer * scale`. Groups of 32 are blocks of the format `q8_0`.
    Int8WeightOnly {
        /// The neighbours that share a scale; `None` for a row.
        group_size: Option<i64>,
    },
    /// As `Int8WeightOnly`, and inputs rounded to 8 bits with a scale for each token.
    Int8DynamicActivationInt8Weight,
    /// Blocks of 32 numbers of a GGUF format, which products read in place.
    BlockWeightOnly {
        /// `q4_0`, `q4_1`, `q5_0`, `q5_1` or `q8_0`.
        format: BlockFormat,
    },
}

/// The declaration of a configuration, from which other languages print the function that makes it.
pub struct ConfigSpec {
    /// The function as a schema; it returns `QuantizationConfig`. It has one argument at most.
    pub text: &'static str,
    /// The documentation; present with the feature `reference`.
    pub doc: &'static str,
    /// The documentation of the argument; present with the feature `reference`.
    pub own_doc: &'static str,
    /// The whole numbers that the argument can be; all above 0 if there are none.
    pub sizes: &'static [i64],
}

/// The configurations, in the order of their numbers.
pub static CONFIGS: &[ConfigSpec] = &[
    ConfigSpec {
        text: "Int4WeightOnly(*, int group_size=128) -> QuantizationConfig",
        doc: documentation(
            "Weights of 4 bits, two in a byte, with a scale and a zero point for each group of neighbours in a row, as
torchao's `Int4WeightOnlyConfig` with its `tinygemm` parameters: `(integer - 8) * scale + zero_point`. Groups of 32
and 128 are blocks of the formats `q4_1` and `q4_1_128`, which products read in place, with a scale and a smallest
element in float16. Groups of 64 and 256, and groups of a layer where one is beyond float16, have their scales in
the type of the weight, and are decoded to memory in every call. Another group size is an `argument` error.",
        ),
        own_doc: documentation("The neighbours that share a scale and a zero point: 32, 64, 128 or 256."),
        sizes: &GROUP_SIZES,
    },
    ConfigSpec {
        text: "Int8WeightOnly(*, int? group_size=None) -> QuantizationConfig",
        doc: documentation(
            "Weights of 8 bits with a scale for each row (an output channel), or for each group of neighbours in it:
`integer * scale`, as torchao's `Int8WeightOnlyConfig`. Groups of 32 are blocks of the format `q8_0`, which products
read in place and fastest, unless a scale is beyond float16; a product with one row unpacks other weights as it
reads them. A group size that is no whole number above 0 is an `argument` error.",
        ),
        own_doc: documentation("The neighbours that share a scale; a whole row if it is left out or null."),
        sizes: &[],
    },
    ConfigSpec {
        text: "Int8DynamicActivationInt8Weight() -> QuantizationConfig",
        doc: documentation(
            "Weights of 8 bits with a scale for each row, and inputs rounded to 8 bits with a scale for each token that
is computed at the call, as torchao's `Int8DynamicActivationInt8WeightConfig`. The product is computed in floating
point, on the rounded numbers.",
        ),
        own_doc: "",
        sizes: &[],
    },
    ConfigSpec {
        text: r#"BlockWeightOnly(*, str{q4_0|q4_1|q5_0|q5_1|q8_0} format="q8_0") -> QuantizationConfig"#,
        doc: documentation(
            "Weights in blocks of 32 numbers of a format of GGUF, which products read without storing the numbers. A
format that cannot be written is an `argument` error.",
        ),
        own_doc: documentation("The format of blocks."),
        sizes: &[],
    },
];

impl ConfigSpec {
    /// The function's schema.
    pub fn schema(&self) -> Schema {
        // The table's test parses every schema.
        Schema::parse(self.text).expect("a configuration's schema parses")
    }
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

/// A quantized weight.
pub struct PackedWeight {
    /// The bytes with their scales, in the order of [`PACKED_NAMES`](super::PACKED_NAMES).
    pub tensors: Vec<Tensor>,
    /// The norm of the weight's error divided by the norm of the weight.
    pub relative_error: f64,
}

impl QuantizationConfig {
    /// The configuration that another language has as two numbers: the position in [`CONFIGS`], and
    /// the argument: a group size, 0 for a row, or the position of a format in the schema.
    ///
    /// ```
    /// use lanthorn::nn::quantization::QuantizationConfig;
    /// assert_eq!(QuantizationConfig::from_numbers(1, 0)?.to_string(), "Int8WeightOnly()");
    /// assert_eq!(QuantizationConfig::from_numbers(3, 4)?.to_string(), "BlockWeightOnly(format=q8_0)");
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `argument` if there is no such configuration or format.
    pub fn from_numbers(number: usize, argument: i64) -> Result<QuantizationConfig> {
        let format = || usize::try_from(argument).ok().and_then(|at| FORMATS.get(at));
        Ok(match (number, format()) {
            (0, _) => QuantizationConfig::Int4WeightOnly { group_size: argument },
            (1, _) => QuantizationConfig::Int8WeightOnly { group_size: (argument != 0).then_some(argument) },
            (2, _) => QuantizationConfig::Int8DynamicActivationInt8Weight,
            (3, Some(&format)) => QuantizationConfig::BlockWeightOnly { format },
            _ => return Err(Error::argument("quantize", format!("there is no configuration {number}, {argument}"))),
        })
    }

    /// The neighbours that share a scale; `None` for a row.
    pub(crate) fn group_size(&self) -> Option<i64> {
        match self {
            QuantizationConfig::Int4WeightOnly { group_size } => Some(*group_size),
            QuantizationConfig::Int8WeightOnly { group_size } => *group_size,
            QuantizationConfig::Int8DynamicActivationInt8Weight => None,
            QuantizationConfig::BlockWeightOnly { .. } => Some(BLOCK),
        }
    }

    /// Checks the options, and that they fit the weight of a layer. Errors have the names `op` and
    /// `layer`.
    ///
    /// # Errors
    ///
    /// `argument` for options that are not known, and for input features that groups do not divide;
    /// `dtype` for a weight that is not floating point.
    pub fn check(&self, op: &str, layer: &str, weight: &Tensor) -> Result<()> {
        let refused = |message: String| Err(Error::argument(op, message));
        match self {
            QuantizationConfig::Int4WeightOnly { group_size } if !GROUP_SIZES.contains(group_size) => {
                return refused(format!("group_size is {group_size}, and has to be one of {GROUP_SIZES:?}"));
            }
            QuantizationConfig::Int8WeightOnly { group_size: Some(size) } if *size < 1 => {
                return refused(format!("group_size is {size}, and has to be above 0"));
            }
            QuantizationConfig::BlockWeightOnly { format } if !FORMATS.contains(format) => {
                let names = FORMATS.map(BlockFormat::name);
                return refused(format!("the format is {:?}, and has to be one of {names:?}", format.name()));
            }
            _ => {}
        }
        if !weight.dtype().is_floating_point() {
            let message =
                format!("{layer} has a weight of {}, and floating-point weights are quantized", weight.dtype());
            return Err(Error::dtype(op, message));
        }
        let columns: i64 = weight.shape().to_i64().iter().skip(1).product();
        if weight.rank() < 2 || columns == 0 {
            return refused(format!("{layer} has a weight of shape {}, which has no rows", weight.shape()));
        }
        match self.group_size() {
            Some(size) if columns % size != 0 => {
                let groups = match self {
                    QuantizationConfig::BlockWeightOnly { .. } => format!("the {BLOCK} numbers of a block do"),
                    _ => format!("group_size {size} does"),
                };
                refused(format!("{layer} has {columns} input features, which {groups} not divide"))
            }
            _ => Ok(()),
        }
    }

    /// Quantizes the weight of a layer. The elements are read, and the result is awaited. Errors
    /// have the names `op` and `layer`.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::nn::quantization::QuantizationConfig;
    /// use lanthorn::{BlockFormat, DType, Tensor};
    /// # pollster::block_on(async {
    /// let config = QuantizationConfig::Int8WeightOnly { group_size: None };
    /// let weight = Tensor::from_slice(&[1.0f32, -2.0, 0.5, 4.0], [2, 2], &device)?;
    /// let packed = config.pack("quantize", "the layer", &weight).await?;
    /// assert_eq!(packed.tensors[0].dtype(), DType::U8);
    /// let rounded = config.unpack(&packed.tensors, &[2, 2], DType::F32)?;
    /// let error = rounded.sub(&weight)?.abs()?.amax((), false)?.item().await?;
    /// assert!(error < 4.0 / 127.0 && packed.relative_error < 0.01);
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`QuantizationConfig::check`]; `argument` for a weight with NaN or infinity;
    /// `limit` for a block with a scale beyond float16.
    pub async fn pack(&self, op: &str, layer: &str, weight: &Tensor) -> Result<PackedWeight> {
        self.check(op, layer, weight)?;
        let (matrix, finite) = matrix_of(weight)?;
        if finite.item().await? == 0.0 {
            return Err(Error::argument(op, format!("{layer} has a weight with NaN or infinity")));
        }
        let scheme = Scheme::of(self);
        let tensors = scheme.encode(&matrix, weight.dtype()).await?;
        // Both norms are read at once, because a GPU answers after milliseconds.
        let norms = norms(&scheme.decode(&tensors, weight.dtype())?, &matrix)?.to_vec::<f32>().await?;
        let relative_error = if norms[1] == 0.0 { 0.0 } else { f64::from(norms[0] / norms[1]) };
        Ok(PackedWeight { tensors, relative_error })
    }

    /// The weight of a shape and a type from the tensors of [`PackedWeight`], or from the same rows
    /// of each.
    ///
    /// # Errors
    ///
    /// `argument` for tensors of another configuration.
    pub fn unpack(&self, tensors: &[Tensor], shape: &[i64], dtype: DType) -> Result<Tensor> {
        Scheme::of(self).decode(tensors, dtype)?.reshape(shape)
    }

    /// A weight with its numbers rounded as [`QuantizationConfig::pack`] does; the gradient passes
    /// through the rounding.
    ///
    /// # Errors
    ///
    /// `argument` for [`QuantizationConfig::BlockWeightOnly`].
    pub fn round_weight(&self, weight: &Tensor) -> Result<Tensor> {
        let matrix = weight.reshape([weight.shape().to_i64()[0], -1])?;
        Scheme::of(self).fake(&matrix)?.reshape(weight.shape())
    }

    /// The rounded inputs of a layer, `[..., features]`; `None` if inputs are not rounded.
    ///
    /// # Errors
    ///
    /// The errors of the rounding operations.
    pub fn round_input(&self, x: &Tensor) -> Result<Option<Tensor>> {
        match self {
            QuantizationConfig::Int8DynamicActivationInt8Weight => fake_tokens(x).map(Some),
            _ => Ok(None),
        }
    }
}

/// A weight as a matrix in float32, and whether its elements are finite.
fn matrix_of(weight: &Tensor) -> Result<(Tensor, Tensor)> {
    let rows = weight.shape().to_i64()[0];
    let matrix = no_grad(|| weight.detach().reshape([rows, -1])?.to(DType::F32))?;
    let finite = matrix.isfinite()?.all((), false)?;
    Ok((matrix, finite))
}

/// The norm of the error of a matrix, and the norm of the matrix.
fn norms(rounded: &Tensor, matrix: &Tensor) -> Result<Tensor> {
    let norm = |x: &Tensor| x.square()?.sum((), false)?.sqrt();
    Tensor::stack(&[norm(&rounded.to(DType::F32)?.sub(matrix)?)?, norm(matrix)?], 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_schema::Default;

    #[test]
    fn rows_of_the_table_are_configurations() {
        for (number, spec) in CONFIGS.iter().enumerate() {
            let schema = spec.schema();
            assert_eq!(schema.to_string(), spec.text);
            assert!(!spec.doc.is_empty() && spec.own_doc.is_empty() == schema.params.is_empty(), "{}", spec.text);
            let param = schema.params.first();
            if let Some(param) = param.filter(|param| !param.choices.is_empty()) {
                assert_eq!(param.choices, FORMATS.map(BlockFormat::name));
            }
            let argument = match param.and_then(|param| param.default.as_ref()) {
                Some(Default::Int(size)) => *size,
                Some(Default::Str(format)) => FORMATS.iter().position(|known| known.name() == format).unwrap() as i64,
                _ => 0,
            };
            let config = QuantizationConfig::from_numbers(number, argument).unwrap();
            assert!(config.to_string().starts_with(&format!("{}(", schema.name)), "{config}");
        }
        assert!(QuantizationConfig::from_numbers(3, 5).is_err_and(|error| error.is_argument()));
        assert!(QuantizationConfig::from_numbers(4, 0).is_err_and(|error| error.is_argument()));
    }
}
