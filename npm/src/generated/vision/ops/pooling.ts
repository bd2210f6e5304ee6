// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The values of regions of feature maps. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { arange } from '../../../vision/host.js';

/**
 * Boxes of each image of a batch as regions: `[k, 5]` with the image's index before the corners.
 *
 * `boxes[i]` has the shape `[k_i, 4]` with the corners of the boxes of image `i`. A region is an
 * argument of `roiAlign` and the other functions of regions.
 *
 * @throws `shape` if the boxes do not have four coordinates; `argument` if the list is empty.
 *
 * @example
 * const boxes = ones([1, 4]);
 * const regions = ops.convertBoxesToRoiFormat([boxes, boxes]);
 * await regions.select(1, 0).tolist(); // [0, 1]
 */
export function convertBoxesToRoiFormat(boxes: readonly Tensor[]): Tensor;
export function convertBoxesToRoiFormat(...args: unknown[]): Tensor {
  const [boxes] = bind('convertBoxesToRoiFormat boxes:tensors', args) as [readonly Tensor[]];
  return scope(() => {
    if (boxes.length === 0) {
      throw failure(
        'argument',
        'convert_boxes_to_roi_format',
        'boxes must have a tensor for each image',
      );
    }
    const regions: Tensor[] = [];
    for (const [index, own] of boxes.entries()) {
      if (own.ndim !== 2 || own.shape[1]! !== 4) {
        const shape = own.shape;
        const message = `boxes must have shape [k, 4] for each image, and boxes[${index}] has shape [${shape.join(', ')}]`;
        throw failure('shape', 'convert_boxes_to_roi_format', message);
      }
      const image2 = own.narrow(1, 0, 1).fullLike(index, { dtype: 'float32' });
      regions.push(torch.cat([image2, own], 1));
    }
    return torch.cat(regions);
  });
}

/** The two numbers of an output size. */
function pair(op: string, outputSize: readonly number[]): [number, number] {
  const isValid = (outputSize.length === 1 || outputSize.length === 2)
    && outputSize.every((size) => size > 0);
  if (!isValid) throw failure('argument', op, 'output_size must be one or two positive numbers');
  return [outputSize[0]!, outputSize[outputSize.length - 1]!];
}

function checkRegions(op: string, input: Tensor, boxes: Tensor): void {
  if (input.ndim !== 4 || boxes.ndim !== 2 || boxes.shape[1]! !== 5) {
    const [own, other2] = [input.shape, boxes.shape];
    const message = `input must have shape [n, c, h, w] and boxes [k, 5], and they have [${own.join(', ')}] and [${other2.join(', ')}]`;
    throw failure('shape', op, message);
  }
}

/**
 * The mean of the input in a grid of bins within each region, as `torchvision.ops.roi_align`.
 *
 * `input` has the shape `[n, c, h, w]`, and `boxes` the shape `[k, 5]` with the index of the image
 * before the corners (see `convertBoxesToRoiFormat`); the result has the shape `[k, c,
 * *output_size]`. Corners are multiplied by `spatial_scale`. In each bin the input is interpolated
 * at `samplingRatio` points along each dimension, or if that is not positive at as many as a bin
 * has elements, rounded up. With `aligned` a position is the position of an element's center.
 *
 * Source: He et al., "Mask R-CNN" (2017).
 *
 * @throws `shape` if the shapes do not fit; `argument` if `outputSize` is not one or two positive
 * numbers.
 *
 * @example
 * const x = tensor([1, 2, 3, 4]).reshape([1, 1, 2, 2]);
 * const boxes = tensor([0, 0, 0, 2, 2]).reshape([1, 5]);
 * await ops.roiAlign(x, boxes, [1], 1, 2, true).item(); // 2.5
 */
