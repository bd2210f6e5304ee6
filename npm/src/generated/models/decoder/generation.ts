// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The sizes of the steps of a generation, and the choice of the next token on the device. */
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import type { DecoderConfig } from '../decoder/config.js';

/** The smallest chunk for the end of a prompt. */
const MIN_CHUNK = 16;
/** The most tokens that are computed one by one before candidates are tried again. */
const LONGEST_PAUSE = 16;

/**
 * The size of the next chunk of a prompt, if `left` tokens remain and the cache has `room` for
 * more: `most`, or a fourth of it, and so on, but at least 16 if there is room. Up to a quarter of
 * a chunk is padding, for fewer calls.
 */
export function chunkOf(most: number, left: number, room: number): number {
  if ((4 * left < 3 * most || most > room) && Math.trunc(most / 4) >= MIN_CHUNK) {
    return chunkOf(Math.trunc(most / 4), left, room);
  }
  return Math.max(Math.min(most, room), 1);
}

/** The most padding after a prompt. */
export function paddingOf(chunk: number): number {
  return Math.max(Math.trunc(chunk / 4), MIN_CHUNK - 1);
}

/**
 * The capacity of a cache for this many tokens, and for up to `more` as long as they change no
 * result: up to the learned positions, or to the length from which texts have other frequencies.
 */
export function capacityFor(config: DecoderConfig, tokens: number, more: number): number {
  let capacity = tokens + more;
  if (config.ropes.length === 0 && tokens <= config.maxPositions) {
    capacity = Math.min(capacity, config.maxPositions);
  }
  for (const rope of config.ropes) {
    const bound = Math.trunc(rope.originalLength);
    if (rope.longInverseFrequencies != null && tokens <= bound) {
      capacity = Math.min(capacity, bound);
    }
  }
  return capacity;
}

/** Whether the last `size` ids also begin at `start`. */
function isRepeated(ids: readonly number[], start: number, size: number): boolean {
  for (let index = 0; index < size; index++) {
    if (ids[start + index]! !== ids[ids.length - size + index]!) return false;
  }
  return true;
}

/**
 * `count` tokens that followed the last occurrence of the text's last `maxNgram` tokens, else of
 * fewer. After Apoorv Saxena, "Prompt Lookup Decoding" (2023).
 */
export function lookUp(ids: readonly number[], count: number, maxNgram: number): readonly number[] {
  const most = Math.min(maxNgram, Math.max(ids.length - 1, 0));
  for (let size = most + 1 - 1; size >= 1; size--) {
    for (let start = ids.length - size - 1; start >= 0; start--) {
      if (isRepeated(ids, start, size)) {
        const first = start + size;
        return Array.from({ length: count }, (_, index) => index).map((index) => ids[first
          + index % (ids.length - first)]!);
      }
    }
  }
  return [];
}

/**
 * The number of tokens that are computed one by one after `accepted` of `count` candidates, if the
 * last such pause took `length`. A pause is twice as long as the one before.
 */
export function pauseOf(accepted: number, count: number, length: number): number {
  if (3 * accepted < count) return Math.min(Math.max(2 * length, 1), LONGEST_PAUSE);
  return 0;
}

/**
 * Which steps the choice of a token has, and the number of the most likely tokens: these are part
 * of the kernels. The settings that are numbers are data.
 */
export interface ChoiceSteps {
  readonly doSample: boolean;
  readonly topK: number;
  readonly usesTopP: boolean;
  readonly usesMinP: boolean;
}

/**
 * Logits with penalties for tokens of the prompt, `prompted`, and for generated ones, `counts`:
 * `[batch, vocab_size]`. `numbers` are the temperature, top p, min p and the three penalties.
 */
export function penalize(logits: Tensor, prompted: Tensor, counts: Tensor, numbers: Tensor): Tensor {
  return scope(() => {
    const [repetition, frequency] = [numbers.select(0, 3), numbers.select(0, 4)];
    const repeated = torch.where(logits.lt(0), logits.mul(repetition), logits.div(repetition));
    const changed = torch.where(prompted.add(counts).gt(0), repeated, logits);
    const presence = counts.gt(0).to('float32').mul(numbers.select(0, 5));
    return changed.sub(counts.mul(frequency)).sub(presence);
  });
}

/** The likely tokens' logits in descending order with their ids, or all in their own order. */
function likelyTokens(logits: Tensor, steps: ChoiceSteps): [Tensor, Tensor | undefined] {
  return scope(() => {
    if (steps.topK > 0 && steps.topK < logits.shape[1]!) {
      const [values, ids] = logits.topk(steps.topK, -1);
      return [values, ids];
    }
    if (steps.usesTopP) {
      const [values, ids] = logits.sort(-1, true);
      return [values, ids];
    }
    return [logits, undefined];
  });
}

/**
 * A token of each row, where the sum of probabilities passes a random number from 0 to 1:
 * `uniform: [batch]`.
 */
export function draw(logits: Tensor, uniform: Tensor, numbers: Tensor, steps: ChoiceSteps): Tensor {
  return scope(() => {
    const [values, ids] = likelyTokens(logits, steps);
    const probabilities = values.div(numbers.select(0, 0)).softmax(-1);
    let kept = probabilities;
    if (steps.usesTopP) {
      const before = probabilities.cumsum(-1).sub(probabilities);
      kept = kept.maskedFill(before.ge(numbers.select(0, 1)), 0);
    }
    if (steps.usesMinP) {
      const least = probabilities.amax([-1], true).mul(numbers.select(0, 2));
      kept = kept.maskedFill(probabilities.lt(least), 0);
    }
    const sums = kept.cumsum(-1);
    const last = sums.shape[1]! - 1;
    const passed = sums.le(sums.narrow(-1, last, 1).mul(uniform.unsqueeze(-1)));
    const index = passed.to('int32').sum([-1], true).clamp(0, last).to('int32');
    let token: Tensor;
    if (ids !== undefined) token = ids.gather(1, index);
    else {
      token = index;
    }
    return token.select(1, 0).to('int32');
  });
}
