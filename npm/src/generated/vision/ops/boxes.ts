// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Boxes: their formats, their areas, and the limits of an image. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { toFloat } from '../../../vision/host.js';
import {
  centerToCorner, cornerToCenter, cornerToCorners, cornersToCorner,
} from '../ops/rotated.js';

/** The coordinates that describe a box. */
export type BoxFormat = 'xyxy' | 'xywh' | 'cxcywh' | 'xywhr' | 'cxcywhr' | 'xyxyxyxy';

/** The columns `first` to `last` of boxes, which is excluded. */
export function coordinates(boxes: Tensor, first: number, last: number): Tensor {
  return boxes.narrow(-1, first, last - first);
}

/** Refuses boxes that do not have `count` coordinates. */
export function checkBoxes(op: string, name: string, boxes: Tensor, count: number): void {
  if (boxes.ndim === 0 || boxes.shape[boxes.ndim - 1]! !== count) {
    const shape = boxes.shape;
    throw failure(
      'shape',
      op,
      `${name} must have ${count} coordinates for each box, and has shape [${shape.join(', ')}]`,
    );
  }
}

/** Whether boxes of a format are aligned with the axes. */
export function isAligned(fmt: BoxFormat): boolean {
  return fmt === 'xyxy' || fmt === 'xywh' || fmt === 'cxcywh';
}

/**
 * The areas of boxes, as `torchvision.ops.box_area`.
 *
 * `boxes` has the shape `[.., 4]` in the format `fmt`, which is not a rotated one; the result has
 * the shape `[..]`.
 *
 * @throws `shape` if the boxes do not have four coordinates; `argument` for a rotated format.
 *
 * @example
 * const boxes = tensor([1, 1, 4, 3]).reshape([1, 4]);
 * await ops.boxArea(boxes, 'xyxy').item(); // 6
 */
export function boxArea(boxes: TensorLike, fmt?: BoxFormat): Tensor;
export function boxArea(boxes: TensorLike, options?: { fmt?: BoxFormat }): Tensor;
export function boxArea(...args: unknown[]): Tensor {
  const [boxes, fmt = 'xyxy'] = bind('boxArea boxes:tensor fmt:=xyxy|xywh|cxcywh|xywhr|cxcywhr|xyxyxyxy?', args) as [Tensor, BoxFormat | undefined];
  return scope(() => {
    checkBoxes('box_area', 'boxes', boxes, 4);
    if (!isAligned(fmt)) throw failure('argument', 'box_area', 'fmt must be xyxy, xywh or cxcywh');
    const boxes2 = upcast(boxes);
    if (fmt === 'xyxy') {
      const width = boxes2.select(-1, 2).sub(boxes2.select(-1, 0));
      return width.mul(boxes2.select(-1, 3).sub(boxes2.select(-1, 1)));
    }
    return boxes2.select(-1, 2).mul(boxes2.select(-1, 3));
  });
}

/**
 * The boxes in a type whose products do not overflow: float32 or float64 for floats, and int32
 * otherwise.
 */
export function upcast(boxes: Tensor): Tensor {
  return scope(() => {
    const dtype = boxes.dtype;
    if (dtype === 'float32' || dtype === 'float64' || dtype === 'int32' || dtype === 'int64') {
      return boxes;
    }
    if (dtype === 'float16' || dtype === 'bfloat16') return boxes.to('float32');
    return boxes.to('int32');
  });
}

/**
 * Boxes in another format, as `torchvision.ops.box_convert`.
 *
 * `boxes` has the shape `[.., k]` in the format `inFmt`, with four coordinates for a box along
 * the axes, and five or eight for a rotated one; the result is in the format `outFmt`.
 *
 * @throws `shape` if the boxes have another number of coordinates; `argument` if one format is rotated and
 * the other is not.
 *
 * @example
 * const boxes = tensor([1, 1, 4, 3]).reshape([1, 4]);
 * const sizes = ops.boxConvert(boxes, 'xyxy', 'xywh');
 * await sizes.tolist(); // [1, 1, 3, 2]
 */
export function boxConvert(boxes: TensorLike, inFmt: BoxFormat, outFmt: BoxFormat): Tensor;
export function boxConvert(...args: unknown[]): Tensor {
  const [boxes, inFmt, outFmt] = bind('boxConvert boxes:tensor inFmt:=xyxy|xywh|cxcywh|xywhr|cxcywhr|xyxyxyxy outFmt:=xyxy|xywh|cxcywh|xywhr|cxcywhr|xyxyxyxy', args) as [Tensor, BoxFormat, BoxFormat];
  return scope(() => {
    let count: number;
    if (inFmt === 'xyxyxyxy') count = 8;
    else if (inFmt === 'xywhr' || inFmt === 'cxcywhr') count = 5;
    else {
      count = 4;
    }
    checkBoxes('box_convert', 'boxes', boxes, count);
    if (inFmt === outFmt) return boxes;
    if (isAligned(inFmt) !== isAligned(outFmt)) {
      const message = 'converts neither rotated boxes to boxes along the axes nor the reverse';
      throw failure('argument', 'box_convert', message);
    }
    if (isAligned(inFmt)) return fromCorners(toCorners(boxes, inFmt), outFmt);
    let corner: Tensor;
    if (inFmt === 'cxcywhr') corner = centerToCorner(boxes);
    else if (inFmt === 'xyxyxyxy') corner = cornersToCorner(boxes);
    else {
      corner = boxes;
    }
    if (outFmt === 'cxcywhr') return cornerToCenter(corner);
    if (outFmt === 'xyxyxyxy') return cornerToCorners(corner);
    return corner;
  });
}

