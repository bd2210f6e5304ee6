//! Finds formulas of dynamic sizes from the values of a number in several calls.

use super::Probes;
use crate::{
    graph::{Function, Size},
    number::floor_div,
};

/// The largest divisor to try.
const MAX_DIVISOR: i64 = 128;

/// The formulas found so far.
#[derive(Default)]
pub(super) struct Formulas {
    /// Sizes that are not constants, with their values.
    known: Vec<(Vec<i64>, Size)>,
}

/// The most factors in a product of known sizes.
const MAX_FACTORS: usize = 4;

impl Formulas {
    /// Finds a formula of the sizes that has `values`, one for each call. Returns `None` if there
    /// is none.
    ///
    /// Candidates are sums of products of at most two sizes; a rounded-down quotient of one size,
    /// times products of the others; and products with known numbers. These cover views, strides,
    /// convolutions and pooling.
    pub fn find(&mut self, probes: &Probes, values: &[i64]) -> Option<Size> {
        let first = *values.first()?;
        if values.iter().all(|&value| value == first) {
            return Some(Size::Int(first));
        }
        if let Some((_, size)) = self.known.iter().find(|(known, _)| known == values) {
            return Some(size.clone());
        }
        let size = self.product(probes, values, MAX_FACTORS)?;
        self.known.push((values.to_vec(), size.clone()));
        Some(size)
    }

    fn product(&self, probes: &Probes, values: &[i64], factors: usize) -> Option<Size> {
        if let Some(size) = polynomial(probes, values).or_else(|| quotient(probes, values)) {
            return Some(size);
        }
        self.known.iter().filter(|_| factors > 1).find_map(|(known, size)| {
            let rest =
                values.iter().zip(known).map(|(value, known)| exact(*value, *known)).collect::<Option<Vec<i64>>>()?;
            Some(product(vec![self.product(probes, &rest, factors - 1)?, size.clone()]))
        })
    }
}

/// Returns the symbol of a dimension.
pub(super) fn symbol(index: usize) -> Size {
    Size::Symbol(format!("s{index}"))
}

/// A product of sizes, by the indices of the dimensions.
type Monomial = Vec<usize>;

fn evaluate(monomial: &Monomial, sizes: &[i64]) -> Option<i64> {
    monomial.iter().try_fold(1i64, |product, &index| product.checked_mul(sizes[index]))
}

/// Returns products of at most two sizes, and the product of all, which is the number of elements.
fn monomials(dims: usize) -> Vec<Monomial> {
    let mut monomials: Vec<Monomial> = (0..dims).map(|index| vec![index]).collect();
    monomials.extend((0..dims).flat_map(|a| (a..dims).map(move |b| vec![a, b])));
    if dims > 2 {
        monomials.push((0..dims).collect());
    }
    monomials
}

/// Fits `a * m + b` with a product `m` of sizes, and then sums of two such terms.
fn polynomial(probes: &Probes, values: &[i64]) -> Option<Size> {
    let monomials = monomials(probes.dims.len());
    let columns: Vec<Vec<i64>> = monomials
        .iter()
        .map(|monomial| probes.sizes.iter().map(|sizes| evaluate(monomial, sizes)).collect::<Option<_>>())
        .collect::<Option<_>>()?;
    for (monomial, column) in monomials.iter().zip(&columns) {
        if let Some((a, b)) = line(column, values) {
            return Some(sum(vec![term(a, monomial), Size::Int(b)]));
        }
    }
    for (i, first) in columns.iter().enumerate() {
        for (j, second) in columns.iter().enumerate().skip(i + 1) {
            if let Some([a, b, c]) = plane(first, second, values) {
                let terms = vec![term(a, &monomials[i]), term(b, &monomials[j]), Size::Int(c)];
                return Some(sum(terms));
            }
        }
    }
    None
}

/// Returns integers `a` and `b` with `a * x + b = y` for all values.
fn line(x: &[i64], y: &[i64]) -> Option<(i64, i64)> {
    let other = x.iter().position(|&value| value != x[0])?;
    let a = exact(y[other].checked_sub(y[0])?, x[other] - x[0])?;
    let b = y[0].checked_sub(a.checked_mul(x[0])?)?;
    x.iter().zip(y).all(|(x, y)| a.checked_mul(*x).and_then(|ax| ax.checked_add(b)) == Some(*y)).then_some((a, b))
}

/// Returns integers with `a * x + b * y + c = z` for all values.
fn plane(x: &[i64], y: &[i64], z: &[i64]) -> Option<[i64; 3]> {
    let wide = |values: &[i64], index: usize| i128::from(values[index]) - i128::from(values[0]);
    for i in 1..z.len() {
        for j in i + 1..z.len() {
            let determinant = wide(x, i) * wide(y, j) - wide(x, j) * wide(y, i);
            if determinant == 0 {
                continue;
            }
            let a = wide(z, i) * wide(y, j) - wide(z, j) * wide(y, i);
            let b = wide(x, i) * wide(z, j) - wide(x, j) * wide(z, i);
            if a % determinant != 0 || b % determinant != 0 {
                return None;
            }
            let (a, b) = (a / determinant, b / determinant);
            let c = i128::from(z[0]) - a * i128::from(x[0]) - b * i128::from(y[0]);
            let holds = |k: usize| a * i128::from(x[k]) + b * i128::from(y[k]) + c == i128::from(z[k]);
            let small = |value: i128| i64::try_from(value).ok();
            return if (0..z.len()).all(holds) { Some([small(a)?, small(b)?, small(c)?]) } else { None };
        }
    }
    None
}

fn exact(a: i64, b: i64) -> Option<i64> {
    (b != 0 && a % b == 0).then(|| a / b)
}

