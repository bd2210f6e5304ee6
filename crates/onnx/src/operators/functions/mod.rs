//! Operators that need more than one call of the table, in a file for each of ONNX's groups.

mod attention;
mod detection;
mod generator;
mod image;
mod labels;
mod linear_attention;
mod math;
mod microsoft_attention;
mod microsoft_fused;
mod microsoft_quantization;
mod norms;
mod quantization;
mod reduction;
mod rnn;
mod scores;
mod sequence;
mod shapes;
mod signal;
mod tensor;
mod traditional;
mod training;
mod unpool;
mod windows;

use super::TEXT_SEPARATOR;
use crate::proto::DataType;
use lanthorn_io::{DType, TensorData};
use lanthorn_program::{
    Dispatch, Error, Result, Value,
    operators::{
        Args,
        functions::{Given, Output, arg, binary, by_number, of_type, tensor, tensors, text, unary, with},
    },
    value::ints,
};

lanthorn_program::functions! {
    ready {
        attention: attention rotary_embedding;
        detection: deform_conv roi_align;
        generator: bernoulli constant_of_shape eye_like multinomial random range;
        image: grid_sample resize;
        linear_attention: causal_conv linear_attention;
        math: bit_shift clip cross_entropy cumulative div flat_softmax gemm hard_sigmoid hardmax modulo nll_loss pow
            prelu shrink sign swiglu swish thresholded_relu variadic;
        microsoft_attention: fused_attention group_query_attention microsoft_rotary_embedding multi_head_attention;
        microsoft_fused: bias_gelu bias_split_gelu embed_layer_norm fused_conv fused_gemm fused_matmul
            microsoft_group_norm skip_norm;
        microsoft_quantization: dynamic_quantize_matmul gather_block_quantized matmul_integer_to_float matmul_nbits qgemm
            qlinear_binary qlinear_concat qlinear_pool qlinear_unary qlinear_where;
        norms: batch_norm dropout group_norm instance_norm layer_norm local_response_norm lp_normalization mean_variance_normalization rms_norm;
        quantization: conv_integer dequantize_linear dynamic_quantize matmul_integer qlinear_conv qlinear_matmul
            quantize_linear;
        reduction: arg_extreme reduce;
        rnn: dynamic_quantize_lstm recurrent;
        sequence: concat_from_sequence flip optional_has_element sequence_at sequence_construct sequence_empty
            sequence_erase sequence_insert sequence_length;
        shapes: center_crop_pad concat depth_to_space expand flatten identity reshape shape size slice space_to_depth
            split tile transpose trilu unsqueeze;
        signal: dft mel_weight_matrix stft window;
        tensor: bit_cast cast cast_like gather gather_elements gather_nd is_inf one_hot pad
            reverse_sequence scatter_elements scatter_nd tensor_scatter;
        traditional: array_feature_extractor binarizer linear_regressor normalizer scaler;
        training: adagrad adam momentum;
        unpool: col2im max_unpool;
        windows: average_pool conv conv_transpose global_pool lp_pool max_pool;
    }
    pending {
        detection: non_max_suppression;
        sequence: split_to_sequence;
        tensor: compress nonzero unique;
        labels: label_encoder linear_classifier zip_map;
    }
}

/// Returns the tensors of a list argument, without omitted ones.
fn list<T: Clone>(args: &Args<T>, name: &str) -> Vec<T> {
    args.get(name).as_list().unwrap_or_default().iter().filter_map(Value::as_tensor).cloned().collect()
}

/// Returns an optional integer.
fn optional_int<T: Clone>(args: &Args<T>, name: &str) -> Option<i64> {
    args.get(name).as_int()
}

/// Returns an optional list of integers.
fn optional_ints<T: Clone>(args: &Args<T>, name: &str) -> Option<Vec<i64>> {
    if args.is_given(name) { args.ints(name).ok() } else { None }
}

/// Returns a string attribute.
fn word<'a, T: Clone>(args: &'a Args<T>, name: &str) -> &'a str {
    args.get(name).as_str().unwrap_or_default()
}

/// Returns the texts of an attribute, or `None` if the node omits it.
fn texts<'a, T: Clone>(args: &'a Args<T>, name: &str) -> Option<Vec<&'a str>> {
    args.get(name).as_str().map(|joined| joined.split(TEXT_SEPARATOR).collect())
}

