//! The sizes of the examples on which a function with dynamic shapes is called.

use crate::{Error, Result, graph::Range};

/// A dynamic dimension, as `torch.export.Dim`: a name and the sizes that it may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The name. Dimensions of one name have one size.
    pub name: String,
    /// The smallest size.
    pub min: i64,
    /// The largest size, if there is one.
    pub max: Option<i64>,
}

impl Dim {
    /// A dimension of any size from 2, as PyTorch's: operations treat 0 and 1 in other ways.
    pub fn new(name: impl Into<String>) -> Dim {
        Dim { name: name.into(), min: 2, max: None }
    }

    /// The sizes as a range.
    pub fn range(&self) -> Range {
        Range { min: Some(self.min), max: self.max }
    }

    /// The text for an error or a page.
    fn bounds(&self) -> String {
        self.max.map_or_else(|| format!("{} and more", self.min), |max| format!("{} to {max}", self.min))
    }
}

/// The sizes of the dynamic dimensions for each call of the function that is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probes {
    /// The dimensions. That with index `i` is the symbol `si`.
    pub dims: Vec<Dim>,
    /// For each call, the size of each dimension. The first are those of the examples.
    pub sizes: Vec<Vec<i64>>,
}

/// The further sizes of a dimension for its example's: near and far, so that different formulas, with
/// quotients too, give different numbers.
fn near(example: i64) -> [i64; 11] {
    let e = example;
    [e + 1, 2 * e + 1, e + 3, 3 * e + 2, e - 1, e + 2, e - 3, e + 5, e - 2, e / 2, e + 11]
}

/// The further sizes that each dimension has alone.
const ALONE: usize = 4;

impl Probes {
    /// The calls that tell apart the formulas of dimensions whose examples have these sizes.
    ///
    /// ```
    /// use lanthorn_program::export::{Dim, Probes};
    /// let probes = Probes::new(vec![Dim::new("batch")], &[4]).unwrap();
    /// assert_eq!(probes.sizes[0], [4]);
    /// assert!(probes.sizes.len() > 3 && probes.sizes[1..].iter().all(|sizes| sizes[0] != 4));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for an example whose size is not in the dimension's range, or a range of fewer than
    /// four sizes.
    pub fn new(dims: Vec<Dim>, examples: &[i64]) -> Result<Probes> {
        let mut choices = Vec::with_capacity(dims.len());
        for (dim, &example) in dims.iter().zip(examples) {
            if !dim.range().contains(example) {
                let message = format!("the example's size {example} of {} is not one of {}", dim.name, dim.bounds());
                return Err(Error::Input(message));
            }
            // A size from 2 on says more than 0 and 1, of which broadcasting makes something else.
            let allowed = |size: &i64| *size >= 2 && *size != example && dim.range().contains(*size);
            let mut near: Vec<i64> = near(example).into_iter().filter(allowed).collect();
            near.dedup();
            if near.len() < 3 {
                return Err(Error::Input(format!("{} is dynamic, but has few sizes: {}", dim.name, dim.bounds())));
            }
            choices.push(near);
        }
        let mut sizes = vec![examples.to_vec()];
        // Each dimension alone, then all together, at other steps for each.
        for (index, near) in choices.iter().enumerate() {
            for &size in near.iter().take(ALONE) {
                let mut probe = examples.to_vec();
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
        Ok(Probes { dims, sizes })
    }
}
