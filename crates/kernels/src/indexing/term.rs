//! Terms of linear functions: which of their factors are code, and which are kernel arguments.

use crate::Builder;

/// The factor by which `steps` differ from the strides of a contiguous tensor of `sizes`, if there
/// is one.
pub(super) fn scale(sizes: &[usize], steps: &[isize]) -> Option<isize> {
    let scale = steps.last().copied().unwrap_or(0);
    let mut expected = scale;
    for (&size, &step) in sizes.iter().zip(steps).rev() {
        if step != expected {
            return None;
        }
        expected *= size as isize;
    }
    Some(scale)
}

/// A factor. 0 and 1 are code; any other number is a kernel argument.
#[derive(Clone)]
pub(super) enum Step {
    Zero,
    One,
    Argument(String),
}

impl Step {
    pub(super) fn new(step: isize, builder: &mut Builder) -> Step {
        match step {
            0 => Step::Zero,
            1 => Step::One,
            other => Step::Argument(builder.stride(other)),
        }
    }

    pub(super) fn times(&self, factor: &str) -> Option<String> {
        match self {
            Step::Zero => None,
            Step::One => Some(factor.to_string()),
            Step::Argument(argument) => Some(format!("{factor} * {argument}")),
        }
    }
}

/// The contribution of a group to a function.
pub(super) enum Term {
    /// A multiple of its linear index.
    Linear(Step),
    /// A multiple of each of its coordinates.
    Coordinates(Vec<Step>),
}

impl Term {
    pub(super) fn new(sizes: &[usize], steps: &[isize], builder: &mut Builder) -> Term {
        match scale(sizes, steps) {
            Some(scale) => Term::Linear(Step::new(scale, builder)),
            None => Term::Coordinates(steps.iter().map(|&step| Step::new(step, builder)).collect()),
        }
    }
}

pub(super) struct Dimensions {
    /// The sizes except the outermost one, which no term needs.
    pub(super) sizes: Vec<String>,
    /// The terms of each operand and function.
    pub(super) terms: Vec<Vec<Term>>,
    /// Whether a term is by coordinates.
    pub(super) taken_apart: bool,
}
