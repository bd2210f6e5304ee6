/**
 * A loop of training, as Lightning's `Trainer`: epochs of steps with accumulation, mixed precision,
 * validation, callbacks and loggers, that resumes from a checkpoint bit for bit.
 *
 * The loop is written in JavaScript, because batches, hooks and files are awaited. Rejected: a
 * library printed from Rust, which cannot wait for data.
 */
import { autocast, GradScaler } from '../amp/index.js';
import { noGrad } from '../autograd/mode.js';
import { compile } from '../compile/compile.js';
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { Source } from '../io/source.js';
import { Module } from '../nn/module.js';
import { clipGradNorm_ } from '../nn/utils.js';
import { Optimizer } from '../optim/optimizer.js';
import { scope } from '../tensor/scope.js';
import { Tensor } from '../tensor/tensor.js';
import type { Callback, Logger, Training } from './callback.js';
import { Means } from './means.js';
import { readCheckpoint, writeCheckpoint, type Position } from './state.js';
import type { Batches, StepResult, Task, TrainProgress, Values } from './task.js';

/** Options of a {@link Trainer}, with Lightning's names. */
export interface TrainerOptions {
  /** The number of epochs (default: 1000 without `maxSteps`, else any number). */
  maxEpochs?: number;
  /** The number of optimizer steps. */
  maxSteps?: number;
  /** The number of batches whose gradients are added before a step (default: 1). */
  accumulateGradBatches?: number;
  /** The largest norm of the gradients. */
  gradientClipVal?: number;
  /** The types of products: float32, or a half type by `autocast` (default: `'32-true'`). */
  precision?: '32-true' | '16-mixed' | 'bf16-mixed';
  /** Whether `trainingStep` is compiled: it then gets a batch that is an array of tensors. */
  compile?: boolean;
  /** The number of epochs from one validation to the next (default: 1). */
  checkValEveryNEpoch?: number;
  /** The number of steps from one logged step to the next (default: 50). */
  logEveryNSteps?: number;
  /** Hooks, called in this order. */
  callbacks?: readonly Callback[];
  /** Where values are written. */
  loggers?: readonly Logger[];
  /** Ends the training after the step under way. */
  signal?: AbortSignal;
}

const OPTIONS = [
  'maxEpochs', 'maxSteps', 'accumulateGradBatches', 'gradientClipVal', 'precision', 'compile', 'checkValEveryNEpoch', 'logEveryNSteps',
  'callbacks', 'loggers', 'signal',
] as const;

const PRECISIONS = { '32-true': undefined, '16-mixed': 'float16', 'bf16-mixed': 'bfloat16' } as const;

/** An error of a training with the step at which it stopped. */
export class TrainingError extends LanthornError {
  constructor(
    message: string,
    /** The number of optimizer steps before. The module and the optimizer have their state. */
    readonly step: number,
  ) {
    super('argument', 'Trainer.fit', message);
  }
}

/**
 * Trains, validates and predicts. A `progress` event follows each batch.
 *
 * @example
 * const trainer = new Trainer({ maxEpochs: 3 });
 * const trainingStep = ([x, y]) => criterion.call(net.call(x), y);
 * const task = { module: net, optimizer, trainingStep };
 * await trainer.fit(task, loader);
 */
export class Trainer extends EventTarget implements Training {
  readonly #options: TrainerOptions;
  readonly #scaler: GradScaler | undefined;
  readonly #values = new Map<string, number>();
  #task: Task | undefined;
  #loader: unknown;
  #position: Position = { epoch: 0, step: 0, batch: 0 };
  /** Whether a callback asked for the end. */
  shouldStop = false;

  constructor(options: TrainerOptions = {}) {
    super();
    const given = checkOptions('Trainer', options, OPTIONS);
    for (const name of ['maxEpochs', 'maxSteps', 'accumulateGradBatches', 'checkValEveryNEpoch', 'logEveryNSteps'] as const) {
      const value = given[name];
      if (value !== undefined && !(Number.isInteger(value) && value >= 1)) throw refuse(`${name} is a whole number above 0, not ${String(value)}`);
    }
    const { gradientClipVal, precision = '32-true' } = given;
    if (gradientClipVal !== undefined && !(typeof gradientClipVal === 'number' && gradientClipVal > 0)) {
      throw refuse(`gradientClipVal is a number above 0, not ${String(gradientClipVal)}`);
    }
    if (!(precision in PRECISIONS)) throw refuse(`precision is one of ${Object.keys(PRECISIONS).join(', ')}, not ${String(precision)}`);
    for (const name of ['callbacks', 'loggers'] as const) {
      if (given[name] !== undefined && !Array.isArray(given[name])) throw refuse(`${name} is an array, not ${describe(given[name])}`);
    }
    this.#options = given;
    this.#scaler = precision === '16-mixed' ? new GradScaler() : undefined;
  }

  /** The epoch, from 0. */
  get currentEpoch(): number {
    return this.#position.epoch;
  }

  /** The number of optimizer steps. */
  get globalStep(): number {
    return this.#position.step;
  }

