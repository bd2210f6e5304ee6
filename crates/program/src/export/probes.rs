//! The sizes of the examples for a function with dynamic shapes.

use crate::{Error, Result, graph::Range};

/// A dynamic dimension, like `torch.export.Dim`: a name and the allowed sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The name. Dimensions with the same name have the same size.
    pub name: String,
    /// The smallest size.
    pub min: i64,
    /// The largest size, if it is bounded.
    pub max: Option<i64>,
}

impl Dim {
    /// A dimension of any size from 2, as in PyTorch: operations treat 0 and 1 differently.
    pub fn new(name: impl Into<String>) -> Dim {
        Dim { name: name.into(), min: 2, max: None }
    }

    /// Returns the sizes as a range.
    pub fn range(&self) -> Range {
        Range { min: Some(self.min), max: self.max }
    }

    /// Describes the sizes in an error or on a page.
    fn bounds(&self) -> String {
        self.max.map_or_else(|| format!("{} and more", self.min), |max| format!("{} to {max}", self.min))
    }
}

/// The sizes of the dynamic dimensions for each call of the exported function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probes {
    /// The dimensions without repeated names. Dimension `i` is the symbol `si`.
    pub dims: Vec<Dim>,
    /// The index in `dims` of each dimension of the arguments.
    pub indices: Vec<usize>,
    /// For each call, the size of each dimension. The first call has the examples' sizes.
    pub sizes: Vec<Vec<i64>>,
}

/// Returns further sizes of a dimension for an example's size. They are near and far, so that
/// different formulas, including quotients, have different values.
fn near(example: i64) -> [i64; 11] {
    let e = example;
    [e + 1, 2 * e + 1, e + 3, 3 * e + 2, e - 1, e + 2, e - 3, e + 5, e - 2, e / 2, e + 11]
}

/// The most calls for each dimension in which only this dimension changes.
const ALONE: usize = 4;

impl Probes {
    /// Returns the calls that distinguish formulas. The arguments are the dimensions with the sizes
    /// of the examples.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_program as program; }
    /// use lanthorn::program::export::{Dim, Probes};
    /// let probes = Probes::new([(Dim::new("batch"), 4), (Dim::new("batch"), 4)]).unwrap();
    /// assert_eq!((probes.sizes[0].len(), probes.sizes[0][0]), (1, 4));
    /// assert!(probes.sizes.len() > 3 && probes.sizes[1..].iter().all(|sizes| sizes[0] != 4));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for an example whose size is outside of the dimension's range, for a range
    /// of fewer than four sizes, and for two dimensions of one name with different sizes or ranges.
    pub fn new(given: impl IntoIterator<Item = (Dim, i64)>) -> Result<Probes> {
        let (mut dims, mut examples, mut indices): (Vec<Dim>, Vec<i64>, Vec<usize>) = Default::default();
        for (dim, size) in given {
            let index = dims.iter().position(|known| known.name == dim.name).unwrap_or(dims.len());
            if index == dims.len() {
                dims.push(dim);
                examples.push(size);
            } else if dims[index] != dim {
                return Err(Error::Input(format!("{} has other sizes at its second mention", dim.name)));
            } else if examples[index] != size {
                let message = format!("{} is {} in one example and {size} in another", dim.name, examples[index]);
                return Err(Error::Input(message));
            }
            indices.push(index);
        }
        let mut choices = Vec::with_capacity(dims.len());
        for (dim, &example) in dims.iter().zip(&examples) {
            if !dim.range().contains(example) {
                let message = format!("the example's size {example} of {} is not one of {}", dim.name, dim.bounds());
                return Err(Error::Input(message));
            }
            if example < 1 {
                return Err(Error::Input(format!("an example in which {} is 0 has no elements to repeat", dim.name)));
            }
            // Sizes from 2 distinguish formulas better than 0 and 1, which broadcast.
            let allowed = |size: &i64| *size >= 2 && *size != example && dim.range().contains(*size);
            let mut near: Vec<i64> = near(example).into_iter().filter(allowed).collect();
            near.dedup();
            if near.len() < 3 {
                return Err(Error::Input(format!("{} is dynamic, but has few sizes: {}", dim.name, dim.bounds())));
            }
            choices.push(near);
        }
        let mut sizes = vec![examples.clone()];
        // Changes each dimension alone, and then all together, each by other steps.
        for (index, near) in choices.iter().enumerate() {
            for &size in near.iter().take(ALONE) {
                let mut probe = examples.clone();
                probe[index] = size;
                sizes.push(probe);
            }
        }
        if dims.len() > 1 {
            for round in 0..dims.len() + 1 {
                sizes.push(
                    choices.iter().enumerate().map(|(index, near)| near[(round + 2 * index) % near.len()]).collect(),
                );
            }
        }
        Ok(Probes { dims, indices, sizes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_of_one_name_are_one() {
        let batch = || Dim::new("batch");
        let probes = Probes::new([(batch(), 4), (Dim::new("time"), 7), (batch(), 4)]).unwrap();
        assert_eq!((probes.dims.len(), &probes.indices[..]), (2, &[0, 1, 0][..]));
        let refused = |given: [(Dim, i64); 2], text: &str| {
            let error = Probes::new(given).unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
        };
        refused([(batch(), 4), (batch(), 5)], "batch is 4 in one example and 5 in another");
        refused([(batch(), 4), (Dim { min: 3, ..batch() }, 4)], "other sizes at its second mention");
        refused([(batch(), 1), (batch(), 1)], "is not one of 2 and more");
        refused([(batch(), 4), (Dim { min: 0, ..Dim::new("none") }, 0)], "no elements to repeat");
        refused([(batch(), 4), (Dim { max: Some(3), ..Dim::new("few") }, 3)], "has few sizes: 2 to 3");
    }
}
