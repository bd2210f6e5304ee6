//! Dense routines over one small matrix, in float64 over row-major slices.
//!
//! Backends run them on the processor, whatever device holds the matrix: a factorization is a long
//! chain of short dependent steps, which is slow on a GPU and hard to write in a shader language.
//! Each routine is the textbook algorithm of a numerically stable kind (Householder reflections,
//! one-sided Jacobi, partial pivoting) and ends after a bounded number of steps for any input.
//! Matrices are usually float32, so that computing in float64 leaves the result as accurate as its
//! input.
//!
//! Rejected: LAPACK or `faer`, whose blocked kernels win from a few hundred rows on and weigh more
//! than the rest of a page's download; and a float32 version of everything, which would double the
//! code.
//!
//! ```
//! use lanthorn_linalg::Routine;
//! let (mut lower, mut info) = ([0.0; 4], [0.0]);
//! Routine::Cholesky { size: 2, upper: false }.run(&[&[4.0, 2.0, 2.0, 5.0]], &mut [&mut lower, &mut info]).unwrap();
//! assert_eq!(lower, [2.0, 0.0, 1.0, 2.0]);
//! ```

mod cholesky;
mod determinant;
mod eigh;
mod exponential;
mod lu;
mod qr;
mod svd;
mod triangular;
mod vector;

use std::fmt;

/// The operation on a matrix, and its sizes. Matrices are row-major and dense.
///
/// Names follow LAPACK's where it has the routine; the conventions (signs, order, pivots that count
/// from 1) are LAPACK's too, because PyTorch's results show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Routine {
    /// `A [size, size]` is `L Lᵀ`, or `Uᵀ U` where `upper`; one triangle of `A` is read. Outputs:
    /// the factor, with zeros in the other triangle; `info [1]`, 0 or the order of the first
    /// leading minor that is not positive.
    Cholesky {
        /// Rows and columns.
        size: usize,
        /// Whether the upper triangle is read and the upper factor is returned.
        upper: bool,
    },
    /// `P A [rows, columns]` is `L U`, with partial pivoting, or without it, where `P` is the
    /// identity. Outputs: both factors in one matrix, without the unit diagonal;
    /// `pivots [min(rows, columns)]`, the row that each row was interchanged with, from 1;
    /// `info [1]`, 0 or the first pivot that is 0, from 1.
    Lu {
        /// Rows of `A`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// Whether rows are interchanged, so that each pivot is the largest of its column.
        pivoting: bool,
    },
    /// Interchanges the rows of `B [rows, columns]` (second input) by `pivots` (first input), in
    /// sequence; `back` undoes that.
    Interchange {
        /// Rows of `B`.
        rows: usize,
        /// Columns of `B`.
        columns: usize,
        /// The number of pivots.
        pivots: usize,
        /// Whether the interchanges are undone.
        back: bool,
    },
    /// `X` with `T X = B [size, columns]` (second input), where `T` is a triangle of
    /// `A [size, size]` (first input), or its transpose.
    SolveTriangular {
        /// Rows and columns of `A`.
        size: usize,
        /// Columns of `B`.
        columns: usize,
        /// Which triangle of `A` is read.
        upper: bool,
        /// Whether the triangle is transposed.
        transposed: bool,
        /// Whether the diagonal is taken as ones.
        unit: bool,
    },
    /// `A [rows, columns]` is `Q R`, by Householder reflections. Outputs: the first `width` columns
    /// of `Q`; `R`, which has `min(rows, columns)` rows, or `rows` where `width` is `rows`.
    Qr {
        /// Rows of `A`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// Requested columns of `Q`: 0, `min(rows, columns)` or `rows`.
        width: usize,
    },
    /// The eigenvalues of the symmetric `A [size, size]` in ascending order and, where `vectors`,
    /// eigenvectors as columns; one triangle of `A` is read.
    Eigh {
        /// Rows and columns.
        size: usize,
        /// Which triangle of `A` is read.
        upper: bool,
        /// Whether eigenvectors are computed.
        vectors: bool,
    },
    /// `A [rows, columns]` is `U diag(S) Vᵀ`. Outputs where `vectors`: `U`, `S` in descending
    /// order, `Vᵀ`; `U` and `Vᵀ` are square where `full`, and have as many columns and rows as `S`
    /// has elements otherwise. Without `vectors`: `S` alone.
    Svd {
        /// Rows of `A`.
        rows: usize,
        /// Columns of `A`.
        columns: usize,
        /// Whether `U` and `Vᵀ` are square.
        full: bool,
        /// Whether `U` and `Vᵀ` are computed.
        vectors: bool,
    },
    /// The determinant of `A [size, size]`, its sign, and the logarithm of its magnitude, which
    /// does not overflow.
    Determinant {
        /// Rows and columns.
        size: usize,
    },
    /// The cofactors of `A [size, size]`, which are the derivative of its determinant, also for a
    /// singular matrix.
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

