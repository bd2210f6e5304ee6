/** The base of all schedules, which programs and the core extend. */
import { gather } from '../tensor/arguments.js';
import { describe, isPlainObject, wrongArgument } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { beforeRates, type Optimizer, optimizerHandle, useRates } from './optimizer.js';
import { enter } from '../core/runtime.js';
import { specOf } from '../tensor/spec.js';
import { registerEntries } from '../core/stack.js';

const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.schedulerDispose(handle));
  } catch {
    // The core is gone, and the schedule with it.
  }
});

/** A value of a schedule's state. */
export type ScheduleValue = number | boolean | string | null | undefined | ScheduleValue[] | { [name: string]: ScheduleValue };

/**
 * The state of a schedule, with PyTorch's names, and the names of the fields of a program's class.
 */
export type SchedulerState = {
  last_epoch: number;
  base_lrs: number[];
  [name: string]: ScheduleValue;
};

/** A schedule of the core. */
export interface CoreSchedule {
  optimizer: Optimizer;
  /** The schedules that it combines. */
  schedulers: readonly LRScheduler[];
  /** Makes the core's schedule; with a function of the rates that replaces its rule. */
  open(own?: () => number[]): number;
  /** Whether a class that extends this one may have a method `getLr`. */
  takesGetLr: boolean;
}

/** @internal The schedules of the core, as the constructor takes them. */
export const coreSchedules = new WeakSet<object>();

/** The core's handle of a schedule. */
export let schedulerHandle: (scheduler: LRScheduler) => number;

/** Whether a value is data without a class, such as a checkpoint has. */
function isData(value: unknown, depth = 0): value is ScheduleValue {
  if (depth > 8) return false;
  if (Array.isArray(value)) return value.every((item) => isData(item, depth + 1));
  if (isPlainObject(value)) return Object.values(value).every((item) => isData(item, depth + 1));
  return value === null || ['number', 'boolean', 'string'].includes(typeof value);
}

const LAST_EPOCH = specOf('LRScheduler lastEpoch');

/** @internal The step that a schedule begins after, given by position or by name. */
export function checkLastEpoch(op: string, value: unknown): number {
  const lastEpoch = value ?? -1;
  if (Number.isInteger(lastEpoch)) return lastEpoch as number;
  throw wrongArgument(op, 'lastEpoch', 'a whole number', describe(lastEpoch));
}

/**
 * Changes the learning rates of an optimizer from step to step, as
 * `torch.optim.lr_scheduler.LRScheduler`. Extend this class to write a schedule: `getLr` returns
 * the rates of the groups at step `lastEpoch`. It is called at each `step()`, and for step 0 when
 * the rates are used for the first time, so that a constructor may set its fields after `super`.
 *
 * @example
 * class WarmUp extends optim.lrScheduler.LRScheduler {
 *   steps = 10;
 *
 *   getLr() { return this.baseLrs.map((lr) => lr * Math.min(1, (this.lastEpoch + 1) / this.steps)); }
 * }
 */
export abstract class LRScheduler {
  #handle: number;
  readonly #core: CoreSchedule | undefined;
  readonly #optimizer: Optimizer;
  readonly #lastEpoch: number = -1;
  #isDisposed = false;

  static {
    registerEntries([this]);
    schedulerHandle = (scheduler) => scheduler.#used;
  }

  /** A schedule that starts at step 0, or after the steps of another run, whose state the optimizer has. */
  constructor(optimizer: Optimizer, lastEpoch?: number | { lastEpoch?: number }) {
    if (typeof optimizer === 'object' && optimizer !== null && coreSchedules.has(optimizer)) {
      this.#core = optimizer as unknown as CoreSchedule;
      this.#optimizer = this.#core.optimizer;
    } else {
      // Refuses anything but an optimizer.
      optimizerHandle(this.constructor.name, optimizer);
      this.#optimizer = optimizer;
      this.#lastEpoch = checkLastEpoch(this.constructor.name, gather(LAST_EPOCH, [lastEpoch])[0]);
    }
    this.#handle = this.#open();
    if (this.#hasOwnRates) beforeRates(this.#optimizer, () => this.#isDisposed || enter((wasm) => wasm.schedulerStart(this.#handle)));
  }

  /** Whether a method of the program computes the rates. */
  get #hasOwnRates(): boolean {
    return !this.#core || this.getLr !== LRScheduler.prototype.getLr;
  }

