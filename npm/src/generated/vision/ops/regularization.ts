// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Random parts of a network's values that are left out in training. */
import { bind, failure } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';

/** Whether a whole batch is left out at once, or each of its rows. */
export type StochasticDepthMode = 'batch' | 'row';

/** Refuses a number that is no probability. */
function checkProbability(op: string, p: number): void {
  if (p >= 0 && p <= 1) return;
  throw failure('argument', op, `p must be a probability from 0 to 1, and is ${p}`);
}

/**
 * Zeros instead of the input with probability `p`, as `torchvision.ops.stochastic_depth`. The rest
 * is divided by `1 - p`.
 *
 * `input` has the shape `[n, ..]`; with `mode` row the choice is made for each of `n` rows.
 * Without `training` the result is the input.
 *
 * Source: Huang et al., "Deep Networks with Stochastic Depth" (2016).
 *
 * @throws `argument` if `p` is not from 0 to 1.
 *
 * @example
 * const x = ones([2, 3]);
 * const none = ops.stochasticDepth(x, 1, 'row', true);
 * await none.sum().item(); // 0
 */
export function stochasticDepth(input: TensorLike, p: number, mode: StochasticDepthMode, training?: boolean): Tensor;
export function stochasticDepth(input: TensorLike, p: number, mode: StochasticDepthMode, options?: { training?: boolean }): Tensor;
export function stochasticDepth(...args: unknown[]): Tensor {
  const [input, p, mode, training = true] = bind('stochasticDepth input:tensor p:number mode:=batch|row training:bool?', args) as [Tensor, number, StochasticDepthMode, boolean | undefined];
  return scope(() => {
    checkProbability('stochastic_depth', p);
    if (!training || p === 0) return input;
    const rate = 1 - p;
    const size = Array.from({ length: input.ndim }, () => 1);
    if (mode === 'row') size[0]! = input.shape[0]!;
    const rates = torch.full(size, rate, { dtype: input.dtype });
    const kept = rates.bernoulli();
    const noise = rate > 0 ? kept.mul(1 / rate) : kept;
    return input.mul(noise);
  });
}

/**
 * The input with square blocks of zeros, as `torchvision.ops.drop_block2d`.
 *
 * `input` has the shape `[n, c, h, w]`, and `p` is about the probability of an element to be in a
 * block of the odd side `blockSize`. The rest is scaled so that the mean stays. Without
 * `training` the result is the input. `eps` prevents a division by zero.
 *
 * Source: Ghiasi et al., "DropBlock" (2018).
 *
 * @throws `shape` if the input does not have four dimensions; `argument` if `p` is not from 0 to 1, or if
 * `blockSize` is even.
 *
 * @example
 * const x = ones([1, 1, 4, 4]);
 * const y = ops.dropBlock2d(x, 0.5, 3, 1e-6, false);
 * await y.sum().item(); // 16
 */
export function dropBlock2d(input: TensorLike, p: number, blockSize: number, eps?: number, training?: boolean): Tensor;
export function dropBlock2d(input: TensorLike, p: number, blockSize: number, options?: { eps?: number; training?: boolean }): Tensor;
export function dropBlock2d(...args: unknown[]): Tensor {
  const [input, p, blockSize, eps = 1e-6, training = true] = bind('dropBlock2d input:tensor p:number blockSize:int eps:number? training:bool?', args) as [Tensor, number, number, number | undefined, boolean | undefined];
  return dropBlocks('drop_block2d', input, p, blockSize, eps, training, 4);
}

/**
 * The input with cubic blocks of zeros, as `torchvision.ops.drop_block3d`: `dropBlock2d` of the
 * shape `[n, c, d, h, w]`.
 *
 * @throws `shape` if the input does not have five dimensions; `argument` if `p` is not from 0 to 1, or if
 * `blockSize` is even.
 *
 * @example
 * const x = ones([1, 1, 2, 4, 4]);
 * const y = ops.dropBlock3d(x, 0, 1, 1e-6, true);
 * await y.sum().item(); // 32
 */
export function dropBlock3d(input: TensorLike, p: number, blockSize: number, eps?: number, training?: boolean): Tensor;
export function dropBlock3d(input: TensorLike, p: number, blockSize: number, options?: { eps?: number; training?: boolean }): Tensor;
export function dropBlock3d(...args: unknown[]): Tensor {
  const [input, p, blockSize, eps = 1e-6, training = true] = bind('dropBlock3d input:tensor p:number blockSize:int eps:number? training:bool?', args) as [Tensor, number, number, number | undefined, boolean | undefined];
  return dropBlocks('drop_block3d', input, p, blockSize, eps, training, 5);
}

function dropBlocks(op: string, input: Tensor, p: number, blockSize: number, eps: number, training: boolean, rank: number): Tensor {
  return scope(() => {
    checkProbability(op, p);
    if (input.ndim !== rank) {
      throw failure('shape', op, `input must have ${rank} dimensions, and has ${input.ndim}`);
    }
    if (!training || p === 0) return input;
    const shape = input.shape;
    let block = blockSize;
    for (const size of shape.slice(2)) {
      block = Math.min(block, size);
    }
    if (block % 2 === 0) throw failure('argument', op, `block_size must be odd, and is ${block}`);
    let rate = p;
    const positions = shape.slice(0, 2);
    const padding: number[] = [];
    for (const size of shape.slice(2)) {
      const room = size - block + 1;
      rate *= size / (block * room);
      positions.push(room);
      padding.push(Math.trunc(block / 2));
      padding.push(Math.trunc(block / 2));
    }
    const rates = torch.full(positions, Math.min(rate, 1), { dtype: input.dtype });
    const seeds = rates.bernoulli().pad(padding);
    const [size, half] = [block, Math.trunc(block / 2)];
    const dropped = rank === 4
      ? seeds.maxPool2d([size, size], [1, 1], [half, half], [1, 1])
      : seeds.maxPool3d([size, size, size], [1, 1, 1], [half, half, half], [1, 1, 1]);
    const kept = dropped.rsub(1);
    const count = kept.numel;
    const scale = kept.sum().add(eps).reciprocal().mul(count);
    return input.mul(kept).mul(scale);
  });
}
