//! Samplers: the order of samples, with the names of `torch.utils.data`.
//!
//! A sampler has no state. Its order is a function of a seed and an epoch, which belong to the
//! loader ([`crate::LoaderState`]).

mod distributed;
mod weighted;

pub use distributed::DistributedSampler;
pub use weighted::WeightedRandomSampler;

use crate::random::{permutation, scale, seed_of_round, word};
use lanthorn_tensor::{Error, Result};

/// An order of indices for every seed and epoch.
pub trait Sampler: Send + Sync {
    /// The number of indices of an epoch.
    fn len(&self) -> usize;

    /// The indices of an epoch.
    fn indices(&self, seed: u64, epoch: u64) -> Vec<usize>;

    /// Whether an epoch has no indices.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// 0, 1, 2 and so on.
#[derive(Clone, Copy, Debug)]
pub struct SequentialSampler {
    len: usize,
}

impl SequentialSampler {
    /// For a data set of `len` samples.
    pub fn new(len: usize) -> SequentialSampler {
        SequentialSampler { len }
    }
}

impl Sampler for SequentialSampler {
    fn len(&self) -> usize {
        self.len
    }

    fn indices(&self, _: u64, _: u64) -> Vec<usize> {
        (0..self.len).collect()
    }
}

/// A random order: every index once, or with replacement.
///
/// ```
/// use lanthorn::data::{RandomSampler, Sampler};
/// let sampler = RandomSampler::new(4)?;
/// assert_eq!(sampler.indices(1, 0), lanthorn::data::permutation(1, 0, 4));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RandomSampler {
    count: usize,
    replacement: bool,
    num_samples: usize,
}

impl RandomSampler {
    /// Each of `count` samples once.
    ///
    /// # Errors
    ///
    /// `limit` for more than 2^32 - 1 samples.
    pub fn new(count: usize) -> Result<RandomSampler> {
        RandomSampler::with(count, false, count)
    }

    /// `num_samples` of `count` samples an epoch. Without replacement, more than `count` samples
    /// are several permutations in sequence.
    ///
    /// # Errors
    ///
    /// `argument` for samples of an empty data set, and `limit` for more than 2^32 - 1 samples.
    pub fn with(count: usize, replacement: bool, num_samples: usize) -> Result<RandomSampler> {
        if count == 0 && num_samples > 0 {
            return Err(Error::argument(
                "RandomSampler",
                format!("{num_samples} samples cannot be taken from an empty data set"),
            ));
        }
        check_count("RandomSampler", count)?;
        Ok(RandomSampler { count, replacement, num_samples })
    }
}

impl Sampler for RandomSampler {
    fn len(&self) -> usize {
        self.num_samples
    }

    fn indices(&self, seed: u64, epoch: u64) -> Vec<usize> {
        if self.replacement {
            return (0..self.num_samples)
                .map(|index| scale(word(seed, epoch, index), self.count as u64) as usize)
                .collect();
        }
        let rounds = self.num_samples.div_ceil(self.count.max(1));
        let orders = (0..rounds).flat_map(|round| permutation(seed_of_round(seed, round), epoch, self.count));
        orders.take(self.num_samples).collect()
    }
}

/// The given indices in a random order.
#[derive(Clone, Debug)]
pub struct SubsetRandomSampler {
    indices: Vec<usize>,
}

impl SubsetRandomSampler {
    /// Each of `indices` once.
    ///
    /// # Errors
    ///
    /// `limit` for more than 2^32 - 1 samples.
    pub fn new(indices: Vec<usize>) -> Result<SubsetRandomSampler> {
        check_count("SubsetRandomSampler", indices.len())?;
        Ok(SubsetRandomSampler { indices })
    }
}

impl Sampler for SubsetRandomSampler {
    fn len(&self) -> usize {
        self.indices.len()
    }

    fn indices(&self, seed: u64, epoch: u64) -> Vec<usize> {
        permutation(seed, epoch, self.indices.len()).into_iter().map(|index| self.indices[index]).collect()
    }
}

/// An order of batches of indices for every seed and epoch: the `batch_sampler` of
/// `torch.utils.data.DataLoader`. Batches may have different sizes.
///
/// ```
/// use lanthorn::data::{BatchOrder, DataLoader, DataLoaderOptions, Samples};
/// struct Buckets;
/// impl BatchOrder for Buckets {
///     fn len(&self) -> usize {
///         2
///     }
///
///     fn batches(&self, _seed: u64, _epoch: u64) -> Vec<Vec<usize>> {
///         vec![vec![2], vec![0, 1]]
///     }
/// }
/// let options = DataLoaderOptions { batch_sampler: Some(Box::new(Buckets)), ..Default::default() };
/// let mut loader = DataLoader::new(Samples(vec![1.0f32, 2.0, 3.0]), options)?;
/// let batches: Vec<_> = loader.iter().collect::<Result<_, _>>()?;
/// assert_eq!(batches[1].values::<f32>()?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait BatchOrder: Send + Sync {
    /// The number of batches of an epoch.
    fn len(&self) -> usize;

    /// The batches of an epoch, [`BatchOrder::len`] of them.
    fn batches(&self, seed: u64, epoch: u64) -> Vec<Vec<usize>>;

    /// Whether an epoch has no batches.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A sampler's indices in batches.
