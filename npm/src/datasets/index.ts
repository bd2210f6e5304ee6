/**
 * Published data sets, with the names of `torchvision.datasets`, and readers of their files.
 *
 * `import { MNIST } from 'lanthorn/datasets'`. Files are downloaded when a program asks for it, are
 * checked, and are stored: in the browser's storage, or in a folder in Node.
 */
export { readGzip } from './bytes.js';
export { CIFAR10, CIFAR100, type CifarOptions } from './cifar.js';
export { readCifar, type CifarRecords } from './cifar-file.js';
export { FakeData, type FakeDataOptions } from './fake-data.js';
export type { Folder, FolderFile } from './folder-source.js';
export { DatasetFolder, FolderSamples, ImageFolder, IMG_EXTENSIONS, type DatasetFolderOptions, type ImageFolderOptions } from './image-folder.js';
export {
  EMNIST, FashionMNIST, KMNIST, MNIST, QMNIST,
  type EmnistOptions, type EmnistSplit, type MnistOptions, type QmnistOptions, type QmnistPart,
} from './mnist.js';
export type { OfficialOptions, Root } from './official.js';
export { SPEECHCOMMANDS, type SpeechCommandsOptions, type SpeechSample } from './speech-commands.js';
export { STL10, type Stl10Options } from './stl10.js';
export { SVHN, type SvhnOptions } from './svhn.js';
export { readTar, type TarEntry } from './tar.js';
export { AG_NEWS, readJsonLines, readLines, TabularDataset, type AgNewsOptions, type TabularOptions } from './text.js';
export { VisionDataset, type Picture, type TransformOf, type TransformOptions } from './vision-dataset.js';
export { readZip, type ZipEntry } from './zip.js';
export type { Source } from '../io/source.js';
