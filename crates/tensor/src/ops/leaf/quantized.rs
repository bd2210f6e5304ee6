//! Block-quantized numbers, which are tensors of bytes.

use crate::{DType, Error, Result, Shape, Tensor, batch, ops::Op, samples};
use lanthorn_ir::{
    BlockFormat, Kernel, Layout,
    expr::{Expr, Program, Type},
    kernel::{Map, Operand},
};
use lanthorn_macros::op;

/// A layout of bytes as one of the numbers whose blocks they are; `None` where blocks are not whole or not
/// consecutive.
fn numbers_of(layout: &Layout, format: BlockFormat) -> Option<Layout> {
    let (each, bytes) = (format.elements(), format.bytes());
    let ((&row, outer), (&step, steps)) = (layout.shape().split_last()?, layout.strides().split_last()?);
    let whole = |stride: &isize| stride % bytes as isize == 0;
    if (step != 1 && row > 1) || !layout.offset().is_multiple_of(bytes) || !steps.iter().all(whole) {
        return None;
    }
    let shape = outer.iter().copied().chain([row / bytes * each]);
    let strides = steps.iter().map(|stride| stride / bytes as isize * each as isize).chain([1]);
    Some(Layout::new(Shape::from_dims(shape), strides, layout.offset() / bytes * each))
}

fn blocks() -> Vec<samples::Sample> {
    // Bytes below 60 give scales below 1.
    let bytes = |format: BlockFormat| samples::tensor(&[3, 2 * format.bytes() as i64], DType::U8, 0.0, 60.0);
    let call = |format: BlockFormat| samples::calls([vec![bytes(format), samples::text(format.name())]]);
    BlockFormat::ALL.into_iter().flat_map(call).collect()
}

/// The numbers of blocks of low-bit integers, of which `self` holds the bytes.
///
/// `self: [*, rows of bytes]`, uint8, with whole blocks in the last dimension; the result is `[*, numbers]`
/// in float32. The formats are `q4_0`, `q4_1`, `q5_0`, `q5_1`, `q8_0`, `iq4_nl`, `mxfp4` with 32
/// numbers a block and `q2_k`, `q3_k`, `q4_k`, `q5_k`, `q6_k`, `q8_k`, `iq4_xs` with 256, in the
/// layout of `ggml-common.h`; and `q4_1_128`, `q4_1` with 128 numbers a block.
/// A product that takes the result reads the blocks, and the numbers are never stored.
///
/// Errors: `dtype` if `self` is not uint8; `shape` if the last dimension has not whole blocks;
/// `argument` for a format that is not known.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{BlockFormat, Tensor};
/// // A block of 32 bytes after the scale 1 in float16.
/// let block: Vec<u8> = [0x00, 0x3c].into_iter().chain(0..32).collect();
/// let blocks = Tensor::from_slice(&block, [1, 34], &device)?;
/// let numbers = pollster::block_on(blocks.dequantize(BlockFormat::Q8_0)?.to_vec::<f32>())?;
/// assert_eq!(numbers[..4], [0.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "dequantize(Tensor self, str{q4_0|q4_1|q5_0|q5_1|q8_0|q2_k|q3_k|q4_k|q5_k|q6_k|q8_k|iq4_nl|iq4_xs|mxfp4|q4_1_128} format) -> Tensor",
    samples = blocks
)]
fn dequantize(x: &Tensor, format: BlockFormat) -> Result<Tensor> {
    if x.dtype() != DType::U8 {
        return Err(Error::dtype("dequantize", format!("blocks are bytes in a uint8 tensor, not {}", x.dtype())));
    }
    if x.shape().last().is_none_or(|row| !row.is_multiple_of(format.bytes())) {
        let message = format!(
            "rows of shape {} have not whole blocks of {} bytes, as {:?} has",
            x.shape(),
            format.bytes(),
            format.name()
        );
        return Err(Error::shape("dequantize", message));
    }
    let (x, layout) = match numbers_of(x.layout(), format) {
        Some(layout) => (x.clone(), layout),
        None => {
            let x = x.contiguous()?;
            let layout = numbers_of(x.layout(), format);
            (x, layout.ok_or_else(|| Error::shape("dequantize", "the blocks are not consecutive"))?)
        }
    };
    let shape = layout.shape().clone();
    let kernel = Kernel::Map(Map {
        shape: shape.clone(),
        inputs: vec![Operand::new(format, layout)],
        indices: vec![],
        params: vec![],
        program: Program::new(&[Expr::input(0, Type::F32)]),
        dtypes: vec![DType::F32],
    });
    let value = batch::record(x.device(), "dequantize", kernel, None, vec![x.value()], vec![]).pop();
    let value = value.ok_or_else(|| Error::kernel("dequantize", "a map without a result"))?;
    Ok(Tensor::from_value(x.device(), value, shape))
}

