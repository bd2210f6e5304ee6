//! The loader: worker threads prepare batches ahead, and the loader returns them in a fixed order.
//!
//! The state of a loader is three numbers ([`LoaderState`]), which determine the samplers and the
//! random numbers of samples. The worker threads collate batches; the thread that takes a batch
//! creates its tensors.

mod stream;
mod workers;

use crate::{
    BatchOrder, BatchSampler, Collate, Dataset, IterableDataset, Random, RandomSampler, Sampler, SequentialSampler,
};
use lanthorn_tensor::{Error, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The position of a loader, for checkpoints. It determines all later batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoaderState {
    /// The seed of the order and of the random choices of samples.
    pub seed: u64,
    /// The current epoch, from 0.
    pub epoch: u64,
    /// The number of batches of the epoch that have been returned.
    pub position: usize,
}

/// Options of a [`DataLoader`].
pub struct DataLoaderOptions {
    /// Samples per batch (default: 1).
    pub batch_size: usize,
    /// Whether every epoch has a random order (default: false).
    pub shuffle: bool,
    /// The order, instead of `shuffle`.
    pub sampler: Option<Box<dyn Sampler>>,
    /// The batches themselves, instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
    pub batch_sampler: Option<Box<dyn BatchOrder>>,
    /// Whether to drop a smaller last batch (default: false).
    pub drop_last: bool,
    /// The number of worker threads (default: 0; then the caller's thread creates each batch on
    /// demand).
    pub num_workers: usize,
    /// The number of batches that each worker prepares ahead (default: 2).
    pub prefetch_factor: usize,
    /// The seed of the order and of the random choices of samples (default: 0).
    pub seed: u64,
}

impl Default for DataLoaderOptions {
    fn default() -> DataLoaderOptions {
        DataLoaderOptions {
            batch_size: 1,
            shuffle: false,
            sampler: None,
            batch_sampler: None,
            drop_last: false,
            num_workers: 0,
            prefetch_factor: 2,
            seed: 0,
        }
    }
}

/// Creates a batch from indices, for a seed and an epoch.
type Fetch<B> = Arc<dyn Fn(&[usize], u64, u64) -> Result<B> + Send + Sync>;
/// Starts an epoch of a stream, after skipping the first batches.
type Open<B> = Arc<dyn Fn(LoaderState) -> Box<dyn Iterator<Item = Result<B>> + Send> + Send + Sync>;

enum Source<B> {
    Map { sampler: Box<dyn BatchOrder>, fetch: Fetch<B> },
    Stream { open: Open<B> },
}

/// Batches `B` of a data set, like `torch.utils.data.DataLoader`.
///
/// ```
/// use lanthorn::data::{DataLoader, DataLoaderOptions, Samples};
/// let mut loader = DataLoader::new(Samples(vec![1.0f32, 2.0, 3.0]), DataLoaderOptions { batch_size: 2, ..Default::default() })?;
/// let batches: Vec<_> = loader.iter().collect::<Result<_, _>>()?;
/// assert_eq!(batches[0].values::<f32>()?, [1.0, 2.0]);
/// assert_eq!(batches[1].shape(), [1]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct DataLoader<B> {
    source: Source<B>,
    num_workers: usize,
    prefetch_factor: usize,
    state: LoaderState,
    /// Whether the next iteration resumes at the state instead of starting the next epoch.
    restored: bool,
}

