// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Losses of boxes and of their classes. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { toFloat } from '../../../vision/host.js';
import { checkBoxes, coordinates } from '../ops/boxes.js';
import { aspect, ratioWeight } from '../ops/iou.js';

/** Quantities of boxes and of the boxes with the same index, each of the shape `[..]`. */
export class Matched {
  /** @internal */
  readonly intersection!: Tensor;
  /** @internal */
  readonly union!: Tensor;
  /** @internal */
  readonly width!: Tensor;
  /** @internal */
  readonly height!: Tensor;
}

function matchBoxes(op: string, boxes1: Tensor, boxes2: Tensor): Matched {
  return scope(() => {
    checkBoxes(op, 'boxes1', boxes1, 4);
    checkBoxes(op, 'boxes2', boxes2, 4);
    const [low1, high1] = [coordinates(boxes1, 0, 2), coordinates(boxes1, 2, 4)];
    const [low2, high2] = [coordinates(boxes2, 0, 2), coordinates(boxes2, 2, 4)];
    const inner = high1.minimum(high2).sub(low1.maximum(low2)).clampMin(0);
    const outer = high1.maximum(high2).sub(low1.minimum(low2));
    const intersection = inner.prod(-1);
    const [area1, area2] = [high1.sub(low1).prod(-1), high2.sub(low2).prod(-1)];
    const union = area1.add(area2).sub(intersection);
    return make(
      Matched,
      { intersection, union, width: outer.select(-1, 0), height: outer.select(-1, 1) },
    );
  });
}

/** The losses reduced to a result; the mean of no losses is zero. */
function reduceLosses(losses: Tensor, reduction: 'mean' | 'none' | 'sum'): Tensor {
  return scope(() => {
    if (reduction === 'mean' && losses.numel > 0) return losses.mean();
    if (reduction === 'none') return losses;
    return losses.sum();
  });
}

/**
 * 1 without the generalized overlap of boxes, as `torchvision.ops.generalized_box_iou_loss`.
 *
 * `boxes1` and `boxes2` have one shape, `[.., 4]`, with corners; the losses have the shape `[..]`.
 * `eps` prevents divisions by zero.
 *
 * Source: Rezatofighi et al., "Generalized Intersection over Union" (2019).
 *
 * @throws `shape` if the boxes do not have four coordinates.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2]).reshape([1, 4]);
 * const other2 = tensor([0, 0, 2, 1]).reshape([1, 4]);
 * const loss = ops.generalizedBoxIouLoss(boxes, other2, 'mean', 0);
 * await loss.item(); // 0.5
 */
export function generalizedBoxIouLoss(boxes1: TensorLike, boxes2: TensorLike, reduction?: 'mean' | 'none' | 'sum', eps?: number): Tensor;
export function generalizedBoxIouLoss(boxes1: TensorLike, boxes2: TensorLike, options?: { reduction?: 'mean' | 'none' | 'sum'; eps?: number }): Tensor;
export function generalizedBoxIouLoss(...args: unknown[]): Tensor {
  const [boxes1, boxes2, reduction = 'none', eps = 1e-7] = bind('generalizedBoxIouLoss boxes1:tensor boxes2:tensor reduction:=mean|none|sum? eps:number?', args) as [Tensor, Tensor, 'mean' | 'none' | 'sum' | undefined, number | undefined];
  return scope(() => {
    const pair = matchBoxes('generalized_box_iou_loss', toFloat(boxes1), toFloat(boxes2));
    const iou = pair.intersection.div(pair.union.add(eps));
    const hull = pair.width.mul(pair.height);
    const rest = hull.sub(pair.union).div(hull.add(eps));
    return reduceLosses(iou.rsub(1).add(rest), reduction);
  });
}

/** The losses of the distance of centers, and the overlaps. */
function distanceLosses(op: string, boxes1: Tensor, boxes2: Tensor, eps: number): [Tensor, Tensor] {
  return scope(() => {
    const pair = matchBoxes(op, boxes1, boxes2);
    const iou = pair.intersection.div(pair.union.add(eps));
    const diagonal = pair.width.square().add(pair.height.square()).add(eps);
    const center1 = coordinates(boxes1, 0, 2).add(coordinates(boxes1, 2, 4)).mul(0.5);
    const center2 = coordinates(boxes2, 0, 2).add(coordinates(boxes2, 2, 4)).mul(0.5);
    const distance = center1.sub(center2).square().sum(-1);
    return [iou.rsub(1).add(distance.div(diagonal)), iou];
  });
}

/**
 * 1 without the overlap of boxes, and the distance of their centers, as
 * `torchvision.ops.distance_box_iou_loss`.
 *
 * `boxes1` and `boxes2` have one shape, `[.., 4]`, with corners; the losses have the shape `[..]`.
 * `eps` prevents divisions by zero.
 *
 * Source: Zheng et al., "Distance-IoU Loss" (2020).
 *
 * @throws `shape` if the boxes do not have four coordinates.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2]).reshape([1, 4]);
 * const loss = ops.distanceBoxIouLoss(boxes, boxes, 'sum', 0);
 * await loss.item(); // 0
 */
