//! The algorithms behind [`Linalg`](lanthorn_ir::kernel::Linalg): dense routines over small
//! matrices, in float64 over row-major slices.
//!
//! A backend runs them on the CPU, whatever device holds the matrix: a factorization is a long
//! chain of short dependent steps, which is slow on a GPU. Each routine is the textbook algorithm
//! of a numerically stable kind (Householder reflections, one-sided Jacobi, partial pivoting) that
//! ends after a bounded number of steps for any input. Matrices usually come from float32, so with
//! float64 arithmetic the result is as accurate as its input.
//!
//! [`run`] solves one problem, and [`run_batch`] a range of a kernel's batch from and to bytes in
//! host format. The description of the routines, their sizes and conventions, is
//! [`Routine`](lanthorn_ir::kernel::Routine).
//!
//! Rejected: LAPACK or `faer`, whose blocked kernels win from a few hundred rows on and are larger
//! than the rest of a page's download; and a float32 version of everything, which would double the
//! code.
//!
//! ```
//! use lanthorn_ir::kernel::Routine;
//! let (mut lower, mut info) = ([0.0; 4], [0.0]);
//! let cholesky = Routine::Cholesky { size: 2, upper: false };
//! lanthorn_linalg::run(&cholesky, &[&[4.0, 2.0, 2.0, 5.0]], &mut [&mut lower, &mut info]).unwrap();
//! assert_eq!(lower, [2.0, 0.0, 1.0, 2.0]);
//! ```

#![forbid(unsafe_code)]

mod batch;
mod cholesky;
mod determinant;
mod eigh;
mod exponential;
mod lu;
mod qr;
mod svd;
mod triangular;
mod vector;

pub use batch::run_batch;

use lanthorn_ir::kernel::Routine;
use std::fmt;

/// The reason why a routine has no result, or an unreliable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakdown {
    /// The leading minor of this order is not positive.
    NotPositiveDefinite(usize),
    /// This pivot, counted from 1, is 0.
    Singular(usize),
    /// An element of the matrix is infinite or NaN.
    NotFinite,
    /// The iteration did not converge within its limit.
    NoConvergence,
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breakdown::NotPositiveDefinite(order) => {
                write!(f, "the matrix is not positive-definite: its leading minor of order {order} is not positive")
            }
            Breakdown::Singular(pivot) => {
                write!(f, "the matrix is singular: pivot {pivot} of its LU factorization is zero")
            }
            Breakdown::NotFinite => f.write_str("the matrix has elements that are infinite or not a number"),
            Breakdown::NoConvergence => f.write_str(
                "the iteration did not converge: the matrix is ill-conditioned or has too many repeated values",
            ),
        }
    }
}

impl std::error::Error for Breakdown {}

/// Runs a routine on one problem. The slices have the lengths that [`Routine::inputs`] and
/// [`Routine::outputs`] give.
///
/// # Errors
/// The breakdown that ended the routine. The outputs then hold the values computed before it, and
/// `info` its position if the routine has that output.
///
/// # Panics
/// If the number of inputs or outputs is not the routine's.
pub fn run(routine: &Routine, inputs: &[&[f64]], outputs: &mut [&mut [f64]]) -> Result<(), Breakdown> {
    match (*routine, inputs, outputs) {
        (Routine::Cholesky { size, upper }, [a], [factor, info]) => {
            cholesky::factor(size, upper, a, factor, &mut info[0])
        }
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
        (Routine::Svd { rows, columns, .. }, [a], [values]) => {
            svd::decompose(rows, columns, a, &mut [], values, &mut [])
        }
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
        _ => unreachable!("{routine:?} takes other inputs or outputs"),
    }
}
