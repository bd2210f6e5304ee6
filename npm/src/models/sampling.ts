/** The choice of the next token, on the device: penalties, and drawing from the likely tokens. */
import { compile, type Compiled } from '../compile/compile.js';
import { noGrad } from '../autograd/mode.js';
import { Random } from '../data/random.js';
import { tensor } from '../tensor/from-data.js';
import { where, zeros } from '../generated/operations.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Settings } from './generation-config.js';

/** The settings that are numbers, in the order in which a tensor has them: they are data. */
const NUMBERS = ['temperature', 'topP', 'minP', 'repetitionPenalty', 'frequencyPenalty', 'presencePenalty'] as const;

/** Which steps there are, and the number of the most likely tokens: these are part of the kernels. */
interface Shape {
  doSample: boolean;
  topK: number;
  usesTopP: boolean;
  usesMinP: boolean;
}

/** Logits with penalties for tokens of the prompt, `prompted`, and for generated ones, `counts`: `[batch, vocabSize]`. */
function penalize(logits: Tensor, prompted: Tensor, counts: Tensor, numbers: Tensor): Tensor {
  const [repetition, frequency, presence] = [3, 4, 5].map((index) => numbers.select(0, index)) as [Tensor, Tensor, Tensor];
  const repeated = where(logits.lt(0), logits.mul(repetition), logits.div(repetition));
  const changed = where(prompted.add(counts).gt(0), repeated, logits);
  return changed.sub(counts.mul(frequency)).sub(counts.gt(0).to('float32').mul(presence));
}

/** The likely tokens' logits in descending order with their ids, or all, in their own. */
function candidates(logits: Tensor, { topK, usesTopP }: Shape): { values: Tensor; ids: Tensor | null } {
  if (topK > 0 && topK < logits.shape[1]!) {
    const { values, indices } = logits.topk(topK, -1);
    return { values, ids: indices };
  }
  if (!usesTopP) return { values: logits, ids: null };
  const { values, indices } = logits.sort(-1, true);
  return { values, ids: indices };
}

/**
 * A token of each row, where the sum of probabilities passes a random number from 0 to 1:
 * `uniform: [batch]`.
 */
function draw(logits: Tensor, uniform: Tensor, numbers: Tensor, shape: Shape): Tensor {
  const [temperature, topP, minP] = [0, 1, 2].map((index) => numbers.select(0, index)) as [Tensor, Tensor, Tensor];
  const { values, ids } = candidates(logits, shape);
  const probabilities = values.div(temperature).softmax(-1);
  let kept = probabilities;
  if (shape.usesTopP) kept = where(probabilities.cumsum(-1).sub(probabilities).lt(topP), kept, 0);
  if (shape.usesMinP) kept = where(probabilities.ge(probabilities.amax([-1], true).mul(minP)), kept, 0);
  const sums = kept.cumsum(-1);
  const passed = sums.le(sums.narrow(-1, sums.shape[1]! - 1, 1).mul(uniform.unsqueeze(-1)));
  const index = passed.to('int32').sum(-1, true).clamp(0, sums.shape[1]! - 1).to('int32');
  return (ids === null ? index : ids.gather(1, index)).squeeze(1).to('int32');
}

/** Chooses tokens of a batch, row by row. */
export class Sampler {
  readonly #shape: Shape;
  readonly #numbers: Tensor;
  /** With penalties: which tokens the prompts have, and how often each was generated, `[batch, vocabSize]`. */
  readonly #prompted: Tensor | null = null;
  readonly #counts: Tensor | null = null;
  readonly #seed: number;
  #step = 0;

  /** A sampler for prompts, whose tokens count for the repetition penalty. */
  constructor(settings: Settings, prompts: readonly (readonly number[])[], vocabSize: number) {
    const { doSample, topK, topP, minP } = settings;
    this.#shape = { doSample, topK, usesTopP: topP < 1, usesMinP: minP > 0 };
    this.#numbers = tensor(Float32Array.from(NUMBERS, (name) => settings[name]));
    this.#seed = settings.seed;
    if (settings.repetitionPenalty === 1 && settings.frequencyPenalty === 0 && settings.presencePenalty === 0) return;
    const prompted = new Float32Array(prompts.length * vocabSize);
    prompts.forEach((ids, row) => ids.forEach((id) => { prompted[row * vocabSize + id] = 1; }));
    this.#prompted = tensor(prompted, { shape: [prompts.length, vocabSize] });
    this.#counts = zeros([prompts.length, vocabSize]);
  }

  /** Whether tokens that occurred count. */
  get hasPenalties(): boolean {
    return this.#counts !== null;
  }

  /** Random numbers, which depend on the seed, the step and the row. */
  #uniform(length: number, isOneRow: boolean): Tensor {
    return tensor(Float32Array.from({ length }, (_, index) => {
      const [step, row] = isOneRow ? [this.#step + index, 0] : [this.#step, index];
      return new Random(this.#seed, step, row).uniform();
    }));
  }

  /**
   * The next token of each row, int32 `[batch]`, for logits `[batch, vocabSize]`; or if they are of one row, one token after
   * the other.
   */
  next(logits: Tensor, isOneRow: boolean): Tensor {
    const length = logits.shape[0]!;
    const uniform = this.#shape.doSample ? this.#uniform(length, isOneRow) : null;
    this.#step += isOneRow ? length : 1;
    const token = choose(logits, uniform, this.#numbers, this.#prompted, this.#counts, this.#shape);
    uniform?.dispose();
    return token;
  }

  /** Undoes the choice of one row's tokens after the first `count`. */
  takeBack(tokens: readonly number[], count: number): void {
    this.#step -= tokens.length - count;
    if (this.#counts === null || count === tokens.length) return;
    const ids = tensor(Int32Array.from(tokens), { shape: [1, tokens.length] });
    const change = tensor(Float32Array.from(tokens, (_, index) => (index < count ? 0 : -1)), { shape: [1, tokens.length] });
    noGrad(() => this.#counts!.scatterAdd_(1, ids, change));
    for (const given of [ids, change]) given.dispose();
  }

  dispose(): void {
    for (const kept of [this.#numbers, this.#prompted, this.#counts]) kept?.dispose();
  }
}

type Choose = [logits: Tensor, uniform: Tensor | null, numbers: Tensor, prompted: Tensor | null, counts: Tensor | null, shape: Shape];

/** The choice as one recorded call. Compiled at its first use: importing the module does nothing. */
let compiled: Compiled<Choose, Tensor> | undefined;

function choose(...args: Choose): Tensor {
  compiled ??= compile<Choose, Tensor>((logits, uniform, numbers, prompted, counts, shape) => noGrad(() => {
    let changed: Tensor = logits.to('float32');
    if (prompted && counts) changed = penalize(changed, prompted, counts, numbers);
    const token = uniform ? draw(changed, uniform, numbers, shape) : changed.argmax(-1).to('int32');
    if (counts) {
      const index = token.unsqueeze(-1);
      counts.scatterAdd_(1, index, index.to('float32').mul(0).add(1));
    }
    return token;
  }));
  return compiled(...args);
}
