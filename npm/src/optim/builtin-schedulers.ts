/**
 * The schedules of the core: the base of those that are printed from its table, and those made of
 * functions and of other schedules.
 */
import { gather } from '../tensor/arguments.js';
import { checkFunction, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { type Optimizer, optimizerHandle } from './optimizer.js';
import { enter } from '../core/runtime.js';
import { checkLastEpoch, coreSchedules, LRScheduler, schedulerHandle, type CoreSchedule, type SchedulerState } from './scheduler.js';
import { specOf } from '../tensor/spec.js';

/** A schedule of the core, in the form that the constructor of {@link LRScheduler} takes. */
function coreSchedule(core: CoreSchedule): Optimizer {
  coreSchedules.add(core);
  return core as unknown as Optimizer;
}

/** A schedule of the core's table. */
export abstract class BuiltinScheduler extends LRScheduler {
  /** @internal */
  constructor(text: string, optimizer: unknown, args: readonly unknown[]) {
    const spec = specOf(text);
    const options = gather(spec, args);
    super(coreSchedule({
      optimizer: optimizer as Optimizer,
      schedulers: [],
      takesGetLr: true,
      open: (own) => {
        const handle = optimizerHandle(spec.name, optimizer);
        return enter((wasm) => wasm.schedulerNew(spec.name, handle, [...options], own));
      },
    }));
  }
}

/** A schedule whose steps depend on a metric. */
export abstract class MeasuredScheduler extends BuiltinScheduler {
  /** Takes the next step with the measured metric. */
  override step(metrics?: number): void {
    if (typeof metrics !== 'number') throw new LanthornError('argument', this.constructor.name, `takes the measured metric, a number, not ${describe(metrics)}`);
    enter((wasm) => wasm.schedulerStep(schedulerHandle(this), metrics));
  }
}

/** A factor of the learning rate at a step: one function for all groups, or one each. */
export type LRLambda = ((step: number) => number) | readonly ((step: number) => number)[];

/** A schedule of functions of the step. */
function ofFunctions(op: string, optimizer: Optimizer, args: readonly unknown[], chained: boolean): Optimizer {
  const [lrLambda, last] = gather(specOf(`${op} lrLambda lastEpoch`), args);
  const lastEpoch = checkLastEpoch(op, last);
  const functions = (Array.isArray(lrLambda) ? [...lrLambda] : [lrLambda]) as Function[];
  for (const one of functions) checkFunction(op, one);
  const open = (): number => {
    const handle = optimizerHandle(op, optimizer);
    return enter((wasm) => wasm.schedulerOfFunctions(handle, functions, chained, lastEpoch));
  };
  return coreSchedule({ optimizer, schedulers: [], takesGetLr: false, open });
}

/**
 * The initial rate times a function of the step.
 *
 * @example
 * new optim.lrScheduler.LambdaLR(optimizer, (step) => 0.95 ** step);
 */
export class LambdaLR extends LRScheduler {
  static override readonly name: string = 'LambdaLR';

  constructor(optimizer: Optimizer, lrLambda: LRLambda, lastEpoch?: number | { lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { lrLambda: LRLambda; lastEpoch?: number });
  constructor(optimizer: Optimizer, ...args: unknown[]) {
    super(ofFunctions('LambdaLR', optimizer, args, false));
  }
}

/** The current rate times a function of the step. */
export class MultiplicativeLR extends LRScheduler {
  static override readonly name: string = 'MultiplicativeLR';

  constructor(optimizer: Optimizer, lrLambda: LRLambda, lastEpoch?: number | { lastEpoch?: number });
  constructor(optimizer: Optimizer, options: { lrLambda: LRLambda; lastEpoch?: number });
  constructor(optimizer: Optimizer, ...args: unknown[]) {
    super(ofFunctions('MultiplicativeLR', optimizer, args, true));
  }
}

/** A schedule of other schedules. */
function ofSchedulers(op: string, given: unknown, optimizer: Optimizer | undefined, milestones?: readonly number[]): Optimizer {
  if (!Array.isArray(given)) throw new LanthornError('argument', op, `takes an array of schedules, not ${describe(given)}`);
  for (const scheduler of given as unknown[]) {
    if (!(scheduler instanceof LRScheduler)) throw new LanthornError('argument', op, `takes schedules, but one is ${describe(scheduler)}`);
    const { step, constructor } = scheduler;
    if (step === LRScheduler.prototype.step || step === MeasuredScheduler.prototype.step) continue;
    throw new LanthornError('argument', op, `does not call the method step of ${constructor.name}, which overrides it: write its rates as getLr()`);
  }
  const schedulers = given as LRScheduler[];
  if (schedulers.length === 0) throw new LanthornError('argument', op, 'got no schedules');
  const common = schedulers[0]!.optimizer;
  if (optimizer && common !== optimizer) throw new LanthornError('argument', op, 'the schedules are of another optimizer');
  const open = (): number => {
    const handles = Uint32Array.from(schedulers, schedulerHandle);
    return enter((wasm) => wasm.schedulerOfSchedulers(handles, milestones && Float64Array.from(milestones)));
  };
  return coreSchedule({ optimizer: common, schedulers, takesGetLr: false, open });
}

/** A schedule of other schedules, whose states are in its own. */
abstract class CombinedScheduler extends LRScheduler {
  get #schedulers(): LRScheduler[] {
    return this.parts.filter((part) => part instanceof LRScheduler);
  }

  override stateDict(): SchedulerState {
    return { ...super.stateDict(), _schedulers: this.#schedulers.map((scheduler) => scheduler.stateDict()) };
  }

  override loadStateDict(state: SchedulerState): void {
    super.loadStateDict(state);
    // The core does not know the fields of classes of the program.
    const { _schedulers: states } = state as { _schedulers?: SchedulerState[] };
    this.#schedulers.forEach((scheduler, index) => scheduler.loadStateDict(states![index]!));
  }
}

/** Schedules in sequence; each milestone starts the next one. */
export class SequentialLR extends CombinedScheduler {
  static override readonly name: string = 'SequentialLR';

  constructor(optimizer: Optimizer, schedulers: readonly LRScheduler[], milestones: readonly number[]);
  constructor(optimizer: Optimizer, options: { schedulers: readonly LRScheduler[]; milestones: readonly number[] });
  constructor(optimizer: Optimizer, ...args: unknown[]) {
    optimizerHandle('SequentialLR', optimizer);
    const [schedulers, milestones] = gather(specOf('SequentialLR schedulers milestones'), args);
    if (!Array.isArray(milestones)) throw new LanthornError('argument', 'SequentialLR', `takes an array of milestones, not ${describe(milestones)}`);
    super(ofSchedulers('SequentialLR', schedulers, optimizer, milestones as number[]));
  }
}

/** Several schedules, all applied at every step. */
export class ChainedScheduler extends CombinedScheduler {
  static override readonly name: string = 'ChainedScheduler';

  constructor(schedulers: readonly LRScheduler[], optimizer?: Optimizer) {
    super(ofSchedulers('ChainedScheduler', schedulers, optimizer));
  }
}
