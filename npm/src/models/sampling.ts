/** The choice of the next token, on the device: penalties, and drawing from the likely tokens. */
import { compile, type Compiled } from '../compile.js';
import { noGrad } from '../autograd.js';
import { Random } from '../data/random.js';
import { tensor } from '../from-data.js';
import { where, zeros } from '../operations.generated.js';
import type { Tensor } from '../tensor.js';
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

/** Logits with penalties for tokens that occurred, `seen` and `counts`: `[batch, vocabSize]`. */
function penalized(logits: Tensor, seen: Tensor, counts: Tensor, numbers: Tensor): Tensor {
  const [repetition, frequency, presence] = [3, 4, 5].map((index) => numbers.select(0, index)) as [Tensor, Tensor, Tensor];
  const repeated = where(logits.lt(0), logits.mul(repetition), logits.div(repetition));
  const changed = where(seen.gt(0), repeated, logits);
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
  readonly #seen: Tensor | null = null;
  readonly #counts: Tensor | null = null;
  readonly #batch: number;
  readonly #seed: number;
  #step = 0;

  /** A sampler for prompts, whose tokens count for the repetition penalty. */
  constructor(settings: Settings, prompts: readonly (readonly number[])[], vocabSize: number) {
    const { doSample, topK, topP, minP } = settings;
    this.#shape = { doSample, topK, usesTopP: topP < 1, usesMinP: minP > 0 };
    this.#numbers = tensor(Float32Array.from(NUMBERS, (name) => settings[name]));
    this.#batch = prompts.length;
    this.#seed = settings.seed;
    if (settings.repetitionPenalty === 1 && settings.frequencyPenalty === 0 && settings.presencePenalty === 0) return;
    const seen = new Float32Array(prompts.length * vocabSize);
    prompts.forEach((ids, row) => ids.forEach((id) => { seen[row * vocabSize + id] = 1; }));
    this.#seen = tensor(seen, { shape: [prompts.length, vocabSize] });
    this.#counts = zeros([prompts.length, vocabSize]);
  }

  /** Random numbers of a step, one for each row; they depend on the seed, the step and the row. */
  #uniform(): Tensor {
    return tensor(Float32Array.from({ length: this.#batch }, (_, row) => new Random(this.#seed, this.#step, row).uniform()));
  }

  /** The next token of each row, int32 `[batch]`, for logits `[batch, vocabSize]`. */
  next(logits: Tensor): Tensor {
    const uniform = this.#shape.doSample ? this.#uniform() : null;
    this.#step += 1;
    const token = choose(logits, uniform, this.#numbers, this.#seen, this.#counts, this.#shape);
    uniform?.dispose();
    return token;
  }

  dispose(): void {
    for (const kept of [this.#numbers, this.#seen, this.#counts]) kept?.dispose();
  }
}

type Choose = [logits: Tensor, uniform: Tensor | null, numbers: Tensor, seen: Tensor | null, counts: Tensor | null, shape: Shape];

/** The choice as one recorded call. Compiled at its first use: importing the module does nothing. */
let compiled: Compiled<Choose, Tensor> | undefined;

function choose(...args: Choose): Tensor {
  compiled ??= compile((logits, uniform, numbers, seen, counts, shape) => noGrad(() => {
    let changed = logits.to('float32');
    if (seen && counts) changed = penalized(changed, seen, counts, numbers);
    const token = uniform ? draw(changed, uniform, numbers, shape) : changed.argmax(-1).to('int32');
    if (seen && counts) {
      const index = token.unsqueeze(-1);
      seen.scatter_(1, index, 1);
      counts.scatterAdd_(1, index, index.to('float32').mul(0).add(1));
    }
    return token;
  }));
  return compiled(...args);
}