/// The type and length of an input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// This number of real numbers.
    Reals(usize),
    /// This number of integers, also passed as float64.
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

/// Why a routine has no result, or one that `info` flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakdown {
    /// The leading minor of this order is not positive.
    NotPositiveDefinite(usize),
    /// This pivot, counted from 1, is 0.
    Singular(usize),
    /// An element is infinite or NaN.
    NotFinite,
    /// The iteration did not converge.
    NoConvergence,
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breakdown::NotPositiveDefinite(order) => {
                write!(f, "the matrix is not positive-definite: its leading minor of order {order} is not positive")
            }
            Breakdown::Singular(pivot) => write!(f, "the matrix is singular: pivot {pivot} of its LU factorization is zero"),
            Breakdown::NotFinite => f.write_str("the matrix has elements that are infinite or not a number"),
            Breakdown::NoConvergence => {
                f.write_str("the iteration did not converge: the matrix is ill-conditioned or has too many repeated values")
            }
        }
    }
}

impl std::error::Error for Breakdown {}

impl Routine {
    /// The inputs of one problem.
    pub fn inputs(&self) -> Vec<Elements> {
        use Elements::*;
        match *self {
            Routine::Cholesky { size, .. } | Routine::Eigh { size, .. } => vec![Reals(size * size)],
            Routine::Determinant { size } | Routine::Cofactors { size } | Routine::Exponential { size } => vec![Reals(size * size)],
            Routine::Lu { rows, columns, .. } | Routine::Qr { rows, columns, .. } | Routine::Svd { rows, columns, .. } => {
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

    /// A rough count of the elementary operations of one problem.
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

    /// Runs the routine on one problem; the slices have the lengths of [`Routine::inputs`] and
    /// [`Routine::outputs`]. After a breakdown the outputs hold the results computed so far, and
    /// `info` where there is one.
    pub fn run(&self, inputs: &[&[f64]], outputs: &mut [&mut [f64]]) -> Result<(), Breakdown> {
        match (*self, inputs, outputs) {
            (Routine::Cholesky { size, upper }, [a], [factor, info]) => cholesky::factor(size, upper, a, factor, &mut info[0]),
            (Routine::Lu { rows, columns, pivoting }, [a], [factors, pivots, info]) => {
                lu::factor(rows, columns, pivoting, a, factors, pivots, &mut info[0])
            }
            (Routine::Interchange { columns, back, .. }, [pivots, b], [x]) => {
                lu::interchange(columns, pivots, back, b, x);
                Ok(())
            }
            (Routine::SolveTriangular { size, columns, upper, transposed, unit }, [a, b], [x]) => {
                x.copy_from_slice(b);
                triangular::solve(size, columns, upper, transposed, unit, a, x);
                Ok(())
            }
            (Routine::Qr { rows, columns, width }, [a], [q, r]) => {
                qr::factor(rows, columns, width, a, q, r);
                Ok(())
            }
            (Routine::Eigh { size, upper, .. }, [a], [values]) => eigh::decompose(size, upper, a, values, &mut []),
            (Routine::Eigh { size, upper, .. }, [a], [values, vectors]) => eigh::decompose(size, upper, a, values, vectors),
            (Routine::Svd { rows, columns, .. }, [a], [values]) => svd::decompose(rows, columns, a, &mut [], values, &mut []),
            (Routine::Svd { rows, columns, .. }, [a], [u, values, v]) => svd::decompose(rows, columns, a, u, values, v),
            (Routine::Determinant { size }, [a], [value, sign, logarithm]) => {
                (value[0], sign[0], logarithm[0]) = determinant::of(size, a);
                Ok(())
            }
            (Routine::Cofactors { size }, [a], [x]) => {
                determinant::cofactors(size, a, x);
                Ok(())
            }
            (Routine::Exponential { size }, [a], [x]) => {
                exponential::of(size, a, x);
                Ok(())
            }
            _ => unreachable!("{self:?} takes other inputs or outputs"),
        }
    }
}
