/** Candidates: tokens that may come next, which the model checks all at once (speculative decoding). */
import { noGrad } from '../autograd/mode.js';
import { LanthornError } from '../core/errors.js';
import { tensor } from '../tensor/from-data.js';
import { stack } from '../generated/operations.js';
import { scope } from '../tensor/scope.js';
import type { Tensor } from '../tensor/tensor.js';
import { capacityFor, lookUp, paddingOf, pauseOf } from '../generated/models/decoder/generation.js';
import { KVCache } from './cache.js';
import type { CausalLM } from './causal-lm.js';
import type { Settings } from './generation-config.js';
import { likeliest, prefill, step, type PrefillOptions } from './step.js';

const OP = 'generate';

/** Drafts the tokens behind a text. */
interface Drafter {
  /** The number of candidates. */
  readonly count: number;
  /** `count` candidates for the tokens behind `ids`, or none. */
  candidates(ids: readonly number[]): Promise<readonly number[]>;
  dispose(): void;
}

/**
 * Candidates, with pauses while few of them are accepted: checking them takes longer than a token.
 */
export class CandidateGenerator {
  readonly #drafter: Drafter;
  #pause = 0;
  #left = 0;

  constructor(drafter: Drafter) {
    this.#drafter = drafter;
  }

  /** The number of candidates. */
  get count(): number {
    return this.#drafter.count;
  }

  /** `count` candidates for the tokens behind `ids`, or none. */
  async candidates(ids: readonly number[]): Promise<readonly number[]> {
    if (this.#left === 0) return this.#drafter.candidates(ids);
    this.#left -= 1;
    return [];
  }

  /** Notes how many of the last candidates were accepted. */
  accepted(count: number): void {
    this.#pause = pauseOf(count, this.count, this.#pause);
    this.#left = this.#pause;
  }

  dispose(): void {
    this.#drafter.dispose();
  }
}

/** The tokens after an earlier occurrence of the text's last tokens. */
export class PromptLookup implements Drafter {
  readonly count: number;
  readonly #maxNgramSize: number;

  constructor(count: number, maxNgramSize: number) {
    this.count = count;
    this.#maxNgramSize = maxNgramSize;
  }

  async candidates(ids: readonly number[]): Promise<readonly number[]> {
    return lookUp(ids, this.count, this.#maxNgramSize);
  }

  dispose(): void {}
}

/** The most likely tokens by a smaller model of the same vocabulary, with its own cache. */
class Assistant implements Drafter {
  readonly count: number;
  readonly #model: CausalLM;
  readonly #cache: KVCache;
  readonly #prefill: PrefillOptions;
  /** The ids in the cache. */
  #seen: number[] = [];

  constructor(model: CausalLM, count: number, capacity: number, options: PrefillOptions) {
    this.count = count;
    this.#model = model;
    this.#prefill = options;
    this.#cache = new KVCache(model.config, { capacity, dtype: model.dtype });
  }

  /** The token behind one that the cache has not, int32 `[1, 1]`. */
  #next(ids: Tensor): Tensor {
    return step(this.#model, ids, [1], this.#cache, 'likeliest');
  }

  /** Adds new ids to the cache and drops rejected ones. Returns the most likely next token. */
  #follow(ids: readonly number[]): Tensor {
    let kept = 0;
    while (kept < ids.length - 1 && this.#seen[kept] === ids[kept]) kept += 1;
    this.#cache.crop(kept);
    this.#seen = [...ids];
    const added = ids.slice(kept);
    // One, or two if all candidates were taken: the last of them was not seen.
    if (added.length > 2) {
      const logits = prefill(this.#model, [added], this.#cache, this.#prefill);
      const token = scope(() => noGrad(() => likeliest(logits)));
      logits.dispose();
      return token;
    }
    let token: Tensor | null = null;
    for (const id of added) {
      token?.dispose();
      const given = tensor(Int32Array.of(id), { shape: [1, 1] });
      token = this.#next(given);
      given.dispose();
    }
    return token!;
  }

  async candidates(ids: readonly number[]): Promise<number[]> {
    if (ids.length + this.count > this.#cache.capacity) return [];
    const tokens = [this.#follow(ids)];
    try {
      while (tokens.length < this.count) tokens.push(this.#next(tokens.at(-1)!));
      const all = noGrad(() => stack(tokens));
      tokens.push(all);
      const candidates = Array.from((await all.data()) as Int32Array);
      this.#seen.push(...candidates.slice(0, -1));
      return candidates;
    } finally {
      for (const token of tokens) token.dispose();
    }
  }

  dispose(): void {
    this.#cache.dispose();
  }
}

/** What drafts tokens for one prompt by these settings, if anything does. `most` is the number of its tokens and the new ones. */
export function candidateGeneratorOf(settings: Settings, most: number): CandidateGenerator | null {
  const { assistantModel, numAssistantTokens, promptLookupNumTokens, maxMatchingNgramSize, prefillChunk, signal } = settings;
  if (promptLookupNumTokens > 0) return new CandidateGenerator(new PromptLookup(promptLookupNumTokens, maxMatchingNgramSize));
  if (!assistantModel) return null;
  const capacity = capacityFor(assistantModel.config, most, Math.max(numAssistantTokens, paddingOf(prefillChunk)));
  return new CandidateGenerator(new Assistant(assistantModel, numAssistantTokens, capacity, { chunk: prefillChunk, signal }));
}

/** Refuses settings for candidates that do not go with the model or the prompts. */
export function checkCandidates(model: CausalLM, settings: Settings, rows: number): void {
  const { assistantModel, promptLookupNumTokens, cache } = settings;
  const refuse = (words: string) => new LanthornError('argument', OP, words);
  if (!assistantModel && promptLookupNumTokens === 0) return;
  if (rows > 1) throw refuse(`candidates are for one prompt, not for ${rows}; leave out assistantModel and promptLookupNumTokens`);
  if (!assistantModel) return;
  if (promptLookupNumTokens > 0) throw refuse('takes an assistantModel or promptLookupNumTokens, not both');
  const [own, other] = [model.config.vocabSize, assistantModel.config.vocabSize];
  if (own !== other) throw refuse(`the assistantModel has ${other} tokens, and the model ${own}`);
  if (cache?.lengths.some((length) => length > 0)) throw refuse('the assistantModel has not seen what the cache has; give the whole text as the prompt');
}
