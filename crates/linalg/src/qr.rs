//! QR factorization by Householder reflections, with LAPACK's signs.

use crate::vector::{add, dot, magnitude, transpose};

/// Reflections `I - tau v vᵀ`, one for each of the first columns of a matrix, whose product makes
/// it upper triangular.
pub(crate) struct Reflections {
    rows: usize,
    /// The vectors, concatenated; the first nonzero element of each is 1.
    vectors: Vec<f64>,
    factors: Vec<f64>,
}

impl Reflections {
    /// Reduces the columns of a matrix, given as rows of its transpose, to the upper triangle `R`,
    /// in place.
    pub(crate) fn new(rows: usize, columns: usize, transposed: &mut [f64]) -> Reflections {
        let count = rows.min(columns);
        let mut made = Reflections { rows, vectors: vec![0.0; count * rows], factors: vec![0.0; count] };
        for k in 0..count {
            let column = &mut transposed[k * rows..][..rows];
            let v = &mut made.vectors[k * rows..][..rows];
            let head = column[k];
            let below = norm(&column[k + 1..]);
            v[k] = 1.0;
            // A column that is 0 below its head is unchanged, including its sign.
            if below != 0.0 {
                let length = -head.hypot(below).copysign(head);
                made.factors[k] = (length - head) / length;
                v[k + 1..].iter_mut().zip(&column[k + 1..]).for_each(|(v, x)| *v = x / (head - length));
                column[k] = length;
                column[k + 1..].fill(0.0);
            }
            for other in transposed[(k + 1) * rows..].chunks_exact_mut(rows) {
                made.reflect(k, other);
            }
        }
        made
    }

    fn reflect(&self, k: usize, x: &mut [f64]) {
        if self.factors[k] != 0.0 {
            let v = &self.vectors[k * self.rows..][..self.rows];
            let along = self.factors[k] * dot(&v[k..], &x[k..]);
            add(&mut x[k..], -along, &v[k..]);
        }
    }

    /// `Q x`.
    pub(crate) fn apply(&self, x: &mut [f64]) {
        (0..self.factors.len()).rev().for_each(|k| self.reflect(k, x));
    }
}

/// The Euclidean length, without overflow.
fn norm(x: &[f64]) -> f64 {
    let scale = magnitude(x);
    if scale == 0.0 || !scale.is_finite() {
        scale
    } else {
        scale * x.iter().map(|x| (x / scale).powi(2)).sum::<f64>().sqrt()
    }
}

pub(crate) fn factor(rows: usize, columns: usize, width: usize, a: &[f64], q: &mut [f64], r: &mut [f64]) {
    let mut transposed = vec![0.0; a.len()];
    transpose(rows, columns, a, &mut transposed);
    let reflections = Reflections::new(rows, columns, &mut transposed);
    r.fill(0.0);
    for j in 0..columns {
        for i in 0..rows.min(j + 1) {
            r[i * columns + j] = transposed[j * rows + i];
        }
    }
    let mut column = vec![0.0; rows];
    for j in 0..width {
        column.fill(0.0);
        column[j] = 1.0;
        reflections.apply(&mut column);
        (0..rows).for_each(|i| q[i * width + j] = column[i]);
    }
}
