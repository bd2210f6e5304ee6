/** Pictures and other files in a folder for each class. */
import { checkFlag, checkFunction, checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { byCodePoints } from '../data/csv.js';
import type { Dataset } from '../data/dataset.js';
import type { HostArray } from '../data/host-array.js';
import { decodeImage } from '../data/image.js';
import type { Random } from '../data/random.js';
import { blobOf } from './bytes.js';
import { filesOf, sourceOf, type Files, type Folder } from './folder-source.js';
import { TRANSFORM_OPTIONS, Transforms, type Picture, type TransformOptions } from './vision-dataset.js';

/** torchvision's list. A browser decodes those that it knows. */
export const IMG_EXTENSIONS: readonly string[] = ['.jpg', '.jpeg', '.png', '.ppm', '.bmp', '.pgm', '.tif', '.tiff', '.webp'];

/** Options of {@link DatasetFolder.open}. */
export interface DatasetFolderOptions<S, T = S, L = number> extends TransformOptions<T, L, S> {
  /** The extensions of the files, with their dots; either these or `isValidFile`. */
  extensions?: readonly string[];
  /** Whether a file belongs to the data set, by its path. */
  isValidFile?: (path: string) => boolean;
  /** Whether a class may have no files (default: false, an error). */
  allowEmpty?: boolean;
}

/** Options of {@link ImageFolder.open}. */
export interface ImageFolderOptions<T = Picture, L = number> extends Omit<DatasetFolderOptions<Picture, T, L>, 'extensions'> {
  /**
   * Decodes a file (default: {@link decodeImage}, the browser's decoders). Node has none: give a
   * function that calls one.
   */
  loader?: (file: Blob, path: string) => HostArray<Uint8Array> | Promise<HostArray<Uint8Array>>;
}

const OPTIONS = ['extensions', 'isValidFile', 'allowEmpty', ...TRANSFORM_OPTIONS] as const;

/** The names of the folders in a folder, in ascending order. */
function findClasses(op: string, files: Files): string[] {
  const classes = new Set(Array.from(files.keys()).filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))));
  if (classes.size === 0) throw new LanthornError('file', op, 'there is no folder of a class in the folder');
  return Array.from(classes).sort(byCodePoints);
}

/** The paths of a class's files, folder by folder, as torchvision lists them. */
function pathsOf(files: Files, name: string): string[] {
  const folder = (path: string) => path.slice(0, path.lastIndexOf('/'));
  const paths = Array.from(files.keys()).filter((path) => path.startsWith(`${name}/`));
  return paths.sort((one, other) => byCodePoints(folder(one), folder(other)) || byCodePoints(one, other));
}

/** The samples of {@link DatasetFolder} and {@link ImageFolder}. */
export class FolderSamples<S, T = S, L = number> implements Dataset<[T, L]> {
  /** The number of files. */
  readonly length: number;
  /** The names of the classes, in ascending order. */
  readonly classes: readonly string[];
  /** The paths of the files in the folder, with the indices of their classes. */
  readonly samples: readonly (readonly [path: string, target: number])[];
  readonly #files: Files;
  readonly #loader: (file: Blob, path: string) => S | Promise<S>;
  readonly #transforms: Transforms<T, L, S>;
  readonly #op: string;

