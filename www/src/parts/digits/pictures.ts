/**
 * Small images that a network makes, such as filters and feature maps, on their way to the page.
 */
import type { Tensor } from 'lanthorn';
import { readValues } from '../training/worker';

/** Small images, concatenated. */
export interface Pictures {
  count: number;
  side: number;
  values: Float32Array;
}

/** Reads `[.., side, side]`, and disposes of it. */
export async function picturesOf(images: Tensor): Promise<Pictures> {
  const side = images.shape.at(-1)!;
  const values = await readValues(images);
  return { count: values.length / side ** 2, side, values };
}