impl<B: Send + 'static> DataLoader<B> {
    /// Creates a loader that collates samples with [`Collate`].
    ///
    /// # Errors
    ///
    /// `argument` for a batch size or a prefetch factor of 0, and for options that exclude each
    /// other.
    pub fn new<D>(dataset: D, options: DataLoaderOptions) -> Result<DataLoader<B>>
    where
        D: Dataset + 'static,
        D::Item: Collate<Batch = B>,
    {
        DataLoader::with_collate(dataset, D::Item::collate, options)
    }

    /// Creates a loader that collates samples with a function, like PyTorch's `collate_fn`.
    ///
    /// # Errors
    ///
    /// As [`DataLoader::new`].
    pub fn with_collate<D: Dataset + 'static>(
        dataset: D,
        collate: impl Fn(Vec<D::Item>) -> Result<B> + Send + Sync + 'static,
        options: DataLoaderOptions,
    ) -> Result<DataLoader<B>> {
        let DataLoaderOptions { num_workers, prefetch_factor, seed, .. } = options;
        let sampler = batches_of(dataset.len(), options)?;
        let fetch = move |indices: &[usize], seed: u64, epoch: u64| {
            let sample = |&index: &usize| {
                let mut random = Random::new(seed, epoch, index as u64);
                catch(|| dataset.get(index, &mut random)).map_err(|error| error.concerning(format!("sample {index}")))
            };
            let samples = indices.iter().map(sample).collect::<Result<Vec<_>>>()?;
            catch(|| collate(samples)).map_err(|error| error.concerning(format!("samples {indices:?}")))
        };
        DataLoader::from_source(Source::Map { sampler, fetch: Arc::new(fetch) }, num_workers, prefetch_factor, seed)
    }

    /// Creates a loader over a stream of samples. With workers, one thread reads the stream,
    /// because it has a single order.
    ///
    /// # Errors
    ///
    /// `argument` for a batch size or a prefetch factor of 0, and for an order, which a stream has
    /// itself.
    pub fn stream<D>(dataset: D, options: DataLoaderOptions) -> Result<DataLoader<B>>
    where
        D: IterableDataset + 'static,
        D::Item: Collate<Batch = B> + 'static,
    {
        let DataLoaderOptions {
            batch_size,
            shuffle,
            sampler,
            batch_sampler,
            drop_last,
            num_workers,
            prefetch_factor,
            seed,
        } = options;
        if shuffle || sampler.is_some() || batch_sampler.is_some() {
            return Err(Error::argument(
                "DataLoader",
                "an iterable data set has its own order: it takes neither shuffle nor a sampler",
            ));
        }
        if batch_size == 0 {
            return Err(Error::argument("DataLoader", "batch_size must be at least 1"));
        }
        let open = move |state: LoaderState| stream::batches(&dataset, state, batch_size, drop_last);
        DataLoader::from_source(Source::Stream { open: Arc::new(open) }, num_workers, prefetch_factor, seed)
    }

    fn from_source(source: Source<B>, num_workers: usize, prefetch_factor: usize, seed: u64) -> Result<DataLoader<B>> {
        if prefetch_factor == 0 {
            return Err(Error::argument("DataLoader", "prefetch_factor must be at least 1"));
        }
        let state = LoaderState { seed, epoch: 0, position: 0 };
        Ok(DataLoader { source, num_workers, prefetch_factor, state, restored: false })
    }

    /// Returns the number of batches of an epoch, or `None` for a stream of unknown length.
    pub fn len(&self) -> Option<usize> {
        match &self.source {
            Source::Map { sampler, .. } => Some(sampler.len()),
            Source::Stream { .. } => None,
        }
    }

    /// Whether an epoch is known to have no batches.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Returns the seed, the epoch, and the number of its batches that have been returned. Prepared
    /// batches do not count.
    pub fn state_dict(&self) -> LoaderState {
        self.state
    }

    /// Restores a state from [`DataLoader::state_dict`]: the next iteration resumes there, with the
    /// same batches as without the interruption.
    ///
    /// # Errors
    ///
    /// `argument` for a position beyond the batches of an epoch.
    pub fn load_state_dict(&mut self, state: LoaderState) -> Result<()> {
        if let Some(len) = self.len().filter(|&len| state.position > len) {
            let message = format!("position {} is beyond the {len} batches of an epoch", state.position);
            return Err(Error::argument("DataLoader", message));
        }
        (self.state, self.restored) = (state, true);
        Ok(())
    }

    /// Returns the batches of an epoch: the next epoch if the last iteration was dropped in the
    /// middle, or the rest of an epoch after [`DataLoader::load_state_dict`].
    ///
    /// A sample that fails (or panics, if panics unwind) causes an error that names its index, and
    /// ends the iteration. Dropping the iteration waits for the samples in progress, and ends the
    /// worker threads.
    pub fn iter(&mut self) -> Batches<'_, B> {
        if !self.restored && self.state.position > 0 {
            self.state = LoaderState { epoch: self.state.epoch + 1, position: 0, ..self.state };
        }
        self.restored = false;
        let state = self.state;
        let produced = match &self.source {
            Source::Map { sampler, fetch } => {
                let mut batches = sampler.batches(state.seed, state.epoch);
                if batches.len() != sampler.len() {
                    let counts =
                        format!("the batch_sampler gave {} batches for an epoch of {}", batches.len(), sampler.len());
                    let odd = std::iter::once(Err(Error::argument("DataLoader", counts)));
                    return Batches { loader: self, produced: Some(Box::new(odd)) };
                }
                let batches = batches.split_off(state.position);
                let (remaining, fetch) = (batches.len(), fetch.clone());
                let produce = move |index: usize| fetch(&batches[index], state.seed, state.epoch);
                workers::run(remaining, self.num_workers, self.prefetch_factor, produce)
            }
            Source::Stream { open } => {
                let open = open.clone();
                stream::run(self.num_workers > 0, self.prefetch_factor, move || open(state))
            }
        };
        Batches { loader: self, produced: Some(produced) }
    }
}

