// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Boxes, masks and points on a picture. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { arange, floatTensor, isFloat, toFloat } from '../../../vision/host.js';

/** The color of the object `index`, if none is given: torchvision's palette. */
function palette(index: number): readonly number[] {
  const index2 = index;
  return [index2 * 33554431 % 255, index2 * 32767 % 255, index2 * 2097151 % 255];
}

/** A color for each object, from 0 to 255: one for all, one for each, or the palette. */
function colorsOf(op: string, colors: readonly (readonly number[])[] | undefined, count: number): readonly (readonly number[])[] {
  const made: (readonly number[])[] = [];
  for (let index = 0; index < count; index++) {
    if (colors !== undefined) made.push(colorAt(op, colors, colors.length === 1 ? 0 : index));
    else {
      made.push(palette(index));
    }
  }
  return made;
}

function colorAt(op: string, colors: readonly (readonly number[])[], index: number): readonly number[] {
  if (index >= colors.length || colors[index]!.length !== 3) {
    throw failure(
      'argument',
      op,
      'colors must be one list of red, green and blue, or one for each object',
    );
  }
  return colors[index]!;
}

/** Refuses a tensor that is no single picture of bytes or floats. */
function checkPicture(op: string, img: Tensor): void {
  if (img.ndim !== 3 || img.shape[0]! !== 1 && img.shape[0]! !== 3) {
    throw failure(
      'shape',
      op,
      `image must have shape [1 or 3, H, W], and has [${img.shape.join(', ')}]`,
    );
  }
  if (img.dtype !== 'uint8' && !isFloat(img.dtype)) {
    throw failure('dtype', op, `image must be uint8 or floating point, and is ${img.dtype}`);
  }
}

/** A picture with three channels as floats from 0 to 255. */
function canvas(img: Tensor): Tensor {
  return scope(() => {
    const values = toFloat(img);
    const scaled = isFloat(img.dtype) ? values.mul(255) : values;
    if (img.shape[0]! === 3) return scaled;
    return torch.cat([scaled, scaled, scaled]);
  });
}

/** The drawn values in the type of the picture. */
function finish(drawn: Tensor, img: Tensor): Tensor {
  return scope(() => {
    if (isFloat(img.dtype)) return drawn.mul(1 / 255).to(img.dtype);
    return drawn.to(img.dtype);
  });
}

/** A picture with `share` of a color where a mask `[H, W]` is set. */
function paintOver(drawn: Tensor, isSet: Tensor, color: readonly number[], share: number): Tensor {
  return scope(() => {
    const paint = floatTensor(color, [3, 1, 1], drawn);
    const mixed = share === 1 ? paint : drawn.mul(1 - share).add(paint.mul(share));
    return torch.where(isSet, mixed, drawn);
  });
}

/** The numbers of the columns, `[1, W]`, and of the rows, `[H, 1]`. */
function positions(drawn: Tensor): [Tensor, Tensor] {
  return scope(() => {
    const [height, width] = [drawn.shape[1]!, drawn.shape[2]!];
    return [arange(width, drawn).unsqueeze(0), arange(height, drawn).unsqueeze(1)];
  });
}

/** The pixels from a box's corners, `margin` pixels further inside. */
function within(x: Tensor, y: Tensor, corners: readonly Tensor[], margin: number): Tensor {
  return scope(() => {
    const across = x.ge(corners[0]!.add(margin)).logicalAnd(x.le(corners[2]!.sub(margin)));
    const down = y.ge(corners[1]!.add(margin)).logicalAnd(y.le(corners[3]!.sub(margin)));
    return across.logicalAnd(down);
  });
}

/**
 * A picture with boxes, as `torchvision.utils.draw_bounding_boxes`, without labels.
 *
 * `image` has the shape `[1 or 3, H, W]`, `boxes` the shape `[n, 4]` with corners; the result has
 * three channels. `colors` are lists of red, green and blue from 0 to 255: one for all boxes or
 * one for each, by default torchvision's palette. With `fill` the inside is painted, too. `width`
 * is the width of the lines.
 *
 * @throws `shape` if the shapes do not fit; `dtype` if the picture is neither uint8 nor floating point;
 * `argument` if there are too few colors.
 *
 * @example
 * const boxes = tensor([1, 1, 3, 3]).reshape([1, 4]);
 * const white = [[255, 255, 255]];
 * const drawn = utils.drawBoundingBoxes(zeros([1, 5, 5]), boxes, white, false, 1);
 * await drawn.select(0, 0).sum().item(); // 8
 */
