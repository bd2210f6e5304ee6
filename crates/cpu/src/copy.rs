//! Strided copies, by element size, without interpreting the elements.
//!
//! The order of a copy is free, so the dimensions are sorted to write the target forwards, then
//! merged. A transposition, whose source and target are dense along different dimensions, is copied
//! in square tiles, so that both sides use whole cache lines.

use crate::{
    block::Input,
    buffer::{elements, elements_mut},
    kernel::{CpuKernel, data},
};
use bytemuck::Pod;
use lanthorn_ir::{DType, Error, Layout, Result, expr::Constant, kernel};

/// Side of a transposition's tile. 32 float32 are two cache lines.
const TILE: usize = 32;

/// A prepared copy. Its dimensions are sorted from the outermost, and the last one has the target's
/// smallest stride.
pub(crate) struct Copy {
    dtype: DType,
    dims: Vec<Dim>,
    source: isize,
    target: isize,
    /// Another dimension along which the source is dense, if it is not dense along the last one.
    across: Option<Dim>,
    inner: Dim,
}

#[derive(Clone, Copy)]
struct Dim {
    size: usize,
    source: isize,
    target: isize,
}

/// The dimensions, sorted by the target's strides, the largest first. An insertion sort, because
/// there are few dimensions and a general sort is a lot of code.
fn order(source: &[isize], target: &[isize]) -> Vec<usize> {
    let strides = |d: usize| (target[d].unsigned_abs(), source[d].unsigned_abs());
    let mut order: Vec<usize> = vec![];
    for d in 0..source.len() {
        let at = order.iter().position(|&other| strides(other) < strides(d)).unwrap_or(order.len());
        order.insert(at, d);
    }
    order
}

impl Copy {
    pub fn new(op: &str, kernel: &kernel::Copy) -> Result<Copy> {
        let (source, target) = (&kernel.source, &kernel.target);
        if source.shape() != target.shape() {
            let (from, to) = (source.shape(), target.shape());
            return Err(Error::kernel(op, format!("a copy from shape {from} to shape {to}")));
        }
        let order = order(source.strides(), target.strides());
        let [target, source] = [target, source].map(|layout| layout.permute(&order));
        let parts = Layout::coalesce(&[&source, &target]);
        let strides = parts[0].strides().iter().zip(parts[1].strides());
        let sizes = parts[0].shape().iter();
        let mut dims: Vec<Dim> =
            sizes.zip(strides).map(|(&size, (&source, &target))| Dim { size, source, target }).collect();
        let inner = dims.pop().unwrap_or(Dim { size: 1, source: 1, target: 1 });
        let dense = |dim: &Dim| dim.source == 1 && inner.source.unsigned_abs() > 1;
        let across = dims.iter().position(dense).map(|d| dims.remove(d));
        let (source, target) = (parts[0].offset() as isize, parts[1].offset() as isize);
        Ok(Copy { dtype: kernel.dtype, dims, source, target, across, inner })
    }

    fn copy<T: Pod>(&self, source: &[T], target: &mut [T]) {
        let Dim { size, source: from, target: to } = self.inner;
        self.outer(|at, to_at| match self.across {
            Some(across) => transpose(source, target, [at, to_at], across, self.inner),
            None if (from, to) == (1, 1) => {
                target[to_at as usize..][..size].copy_from_slice(&source[at as usize..][..size]);
            }
            None if (from, to) == (0, 1) => target[to_at as usize..][..size].fill(source[at as usize]),
            None => {
                for i in 0..size as isize {
                    target[(to_at + i * to) as usize] = source[(at + i * from) as usize];
                }
            }
        });
    }

    /// Calls `f` with the source's and the target's offset for every point of the outer dimensions.
    fn outer(&self, mut f: impl FnMut(isize, isize)) {
        if self.inner.size == 0
            || self.across.is_some_and(|across| across.size == 0)
            || self.dims.iter().any(|dim| dim.size == 0)
        {
            return;
        }
        let mut index = vec![0usize; self.dims.len()];
        let (mut source, mut target) = (self.source, self.target);
        loop {
            f(source, target);
            let mut d = self.dims.len();
            loop {
                if d == 0 {
                    return;
                }
                d -= 1;
                let dim = &self.dims[d];
                index[d] += 1;
                source += dim.source;
                target += dim.target;
                if index[d] < dim.size {
                    break;
                }
                source -= dim.source * dim.size as isize;
                target -= dim.target * dim.size as isize;
                index[d] = 0;
            }
        }
    }
}

