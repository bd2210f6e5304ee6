/** Text from a model, token by token. */
import { noGrad } from '../autograd/mode.js';
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { tensor } from '../tensor/from-data.js';
import { cat } from '../generated/operations.js';
import { Tensor } from '../tensor/tensor.js';
import { capacityFor, paddingOf } from '../generated/models/decoder/generation.js';
import { KVCache } from './cache.js';
import { candidateGeneratorOf, checkCandidates, type CandidateGenerator } from './candidates.js';
import { CausalLM } from './causal-lm.js';
import { settingsOf, type GenerateOptions, type Settings } from './generation-config.js';
import { Sampler } from './sampling.js';
import { prefill, step } from './step.js';
import { RowText, type FinishReason } from './stopping.js';

/** A token of a row. */
export interface GeneratedToken {
  /** The index of the prompt. */
  row: number;
  /** The token's id. */
  token: number;
  /** The text that it completes; empty without a tokenizer. */
  text: string;
  /** Why the row ends with this token, if it does. */
  finishReason: FinishReason | null;
}

/** Everything that was generated, by prompt. */
export interface Generated {
  tokens: number[][];
  texts: string[];
  finishReasons: (FinishReason | null)[];
}

/** A prompt, as text or as ids. */
export type Prompt = string | ArrayLike<number>;

const OP = 'generate';

/** The prompts as ids. */
function idsOf(prompts: Prompt | readonly Prompt[], settings: Settings, vocabSize: number): number[][] {
  const isOne = typeof prompts === 'string' || ArrayBuffer.isView(prompts) || (Array.isArray(prompts) && typeof prompts[0] === 'number');
  const all = isOne ? [prompts as Prompt] : prompts;
  if (!Array.isArray(all) || all.length === 0) throw new LanthornError('argument', OP, `takes a prompt or several, not ${Array.isArray(all) ? 'none' : describe(prompts)}`);
  return all.map((prompt: Prompt, row) => {
    if (typeof prompt === 'string' && !settings.tokenizer) throw new LanthornError('argument', OP, `prompt ${row} is a text, which needs a tokenizer`);
    const ids = Array.from(typeof prompt === 'string' ? settings.tokenizer!.encode(prompt, { padding: false, truncation: false }).ids : prompt, Number);
    if (ids.length === 0) throw new LanthornError('argument', OP, `prompt ${row} has no tokens`);
    const odd = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
    if (odd !== undefined) throw new LanthornError('index', OP, `prompt ${row} has the id ${odd}; the model has ${vocabSize} tokens`);
    return ids;
  });
}

/** A row while it is generated. */
class Row {
  readonly tokens: number[] = [];
  finishReason: FinishReason | null = null;
  readonly #text: RowText;

  constructor(settings: Settings) {
    this.#text = new RowText(settings.tokenizer, settings.stopStrings);
  }

  /** Takes a token; returns the text that it completes. */
  take(token: number, { eosTokenIds, maxNewTokens }: Settings): string {
    this.tokens.push(token);
    const isEnd = eosTokenIds.includes(token);
    const reason = isEnd ? 'eos' : this.tokens.length === maxNewTokens ? 'length' : null;
    // A token that ends texts has no text.
    let { text, isStopped } = isEnd ? { text: '', isStopped: false } : this.#text.push(token);
    if (reason !== null && !isStopped) {
      const rest = this.#text.finish();
      text += rest.text;
      isStopped = rest.isStopped;
    }
    this.finishReason = isStopped ? 'stop' : reason;
    return text;
  }
}

/** One call of `generate`. */
class Run {
  readonly #model: CausalLM;
  readonly #settings: Settings;
  readonly #prompts: number[][];
  readonly #cache: KVCache;
  /** The tokens of the first row that the cache had before. */
  readonly #before: number;
  readonly #sampler: Sampler;
  readonly #rows: Row[];
  readonly #generator: CandidateGenerator | null;

