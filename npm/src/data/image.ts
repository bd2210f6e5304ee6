/** Images, decoded by the browser. */
import { LanthornError } from '../errors.js';
import { HostArray } from './host-array.js';

/**
 * The channels of a decoded image: one, the luma of ITU-R 601 as in Pillow; red, green and blue; or
 * those and alpha.
 */
export type ImageMode = 'gray' | 'rgb' | 'rgba';

const CHANNELS: Readonly<Record<ImageMode, number>> = { gray: 1, rgb: 3, rgba: 4 };
/** Larger than any training image. */
const MOST_PIXELS = 2 ** 27;

/**
 * An image in any format that the browser supports, as uint8 `[C, H, W]`, in the page or in a
 * worker. Colours are not converted by the image's profile.
 *
 * @example
 * const image = await decodeImage(await (await fetch('cat.jpg')).blob());
 */
export async function decodeImage(blob: Blob, mode: ImageMode = 'rgb'): Promise<HostArray<Uint8Array>> {
  const refused = (message: string, cause?: unknown) => new LanthornError('file', 'decodeImage', message, { cause });
  if (!Object.hasOwn(CHANNELS, mode)) throw new LanthornError('argument', 'decodeImage', `the mode is gray, rgb or rgba, not ${String(mode)}`);
  if (typeof createImageBitmap === 'undefined') throw new LanthornError('argument', 'decodeImage', 'there is no decoder here; it is part of browsers');
  const options: ImageBitmapOptions = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' };
  const bitmap = await createImageBitmap(blob, options).catch((error: unknown) => { throw refused('the picture cannot be decoded', error); });
  try {
    const { width, height } = bitmap;
    if (width * height > MOST_PIXELS) throw refused(`a picture of ${width}×${height} has more than 2^27 pixels`);
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    if (!context) throw refused('there is no canvas to read the picture from');
    context.drawImage(bitmap, 0, 0);
    return planes(context.getImageData(0, 0, width, height), mode);
  } finally {
    bitmap.close();
  }
}

function planes({ data: pixels, width, height }: ImageData, mode: ImageMode): HostArray<Uint8Array> {
  const plane = width * height;
  const channels = CHANNELS[mode];
  const data = new Uint8Array(channels * plane);
  for (let place = 0; place < plane; place++) {
    const from = 4 * place;
    if (mode === 'gray') {
      // Pillow's luma weights, in 16 bits.
      data[place] = (pixels[from]! * 19595 + pixels[from + 1]! * 38470 + pixels[from + 2]! * 7471 + 0x8000) >> 16;
    } else {
      for (let channel = 0; channel < channels; channel++) data[channel * plane + place] = pixels[from + channel]!;
    }
  }
  return new HostArray(data, [channels, height, width]);
}
