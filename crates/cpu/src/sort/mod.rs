//! Sorts: the rows along one dimension in order, and the positions of their elements.
//!
//! For every element type, the sorted values are 64-bit words: a 32-bit key that is in the order of
//! the elements, then the position. No two words are equal, so an unstable sort of words is a
//! stable sort of elements, and there is one copy of the code. 64-bit elements are sorted twice, by
//! their lower and then by their upper half.
//!
//! Rejected: a radix sort. Its counters cost more than sorting rows of a few hundred elements,
//! which are typical.

#[cfg(test)]
mod tests;

use crate::{
    block::{Input, Space},
    buffer::{Shared, elements},
    kernel::{CpuKernel, data},
    parallel,
};
use bytemuck::Pod;
use lanthorn_ir::{DType, Error, Layout, Result, expr::Constant, half, kernel};

/// A prepared sort. The operands of its space are the input and the outputs; its rows are the
/// sorted rows.
pub(crate) struct Sort {
    dtype: DType,
    descending: bool,
    space: Space,
    length: usize,
}

/// Maps an element to an integer in the order of the elements. All NaN are equal and the largest,
/// and -0 equals 0.
fn key(dtype: DType, word: u64) -> u64 {
    match dtype {
        DType::Bool | DType::U8 => word,
        DType::I32 => word ^ 1 << 31,
        DType::I64 => word ^ 1 << 63,
        DType::F16 | DType::BF16 | DType::F32 => {
            let bits = match dtype {
                DType::F16 => half::f16_to_f32(word as u16).to_bits(),
                DType::BF16 => half::bf16_to_f32(word as u16).to_bits(),
                _ => word as u32,
            };
            let value = f32::from_bits(bits);
            let ordered = if bits >> 31 == 1 && value != 0.0 { !bits } else { bits | 1 << 31 };
            u64::from(if value.is_nan() { u32::MAX } else { ordered })
        }
        DType::F64 => {
            let value = f64::from_bits(word);
            let ordered = if word >> 63 == 1 && value != 0.0 { !word } else { word | 1 << 63 };
            if value.is_nan() { u64::MAX } else { ordered }
        }
    }
}

/// The working memory for one row.
#[derive(Default)]
struct Row {
    keys: Vec<u64>,
    words: Vec<u64>,
    /// The positions of the elements, in order.
    order: Vec<u32>,
    next: Vec<u32>,
}

impl Row {
    /// Sorts `order` stably by 32 bits of the keys, from bit `shift` on.
    fn sort_by(&mut self, shift: u32) -> Result<()> {
        self.words.clear();
        let keys = self.order.iter().map(|&at| self.keys[at as usize] >> shift & u64::from(u32::MAX));
        self.words.extend(keys.zip(0..).map(|(key, position): (u64, u64)| key << 32 | position));
        parallel::sort(&mut self.words)?;
        self.next.clear();
        self.next.extend(self.words.iter().map(|&word| self.order[word as u32 as usize]));
        std::mem::swap(&mut self.order, &mut self.next);
        Ok(())
    }

    /// Sorts elements, given as their bits.
    fn sort(&mut self, dtype: DType, descending: bool, words: impl Iterator<Item = u64>) -> Result<()> {
        self.keys.clear();
        self.keys.extend(words.map(|word| if descending { !key(dtype, word) } else { key(dtype, word) }));
        self.order.clear();
        self.order.extend(0..self.keys.len() as u32);
        self.sort_by(0)?;
        if dtype.size() == 8 {
            self.sort_by(32)?;
        }
        Ok(())
    }
}

impl Sort {
    pub fn new(kernel: &kernel::Sort) -> Sort {
        let shape = kernel.source.shape();
        let order: Vec<usize> = (0..shape.rank()).filter(|&d| d != kernel.dim).chain([kernel.dim]).collect();
        let target = Layout::contiguous(shape.clone()).permute(&order);
        let space = Space::new(&[&kernel.source.permute(&order), &target]);
        Sort { dtype: kernel.dtype, descending: kernel.descending, space, length: shape[kernel.dim] }
    }

    /// Sorts the rows of elements. `word` returns the bits of an element.
    fn rows<T: Pod + Sync>(&self, source: &[T], word: fn(T) -> u64, outputs: &[Shared]) -> Result<()> {
        let rows = self.space.elements() / self.length;
        let comparisons = self.length * (self.length.ilog2() as usize + 1);
        let [input, target] = [0, 1].map(|operand| &self.space.operands[operand]);
        parallel::split(rows, &[rows, comparisons], |rows| {
            let (mut elements, mut sorted, mut row) = (vec![T::zeroed(); self.length], Vec::new(), Row::default());
            for start in rows.map(|number| number * self.length) {
                self.space.load(input, source, start, &mut elements);
                row.sort(self.dtype, self.descending, elements.iter().map(|&element| word(element)))?;
                sorted.clear();
                sorted.extend(row.order.iter().map(|&at| elements[at as usize]));
                // SAFETY: each row is sorted once, and no two rows share a position.
                unsafe {
                    self.space.store(target, outputs[0], start, &sorted);
                    self.space.store(target, outputs[1], start, &row.order);
                }
            }
            Ok(())
        })
    }
}

impl CpuKernel for Sort {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, _params: &[Constant]) -> Result<()> {
        let [source] = inputs else { return Err(Error::kernel(op, "a sort has one input")) };
        if self.space.elements() == 0 {
            return Ok(());
        }
        let outputs: Vec<Shared> = outputs.into_iter().map(Shared::new).collect();
        match self.dtype.size() {
            1 => self.rows(data(source), u64::from, &outputs),
            2 => self.rows::<u16>(elements(data(source)), u64::from, &outputs),
            4 => self.rows::<u32>(elements(data(source)), u64::from, &outputs),
            _ => self.rows::<u64>(elements(data(source)), |word| word, &outputs),
        }
    }
}
