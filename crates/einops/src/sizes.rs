//! The sizes of the dimensions of a pattern.

use crate::pattern::{Side, anonymous_size, pattern_error};
use lanthorn_tensor::{Error, Result};

/// Sizes by name: two lists of one length.
pub(crate) struct Sizes {
    pub(crate) names: Vec<String>,
    pub(crate) sizes: Vec<usize>,
}

impl Sizes {
    /// The size of a name, if it is known.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        for i in 0..self.names.len() {
            if self.names[i] == name {
                return Some(self.sizes[i]);
            }
        }
        anonymous_size(name)
    }

    /// The sizes of names that are all known.
    pub(crate) fn of(&self, names: &[String]) -> Vec<usize> {
        let mut found = vec![];
        for name in names {
            found.push(self.find(name).unwrap_or(1));
        }
        found
    }
}

/// The sizes of all names of the left side for a tensor's shape.
///
/// # Errors
/// `shape` if the shape does not fit; `argument` for a size that is not positive, a name that is
/// not in the pattern, or a group with two unknown sizes.
pub(crate) fn infer_sizes(
    op: &str,
    pattern: &str,
    left: &Side,
    right: &Side,
    shape: &[usize],
    axes: &[(&str, usize)],
) -> Result<Sizes> {
    let known = given_sizes(op, pattern, left, right, axes)?;
    if left.groups.len() != shape.len() {
        let (dimensions, rank) = (left.groups.len(), shape.len());
        let message = format!("pattern '{pattern}': has {dimensions} dimensions, and the tensor {rank}: {shape:?}");
        return Err(Error::shape(op, message));
    }
    let mut names = known.names.clone();
    let mut sizes = known.sizes.clone();
    for i in 0..shape.len() {
        let mut product = 1;
        let mut unknown = String::new();
        for name in &left.groups[i] {
            match known.find(name) {
                Some(size) => {
                    product *= size;
                }
                None => {
                    if !unknown.is_empty() {
                        let message = format!("the sizes of '{unknown}' and '{name}' are not known: give one");
                        return Err(pattern_error(op, pattern, &message));
                    }
                    unknown = name.clone();
                }
            }
        }
        let size = shape[i];
        let fits = if unknown.is_empty() { size == product } else { size / product * product == size };
        if !fits {
            let message = format!("pattern '{pattern}': a dimension of size {size} cannot be divided into {product}");
            return Err(Error::shape(op, message));
        }
        if !unknown.is_empty() {
            names.push(unknown);
            sizes.push(size / product);
        }
    }
    Ok(Sizes { names, sizes })
}

fn given_sizes(op: &str, pattern: &str, left: &Side, right: &Side, axes: &[(&str, usize)]) -> Result<Sizes> {
    let mut names = vec![];
    let mut sizes = vec![];
    for (name, size) in axes {
        let text = name.to_string();
        if !left.names.contains(&text) && !right.names.contains(&text) {
            return Err(pattern_error(op, pattern, &format!("has no dimension '{text}', whose size is given")));
        }
        if *size < 1 {
            return Err(pattern_error(op, pattern, &format!("the size of '{text}' must be at least 1")));
        }
        names.push(text);
        sizes.push(*size);
    }
    Ok(Sizes { names, sizes })
}