/// Counts a dimension from the first.
fn axis_of<T: Clone>(args: &Args<T>, axis: i64, rank: usize) -> Result<usize> {
    let rank = rank as i64;
    let counted = if axis < 0 { axis + rank } else { axis };
    if (0..rank.max(1)).contains(&counted) {
        return Ok(counted as usize);
    }
    Err(Error::argument(args.op(), format!("the axis {axis} of a tensor of {rank} dimensions")))
}

/// Counts dimensions from the first.
fn axes_of<T: Clone>(args: &Args<T>, axes: &[i64], rank: usize) -> Result<Vec<usize>> {
    axes.iter().map(|&axis| axis_of(args, axis, rank)).collect()
}

/// The most elements of a dimension that computed indices select.
const MAX_INDICES: i64 = 1 << 26;

/// Checks that a size which a model computes is small enough for computed indices. `what` is the
/// operator and the size.
fn bounded(what: std::fmt::Arguments<'_>, size: i64) -> Result<i64> {
    match size <= MAX_INDICES {
        true => Ok(size),
        false => Err(Error::Limit(format!("{what} {size}; at most {MAX_INDICES}"))),
    }
}

/// Returns the lowest and highest finite number of an element type.
fn finite_limits<T>(dtype: DType) -> [Value<T>; 2] {
    let of_float = |highest: f64| [Value::Float(-highest), Value::Float(highest)];
    let of_int = |lowest: i64, highest: i64| [Value::Int(lowest), Value::Int(highest)];
    match dtype {
        DType::F16 => of_float(65504.0),
        DType::BF16 => of_float(f64::from(f32::from_bits(0x7f7f_0000))),
        DType::F32 => of_float(f64::from(f32::MAX)),
        DType::F64 => of_float(f64::MAX),
        DType::I8 => of_int(i8::MIN.into(), i8::MAX.into()),
        DType::I16 => of_int(i16::MIN.into(), i16::MAX.into()),
        DType::I32 => of_int(i32::MIN.into(), i32::MAX.into()),
        DType::I64 => of_int(i64::MIN, i64::MAX),
        DType::U8 => of_int(0, u8::MAX.into()),
        DType::Bool => [Value::Bool(false), Value::Bool(true)],
    }
}

/// Returns the sizes of a tensor as integers.
fn sizes<D: Dispatch>(dispatch: &D, tensor: &D::Tensor) -> Vec<i64> {
    dispatch.shape(tensor).into_iter().map(|size| size as i64).collect()
}

/// Creates a contiguous tensor of integers.
fn integers<D: Dispatch>(dispatch: &D, shape: Vec<usize>, values: &[i64]) -> Result<D::Tensor> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let data = TensorData::new(DType::I64, shape, bytes);
    dispatch.constant(data.ok_or_else(|| Error::malformed("integers of another number"))?)
}

/// Reshapes a tensor.
fn reshape_to<D: Dispatch>(
    dispatch: &D,
    tensor: &D::Tensor,
    shape: impl IntoIterator<Item = i64>,
) -> Result<D::Tensor> {
    self::tensor(dispatch, "reshape", [arg(tensor), ints(shape)])
}

/// Permutes the dimensions of a tensor.
fn permute<D: Dispatch>(dispatch: &D, tensor: &D::Tensor, dims: impl IntoIterator<Item = i64>) -> Result<D::Tensor> {
    self::tensor(dispatch, "permute", [arg(tensor), ints(dims)])
}

/// Converts a tensor to an element type.
fn convert<D: Dispatch>(dispatch: &D, tensor: &D::Tensor, dtype: DType) -> Result<D::Tensor> {
    if dispatch.dtype(tensor) == dtype {
        return Ok(tensor.clone());
    }
    self::tensor(dispatch, "to", [arg(tensor), of_type(dtype)])
}

/// Returns the element type for a number of ONNX.
fn element_type<T: Clone>(args: &Args<T>, number: i64) -> Result<DType> {
    let known = i32::try_from(number).ok().and_then(|number| DataType::try_from(number).ok()?.dtype());
    known.ok_or_else(|| Error::argument(args.op(), format!("the element type number {number}")))
}