  #open(): number {
    const name = this.constructor.name;
    const hasOwn = this.#hasOwnRates;
    if (hasOwn && this.#core && !this.#core.takesGetLr) {
      throw new LanthornError('argument', `${name}.getLr`, 'is not called, because other functions compute the rates; extend LRScheduler instead');
    }
    // The core keeps the function, which must not keep the schedule.
    const self = new WeakRef(this);
    const rates = (): number[] => {
      const schedule = self.deref();
      return schedule ? schedule.#rates() : [];
    };
    const open = this.#core ? this.#core.open : () => enter((wasm) => wasm.schedulerOwn(optimizerHandle(name, this.#optimizer), rates, this.#lastEpoch));
    const handle = open(hasOwn ? rates : undefined);
    registry.register(this, handle, this);
    return handle;
  }

  /** The rates of the program's method. */
  #rates(): number[] {
    const op = `${this.constructor.name}.getLr`;
    const refuse = (what: string): never => {
      throw new LanthornError('argument', op, `must return an array of numbers, the rates of the ${this.#optimizer.paramGroups.length} parameter groups, not ${what}`);
    };
    const rates: unknown = this.getLr();
    if (!Array.isArray(rates)) return refuse(describe(rates));
    const odd = rates.findIndex((rate) => typeof rate !== 'number' || Number.isNaN(rate));
    if (odd >= 0) refuse(`an array with ${typeof rates[odd] === 'number' ? 'NaN' : describe(rates[odd])} for group ${odd}`);
    const counts = [this.#optimizer.paramGroups.length, this.#state.base_lrs.length];
    if (!counts.includes(rates.length)) refuse(`an array with ${rates.length}`);
    return rates as number[];
  }

  /** The handle, after the rates of the first step are set. */
  get #used(): number {
    useRates(this.#optimizer);
    return this.#handle;
  }

  /** @internal The optimizer, and the schedules that this one is made of. */
  get parts(): readonly (Optimizer | LRScheduler)[] {
    return [this.#optimizer, ...(this.#core?.schedulers ?? [])];
  }

  /** @internal Makes the schedule again on the device that replaced a lost one; its parts come first. */
  reopen(): void {
    registry.unregister(this);
    enter((wasm) => wasm.schedulerDispose(this.#handle));
    this.#handle = this.#open();
  }

  /** The optimizer whose rates the schedule changes. */
  get optimizer(): Optimizer {
    return this.#optimizer;
  }

  get #state(): SchedulerState {
    return enter((wasm) => wasm.schedulerStateDict(this.#handle)) as SchedulerState;
  }

  #change(changes: Partial<SchedulerState>): void {
    enter((wasm) => wasm.schedulerLoadStateDict(this.#handle, { ...this.#state, ...changes }));
  }

  /** The number of steps taken. */
  get lastEpoch(): number {
    return this.#state.last_epoch;
  }

  set lastEpoch(lastEpoch: number) {
    this.#change({ last_epoch: checkLastEpoch(this.constructor.name, lastEpoch) });
  }

  /** The initial rates of the groups. A new list can be assigned; the list itself cannot be changed. */
  get baseLrs(): readonly number[] {
    return Object.freeze(this.#state.base_lrs);
  }

  set baseLrs(rates: readonly number[]) {
    this.#change({ base_lrs: [...rates] });
  }

  /**
   * The rates of the groups at step `lastEpoch`. A class that extends {@link LRScheduler}
   * implements it; one that extends another schedule may, and `super.getLr()` returns that
   * schedule's rates.
   */
  getLr(): number[] {
    if (!this.#core) throw new LanthornError('argument', `${this.constructor.name}.getLr`, 'is not implemented: a class that extends LRScheduler has a method getLr()');
    return Array.from(enter((wasm) => wasm.schedulerRates(this.#handle)));
  }

  /** Takes the next step, after the optimizer's. */
  step(): void {
    enter((wasm) => wasm.schedulerStep(this.#used));
  }

  /** The learning rates of the groups. */
  getLastLr(): number[] {
    return Array.from(enter((wasm) => wasm.schedulerLastLr(this.#used)));
  }

  /**
   * The state of the schedule, with PyTorch's names: plain values. Fields of a program's class are
   * among them if they are plain data.
   */
  stateDict(): SchedulerState {
    useRates(this.#optimizer);
    const fields = Object.entries(this).filter(([, value]) => isData(value));
    return { ...structuredClone(Object.fromEntries(fields)) as object, ...this.#state };
  }

  /** Loads the state of a schedule of the same kind. */
  loadStateDict(state: SchedulerState): void {
    if (typeof state !== 'object' || state === null) throw new LanthornError('argument', 'loadStateDict', `takes an object, not ${describe(state)}`);
    const known = this.#state;
    enter((wasm) => wasm.schedulerLoadStateDict(this.#used, state));
    for (const [name, value] of Object.entries(state)) {
      const isField = !Object.hasOwn(known, name) && (Object.hasOwn(this, name) || !(name in this));
      if (isField && !name.startsWith('_')) (this as Record<string, unknown>)[name] = structuredClone(value);
    }
  }

  /** Disposes of the schedule. */
  dispose(): void {
    this.#isDisposed = true;
    registry.unregister(this);
    enter((wasm) => wasm.schedulerDispose(this.#handle));
  }

  [dispose](): void {
    this.dispose();
  }
}
