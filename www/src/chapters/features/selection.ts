/** What is learnt from: images of some digits, a few of each, and how long. */
import { imageAt, type Images, PIXELS } from '../../parts/digits/data';
import { uniform } from '../../parts/random';

/** The steps that the trunk learns before it is frozen. */
export const TRUNK_STEPS = 120;

/** The images at `places`, in that order. */
export function imagesAt(images: Images, places: readonly number[]): Images {
  const pixels = new Uint8Array(PIXELS * places.length);
  places.forEach((place, index) => pixels.set(imageAt(images, place), PIXELS * index));
  return { count: places.length, pixels, labels: Uint8Array.from(places, (place) => images.labels[place]!) };
}

/** The places of the images whose digit is from `first` to `last`. */
export function placesOf(images: Images, first: number, last: number): number[] {
  return Array.from(images.labels.keys()).filter((place) => images.labels[place]! >= first && images.labels[place]! <= last);
}

/** `each` images of every digit from `first` to `last`, at least one, drawn by the seed. */
export function fewOf(images: Images, first: number, last: number, each: number, seed: number): Images {
  const random = uniform(seed);
  const places: number[] = [];
  for (let digit = first; digit <= last; digit += 1) {
    const all = placesOf(images, digit, digit).map((place) => ({ place, rank: random() }));
    places.push(...all.sort((one, other) => one.rank - other.rank).slice(0, Math.max(1, Math.round(each))).map(({ place }) => place));
  }
  return imagesAt(images, places);
}
