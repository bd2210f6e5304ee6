/** Text from a model, token by token. */
import { noGrad } from '../autograd.js';
import { compile, type Compiled } from '../compile.js';
import { describe } from '../check.js';
import { LanthornError } from '../errors.js';
import { tensor } from '../from-data.js';
import { where } from '../operations.generated.js';
import { Tensor } from '../tensor.js';
import { KVCache, type CacheTensors } from './cache.js';
import { CausalLM } from './causal-lm.js';
import { settingsOf, type GenerateOptions, type Settings } from './generation-config.js';
import { Sampler } from './sampling.js';
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

/** The smallest chunk that the end of a prompt is given. */
const LEAST_CHUNK = 64;

type Step = [ids: Tensor, counts: Tensor, cache: CacheTensors, capacity: number];

const steps = new WeakMap<CausalLM, Compiled<Step, Tensor>>();

/** One recorded call of the model with a cache, which gives the logits of the last tokens. */
function stepOf(model: CausalLM): Compiled<Step, Tensor> {
  let step = steps.get(model);
  if (step === undefined) {
    step = compile((...[ids, counts, cache, capacity]: Step) => noGrad(() => model.run(ids, counts, cache, capacity, true)));
    steps.set(model, step);
  }
  return step;
}

/** The prompts as ids. */
function idsOf(prompts: Prompt | readonly Prompt[], settings: Settings, vocabSize: number): number[][] {
  const isOne = typeof prompts === 'string' || ArrayBuffer.isView(prompts) || (Array.isArray(prompts) && typeof prompts[0] === 'number');
  const all = isOne ? [prompts as Prompt] : prompts;
  if (!Array.isArray(all) || all.length === 0) throw new LanthornError('argument', OP, `takes a prompt or several, not ${Array.isArray(all) ? 'none' : describe(prompts)}`);
  return all.map((prompt: Prompt, row) => {
    if (typeof prompt === 'string' && !settings.tokenizer) throw new LanthornError('argument', OP, `prompt ${row} is a text, which needs a tokenizer`);
    const ids = Array.from(typeof prompt === 'string' ? settings.tokenizer!.encode(prompt).ids : prompt, Number);
    if (ids.length === 0) throw new LanthornError('argument', OP, `prompt ${row} has no tokens`);
    const odd = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
    if (odd !== undefined) throw new LanthornError('index', OP, `prompt ${row} has the id ${odd}; the model has ${vocabSize} tokens`);
    return ids;
  });
}

/** The tokens of a chunk where `left` are left: the most, or a half or a quarter of them and so on, but not fewer than `LEAST_CHUNK`. */
function chunkOf(most: number, left: number): number {
  let size = most;
  while (size > left && size / 2 >= LEAST_CHUNK) size = Math.floor(size / 2);
  return size;
}

/** A row while it is generated. */
class Row {
  readonly tokens: number[] = [];
  finishReason: FinishReason | null = null;
  readonly #text: RowText;

  constructor(settings: Settings) {
    this.#text = new RowText(settings.tokenizer, settings.stopStrings);
  }

  take(token: number, { eosTokenIds, maxNewTokens }: Settings): string {
    this.tokens.push(token);
    if (eosTokenIds.includes(token)) {
      this.finishReason = 'eos';
      return this.#text.finish();
    }
    const { text, stopped } = this.#text.push(token);
    if (stopped) this.finishReason = 'stop';
    else if (this.tokens.length === maxNewTokens) {
      this.finishReason = 'length';
      return text + this.#text.finish();
    }
    return text;
  }
}

/** One call of `generate`. */
class Run {
  readonly #model: CausalLM;
  readonly #settings: Settings;
  readonly #prompts: number[][];
  readonly #cache: KVCache;
  readonly #sampler: Sampler;
  readonly #rows: Row[];

  constructor(model: CausalLM, settings: Settings, prompts: number[][]) {
    this.#model = model;
    this.#settings = settings;
    this.#prompts = prompts;
    const { cache, maxNewTokens } = settings;
    const before = cache?.lengths ?? [];
    // The last token is not computed further.
    const needed = prompts.map((ids, row) => (before[row] ?? 0) + ids.length + maxNewTokens - 1);
    this.#cache = cache ?? new KVCache(model.config, { batch: prompts.length, capacity: Math.max(...needed), dtype: model.dtype });
    if (cache) cache.check(OP, prompts.map((ids) => ids.length + maxNewTokens - 1));
    this.#sampler = new Sampler(settings, prompts, model.config.vocabSize);
    this.#rows = prompts.map(() => new Row(settings));
  }

