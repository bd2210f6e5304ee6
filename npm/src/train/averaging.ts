/** Averages of weights during a training: exponential ones, and means of its last epochs. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { Savable } from '../io/files.js';
import { AveragedModel } from '../optim/swa-utils.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Callback, Training } from './callback.js';

/**
 * Averages the weights after each step, validates the averages instead of the weights, and leaves
 * them in the module at the end. The subclasses say which steps count, and how much.
 */
export abstract class WeightAveraging implements Callback {
  abstract readonly name: string;
  readonly #decay: number | undefined;
  #average: AveragedModel | undefined;
  #weights: Record<string, Tensor> | undefined;
  #restored: { state: Record<string, Tensor>; count: number } | undefined;

  constructor(decay: number | undefined) {
    this.#decay = decay;
  }

  /** Whether the average is updated after the step or epoch that has just ended. */
  protected abstract shouldUpdate(trainer: Training, isEpoch: boolean): boolean;

  /** The number of updates. */
  get nAveraged(): number {
    return this.#average?.nAveraged ?? 0;
  }

  onFitStart(trainer: Training): void {
    const { module } = trainer.task;
    this.#average = new AveragedModel(module, this.#decay === undefined ? {} : { decay: this.#decay });
    if (!this.#restored) return;
    const own = module.stateDict();
    // The average begins as a copy of the weights, so the restored ones are put there for the copy.
    const copies = Object.fromEntries(Object.entries(own).map(([name, tensor]) => [name, tensor.detach().clone()]));
    module.loadStateDict(this.#restored.state);
    this.#average.update(module);
    this.#average.nAveraged = this.#restored.count;
    module.loadStateDict(copies);
    for (const tensor of [...Object.values(copies), ...Object.values(this.#restored.state)]) tensor.dispose();
    this.#restored = undefined;
  }

  onTrainStepEnd(trainer: Training): void {
    if (this.shouldUpdate(trainer, false)) this.#average!.update(trainer.task.module);
  }

  onTrainEpochEnd(trainer: Training): void {
    if (this.shouldUpdate(trainer, true)) this.#average!.update(trainer.task.module);
  }

  onValidationStart(trainer: Training): void {
    if (this.nAveraged === 0) return;
    const { module } = trainer.task;
    this.#weights = Object.fromEntries(Object.entries(module.stateDict()).map(([name, tensor]) => [name, tensor.detach().clone()]));
    module.loadStateDict(this.#average!.stateDict());
  }

  onValidationEnd(trainer: Training): void {
    if (!this.#weights) return;
    trainer.task.module.loadStateDict(this.#weights);
    for (const tensor of Object.values(this.#weights)) tensor.dispose();
    this.#weights = undefined;
  }

  onFitEnd(trainer: Training): void {
    if (this.nAveraged > 0) trainer.task.module.loadStateDict(this.#average!.stateDict());
    this.#average?.dispose();
  }

  stateDict(): Savable {
    return { count: this.nAveraged, state: this.nAveraged > 0 ? this.#average!.stateDict() : null };
  }

  loadStateDict(state: unknown): void {
    const { count, state: tensors } = state as { count: number; state: Record<string, Tensor> | null };
    if (!tensors) return;
    const copies = Object.entries(tensors).map(([name, tensor]) => [name, tensor.clone()] as const);
    this.#restored = { state: Object.fromEntries(copies), count: Number(count) };
  }
}

/**
 * The exponential moving average of the weights.
 *
 * @example
 * const trainer = new Trainer({ callbacks: [new EMAWeightAveraging({ decay: 0.999 })] });
 */
export class EMAWeightAveraging extends WeightAveraging {
  readonly name = 'EMAWeightAveraging';
  readonly #every: number;

  constructor(options: { decay?: number; updateEveryNSteps?: number } = {}) {
    const { decay = 0.999, updateEveryNSteps = 1 } = checkOptions('EMAWeightAveraging', options, ['decay', 'updateEveryNSteps']);
    if (!Number.isInteger(updateEveryNSteps) || updateEveryNSteps < 1) {
      throw new LanthornError('argument', 'EMAWeightAveraging', 'updateEveryNSteps is a whole number above 0');
    }
    super(decay);
    this.#every = updateEveryNSteps;
  }

  protected override shouldUpdate(trainer: Training, isEpoch: boolean): boolean {
    return !isEpoch && trainer.globalStep % this.#every === 0;
  }
}

/**
 * The mean of the weights at the ends of epochs, from an epoch on.
 *
 * The mean has no statistics of batch normalization: compute them with
 * `optim.swaUtils.updateBn`.
 *
 * @example
 * const average = new StochasticWeightAveraging({ swaEpochStart: 15 });
 * const trainer = new Trainer({ maxEpochs: 20, callbacks: [average] });
 */
export class StochasticWeightAveraging extends WeightAveraging {
  readonly name = 'StochasticWeightAveraging';
  readonly #start: number;

  constructor(options: { swaEpochStart: number }) {
    const { swaEpochStart } = checkOptions('StochasticWeightAveraging', options, ['swaEpochStart']);
    if (!Number.isInteger(swaEpochStart) || swaEpochStart! < 0) {
      throw new LanthornError('argument', 'StochasticWeightAveraging', 'swaEpochStart is a whole number from 0');
    }
    super(undefined);
    this.#start = swaEpochStart!;
  }

  protected override shouldUpdate(trainer: Training, isEpoch: boolean): boolean {
    return isEpoch && trainer.currentEpoch > this.#start;
  }
}
