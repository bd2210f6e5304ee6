/** Resized images. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HostArray } from './host-array.js';
import { halfToEven, pixelsLike, sizes, type Image, type Transform } from './pixels.js';
import { checkCount } from './sampler.js';

/** Options of {@link Resize}. */
export interface ResizeOptions {
  /** Whether downscaling smooths the image (default: true). */
  antialias?: boolean;
}

/**
 * The contribution to one pixel of the result: the first pixel of the source, and the weights from
 * there on.
 */
interface Taps {
  start: number;
  weights: number[];
}

/**
 * Bilinear resizing to `[height, width]`, or to a length of the shorter edge with the aspect ratio
 * kept.
 *
 * With `antialias` a pixel is the mean of the pixels that it covers, weighted by a triangle, as in
 * PyTorch's `interpolate` and in Pillow. Without it, a pixel interpolates its four neighbours. Rows
 * and columns are interpolated one after the other, in float64; uint8 is rounded half to even.
 */
export class Resize implements Transform {
  readonly #size: number | readonly [height: number, width: number];
  readonly #antialias: boolean;

  constructor(size: number | readonly [height: number, width: number], options: ResizeOptions = {}) {
    const { antialias = true } = checkOptions('Resize', options, ['antialias']);
    for (const length of typeof size === 'number' ? [size] : size) checkCount('Resize', 'a size', length, 1);
    this.#size = size;
    this.#antialias = antialias;
  }

  apply(image: Image): Image {
    const [channels, height, width] = sizes('Resize', image);
    if (height === 0 || width === 0) throw new LanthornError('shape', 'Resize', `an image of ${height}×${width} has no pixels`);
    const [rows, columns] = this.#target(height, width);
    if (rows === height && columns === width) return image;
    const data = pixelsLike('Resize', image, [channels, rows, columns]);
    const across = interpolate(Float64Array.from(image.data), channels * height, width, 1, taps(width, columns, this.#antialias));
    const down = interpolate(across, channels, height, columns, taps(height, rows, this.#antialias));
    for (let place = 0; place < down.length; place++) {
      data[place] = data instanceof Uint8Array ? Math.min(Math.max(halfToEven(down[place]!), 0), 255) : down[place]!;
    }
    return new HostArray(data, [channels, rows, columns]);
  }

  #target(height: number, width: number): readonly [number, number] {
    const size = this.#size;
    if (typeof size !== 'number') return size;
    return height <= width ? [size, Math.floor((size * width) / height)] : [Math.floor((size * height) / width), size];
  }
}

/** The weights for each of `to` pixels on a line of `from`; PyTorch's `align_corners=False`. */
function taps(from: number, to: number, antialias: boolean): Taps[] {
  const scale = from / to;
  // For enlargement the smoothing filter equals the other one.
  const reach = antialias ? Math.max(scale, 1) : 1;
  return Array.from({ length: to }, (_, place) => {
    const center = scale * (place + 0.5);
    const start = Math.floor(Math.max(center - reach + 0.5, 0));
    const end = Math.min(Math.floor(center + reach + 0.5), from);
    const weights: number[] = [];
    for (let at = start; at < end; at++) weights.push(Math.max(1 - Math.abs((at - center + 0.5) / reach), 0));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return { start, weights: weights.map((weight) => weight / total) };
  });
}

/** Interpolates the middle of three dimensions. */
function interpolate(values: Float64Array, outer: number, line: number, inner: number, lines: readonly Taps[]): Float64Array {
  const result = new Float64Array(outer * lines.length * inner);
  let to = 0;
  for (let block = 0; block < outer; block++) {
    for (const { start, weights } of lines) {
      const first = (block * line + start) * inner;
      for (let place = 0; place < inner; place++, to++) {
        for (let at = 0; at < weights.length; at++) result[to]! += values[first + at * inner + place]! * weights[at]!;
      }
    }
  }
  return result;
}
