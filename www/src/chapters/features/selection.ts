/** The training data: images of some digits, a few of each, and the number of steps. */
import { imageAt, type Images, PIXELS } from '../../parts/digits/data';
import { uniform } from '../../parts/random';

/** The steps that the trunk learns before it is frozen. */
export const TRUNK_STEPS = 120;

/** The images at `indices`, in that order. */
export function imagesAt(images: Images, indices: readonly number[]): Images {
  const pixels = new Uint8Array(PIXELS * indices.length);
  indices.forEach((index, slot) => pixels.set(imageAt(images, index), PIXELS * slot));
  return { count: indices.length, pixels, labels: Uint8Array.from(indices, (index) => images.labels[index]!) };
}

/** The indices of the images whose digit is from `first` to `last`. */
export function indicesOf(images: Images, first: number, last: number): number[] {
  return Array.from(images.labels.keys()).filter((index) => images.labels[index]! >= first && images.labels[index]! <= last);
}

/** `each` images of every digit from `first` to `last`, at least one, drawn by the seed. */
export function fewOf(images: Images, first: number, last: number, each: number, seed: number): Images {
  const random = uniform(seed);
  const indices: number[] = [];
  for (let digit = first; digit <= last; digit += 1) {
    const all = indicesOf(images, digit, digit).map((index) => ({ index, rank: random() }));
    indices.push(...all.sort((one, other) => one.rank - other.rank).slice(0, Math.max(1, Math.round(each))).map(({ index }) => index));
  }
  return imagesAt(images, indices);
}
