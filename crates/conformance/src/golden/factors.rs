//! Decompositions that are not unique are checked by their properties.
//!
//! The vectors of a singular value or eigenvalue are unique up to their sign, and up to a rotation
//! where values are equal. So the product of the factors is compared with the matrix, their columns
//! must be orthonormal, and the values, which are unique, must be PyTorch's.

use super::{
    call::Failure,
    comparison::Host,
    file::{GoldenFile, Sample, Value},
    tensors::numbers,
};
use crate::compare::{Tolerance, worst};

/// A matrix on the host, in row-major order.
#[derive(Clone, Debug)]
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, at: impl Fn(usize, usize) -> f64) -> Matrix {
        let values = (0..rows * columns).map(|index| at(index / columns, index % columns)).collect();
        Matrix { rows, columns, values }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    fn transpose(&self) -> Matrix {
        Matrix::new(self.columns, self.rows, |row, column| self.at(column, row))
    }

    fn times(&self, other: &Matrix) -> Matrix {
        let dot = |row, column| (0..self.columns).map(|k| self.at(row, k) * other.at(k, column)).sum();
        Matrix::new(self.rows, other.columns, dot)
    }

    /// The first `count` columns, each multiplied by its factor.
    fn scale_columns(&self, factors: &[f64]) -> Matrix {
        Matrix::new(self.rows, factors.len(), |row, column| self.at(row, column) * factors[column])
    }

    fn is(&self, other: &Matrix, what: &str, slack: f64) -> Result<(), Failure> {
        let tolerance = Tolerance { atol: slack, rtol: 0.0 };
        match worst(&self.values, &other.values, tolerance) {
            None => Ok(()),
            Some((index, off)) => {
                let why =
                    format!("{what}: element {index} is {}, expected {}", self.values[index], other.values[index]);
                Err(Failure::Differs(why, 1.0 + off / slack))
            }
        }
    }

    fn has_orthonormal_columns(&self, what: &str) -> Result<(), Failure> {
        let identity = Matrix::new(self.columns, self.columns, |row, column| f64::from(u8::from(row == column)));
        self.transpose().times(self).is(&identity, what, SLACK)
    }
}

/// The tolerance of the product of factors in float32, for a matrix of elements around 1.
const SLACK: f64 = 5e-5;

/// The matrices in the last two dimensions.
fn matrices(shape: &[usize], values: &[f64]) -> Result<Vec<Matrix>, Failure> {
    let [.., rows, columns] = *shape else {
        return Err(Failure::Differs(format!("{shape:?} is no matrix"), f64::INFINITY));
    };
    let of = |values: &[f64]| Matrix { rows, columns, values: values.to_vec() };
    let count: usize = shape[..shape.len() - 2].iter().product();
    Ok((0..count).map(|i| of(&values[i * rows * columns..][..rows * columns])).collect())
}

/// Compares the results of a decomposition.
pub fn check(file: &GoldenFile, sample: &Sample, hosts: &[Host]) -> Result<(), Failure> {
    let wanted: Vec<&Value> = sample.out.leaves();
    let mut stored = Vec::new();
    for value in wanted {
        if let Value::Tensor(tensor) = value {
            stored.push(file.tensor(&tensor.name).map_err(Failure::Broken)?);
        }
    }
    let shapes = |shapes: &mut dyn Iterator<Item = &Vec<usize>>| shapes.cloned().collect::<Vec<_>>();
    let (got, want) =
        (shapes(&mut hosts.iter().map(|host| &host.shape)), shapes(&mut stored.iter().map(|stored| &stored.shape)));
    if got != want {
        return Err(Failure::Differs(format!("shapes {got:?}, expected {want:?}"), f64::INFINITY));
    }
    let Some(Value::Tensor(input)) = sample.args.first() else { return Err(Failure::Broken("no matrix".into())) };
    let input = file.tensor(&input.name).map_err(Failure::Broken)?;
    let inputs = matrices(&input.shape, &numbers(input))?;
    let lower =
        sample.kwargs.get("UPLO").is_none_or(|uplo| matches!(uplo, Value::Str(text) if text.eq_ignore_ascii_case("l")));
    match (file.document.op.as_str(), hosts) {
        ("linalg.svd", [u, s, vh]) => {
            unique(s, &numbers(stored[1]), "the singular values")?;
            let factors = matrices(&u.shape, &u.values)?.into_iter().zip(matrices(&vh.shape, &vh.values)?);
            for (i, ((u, vh), input)) in factors.zip(&inputs).enumerate() {
                let count = input.rows.min(input.columns);
                svd(&u, &s.values[i * count..][..count], &vh, input)?;
            }
        }
        ("linalg.eigh", [w, v]) => {
            unique(w, &numbers(stored[0]), "the eigenvalues")?;
            for (i, (v, input)) in matrices(&v.shape, &v.values)?.iter().zip(&inputs).enumerate() {
                let half =
                    |row: usize, column: usize| if (row >= column) == lower { (row, column) } else { (column, row) };
                let symmetric = Matrix::new(input.rows, input.rows, |row, column| {
                    let (row, column) = half(row, column);
                    input.at(row, column)
                });
                eigh(&w.values[i * v.columns..][..v.columns], v, &symmetric)?;
            }
        }
        ("linalg.qr", [q, r]) => {
            for ((q, r), input) in
                matrices(&q.shape, &q.values)?.iter().zip(&matrices(&r.shape, &r.values)?).zip(&inputs)
            {
                qr(q, r, input)?;
            }
        }
        (op, _) => return Err(Failure::Missing(format!("there is no rule that puts {op} together again"))),
    }
    Ok(())
}

