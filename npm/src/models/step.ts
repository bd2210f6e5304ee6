/** A model's recorded call with a cache, and prompts of any length in chunks. */
import { noGrad } from '../autograd/mode.js';
import { compile, type Compiled } from '../compile/compile.js';
import { tensor } from '../tensor/from-data.js';
import { chunkOf } from '../generated/models/decoder/generation.js';
import { where } from '../generated/operations.js';
import type { Tensor } from '../tensor/tensor.js';
import type { CacheTensors, KVCache } from './cache.js';
import type { CausalLM } from './causal-lm.js';

/**
 * The result of a call: the logits of each row's last id, `[batch, vocabSize]`, or of all ids,
 * `[batch * L, vocabSize]`, or the most likely token after each row's last id, int32 `[batch, 1]`.
 */
export type StepResult = 'last' | 'all' | 'likeliest';

type Step = [ids: Tensor, counts: Tensor, cache: CacheTensors, capacity: number, result: StepResult];

const steps = new WeakMap<CausalLM, Compiled<Step, Tensor>>();

function record(model: CausalLM): Compiled<Step, Tensor> {
  let step = steps.get(model);
  if (step === undefined) {
    step = compile((...[ids, counts, cache, capacity, result]: Step) => noGrad(() => {
      const logits = model.run(ids, counts, cache, capacity, result !== 'all');
      if (result === 'likeliest') return likeliest(logits);
      return result === 'all' ? logits.flatten(0, 1) : logits;
    }));
    steps.set(model, step);
  }
  return step;
}

/** The most likely token of each row, int32 `[batch, 1]`, for logits `[batch, vocabSize]`. */
export const likeliest = (logits: Tensor): Tensor => logits.argmax(-1, true).to('int32');

/** Runs the model on `ids: [batch, L]`, of which `counts` count, after the tokens of the cache. */
export function step(model: CausalLM, ids: Tensor, counts: readonly number[], cache: KVCache, result: StepResult = 'last'): Tensor {
  const given = tensor(Int32Array.from(counts));
  try {
    const made = record(model)(ids, given, cache.tensors, cache.capacity, result);
    cache.advance(counts);
    return made;
  } finally {
    given.dispose();
  }
}

/** The data for the computation of a prompt. */
export interface PrefillOptions {
  /** The most tokens of a chunk. */
  chunk: number;
  signal: AbortSignal | undefined;
}

/** The logits behind every prompt, `[batch, vocabSize]`, which are computed in chunks, the last ones padded. */
export function prefill(model: CausalLM, prompts: readonly (readonly number[])[], cache: KVCache, { chunk, signal }: PrefillOptions): Tensor {
  const longest = Math.max(...prompts.map((ids) => ids.length));
  let last: Tensor | null = null;
  for (let start = 0, size: number; start < longest; start += size) {
    signal?.throwIfAborted();
    // The queries of a chunk are the last keys of the cache, so its padding has to fit, too, in every row that has tokens left.
    const rooms = cache.lengths.filter((_, row) => prompts[row]!.length > start).map((length) => cache.capacity - length);
    size = chunkOf(chunk, longest - start, Math.min(...rooms));
    const counts = prompts.map((ids) => Math.min(Math.max(ids.length - start, 0), size));
    const padded = prompts.flatMap((ids) => Array.from({ length: size }, (_, index) => ids[start + index] ?? 0));
    const ids = tensor(Int32Array.from(padded), { shape: [counts.length, size] });
    const logits = step(model, ids, counts, cache);
    ids.dispose();
    last = last === null ? logits : merge(last, logits, counts);
  }
  return last!;
}

/** The newer logits of rows that have tokens in this chunk, the older ones of the others. */
function merge(before: Tensor, logits: Tensor, counts: readonly number[]): Tensor {
  const has = tensor(counts.map((count) => [count > 0]));
  const merged = where(has, logits, before);
  for (const old of [has, before, logits]) old.dispose();
  return merged;
}
