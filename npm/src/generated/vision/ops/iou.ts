// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The overlap of each box of a set with each box of another one. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { toFloat } from '../../../vision/host.js';
import {
  boxArea, checkBoxes, coordinates, isAligned, toCorners, upcast, type BoxFormat,
} from '../ops/boxes.js';

/** Quantities of pairs of boxes, each of the shape `[.., n, m]`. */
export class Pairs {
  /** @internal */
  readonly intersection!: Tensor;
  /** @internal */
  readonly union!: Tensor;
  /** @internal */
  readonly width!: Tensor;
  /** @internal */
  readonly height!: Tensor;
}

/** Boxes of both sets with a dimension for the other one. */
function pairUp(boxes1: Tensor, boxes2: Tensor): [Tensor, Tensor] {
  return scope(() => [boxes1.unsqueeze(-2), boxes2.unsqueeze(-3)]);
}

/** The intersections, the unions, and the size of the box around each pair, of corners. */
function pairs(op: string, boxes1: Tensor, boxes2: Tensor): Pairs {
  return scope(() => {
    checkBoxes(op, 'boxes1', boxes1, 4);
    checkBoxes(op, 'boxes2', boxes2, 4);
    const [first, second] = pairUp(boxes1, boxes2);
    const [low1, high1] = [coordinates(first, 0, 2), coordinates(first, 2, 4)];
    const [low2, high2] = [coordinates(second, 0, 2), coordinates(second, 2, 4)];
    const inner = upcast(high1.minimum(high2).sub(low1.maximum(low2))).clampMin(0);
    const outer = upcast(high1.maximum(high2).sub(low1.minimum(low2))).clampMin(0);
    const intersection = inner.select(-1, 0).mul(inner.select(-1, 1));
    const areas1 = boxArea(boxes1, 'xyxy').unsqueeze(-1);
    const areas2 = boxArea(boxes2, 'xyxy').unsqueeze(-2);
    const union = areas1.add(areas2).sub(intersection);
    return make(
      Pairs,
      { intersection, union, width: outer.select(-1, 0), height: outer.select(-1, 1) },
    );
  });
}

/**
 * The area of the intersection of each pair of boxes divided by the area of their union, as
 * `torchvision.ops.box_iou`.
 *
 * `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both in the format `fmt`; the result
 * has the shape `[.., n, m]`.
 *
 * @throws `shape` if the boxes do not have four coordinates; `argument` for a rotated format.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2, 0, 0, 2, 1]).reshape([2, 4]);
 * const iou = ops.boxIou(boxes, boxes, 'xyxy');
 * await iou.tolist(); // [1, 0.5, 0.5, 1]
 */
export function boxIou(boxes1: TensorLike, boxes2: TensorLike, fmt?: BoxFormat): Tensor;
export function boxIou(boxes1: TensorLike, boxes2: TensorLike, options?: { fmt?: BoxFormat }): Tensor;
export function boxIou(...args: unknown[]): Tensor {
  const [boxes1, boxes2, fmt = 'xyxy'] = bind('boxIou boxes1:tensor boxes2:tensor fmt:=xyxy|xywh|cxcywh|xywhr|cxcywhr|xyxyxyxy?', args) as [Tensor, Tensor, BoxFormat | undefined];
  return scope(() => {
    if (!isAligned(fmt)) throw failure('argument', 'box_iou', 'fmt must be xyxy, xywh or cxcywh');
    checkBoxes('box_iou', 'boxes1', boxes1, 4);
    checkBoxes('box_iou', 'boxes2', boxes2, 4);
    const pairs2 = pairs('box_iou', toCorners(boxes1, fmt), toCorners(boxes2, fmt));
    return pairs2.intersection.div(pairs2.union);
  });
}

/**
 * The generalized overlap of each pair of boxes, as `torchvision.ops.generalized_box_iou`: their
 * `boxIou` without the part of the box around both that neither covers.
 *
 * `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both with corners; the result has
 * the shape `[.., n, m]`.
 *
 * Source: Rezatofighi et al., "Generalized Intersection over Union" (2019).
 *
 * @throws `shape` if the boxes do not have four coordinates.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2]).reshape([1, 4]);
 * await ops.generalizedBoxIou(boxes, boxes).item(); // 1
 */
