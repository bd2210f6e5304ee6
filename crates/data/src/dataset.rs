//! Data sets: sources of samples, with the names of `torch.utils.data`.

use crate::{HostArray, Random, permutation};
use lanthorn_tensor::{Error, Result};
use std::sync::Arc;

/// Samples by index. `get` can run on any thread, so that several threads can load.
pub trait Dataset: Send + Sync {
    /// The type of a sample.
    type Item: Send;

    /// The number of samples.
    fn len(&self) -> usize;

    /// The sample at an index below `len`. Random choices are drawn from `random`, which is
    /// determined by seed, epoch and index.
    ///
    /// # Errors
    ///
    /// Any error of the data set. A loader adds the index of the sample.
    fn get(&self, index: usize, random: &mut Random) -> Result<Self::Item>;

    /// Whether there are no samples.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The data set with `map` applied to every sample, for example a transform.
    ///
    /// ```
    /// use lanthorn::data::{Dataset, Random, Samples};
    /// let noisy = Samples(vec![1.0f32, 2.0]).map(|value, random: &mut Random| Ok(value + random.uniform()));
    /// assert!(noisy.get(0, &mut Random::new(0, 0, 0))? >= 1.0);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    fn map<F, T>(self, map: F) -> Map<Self, F>
    where
        Self: Sized,
        F: Fn(Self::Item, &mut Random) -> Result<T> + Send + Sync,
    {
        Map { dataset: self, map }
    }
}

/// Samples that arrive in sequence, from a file or a connection. The source decides on the order:
/// there is no sampler, and a single thread reads.
pub trait IterableDataset: Send + Sync {
    /// The type of a sample.
    type Item: Send;

    /// The samples of one epoch. Random choices are drawn from `random`, which is determined by
    /// seed and epoch.
    fn iter(&self, random: Random) -> Box<dyn Iterator<Item = Result<Self::Item>> + Send>;
}

macro_rules! shared {
    ($($pointer:ident)*) => { $(
        impl<D: Dataset + ?Sized> Dataset for $pointer<D> {
            type Item = D::Item;

            fn len(&self) -> usize {
                (**self).len()
            }

            fn get(&self, index: usize, random: &mut Random) -> Result<D::Item> {
                (**self).get(index, random)
            }
        }
    )* };
}

shared!(Arc Box);

/// A list of samples. `Vec` itself does not implement [`Dataset`], because `get` would then be
/// ambiguous.
pub struct Samples<T>(pub Vec<T>);

impl<T: Clone + Send + Sync> Dataset for Samples<T> {
    type Item = T;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize, _: &mut Random) -> Result<T> {
        self.0.get(index).cloned().ok_or_else(|| out_of_range("Samples", index, self.0.len()))
    }
}

/// See [`Dataset::map`].
pub struct Map<D, F> {
    dataset: D,
    map: F,
}

impl<D, F, T> Dataset for Map<D, F>
where
    D: Dataset,
    F: Fn(D::Item, &mut Random) -> Result<T> + Send + Sync,
    T: Send,
{
    type Item = T;

    fn len(&self) -> usize {
        self.dataset.len()
    }

    fn get(&self, index: usize, random: &mut Random) -> Result<T> {
        (self.map)(self.dataset.get(index, random)?, random)
    }
}

/// The rows of arrays with equal first dimensions: a sample has one row of each array.
pub struct TensorDataset<const N: usize> {
    arrays: [HostArray; N],
    len: usize,
}

impl<const N: usize> TensorDataset<N> {
    /// The first dimensions of all arrays must be equal.
    ///
    /// # Errors
    ///
    /// `shape` if the first dimensions differ, or an array is a single number.
    pub fn new(arrays: [HostArray; N]) -> Result<TensorDataset<N>> {
        let lengths: Vec<Option<usize>> = arrays.iter().map(|array| array.shape().first().copied()).collect();
        match lengths.first() {
            Some(&Some(len)) if lengths.iter().all(|&other| other == Some(len)) => Ok(TensorDataset { arrays, len }),
            _ => {
                let shapes: Vec<&[usize]> = arrays.iter().map(HostArray::shape).collect();
                Err(Error::shape(
                    "TensorDataset",
                    format!("arrays must have one first dimension, their shapes are {shapes:?}"),
                ))
            }
        }
    }
}

impl<const N: usize> Dataset for TensorDataset<N> {
    type Item = [HostArray; N];

    fn len(&self) -> usize {
        self.len
    }

    fn get(&self, index: usize, _: &mut Random) -> Result<[HostArray; N]> {
        let rows: Vec<HostArray> = self.arrays.iter().map(|array| array.row(index)).collect::<Result<_>>()?;
        // N arrays gave N rows, so the conversion cannot lose one.
        rows.try_into().map_err(|_| Error::shape("TensorDataset", "a row is missing"))
    }
}

