/** Tensors from pictures and as pictures. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { pictureOf } from './picture.js';
import { canvasOf, type ImageMode, type PixelSource } from './planes.js';
import type { Tensor } from './tensor.js';

/** Options of {@link fromPixels}. */
export interface PixelOptions {
  /** The channels (default `rgb`). */
  mode?: ImageMode;
  /** `float32` divides by 255, as torchvision's `to_tensor` (default `uint8`). */
  dtype?: 'uint8' | 'float32';
}

/**
 * The pixels of an image, a canvas, an `ImageBitmap`, `ImageData`, a `VideoFrame`, or the current frame
 * of a video: `[C, H, W]` with red, green and blue from 0 to 255.
 *
 * @example
 * const frame = fromPixels(video, { dtype: 'float32' });
 */
export function fromPixels(source: PixelSource, options: PixelOptions = {}): Tensor {
  const { mode = 'rgb', dtype = 'uint8' } = checkOptions('fromPixels', options, ['mode', 'dtype']);
  if (dtype !== 'uint8' && dtype !== 'float32') throw new LanthornError('dtype', 'fromPixels', `pixels are uint8 or float32, not ${String(dtype)}`);
  const bytes = pictureOf('fromPixels', source, mode);
  return dtype === 'uint8' ? bytes : bytes.to('float32').div(255);
}

/**
 * A picture of a tensor `[H, W]` or `[C, H, W]` with one, three or four channels. Floats are from 0
 * to 1, integers from 0 to 255; values outside are clamped.
 *
 * @example
 * context.putImageData(await toImageData(net.call(frame)), 0, 0);
 */
export async function toImageData(image: Tensor): Promise<ImageData> {
  return draw('toImageData', image);
}

async function draw(op: string, image: Tensor): Promise<ImageData> {
  if (typeof ImageData === 'undefined') throw new LanthornError('argument', op, 'there is no ImageData here; it is part of browsers');
  const { shape, dtype } = image;
  const [channels, height, width] = shape.length === 2 ? [1, ...shape] : shape;
  if (![2, 3].includes(shape.length) || ![1, 3, 4].includes(channels!) || height === 0 || width === 0) {
    throw new LanthornError('shape', op, `takes a picture [H, W] or [C, H, W] of 1, 3 or 4 channels, not [${shape.join(', ')}]`);
  }
  const data = await image.data();
  const scale = dtype.includes('float') || dtype === 'bool' ? 255 : 1;
  const plane = height! * width!;
  const picture = new ImageData(width!, height!);
  for (let index = 0; index < plane; index++) {
    for (let channel = 0; channel < 4; channel++) {
      const from = channels === 1 && channel < 3 ? 0 : channel;
      // A clamped array rounds, and cuts off.
      picture.data[4 * index + channel] = from < channels! ? Number(data[from * plane + index]) * scale : 255;
    }
  }
  return picture;
}

/**
 * Draws a tensor on a canvas, which takes its size; see {@link toImageData}.
 *
 * @example
 * await toCanvas(image, canvas);
 */
export async function toCanvas<Canvas extends HTMLCanvasElement | OffscreenCanvas>(image: Tensor, canvas: Canvas): Promise<Canvas> {
  const picture = await draw('toCanvas', image);
  const context = typeof canvas?.getContext === 'function' ? (canvas.getContext('2d') as CanvasRenderingContext2D | null) : null;
  if (!context) throw new LanthornError('argument', 'toCanvas', 'takes a canvas with a context 2d');
  [canvas.width, canvas.height] = [picture.width, picture.height];
  context.putImageData(picture, 0, 0);
  return canvas;
}

/**
 * A picture of a tensor as a file; see {@link toImageData}.
 *
 * @example
 * const png = await toBlob(image);
 * const jpeg = await toBlob(image, { type: 'image/jpeg', quality: 0.9 });
 */
export async function toBlob(image: Tensor, options: { type?: string; quality?: number } = {}): Promise<Blob> {
  const { type = 'image/png', quality } = checkOptions('toBlob', options, ['type', 'quality']);
  const picture = await draw('toBlob', image);
  const context = canvasOf('toBlob', picture.width, picture.height);
  context.putImageData(picture, 0, 0);
  const { canvas } = context;
  const encoding = quality === undefined ? { type } : { type, quality };
  if ('convertToBlob' in canvas) return canvas.convertToBlob(encoding);
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null): void => (blob ? resolve(blob) : reject(new LanthornError('file', 'toBlob', `the browser does not write ${type}`)));
    canvas.toBlob(done, type, quality);
  });
}