export function drawBoundingBoxes(image: TensorLike, boxes: TensorLike, colors?: readonly (readonly number[])[] | null, fill?: boolean, width?: number): Tensor;
export function drawBoundingBoxes(image: TensorLike, boxes: TensorLike, options?: { colors?: readonly (readonly number[])[] | null; fill?: boolean; width?: number }): Tensor;
export function drawBoundingBoxes(...args: unknown[]): Tensor {
  const [image2, boxes, colors, fill = false, width = 1] = bind('drawBoundingBoxes image:tensor boxes:tensor colors:list? fill:bool? width:int?', args) as [Tensor, Tensor, readonly (readonly number[])[] | undefined, boolean | undefined, number | undefined];
  return scope(() => {
    checkPicture('draw_bounding_boxes', image2);
    if (boxes.ndim !== 2 || boxes.shape[1]! !== 4) {
      const message = `boxes must have shape [n, 4], and have [${boxes.shape.join(', ')}]`;
      throw failure('shape', 'draw_bounding_boxes', message);
    }
    const count = boxes.shape[0]!;
    const paints = colorsOf('draw_bounding_boxes', colors, count);
    let drawn = canvas(image2);
    const [x, y] = positions(drawn);
    const limits = toFloat(boxes).trunc();
    for (let index = 0; index < count; index++) {
      const corners = limits.select(0, index).unbind();
      const isInside = within(x, y, corners, width);
      const isBox = within(x, y, corners, 0);
      if (fill) drawn = paintOver(drawn, isInside, paints[index]!, 100 / 255);
      drawn = paintOver(drawn, isBox.logicalAnd(isInside.logicalNot()), paints[index]!, 1);
    }
    return finish(drawn, image2);
  });
}

/**
 * A picture with colored masks, as `torchvision.utils.draw_segmentation_masks`.
 *
 * `image` has the shape `[3, H, W]`, and `masks` the shape `[n, H, W]` or `[H, W]`. `alpha` is the
 * share of a mask's color; where masks overlap, it is black. `colors` are lists of red, green and
 * blue from 0 to 255: one for all masks or one for each, by default torchvision's palette.
 *
 * @throws `shape` if the shapes do not fit; `dtype` if the picture is neither uint8 nor floating point;
 * `argument` if there are too few colors.
 *
 * @example
 * const masks = tensor([1, 0]).reshape([1, 2]).gt(0.5);
 * const red = [[255, 0, 0]];
 * const drawn = utils.drawSegmentationMasks(zeros([3, 1, 2]), masks, 1, red);
 * await drawn.select(0, 0).tolist(); // [1, 0]
 */
export function drawSegmentationMasks(image: TensorLike, masks: TensorLike, alpha?: number, colors?: readonly (readonly number[])[] | null): Tensor;
export function drawSegmentationMasks(image: TensorLike, masks: TensorLike, options?: { alpha?: number; colors?: readonly (readonly number[])[] | null }): Tensor;
export function drawSegmentationMasks(...args: unknown[]): Tensor {
  const [image2, masks, alpha = 0.8, colors] = bind('drawSegmentationMasks image:tensor masks:tensor alpha:number? colors:list?', args) as [Tensor, Tensor, number | undefined, readonly (readonly number[])[] | undefined];
  return scope(() => {
    checkPicture('draw_segmentation_masks', image2);
    const all = masks.ndim === 2 ? masks.unsqueeze(0) : masks;
    const [own, other2] = [image2.shape, all.shape];
    if (own[0]! !== 3 || other2.length !== 3 || other2[1]! !== own[1]! || other2[2]! !== own[2]!) {
      const message = `image must have shape [3, H, W] and masks [n, H, W], and they have [${own.join(', ')}] and [${other2.join(', ')}]`;
      throw failure('shape', 'draw_segmentation_masks', message);
    }
    const paints = colorsOf('draw_segmentation_masks', colors, other2[0]!);
    const base = canvas(image2);
    const isSet = all.ne(0);
    let drawn = base;
    for (let index = 0; index < other2[0]!; index++) {
      drawn = paintOver(drawn, isSet.select(0, index), paints[index]!, 1);
    }
    const overlaps = isSet.to('float32').sum(0).gt(1);
    drawn = paintOver(drawn, overlaps, [0, 0, 0], 1);
    return finish(base.mul(1 - alpha).add(drawn.mul(alpha)), image2);
  });
}

