//! The share of an epoch for one of several processes.

use super::{Sampler, check_count};
use crate::permutation;
use lanthorn_tensor::{Error, Result};

/// Every `num_replicas`-th index from `rank` on, so that replicas divide an epoch. The arithmetic
/// is PyTorch's.
///
/// All shares have the same length: the order is padded with its own beginning or, with
/// `drop_last`, truncated.
///
/// ```
/// use lanthorn::data::{DistributedSampler, Sampler};
/// let sampler = DistributedSampler::new(5, 2, 1)?.shuffle(false);
/// assert_eq!(sampler.indices(0, 0), [1, 3, 0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DistributedSampler {
    len: usize,
    num_replicas: usize,
    rank: usize,
    shuffle: bool,
    drop_last: bool,
}

impl DistributedSampler {
    /// The share of replica `rank` of `num_replicas`, of a data set of `len` samples. By default it
    /// shuffles and pads.
    ///
    /// # Errors
    ///
    /// `argument` for a rank that is not below `num_replicas`.
    pub fn new(len: usize, num_replicas: usize, rank: usize) -> Result<DistributedSampler> {
        if rank >= num_replicas {
            return Err(Error::argument(
                "DistributedSampler",
                format!("rank {rank} is not one of {num_replicas} replicas, counted from 0"),
            ));
        }
        check_count("DistributedSampler", len.saturating_add(num_replicas))?;
        Ok(DistributedSampler { len, num_replicas, rank, shuffle: true, drop_last: false })
    }

    /// Whether the order is random (default: true).
    pub fn shuffle(mut self, shuffle: bool) -> DistributedSampler {
        self.shuffle = shuffle;
        self
    }

    /// Whether to truncate the order instead of padding it (default: false).
    pub fn drop_last(mut self, drop_last: bool) -> DistributedSampler {
        self.drop_last = drop_last;
        self
    }
}

impl Sampler for DistributedSampler {
    fn len(&self) -> usize {
        if self.drop_last { self.len / self.num_replicas } else { self.len.div_ceil(self.num_replicas) }
    }

    fn indices(&self, seed: u64, epoch: u64) -> Vec<usize> {
        let order = if self.shuffle { permutation(seed, epoch, self.len) } else { (0..self.len).collect() };
        order
            .into_iter()
            .cycle()
            .take(self.len() * self.num_replicas)
            .skip(self.rank)
            .step_by(self.num_replicas)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_share_an_epoch_as_in_pytorch() {
        // The results of torch.utils.data.DistributedSampler(range(len), replicas, rank,
        // shuffle=False, drop_last=…).
        let cases: [(usize, usize, bool, &[&[usize]]); 5] = [
            (10, 3, false, &[&[0, 3, 6, 9], &[1, 4, 7, 0], &[2, 5, 8, 1]]),
            (10, 3, true, &[&[0, 3, 6], &[1, 4, 7], &[2, 5, 8]]),
            (9, 3, true, &[&[0, 3, 6], &[1, 4, 7], &[2, 5, 8]]),
            (2, 5, false, &[&[0], &[1], &[0], &[1], &[0]]),
            (0, 2, false, &[&[], &[]]),
        ];
        for (len, replicas, drop_last, parts) in cases {
            for (rank, part) in parts.iter().enumerate() {
                let sampler = DistributedSampler::new(len, replicas, rank).unwrap().shuffle(false).drop_last(drop_last);
                assert_eq!(sampler.indices(0, 0), *part, "{len} samples, rank {rank} of {replicas}");
                assert_eq!(sampler.len(), part.len());
            }
        }
        assert!(DistributedSampler::new(5, 2, 2).unwrap_err().is_argument());
    }

    #[test]
    fn shuffled_parts_are_those_of_one_order() {
        let parts: Vec<Vec<usize>> =
            (0..4).map(|rank| DistributedSampler::new(20, 4, rank).unwrap().indices(9, 2)).collect();
        let woven: Vec<usize> = (0..20).map(|index| parts[index % 4][index / 4]).collect();
        assert_eq!(woven, permutation(9, 2, 20));
    }
}
