// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Non-maximum suppression. */
import { bind } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';

/**
 * The indices of the boxes that stay when each box that overlaps a better one is left out, as
 * `torchvision.ops.nms`.
 *
 * `boxes` has the shape `[n, 4]` with corners, and `scores` the shape `[n]`. Boxes overlap if
 * their intersection is more than `iouThreshold` of their union. The result is in int32, by
 * decreasing score. The boxes are read, and the result is awaited.
 *
 * @throws `shape` if the shapes are others; `dtype` if both do not have one floating-point type.
 *
 * @example
 * const boxes = [0, 0, 2, 2, 0, 0, 2, 1.9, 3, 3, 4, 4];
 * const boxes2 = tensor(boxes).reshape([3, 4]);
 * const scores = tensor([0.5, 0.9, 0.1]);
 * const kept = await ops.nms(boxes2, scores, 0.5);
 * await kept.tolist(); // [1, 2]
 */
export function nms(boxes: TensorLike, scores: TensorLike, iouThreshold: number): Promise<Tensor>;
export async function nms(...args: unknown[]): Promise<Tensor> {
  const [boxes, scores, iouThreshold] = bind('nms boxes:tensor scores:tensor iouThreshold:number', args) as [Tensor, Tensor, number];
  return await torch.nms(boxes, scores, iouThreshold);
}

/**
 * `nms` within each class, as `torchvision.ops.batched_nms`.
 *
 * `idxs` has the class of each box, in the shape `[n]`. The result is in int32, by decreasing
 * score over all classes.
 *
 * @throws The errors of `nms`.
 *
 * @example
 * const boxes = tensor([0, 0, 2, 2, 0, 0, 2, 1.9]).reshape([2, 4]);
 * const scores = tensor([0.5, 0.9]);
 * const classes = tensor([0, 1], { dtype: 'int32' });
 * const kept = await ops.batchedNms(boxes, scores, classes, 0.5);
 * await kept.tolist(); // [1, 0]
 */
export function batchedNms(boxes: TensorLike, scores: TensorLike, idxs: TensorLike, iouThreshold: number): Promise<Tensor>;
export async function batchedNms(...args: unknown[]): Promise<Tensor> {
  const [boxes, scores, idxs, iouThreshold] = bind('batchedNms boxes:tensor scores:tensor idxs:tensor iouThreshold:number', args) as [Tensor, Tensor, Tensor, number];
  return await torch.batchedNms(boxes, scores, idxs, iouThreshold);
}
