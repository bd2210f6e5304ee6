//! Reduces blocks to values or to positions, along memory in either direction.

use super::{combine::Loops, positions::Positions, values::Values};
use crate::{block::Machine, buffer::elements_mut};
use lanthorn_ir::{DType, Error, Result, expr::Type, kernel::ReduceOp};

/// Reduces the rows of a machine's space to one result each.
pub(crate) struct Reducer {
    by: By,
    /// The type of the results.
    result: DType,
    inner: usize,
}

enum By {
    Values(Values),
    /// The keys of a block, and the best key of each row.
    Positions(Positions, Vec<i32>, Vec<i32>),
    /// The same for float64 and int64.
    LongPositions(Positions, Vec<i64>, Vec<i64>),
}

/// The element type that stores values of a type.
fn dtype_of(op: &str, ty: Type) -> Result<DType> {
    ty.dtype().ok_or_else(|| Error::kernel(op, format!("a reduction of {} values", ty.name())))
}

/// The dtype of a reduction's result for values of this type.
pub(crate) fn result_of(op: &str, by: ReduceOp, value: Type) -> Result<DType> {
    let value = dtype_of(op, value)?;
    Ok(if by.is_index() { DType::I32 } else { value })
}

impl Reducer {
    /// Reduces rows of `inner` values, in blocks of at most `block`.
    pub fn new(op: &str, by: ReduceOp, value: Type, inner: usize, block: usize) -> Result<Reducer> {
        let (result, value) = (result_of(op, by, value)?, dtype_of(op, value)?);
        let positions = Positions { op: by, value, inner };
        let by = match Loops::of(by, value) {
            Some(loops) => By::Values(Values::new(op, loops, value, inner, block)?),
            None if value.size() == 8 => By::LongPositions(positions, vec![0; block], vec![0; block]),
            None => By::Positions(positions, vec![0; block], vec![0; block]),
        };
        Ok(Reducer { by, result, inner })
    }

    /// Reduces some rows of the space from row `first` on. They make one block, or they are one
    /// row.
    pub fn rows(&mut self, machine: &mut Machine, first: usize, results: &mut [u8]) {
        match &mut self.by {
            By::Values(values) if self.inner == 0 => values.of_nothing(results),
            _ if self.inner == 0 => results.fill(0),
            By::Values(values) => values.rows(machine, first, results),
            By::Positions(positions, keys, best) => positions.rows(machine, first, keys, best, elements_mut(results)),
            By::LongPositions(positions, keys, best) => {
                positions.rows(machine, first, keys, best, elements_mut(results))
            }
        }
    }

    /// Reduces columns from column `first` on, at most a block of them. The space has rows of
    /// `outer` adjacent results.
    pub fn columns(&mut self, machine: &mut Machine, outer: usize, first: usize, results: &mut [u8]) {
        match &mut self.by {
            By::Values(values) => values.columns(machine, outer, first, results),
            By::Positions(positions, keys, _) => positions.columns(machine, outer, first, keys, elements_mut(results)),
            By::LongPositions(positions, keys, _) => {
                positions.columns(machine, outer, first, keys, elements_mut(results))
            }
        }
    }

    /// The size of a result in bytes.
    pub fn size(&self) -> usize {
        self.result.size()
    }
}
