/** Images, decoded by the browser. */
import { LanthornError } from '../core/errors.js';
import { checkMode, planesOf, type ImageMode } from '../tensor/planes.js';
import { HostArray } from './host-array.js';

export type { ImageMode } from '../tensor/planes.js';

/**
 * An image in any format that the browser supports, as uint8 `[C, H, W]`, in the page or in a
 * worker. Colours are not converted by the image's profile.
 *
 * @example
 * const image = await decodeImage(await (await fetch('cat.jpg')).blob());
 */
export async function decodeImage(blob: Blob, mode: ImageMode = 'rgb'): Promise<HostArray<Uint8Array>> {
  const refuse = (message: string, cause?: unknown) => new LanthornError('file', 'decodeImage', message, { cause });
  checkMode('decodeImage', mode);
  if (typeof createImageBitmap === 'undefined') throw new LanthornError('argument', 'decodeImage', 'there is no decoder here; it is part of browsers');
  const options: ImageBitmapOptions = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' };
  const bitmap = await createImageBitmap(blob, options).catch((error: unknown) => { throw refuse('the picture cannot be decoded', error); });
  try {
    const { data, shape } = planesOf('decodeImage', bitmap, mode);
    return new HostArray(data, shape);
  } finally {
    bitmap.close();
  }
}
