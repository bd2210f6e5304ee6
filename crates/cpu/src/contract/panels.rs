//! Operands that are packed as a whole: a convolution's weights, which every strip of its images
//! needs, and weights whose panels the backend keeps from one launch to the next.
//!
//! This module defines only the layout of panels. [`crate::memory`] decides whether an operand is
//! the same as in an earlier launch, and how much memory copies may use.

use super::{
    axis::{Axis, Cursor},
    packing::Side,
    real::Real,
};
use crate::{
    buffer::{Buffer, Shared, elements, elements_mut},
    encoding::FloatEncoding,
    parallel,
};
use lanthorn_ir::{Layout, Result, Shape, expr::Type};
use std::{ops::Range, sync::Arc};

/// The layout of an operand's panels: for each matrix and each part of the depth, panels of all
/// rows.
#[derive(PartialEq)]
pub(crate) struct Packing {
    /// The rows and the depth. A matrix starts at its origin.
    side: Side,
    origins: Vec<Cursor>,
    /// The number of rows of a panel, and the depth of a part.
    width: usize,
    deep: usize,
    ty: Type,
    /// The encoding of the operand, and the number of elements that may be read.
    encoding: Option<(FloatEncoding, usize)>,
}

impl Packing {
    /// The number of elements of one depth of a matrix, in whole panels.
    fn tall(&self) -> usize {
        self.side.rows.length.next_multiple_of(self.width)
    }

    fn elements(&self) -> usize {
        self.origins.len() * self.tall() * self.side.depth.length
    }

    /// The number of bytes of all panels.
    pub fn bytes(&self) -> usize {
        self.elements() * if self.ty == Type::F64 { size_of::<f64>() } else { size_of::<f32>() }
    }

    /// Packs an operand from the bytes of its buffer.
    ///
    /// # Errors
    /// An out-of-memory error.
    pub fn pack(&self, op: &str, bytes: &[u8]) -> Result<Buffer> {
        let widened = self.encoding.map(|(encoding, reach)| encoding.widen(op, bytes, reach)).transpose()?;
        let bytes = widened.as_ref().map_or(bytes, Buffer::bytes);
        match self.ty {
            Type::F64 => self.pack_elements::<f64>(op, elements(bytes)),
            _ => self.pack_elements::<f32>(op, elements(bytes)),
        }
    }

    /// Packs the elements of an operand.
    ///
    /// # Errors
    /// An out-of-memory error.
    pub fn pack_elements<T: Real>(&self, op: &str, data: &[T]) -> Result<Buffer> {
        let (k, tall, deep) = (self.side.depth.length, self.tall(), self.deep);
        let mut packed = Buffer::new(op, self.elements() * size_of::<T>(), 0)?;
        let shared = Shared::new(packed.bytes_mut());
        let parts = k.div_ceil(deep);
        parallel::split(self.origins.len() * parts, &[self.elements()], |tasks| {
            for (matrix, from) in tasks.map(|task| (task / parts, task % parts * deep)) {
                let depth = from..k.min(from + deep);
                let bytes = [depth.start, depth.end].map(|depth| (matrix * k + depth) * tall * size_of::<T>());
                // SAFETY: one task packs each depth of each matrix.
                let target = unsafe { shared.part(bytes[0]..bytes[1]) };
                let rows = 0..self.side.rows.length;
                self.side.pack(data, self.origins[matrix], rows, depth, self.width, elements_mut(target));
            }
            Ok(())
        })?;
        Ok(packed)
    }
}

/// An operand that may be packed as a whole.
pub(super) struct Whole {
    pub packing: Arc<Packing>,
    /// The number of each matrix's origin.
    numbers: Vec<usize>,
}

/// Maximum number of matrices of an operand whose panels a backend may keep. An operand with more
/// matrices, such as the heads of attention, does not hold weights.
const MAX_MATRICES: usize = 64;

impl Whole {
    /// An operand whose panels have `width` rows and depth `deep`.
    pub fn new(side: &Side, [width, deep]: [usize; 2], ty: Type, encoding: Option<(FloatEncoding, usize)>) -> Whole {
        let (origins, numbers) = side.batch.distinct();
        // Operands with equal panels have equal packings, whatever their batches are.
        let side = Side { batch: Axis::new(&[Layout::new(Shape::from_dims([]), [], 0)]), ..side.clone() };
        Whole { packing: Arc::new(Packing { side, origins, width, deep, ty, encoding }), numbers }
    }

    /// Whether it has few matrices.
    pub fn is_small(&self) -> bool {
        self.packing.origins.len() <= MAX_MATRICES
    }

    /// The panels in a buffer that [`Packing::pack`] returned.
    pub fn panels<'a, T: Real>(&'a self, bytes: &'a [u8]) -> Panels<'a, T> {
        let Packing { ref side, .. } = *self.packing;
        Panels {
            elements: elements(bytes),
            numbers: &self.numbers,
            tall: self.packing.tall(),
            depth: side.depth.length,
        }
    }
}

/// An operand's panels.
#[derive(Clone, Copy)]
pub(super) struct Panels<'a, T> {
    elements: &'a [T],
    numbers: &'a [usize],
    tall: usize,
    depth: usize,
}

impl<'a, T: Real> Panels<'a, T> {
    /// The panels of a range of rows, which starts at a panel, for one part of the depth.
    pub fn of(&self, matrix: usize, rows: Range<usize>, depth: Range<usize>) -> &'a [T] {
        let part = (self.numbers[matrix] * self.depth + depth.start) * self.tall;
        let elements = &self.elements[part..part + depth.len() * self.tall];
        // The last range of rows extends to the end of its last panel.
        &elements[rows.start * depth.len()..]
    }
}