///
/// ```
/// use lanthorn::data::{BatchOrder, BatchSampler, SequentialSampler};
/// let batches = BatchSampler::new(SequentialSampler::new(5), 2, false)?;
/// assert_eq!(batches.batches(0, 0), [vec![0, 1], vec![2, 3], vec![4]]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct BatchSampler {
    sampler: Box<dyn Sampler>,
    batch_size: usize,
    drop_last: bool,
}

impl BatchSampler {
    /// `drop_last` leaves out a smaller last batch.
    ///
    /// # Errors
    ///
    /// `argument` for a batch size of 0.
    pub fn new(sampler: impl Sampler + 'static, batch_size: usize, drop_last: bool) -> Result<BatchSampler> {
        if batch_size == 0 {
            return Err(Error::argument("BatchSampler", "batch_size must be at least 1"));
        }
        Ok(BatchSampler { sampler: Box::new(sampler), batch_size, drop_last })
    }
}

impl BatchOrder for BatchSampler {
    fn len(&self) -> usize {
        if self.drop_last { self.sampler.len() / self.batch_size } else { self.sampler.len().div_ceil(self.batch_size) }
    }

    fn batches(&self, seed: u64, epoch: u64) -> Vec<Vec<usize>> {
        self.sampler.indices(seed, epoch).chunks(self.batch_size).take(self.len()).map(<[usize]>::to_vec).collect()
    }
}

impl Sampler for Box<dyn Sampler> {
    fn len(&self) -> usize {
        (**self).len()
    }

    fn indices(&self, seed: u64, epoch: u64) -> Vec<usize> {
        (**self).indices(seed, epoch)
    }
}

/// The counter of the random numbers has 32 bits.
fn check_count(op: &str, count: usize) -> Result<()> {
    if count as u64 > u64::from(u32::MAX) {
        return Err(Error::limit(op, format!("{count} samples are more than 2^32 - 1")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(mut indices: Vec<usize>) -> Vec<usize> {
        indices.sort();
        indices
    }

    proptest! {
        #[test]
        fn every_index_comes_once_an_epoch(len in 0usize..300, seed: u64, epoch in 0u64..5) {
            let sampler = RandomSampler::new(len).unwrap();
            prop_assert_eq!(sorted(sampler.indices(seed, epoch)), (0..len).collect::<Vec<_>>());
            let odd: Vec<usize> = (0..len).map(|index| 2 * index + 1).collect();
            prop_assert_eq!(sorted(SubsetRandomSampler::new(odd.clone()).unwrap().indices(seed, epoch)), odd);
        }

        #[test]
        fn batches_have_the_indices_in_their_order(len in 0usize..100, size in 1usize..20, drop_last: bool) {
            let sampler = BatchSampler::new(RandomSampler::new(len).unwrap(), size, drop_last).unwrap();
            let batches = sampler.batches(5, 1);
            prop_assert_eq!(batches.len(), sampler.len());
            let kept = if drop_last { len / size * size } else { len };
            prop_assert_eq!(batches.concat(), &permutation(5, 1, len)[..kept]);
        }
    }

    #[test]
    fn epochs_and_seeds_differ() {
        let sampler = RandomSampler::new(50).unwrap();
        assert_ne!(sampler.indices(1, 0), sampler.indices(1, 1));
        assert_ne!(sampler.indices(1, 0), sampler.indices(2, 0));
        assert_eq!(sampler.indices(1, 1), sampler.indices(1, 1));
    }

    #[test]
    fn more_samples_than_there_are() {
        let indices = RandomSampler::with(5, false, 12).unwrap().indices(3, 0);
        assert_eq!(sorted(indices[..5].to_vec()), [0, 1, 2, 3, 4]);
        assert_eq!(sorted(indices[5..10].to_vec()), [0, 1, 2, 3, 4]);
        assert_ne!(indices[..5], indices[5..10]);
        assert_eq!(indices.len(), 12);
        let replaced = RandomSampler::with(5, true, 200).unwrap().indices(3, 0);
        assert!(replaced.len() == 200 && (0..5).all(|index| replaced.contains(&index)), "{replaced:?}");
        assert!(RandomSampler::with(0, true, 1).is_err());
        assert!(BatchSampler::new(SequentialSampler::new(5), 0, false).is_err());
    }
}