/// A selection of the samples of a data set, in the order of its indices.
pub struct Subset<D> {
    dataset: D,
    indices: Vec<usize>,
}

impl<D: Dataset> Subset<D> {
    /// Every index must be below the data set's length.
    ///
    /// # Errors
    ///
    /// `index` for an index beyond the data set.
    pub fn new(dataset: D, indices: Vec<usize>) -> Result<Subset<D>> {
        match indices.iter().find(|&&index| index >= dataset.len()) {
            Some(&index) => Err(out_of_range("Subset", index, dataset.len())),
            None => Ok(Subset { dataset, indices }),
        }
    }

    /// The indices of the samples in the data set.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }
}

impl<D: Dataset> Dataset for Subset<D> {
    type Item = D::Item;

    fn len(&self) -> usize {
        self.indices.len()
    }

    fn get(&self, index: usize, random: &mut Random) -> Result<D::Item> {
        let source = self.indices.get(index).ok_or_else(|| out_of_range("Subset", index, self.indices.len()))?;
        self.dataset.get(*source, random)
    }
}

/// The sizes of the parts of [`random_split`].
pub enum Lengths<'a> {
    /// In samples; their sum must be the data set's length.
    Counts(&'a [usize]),
    /// In fractions, which must sum to one. Lengths are rounded down; the samples left over go to
    /// the first parts, one each.
    Fractions(&'a [f64]),
}

impl<'a, const N: usize> From<&'a [usize; N]> for Lengths<'a> {
    fn from(counts: &'a [usize; N]) -> Lengths<'a> {
        Lengths::Counts(counts)
    }
}

impl<'a, const N: usize> From<&'a [f64; N]> for Lengths<'a> {
    fn from(fractions: &'a [f64; N]) -> Lengths<'a> {
        Lengths::Fractions(fractions)
    }
}

impl Lengths<'_> {
    fn counts(&self, len: usize) -> Result<Vec<usize>> {
        match *self {
            Lengths::Counts(counts)
                if counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count)) == Some(len) =>
            {
                Ok(counts.to_vec())
            }
            Lengths::Counts(counts) => Err(Error::argument(
                "random_split",
                format!("lengths {counts:?} do not sum to the data set's {len} samples"),
            )),
            Lengths::Fractions(shares) => {
                let sum: f64 = shares.iter().sum();
                if shares.iter().any(|share| !(0.0..=1.0).contains(share)) || (sum - 1.0).abs() > 1e-6 {
                    return Err(Error::argument(
                        "random_split",
                        format!("fractions {shares:?} are not from 0 to 1 with the sum 1"),
                    ));
                }
                let mut counts: Vec<usize> = shares.iter().map(|share| (len as f64 * share) as usize).collect();
                let parts = counts.len();
                // Fractions whose sum is slightly above 1 may give more than `len`.
                let rest = len.saturating_sub(counts.iter().sum());
                (0..rest).for_each(|index| counts[index % parts] += 1);
                Ok(counts)
            }
        }
    }
}

/// Disjoint parts that together have every sample once. They are consecutive pieces of the
/// [`permutation`] of this seed.
///
/// # Errors
///
/// `argument` for lengths that do not sum to the data set's length, or fractions that do not sum to
/// 1.
///
/// ```
/// use lanthorn::data::{Dataset, Samples, random_split};
/// let parts = random_split(Samples(vec![0; 10]), &[0.75, 0.25], 1)?;
/// assert_eq!((parts[0].len(), parts[1].len()), (8, 2));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn random_split<'a, D: Dataset>(
    dataset: D,
    lengths: impl Into<Lengths<'a>>,
    seed: u64,
) -> Result<Vec<Subset<Arc<D>>>> {
    let counts = lengths.into().counts(dataset.len())?;
    let dataset = Arc::new(dataset);
    let mut order = permutation(seed, 0, dataset.len()).into_iter();
    counts.into_iter().map(|count| Subset::new(dataset.clone(), order.by_ref().take(count).collect())).collect()
}

/// Data sets concatenated. Data sets of different types must be boxed:
/// `Box<dyn Dataset<Item = T>>`.
pub struct ConcatDataset<D> {
    datasets: Vec<D>,
    /// The end index of each data set.
    ends: Vec<usize>,
}

impl<D: Dataset> ConcatDataset<D> {
    /// There must be at least one data set.
    ///
    /// # Errors
    ///
    /// `argument` for no data set.
    pub fn new(datasets: Vec<D>) -> Result<ConcatDataset<D>> {
        if datasets.is_empty() {
            return Err(Error::argument("ConcatDataset", "there must be one data set at least"));
        }
        let ends = datasets
            .iter()
            .scan(0, |end, dataset| {
                *end += dataset.len();
                Some(*end)
            })
            .collect();
        Ok(ConcatDataset { datasets, ends })
    }
}

