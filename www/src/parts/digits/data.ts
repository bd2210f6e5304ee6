/**
 * Reads the data set: crates/data/digits/digits.bin, whose format is in the README of that folder.
 */
import address from '../../../../crates/data/digits/digits.bin?url';
import { request } from '../request';

export const SIDE = 8;
export const PIXELS = SIDE * SIDE;
export const CLASSES = 10;
/** The value of a fully inked pixel. */
export const INK = 16;

/** Images of 64 pixels, 0 to 16, concatenated, and the digit of each. */
export interface Images {
  count: number;
  pixels: Uint8Array;
  labels: Uint8Array;
}

export interface Digits {
  train: Images;
  test: Images;
}

export async function loadDigits(): Promise<Digits> {
  const response = await request(address, 'the digits');
  return parseDigits(await response.arrayBuffer());
}

export function parseDigits(buffer: ArrayBuffer): Digits {
  const header = new DataView(buffer);
  const magic = new TextDecoder().decode(buffer.slice(0, 8));
  if (magic !== 'DIGITS08') {
    throw new Error('digits.bin does not begin as it should: the download is damaged');
  }
  const train = header.getUint32(8, true);
  const test = header.getUint32(12, true);
  const labels = 16 + PIXELS * (train + test);
  if (buffer.byteLength !== labels + train + test) {
    throw new Error('digits.bin has the wrong length: the download is incomplete');
  }
  const part = (first: number, count: number): Images => ({
    count,
    pixels: new Uint8Array(buffer, 16 + PIXELS * first, PIXELS * count),
    labels: new Uint8Array(buffer, labels + first, count),
  });
  return { train: part(0, train), test: part(train, test) };
}

/** Image number `index` of `images`. */
export function imageAt(images: Images, index: number): Uint8Array {
  return images.pixels.subarray(PIXELS * index, PIXELS * (index + 1));
}

/** Pixels as the network's input: 0 to 1. */
export function asInput(pixels: Uint8Array): Float32Array {
  return Float32Array.from(pixels, (value) => value / INK);
}
