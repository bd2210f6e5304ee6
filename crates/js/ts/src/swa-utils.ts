/** Means of weights over the steps of a training, as `torch.optim.swa_utils`. */
import { checkOptions } from './check.js';
import { LanthornError } from './errors.js';
import { noGrad } from './autograd.js';
import { Module } from './module.js';
import type { Tensor } from './tensor.js';

/** How a mean follows the weights. */
export interface AveragedModelOptions {
  /** How much of the mean stays at each update; without it, all weights count the same. */
  decay?: number;
  /** Whether buffers are averaged as well, and not copied. */
  useBuffers?: boolean;
}

/**
 * Weights that follow those of a module in training; their mean often does better.
 *
 * @example
 * const ema = new optim.swaUtils.AveragedModel(net, { decay: 0.999 });
 * optimizer.step();
 * ema.update(net);
 * evaluationNet.loadStateDict(ema.stateDict());
 */
export class AveragedModel {
  readonly #decay: number | undefined;
  readonly #useBuffers: boolean;
  readonly #means: Map<string, Tensor>;
  /** How many weights were taken in. */
  nAveraged = 0;

  constructor(model: Module, options: AveragedModelOptions = {}) {
    if (!(model instanceof Module)) throw new LanthornError('argument', 'AveragedModel', 'takes a module');
    const { decay, useBuffers = false } = checkOptions('AveragedModel', options, ['decay', 'useBuffers']);
    if (decay !== undefined && !(typeof decay === 'number' && decay >= 0 && decay <= 1)) {
      throw new LanthornError('argument', 'AveragedModel', `decay must be from 0 to 1, not ${String(decay)}`);
    }
    this.#decay = decay;
    this.#useBuffers = useBuffers;
    this.#means = new Map(Object.entries(model.stateDict()).map(([name, tensor]) => [name, noGrad(() => tensor.clone())]));
  }

  /** Takes in the weights as they are now. */
  update(model: Module): void {
    const weights = model.stateDict();
    const averaged = new Set(this.#useBuffers ? this.#means.keys() : Array.from(model.namedParameters(), ([name]) => name));
    const share = this.#decay === undefined ? 1 / (this.nAveraged + 1) : 1 - this.#decay;
    noGrad(() => {
      for (const [name, mean] of this.#means) {
        const weight = weights[name];
        if (!weight) throw new LanthornError('argument', 'AveragedModel', `the module has no ${name}`);
        const mixes = this.nAveraged > 0 && averaged.has(name) && mean.dtype.includes('float');
        if (mixes) mean.lerp_(weight, share);
        else mean.copy_(weight);
        weight.dispose();
      }
    });
    this.nAveraged += 1;
  }

  /** The means by name, for {@link Module.loadStateDict}. */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries(Array.from(this.#means, ([name, mean]) => [name, mean.detach()]));
  }

  /** Lets go of the means. */
  dispose(): void {
    for (const mean of this.#means.values()) mean.dispose();
  }
}