impl<D: Dataset> Dataset for ConcatDataset<D> {
    type Item = D::Item;

    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn get(&self, index: usize, random: &mut Random) -> Result<D::Item> {
        let set = self.ends.partition_point(|&end| end <= index);
        let dataset = self.datasets.get(set).ok_or_else(|| out_of_range("ConcatDataset", index, self.len()))?;
        dataset.get(index - set.checked_sub(1).map_or(0, |before| self.ends[before]), random)
    }
}

/// Data sets zipped: a sample is a tuple with one sample of each.
pub struct StackDataset<T> {
    datasets: T,
}

impl<T: Stacked> StackDataset<T> {
    /// All data sets must be equally long.
    ///
    /// # Errors
    ///
    /// `argument` for data sets of several lengths.
    pub fn new(datasets: T) -> Result<StackDataset<T>> {
        let lengths = datasets.lengths();
        if lengths.iter().any(|&len| len != lengths[0]) {
            return Err(Error::argument(
                "StackDataset",
                format!("data sets must be equally long, they have {lengths:?} samples"),
            ));
        }
        Ok(StackDataset { datasets })
    }
}

/// A tuple of two to four data sets.
pub trait Stacked {
    /// The length of each data set.
    fn lengths(&self) -> Vec<usize>;
}

macro_rules! stacked {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Dataset),*> Stacked for ($($name,)*) {
            fn lengths(&self) -> Vec<usize> {
                vec![$(self.$index.len()),*]
            }
        }

        impl<$($name: Dataset),*> Dataset for StackDataset<($($name,)*)> {
            type Item = ($($name::Item,)*);

            fn len(&self) -> usize {
                self.datasets.0.len()
            }

            fn get(&self, index: usize, random: &mut Random) -> Result<Self::Item> {
                Ok(($(self.datasets.$index.get(index, random)?,)*))
            }
        }
    };
}

stacked!(A 0, B 1);
stacked!(A 0, B 1, C 2);
stacked!(A 0, B 1, C 2, D 3);

fn out_of_range(op: &str, index: usize, len: usize) -> Error {
    Error::index(op, format!("index {index} is out of range for {len} samples"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all<D: Dataset>(dataset: &D) -> Vec<D::Item> {
        (0..dataset.len()).map(|index| dataset.get(index, &mut Random::new(0, 0, 0)).unwrap()).collect()
    }

    #[test]
    fn rows_of_arrays() {
        let x = HostArray::new(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
        let y = HostArray::new(vec![7, 8], [2]).unwrap();
        let dataset = TensorDataset::new([x.clone(), y]).unwrap();
        let [row, label] = &all(&dataset)[1];
        assert_eq!((row.values::<f32>().unwrap(), label.values::<i32>().unwrap()), (&[3.0f32, 4.0][..], &[8][..]));
        assert!(dataset.get(2, &mut Random::new(0, 0, 0)).unwrap_err().is_index());
        let short = HostArray::new(vec![7], [1]).unwrap();
        assert!(TensorDataset::new([x, short]).err().is_some_and(|error| error.is_shape()));
    }

    #[test]
    fn concatenated_and_stacked() {
        let joined = ConcatDataset::new(vec![Samples(vec![1, 2]), Samples(vec![]), Samples(vec![3])]).unwrap();
        assert_eq!(all(&joined), [1, 2, 3]);
        assert!(joined.get(3, &mut Random::new(0, 0, 0)).unwrap_err().is_index());
        assert!(ConcatDataset::<Samples<i32>>::new(vec![]).is_err());
        let stacked = StackDataset::new((joined, Samples(vec!["a", "b", "c"]))).unwrap();
        assert_eq!(all(&stacked), [(1, "a"), (2, "b"), (3, "c")]);
        assert!(StackDataset::new((Samples(vec![1]), Samples(vec![1, 2]))).is_err());
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        assert!(random_split(Samples(vec![0; 5]), &[2usize, 2], 0).is_err());
        assert!(random_split(Samples(vec![0; 5]), &[usize::MAX, 6], 0).is_err());
        assert!(random_split(Samples(vec![0; 5]), &[0.5, 0.6], 0).is_err());
        assert!(random_split(Samples(vec![0; 5]), &[f64::NAN, 1.0], 0).is_err());
        assert!(Subset::new(Samples(vec![0; 5]), vec![4, 5]).err().is_some_and(|error| error.is_index()));
    }

    proptest! {
        #[test]
        fn a_split_has_every_sample_once(count in 0usize..200, share in 0.0f64..1.0, seed: u64) {
            let parts = random_split(Samples((0..count).collect()), &[share, 1.0 - share], seed).unwrap();
            let mut samples: Vec<usize> = parts.iter().flat_map(all).collect();
            samples.sort();
            prop_assert_eq!(samples, (0..count).collect::<Vec<_>>());
        }
    }
}
