/** Pictures of the browser as planes of bytes. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';

/**
 * The channels of a picture: one, the luma of ITU-R 601 as in Pillow; red, green and blue; or those
 * and alpha.
 */
export type ImageMode = 'gray' | 'rgb' | 'rgba';

/** An object of a browser with pixels. Of a video it is the current frame. */
export type PixelSource =
  | ImageData | ImageBitmap | HTMLImageElement | HTMLVideoElement | HTMLCanvasElement | OffscreenCanvas | VideoFrame;

export const CHANNELS: Readonly<Record<ImageMode, number>> = { gray: 1, rgb: 3, rgba: 4 };
/** Pillow's weights of the luma in 16 bits, and a half, by which it rounds. */
export const LUMA = { red: 19595, green: 38470, blue: 7471, half: 0x8000 } as const;
/** Larger than any training image. */
const MAX_PIXELS = 2 ** 27;

/** Bytes by channel, row and column. */
export interface Planes {
  data: Uint8Array;
  shape: [channels: number, height: number, width: number];
}

/** The types of {@link PixelSource} by name: workers lack some of them, and Node all. */
const SOURCES = ['ImageData', 'ImageBitmap', 'HTMLImageElement', 'HTMLVideoElement', 'HTMLCanvasElement', 'OffscreenCanvas', 'VideoFrame'] as const;

const isA = (value: unknown, name: (typeof SOURCES)[number]): boolean => {
  const type = (globalThis as Record<string, unknown>)[name];
  return typeof type === 'function' && value instanceof type;
};

/** Whether a value has pixels. */
export const isPixelSource = (value: unknown): value is PixelSource => SOURCES.some((name) => isA(value, name));

/** Refuses a value that is not a mode. */
export function checkMode(op: string, mode: unknown): void {
  if (typeof mode !== 'string' || !Object.hasOwn(CHANNELS, mode)) {
    throw new LanthornError('argument', op, `the mode is gray, rgb or rgba, not ${String(mode)}`);
  }
}

/** The size in pixels of what is drawn. */
function sizeOf(source: Drawable): [width: number, height: number] {
  if (isA(source, 'HTMLVideoElement')) return [(source as HTMLVideoElement).videoWidth, (source as HTMLVideoElement).videoHeight];
  if (isA(source, 'HTMLImageElement')) return [(source as HTMLImageElement).naturalWidth, (source as HTMLImageElement).naturalHeight];
  if (isA(source, 'VideoFrame')) return [(source as VideoFrame).displayWidth, (source as VideoFrame).displayHeight];
  return [(source as ImageBitmap).width, (source as ImageBitmap).height];
}

/** A canvas that may be drawn on without being seen. */
export function canvasOf(op: string, width: number, height: number): OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D {
  const hasOffscreen = typeof OffscreenCanvas !== 'undefined';
  const canvas = hasOffscreen ? new OffscreenCanvas(width, height) : Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null;
  if (!context) throw new LanthornError('argument', op, 'there is no canvas here');
  return context;
}

/** A source whose pixels the browser has, and not the program. */
export type Drawable = Exclude<PixelSource, ImageData>;

/** The size of a picture in pixels; refuses an object without a picture. */
export function checkedSize(op: string, source: unknown): [width: number, height: number] {
  if (!isPixelSource(source)) {
    throw new LanthornError('argument', op, `takes an image, a video, a canvas, an ImageBitmap, a VideoFrame or ImageData, not ${describe(source)}`);
  }
  const [width, height] = sizeOf(source as Drawable);
  if (width * height === 0) throw new LanthornError('argument', op, 'there is no picture yet: await image.decode(), or the event loadeddata of a video');
  if (width * height > MAX_PIXELS) throw new LanthornError('limit', op, `a picture of ${width}×${height} has more than 2^27 pixels`);
  return [width, height];
}

/** Whether the program has the pixels already. */
export const isImageData = (source: unknown): source is ImageData => isA(source, 'ImageData');

/** The error for a picture that this page may not read. */
export function foreignPicture(op: string, cause: unknown): LanthornError {
  return new LanthornError('file', op, 'the picture is from another origin, which must allow its use (crossOrigin)', { cause });
}

/** The pixels of a source, as the browser shows them. */
function pixelsOf(op: string, source: PixelSource): ImageData {
  if (isImageData(source)) return source;
  const [width, height] = checkedSize(op, source);
  const context = canvasOf(op, width, height);
  context.drawImage(source as ImageBitmap, 0, 0, width, height);
  try {
    return context.getImageData(0, 0, width, height);
  } catch (error) {
    throw foreignPicture(op, error);
  }
}

/** The bytes of a picture. */
export function planesOf(op: string, source: PixelSource, mode: ImageMode): Planes {
  checkMode(op, mode);
  const { data: pixels, width, height } = pixelsOf(op, source);
  const plane = width * height;
  const channels = CHANNELS[mode];
  const data = new Uint8Array(channels * plane);
  for (let index = 0; index < plane; index++) {
    const from = 4 * index;
    if (mode === 'gray') {
      data[index] = (pixels[from]! * LUMA.red + pixels[from + 1]! * LUMA.green + pixels[from + 2]! * LUMA.blue + LUMA.half) >> 16;
    } else {
      for (let channel = 0; channel < channels; channel++) data[channel * plane + index] = pixels[from + channel]!;
    }
  }
  return { data, shape: [channels, height, width] };
}