/// The bytes of blocks of the nearest numbers, as [`dequantize`](Tensor::dequantize) takes them.
///
/// `self: [*, numbers]`, floating point, with whole blocks in the last dimension; the result is
/// `[*, rows of bytes]` in uint8. The elements are read, and the result is awaited. The scales are chosen
/// as in `ggml-quants.c`.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if the last dimension has not whole blocks;
/// `argument` for NaN and infinity, and for a format that is not known or only read: blocks are
/// made of `q4_0`, `q4_1`, `q4_1_128`, `q5_0`, `q5_1`, `q8_0` and `mxfp4`; `limit` for numbers whose
/// scale is beyond float16.
#[op(
    composite,
    "quantize(Tensor self, str{q4_0|q4_1|q5_0|q5_1|q8_0|q2_k|q3_k|q4_k|q5_k|q6_k|q8_k|iq4_nl|iq4_xs|mxfp4|q4_1_128} format) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3, 64], -2.0, 2.0), samples::text("q8_0")],
        vec![samples::real(&[2, 32], -2.0, 2.0), samples::text("q4_0")],
        vec![samples::real(&[32], -2.0, 2.0), samples::text("q5_1")],
        vec![samples::real(&[64], -2.0, 2.0), samples::text("mxfp4")],
    ])
)]
async fn quantize(x: &Tensor, format: BlockFormat) -> Result<Tensor> {
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype("quantize", format!("floating-point numbers are quantized, not {}", x.dtype())));
    }
    if !format.can_quantize() {
        return Err(Error::argument("quantize", format!("blocks of {:?} are read and not made", format.name())));
    }
    let (row, outer) = match x.shape().split_last() {
        Some((&row, outer)) if row.is_multiple_of(format.elements()) => (row, outer),
        _ => {
            let message = format!(
                "rows of shape {} have not whole blocks of {} numbers, as {:?} has",
                x.shape(),
                format.elements(),
                format.name()
            );
            return Err(Error::shape("quantize", message));
        }
    };
    let shape: Vec<i64> = outer.iter().chain([&format.bytes_of(row)]).map(|&size| size as i64).collect();
    let numbers = x.detach().to(DType::F32)?.to_vec::<f32>().await?;
    if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
        let message = format!("the element {index} is {}, and blocks hold finite numbers", numbers[index]);
        return Err(Error::argument("quantize", message));
    }
    if let Some(block) = numbers.chunks_exact(format.elements()).find(|block| !format.holds(block)) {
        let most = block.iter().fold(0f32, |most, number| most.max(number.abs()));
        let message =
            format!("numbers up to {most} have a scale beyond float16, in which {:?} stores it", format.name());
        return Err(Error::limit("quantize", message));
    }
    let blocks = format.quantize(&numbers).unwrap_or_default();
    Tensor::from_bytes(DType::U8, &blocks, shape, x.device())
}

pub(crate) static OPS: &[&Op] = &[&DEQUANTIZE, &QUANTIZE];
