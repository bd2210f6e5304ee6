/**
 * The binary form of CIFAR-10 and CIFAR-100 (https://www.cs.toronto.edu/~kriz/cifar.html): records
 * of one or two labels and 3072 bytes, the planes red, green and blue of 32×32 pixels.
 */
import { LanthornError } from '../core/errors.js';
import { HostArray } from '../data/host-array.js';

const PIXELS = 3 * 32 * 32;

/** The pictures and labels of a file. */
export interface CifarRecords {
  /** uint8 `[N, 3, 32, 32]`. */
  images: HostArray<Uint8Array>;
  /** int32 `[N, labels]`: the class, or in CIFAR-100 the coarse and the fine class. */
  labels: HostArray<Int32Array>;
}

/**
 * The records of a file of CIFAR-10, or of CIFAR-100 with `labels` 2.
 *
 * @throws a LanthornError of kind `file`, if the file is not a whole number of records.
 *
 * @example
 * const { images, labels } = readCifar(await readGzip('data_batch_1.bin'));
 */
export function readCifar(file: ArrayBuffer | Uint8Array, labels = 1): CifarRecords {
  const refuse = (message: string) => new LanthornError('file', 'readCifar', message);
  if (labels !== 1 && labels !== 2) throw new LanthornError('argument', 'readCifar', `a record has 1 or 2 labels, not ${labels}`);
  const bytes = file instanceof Uint8Array ? file : new Uint8Array(file);
  const record = labels + PIXELS;
  const count = Math.floor(bytes.length / record);
  if (count * record !== bytes.length) throw refuse(`${bytes.length} bytes are not a whole number of records of ${record} bytes`);
  const [pixels, numbers] = [new Uint8Array(count * PIXELS), new Int32Array(count * labels)];
  for (let index = 0; index < count; index += 1) {
    numbers.set(bytes.subarray(index * record, index * record + labels), index * labels);
    pixels.set(bytes.subarray(index * record + labels, (index + 1) * record), index * PIXELS);
  }
  return { images: new HostArray(pixels, [count, 3, 32, 32]), labels: new HostArray(numbers, [count, labels]) };
}
