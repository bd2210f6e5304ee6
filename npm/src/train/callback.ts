/** The hooks of a training, by the names of Lightning's. */
import type { Savable } from '../io/files.js';
import type { Task, Values } from './task.js';

/** A training, as its callbacks see it. */
export interface Training {
  /** The epoch, from 0. */
  readonly currentEpoch: number;
  /** The number of optimizer steps. */
  readonly globalStep: number;
  /** The latest values by name. */
  readonly values: Values;
  /** The task. */
  readonly task: Task;
  /** Whether the training ends after the step under way. */
  shouldStop: boolean;
  /** Adds a value, which the next logged step has. */
  record(name: string, value: number): void;
  /** The state of the training as a file. */
  checkpoint(): Promise<Blob>;
}

/**
 * An object that a `Trainer` calls at points of a training. Every hook may be async; the
 * training waits for it.
 */
export interface Callback {
  /** The name of its state in a checkpoint. A callback with a state needs one. */
  readonly name?: string;
  /** Before the first step. */
  onFitStart?(trainer: Training): void | Promise<void>;
  /** Before the first batch of an epoch. */
  onTrainEpochStart?(trainer: Training): void | Promise<void>;
  /** After the gradients of a step are computed and clipped, and before the optimizer uses them. */
  onBeforeOptimizerStep?(trainer: Training): void | Promise<void>;
  /** After the optimizer's step. */
  onTrainStepEnd?(trainer: Training): void | Promise<void>;
  /** Before the batches of validation. */
  onValidationStart?(trainer: Training): void | Promise<void>;
  /** After the batches of validation, whose means are in the values. */
  onValidationEnd?(trainer: Training): void | Promise<void>;
  /** After the last batch of an epoch and its validation. */
  onTrainEpochEnd?(trainer: Training): void | Promise<void>;
  /** After the last step, also if an error ended the training. */
  onFitEnd?(trainer: Training): void | Promise<void>;
  /** The state for a checkpoint. */
  stateDict?(): Savable;
  /** Restores the state of a checkpoint. */
  loadStateDict?(state: unknown): void | Promise<void>;
}

/** An object that writes the values of a training. */
export interface Logger {
  /** Writes the values of a step. */
  log(values: Values, step: number): void | Promise<void>;
  /** Writes values that are not written yet. */
  close?(): void | Promise<void>;
}

/** Whether smaller or larger values are better. */
export type Mode = 'min' | 'max';

/** Whether a value is better than the best one, by more than `minDelta`. */
export function isBetter(value: number, best: number | undefined, mode: Mode, minDelta = 0): boolean {
  if (Number.isNaN(value)) return false;
  if (best === undefined) return true;
  return mode === 'min' ? value < best - minDelta : value > best + minDelta;
}
