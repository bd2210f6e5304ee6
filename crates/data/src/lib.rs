//! Data, with the names of `torch.utils.data` and `torchvision.transforms`: data sets, samplers, a
//! loader, transforms, tokenizers, readers.
//!
//! A tensor belongs to one thread. So samples are [`HostArray`]s, which any thread can create, and
//! the thread that uses a batch creates its tensors ([`Upload`]). A sampler is a pure function of
//! seed and epoch, and the random choices of a sample are a pure function of seed, epoch and index
//! ([`Random`]). So the order and content of batches depend neither on the number of workers nor on
//! the position where an epoch was resumed. The npm package has the same code in TypeScript
//! (`lanthorn/data`), with the same numbers.
//!
//! Rejected: samplers with their own generators, as in PyTorch. Their state is several hundred
//! words across all workers, and an epoch cannot be resumed in the middle.
//!
//! ```
//! use lanthorn::data::{DataLoader, DataLoaderOptions, HostArray, TensorDataset, Upload};
//! # let device = lanthorn::cpu();
//! let inputs = HostArray::new((0..20).map(|value| value as f32).collect(), [10, 2])?;
//! let targets = HostArray::new((0..10).collect::<Vec<i32>>(), [10])?;
//! let dataset = TensorDataset::new([inputs, targets])?;
//! let options = DataLoaderOptions { batch_size: 4, shuffle: true, num_workers: 2, ..Default::default() };
//! let mut loader = DataLoader::new(dataset, options)?;
//! for batch in loader.iter() {
//!     let [x, y] = batch?.to(&device)?;
//!     assert_eq!(x.shape()[0], y.shape()[0]);
//! }
//! # Ok::<(), lanthorn::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod array;
mod collate;
mod csv;
mod dataset;
#[cfg(feature = "datasets")]
pub mod datasets;
pub mod digits;
mod idx;
#[cfg(feature = "image")]
mod image;
mod loader;
#[cfg(feature = "progress")]
mod progress;
mod random;
mod sampler;
pub mod text;
pub mod transforms;

pub use array::{Elements, HostArray, HostElement};
pub use collate::{Collate, Upload};
pub use csv::{Column, ColumnType, CsvOptions, Table, read_csv};
pub use dataset::{
    ConcatDataset, Dataset, IterableDataset, Lengths, Map, Samples, StackDataset, Stacked, Subset, TensorDataset,
    random_split,
};
pub use idx::read_idx;
#[cfg(feature = "image")]
pub use image::{ImageMode, decode_image};
pub use loader::{Batches, DataLoader, DataLoaderOptions, LoaderState};
#[cfg(feature = "progress")]
pub use progress::{Progress, progress};
pub use random::{Random, permutation};
pub use sampler::{
    BatchOrder, BatchSampler, DistributedSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler,
    WeightedRandomSampler,
};
