/** The task of a training, and its values. */
import type { Module } from '../nn/module.js';
import type { Optimizer } from '../optim/optimizer.js';
import type { LRScheduler } from '../optim/scheduler.js';
import type { Tensor } from '../tensor/tensor.js';

/** Numbers by name: losses, metrics, learning rates. */
export type Values = Readonly<Record<string, number>>;

/** A loss with other values of a step, which are logged. */
export type StepResult = Tensor | ({ loss: Tensor } & Record<string, Tensor | number>);

/** A module, its optimizer, and its steps. */
export interface Task<Batch = unknown, Prediction = unknown> {
  /** The module, whose mode and state are the trainer's. */
  module: Module;
  /** The optimizer of its parameters; needed by `fit`. */
  optimizer?: Optimizer;
  /** A schedule of learning rates. */
  scheduler?: LRScheduler;
  /** When the schedule makes a step (default: each epoch). */
  schedulerInterval?: 'step' | 'epoch';
  /** The loss of a batch, or an object with `loss` and values to log. */
  trainingStep?(batch: Batch): StepResult;
  /** Values of a batch; their means over the batches are logged. */
  validationStep?(batch: Batch): Record<string, Tensor | number>;
  /** The prediction of a batch. */
  predictStep?(batch: Batch): Prediction;
}

/** Batches, which may be awaited, such as a data loader. */
export type Batches<Batch> = Iterable<Batch> | AsyncIterable<Batch>;

/** The `detail` of a `progress` event. */
export interface TrainProgress {
  /** The method under way. */
  stage: 'fit' | 'validate' | 'predict';
  /** The epoch, from 0. */
  epoch: number;
  /** The number of optimizer steps. */
  step: number;
  /** The number of batches of the epoch that are done. */
  batch: number;
  /** The number of batches of an epoch, if it is known. */
  batches: number | undefined;
  /** The latest values. */
  values: Values;
}