/// The producer of one iteration's batches, in order. Dropping it ends its threads.
type Produced<B> = Box<dyn Iterator<Item = Result<B>>>;

/// The batches of an epoch: see [`DataLoader::iter`].
pub struct Batches<'a, B> {
    loader: &'a mut DataLoader<B>,
    /// `None` after the end and after an error.
    produced: Option<Produced<B>>,
}

impl<B: Send + 'static> Batches<'_, B> {
    /// [`DataLoader::state_dict`] of the loader, after the batches returned so far.
    pub fn state_dict(&self) -> LoaderState {
        self.loader.state
    }
}

impl<B: Send + 'static> Iterator for Batches<'_, B> {
    type Item = Result<B>;

    fn next(&mut self) -> Option<Result<B>> {
        let batch = self.produced.as_mut()?.next();
        let state = &mut self.loader.state;
        match &batch {
            Some(Ok(_)) => state.position += 1,
            Some(Err(_)) => self.produced = None,
            None => {
                *state = LoaderState { epoch: state.epoch + 1, position: 0, ..*state };
                self.produced = None;
            }
        }
        batch
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match (&self.produced, self.loader.len()) {
            (None, _) => (0, Some(0)),
            (Some(_), Some(len)) => (0, Some(len - self.loader.state.position)),
            (Some(_), None) => (0, None),
        }
    }
}

/// Returns the order of batches that the options select for a data set of `len` samples.
fn batches_of(len: usize, options: DataLoaderOptions) -> Result<Box<dyn BatchOrder>> {
    let DataLoaderOptions { batch_size, shuffle, sampler, batch_sampler, drop_last, .. } = options;
    if let Some(batches) = batch_sampler {
        if batch_size != 1 || shuffle || sampler.is_some() || drop_last {
            let message = "takes a batch_sampler or batch_size, shuffle, sampler and drop_last, not both";
            return Err(Error::argument("DataLoader", message));
        }
        return Ok(batches);
    }
    let sampler: Box<dyn Sampler> = match (sampler, shuffle) {
        (Some(_), true) => return Err(Error::argument("DataLoader", "takes a sampler or shuffle, not both")),
        (Some(sampler), false) => sampler,
        (None, true) => Box::new(RandomSampler::new(len)?),
        (None, false) => Box::new(SequentialSampler::new(len)),
    };
    let sampler = BatchSampler::new(sampler, batch_size, drop_last).map_err(|error| error.in_op("DataLoader"))?;
    Ok(Box::new(sampler))
}

/// Runs the user's code, and converts a panic to an error with its message.
fn catch<T>(action: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(action))
        .unwrap_or_else(|panic| Err(Error::data("DataLoader", format!("panicked: {}", message(&*panic)))))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_string())
}

#[cfg(test)]
mod tests;
