/** The choice of the next token, on the device: penalties, and drawing from the likely tokens. */
import { compile, type Compiled } from '../compile/compile.js';
import { noGrad } from '../autograd/mode.js';
import { Random } from '../data/random.js';
import { tensor } from '../tensor/from-data.js';
import { draw, penalize, type ChoiceSteps } from '../generated/models/decoder/generation.js';
import { zeros } from '../generated/operations.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Settings } from './generation-config.js';

/** The settings that are numbers, in the order in which a tensor has them: they are data. */
const NUMBERS = ['temperature', 'topP', 'minP', 'repetitionPenalty', 'frequencyPenalty', 'presencePenalty'] as const;

/** Chooses tokens of a batch, row by row. */
export class Sampler {
  readonly #choiceSteps: ChoiceSteps;
  readonly #numbers: Tensor;
  /** With penalties: which tokens the prompts have, and how often each was generated, `[batch, vocabSize]`. */
  readonly #prompted: Tensor | null = null;
  readonly #counts: Tensor | null = null;
  readonly #seed: number;
  #step = 0;

  /** A sampler for prompts, whose tokens count for the repetition penalty. */
  constructor(settings: Settings, prompts: readonly (readonly number[])[], vocabSize: number) {
    const { doSample, topK, topP, minP } = settings;
    this.#choiceSteps = { doSample, topK, usesTopP: topP < 1, usesMinP: minP > 0 };
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
    const uniform = this.#choiceSteps.doSample ? this.#uniform(length, isOneRow) : null;
    this.#step += isOneRow ? length : 1;
    const token = choose(logits, uniform, this.#numbers, this.#prompted, this.#counts, this.#choiceSteps);
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

type Choose = [logits: Tensor, uniform: Tensor | null, numbers: Tensor, prompted: Tensor | null, counts: Tensor | null, steps: ChoiceSteps];

/** The choice as one recorded call. Compiled at its first use: importing the module does nothing. */
let compiled: Compiled<Choose, Tensor> | undefined;

function choose(...args: Choose): Tensor {
  compiled ??= compile<Choose, Tensor>((logits, uniform, numbers, prompted, counts, steps) => noGrad(() => {
    let changed: Tensor = logits.to('float32');
    if (prompted && counts) changed = penalize(changed, prompted, counts, numbers);
    const token = uniform ? draw(changed, uniform, numbers, steps) : changed.argmax(-1).to('int32');
    if (counts) {
      const index = token.unsqueeze(-1);
      counts.scatterAdd_(1, index, index.to('float32').mul(0).add(1));
    }
    return token;
  }));
  return compiled(...args);
}
