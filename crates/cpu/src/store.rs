//! Pointwise kernels, some of which store to positions that an index contains.

use crate::{block::Input, kernel::CpuKernel, map};
use lanthorn_ir::{Error, Layout, Result, expr::Constant, kernel};

/// A prepared indexed store.
pub(crate) struct Store {
    /// Computes the values and the indices.
    map: map::Map,
    target: Layout,
    stride: usize,
    extent: usize,
    /// The size of a value in bytes.
    size: usize,
}

/// A prepared pointwise kernel.
pub(crate) enum Pointwise {
    Map(map::Map),
    Store(Store),
}

impl Store {
    fn new(op: &str, store: &kernel::Store) -> Result<Store> {
        let last: usize =
            store.target.shape().iter().zip(store.target.strides()).fold(
                store.target.offset() + store.extent.saturating_sub(1) * store.stride,
                |last, (&size, &stride)| last + size.saturating_sub(1) * stride.unsigned_abs(),
            );
        let forwards = store.target.strides().iter().all(|&stride| stride >= 0);
        let is_empty = store.target.shape().elements() == 0 || store.extent == 0;
        if !is_empty && (!forwards || last >= store.output.elements()) {
            return Err(Error::kernel(op, format!("a store leaves its output of shape {}", store.output)));
        }
        let map = map::Map::new(op, &store.map)?;
        let (stride, extent) = (store.stride, store.extent);
        Ok(Store { map, target: store.target.clone(), stride, extent, size: store.dtype().size() })
    }
}

impl Pointwise {
    pub fn new(op: &str, kernel: &kernel::Pointwise) -> Result<Pointwise> {
        Ok(match kernel {
            kernel::Pointwise::Map(map) => Pointwise::Map(map::Map::new(op, map)?),
            kernel::Pointwise::Store(store) => Pointwise::Store(Store::new(op, store)?),
        })
    }
}

impl CpuKernel for Store {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let points = self.target.shape().elements();
        let mut values = vec![0u64; (points * self.size).div_ceil(8)];
        let mut indices = vec![0i32; points];
        let (values, size) = (bytemuck::cast_slice_mut(&mut values), self.size);
        let made = vec![&mut values[..points * size], bytemuck::cast_slice_mut(&mut indices)];
        self.map.run(op, inputs, made, params)?;
        for output in outputs {
            for ((value, &index), at) in values.chunks_exact(size).zip(&indices).zip(self.target.offsets()) {
                let Some(index) = usize::try_from(index).ok().filter(|&index| index < self.extent) else { continue };
                let start = (at + index * self.stride) * size;
                output[start..start + size].copy_from_slice(value);
            }
        }
        Ok(())
    }
}

impl CpuKernel for Pointwise {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        match self {
            Pointwise::Map(map) => map.run(op, inputs, outputs, params),
            Pointwise::Store(store) => store.run(op, inputs, outputs, params),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_util::*;
    use lanthorn_ir::{
        DType, Kernel,
        expr::{Expr, Program, Type},
        kernel,
    };

    /// Rows of two numbers, doubled, stored to rows of `extent` that an index contains, after a
    /// first column.
    fn rows(extent: usize) -> Kernel {
        let points = dense(&[3, 2]);
        let row = lanthorn_ir::Layout::new(points.shape().clone(), [1, 0], 0);
        let target = lanthorn_ir::Layout::new(points.shape().clone(), [0, 1], 1);
        let map = kernel::Map {
            shape: points.shape().clone(),
            inputs: vec![operand(DType::F32, &points), operand(DType::I32, &row)],
            indices: vec![],
            params: vec![],
            program: Program::new(&[Expr::input(0, Type::F32) * 2.0, Expr::input(1, Type::I32)]),
            dtypes: vec![DType::F32, DType::I32],
        };
        let output = dense(&[4, 3]).shape().clone();
        let store = kernel::Store { map, target, stride: 3, extent, output };
        Kernel::Maps(kernel::Horizontal::new(vec![kernel::Pointwise::Store(store)]))
    }

    #[test]
    fn values_go_where_the_index_says_and_others_are_left() {
        let kernel = rows(4);
        let mut base = bytes(&[-1f32; 12]);
        let prepared = crate::launch::Prepared::new("test", &kernel, &[]).unwrap();
        let inputs = [bytes(&[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]), bytes(&[3i32, 4, 0])];
        let data = inputs.each_ref().map(|bytes| crate::block::Input::Data(bytes));
        prepared.run("test", &data, vec![&mut base], &[]).unwrap();
        let expected = [-1.0, 10.0, 12.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 2.0, 4.0];
        assert_eq!(read::<f32>(&base), expected);
    }

    #[test]
    fn stores_share_a_launch() {
        lanthorn_kernel_tests::horizontal::stores(&crate::CpuBackend::poisoned(), &|_| {});
        lanthorn_kernel_tests::horizontal::repeat_inputs(&crate::CpuBackend::poisoned());
    }

    #[test]
    fn a_store_beyond_its_output_is_refused() {
        assert!(crate::launch::Prepared::new("test", &rows(5), &[]).is_err_and(|error| error.is_kernel()));
    }
}
