/**
 * The base of all schedules, and those made from functions and from other schedules; the remaining
 * ones are generated from the core's table.
 */
// For compilers whose libraries do not declare Symbol.dispose yet.
/// <reference lib="esnext.disposable" preserve="true" />
import { gather } from './arguments.js';
import { checkFunction, describe } from './check.js';
import { LanthornError } from './errors.js';
import { type Optimizer, optimizerHandle } from './optimizer.js';
import { specOf } from './spec.js';
import { enter } from './runtime.js';

const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.schedulerDispose(handle));
  } catch {
    // The core is gone, and the schedule with it.
  }
});

/** Changes the learning rates of an optimizer from step to step. */
export abstract class LRScheduler {
  #handle: number;
  readonly #open: () => number;
  /** @internal The optimizer, and the schedules that this one is made of. */
  readonly parts: readonly (Optimizer | LRScheduler)[];

  /** @internal `open` makes the core's schedule of `parts`. */
  constructor(open: () => number, parts: readonly (Optimizer | LRScheduler)[]) {
    this.#open = open;
    this.parts = parts;
    this.#handle = open();
    registry.register(this, this.#handle, this);
  }

  /** @internal Makes the schedule again on the device that replaced a lost one; its parts come first. */
  reopen(): void {
    registry.unregister(this);
    enter((wasm) => wasm.schedulerDispose(this.#handle));
    this.#handle = this.#open();
    registry.register(this, this.#handle, this);
  }

  /** @internal */
  static handles(op: string, schedulers: unknown): Uint32Array {
    if (!Array.isArray(schedulers)) throw new LanthornError('argument', op, `takes an array of schedules, not ${describe(schedulers)}`);
    return Uint32Array.from(schedulers, (scheduler) => {
      if (!(scheduler instanceof LRScheduler)) throw new LanthornError('argument', op, `takes schedules, but one is ${describe(scheduler)}`);
      return scheduler.#handle;
    });
  }

  /** Takes the next step, after the optimizer's. */
  step(): void {
    enter((wasm) => wasm.schedulerStep(this.#handle));
  }

  /** @internal */
  protected measured(value: unknown): void {
    if (typeof value !== 'number') throw new LanthornError('argument', this.constructor.name, `takes what was measured, a number, not ${describe(value)}`);
    enter((wasm) => wasm.schedulerStep(this.#handle, value));
  }

  /** The learning rates of the groups. */
  getLastLr(): number[] {
    return Array.from(enter((wasm) => wasm.schedulerLastLr(this.#handle)));
  }

  /** The state of the schedule, with PyTorch's names: plain values. */
  stateDict(): Record<string, any> {
    return enter((wasm) => wasm.schedulerStateDict(this.#handle));
  }

  /** Loads the state of a schedule of the same kind. */
  loadStateDict(state: Record<string, any>): void {
    if (typeof state !== 'object' || state === null) throw new LanthornError('argument', 'loadStateDict', `takes an object, not ${describe(state)}`);
    enter((wasm) => wasm.schedulerLoadStateDict(this.#handle, state));
  }

  /** Disposes of the schedule. */
  dispose(): void {
    registry.unregister(this);
    enter((wasm) => wasm.schedulerDispose(this.#handle));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A schedule of the core. */
export abstract class BuiltinScheduler extends LRScheduler {
  /** @internal */
  constructor(text: string, optimizer: unknown, args: readonly unknown[]) {
    const spec = specOf(text);
    const options = gather(spec, args);
    super(() => {
      const handle = optimizerHandle(spec.name, optimizer);
      return enter((wasm) => wasm.schedulerNew(spec.name, handle, [...options]));
    }, [optimizer as Optimizer]);
  }
}

/** A factor of the learning rate at a step: one function for all groups, or one each. */
export type LRLambda = ((step: number) => number) | readonly ((step: number) => number)[];

function ofFunctions(op: string, optimizer: Optimizer, lrLambda: LRLambda, chained: boolean, lastEpoch: number): number {
  if (!Number.isInteger(lastEpoch)) throw new LanthornError('argument', op, `the argument lastEpoch takes a whole number, not ${describe(lastEpoch)}`);
  const functions = Array.isArray(lrLambda) ? [...lrLambda] : [lrLambda];
  for (const one of functions) checkFunction(op, one);
  const handle = optimizerHandle(op, optimizer);
  return enter((wasm) => wasm.schedulerOfFunctions(handle, functions, chained, lastEpoch));
}

/**
 * The initial rate times a function of the step.
 *
 * @example
 * new optim.lrScheduler.LambdaLR(optimizer, (step) => 0.95 ** step);
 */
export class LambdaLR extends LRScheduler {
  constructor(optimizer: Optimizer, lrLambda: LRLambda, lastEpoch = -1) {
    super(() => ofFunctions('LambdaLR', optimizer, lrLambda, false, lastEpoch), [optimizer]);
  }
}

/** The current rate times a function of the step. */
export class MultiplicativeLR extends LRScheduler {
  constructor(optimizer: Optimizer, lrLambda: LRLambda, lastEpoch = -1) {
    super(() => ofFunctions('MultiplicativeLR', optimizer, lrLambda, true, lastEpoch), [optimizer]);
  }
}

/** Schedules in sequence; each milestone starts the next one. */
export class SequentialLR extends LRScheduler {
  constructor(optimizer: Optimizer, schedulers: readonly LRScheduler[], milestones: readonly number[]) {
    optimizerHandle('SequentialLR', optimizer);
    LRScheduler.handles('SequentialLR', schedulers);
    if (!Array.isArray(milestones)) throw new LanthornError('argument', 'SequentialLR', `takes an array of milestones, not ${describe(milestones)}`);
    super(() => {
      const handles = LRScheduler.handles('SequentialLR', schedulers);
      return enter((wasm) => wasm.schedulerOfSchedulers(handles, Float64Array.from(milestones)));
    }, [optimizer, ...schedulers]);
  }
}

/** Several schedules, all applied at every step. */
export class ChainedScheduler extends LRScheduler {
  constructor(schedulers: readonly LRScheduler[]) {
    LRScheduler.handles('ChainedScheduler', schedulers);
    super(() => {
      const handles = LRScheduler.handles('ChainedScheduler', schedulers);
      return enter((wasm) => wasm.schedulerOfSchedulers(handles));
    }, schedulers);
  }
}