  constructor(model: CausalLM, settings: Settings, prompts: number[][]) {
    this.#model = model;
    this.#settings = settings;
    this.#prompts = prompts;
    const { cache, maxNewTokens } = settings;
    // The last token is not computed further.
    const added = prompts.map((ids) => ids.length + maxNewTokens - 1);
    cache?.check(OP, added);
    this.#before = cache?.lengths[0] ?? 0;
    this.#rows = prompts.map(() => new Row(settings));
    const most = Math.max(...added);
    this.#generator = candidateGeneratorOf(settings, most);
    try {
      // With room for the padding of prompts, and for candidates.
      const padded = Math.max(...prompts.map((ids) => ids.length)) + paddingOf(settings.prefillChunk);
      const capacity = capacityFor(model.config, most, Math.max(this.#generator?.count ?? 0, padded - most));
      this.#cache = cache ?? new KVCache(model.config, { batch: prompts.length, capacity, dtype: model.dtype });
      this.#sampler = new Sampler(settings, prompts, model.config.vocabSize);
    } catch (error) {
      this.#generator?.dispose();
      throw error;
    }
  }

  /**
   * The logits as the program's functions change them, after the tokens so far and `candidates`;
   * the given ones are disposed of.
   */
  #process(logits: Tensor, candidates: readonly number[]): Tensor {
    const { processors } = this.#settings;
    if (processors.length === 0) return logits;
    const ids = this.#rows.map(({ tokens }, row) => [...this.#prompts[row]!, ...tokens, ...candidates]);
    return processors.reduce((before, processor) => {
      const made: unknown = noGrad(() => processor(ids, before));
      if (!(made instanceof Tensor) || made.shape.join() !== before.shape.join()) {
        const given = made instanceof Tensor ? `[${made.shape.join(', ')}]` : describe(made);
        throw new LanthornError('shape', OP, `a logitsProcessor has to give logits [${before.shape.join(', ')}], not ${given}`);
      }
      if (made !== before) before.dispose();
      return made;
    }, logits);
  }

  /**
   * The next token of each row for `logits: [batch, vocabSize]`; with candidates, the only row's next token and those
   * behind each candidate, for `[1 + candidates, vocabSize]`. The logits are disposed of.
   */
  #chosen(logits: Tensor, candidates: readonly number[]): Tensor {
    const chosen = (own: Tensor, before: readonly number[], isOneRow: boolean): Tensor => {
      const processed = this.#process(own, before);
      const tokens = this.#sampler.next(processed, isOneRow);
      processed.dispose();
      return tokens;
    };
    if (candidates.length === 0) return chosen(logits, [], false);
    if (!this.#sampler.hasPenalties && this.#settings.processors.length === 0) return chosen(logits, [], true);
    // What changes logits depends on the tokens before.
    const tokens: Tensor[] = [];
    try {
      while (tokens.length <= candidates.length) tokens.push(chosen(logits.narrow(0, tokens.length, 1), candidates.slice(0, tokens.length), true));
      return noGrad(() => cat(tokens));
    } finally {
      for (const token of [logits, ...tokens]) token.dispose();
    }
  }

  /** Candidates for the next tokens, where they may be needed and have room. */
  async #candidates(): Promise<readonly number[]> {
    const [generator, row, length] = [this.#generator, this.#rows[0]!, this.#cache.lengths[0]!];
    const isLast = row.tokens.length + 1 >= this.#settings.maxNewTokens;
    if (generator === null || isLast || length + 1 + generator.count > this.#cache.capacity) return [];
    return generator.candidates([...this.#prompts[0]!, ...row.tokens]);
  }

  /** The logits after the chosen tokens, and after the candidates. */
  #advance(chosen: Tensor, candidates: readonly number[]): Tensor {
    // The next ids stay on the device where nothing is added to them.
    const ids = this.#generator === null
      ? chosen.unsqueeze(-1)
      : tensor(Int32Array.of(this.#rows[0]!.tokens.at(-1)!, ...candidates), { shape: [1, 1 + candidates.length] });
    const counts = this.#rows.map(({ finishReason }) => (finishReason === null ? ids.shape[1]! : 0));
    const logits = step(this.#model, ids, counts, this.#cache, candidates.length === 0 ? 'last' : 'all');
    ids.dispose();
    return logits;
  }

  /** Forgets candidates that were not taken: of the tokens, the cache has all but the last one. */
  #dropCandidates(): void {
    const taken = this.#rows[0]!.tokens.length;
    if (this.#generator !== null && taken > 0) this.#cache.crop(this.#before + this.#prompts[0]!.length + taken - 1);
  }

  async *tokens(): AsyncGenerator<GeneratedToken, void, undefined> {
    const held: { logits: Tensor | null; tokens: Tensor | null } = { logits: null, tokens: null };
    const { signal, prefillChunk } = this.#settings;
    let candidates: readonly number[] = [];
    try {
      held.logits = prefill(this.#model, this.#prompts, this.#cache, { chunk: prefillChunk, signal });
      for (;;) {
        held.tokens = this.#chosen(held.logits, candidates);
        const ids = Array.from((await held.tokens.data()) as Int32Array);
        signal?.throwIfAborted();
        if (candidates.length === 0) yield* this.#taken(ids);
        else yield* this.#takenWhileRight(ids, candidates);
        if (this.#rows.every(({ finishReason }) => finishReason !== null)) break;
        this.#dropCandidates();
        candidates = await this.#candidates();
        held.logits = this.#advance(held.tokens, candidates);
        held.tokens.dispose();
      }
    } finally {
      held.logits?.dispose();
      held.tokens?.dispose();
      this.#sampler.dispose();
      this.#generator?.dispose();
      if (this.#cache !== this.#settings.cache) this.#cache.dispose();
      else if (!this.#cache.tensors.position.isDisposed) this.#dropCandidates();
    }
  }

  *#taken(ids: readonly number[]): Generator<GeneratedToken> {
    for (const [row, state] of this.#rows.entries()) {
      if (state.finishReason !== null) continue;
      const text = state.take(ids[row]!, this.#settings);
      yield { row, token: ids[row]!, text, finishReason: state.finishReason };
    }
  }

  /** The tokens of the only row up to the first that differs from its candidate. */
  *#takenWhileRight(ids: readonly number[], candidates: readonly number[]): Generator<GeneratedToken> {
    let right = 0;
    yield* this.#taken([ids[0]!]);
    while (ids[right] === candidates[right] && this.#rows[0]!.finishReason === null) {
      right += 1;
      yield* this.#taken([ids[right]!]);
    }
    this.#generator?.accepted(right);
    this.#sampler.takeBack(ids, right + 1);
  }
}

/** The tokens that a model generates, as they come, or all at once. */
export class Generation implements AsyncIterable<GeneratedToken> {
  readonly #start: () => AsyncGenerator<GeneratedToken, void, undefined>;
  readonly #rows: number;
  #isTaken = false;

  /** @internal */
  constructor(start: () => AsyncGenerator<GeneratedToken, void, undefined>, rows: number) {
    this.#start = start;
    this.#rows = rows;
  }

  /** The tokens as they come; leaving the loop ends the generation. */
  [Symbol.asyncIterator](): AsyncGenerator<GeneratedToken, void, undefined> {
    if (this.#isTaken) throw new LanthornError('argument', OP, 'its tokens were read already; call generate again');
    this.#isTaken = true;
    return this.#start();
  }

  /** All tokens and texts, when the last row has ended. */
  async all(): Promise<Generated> {
    const made: Generated = {
      tokens: Array.from({ length: this.#rows }, () => []),
      texts: Array.from({ length: this.#rows }, () => ''),
      finishReasons: Array.from({ length: this.#rows }, () => null),
    };
    for await (const { row, token, text, finishReason } of this) {
      made.tokens[row]!.push(token);
      made.texts[row] += text;
      made.finishReasons[row] = finishReason;
    }
    return made;
  }
}

/**
 * Generates tokens that follow a prompt, or several of different lengths: ids, or texts with a
 * `tokenizer`. One number of each row is read for a token; everything else stays on the device,
 * where decoding a token creates no plan, pipeline or buffer.
 *
 * Leaving the loop, or an `AbortSignal`, ends it and frees its memory; the model can be used again.
 *
 * @throws a LanthornError of kind `argument`, if an option or a prompt is wrong; of kind `index`, if a prompt
 * has an id that the vocabulary has not; of kind `limit`, if the prompts and the new tokens do not fit in the cache.
 *
 * @example
 * for await (const { text } of generate(model, 'Once upon a time', { tokenizer, maxNewTokens: 100 })) process.stdout.write(text);
 */
export function generate(model: CausalLM, prompts: Prompt | readonly Prompt[], options: GenerateOptions = {}): Generation {
  if (!(model instanceof CausalLM)) throw new LanthornError('argument', OP, `takes a CausalLM, not ${describe(model)}`);
  const { config } = model;
  const settings = settingsOf(options, config.eosTokenIds, config.vocabSize);
  const ids = idsOf(prompts, settings, config.vocabSize);
  checkCandidates(model, settings, ids.length);
  const most = Math.max(...ids.map((row) => row.length)) + settings.maxNewTokens - 1;
  if (settings.cache === undefined && config.ropes.length === 0 && most > config.maxPositions) {
    throw new LanthornError('limit', OP, `${most} tokens are more than the model's ${config.maxPositions} positions`);
  }
  settings.cache?.check(OP, ids.map((row) => row.length + settings.maxNewTokens - 1));
  // The memory is allocated when the first token is asked for, from where it is freed in any case.
  const start = async function* (): AsyncGenerator<GeneratedToken, void, undefined> {
    yield* new Run(model, settings, ids).tokens();
  };
  return new Generation(start, ids.length);
}