/// Copies a plane, tile by tile; the source is dense along `across`.
fn transpose<T: Pod>(source: &[T], target: &mut [T], [from, to]: [isize; 2], across: Dim, inner: Dim) {
    for j0 in (0..across.size).step_by(TILE) {
        for i0 in (0..inner.size).step_by(TILE) {
            let width = TILE.min(inner.size - i0) as isize;
            for j in j0..across.size.min(j0 + TILE) {
                let mut at = from + j as isize * across.source + i0 as isize * inner.source;
                let row = to + j as isize * across.target + i0 as isize * inner.target;
                if inner.target == 1 {
                    for element in &mut target[row as usize..][..width as usize] {
                        *element = source[at as usize];
                        at += inner.source;
                    }
                } else {
                    for i in 0..width {
                        target[(row + i * inner.target) as usize] = source[(at + i * inner.source) as usize];
                    }
                }
            }
        }
    }
}

impl CpuKernel for Copy {
    fn run(&self, _op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, _params: &[Constant]) -> Result<()> {
        for (source, target) in inputs.iter().map(data).zip(outputs) {
            match self.dtype.size() {
                1 => self.copy::<u8>(source, target),
                2 => self.copy::<u16>(elements(source), elements_mut(target)),
                4 => self.copy::<u32>(elements(source), elements_mut(target)),
                _ => self.copy::<u64>(elements(source), elements_mut(target)),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::test_util::*;
    use bytemuck::Pod;
    use lanthorn_ir::{DType, Kernel, Layout, kernel};
    use proptest::prelude::*;

    fn check<T: Pod + PartialEq + std::fmt::Debug>(
        dtype: DType,
        source: &Layout,
        target: &Layout,
        value: impl Fn(usize) -> T,
    ) {
        let data: Vec<T> = (0..extent(source)).map(&value).collect();
        let base: Vec<T> = (0..extent(target)).map(|_| value(99)).collect();
        let mut expected = base.clone();
        source.offsets().zip(target.offsets()).for_each(|(from, to)| expected[to] = data[from]);
        let kernel = Kernel::Copy(kernel::Copy { dtype, source: source.clone(), target: target.clone() });
        let result = run_onto(&kernel, &[bytes(&data)], vec![bytes(&base)], &[]).unwrap();
        assert_eq!(read::<T>(&result[0]), expected, "{source:?} {target:?}");
    }

    fn check_all(source: &Layout, target: &Layout) {
        check(DType::U8, source, target, |i| i as u8);
        check(DType::BF16, source, target, |i| i as u16);
        check(DType::I32, source, target, |i| i as i32);
        check(DType::F64, source, target, |i| i as f64);
    }

    proptest! {
        #[test]
        fn any_layouts((source, target) in prop::collection::vec(0usize..7, 0..5)
            .prop_flat_map(|dims| (layout_of(dims.clone()), layout_of(dims)))
            .prop_filter("a target names no element twice", |(_, target)| !target.overlaps_itself())
        ) {
            check_all(&source, &target);
        }
    }

    #[test]
    fn transpositions_in_tiles() {
        for dims in [[70, 33], [5, 100], [64, 64]] {
            check_all(&dense(&dims).permute(&[1, 0]), &dense(&[dims[1], dims[0]]));
            check_all(&dense(&dims), &dense(&[dims[1], dims[0]]).permute(&[1, 0]));
        }
        check_all(&dense(&[3, 40, 50]).permute(&[2, 0, 1]), &dense(&[50, 3, 40]));
        check_all(&dense(&[3, 40, 50]).permute(&[0, 2, 1]), &dense(&[3, 50, 80]).slice(2, 0, 40, 2));
    }
}
