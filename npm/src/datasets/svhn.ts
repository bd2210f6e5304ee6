/** SVHN, house numbers from Street View, in its publisher's cropped form. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HostArray } from '../data/host-array.js';
import { bytesOf } from './bytes.js';
import { readMat } from './mat.js';
import { Official, OFFICIAL_OPTIONS, type OfficialOptions, type Root } from './official.js';
import { TRANSFORM_OPTIONS, VisionDataset, type Picture, type TransformOptions } from './vision-dataset.js';

/** Options of {@link SVHN.open}. */
export interface SvhnOptions<T = Picture, L = number> extends OfficialOptions, TransformOptions<T, L> {
  /** The part (default: `train`). */
  split?: 'train' | 'test' | 'extra';
}

const DIGESTS = { train: 'e26dedcc434d2e4c54c9b2d4a06d8373', test: 'eb5a983be6a315427106f1b164d9cef3', extra: 'a93ce644f1a588dc4d68dda5feec44a7' } as const;
const DIGITS = Array.from('0123456789');

/** Digits of house numbers (Netzer and others), uint8 `[3, 32, 32]`. */
export class SVHN<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads a part of the data set, as `MNIST.open` does. The label of the digit 0 is 0, and not 10
   * as in the files.
   *
   * @throws a `DownloadError` with the reason, or a LanthornError of kind `file`, if a file is
   * missing or damaged.
   *
   * @example
   * const test = await SVHN.open('data', { split: 'test', download: true, mirror: '/files' });
   */
  static async open<T = Picture, L = number>(root: Root, options: SvhnOptions<T, L> = {}): Promise<SVHN<T, L>> {
    const op = 'SVHN.open';
    const given = checkOptions<SvhnOptions<T, L>>(op, options, ['split', ...TRANSFORM_OPTIONS, ...OFFICIAL_OPTIONS]);
    const { split = 'train' } = given;
    if (!Object.hasOwn(DIGESTS, split)) throw new LanthornError('argument', op, `split is train, test or extra, not ${split}`);
    const mirrors = ['http://ufldl.stanford.edu/housenumbers/'];
    const file = await new Official(op, root, '', given).find({ file: `${split}_32x32.mat`, mirrors, md5: DIGESTS[split] });
    const arrays = await readMat(await bytesOf(file, given.signal));
    const [pixels, labels] = [arrays.get('X'), arrays.get('y')];
    if (!pixels || !labels || pixels.shape.length !== 4) throw new LanthornError('file', op, 'the file has no pictures X [H, W, C, N] and labels y');
    // Column by column: the row of a picture is the dimension that changes first.
    const [height, width, channels, count] = pixels.shape as [number, number, number, number];
    const data = new Uint8Array(pixels.data.length);
    for (let plane = 0; plane < count * channels; plane += 1) {
      const start = plane * height * width;
      for (let row = 0; row < height; row += 1) {
        for (let column = 0; column < width; column += 1) data[start + row * width + column] = pixels.data[start + column * height + row]!;
      }
    }
    const targets = Int32Array.from(labels.data, (label) => label % 10);
    return new SVHN<T, L>(op, new HostArray(data, [count, channels, height, width]), new HostArray(targets), DIGITS, given);
  }
}
