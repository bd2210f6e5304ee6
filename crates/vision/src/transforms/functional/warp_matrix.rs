//! The coefficients of affine and perspective maps, as numbers of the host.

use lanthorn_tensor::{Error, Result};
use std::f64::consts::PI;

/// The map from a pixel of the result to its position in the picture, relative to the middle: the
/// two rows `a, b, c` and `d, e, f` of `x' = a x + b y + c`, `y' = d x + e y + f`.
///
/// The picture is sheared, rotated by `angle` degrees with the clock and scaled about `center`, and
/// then translated.
pub(crate) fn inverse_affine(center: &[f64], angle: f64, translate: &[f64], scale: f64, shear: &[f64]) -> Vec<f64> {
    let turn = angle * PI / 180.0;
    let (shear_x, shear_y) = (shear[0] * PI / 180.0, shear[1] * PI / 180.0);
    let a = (turn - shear_y).cos() / shear_y.cos();
    let b = -(a * shear_x.tan() + turn.sin());
    let c = (turn - shear_y).sin() / shear_y.cos();
    let d = turn.cos() - c * shear_x.tan();
    let (row_x, row_y) = (vec![d / scale, -b / scale], vec![-c / scale, a / scale]);
    let (x, y) = (center[0] + translate[0], center[1] + translate[1]);
    vec![
        row_x[0],
        row_x[1],
        center[0] - row_x[0] * x - row_x[1] * y,
        row_y[0],
        row_y[1],
        center[1] - row_y[0] * x - row_y[1] * y,
    ]
}

/// The map from a position in the picture to its pixel of the result, relative to the middle: the
/// inverse of [`inverse_affine`].
pub(crate) fn invert_matrix(matrix: &[f64]) -> Vec<f64> {
    let determinant = matrix[0] * matrix[4] - matrix[1] * matrix[3];
    let (a, b) = (matrix[4] / determinant, -matrix[1] / determinant);
    let (d, e) = (-matrix[3] / determinant, matrix[0] / determinant);
    vec![a, b, -(a * matrix[2] + b * matrix[5]), d, e, -(d * matrix[2] + e * matrix[5])]
}

/// The height and the width of a result that holds the whole mapped picture.
pub(crate) fn expand_size(matrix: &[f64], height: usize, width: usize) -> (usize, usize) {
    let (half_width, half_height) = (0.5 * width as f64, 0.5 * height as f64);
    let mut right = 0.0;
    let mut bottom = 0.0;
    for side_x in [-1.0, 1.0] {
        for side_y in [-1.0, 1.0] {
            let (x, y) = (side_x * half_width, side_y * half_height);
            right = (matrix[0] * x + matrix[1] * y + matrix[2]).max(right);
            bottom = (matrix[3] * x + matrix[4] * y + matrix[5]).max(bottom);
        }
    }
    (span(bottom, half_height), span(right, half_width))
}

/// The number of pixels from `-reach` to `reach` about the middle, to 1e-4 of a pixel.
fn span(reach: f64, half: f64) -> usize {
    let high = (((reach + half) * 1e4).trunc() * 1e-4).ceil();
    let low = (((half - reach) * 1e4).trunc() * 1e-4).floor();
    (high - low) as usize
}

/// The solution of a square system of equations, by elimination with row pivots.
///
/// # Errors
/// `argument` if the equations do not have one solution.
fn solve(op: &str, matrix: &[Vec<f64>]) -> Result<Vec<f64>> {
    let size = matrix.len();
    let mut rows = matrix.to_vec();
    for column in 0..size {
        let mut pivot = column;
        for row in column + 1..size {
            if rows[row][column].abs() > rows[pivot][column].abs() {
                pivot = row;
            }
        }
        let chosen = rows[pivot].to_vec();
        rows[pivot] = rows[column].to_vec();
        if chosen[column].abs() < 1e-12 {
            return Err(Error::argument(op, "the points do not determine a perspective map".to_string()));
        }
        rows[column] = chosen.iter().map(|value| *value / chosen[column]).collect();
        for row in 0..size {
            if row != column {
                let factor = rows[row][column];
                let mut reduced = vec![];
                for position in 0..size + 1 {
                    reduced.push(rows[row][position] - factor * rows[column][position]);
                }
                rows[row] = reduced;
            }
        }
    }
    Ok(rows.iter().map(|row| row[size]).collect())
}

/// The eight coefficients `a` to `h` of the perspective map from the points `endpoints` of the
/// result to the points `startpoints` of the picture: `x' = (a x + b y + c) / (g x + h y + 1)`, `y'
/// = (d x + e y + f) / (g x + h y + 1)`. Both have the four corners, `x, y` each.
///
/// # Errors
/// `argument` if there are not four points each, or if they do not determine a map.
pub(crate) fn perspective_coefficients(op: &str, startpoints: &[Vec<f64>], endpoints: &[Vec<f64>]) -> Result<Vec<f64>> {
    if startpoints.len() != 4 || endpoints.len() != 4 {
        let (starts, ends) = (startpoints.len(), endpoints.len());
        let message = format!("startpoints and endpoints must be four points each, and are {starts} and {ends}");
        return Err(Error::argument(op, message));
    }
    let mut rows = vec![];
    for index in 0..4 {
        let (end, start) = (&endpoints[index], &startpoints[index]);
        if end.len() != 2 || start.len() != 2 {
            return Err(Error::argument(op, "a point must be two numbers, x and y".to_string()));
        }
        let (x, y) = (end[0], end[1]);
        rows.push(vec![x, y, 1.0, 0.0, 0.0, 0.0, -start[0] * x, -start[0] * y, start[0]]);
        rows.push(vec![0.0, 0.0, 0.0, x, y, 1.0, -start[1] * x, -start[1] * y, start[1]]);
    }
    solve(op, &rows)
}
