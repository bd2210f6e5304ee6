//! Helpers for tests of several kernels: running one kernel, and random layouts.

use crate::{block::Input, launch::Prepared};
use bytemuck::Pod;
use lanthorn_ir::{Encoding, Kernel, Layout, Result, Shape, expr::Constant, kernel::Operand};
use proptest::prelude::*;

/// Runs a kernel on input buffers. The outputs start as `base`.
pub(crate) fn run_onto(
    kernel: &Kernel,
    inputs: &[Vec<u8>],
    mut base: Vec<Vec<u8>>,
    params: &[Constant],
) -> Result<Vec<Vec<u8>>> {
    // Each in a separate buffer, which is aligned.
    let aligned = |bytes: &Vec<u8>| {
        let mut buffer = crate::buffer::Buffer::new("test", bytes.len(), 0).unwrap();
        buffer.bytes_mut().copy_from_slice(bytes);
        buffer
    };
    let inputs: Vec<_> = inputs.iter().map(aligned).collect();
    let mut outputs: Vec<_> = base.iter().map(aligned).collect();
    let inputs: Vec<Input> = inputs.iter().map(|buffer| Input::Data(buffer.bytes())).collect();
    Prepared::new("test", kernel, &[])?.run(
        "test",
        &inputs,
        outputs.iter_mut().map(|b| b.bytes_mut()).collect(),
        params,
    )?;
    base.iter_mut().zip(&outputs).for_each(|(base, output)| base.copy_from_slice(output.bytes()));
    Ok(base)
}

/// Runs a kernel whose outputs start poisoned.
pub(crate) fn run(kernel: &Kernel, inputs: &[Vec<u8>], params: &[Constant]) -> Result<Vec<Vec<u8>>> {
    let base = kernel.outputs().iter().map(|(dtype, n)| vec![0xCD; dtype.size() * n]).collect();
    run_onto(kernel, inputs, base, params)
}

/// Elements as the bytes of a buffer.
pub(crate) fn bytes<T: Pod>(elements: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(elements).to_vec()
}

/// The bytes of a buffer as elements.
pub(crate) fn read<T: Pod>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// A contiguous layout.
pub(crate) fn dense(dims: &[usize]) -> Layout {
    Layout::contiguous(Shape::from_dims(dims.iter().copied()))
}

/// An operand.
pub(crate) fn operand(encoding: impl Into<Encoding>, layout: &Layout) -> Operand {
    Operand::new(encoding, layout.clone())
}

/// Layouts of `dims` in memory: any order of dimensions, gaps, repeated dimensions, an offset, a
/// reversed dimension.
pub(crate) fn layout_of(dims: Vec<usize>) -> impl Strategy<Value = Layout> {
    let rank = dims.len();
    let order = Just((0..rank).collect::<Vec<usize>>()).prop_shuffle();
    (order, prop::collection::vec(0u8..8, rank), 0usize..3).prop_map(move |(order, kinds, mut offset)| {
        let mut strides = vec![0isize; rank];
        let mut next = 1isize;
        for &d in &order {
            let (gap, repeated, reversed) = (kinds[d] == 0, kinds[d] == 1, kinds[d] == 2);
            if repeated {
                continue;
            }
            let stride = if gap { next * 2 } else { next };
            next = stride * dims[d].max(1) as isize;
            strides[d] = stride;
            if reversed && dims[d] > 0 {
                offset += (stride * (dims[d] as isize - 1)) as usize;
                strides[d] = -stride;
            }
        }
        Layout::new(Shape::from_dims(dims.iter().copied()), strides, offset)
    })
}

/// The number of elements of the smallest buffer for a layout.
pub(crate) fn extent(layout: &Layout) -> usize {
    crate::block::extent(layout).unwrap()
}
