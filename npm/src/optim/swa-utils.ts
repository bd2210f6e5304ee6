/** Averages of weights over the steps of a training, as `torch.optim.swa_utils`. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { noGrad } from '../autograd/mode.js';
import { Module } from '../nn/module.js';
import type { Tensor } from '../tensor/tensor.js';

/** Options of {@link AveragedModel}. */
export interface AveragedModelOptions {
  /** The weight of the old average in each update; without it, all steps count the same. */
  decay?: number;
  /** Whether buffers are averaged too, instead of copied. */
  useBuffers?: boolean;
}

/**
 * Averages of the weights of a module in training, which often perform better.
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
  /** The number of updates. */
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

  /** Updates the averages with the current weights. */
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

  /** The averages by name, for {@link Module.loadStateDict}. */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries(Array.from(this.#means, ([name, mean]) => [name, mean.detach()]));
  }

  /** Disposes of the averages. */
  dispose(): void {
    for (const mean of this.#means.values()) mean.dispose();
  }
}
