// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Tensors with their kinds, as `torchvision.tv_tensors`.
 *
 * A transform of a sample changes each tensor as its kind requires: a mask is not interpolated,
 * and boxes move with the picture. A tensor with its kind is one type rather than a class for each
 * kind, because a sample is then a list in both languages.
 */
import { bind, failure, make } from '../../library/support.js';
import type { Tensor, TensorLike } from '../../tensor/tensor.js';
import type { BoxFormat } from './ops/boxes.js';

/** The kind of a tensor in a sample. */
export type TvKind = 'image' | 'video' | 'mask' | 'bounding_boxes' | 'other';

/** A tensor with its kind, and for boxes their format and the size of their picture. */
export class TvTensor {
  /** The tensor. */
  readonly data!: Tensor;
  /** The kind. */
  readonly kind!: TvKind;
  /** The format of boxes. */
  readonly format!: BoxFormat;
  /** The height and the width of the picture that boxes are in; empty for other kinds. */
  readonly canvasSize!: readonly number[];

  /** Another tensor of this kind, for transforms of a program's own. */
  withData(data: TensorLike): TvTensor;
  withData(...args: unknown[]): TvTensor {
    const [data] = bind('TvTensor.withData data:tensor', args) as [Tensor];
    return make(TvTensor, { ...this, data });
  }

  /** @internal */
  withCanvas(data: Tensor, height: number, width: number): TvTensor {
    return make(TvTensor, { ...this, data, canvasSize: [height, width] });
  }
}

function plain(data: Tensor, kind: TvKind): TvTensor {
  return make(TvTensor, { data, kind, format: 'xyxy', canvasSize: [] });
}

/**
 * A picture `[.., C, H, W]`, as `torchvision.tv_tensors.Image`.
 *
 * @throws `shape` if it has fewer than three dimensions.
 *
 * @example
 * tvTensors.image(ones([3, 4, 4])).data.numel; // 48
 */
export function image(data: TensorLike): TvTensor;
export function image(...args: unknown[]): TvTensor {
  const [data] = bind('image data:tensor', args) as [Tensor];
  checkRank('image', data, 3);
  return plain(data, 'image');
}

/**
 * Pictures in a sequence, `[.., T, C, H, W]`, as `torchvision.tv_tensors.Video`.
 *
 * @throws `shape` if it has fewer than four dimensions.
 *
 * @example
 * tvTensors.video(ones([2, 3, 4, 4])).data.numel; // 96
 */
export function video(data: TensorLike): TvTensor;
export function video(...args: unknown[]): TvTensor {
  const [data] = bind('video data:tensor', args) as [Tensor];
  checkRank('video', data, 4);
  return plain(data, 'video');
}

/**
 * Labels of pixels, `[.., H, W]`, as `torchvision.tv_tensors.Mask`.
 *
 * @throws `shape` if it has fewer than two dimensions.
 *
 * @example
 * tvTensors.mask(ones([4, 4])).data.numel; // 16
 */
export function mask(data: TensorLike): TvTensor;
export function mask(...args: unknown[]): TvTensor {
  const [data] = bind('mask data:tensor', args) as [Tensor];
  checkRank('mask', data, 2);
  return plain(data, 'mask');
}

/**
 * Boxes `[.., 4]` in a picture of the height and the width `canvasSize`, as
 * `torchvision.tv_tensors.BoundingBoxes`.
 *
 * @throws `shape` if the boxes do not have four coordinates; `argument` for a rotated format, or if
 * `canvasSize` does not have two numbers.
 *
 * @example
 * const boxes = tvTensors.boundingBoxes(ones([2, 4]), 'xywh', [8, 6]);
 * boxes.canvasSize; // [8, 6]
 */
export function boundingBoxes(data: TensorLike, format: BoxFormat, canvasSize: number | readonly number[]): TvTensor;
export function boundingBoxes(...args: unknown[]): TvTensor {
  const [data, format, canvasSize] = bind('boundingBoxes data:tensor format:=xyxy|xywh|cxcywh|xywhr|cxcywhr|xyxyxyxy canvasSize:ints', args) as [Tensor, BoxFormat, readonly number[]];
  if (data.ndim === 0 || data.shape[data.ndim - 1]! !== 4) {
    const shape = data.shape;
    const message = `data must have four coordinates for each box, and has shape [${shape.join(', ')}]`;
    throw failure('shape', 'bounding_boxes', message);
  }
  if (format !== 'xyxy' && format !== 'xywh' && format !== 'cxcywh') {
    throw failure('argument', 'bounding_boxes', 'format must be xyxy, xywh or cxcywh');
  }
  if (canvasSize.length !== 2) {
    throw failure('argument', 'bounding_boxes', 'canvas_size must be the height and the width');
  }
  return make(TvTensor, { data, kind: 'bounding_boxes', format, canvasSize });
}

/**
 * A tensor that transforms leave as it is, such as labels of whole pictures.
 *
 * @example
 * tvTensors.other(ones([2])).kind; // 'other'
 */
export function other(data: TensorLike): TvTensor;
export function other(...args: unknown[]): TvTensor {
  const [data] = bind('other data:tensor', args) as [Tensor];
  return plain(data, 'other');
}

function checkRank(op: string, data: Tensor, rank: number): void {
  if (data.ndim < rank) {
    const message = `data must have at least ${rank} dimensions, and has shape [${data.shape.join(', ')}]`;
    throw failure('shape', op, message);
  }
}
