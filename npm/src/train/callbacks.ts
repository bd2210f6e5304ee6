/** Callbacks that stop a training, or record its learning rates and gradients. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { getTotalNorm } from '../nn/utils.js';
import { isBetter, type Callback, type Mode, type Training } from './callback.js';

/** Options of {@link EarlyStopping}, with Lightning's names. */
export interface EarlyStoppingOptions {
  /** The value that is watched. */
  monitor: string;
  /** Whether smaller or larger values are better (default: `'min'`). */
  mode?: Mode;
  /** The number of checks without improvement after which the training stops (default: 3). */
  patience?: number;
  /** The least improvement that counts (default: 0). */
  minDelta?: number;
  /** Whether a value that is not finite stops the training (default: true). */
  checkFinite?: boolean;
}

/**
 * Stops a training when a value of validation no longer improves; without validation, at the ends
 * of epochs.
 *
 * @example
 * const stopping = new EarlyStopping({ monitor: 'val_loss', patience: 5 });
 * const trainer = new Trainer({ callbacks: [stopping] });
 */
export class EarlyStopping implements Callback {
  readonly name = 'EarlyStopping';
  readonly #options: Required<EarlyStoppingOptions>;
  #best: number | undefined;
  #wait = 0;
  #checked = -1;

  constructor(options: EarlyStoppingOptions) {
    const { monitor, mode = 'min', patience = 3, minDelta = 0, checkFinite = true } =
      checkOptions('EarlyStopping', options, ['monitor', 'mode', 'patience', 'minDelta', 'checkFinite']);
    checkMonitor('EarlyStopping', monitor, mode);
    this.#options = { monitor: monitor!, mode, patience, minDelta, checkFinite };
  }

  /** The best value so far. */
  get bestScore(): number | undefined {
    return this.#best;
  }

  onValidationEnd(trainer: Training): void {
    this.#checked = trainer.currentEpoch;
    this.#check(trainer);
  }

  onTrainEpochEnd(trainer: Training): void {
    if (this.#checked < 0) this.#check(trainer);
  }

  #check(trainer: Training): void {
    const { monitor, mode, patience, minDelta, checkFinite } = this.#options;
    const value = valueOf('EarlyStopping', trainer, monitor);
    if (checkFinite && !Number.isFinite(value)) {
      trainer.shouldStop = true;
    } else if (isBetter(value, this.#best, mode, minDelta)) {
      this.#best = value;
      this.#wait = 0;
    } else {
      this.#wait += 1;
      if (this.#wait >= patience) trainer.shouldStop = true;
    }
  }

  stateDict() {
    return { best: this.#best ?? null, wait: this.#wait, checked: this.#checked };
  }

  loadStateDict(state: unknown): void {
    const { best, wait, checked } = state as { best: number | null; wait: number; checked: number };
    this.#best = best ?? undefined;
    this.#wait = Number(wait);
    this.#checked = Number(checked);
  }
}

/**
 * Records the learning rate of each group of parameters as `lr`, `lr/1` and so on.
 *
 * @example
 * const [monitor, logger] = [new LearningRateMonitor(), new ConsoleLogger()];
 * const trainer = new Trainer({ callbacks: [monitor], loggers: [logger] });
 */
export class LearningRateMonitor implements Callback {
  onBeforeOptimizerStep(trainer: Training): void {
    for (const [index, group] of trainer.task.optimizer!.paramGroups.entries()) {
      const { lr } = group as { lr?: unknown };
      if (typeof lr === 'number') trainer.record(index === 0 ? 'lr' : `lr/${index}`, lr);
    }
  }
}

/**
 * Records the norm of the gradients before each step, as `grad_norm`.
 *
 * @example
 * const trainer = new Trainer({ callbacks: [new GradientNorm()], loggers: [new ConsoleLogger()] });
 */
export class GradientNorm implements Callback {
  async onBeforeOptimizerStep(trainer: Training): Promise<void> {
    const grads = trainer.task.optimizer!.parameters.map(({ grad }) => grad).filter((grad) => grad !== null);
    if (grads.length > 0) trainer.record('grad_norm', await getTotalNorm(grads).item());
  }
}

/** The value of a name. */
export function valueOf(op: string, trainer: Training, name: string): number {
  const value = trainer.values[name];
  if (value !== undefined) return value;
  const known = Object.keys(trainer.values).join(', ');
  throw new LanthornError('argument', op, `there is no value ${name} to monitor; the values are ${known || 'none'}`);
}

/** Checks the name and the mode of a monitored value. */
export function checkMonitor(op: string, monitor: unknown, mode: unknown): void {
  if (typeof monitor !== 'string') throw new LanthornError('argument', op, 'monitor is the name of a value');
  if (mode !== 'min' && mode !== 'max') throw new LanthornError('argument', op, `mode is 'min' or 'max', not ${String(mode)}`);
}
