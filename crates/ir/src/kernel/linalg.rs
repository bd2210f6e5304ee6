//! Dense routines over batches of small matrices.
//!
//! This is the only kind without a shader: a factorization is a chain of short dependent steps,
//! which is slow on a GPU. This module has the description. The crate `lanthorn-linalg` has the
//! algorithms, in float64 on the CPU, and every backend calls them.

use super::KernelKind;
use crate::{DType, Layout, Shape, number::Number};

/// A routine applied to each matrix of a batch: factorizations, and solves with their factors.
///
/// Inputs and outputs are contiguous, one problem after another. Real numbers have type `dtype` and
/// integers are int32; the arithmetic is float64. A backend with its own memory copies the inputs
/// to the host and the outputs back, in program order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linalg {
    /// The routine and the sizes of one problem.
    pub routine: Routine,
    /// The type of the real numbers: float32 or float64.
    pub dtype: DType,
    /// The number of problems.
    pub batch: usize,
    /// Whether a breakdown fails the launch. Otherwise it is reported in the routine's `info`
    /// output, if it has one.
    pub checked: bool,
}

impl Linalg {
    fn shapes_of<N: Number>(&self, problem: Vec<Elements>) -> impl Iterator<Item = (DType, Shape<N>)> {
        problem.into_iter().map(|elements| match elements {
            Elements::Reals(count) => (self.dtype, Shape::from_dims([self.batch, count].map(N::constant))),
            Elements::Integers(count) => (DType::I32, Shape::from_dims([self.batch, count].map(N::constant))),
        })
    }

    /// The element type and number of elements of each input.
    pub fn inputs(&self) -> Vec<(DType, usize)> {
        self.shapes_of::<usize>(self.routine.inputs()).map(|(dtype, shape)| (dtype, shape.elements())).collect()
    }

    /// The element type and number of elements of each output.
    pub fn outputs(&self) -> Vec<(DType, usize)> {
        self.shapes_of::<usize>(self.routine.outputs()).map(|(dtype, shape)| (dtype, shape.elements())).collect()
    }
}

impl<N: Number> KernelKind<N> for Linalg {
    fn name(&self) -> &'static str {
        "linalg"
    }

    /// Each output as `[batch, elements of one problem]`.
    fn results(&self) -> Vec<(DType, Shape<N>)> {
        self.shapes_of(self.routine.outputs()).collect()
    }

    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        self.shapes_of(self.routine.inputs()).map(|(dtype, shape)| (dtype, Layout::contiguous(shape))).collect()
    }

    fn listing(&self) -> Vec<String> {
        vec![format!("{:?} of {}", self.routine, self.batch)]
    }
}

/// A routine over one problem, and its sizes. Matrices are row-major and dense.
///
/// Names follow LAPACK where it has the routine. So do the conventions (signs, order, pivots that
/// count from 1), because PyTorch's results show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Routine {
    /// `A [size, size] = L Lᵀ`, or `Uᵀ U` if `upper`; one triangle of `A` is read. Outputs: the
    /// factor, with zeros in its other triangle; `info [1]`, 0 or the order of the first leading
    /// minor that is not positive.
    Cholesky {
        /// Rows and columns.
        size: usize,
        /// Whether the upper triangle is read and the upper factor returned.
        upper: bool,
    },
    /// `P A [rows, columns] = L U`. Outputs: both factors in one matrix, without the unit diagonal
    /// of `L`; `pivots [min(rows, columns)]`, the row that each row was interchanged with, from 1;
    /// `info [1]`, 0 or the first pivot that is 0, from 1.
    Lu {
        /// Rows of `A`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// Whether rows are interchanged so that each pivot is the largest of its column (partial
        /// pivoting). Without it `P` is the identity.
        pivoting: bool,
    },
    /// The rows of `B [rows, columns]` (second input), interchanged in sequence by `pivots` (first
    /// input).
    Interchange {
        /// Rows of `B`.
        rows: usize,
        /// Columns of `B`.
        columns: usize,
        /// The number of pivots.
        pivots: usize,
        /// Whether the interchanges are undone instead.
        back: bool,
    },
    /// `X` with `T X = B [size, columns]` (second input), where `T` is a triangle of
    /// `A [size, size]` (first input) or its transpose.
    SolveTriangular {
        /// Rows and columns of `A`.
        size: usize,
        /// Columns of `B`.
        columns: usize,
        /// Which triangle of `A` is read.
        upper: bool,
        /// Whether that triangle is transposed.
        transposed: bool,
        /// Whether the diagonal counts as ones.
        unit: bool,
    },
    /// `A [rows, columns] = Q R`, by Householder reflections. Outputs: the first `width` columns of
    /// `Q`; `R`, with `rows` rows if `width` is `rows`, otherwise with `min(rows, columns)`.
    Qr {
        /// Rows of `A`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// The columns of `Q` to return: 0, `min(rows, columns)` or `rows`.
        width: usize,
    },
    /// The eigenvalues of the symmetric `A [size, size]` in ascending order and, if `vectors`, the
    /// eigenvectors as columns; one triangle of `A` is read.
    Eigh {
        /// Rows and columns.
        size: usize,
        /// Which triangle of `A` is read.
        upper: bool,
        /// Whether eigenvectors are returned.
        vectors: bool,
    },
    /// `A [rows, columns] = U diag(S) Vᵀ`. Outputs if `vectors`: `U`, `S` in descending order,
    /// `Vᵀ`; `U` and `Vᵀ` are square if `full`, otherwise they have as many columns and rows as `S`
    /// has elements. Without `vectors`: `S`.
    Svd {
        /// Rows of `A`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// Whether `U` and `Vᵀ` are square.
        full: bool,
        /// Whether `U` and `Vᵀ` are returned.
        vectors: bool,
    },
    /// The determinant of `A [size, size]`, its sign, and the logarithm of its magnitude, which
    /// does not overflow.
    Determinant {
        /// Rows and columns.
        size: usize,
    },
    /// The cofactors of `A [size, size]`: the derivative of its determinant, also for a singular
    /// matrix.
    Cofactors {
        /// Rows and columns.
        size: usize,
    },
    /// The exponential of `A [size, size]`.
    Exponential {
        /// Rows and columns.
        size: usize,
    },
}

