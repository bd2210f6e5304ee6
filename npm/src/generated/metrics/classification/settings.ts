// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The arguments that classification metrics share. */
import { failure, make } from '../../../library/support.js';
import type { Merging } from '../metric.js';

/** The kind of a target. */
export type Task = 'binary' | 'multiclass' | 'multilabel';

/** How the values of classes or labels become one. */
export type Average = 'micro' | 'macro' | 'weighted' | 'none';

/** The elements of one value, if samples have further dimensions. */
export type MultidimAverage = 'global' | 'samplewise';

/** The checked arguments of a classification metric. */
export class Settings {
  /** @internal */
  readonly op!: string;
  /** @internal */
  readonly task!: Task;
  /** @internal */
  readonly threshold!: number;
  /** @internal */
  readonly count!: number;
  /** @internal */
  readonly average!: Average;
  /** @internal */
  readonly isSamplewise!: boolean;
  /** @internal */
  readonly topK!: number;
  /** @internal */
  readonly ignoreIndex!: number | undefined;

  /** How counts of two batches become one: counts of single samples are kept. */
  merging(): Merging {
    if (this.isSamplewise) return 'cat';
    return 'sum';
  }
}

/**
 * The settings of a metric of counts.
 *
 * @throws `argument` for a threshold outside of 0 to 1, a missing number of classes or labels, or `topK`
 * above the number of classes.
 */
export function statSettings(op: string, task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, average: Average, multidimAverage: MultidimAverage, topK: number, ignoreIndex: number | undefined): Settings {
  if (!(threshold >= 0 && threshold <= 1)) {
    throw failure('argument', op, `threshold must be from 0 to 1, and is ${threshold}`);
  }
  const count = classCount(op, task, numClasses, numLabels);
  if (task === 'multiclass' && (topK < 1 || topK > count)) {
    const message = `top_k must be from 1 to num_classes, ${count}, and is ${topK}`;
    throw failure('argument', op, message);
  }
  const isSamplewise = multidimAverage === 'samplewise';
  return make(Settings, { op, task, threshold, count, average, isSamplewise, topK, ignoreIndex });
}

/**
 * The settings of a metric that has neither averages nor `topK`.
 *
 * @throws The errors of `statSettings`.
 */
export function taskSettings(op: string, task: Task, threshold: number, numClasses: number | undefined, numLabels: number | undefined, ignoreIndex: number | undefined): Settings {
  return statSettings(op, task, threshold, numClasses, numLabels, 'none', 'global', 1, ignoreIndex);
}

/** @throws `argument` for the multilabel task. */
export function refuseMultilabel(op: string, task: Task): void {
  if (task === 'multilabel') {
    throw failure('argument', op, 'task must be binary or multiclass, and is multilabel');
  }
}

function classCount(op: string, task: Task, numClasses: number | undefined, numLabels: number | undefined): number {
  if (task === 'binary') return 2;
  const name = task === 'multiclass' ? 'num_classes' : 'num_labels';
  const given = task === 'multiclass' ? numClasses : numLabels;
  if (given === undefined) throw failure('argument', op, `${name} is required for this task`);
  if (given < 2) {
    throw failure('argument', op, `${name} must be an integer from 2, and is ${given}`);
  }
  return given;
}
