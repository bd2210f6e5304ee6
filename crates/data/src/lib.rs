//! Data, as `torch.utils.data` and `torchvision.transforms` have it: data sets, samplers, a loader, transforms, tokenizers, readers.
//!
//! A tensor belongs to one thread, so samples are [`HostArray`]s, which may be made on any, and become tensors where they are used
//! ([`Upload`]). A sampler is a pure function of a seed and an epoch, and what is random about a sample one of seed, epoch and index
//! ([`Random`]): the order and the content of batches depend neither on the number of workers nor on where an epoch was resumed. All
//! of it is in the npm package too (`lanthorn/data`), with the same numbers.
//!
//! Rejected: samplers with a generator of their own, as PyTorch's are. Their state is then several hundred words, spread over the
//! workers, and an epoch cannot be resumed in its middle.
//!
//! ```
//! use lanthorn_data::{DataLoader, DataLoaderOptions, HostArray, TensorDataset, Upload};
//! # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
//! let inputs = HostArray::new((0..20).map(|value| value as f32).collect(), [10, 2])?;
//! let targets = HostArray::new((0..10).collect::<Vec<i32>>(), [10])?;
//! let dataset = TensorDataset::new([inputs, targets])?;
//! let options = DataLoaderOptions { batch_size: 4, shuffle: true, num_workers: 2, ..Default::default() };
//! let mut loader = DataLoader::new(dataset, options)?;
//! for batch in loader.iter() {
//!     let [x, y] = batch?.to(&device)?;
//!     assert_eq!(x.shape()[0], y.shape()[0]);
//! }
//! # Ok::<(), lanthorn_tensor::Error>(())
//! ```

mod array;
mod collate;
mod csv;
mod dataset;
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
    ConcatDataset, Dataset, IterableDataset, Lengths, Map, Samples, StackDataset, Stacked, Subset, TensorDataset, random_split,
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