  /** @internal */
  constructor(op: string, files: Files, loader: (file: Blob, path: string) => S | Promise<S>, options: DatasetFolderOptions<S, T, L>) {
    const { extensions, isValidFile, allowEmpty } = options;
    if ((extensions === undefined) === (isValidFile === undefined)) throw new LanthornError('argument', op, 'takes either extensions or isValidFile');
    checkFunction(op, loader);
    if (isValidFile) checkFunction(op, isValidFile);
    const isValid = isValidFile ?? ((path: string) => extensions!.some((extension) => path.toLowerCase().endsWith(extension.toLowerCase())));
    this.#op = op;
    this.#files = files;
    this.#loader = loader;
    this.#transforms = new Transforms(op, options);
    this.classes = findClasses(op, files);
    const found = this.classes.map((name) => pathsOf(files, name).filter((path) => isValid(path)));
    const empty = this.classes.filter((_, index) => found[index]!.length === 0);
    if (empty.length > 0 && !checkFlag(op, 'allowEmpty', allowEmpty)) {
      const hint = extensions ? `; files end in ${extensions.join(', ')}` : '';
      throw new LanthornError('file', op, `there are no valid files for the classes ${empty.join(', ')}${hint}`);
    }
    this.samples = found.flatMap((paths, target) => paths.map((path) => [path, target] as const));
    this.length = this.samples.length;
  }

  /** The indices of the classes by their names. */
  get classToIdx(): Record<string, number> {
    return Object.fromEntries(this.classes.map((name, index) => [name, index]));
  }

  /** The class of each sample. */
  get targets(): number[] {
    return this.samples.map(([, target]) => target);
  }

  /** The content of a file and its class, after their transforms. */
  async get(index: number, random: Random): Promise<[T, L]> {
    const sample = this.samples[index];
    if (!sample) throw new LanthornError('index', this.#op, `index ${index} is out of range for ${this.length} samples`);
    const [path, target] = sample;
    const file = await blobOf(await sourceOf(await this.#files.get(path)!()));
    let content: S;
    try {
      content = await this.#loader(file, path);
    } catch (cause) {
      throw new LanthornError('file', this.#op, `${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
    return this.#transforms.apply(content, target, random);
  }
}

/** Files in a folder for each class, which a function reads. */
export class DatasetFolder<S, T = S, L = number> extends FolderSamples<S, T, L> {
  /**
   * Reads the names of a folder's files. The folders in it are the classes. `loader` reads a file
   * when its sample is taken.
   *
   * @throws a LanthornError of kind `file`, if there is no folder of a class, or a class has no
   * files.
   *
   * @example
   * const extensions = ['.txt'];
   * const texts = await DatasetFolder.open('texts', (file) => file.text(), { extensions });
   */
  static async open<S, T = S, L = number>(
    root: Folder, loader: (file: Blob, path: string) => S | Promise<S>, options: DatasetFolderOptions<S, T, L>,
  ): Promise<DatasetFolder<S, T, L>> {
    const op = 'DatasetFolder.open';
    const given = checkOptions<DatasetFolderOptions<S, T, L>>(op, options, OPTIONS);
    return new DatasetFolder<S, T, L>(op, await filesOf(op, root), loader, given);
  }
}

/** Pictures in a folder for each class. */
export class ImageFolder<T = Picture, L = number> extends FolderSamples<Picture, T, L> {
  /** The paths of the pictures in the folder, with the indices of their classes. */
  get imgs(): readonly (readonly [path: string, target: number])[] {
    return this.samples;
  }

  /**
   * Reads the names of a folder's pictures: `root/cat/1.png` is a picture of the class `cat`. A
   * picture is decoded when its sample is taken.
   *
   * @throws a LanthornError of kind `file`, if there is no folder of a class, or a class has no
   * pictures.
   *
   * @example
   * import { transforms } from 'lanthorn/data';
   *
   * const pictures = await ImageFolder.open(files, { transform: new transforms.Resize(64) });
   */
  static async open<T = Picture, L = number>(root: Folder, options: ImageFolderOptions<T, L> = {}): Promise<ImageFolder<T, L>> {
    const op = 'ImageFolder.open';
    const { loader = (file: Blob) => decodeImage(file), ...given } = checkOptions<ImageFolderOptions<T, L>>(op, options, ['loader', ...OPTIONS.slice(1)]);
    const extensions = given.isValidFile === undefined ? { extensions: IMG_EXTENSIONS } : {};
    return new ImageFolder<T, L>(op, await filesOf(op, root), loader, { ...given, ...extensions });
  }
}