/** The corners of boxes along the axes. */
export function toCorners(boxes: Tensor, fmt: BoxFormat): Tensor {
  return scope(() => {
    const [position, size] = [coordinates(boxes, 0, 2), coordinates(boxes, 2, 4)];
    if (fmt === 'xywh') return torch.cat([position, position.add(size)], -1);
    if (fmt === 'cxcywh') {
      const half = toFloat(size).mul(0.5);
      return torch.cat([position.sub(half), position.add(half)], -1);
    }
    return boxes;
  });
}

/** Boxes by their corners in another format. */
function fromCorners(corners: Tensor, fmt: BoxFormat): Tensor {
  return scope(() => {
    const [low, high] = [coordinates(corners, 0, 2), coordinates(corners, 2, 4)];
    const size = high.sub(low);
    if (fmt === 'xywh') return torch.cat([low, size], -1);
    if (fmt === 'cxcywh') {
      const center = toFloat(low.add(high)).mul(0.5);
      return torch.cat([center, toFloat(size)], -1);
    }
    return corners;
  });
}

/**
 * Boxes with their corners inside of an image, as `torchvision.ops.clip_boxes_to_image`.
 *
 * `boxes` has the shape `[.., 4]` with corners, and `size` is the height and the width.
 *
 * @throws `shape` if the boxes do not have four coordinates; `argument` if `size` does not have two
 * numbers.
 *
 * @example
 * const boxes = tensor([-1, 2, 9, 5]).reshape([1, 4]);
 * const inside = ops.clipBoxesToImage(boxes, [4, 8]);
 * await inside.tolist(); // [0, 2, 8, 4]
 */
export function clipBoxesToImage(boxes: TensorLike, size: number | readonly number[]): Tensor;
export function clipBoxesToImage(...args: unknown[]): Tensor {
  const [boxes, size] = bind('clipBoxesToImage boxes:tensor size:ints', args) as [Tensor, readonly number[]];
  return scope(() => {
    checkBoxes('clip_boxes_to_image', 'boxes', boxes, 4);
    if (size.length !== 2) {
      throw failure('argument', 'clip_boxes_to_image', 'size is the height and the width');
    }
    const parts = boxes.unbind(-1);
    const clipped = [
      parts[0]!.clampMin(0).clampMax(size[1]!),
      parts[1]!.clampMin(0).clampMax(size[0]!),
      parts[2]!.clampMin(0).clampMax(size[1]!),
      parts[3]!.clampMin(0).clampMax(size[0]!),
    ];
    return torch.stack(clipped, -1);
  });
}

/**
 * The indices of the boxes whose sides are both at least `minSize`, as
 * `torchvision.ops.remove_small_boxes`.
 *
 * `boxes` has the shape `[n, 4]` with corners; the result has int32. The sizes are read, and the
 * result is awaited.
 *
 * @throws `shape` if the boxes do not have four coordinates.
 *
 * @example
 * const boxes = tensor([0, 0, 1, 9, 0, 0, 5, 5]).reshape([2, 4]);
 * const large = await ops.removeSmallBoxes(boxes, 2);
 * await large.tolist(); // [1]
 */
export function removeSmallBoxes(boxes: TensorLike, minSize: number): Promise<Tensor>;
export async function removeSmallBoxes(...args: unknown[]): Promise<Tensor> {
  const [boxes, minSize] = bind('removeSmallBoxes boxes:tensor minSize:number', args) as [Tensor, number];
  checkBoxes('remove_small_boxes', 'boxes', boxes, 4);
  const sizes = coordinates(boxes, 2, 4).sub(coordinates(boxes, 0, 2));
  const isLarge = sizes.amin(-1).ge(minSize);
  const indices = await isLarge.nonzero();
  return indices.select(1, 0);
}

/**
 * The boxes around masks, as `torchvision.ops.masks_to_boxes`.
 *
 * `masks` has the shape `[n, h, w]`; the result has the shape `[n, 4]` with corners in float32.
 * The box of a mask without an element is all zeros.
 *
 * @throws `shape` if the masks do not have three dimensions.
 *
 * @example
 * const masks = tensor([0, 0, 0, 0, 1, 1]).reshape([1, 2, 3]);
 * await ops.masksToBoxes(masks).tolist(); // [1, 1, 2, 1]
 */
export function masksToBoxes(masks: TensorLike): Tensor;
export function masksToBoxes(...args: unknown[]): Tensor {
  const [masks] = bind('masksToBoxes masks:tensor', args) as [Tensor];
  return scope(() => {
    if (masks.ndim !== 3) {
      const shape = masks.shape;
      throw failure(
        'shape',
        'masks_to_boxes',
        `masks must have three dimensions, and have shape [${shape.join(', ')}]`,
      );
    }
    const shape = masks.shape;
    if (masks.numel === 0) return torch.full([0, 4], 0, { dtype: 'float32' });
    const isSet = masks.ne(0);
    const [hasRow, hasColumn] = [isSet.any(2), isSet.any(1)];
    const [rows, columns] = [hasRow.to('float32'), hasColumn.to('float32')];
    const limits = [
      columns.argmax(1),
      rows.argmax(1),
      columns.flip(1).argmax(1).neg().add(shape[2]! - 1),
      rows.flip(1).argmax(1).neg().add(shape[1]! - 1),
    ];
    const boxes = torch.stack(limits, 1).to('float32');
    return boxes.mul(hasRow.any(1, true).to('float32'));
  });
}
