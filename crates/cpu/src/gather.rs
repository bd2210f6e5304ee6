//! Gathers: elements selected along one dimension by an index.
//!
//! A typical gather selects whole rows (an embedding, `index_select`). The index is then constant
//! along the last dimension and read once, and each row is one copy. An index out of range leaves
//! the output's element unchanged and makes the launch fail.

use crate::{
    block::{Input, Space},
    buffer::{elements, elements_mut},
    kernel::{CpuKernel, data},
};
use bytemuck::Pod;
use lanthorn_ir::{DType, Error, Result, expr::Constant, failed_check, kernel};

/// A prepared gather. The operands of its space are the source and the index.
pub(crate) struct Gather {
    dtype: DType,
    space: Space,
    stride: isize,
    extent: usize,
}

impl Gather {
    pub fn new(kernel: &kernel::Gather) -> Gather {
        let space = Space::new(&[&kernel.source, &kernel.index]);
        Gather { dtype: kernel.dtype, space, stride: kernel.stride, extent: kernel.extent }
    }

    /// Gathers, and returns the first index out of range.
    fn gather<T: Pod>(&self, source: &[T], index: &[i32], target: &mut [T]) -> Option<i32> {
        let mut wrong = None;
        let in_range = |i: i32| usize::try_from(i).ok().filter(|&i| i < self.extent);
        let row = self.space.row();
        for (target, [(from, from_step), (at, at_step)]) in target.chunks_exact_mut(row.max(1)).zip(rows(&self.space)) {
            if at_step == 0 {
                let i = index[at as usize];
                match in_range(i) {
                    Some(i) => copy_row(source, from + i as isize * self.stride, from_step, target),
                    None => wrong = wrong.or(Some(i)),
                }
                continue;
            }
            for (j, target) in target.iter_mut().enumerate() {
                let j = j as isize;
                let i = index[(at + j * at_step) as usize];
                match in_range(i) {
                    Some(i) => *target = source[(from + j * from_step + i as isize * self.stride) as usize],
                    None => wrong = wrong.or(Some(i)),
                }
            }
        }
        wrong
    }
}

fn copy_row<T: Pod>(source: &[T], from: isize, step: isize, target: &mut [T]) {
    match step {
        1 => target.copy_from_slice(&source[from as usize..][..target.len()]),
        0 => target.fill(source[from as usize]),
        _ => {
            for (j, target) in target.iter_mut().enumerate() {
                *target = source[(from + j as isize * step) as usize];
            }
        }
    }
}

/// For each row of a space, the offset and the step along the row of its first `N` operands.
pub(crate) fn rows<const N: usize>(space: &Space) -> impl Iterator<Item = [(isize, isize); N]> + '_ {
    let outer = space.outer();
    let mut index = vec![0usize; outer.len()];
    let mut offsets: [isize; N] = std::array::from_fn(|s| space.operands[s].offset);
    (0..outer.iter().product()).map(move |_| {
        let row = std::array::from_fn(|s| (offsets[s], space.operands[s].strides.last().copied().unwrap_or(0)));
        for d in (0..outer.len()).rev() {
            index[d] += 1;
            let wraps = index[d] == outer[d];
            for (offset, operand) in offsets.iter_mut().zip(&space.operands) {
                let back = if wraps { operand.strides[d] * outer[d] as isize } else { 0 };
                *offset += operand.strides[d] - back;
            }
            if !wraps {
                break;
            }
            index[d] = 0;
        }
        row
    })
}