/**
 * A picture with points and the lines between them, as `torchvision.utils.draw_keypoints`. A disc
 * has the pixels within `radius`, and a line those within half of `width`, so edges differ from
 * Pillow's by a pixel.
 *
 * `image` has the shape `[3, H, W]`, and `keypoints` the shape `[n, k, 2]` with `x, y`.
 * `connectivity` are pairs of points of an object that a white line connects. `color` is red,
 * green and blue from 0 to 255, by default white. A point is left out if its element of
 * `visibility`, `[n, k]`, is 0.
 *
 * @throws `shape` if the shapes do not fit; `dtype` if the picture is neither uint8 nor floating point;
 * `argument` if a pair or a color does not fit.
 *
 * @example
 * const point = tensor([2, 2]).reshape([1, 1, 2]);
 * const drawn = utils.drawKeypoints(zeros([3, 5, 5]), point, [], undefined, 1, 3);
 * await drawn.select(0, 0).sum().item(); // 5
 */
export function drawKeypoints(image: TensorLike, keypoints: TensorLike, connectivity: readonly (readonly number[])[], color?: number | readonly number[] | null, radius?: number, width?: number, visibility?: TensorLike | null): Tensor;
export function drawKeypoints(image: TensorLike, keypoints: TensorLike, connectivity: readonly (readonly number[])[], options?: { color?: number | readonly number[] | null; radius?: number; width?: number; visibility?: TensorLike | null }): Tensor;
export function drawKeypoints(...args: unknown[]): Tensor {
  const [image2, keypoints, connectivity, color, radius = 2, width = 3, visibility] = bind('drawKeypoints image:tensor keypoints:tensor connectivity:list color:numbers? radius:number? width:number? visibility:tensor?', args) as [Tensor, Tensor, readonly (readonly number[])[], readonly number[] | undefined, number | undefined, number | undefined, Tensor | undefined];
  return scope(() => {
    checkPicture('draw_keypoints', image2);
    if (keypoints.ndim !== 3 || keypoints.shape[2]! !== 2) {
      const message = `keypoints must have shape [n, k, 2], and have [${keypoints.shape.join(', ')}]`;
      throw failure('shape', 'draw_keypoints', message);
    }
    const [count, points] = [keypoints.shape[0]!, keypoints.shape[1]!];
    const white = [255, 255, 255];
    let paint: readonly number[];
    if (color !== undefined) paint = color;
    else {
      paint = white;
    }
    if (paint.length !== 3
      || connectivity.some((pair) => pair.length !== 2 || pair[0]! >= points || pair[1]! >= points)) {
      const message = `color must be red, green and blue, and connectivity pairs of ${points} points`;
      throw failure('argument', 'draw_keypoints', message);
    }
    let shown: Tensor;
    if (visibility !== undefined) shown = visibility.ne(0).reshape([count, points]);
    else {
      shown = keypoints.select(2, 0).onesLike().ne(0);
    }
    let drawn = canvas(image2);
    const [x, y] = positions(drawn);
    const all = toFloat(keypoints).trunc();
    for (let index = 0; index < count; index++) {
      const [own, isShown] = [all.select(0, index), shown.select(0, index)];
      for (let point = 0; point < points; point++) {
        const position = own.select(0, point).unbind();
        const distance = x.sub(position[0]!).square().add(y.sub(position[1]!).square());
        const isDisc = distance.le(radius * radius).logicalAnd(isShown.select(0, point));
        drawn = paintOver(drawn, isDisc, paint, 1);
      }
      for (const pair of connectivity) {
        const [from, to] = [own.select(0, pair[0]!), own.select(0, pair[1]!)];
        const both2 = isShown.select(0, pair[0]!).logicalAnd(isShown.select(0, pair[1]!));
        const isLine = segment(x, y, from.unbind(), to.unbind(), width * 0.5).logicalAnd(both2);
        drawn = paintOver(drawn, isLine, white, 1);
      }
    }
    return finish(drawn, image2);
  });
}

/** The pixels within a distance of the line from one point to another. */
function segment(x: Tensor, y: Tensor, from: readonly Tensor[], to: readonly Tensor[], reach: number): Tensor {
  return scope(() => {
    const [across, down] = [to[0]!.sub(from[0]!), to[1]!.sub(from[1]!)];
    const [right, below] = [x.sub(from[0]!), y.sub(from[1]!)];
    const length = across.square().add(down.square()).clampMin(1e-6);
    const along = right.mul(across).add(below.mul(down)).div(length).clampMin(0).clampMax(1);
    const [offX, offY] = [right.sub(along.mul(across)), below.sub(along.mul(down))];
    return offX.square().add(offY.square()).le(reach * reach);
  });
}
