/**
 * Data, with the names of `torch.utils.data` and `torchvision.transforms`: data sets, samplers, a
 * loader, transforms, tokenizers, readers.
 */
export { defaultCollate, toTensors, type Collated, type Uploaded } from './collate.js';
export { readCsv, type Column, type ColumnType, type CsvOptions, type Table } from './csv.js';
export {
  ConcatDataset, MapDataset, randomSplit, StackDataset, Subset, TensorDataset,
  type Dataset, type IterableDataset, type Row, type Rows,
} from './dataset.js';
export { HostArray } from './host-array.js';
export { readIdx } from './idx.js';
export { decodeImage, type ImageMode } from './image.js';
export { DataLoader, type DataLoaderOptions, type LoaderProgress, type LoaderState } from './loader.js';
export { permutation, Random, type Seeding } from './random.js';
export {
  BatchSampler, DistributedSampler, RandomSampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler,
  type BatchOrder, type DistributedSamplerOptions, type RandomSamplerOptions, type Sampler, type WeightedSamplerOptions,
} from './sampler.js';
export { serveDataset, type ServeOptions } from './serve.js';
export * as text from './text.js';
export * as transforms from './transforms.js';
export type { WorkerSource } from './workers.js';
