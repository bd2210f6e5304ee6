/** Averages of weights over the steps of a training, as `torch.optim.swa_utils`. */
import { checkFunction, checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { noGrad } from '../autograd/mode.js';
import { BuiltinModule } from '../nn/builtin.js';
import { Module } from '../nn/module.js';
import { scope } from '../tensor/scope.js';
import { Tensor } from '../tensor/tensor.js';

export { SWALR } from '../generated/schedules.js';

/** The average after another step: of the old average, the weight, and the number of updates. */
export type AverageFunction = (averaged: Tensor, current: Tensor, numAveraged: number) => Tensor;

/** Options of {@link AveragedModel}. */
export interface AveragedModelOptions {
  /** The weight of the old average in each update; without it, all steps count the same. */
  decay?: number;
  /** A function of one's own, in place of `decay`. */
  avgFn?: AverageFunction | null;
  /** Whether buffers are averaged too, instead of copied. */
  useBuffers?: boolean;
}

/**
 * Averages of the weights of a module in training, which often perform better. `module` is a copy
 * of the module with the averages, and `call` calls it.
 *
 * @example
 * const ema = new optim.swaUtils.AveragedModel(net, { decay: 0.999 });
 * optimizer.step();
 * ema.updateParameters(net);
 * const y = ema.call(x);
 */
export class AveragedModel<M extends Module = Module> {
  readonly #decay: number | undefined;
  readonly #avgFn: AverageFunction | null;
  readonly #useBuffers: boolean;
  readonly #means: Map<string, Tensor>;
  /** A copy of the module whose parameters and buffers are the averages. */
  readonly module: M;
  /** The number of updates. */
  nAveraged = 0;

  constructor(model: M, options: AveragedModelOptions = {}) {
    if (!(model instanceof Module)) throw new LanthornError('argument', 'AveragedModel', 'takes a module');
    const { decay, avgFn, useBuffers = false } = checkOptions('AveragedModel', options, ['decay', 'avgFn', 'useBuffers']);
    if (decay !== undefined && !(typeof decay === 'number' && decay >= 0 && decay <= 1)) {
      throw new LanthornError('argument', 'AveragedModel', `decay must be from 0 to 1, not ${String(decay)}`);
    }
    if (avgFn !== undefined && avgFn !== null) checkFunction('AveragedModel', avgFn);
    this.#decay = decay;
    this.#avgFn = avgFn ?? null;
    this.#useBuffers = useBuffers;
    this.module = model.clone();
    this.#means = new Map(Object.entries(this.module.stateDict()));
  }

  /** The averaged module's result. */
  call(...inputs: Parameters<M['forward']>): ReturnType<M['forward']> {
    return this.module.call(...inputs) as ReturnType<M['forward']>;
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
        if (mixes && this.#avgFn) mean.copy_(this.#avgFn(mean, weight, this.nAveraged));
        else if (mixes) mean.lerp_(weight, share);
        else mean.copy_(weight);
        weight.dispose();
      }
    });
    this.nAveraged += 1;
  }

  /** {@link AveragedModel.update}, as `update_parameters` of PyTorch. */
  updateParameters(model: Module): void {
    this.update(model);
  }

  /** The averages by name, for {@link Module.loadStateDict}. */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries(Array.from(this.#means, ([name, mean]) => [name, mean.detach()]));
  }

  /** Disposes of the averages. */
  dispose(): void {
    for (const mean of this.#means.values()) mean.dispose();
    this.module.dispose();
  }
}

/** A layer of batch normalization, as far as its running statistics. */
interface Normalization extends Module {
  momentum: number | null;
  runningMean: Tensor;
  runningVar: Tensor;
  numBatchesTracked: Tensor;
}

/** Whether a module has running statistics that calls in training mode update. */
const isNormalization = (module: Module): module is Normalization =>
  module instanceof BuiltinModule && (module as unknown as Partial<Normalization>).runningMean instanceof Tensor && 'momentum' in module;

/**
 * Computes the running statistics of a module's batch normalizations again, as the mean over all
 * batches, as `torch.optim.swa_utils.update_bn`: weights that were averaged have none of their own.
 * An item of `loader` is a tensor, or a list whose first member is one.
 *
 * @example
 * const average = new optim.swaUtils.AveragedModel(net);
 * net.loadStateDict(average.stateDict());
 * await optim.swaUtils.updateBn(loader, net);
 */
export async function updateBn(loader: Iterable<unknown> | AsyncIterable<unknown>, given: Module | AveragedModel): Promise<void> {
  const model = given instanceof AveragedModel ? given.module : given;
  if (!(model instanceof Module)) throw new LanthornError('argument', 'updateBn', 'takes a module');
  const layers = model.modules().filter(isNormalization);
  if (layers.length === 0) return;
  const [wasTraining, momenta] = [model.training, layers.map((layer) => layer.momentum)];
  for (const layer of layers) {
    noGrad(() => {
      layer.runningMean.zero_();
      layer.runningVar.fill_(1);
      layer.numBatchesTracked.zero_();
    });
    layer.momentum = null;
  }
  model.train();
  try {
    for await (const item of loader) {
      const x: unknown = Array.isArray(item) ? item[0] : item;
      if (!(x instanceof Tensor)) throw new LanthornError('argument', 'updateBn', 'an item of the loader is a tensor, or a list that begins with one');
      scope(() => noGrad(() => void model.call(x)));
    }
  } finally {
    for (const [index, layer] of layers.entries()) layer.momentum = momenta[index]!;
    model.train(wasTraining);
  }
}
