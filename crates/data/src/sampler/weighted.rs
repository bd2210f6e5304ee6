//! Sampling by weight.

use super::{Sampler, check_count, word};
use lanthorn_tensor::{Error, Result};

/// Indices drawn in proportion to their weights, with or without replacement.
///
/// The weights are the leaves of a binary tree of sums, and a draw descends from the root. Without
/// replacement, the drawn weight becomes 0, and the sums above it are recomputed. The only
/// arithmetic is addition and comparison of float64, so the draws are the same everywhere.
///
/// ```
/// use lanthorn::data::{Sampler, WeightedRandomSampler};
/// let sampler = WeightedRandomSampler::new(vec![0.0, 3.0, 1.0], 2, false)?;
/// assert!(!sampler.indices(1, 0).contains(&0));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WeightedRandomSampler {
    weights: Vec<f64>,
    num_samples: usize,
    replacement: bool,
}

impl WeightedRandomSampler {
    /// Weights must be finite and not negative. At least one must be positive; without replacement,
    /// at least as many as there are samples to draw.
    ///
    /// # Errors
    ///
    /// `argument` for other weights.
    pub fn new(weights: Vec<f64>, num_samples: usize, replacement: bool) -> Result<WeightedRandomSampler> {
        let refused = |message: String| Err(Error::argument("WeightedRandomSampler", message));
        if let Some(weight) = weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return refused(format!("a weight is a finite number that is not negative, not {weight}"));
        }
        let positive = weights.iter().filter(|weight| **weight > 0.0).count();
        let needed = if replacement { num_samples.min(1) } else { num_samples };
        if positive < needed {
            return refused(format!("{num_samples} samples cannot be drawn from {positive} positive weights"));
        }
        if !weights.iter().sum::<f64>().is_finite() {
            return refused("the sum of the weights is not finite".to_string());
        }
        check_count("WeightedRandomSampler", num_samples.max(weights.len()))?;
        Ok(WeightedRandomSampler { weights, num_samples, replacement })
    }
}

impl Sampler for WeightedRandomSampler {
    fn len(&self) -> usize {
        self.num_samples
    }

    fn indices(&self, seed: u64, epoch: u64) -> Vec<usize> {
        let mut tree = Sums::new(&self.weights);
        let mut draw = |index: usize| {
            // 53 random bits of two words, as a fraction.
            let [high, low] = [2 * index, 2 * index + 1].map(|at| word(seed, epoch, at));
            let fraction = (f64::from(high >> 5) * 67_108_864.0 + f64::from(low >> 6)) / 9_007_199_254_740_992.0;
            let index = tree.find(fraction * tree.total());
            if !self.replacement {
                tree.clear(index);
            }
            index
        };
        (0..self.num_samples).map(&mut draw).collect()
    }
}

/// A binary tree whose inner nodes are the sums of their children: the root is node 1, the children
/// of `n` are `2n` and `2n + 1`.
struct Sums {
    nodes: Vec<f64>,
    leaves: usize,
}

impl Sums {
    fn new(weights: &[f64]) -> Sums {
        let leaves = weights.len().next_power_of_two();
        let mut nodes = vec![0.0; 2 * leaves];
        nodes[leaves..leaves + weights.len()].copy_from_slice(weights);
        for node in (1..leaves).rev() {
            nodes[node] = nodes[2 * node] + nodes[2 * node + 1];
        }
        Sums { nodes, leaves }
    }

    fn total(&self) -> f64 {
        self.nodes[1]
    }

    fn find(&self, mut target: f64) -> usize {
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            // Rounding may leave a remainder above the right sum. A draw never enters an empty
            // side.
            if target >= self.nodes[node] && self.nodes[node + 1] > 0.0 {
                target -= self.nodes[node];
                node += 1;
            }
        }
        node - self.leaves
    }

    fn clear(&mut self, index: usize) {
        let mut node = self.leaves + index;
        self.nodes[node] = 0.0;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn draws_are_in_proportion() {
        let indices = WeightedRandomSampler::new(vec![1.0, 0.0, 2.0, 7.0], 10_000, true).unwrap().indices(5, 0);
        let count = |index| indices.iter().filter(|&&drawn| drawn == index).count() as f64;
        // At most five standard deviations of the binomial distribution.
        for (index, share) in [(0, 0.1f64), (1, 0.0), (2, 0.2), (3, 0.7)] {
            assert!(
                (count(index) - 10_000.0 * share).abs() <= 500.0 * (share * (1.0 - share)).sqrt(),
                "{index}: {}",
                count(index)
            );
        }
    }

    proptest! {
        #[test]
        fn without_replacement_nothing_comes_twice(weights in proptest::collection::vec(0.0f64..1e6, 1..80), seed: u64) {
            let positive: Vec<usize> = (0..weights.len()).filter(|&index| weights[index] > 0.0).collect();
            let mut indices = WeightedRandomSampler::new(weights, positive.len(), false).unwrap().indices(seed, 0);
            indices.sort();
            prop_assert_eq!(indices, positive);
        }
    }

    #[test]
    fn weights_that_cannot_be_meant_are_refused() {
        for weights in
            [vec![-1.0, 2.0], vec![f64::NAN], vec![f64::INFINITY], vec![0.0], vec![], vec![f64::MAX, f64::MAX]]
        {
            assert!(WeightedRandomSampler::new(weights, 1, true).unwrap_err().is_argument());
        }
        assert!(WeightedRandomSampler::new(vec![1.0, 0.0], 2, false).unwrap_err().is_argument());
    }
}
