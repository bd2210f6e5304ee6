// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Changes of positions, of each kind of tensor in a sample. */
import { failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { floatTensor, toFloat } from '../../../vision/host.js';
import { boxConvert } from '../ops/boxes.js';
import { partOf } from '../transforms/functional/crop.js';
import type { InterpolationMode } from '../transforms/functional/meta.js';
import { padEnds, withBorder, type ImagePadding } from '../transforms/functional/pad.js';
import { interpolateTo } from '../transforms/functional/resize.js';
import {
  displace, identityGrid, sampleAffine, samplePerspective,
} from '../transforms/functional/warp.js';
import { expandSize, invertMatrix } from '../transforms/functional/warp-matrix.js';
import { isPicture } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/** The height and the width of a sample's pictures. */
export function canvasOf(op: string, sample: readonly TvTensor[]): [number, number] {
  return scope(() => {
    for (const item of sample) {
      if (item.kind === 'bounding_boxes') return [item.canvasSize[0]!, item.canvasSize[1]!];
      if (item.kind !== 'other') {
        const [shape, rank] = [item.data.shape, item.data.ndim];
        return [shape[rank - 2]!, shape[rank - 1]!];
      }
    }
    throw failure('argument', op, 'sample must have a picture, a mask or boxes');
  });
}

/** A mask as a picture with one channel, and any other element as it is. */
function pictureOf(item: TvTensor): Tensor {
  return scope(() => {
    if (item.kind === 'mask') return item.data.unsqueeze(-3);
    return item.data;
  });
}

/** An element with a changed picture of `pictureOf`. */
function withPicture(item: TvTensor, picture: Tensor): TvTensor {
  return scope(() => {
    if (item.kind === 'mask') return item.withData(picture.squeeze(-3));
    return item.withData(picture);
  });
}

/**
 * Boxes whose corners a function moves, in a picture of another size. The result are the boxes
 * around the moved corners, inside of the picture.
 */
function withBoxes(item: TvTensor, height: number, width: number, change: (a: Tensor, b: Tensor) => [Tensor, Tensor]): TvTensor {
  return scope(() => {
    const corners = toFloat(boxConvert(item.data, item.format, 'xyxy'));
    const parts = corners.unbind(-1);
    const leftRight: [Tensor, Tensor, Tensor, Tensor] = [
      parts[0]!,
      parts[2]!,
      parts[2]!,
      parts[0]!,
    ];
    const topBottom: [Tensor, Tensor, Tensor, Tensor] = [
      parts[1]!,
      parts[1]!,
      parts[3]!,
      parts[3]!,
    ];
    const [x, y] = change(torch.stack(leftRight, -1), torch.stack(topBottom, -1));
    const [x2, y2] = [x.clampMin(0).clampMax(width), y.clampMin(0).clampMax(height)];
    const limits: [Tensor, Tensor, Tensor, Tensor] = [
      x2.amin(-1),
      y2.amin(-1),
      x2.amax(-1),
      y2.amax(-1),
    ];
    const boxes = boxConvert(torch.stack(limits, -1), 'xyxy', item.format);
    return item.withCanvas(boxes.to(item.data.dtype), height, width);
  });
}

/** An element mirrored from left to right, or from top to bottom. */
export function flipItem(item: TvTensor, isHorizontal: boolean): TvTensor {
  return scope(() => {
    const kind = item.kind;
    if (kind === 'other') return item;
    if (kind === 'bounding_boxes') {
      const [height, width] = [item.canvasSize[0]!, item.canvasSize[1]!];
      if (isHorizontal) return withBoxes(item, height, width, (x, y) => [x.neg().add(width), y]);
      return withBoxes(item, height, width, (x, y) => [x, y.neg().add(height)]);
    } else {
      return item.withData(item.data.flip(isHorizontal ? -1 : -2));
    }
  });
}

/** An element of another size. Masks take the nearest pixel. */
export function resizeItem(item: TvTensor, rows: number, columns: number, interpolation: InterpolationMode, antialias: boolean): TvTensor {
  return scope(() => {
    const kind = item.kind;
    switch (kind) {
      case 'other': return item;
      case 'bounding_boxes': {
        const across = columns / item.canvasSize[1]!;
        const down = rows / item.canvasSize[0]!;
        return withBoxes(item, rows, columns, (x, y) => [x.mul(across), y.mul(down)]);
      }
      case 'mask': {
        const made = interpolateTo(pictureOf(item), rows, columns, 'nearest', false);
        return withPicture(item, made);
      }
      default:
        return item.withData(interpolateTo(item.data, rows, columns, interpolation, antialias));
    }
  });
}

/** A part of an element. */
export function cropItem(item: TvTensor, top: number, left: number, height: number, width: number): TvTensor {
  return scope(() => {
    const kind = item.kind;
    if (kind === 'other') return item;
    if (kind === 'bounding_boxes') {
      return withBoxes(item, height, width, (x, y) => [x.sub(left), y.sub(top)]);
    }
    return item.withData(partOf(item.data, top, left, height, width));
  });
}

/** An element with a border of pixels on the left, the right, the top and the bottom. */
export function padItem(op: string, item: TvTensor, ends: readonly number[], fill: readonly number[], paddingMode: ImagePadding): TvTensor {
  return scope(() => {
    const kind = item.kind;
    switch (kind) {
      case 'other': return item;
      case 'bounding_boxes': {
        if (paddingMode !== 'constant') {
          throw failure('argument', op, 'padding_mode must be constant for boxes');
        }
        const height = item.canvasSize[0]! + ends[2]! + ends[3]!;
        const width = item.canvasSize[1]! + ends[0]! + ends[1]!;
        const [left, top] = [ends[0]!, ends[2]!];
        return withBoxes(item, height, width, (x, y) => [x.add(left), y.add(top)]);
      }
      case 'mask': {
        if (paddingMode === 'constant') return item.withData(padEnds(item.data, ends));
        return withPicture(item, withBorder(op, pictureOf(item), ends, [], paddingMode));
      }
      default: return item.withData(withBorder(op, item.data, ends, fill, paddingMode));
    }
  });
}

/**
 * An element by an affine map from the result to the picture, relative to the middle. With
 * `expand` the result holds the whole mapped picture.
 */
export function mapItem(op: string, item: TvTensor, matrix: readonly number[], interpolation: InterpolationMode, expand: boolean, fill: readonly number[] | undefined): TvTensor {
  return scope(() => {
    const kind = item.kind;
    switch (kind) {
      case 'other': return item;
      case 'bounding_boxes': return mapBoxes(item, matrix, expand);
      case 'mask': {
        const picture = pictureOf(item);
        const made = sampleAffine(op, picture, matrix, 'nearest', undefined, expand);
        return withPicture(item, made);
      }
      default:
        return item.withData(sampleAffine(op, item.data, matrix, interpolation, fill, expand));
    }
  });
}

function mapBoxes(item: TvTensor, matrix: readonly number[], expand: boolean): TvTensor {
  return scope(() => {
    const [rows, columns] = [item.canvasSize[0]!, item.canvasSize[1]!];
    const map = invertMatrix(matrix);
    const [halfWidth, halfHeight] = [0.5 * columns, 0.5 * rows];
    const [height, width] = expand ? expandSize(matrix, rows, columns) : [rows, columns];
    let right = halfWidth;
    let down = halfHeight;
    if (expand) {
      right = Math.abs(map[0]! * halfWidth) + Math.abs(map[1]! * halfHeight) - map[2]!;
      down = Math.abs(map[3]! * halfWidth) + Math.abs(map[4]! * halfHeight) - map[5]!;
    }
    return withBoxes(item, height, width, (x, y) => {
      const [x2, y2] = [x.sub(halfWidth), y.sub(halfHeight)];
      const across = x2.mul(map[0]!).add(y2.mul(map[1]!)).add(map[2]! + right);
      const along = x2.mul(map[3]!).add(y2.mul(map[4]!)).add(map[5]! + down);
      return [across, along];
    });
  });
}

/** An element by a perspective map from the result to the picture. */
export function projectItem(op: string, item: TvTensor, map: readonly number[], interpolation: InterpolationMode, fill: readonly number[] | undefined): TvTensor {
  return scope(() => {
    const kind = item.kind;
    switch (kind) {
      case 'other': return item;
      case 'bounding_boxes': return projectBoxes(item, map);
      case 'mask': {
        const made = samplePerspective(op, pictureOf(item), map, undefined, 'nearest');
        return withPicture(item, made);
      }
      default: return item.withData(samplePerspective(op, item.data, map, fill, interpolation));
    }
  });
}

/** Boxes by the inverse of a perspective map: the adjugate of its matrix. */
function projectBoxes(item: TvTensor, map: readonly number[]): TvTensor {
  return scope(() => {
    const [a, b, c, d] = [map[0]!, map[1]!, map[2]!, map[3]!];
    const [e, f, g, h] = [map[4]!, map[5]!, map[6]!, map[7]!];
    const top: [number, number, number] = [e - f * h, c * h - b, b * f - c * e];
    const middle: [number, number, number] = [f * g - d, a - c * g, c * d - a * f];
    const bottom: [number, number, number] = [d * h - e * g, b * g - a * h, a * e - b * d];
    return withBoxes(item, item.canvasSize[0]!, item.canvasSize[1]!, (x, y) => {
      const depth = x.mul(bottom[0]).add(y.mul(bottom[1])).add(bottom[2]);
      const across = x.mul(top[0]).add(y.mul(top[1])).add(top[2]);
      const along = x.mul(middle[0]).add(y.mul(middle[1])).add(middle[2]);
      return [across.div(depth), along.div(depth)];
    });
  });
}

/**
 * An element with displaced pixels. A corner of a box moves against the displacement at its pixel.
 */
export function deformItem(op: string, item: TvTensor, displacement: Tensor, interpolation: InterpolationMode, fill: readonly number[] | undefined): TvTensor {
  return scope(() => {
    const kind = item.kind;
    switch (kind) {
      case 'other': return item;
      case 'bounding_boxes': {
        const [height, width] = [item.canvasSize[0]!, item.canvasSize[1]!];
        const blank = floatTensor([0], [1, 1, 1], displacement).expand([1, height, width]);
        const positions = identityGrid(blank).sub(displacement).reshape([-1, 2]);
        return withBoxes(item, height, width, (x, y) => {
          const column = x.ceil().clampMin(0).clampMax(width - 1);
          const row = y.ceil().clampMin(0).clampMax(height - 1);
          const index = row.mul(width).add(column).to('int32');
          const found = positions.indexSelect(0, index.flatten(0, -1));
          const across = found.select(1, 0).add(1).mul(0.5 * width).sub(0.5);
          const along = found.select(1, 1).add(1).mul(0.5 * height).sub(0.5);
          return [across.reshape(x.shape), along.reshape(y.shape)];
        });
      }
      case 'mask': {
        const made = displace(op, pictureOf(item), displacement, undefined, 'nearest');
        return withPicture(item, made);
      }
      default: return item.withData(displace(op, item.data, displacement, fill, interpolation));
    }
  });
}

/** The first picture of a sample. */
export function firstPicture(op: string, sample: readonly TvTensor[]): Tensor {
  return scope(() => {
    for (const item of sample) {
      if (isPicture(item)) return item.data;
    }
    throw failure('argument', op, 'sample must have a picture');
  });
}