export function roiAlign(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], spatialScale?: number, samplingRatio?: number, aligned?: boolean): Tensor;
export function roiAlign(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], options?: { spatialScale?: number; samplingRatio?: number; aligned?: boolean }): Tensor;
export function roiAlign(...args: unknown[]): Tensor {
  const [input, boxes, outputSize, spatialScale = 1, samplingRatio = -1, aligned = false] = bind('roiAlign input:tensor boxes:tensor outputSize:ints spatialScale:number? samplingRatio:int? aligned:bool?', args) as [Tensor, Tensor, readonly number[], number | undefined, number | undefined, boolean | undefined];
  checkRegions('roi_align', input, boxes);
  const [height, width] = pair('roi_align', outputSize);
  return input.roiAlign(boxes, [height, width], spatialScale, samplingRatio, aligned);
}

/**
 * The mean of the input in each bin of each region, each bin from separate channels, as
 * `torchvision.ops.ps_roi_align`.
 *
 * `input` has the shape `[n, c * ph * pw, h, w]`, where `ph, pw` is `outputSize`, and `boxes` the
 * shape `[k, 5]`; the result has the shape `[k, c, ph, pw]`. The other arguments are as in
 * `roiAlign`.
 *
 * Source: Li et al., "Light-Head R-CNN" (2017).
 *
 * @throws `shape` if the shapes do not fit; `argument` if `outputSize` is not one or two positive
 * numbers.
 *
 * @example
 * const x = ones([1, 4, 3, 3]);
 * const boxes = tensor([0, 0, 0, 2, 2]).reshape([1, 5]);
 * ops.psRoiAlign(x, boxes, [2], 1, 2).shape; // [1, 1, 2, 2]
 */
export function psRoiAlign(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], spatialScale?: number, samplingRatio?: number): Tensor;
export function psRoiAlign(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], options?: { spatialScale?: number; samplingRatio?: number }): Tensor;
export function psRoiAlign(...args: unknown[]): Tensor {
  const [input, boxes, outputSize, spatialScale = 1, samplingRatio = -1] = bind('psRoiAlign input:tensor boxes:tensor outputSize:ints spatialScale:number? samplingRatio:int?', args) as [Tensor, Tensor, readonly number[], number | undefined, number | undefined];
  return scope(() => {
    checkRegions('ps_roi_align', input, boxes);
    const [height, width] = pair('ps_roi_align', outputSize);
    const channels = checkChannels('ps_roi_align', input, height, width);
    const [count, ph, pw] = [boxes.shape[0]!, height, width];
    const all = input.roiAlign(boxes, [ph, pw], spatialScale, samplingRatio, true);
    const grouped = all.reshape([count, channels, ph, pw, ph, pw]);
    return grouped.diagonal(0, 2, 4).diagonal(0, 2, 3);
  });
}

/** The number of channels of a result whose bins have channels of their own. */
function checkChannels(op: string, input: Tensor, height: number, width: number): number {
  const channels = input.shape[1]!;
  if (channels % (height * width) !== 0) {
    const message = `input must have a multiple of ${height} * ${width} channels, and has ${channels}`;
    throw failure('shape', op, message);
  }
  return Math.trunc(channels / (height * width));
}

/** The elements of the bins along one dimension, and a mask of them: `[k, bins, size]`. */
export class Bins {
  /** @internal */
  readonly isInside!: Tensor;
  /** @internal */
  readonly count!: Tensor;
}

/** The bins from the corners `first` and `last`, `[k]`. An end is at most `limit`. */
function bins(start: Tensor, length: Tensor, count: number, size: number, limit: number): Bins {
  return scope(() => {
    const step = length.mul(1 / count).unsqueeze(-1);
    const index = arange(count, start);
    const start2 = start.unsqueeze(-1);
    const low = step.mul(index).floor().add(start2).clampMin(0).clampMax(limit);
    const high = step.mul(index.add(1)).ceil().add(start2).clampMin(0).clampMax(limit);
    const position = arange(size, start2);
    const [from, to] = [low.unsqueeze(-1), high.unsqueeze(-1)];
    const isInside = position.ge(from).logicalAnd(position.lt(to));
    return make(Bins, { isInside, count: high.sub(low).clampMin(0) });
  });
}

