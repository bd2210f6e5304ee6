// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Random parts of pictures that contain enough of a box. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import { Random, floatTensor, readNumbers } from '../../../vision/host.js';
import { boxConvert } from '../ops/boxes.js';
import { canvasOf, cropItem } from '../transforms/items.js';
import type { TvTensor } from '../tv-tensors.js';

/** A part of a picture. */
export class Part {
  /** @internal */
  readonly top!: number;
  /** @internal */
  readonly left!: number;
  /** @internal */
  readonly height!: number;
  /** @internal */
  readonly width!: number;
}

/** The boxes whose centers are in a part: 1 for each of them, and 0 for the others. */
function centersInside(corners: readonly number[], part: Part): readonly number[] {
  const inside: number[] = [];
  for (let index = 0; index < Math.trunc(corners.length / 4); index++) {
    const x = 0.5 * (corners[4 * index]! + corners[4 * index + 2]!);
    const y = 0.5 * (corners[4 * index + 1]! + corners[4 * index + 3]!);
    const isAcross = part.left < x && x < part.left + part.width;
    const isDown = part.top < y && y < part.top + part.height;
    inside.push(isAcross && isDown ? 1 : 0);
  }
  return inside;
}

/** The largest overlap of a part with the boxes that are inside. */
function largestOverlap(corners: readonly number[], inside: readonly number[], part: Part): number {
  let largest = 0;
  for (let index = 0; index < inside.length; index++) {
    const [x1, y1] = [corners[4 * index]!, corners[4 * index + 1]!];
    const [x2, y2] = [corners[4 * index + 2]!, corners[4 * index + 3]!];
    const across = Math.min(x2, part.left + part.width) - Math.max(x1, part.left);
    const down = Math.min(y2, part.top + part.height) - Math.max(y1, part.top);
    const common = Math.max(across, 0) * Math.max(down, 0);
    const union = (x2 - x1) * (y2 - y1) + part.width * part.height - common;
    if (inside[index]! > 0 && union > 0) largest = Math.max(common / union, largest);
  }
  return largest;
}

/**
 * A random part of a sample that overlaps a box, as `torchvision.transforms.v2.RandomIoUCrop`.
 * Boxes whose centers are outside become zeros. The boxes are read, and the result is awaited, so
 * it is no step of `Compose`.
 *
 * Source: Liu et al., "SSD: Single Shot MultiBox Detector" (2016).
 *
 * @example
 * const boxes = tensor([2, 2, 6, 6]).reshape([1, 4]);
 * const crop2 = new transforms.RandomIoUCrop(0.5, 1, 0.5, 2, [0, 0.5], 40);
 */
export class RandomIoUCrop {
  /** @internal */
  readonly minScale!: number;
  /** @internal */
  readonly maxScale!: number;
  /** @internal */
  readonly minAspectRatio!: number;
  /** @internal */
  readonly maxAspectRatio!: number;
  /** @internal */
  readonly samplerOptions!: readonly number[];
  /** @internal */
  readonly trials!: number;

  constructor(minScale?: number, maxScale?: number, minAspectRatio?: number, maxAspectRatio?: number, samplerOptions?: number | readonly number[], trials?: number);
  constructor(options?: { minScale?: number; maxScale?: number; minAspectRatio?: number; maxAspectRatio?: number; samplerOptions?: number | readonly number[]; trials?: number });
  constructor(...args: unknown[]) {
    const [minScale = 0.3, maxScale = 1, minAspectRatio = 0.5, maxAspectRatio = 2, samplerOptions = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1], trials = 40] = bind('RandomIoUCrop minScale:number? maxScale:number? minAspectRatio:number? maxAspectRatio:number? samplerOptions:numbers? trials:int?', args) as [number | undefined, number | undefined, number | undefined, number | undefined, readonly number[] | undefined, number | undefined];
    Object.assign(this, RandomIoUCrop.of(minScale, maxScale, minAspectRatio, maxAspectRatio, samplerOptions, trials));
  }

  /** @internal */
  static of(minScale: number, maxScale: number, minAspectRatio: number, maxAspectRatio: number, samplerOptions: readonly number[], trials: number): RandomIoUCrop {
    if (samplerOptions.length === 0 || minScale > maxScale || minAspectRatio > maxAspectRatio) {
      const message = 'the ranges must be in order, and sampler_options must have a number';
      throw failure('argument', 'RandomIoUCrop', message);
    }
    const samplerOptions2 = samplerOptions;
    return make(
      RandomIoUCrop,
      {
        minScale,
        maxScale,
        minAspectRatio,
        maxAspectRatio,
        samplerOptions: samplerOptions2,
        trials,
      },
    );
  }

  /** @internal */
  draw(random: Random, rows: number, columns: number): Part | undefined {
    const width = Math.trunc(columns * random.uniform(this.minScale, this.maxScale));
    const height = Math.trunc(rows * random.uniform(this.minScale, this.maxScale));
    const left = Math.trunc((columns - width) * random.uniform(0, 1));
    const top = Math.trunc((rows - height) * random.uniform(0, 1));
    if (width < 1 || height < 1) return undefined;
    const ratio = width / height;
    if (ratio < this.minAspectRatio || ratio > this.maxAspectRatio) return undefined;
    return make(Part, { top, left, height, width });
  }

  /**
   * The part of a sample that has boxes. Choices follow from the generator of the device.
   *
   * @throws `argument` if the sample has no boxes.
   */
  forwardSample(sample: readonly TvTensor[]): Promise<readonly TvTensor[]>;
  async forwardSample(...args: unknown[]): Promise<readonly TvTensor[]> {
    const [sample] = bind('RandomIoUCrop.forwardSample sample:list', args) as [readonly TvTensor[]];
    const [rows, columns] = canvasOf('RandomIoUCrop', sample);
    const corners: number[] = [];
    for (const item of sample) {
      if (item.kind === 'bounding_boxes') {
        const boxes = boxConvert(item.data, item.format, 'xyxy');
        const own = await readNumbers(boxes);
        corners.push(...own);
      }
    }
    if (corners.length === 0) throw failure('argument', 'RandomIoUCrop', 'sample must have boxes');
    const random = Random.drawFrom(sample[0]!.data);
    for (let step = 0; step < 1000; step++) {
      const least = this.samplerOptions[random.below(this.samplerOptions.length)]!;
      if (least >= 1) return sample;
      for (let step = 0; step < this.trials; step++) {
        const part = this.draw(random, rows, columns);
        if (part !== undefined) {
          const inside = centersInside(corners, part);
          if (inside.includes(1) && largestOverlap(corners, inside, part) >= least) {
            return cropSample(sample, inside, part);
          }
        }
      }
    }
    return sample;
  }
}

/** A part of a sample, with zeros for the boxes that are not inside. */
function cropSample(sample: readonly TvTensor[], inside: readonly number[], part: Part): readonly TvTensor[] {
  return scope(() => {
    const [top, left] = [Math.trunc(part.top), Math.trunc(part.left)];
    const [height, width] = [Math.trunc(part.height), Math.trunc(part.width)];
    const made: TvTensor[] = [];
    let first = 0;
    for (const item of sample) {
      const cropped = cropItem(item, top, left, height, width);
      if (item.kind === 'bounding_boxes') {
        const count = Math.trunc(item.data.numel / 4);
        const kept = floatTensor(inside.slice(first, first + count), [count, 1], item.data);
        const flat = cropped.data.reshape([-1, 4]).mul(kept);
        made.push(cropped.withData(flat.to(item.data.dtype).reshape(item.data.shape)));
        first += count;
      } else {
        made.push(cropped);
      }
    }
    return made;
  });
}