impl CpuKernel for Gather {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, _params: &[Constant]) -> Result<()> {
        let [source, index] = inputs else { return Err(Error::kernel(op, "a gather has two inputs")) };
        let (source, index) = (data(source), data(index));
        if self.space.elements() == 0 {
            return Ok(());
        }
        let mut wrong = None;
        for target in outputs {
            let index = elements(index);
            wrong = match self.dtype.size() {
                1 => self.gather::<u8>(source, index, target),
                2 => self.gather::<u16>(elements(source), index, elements_mut(target)),
                4 => self.gather::<u32>(elements(source), index, elements_mut(target)),
                _ => self.gather::<u64>(elements(source), index, elements_mut(target)),
            };
        }
        wrong.map_or(Ok(()), |index| Err(failed_check(op, Some(index), self.extent as i32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_util::*;
    use lanthorn_ir::{Kernel, Layout, Shape};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_naive_gather(
            (dims, dim, source, index) in prop::collection::vec(1usize..6, 1..4).prop_flat_map(|dims| {
                let rank = dims.len();
                (Just(dims.clone()), 0..rank, layout_of(dims.clone()), layout_of(dims))
            }),
            extent_along in 1usize..6,
        ) {
            // Along the gathered dimension, neighbours are 2 more apart than the extent of the
            // other dimensions.
            let (reach, rank) = (extent(&source), dims.len());
            let mut strides: Vec<isize> = source.strides().to_vec();
            strides[dim] = 0;
            let source = Layout::new(source.shape().clone(), strides, source.offset());
            let stride = reach as isize * 2;
            let data: Vec<i32> = (0..reach * 2 * extent_along + reach).map(|i| i as i32).collect();
            let indices: Vec<i32> = (0..extent(&index)).map(|i| ((i * 31) % extent_along) as i32).collect();
            let kernel = kernel::Gather {
                shape: source.shape().clone(), dtype: DType::I32, source: source.clone(), stride, extent: extent_along, index: index.clone(),
            };
            // A reversed dimension that is not indexed may leave an offset inside the extent, never
            // outside.
            let kernel = Kernel::Gather(kernel);
            prop_assert!(rank > 0 && extent(&kernel.sources()[0].1) <= data.len());
            let result = run(&kernel, &[bytes(&data), bytes(&indices)], &[]).unwrap();
            let expected: Vec<i32> = source.offsets().zip(index.offsets())
                .map(|(at, i)| data[(at as isize + indices[i] as isize * stride) as usize]).collect();
            prop_assert_eq!(read::<i32>(&result[0]), expected);
        }
    }

    fn rows_of(table: &Layout, index: &[i32]) -> Result<Vec<Vec<u8>>> {
        let shape = Shape::from_dims([index.len(), table.shape()[1]]);
        let kernel = kernel::Gather {
            source: Layout::new(shape.clone(), [0, table.strides()[1]], table.offset()),
            index: Layout::new(shape.clone(), [1, 0], 0),
            shape,
            dtype: DType::F64,
            stride: table.strides()[0],
            extent: table.shape()[0],
        };
        let data: Vec<f64> = (0..extent(table)).map(|i| i as f64).collect();
        run(&Kernel::Gather(kernel), &[bytes(&data), bytes(index)], &[])
    }

    #[test]
    fn rows_of_a_table_and_of_its_transpose() {
        assert_eq!(read::<f64>(&rows_of(&dense(&[3, 2]), &[2, 0, 2]).unwrap()[0]), [4.0, 5.0, 0.0, 1.0, 4.0, 5.0]);
        let transposed = dense(&[2, 3]).permute(&[1, 0]);
        assert_eq!(read::<f64>(&rows_of(&transposed, &[2, 0]).unwrap()[0]), [2.0, 5.0, 0.0, 3.0]);
        assert!(rows_of(&dense(&[3, 2]), &[]).unwrap()[0].is_empty());
        assert!(rows_of(&dense(&[3, 0]), &[1]).unwrap()[0].is_empty());
    }

    #[test]
    fn an_index_out_of_range_is_an_error() {
        for (index, message) in [
            (7, "index 7 is out of range for a dimension of size 5"),
            (-1, "index -1 is out of range for a dimension of size 5"),
        ] {
            let error = rows_of(&dense(&[5, 2]), &[0, index]).unwrap_err();
            assert!(error.is_index() && error.message() == message, "{error}");
        }
        assert!(rows_of(&dense(&[0, 2]), &[0]).unwrap_err().is_index());
    }
}