  /** The latest values by name: the loss, values of steps, and means of validation. */
  get values(): Values {
    return Object.fromEntries(this.#values);
  }

  /** The task of the run, for callbacks. */
  get task(): Task {
    if (!this.#task) throw refuse('has a task during fit, validate and predict');
    return this.#task;
  }

  /** Adds a value, which the next logged step has. */
  record(name: string, value: number): void {
    this.#values.set(name, value);
  }

  /**
   * Trains a task with the batches of a loader. With a checkpoint of {@link Trainer.checkpoint},
   * the training continues as if it had not been interrupted: with the same batches, random numbers
   * and states. A loader without `stateDict` begins its epoch again.
   *
   * A loss that is not finite ends the training before the optimizer's step, with a {@link
   * TrainingError} that has the step.
   */
  async fit<Batch>(
    task: Task<Batch, unknown>, trainLoader: Batches<Batch>, valLoader?: Batches<Batch> | null, options: { checkpoint?: Source } = {},
  ): Promise<void> {
    const { checkpoint } = checkOptions('Trainer.fit', options, ['checkpoint']);
    this.#begin(task as Task, 'trainingStep');
    if (!(task.optimizer instanceof Optimizer)) throw refuse('fit needs the optimizer of the task');
    checkBatches('trainLoader', trainLoader);
    this.#loader = trainLoader;
    this.#position = { epoch: 0, step: 0, batch: 0 };
    this.shouldStop = false;
    if (checkpoint !== undefined) this.#position = await readCheckpoint(checkpoint, this.#parts());
    const step = this.#lossOf(task as Task);
    await this.#call('onFitStart');
    try {
      while (!this.#isDone()) await this.#epoch(step, trainLoader, valLoader ?? undefined);
    } finally {
      await this.#call('onFitEnd');
      for (const logger of this.#options.loggers ?? []) await logger.close?.();
    }
  }

  /** The means of the values of `validationStep` over the batches of a loader. */
  async validate<Batch>(task: Task<Batch, unknown>, loader: Batches<Batch>): Promise<Values> {
    this.#begin(task as Task, 'validationStep');
    checkBatches('loader', loader);
    return this.#validation(loader);
  }

  /** The results of `predictStep` for the batches of a loader. */
  async predict<Batch, Prediction>(task: Task<Batch, Prediction>, loader: Batches<Batch>): Promise<Prediction[]> {
    this.#begin(task as Task, 'predictStep');
    checkBatches('loader', loader);
    const results: Prediction[] = [];
    await this.#evaluate('predict', loader, (batch) => void results.push(scope(() => task.predictStep!(batch as Batch))));
    return results;
  }

  /**
   * The state of the training as a file: the module, the optimizer, the schedule, the scale, the
   * loader's position, the random numbers and the callbacks. Call it in a hook.
   */
  checkpoint(): Promise<Blob> {
    return writeCheckpoint(this.#parts(), this.#position);
  }

  #parts() {
    return { task: this.task, loader: this.#loader, scaler: this.#scaler, callbacks: this.#options.callbacks ?? [] };
  }

  #begin(task: Task, step: 'trainingStep' | 'validationStep' | 'predictStep'): void {
    if (typeof task !== 'object' || task === null || !(task.module instanceof Module)) {
      throw refuse('takes a task, an object with a module');
    }
    if (typeof task[step] !== 'function') throw refuse(`the task has no function ${step}`);
    this.#task = task;
  }

  #isDone(): boolean {
    const { maxEpochs, maxSteps, signal } = this.#options;
    const { epoch, step } = this.#position;
    const epochs = maxEpochs ?? (maxSteps === undefined ? 1000 : Infinity);
    return this.shouldStop || epoch >= epochs || step >= (maxSteps ?? Infinity) || signal?.aborted === true;
  }

  /** The function that computes the loss of a batch. */
  #lossOf(task: Task): (batch: unknown) => StepResult {
    const dtype = PRECISIONS[this.#options.precision ?? '32-true'];
    const plain = (batch: unknown) => {
      const run = () => task.trainingStep!(batch);
      return dtype === undefined ? run() : autocast({ dtype }, run);
    };
    if (!this.#options.compile) return plain;
    const compiled = compile((...batch: Tensor[]) => plain(batch));
    return (batch) => {
      if (!Array.isArray(batch)) throw refuse(`a compiled step takes batches that are arrays of tensors, not ${describe(batch)}`);
      return compiled(...(batch as Tensor[]));
    };
  }

  async #epoch(lossOf: (batch: unknown) => StepResult, loader: Batches<unknown>, valLoader: Batches<unknown> | undefined): Promise<void> {
    const { checkValEveryNEpoch = 1 } = this.#options;
    const { task } = this;
    task.module.train();
    const position = this.#position;
    if (position.batch === 0) await this.#call('onTrainEpochStart');
    const batches = iterate(loader);
    let isComplete = false;
    try {
      while (!isComplete && !this.#isDone()) isComplete = await scope(() => this.#batch(lossOf, batches, loader));
    } finally {
      await batches.return?.();
    }
    if (!isComplete) return;
    if (position.batch === 0) throw refuse('trainLoader has no batches');
    if (position.pending) await this.#update();
    if (task.scheduler && task.schedulerInterval !== 'step') task.scheduler.step();
    const isDue = (position.epoch + 1) % checkValEveryNEpoch === 0;
    if (valLoader && task.validationStep && isDue) await this.#log(await this.#validation(valLoader));
    position.epoch += 1;
    position.batch = 0;
    await this.#call('onTrainEpochEnd');
  }

  /** Trains with the next batch; resolves to whether there was none. */
  async #batch(lossOf: (batch: unknown) => StepResult, batches: AsyncIterator<unknown>, loader: Batches<unknown>): Promise<boolean> {
    const { accumulateGradBatches = 1 } = this.#options;
    const { value: batch, done } = await batches.next();
    if (done) return true;
    const position = this.#position;
    const { optimizer } = this.task;
    if (!position.pending) optimizer!.zeroGrad();
    const result = lossOf(batch);
    const { loss, ...others } = result instanceof Tensor ? { loss: result } : result;
    if (!(loss instanceof Tensor)) throw refuse(`trainingStep returns a loss, not ${describe(loss)}`);
    const value = await loss.item();
    if (!Number.isFinite(value)) {
      const message = `the loss is ${value} in step ${position.step + 1}, batch ${position.batch} of epoch ${position.epoch}; the state before the step is kept`;
      throw new TrainingError(message, position.step);
    }
    const scaled = accumulateGradBatches === 1 ? loss : loss.div(accumulateGradBatches);
    (this.#scaler ? this.#scaler.scale(scaled) : scaled).backward();
    this.#values.set('loss', value);
    for (const [name, item] of Object.entries(others)) this.#values.set(name, item instanceof Tensor ? await item.item() : item as number);
    position.batch += 1;
    position.pending = (position.pending ?? 0) + 1;
    if (position.pending === accumulateGradBatches) await this.#update();
    this.#tell('fit', position.batch, lengthOf(loader));
    return false;
  }

  /** A step of the optimizer. */
  async #update(): Promise<void> {
    const { gradientClipVal, logEveryNSteps = 50 } = this.#options;
    const { module, optimizer, scheduler, schedulerInterval } = this.task;
    const position = this.#position;
    this.#scaler?.unscale_(optimizer!);
    if (gradientClipVal !== undefined) clipGradNorm_(module.parameters(), gradientClipVal);
    await this.#call('onBeforeOptimizerStep');
    if (this.#scaler) {
      await this.#scaler.step(optimizer!);
      await this.#scaler.update();
    } else {
      await optimizer!.step();
    }
    position.step += 1;
    position.pending = 0;
    if (scheduler && schedulerInterval === 'step') scheduler.step();
    if (position.step % logEveryNSteps === 0) await this.#log(this.values);
    await this.#call('onTrainStepEnd');
  }

  async #validation(loader: Batches<unknown>): Promise<Values> {
    await this.#call('onValidationStart');
    const means = new Means();
    await this.#evaluate('validate', loader, (batch) => means.add(scope(() => this.task.validationStep!(batch))));
    const values = await means.values();
    for (const [name, value] of Object.entries(values)) this.#values.set(name, value);
    await this.#call('onValidationEnd');
    return values;
  }

  /** Calls a function for each batch without gradients, and with the module in `eval` mode. */
  async #evaluate(stage: 'validate' | 'predict', loader: Batches<unknown>, each: (batch: unknown) => void): Promise<void> {
    const { module } = this.task;
    const wasTraining = module.training;
    module.eval();
    try {
      let count = 0;
      for await (const batch of loader) {
        this.#options.signal?.throwIfAborted();
        noGrad(() => each(batch));
        count += 1;
        this.#tell(stage, count, lengthOf(loader));
      }
    } finally {
      module.train(wasTraining);
    }
  }

  #tell(stage: TrainProgress['stage'], batch: number, batches: number | undefined): void {
    const { epoch, step } = this.#position;
    const detail: TrainProgress = { stage, epoch, step, batch, batches, values: this.values };
    this.dispatchEvent(new CustomEvent('progress', { detail }));
  }

  async #log(values: Values): Promise<void> {
    for (const logger of this.#options.loggers ?? []) await logger.log(values, this.#position.step);
  }

  async #call(hook: Exclude<keyof Callback, 'name' | 'stateDict' | 'loadStateDict'>): Promise<void> {
    for (const callback of this.#options.callbacks ?? []) await callback[hook]?.(this);
  }
}

const refuse = (message: string): LanthornError => new LanthornError('argument', 'Trainer', message);

function checkBatches(name: string, loader: unknown): void {
  const isIterable = typeof loader === 'object' && loader !== null && (Symbol.asyncIterator in loader || Symbol.iterator in loader);
  if (!isIterable) throw refuse(`${name} is a data loader or another iterable of batches, not ${describe(loader)}`);
}

/** The number of batches of a loader, if it is known. */
function lengthOf(loader: object): number | undefined {
  const { length } = loader as { length?: unknown };
  return typeof length === 'number' ? length : undefined;
}

async function* iterate(loader: Batches<unknown>): AsyncGenerator<unknown, void, undefined> {
  yield* loader;
}