/// Fits `g * m * ((s + b) // c)` with a size `s`, a product `m` of other sizes, and numbers.
fn quotient(probes: &Probes, values: &[i64]) -> Option<Size> {
    let dims = probes.dims.len();
    for index in 0..dims {
        let others: Vec<usize> = (0..dims).filter(|&other| other != index).collect();
        let mut factors: Vec<Monomial> = vec![vec![]];
        factors.extend(others.iter().map(|&other| vec![other]));
        if others.len() > 1 {
            factors.push(others);
        }
        for factor in factors {
            let divided: Option<Vec<i64>> = values
                .iter()
                .zip(&probes.sizes)
                .map(|(value, sizes)| exact(*value, evaluate(&factor, sizes)?))
                .collect();
            let Some(divided) = divided else { continue };
            let x: Vec<i64> = probes.sizes.iter().map(|sizes| sizes[index]).collect();
            let common = divided.iter().fold(0, |a, &b| gcd(a, b.abs()));
            for g in (1..=common.min(4096)).rev().filter(|g| common % g == 0) {
                let y: Vec<i64> = divided.iter().map(|value| value / g).collect();
                if let Some((b, c)) = floors(&x, &y) {
                    let inner = sum(vec![symbol(index), Size::Int(b)]);
                    let quotient = Size::Call(Function::FloorDiv, vec![inner, Size::Int(c)]);
                    let mut parts = vec![Size::Int(g), quotient];
                    parts.extend(factor.iter().map(|&other| symbol(other)));
                    return Some(product(parts));
                }
            }
        }
    }
    None
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns numbers with `(x + b) // c = y` for all values: the smallest divisor, then the offset
/// nearest to 0.
fn floors(x: &[i64], y: &[i64]) -> Option<(i64, i64)> {
    (2..=MAX_DIVISOR).find_map(|c| {
        // c * y <= x + b < c * y + c
        let low = x.iter().zip(y).map(|(x, y)| c.saturating_mul(*y).saturating_sub(*x)).max()?;
        let high = x.iter().zip(y).map(|(x, y)| c.saturating_mul(*y).saturating_add(c - 1).saturating_sub(*x)).min()?;
        let b = 0.clamp(low.min(high), high.max(low));
        let holds = |(x, y): (&i64, &i64)| x.checked_add(b).and_then(|sum| floor_div(sum, c)) == Some(*y);
        (low <= high && x.iter().zip(y).all(holds)).then_some((b, c))
    })
}

fn term(factor: i64, monomial: &Monomial) -> Size {
    let mut parts = vec![Size::Int(factor)];
    parts.extend(monomial.iter().map(|&index| symbol(index)));
    product(parts)
}

fn product(parts: Vec<Size>) -> Size {
    let mut parts: Vec<Size> = parts.into_iter().filter(|part| *part != Size::Int(1)).collect();
    if parts.len() == 1 { parts.remove(0) } else { Size::Call(Function::Mul, parts) }
}

fn sum(parts: Vec<Size>) -> Size {
    let mut parts: Vec<Size> = parts.into_iter().filter(|part| *part != Size::Int(0)).collect();
    if parts.len() == 1 { parts.remove(0) } else { Size::Call(Function::Add, parts) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::Dim;

    fn find_formula(probes: &Probes, formula_of: impl Fn(&[i64]) -> i64) -> String {
        let values: Vec<i64> = probes.sizes.iter().map(|sizes| formula_of(sizes)).collect();
        Formulas::default().find(probes, &values).map_or("none".to_string(), |size| size.to_string())
    }

    #[test]
    fn formulas_of_one_size_are_found() {
        let probes = Probes::new([(Dim::new("size"), 28)]).unwrap();
        assert_eq!(find_formula(&probes, |_| 7), "7");
        assert_eq!(find_formula(&probes, |s| s[0]), "s0");
        assert_eq!(find_formula(&probes, |s| 3 * s[0] - 2), "(3*s0 + -2)");
        assert_eq!(find_formula(&probes, |s| s[0] * s[0] + s[0]), "(s0 + s0*s0)");
        assert_eq!(find_formula(&probes, |s| 16 * ((s[0] - 1) / 2 + 1)), "16*((s0 + 1)//2)");
        assert_eq!(find_formula(&probes, |s| s[0] % 5), "none");
    }

    #[test]
    fn a_product_of_known_sizes_is_found() {
        let probes = Probes::new([(Dim::new("h"), 12), (Dim::new("w"), 16)]).unwrap();
        let mut formulas = Formulas::default();
        let values = |of: &dyn Fn(&[i64]) -> i64| probes.sizes.iter().map(|sizes| of(sizes)).collect::<Vec<i64>>();
        let area = values(&|s| 4 * (s[0] - 2) * ((s[1] + 1) / 2));
        assert_eq!(formulas.find(&probes, &area), None);
        formulas.find(&probes, &values(&|s| s[0] - 2)).unwrap();
        assert_eq!(formulas.find(&probes, &area).unwrap().to_string(), "4*((s1 + 1)//2)*(s0 + -2)");
    }

    #[test]
    fn formulas_of_several_sizes_are_found() {
        let probes = Probes::new([(Dim::new("b"), 2), (Dim::new("t"), 16)]).unwrap();
        assert_eq!(find_formula(&probes, |s| s[0] * s[1]), "s0*s1");
        assert_eq!(find_formula(&probes, |s| 8 * s[0] * s[1] + s[1]), "(s1 + 8*s0*s1)");
        assert_eq!(find_formula(&probes, |s| s[0] * (s[1] / 4)), "(s1//4)*s0");
        assert_eq!(find_formula(&probes, |s| s[0] + s[1]), "(s0 + s1)");
    }
}