export function generalizedBoxIou(boxes1: TensorLike, boxes2: TensorLike): Tensor;
export function generalizedBoxIou(...args: unknown[]): Tensor {
  const [boxes1, boxes2] = bind('generalizedBoxIou boxes1:tensor boxes2:tensor', args) as [Tensor, Tensor];
  return scope(() => {
    const pairs2 = pairs('generalized_box_iou', boxes1, boxes2);
    const hull = pairs2.width.mul(pairs2.height);
    const rest = hull.sub(pairs2.union).div(hull);
    return pairs2.intersection.div(pairs2.union).sub(rest);
  });
}

/**
 * The overlap of each pair of boxes without the distance of their centers, as
 * `torchvision.ops.distance_box_iou`: the square of the distance is divided by the square of the
 * diagonal of the box around both.
 *
 * `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both with corners; the result has
 * the shape `[.., n, m]`. `eps` is added to the square of the diagonal.
 *
 * Source: Zheng et al., "Distance-IoU Loss" (2020).
 *
 * @throws `shape` if the boxes do not have four coordinates.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2]).reshape([1, 4]);
 * await ops.distanceBoxIou(boxes, boxes, 1e-7).item(); // 1
 */
export function distanceBoxIou(boxes1: TensorLike, boxes2: TensorLike, eps?: number): Tensor;
export function distanceBoxIou(boxes1: TensorLike, boxes2: TensorLike, options?: { eps?: number }): Tensor;
export function distanceBoxIou(...args: unknown[]): Tensor {
  const [boxes1, boxes2, eps = 1e-7] = bind('distanceBoxIou boxes1:tensor boxes2:tensor eps:number?', args) as [Tensor, Tensor, number | undefined];
  const [distance] = distances('distance_box_iou', boxes1, boxes2, eps);
  return distance;
}

/** The overlaps with and without the distance of the centers. */
function distances(op: string, boxes1: Tensor, boxes2: Tensor, eps: number): [Tensor, Tensor] {
  return scope(() => {
    const pairs2 = pairs(op, boxes1, boxes2);
    const iou = pairs2.intersection.div(pairs2.union);
    const diagonal = toFloat(pairs2.width.square().add(pairs2.height.square())).add(eps);
    const [first, second] = pairUp(toFloat(boxes1), toFloat(boxes2));
    const center1 = coordinates(first, 0, 2).add(coordinates(first, 2, 4)).mul(0.5);
    const center2 = coordinates(second, 0, 2).add(coordinates(second, 2, 4)).mul(0.5);
    const distance = center1.sub(center2).square().sum(-1);
    return [iou.sub(distance.div(diagonal)), iou];
  });
}

/**
 * The overlap of each pair of boxes without the distance of their centers and without the
 * difference of their aspect ratios, as `torchvision.ops.complete_box_iou`.
 *
 * `boxes1` has the shape `[.., n, 4]`, `boxes2` `[.., m, 4]`, both with corners; the result has
 * the shape `[.., n, m]`. `eps` prevents divisions by zero.
 *
 * Source: Zheng et al., "Distance-IoU Loss" (2020).
 *
 * @throws `shape` if the boxes do not have four coordinates.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2]).reshape([1, 4]);
 * await ops.completeBoxIou(boxes, boxes, 1e-7).item(); // 1
 */
export function completeBoxIou(boxes1: TensorLike, boxes2: TensorLike, eps?: number): Tensor;
export function completeBoxIou(boxes1: TensorLike, boxes2: TensorLike, options?: { eps?: number }): Tensor;
export function completeBoxIou(...args: unknown[]): Tensor {
  const [boxes1, boxes2, eps = 1e-7] = bind('completeBoxIou boxes1:tensor boxes2:tensor eps:number?', args) as [Tensor, Tensor, number | undefined];
  return scope(() => {
    const [distance, iou] = distances('complete_box_iou', boxes1, boxes2, eps);
    const [first, second] = pairUp(toFloat(boxes1), toFloat(boxes2));
    const difference = aspect(first).sub(aspect(second));
    const term = difference.square().mul(4 / (Math.PI * Math.PI));
    const weight = ratioWeight(term, iou, eps);
    return distance.sub(weight.mul(term));
  });
}

/** The angle of the aspect ratio of boxes by their corners. */
export function aspect(boxes: Tensor): Tensor {
  return scope(() => {
    const size = coordinates(boxes, 2, 4).sub(coordinates(boxes, 0, 2));
    return size.select(-1, 0).div(size.select(-1, 1)).atan();
  });
}

/** The weight of the aspect ratio's term, which has no gradient. */
export function ratioWeight(term: Tensor, iou: Tensor, eps: number): Tensor {
  return scope(() => {
    const term2 = term.detach();
    const rest = iou.detach().rsub(1);
    return term2.div(rest.add(term2).add(eps));
  });
}