fn unique(got: &Host, want: &[f64], what: &str) -> Result<(), Failure> {
    let slack = SLACK * size(want);
    match worst(&got.values, want, Tolerance { atol: slack, rtol: 0.0 }) {
        None => Ok(()),
        Some((index, off)) => {
            let why = format!("{what}: element {index} is {}, expected {}", got.values[index], want[index]);
            Err(Failure::Differs(why, 1.0 + off / slack))
        }
    }
}

/// The largest element, or 1.
fn size(values: &[f64]) -> f64 {
    values.iter().fold(1.0, |largest, value| value.abs().max(largest))
}

fn svd(u: &Matrix, s: &[f64], vh: &Matrix, input: &Matrix) -> Result<(), Failure> {
    u.has_orthonormal_columns("the left vectors' products")?;
    vh.transpose().has_orthonormal_columns("the right vectors' products")?;
    // In full matrices, the vectors beyond the last singular value are multiplied by zeros.
    let kept = Matrix::new(s.len(), vh.columns, |row, column| vh.at(row, column));
    u.scale_columns(s).times(&kept).is(input, "U S Vh", SLACK * size(&input.values))
}

fn eigh(w: &[f64], v: &Matrix, input: &Matrix) -> Result<(), Failure> {
    v.has_orthonormal_columns("the eigenvectors' products")?;
    v.scale_columns(w).times(&v.transpose()).is(input, "V w V^T", SLACK * size(&input.values))
}

fn qr(q: &Matrix, r: &Matrix, input: &Matrix) -> Result<(), Failure> {
    q.has_orthonormal_columns("the columns' products")?;
    let upper = Matrix::new(r.rows, r.columns, |row, column| if row > column { 0.0 } else { r.at(row, column) });
    r.is(&upper, "R below its diagonal", SLACK * size(&input.values))?;
    q.times(r).is(input, "Q R", SLACK * size(&input.values))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, columns: usize, values: &[f64]) -> Matrix {
        Matrix { rows, columns, values: values.to_vec() }
    }

    #[test]
    fn a_sign_is_free_and_a_value_is_not() {
        // [[0, 2], [3, 0]]: swap, then 3 and 2.
        let input = matrix(2, 2, &[0.0, 2.0, 3.0, 0.0]);
        let vh = matrix(2, 2, &[1.0, 0.0, 0.0, 1.0]);
        let (u, flipped) = (matrix(2, 2, &[0.0, 1.0, 1.0, 0.0]), matrix(2, 2, &[0.0, -1.0, 1.0, 0.0]));
        assert!(svd(&u, &[3.0, 2.0], &vh, &input).is_ok());
        assert!(svd(&flipped, &[3.0, 2.0], &matrix(2, 2, &[1.0, 0.0, 0.0, -1.0]), &input).is_ok());
        assert!(svd(&flipped, &[3.0, 2.0], &vh, &input).is_err());
        assert!(svd(&u, &[3.0, 2.1], &vh, &input).is_err());
        assert!(svd(&matrix(2, 2, &[0.0, 1.0, 1.0, 0.1]), &[3.0, 2.0], &vh, &input).is_err());
    }

    #[test]
    fn eigenvectors_and_triangles() {
        let half = 0.5f64.sqrt();
        let input = matrix(2, 2, &[2.0, 1.0, 1.0, 2.0]);
        assert!(eigh(&[1.0, 3.0], &matrix(2, 2, &[-half, half, half, half]), &input).is_ok());
        assert!(eigh(&[3.0, 1.0], &matrix(2, 2, &[-half, half, half, half]), &input).is_err());
        let (q, r) = (matrix(2, 2, &[0.0, 1.0, 1.0, 0.0]), matrix(2, 2, &[3.0, 1.0, 0.0, 2.0]));
        assert!(qr(&q, &r, &matrix(2, 2, &[0.0, 2.0, 3.0, 1.0])).is_ok());
        assert!(qr(&q, &matrix(2, 2, &[3.0, 1.0, 0.5, 2.0]), &matrix(2, 2, &[0.5, 2.0, 3.0, 1.0])).is_err());
    }
}