/** The images of regions: `[k, c, h, w]`. */
function images(input: Tensor, boxes: Tensor): Tensor {
  return scope(() => input.indexSelect(0, boxes.select(1, 0).to('int32')));
}

/** Positions rounded half away from zero. */
function roundAway(x: Tensor): Tensor {
  return scope(() => x.abs().add(0.5).floor().mul(x.sign()));
}

/**
 * The largest element of the input in each bin of each region, as `torchvision.ops.roi_pool`.
 *
 * `input` has the shape `[n, c, h, w]`, and `boxes` the shape `[k, 5]` with the index of the image
 * before the corners; the result has the shape `[k, c, *output_size]`. Corners are multiplied by
 * `spatialScale` and rounded. A bin without an element has the value 0.
 *
 * Source: Girshick, "Fast R-CNN" (2015).
 *
 * @throws `shape` if the shapes do not fit; `argument` if `outputSize` is not one or two positive
 * numbers.
 *
 * @example
 * const x = tensor([1, 2, 3, 4]).reshape([1, 1, 2, 2]);
 * const boxes = tensor([0, 0, 0, 1, 0]).reshape([1, 5]);
 * await ops.roiPool(x, boxes, [1], 1).item(); // 2
 */
export function roiPool(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], spatialScale?: number): Tensor;
export function roiPool(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], options?: { spatialScale?: number }): Tensor;
export function roiPool(...args: unknown[]): Tensor {
  const [input, boxes, outputSize, spatialScale = 1] = bind('roiPool input:tensor boxes:tensor outputSize:ints spatialScale:number?', args) as [Tensor, Tensor, readonly number[], number | undefined];
  return scope(() => {
    checkRegions('roi_pool', input, boxes);
    const [height, width] = pair('roi_pool', outputSize);
    const corners = roundAway(boxes.narrow(1, 1, 4).mul(spatialScale)).unbind(1);
    const across = corners[2]!.sub(corners[0]!).add(1).clampMin(1);
    const down = corners[3]!.sub(corners[1]!).add(1).clampMin(1);
    const [rows, columns] = [input.shape[2]!, input.shape[3]!];
    const horizontal = bins(corners[0]!, across, width, columns, columns);
    const vertical = bins(corners[1]!, down, height, rows, rows);
    const x = images(input, boxes);
    const isColumn = horizontal.isInside.unsqueeze(1).unsqueeze(1);
    const across2 = torch.where(isColumn, x.unsqueeze(3), -Infinity).amax(-1);
    const isRow = vertical.isInside.unsqueeze(1).unsqueeze(-1);
    const most = torch.where(isRow, across2.unsqueeze(2), -Infinity).amax(3);
    const isEmpty = emptyBins(vertical, horizontal);
    return torch.where(isEmpty, 0, most);
  });
}

/** Whether a bin has no element: `[k, 1, ph, pw]`. */
function emptyBins(vertical: Bins, horizontal: Bins): Tensor {
  return scope(() => {
    const [down, across] = [vertical.count.unsqueeze(-1), horizontal.count.unsqueeze(1)];
    return down.mul(across).eq(0).unsqueeze(1);
  });
}

/**
 * The mean of the input in each bin of each region, each bin from separate channels and of whole
 * elements, as `torchvision.ops.ps_roi_pool`.
 *
 * `input` has the shape `[n, c * ph * pw, h, w]`, where `ph, pw` is `outputSize`, and `boxes` the
 * shape `[k, 5]`; the result has the shape `[k, c, ph, pw]`. Corners are multiplied by
 * `spatialScale` and rounded. A bin without an element has the value 0.
 *
 * Source: Dai et al., "R-FCN" (2016).
 *
 * @throws `shape` if the shapes do not fit; `argument` if `outputSize` is not one or two positive
 * numbers.
 *
 * @example
 * const x = ones([1, 4, 5, 5]);
 * const boxes = tensor([0, 0, 0, 3, 3]).reshape([1, 5]);
 * const y = ops.psRoiPool(x, boxes, [2], 1);
 * await y.tolist(); // [1, 1, 1, 1]
 */
