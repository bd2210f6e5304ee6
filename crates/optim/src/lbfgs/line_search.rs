//! A line search for the strong Wolfe conditions (Nocedal and Wright, 2006, algorithms 3.5 and
//! 3.6), as PyTorch's.

use lanthorn_tensor::{Result, Tensor};

/// A point on the line: its distance, and the function there.
#[derive(Clone)]
pub struct Point {
    /// The distance along the direction.
    pub size: f64,
    /// The loss.
    pub loss: f64,
    /// The derivative along the direction.
    pub slope: f64,
    /// The gradient.
    pub grad: Tensor,
}

/// The required fraction of the decrease that the slope predicts.
const DECREASE: f64 = 1e-4;
/// The allowed fraction of the remaining slope.
const CURVATURE: f64 = 0.9;
/// The maximum number of evaluations.
const MAX_EVALUATIONS: usize = 25;

/// The minimum of the cubic through two points, clamped to bounds.
fn cubic_minimum(a: &Point, b: &Point, bounds: Option<(f64, f64)>) -> f64 {
    let (low, high) = bounds.unwrap_or((a.size.min(b.size), a.size.max(b.size)));
    let d1 = a.slope + b.slope - 3.0 * (a.loss - b.loss) / (a.size - b.size);
    let square = d1 * d1 - a.slope * b.slope;
    if square < 0.0 || square.is_nan() {
        return (low + high) / 2.0;
    }
    let d2 = square.sqrt();
    let position = if a.size <= b.size {
        b.size - (b.size - a.size) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2))
    } else {
        a.size - (a.size - b.size) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2.0 * d2))
    };
    position.max(low).min(high)
}

/// A point that satisfies the conditions, or the best found; and the number of loss evaluations.
///
/// `longest` is the largest element of the direction.
pub async fn strong_wolfe(
    evaluate: &mut impl AsyncFnMut(f64) -> Result<Point>,
    from: Point,
    size: f64,
    longest: f64,
    tolerance_change: f64,
) -> Result<(Point, i64)> {
    let too_high = |point: &Point| point.loss > from.loss + DECREASE * point.size * from.slope;
    let flat = |point: &Point| point.slope.abs() <= -CURVATURE * from.slope;
    let mut point = evaluate(size).await?;
    let mut evaluations = 1;
    let mut previous = from.clone();
    let mut iterations = 0;
    let mut bracket = loop {
        if iterations == MAX_EVALUATIONS {
            break [from.clone(), point];
        }
        if too_high(&point) || (iterations > 1 && point.loss >= previous.loss) {
            break [previous, point];
        }
        if flat(&point) {
            return Ok((point, evaluations));
        }
        if point.slope >= 0.0 {
            break [previous, point];
        }
        let bounds = (point.size + 0.01 * (point.size - previous.size), point.size * 10.0);
        let next = cubic_minimum(&previous, &point, Some(bounds));
        previous = point;
        point = evaluate(next).await?;
        evaluations += 1;
        iterations += 1;
    };
    let order = |bracket: &[Point; 2]| if bracket[0].loss <= bracket[1].loss { (0, 1) } else { (1, 0) };
    let (mut low, mut high) = order(&bracket);
    let mut too_little = false;
    while iterations < MAX_EVALUATIONS {
        let (left, right) = (bracket[0].size.min(bracket[1].size), bracket[0].size.max(bracket[1].size));
        if (right - left) * longest < tolerance_change {
            break;
        }
        let mut size = cubic_minimum(&bracket[0], &bracket[1], None);
        // After two trials close to an end, or one beyond it: a tenth of the way inside.
        let margin = 0.1 * (right - left);
        if (right - size).min(size - left) < margin {
            if too_little || size >= right || size <= left {
                size = if (size - right).abs() < (size - left).abs() { right - margin } else { left + margin };
                too_little = false;
            } else {
                too_little = true;
            }
        } else {
            too_little = false;
        }
        let point = evaluate(size).await?;
        evaluations += 1;
        iterations += 1;
        if too_high(&point) || point.loss >= bracket[low].loss {
            bracket[high] = point;
            (low, high) = order(&bracket);
        } else {
            let done = flat(&point);
            if !done && point.slope * (bracket[high].size - bracket[low].size) >= 0.0 {
                bracket[high] = bracket[low].clone();
            }
            bracket[low] = point;
            if done {
                break;
            }
        }
    }
    let [a, b] = bracket;
    Ok((if low == 0 { a } else { b }, evaluations))
}