export function distanceBoxIouLoss(boxes1: TensorLike, boxes2: TensorLike, reduction?: 'mean' | 'none' | 'sum', eps?: number): Tensor;
export function distanceBoxIouLoss(boxes1: TensorLike, boxes2: TensorLike, options?: { reduction?: 'mean' | 'none' | 'sum'; eps?: number }): Tensor;
export function distanceBoxIouLoss(...args: unknown[]): Tensor {
  const [boxes1, boxes2, reduction = 'none', eps = 1e-7] = bind('distanceBoxIouLoss boxes1:tensor boxes2:tensor reduction:=mean|none|sum? eps:number?', args) as [Tensor, Tensor, 'mean' | 'none' | 'sum' | undefined, number | undefined];
  return scope(() => {
    const [losses] = distanceLosses('distance_box_iou_loss', toFloat(boxes1), toFloat(boxes2), eps);
    return reduceLosses(losses, reduction);
  });
}

/**
 * 1 without the overlap of boxes, the distance of their centers and the difference of their aspect
 * ratios, as `torchvision.ops.complete_box_iou_loss`.
 *
 * `boxes1` and `boxes2` have one shape, `[.., 4]`, with corners; the losses have the shape `[..]`.
 * `eps` prevents divisions by zero.
 *
 * Source: Zheng et al., "Distance-IoU Loss" (2020).
 *
 * @throws `shape` if the boxes do not have four coordinates.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2]).reshape([1, 4]);
 * const loss = ops.completeBoxIouLoss(boxes, boxes, 'sum', 1e-7);
 * await loss.item() < 1e-6; // true
 */
export function completeBoxIouLoss(boxes1: TensorLike, boxes2: TensorLike, reduction?: 'mean' | 'none' | 'sum', eps?: number): Tensor;
export function completeBoxIouLoss(boxes1: TensorLike, boxes2: TensorLike, options?: { reduction?: 'mean' | 'none' | 'sum'; eps?: number }): Tensor;
export function completeBoxIouLoss(...args: unknown[]): Tensor {
  const [boxes1, boxes2, reduction = 'none', eps = 1e-7] = bind('completeBoxIouLoss boxes1:tensor boxes2:tensor reduction:=mean|none|sum? eps:number?', args) as [Tensor, Tensor, 'mean' | 'none' | 'sum' | undefined, number | undefined];
  return scope(() => {
    const [first, second] = [toFloat(boxes1), toFloat(boxes2)];
    const [losses, iou] = distanceLosses('complete_box_iou_loss', first, second, 1e-7);
    const difference = aspect(second).sub(aspect(first));
    const term = difference.square().mul(4 / (Math.PI * Math.PI));
    const weight = ratioWeight(term, iou, eps);
    return reduceLosses(losses.add(weight.mul(term)), reduction);
  });
}

/**
 * The focal loss of logits, as `torchvision.ops.sigmoid_focal_loss`: the binary cross-entropy
 * multiplied by `(1 - p)^gamma`, where `p` is the probability of the target.
 *
 * `inputs` are logits and `targets` are 0 or 1, both of one shape. `alpha` is the weight of a
 * target 1, and `1 - alpha` the weight of a target 0; with -1 there are no weights.
 *
 * Source: Lin et al., "Focal Loss for Dense Object Detection" (2017).
 *
 * @throws `argument` if `alpha` is neither -1 nor from 0 to 1; `shape` if the shapes differ.
 *
 * @example
 * const inputs = tensor([0]);
 * const targets = tensor([1]);
 * const loss = ops.sigmoidFocalLoss(inputs, targets, -1, 0, 'mean');
 * await loss.item(); // 0.6931472
 */
export function sigmoidFocalLoss(inputs: TensorLike, targets: TensorLike, alpha?: number, gamma?: number, reduction?: 'mean' | 'none' | 'sum'): Tensor;
export function sigmoidFocalLoss(inputs: TensorLike, targets: TensorLike, options?: { alpha?: number; gamma?: number; reduction?: 'mean' | 'none' | 'sum' }): Tensor;
export function sigmoidFocalLoss(...args: unknown[]): Tensor {
  const [inputs, targets, alpha = 0.25, gamma = 2, reduction = 'none'] = bind('sigmoidFocalLoss inputs:tensor targets:tensor alpha:number? gamma:number? reduction:=mean|none|sum?', args) as [Tensor, Tensor, number | undefined, number | undefined, 'mean' | 'none' | 'sum' | undefined];
  return scope(() => {
    if (!(alpha >= 0 && alpha <= 1) && alpha !== -1) {
      const message = `alpha must be from 0 to 1, or -1 for no weights, and is ${alpha}`;
      throw failure('argument', 'sigmoid_focal_loss', message);
    }
    const p = inputs.sigmoid();
    const entropy = inputs.binaryCrossEntropyWithLogits(targets, { reduction: 'none' });
    const missed = p.mul(targets.rsub(1)).add(p.rsub(1).mul(targets));
    let losses = entropy.mul(missed.pow(gamma));
    if (alpha >= 0) {
      const weights = targets.mul(alpha).add(targets.rsub(1).mul(1 - alpha));
      losses = weights.mul(losses);
    }
    return reduceLosses(losses, reduction);
  });
}