export function psRoiPool(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], spatialScale?: number): Tensor;
export function psRoiPool(input: TensorLike, boxes: TensorLike, outputSize: number | readonly number[], options?: { spatialScale?: number }): Tensor;
export function psRoiPool(...args: unknown[]): Tensor {
  const [input, boxes, outputSize, spatialScale = 1] = bind('psRoiPool input:tensor boxes:tensor outputSize:ints spatialScale:number?', args) as [Tensor, Tensor, readonly number[], number | undefined];
  return scope(() => {
    checkRegions('ps_roi_pool', input, boxes);
    const [height, width] = pair('ps_roi_pool', outputSize);
    const channels = checkChannels('ps_roi_pool', input, height, width);
    const corners = roundAway(boxes.narrow(1, 1, 4).mul(spatialScale)).unbind(1);
    const [across, down] = [
      corners[2]!.sub(corners[0]!).clampMin(0.1),
      corners[3]!.sub(corners[1]!).clampMin(0.1),
    ];
    const [rows, columns] = [input.shape[2]!, input.shape[3]!];
    const horizontal = bins(corners[0]!, across, width, columns, columns - 1);
    const vertical = bins(corners[1]!, down, height, rows, rows - 1);
    const [count, ph, pw] = [boxes.shape[0]!, height, width];
    const sizes: [number, number, number, number, number, number] = [
      count,
      channels,
      ph,
      pw,
      rows,
      columns,
    ];
    const x = images(input, boxes).reshape(sizes);
    const isRow = vertical.isInside.reshape([count, 1, ph, 1, rows, 1]);
    const isColumn = horizontal.isInside.reshape([count, 1, 1, pw, 1, columns]);
    const total = torch.where(isRow.logicalAnd(isColumn), x, 0).sum([4, 5]);
    const area = vertical.count.unsqueeze(-1).mul(horizontal.count.unsqueeze(1));
    return total.div(area.clampMin(1).unsqueeze(1));
  });
}

/**
 * The convolution of the input at displaced positions, as `torchvision.ops.deform_conv2d`.
 *
 * `input` has the shape `[n, c, h, w]`, and `weight` the shape `[c_out, c / groups, kh, kw]`.
 * `offset` has the displacements `y, x` of each element of the kernel for each position of the
 * result, `[n, 2 * offset_groups * kh * kw, h_out, w_out]`, and `mask` a factor for each, `[n,
 * offset_groups * kh * kw, h_out, w_out]`. `stride`, `padding` and `dilation` are one or two
 * numbers.
 *
 * Source: Zhu et al., "Deformable ConvNets v2" (2019).
 *
 * @throws `shape` if the shapes do not fit; `argument` for a stride, padding or dilation that is not one
 * or two numbers.
 *
 * @example
 * const x = ones([1, 1, 3, 3]);
 * const offset = zeros([1, 2, 3, 3]);
 * const weight = ones([1, 1, 1, 1]);
 * const y = ops.deformConv2d(x, offset, weight, undefined, [1], [0], [1]);
 * await y.sum().item(); // 9
 */
export function deformConv2d(input: TensorLike, offset: TensorLike, weight: TensorLike, bias?: TensorLike | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], mask?: TensorLike | null): Tensor;
export function deformConv2d(input: TensorLike, offset: TensorLike, weight: TensorLike, options?: { bias?: TensorLike | null; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; mask?: TensorLike | null }): Tensor;
export function deformConv2d(...args: unknown[]): Tensor {
  const [input, offset, weight, bias, stride = [1], padding = [0], dilation = [1], mask2] = bind('deformConv2d input:tensor offset:tensor weight:tensor bias:tensor? stride:ints? padding:ints? dilation:ints? mask:tensor?', args) as [Tensor, Tensor, Tensor, Tensor | undefined, readonly number[] | undefined, readonly number[] | undefined, readonly number[] | undefined, Tensor | undefined];
  return input.deformConv2d(offset, weight, bias, stride, padding, dilation, mask2);
}
