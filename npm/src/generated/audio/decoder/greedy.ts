// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The most probable path. */
import { bind, failure } from '../../../library/support.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { floatsOf, sizesOf } from '../../../audio/host.js';

/** The number of frames of each emission of a batch. */
export async function frameCounts(op: string, emissions: Tensor, lengths: Tensor | undefined): Promise<readonly number[]> {
  const shape = emissions.shape;
  if (shape.length !== 3) {
    throw failure(
      'shape',
      op,
      `emissions has shape [${shape.join(', ')}], and takes (batch, frames, tokens)`,
    );
  }
  if (lengths === undefined) return Array.from({ length: shape[0]! }, () => shape[1]!);
  const counts = await sizesOf(lengths);
  if (counts.length !== shape[0]! || counts.some((count) => count > shape[1]!)) {
    const message = `lengths must have a number up to ${shape[1]!} for each of ${shape[0]!} emissions`;
    throw failure('shape', op, message);
  }
  return counts;
}

/**
 * The tokens of the most probable path of each of `emissions: (batch, frames, tokens)`, without
 * repetitions and blanks. `lengths: (batch)` has the number of frames of each.
 *
 * @throws `shape` for other dimensions, or lengths that exceed the frames.
 *
 * @example
 * const emissions = eye(3).unsqueeze(0);
 * const tokens = await decoder.ctcGreedyDecoder(emissions, undefined, 0);
 * tokens[0]!.length; // 2
 */
export function ctcGreedyDecoder(emissions: TensorLike, lengths?: TensorLike | null, blank?: number): Promise<readonly (readonly number[])[]>;
export function ctcGreedyDecoder(emissions: TensorLike, options?: { lengths?: TensorLike | null; blank?: number }): Promise<readonly (readonly number[])[]>;
export async function ctcGreedyDecoder(...args: unknown[]): Promise<readonly (readonly number[])[]> {
  const [emissions, lengths, blank = 0] = bind('ctcGreedyDecoder emissions:tensor lengths:tensor? blank:int?', args) as [Tensor, Tensor | undefined, number | undefined];
  const counts = await frameCounts('ctc_greedy_decoder', emissions, lengths);
  const best = await floatsOf(emissions.argmax(-1));
  const frames = emissions.shape[1]!;
  const all: (readonly number[])[] = [];
  for (let row = 0; row < counts.length; row++) {
    const tokens: number[] = [];
    let last = blank;
    for (let frame = 0; frame < counts[row]!; frame++) {
      const token = Math.trunc(best[row * frames + frame]!);
      if (token !== last && token !== blank) tokens.push(token);
      last = token;
    }
    all.push(tokens);
  }
  return all;
}