/// The kind and number of elements of one input or output of a [`Routine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Real numbers.
    Reals(usize),
    /// Integers. The algorithms receive them as float64 too.
    Integers(usize),
}

impl Elements {
    /// The number of elements.
    pub fn count(self) -> usize {
        match self {
            Elements::Reals(count) | Elements::Integers(count) => count,
        }
    }
}

impl Routine {
    /// The inputs of one problem.
    pub fn inputs(&self) -> Vec<Elements> {
        use Elements::*;
        match *self {
            Routine::Cholesky { size, .. } | Routine::Eigh { size, .. } => vec![Reals(size * size)],
            Routine::Determinant { size } | Routine::Cofactors { size } | Routine::Exponential { size } => {
                vec![Reals(size * size)]
            }
            Routine::Lu { rows, columns, .. }
            | Routine::Qr { rows, columns, .. }
            | Routine::Svd { rows, columns, .. } => {
                vec![Reals(rows * columns)]
            }
            Routine::Interchange { rows, columns, pivots, .. } => vec![Integers(pivots), Reals(rows * columns)],
            Routine::SolveTriangular { size, columns, .. } => vec![Reals(size * size), Reals(size * columns)],
        }
    }

    /// The outputs of one problem.
    pub fn outputs(&self) -> Vec<Elements> {
        use Elements::*;
        match *self {
            Routine::Cholesky { size, .. } => vec![Reals(size * size), Integers(1)],
            Routine::Lu { rows, columns, .. } => vec![Reals(rows * columns), Integers(rows.min(columns)), Integers(1)],
            Routine::Interchange { rows, columns, .. } => vec![Reals(rows * columns)],
            Routine::SolveTriangular { size, columns, .. } => vec![Reals(size * columns)],
            Routine::Qr { rows, columns, width } => {
                let height = if width == rows { rows } else { rows.min(columns) };
                vec![Reals(rows * width), Reals(height * columns)]
            }
            Routine::Eigh { size, vectors: false, .. } => vec![Reals(size)],
            Routine::Eigh { size, .. } => vec![Reals(size), Reals(size * size)],
            Routine::Svd { rows, columns, vectors: false, .. } => vec![Reals(rows.min(columns))],
            Routine::Svd { rows, columns, full, .. } => {
                let least = rows.min(columns);
                let (wide, high) = if full { (rows, columns) } else { (least, least) };
                vec![Reals(rows * wide), Reals(least), Reals(high * columns)]
            }
            Routine::Determinant { .. } => vec![Reals(1), Reals(1), Reals(1)],
            Routine::Cofactors { size } | Routine::Exponential { size } => vec![Reals(size * size)],
        }
    }

    /// Roughly the number of floating-point operations of one problem, for a backend to decide how
    /// many threads to use.
    pub fn operations(&self) -> usize {
        match *self {
            Routine::Cholesky { size, .. } => size * size * size / 3,
            Routine::Lu { rows, columns, .. } => rows * columns * rows.min(columns),
            Routine::Interchange { pivots, columns, .. } => 2 * pivots * columns,
            Routine::SolveTriangular { size, columns, .. } => size * size * columns,
            Routine::Qr { rows, columns, width } => 2 * rows * (columns + width) * rows.min(columns),
            Routine::Eigh { size, .. } => 9 * size * size * size,
            Routine::Svd { rows, columns, .. } => 40 * rows * columns * rows.min(columns),
            Routine::Determinant { size } => size * size * size,
            Routine::Cofactors { size } | Routine::Exponential { size } => 50 * size * size * size,
        }
    }
}