  /** Runs the model on `ids: [batch, L]`, of which `counts` count. */
  #advance(ids: Tensor, counts: readonly number[]): Tensor {
    const given = tensor(Int32Array.from(counts));
    try {
      const logits = stepOf(this.#model)(ids, given, this.#cache.tensors, this.#cache.capacity);
      this.#cache.advance(counts);
      return logits;
    } finally {
      given.dispose();
    }
  }

  /**
   * The number of tokens of the next chunk: the queries of a chunk are the last keys of the cache, so its
   * padding has to fit, too, in every row that has tokens left.
   */
  #chunkAt(start: number): number {
    const { capacity, lengths } = this.#cache;
    const rooms = lengths.filter((_, row) => this.#prompts[row]!.length > start).map((length) => capacity - length);
    const left = Math.max(...this.#prompts.map((ids) => ids.length)) - start;
    return Math.max(1, Math.min(chunkOf(this.#settings.prefillChunk, left), ...rooms));
  }

  /** The logits behind every prompt, which are computed in chunks, the last ones padded. */
  #prefill(): Tensor {
    const { signal } = this.#settings;
    const longest = Math.max(...this.#prompts.map((ids) => ids.length));
    let last: Tensor | null = null;
    for (let start = 0, size: number; start < longest; start += size) {
      signal?.throwIfAborted();
      size = this.#chunkAt(start);
      const counts = this.#prompts.map((ids) => Math.min(Math.max(ids.length - start, 0), size));
      const padded = this.#prompts.flatMap((ids) => Array.from({ length: size }, (_, index) => ids[start + index] ?? 0));
      const ids = tensor(Int32Array.from(padded), { shape: [counts.length, size] });
      const logits = this.#advance(ids, counts);
      ids.dispose();
      last = last === null ? logits : merge(last, logits, counts);
    }
    return last!;
  }

  /** The logits as the program's functions change them; the given ones are disposed of. */
  #processed(logits: Tensor): Tensor {
    const ids = this.#rows.map(({ tokens }, row) => [...this.#prompts[row]!, ...tokens]);
    return this.#settings.processors.reduce((before, processor) => {
      const made: unknown = noGrad(() => processor(ids, before));
      if (!(made instanceof Tensor) || made.shape.join() !== before.shape.join()) {
        const given = made instanceof Tensor ? `[${made.shape.join(', ')}]` : describe(made);
        throw new LanthornError('shape', OP, `a logitsProcessor has to give logits [${before.shape.join(', ')}], not ${given}`);
      }
      if (made !== before) before.dispose();
      return made;
    }, logits);
  }

  async *tokens(): AsyncGenerator<GeneratedToken, void, undefined> {
    const held: { logits: Tensor | null; token: Tensor | null } = { logits: null, token: null };
    try {
      held.logits = this.#prefill();
      for (;;) {
        held.logits = this.#processed(held.logits);
        held.token = this.#sampler.next(held.logits);
        held.logits.dispose();
        const ids = Array.from((await held.token.data()) as Int32Array);
        this.#settings.signal?.throwIfAborted();
        yield* this.#taken(ids);
        if (this.#rows.every(({ finishReason }) => finishReason !== null)) break;
        const next = held.token.unsqueeze(-1);
        held.logits = this.#advance(next, this.#rows.map(({ finishReason }) => (finishReason === null ? 1 : 0)));
        next.dispose();
        held.token.dispose();
      }
    } finally {
      held.logits?.dispose();
      held.token?.dispose();
      this.#sampler.dispose();
      if (this.#cache !== this.#settings.cache) this.#cache.dispose();
    }
  }

  *#taken(ids: readonly number[]): Generator<GeneratedToken> {
    for (const [row, state] of this.#rows.entries()) {
      if (state.finishReason !== null) continue;
      const text = state.take(ids[row]!, this.#settings);
      yield { row, token: ids[row]!, text, finishReason: state.finishReason };
    }
  }
}

/** The newer logits of rows that have tokens in this chunk, the older ones of the others. */
function merge(before: Tensor, logits: Tensor, counts: readonly number[]): Tensor {
  const has = tensor(counts.map((count) => [count > 0]));
  const merged = where(has, logits, before);
  for (const old of [has, before, logits]) old.dispose();
  return merged;
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
 * `tokenizer`. One number of each row is read for a token; everything else stays on the device, where a
 * token makes no plan, pipeline or buffer.
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
