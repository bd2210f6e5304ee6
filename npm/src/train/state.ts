/** The state of a training in a file of PyTorch's format. */
import type { GradScaler } from '../amp/index.js';
import { isPlainObject } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { getRngState, setRngState } from '../core/runtime.js';
import { load, save, type Savable } from '../io/files.js';
import type { Source } from '../io/source.js';
import type { OptimizerState } from '../optim/optimizer-state.js';
import type { SchedulerState } from '../optim/scheduler.js';
import { tensorsIn } from '../tensor/scope.js';
import { Tensor } from '../tensor/tensor.js';
import type { Callback } from './callback.js';
import type { Task } from './task.js';

/** Where a training is. */
export interface Position {
  /** The epoch, from 0. */
  epoch: number;
  /** The number of optimizer steps. */
  step: number;
  /** The number of batches of the epoch that are done. */
  batch: number;
  /** The number of batches whose gradients wait for a step. */
  pending?: number;
}

/** The objects whose states are written. */
export interface Parts {
  task: Task;
  loader: unknown;
  scaler: GradScaler | undefined;
  callbacks: readonly Callback[];
}

/** An object with a state, such as a data loader. */
interface Stateful {
  stateDict(): Savable;
  loadStateDict(state: unknown): void;
}

function isStateful(value: unknown): value is Stateful {
  const { stateDict, loadStateDict } = (value ?? {}) as Partial<Stateful>;
  return typeof stateDict === 'function' && typeof loadStateDict === 'function';
}

/** The keys of a checkpoint are Lightning's where it has them. */
const FORMAT = 'lanthorn.train';

/** The names and states of the callbacks that have one. */
function callbackStates(callbacks: readonly Callback[]): Record<string, Savable> {
  const states: Record<string, Savable> = {};
  for (const callback of callbacks) {
    if (!callback.stateDict) continue;
    if (!callback.name) throw new LanthornError('argument', 'Trainer', 'a callback with a state has a name');
    if (callback.name in states) throw new LanthornError('argument', 'Trainer', `two callbacks with a state have the name ${callback.name}`);
    states[callback.name] = callback.stateDict();
  }
  return states;
}

/** The state as a file. */
export function writeCheckpoint({ task, loader, scaler, callbacks }: Parts, position: Position): Promise<Blob> {
  if (position.pending) {
    throw new LanthornError('argument', 'Trainer.checkpoint', 'gradients wait for a step: write a checkpoint in onTrainStepEnd or onTrainEpochEnd');
  }
  const { seed, offset } = getRngState();
  return save({
    format: FORMAT,
    epoch: position.epoch,
    global_step: position.step,
    batch: position.batch,
    state_dict: task.module.stateDict(),
    optimizer: task.optimizer ? (task.optimizer.stateDict() as Savable) : null,
    lr_scheduler: task.scheduler ? (task.scheduler.stateDict() as Savable) : null,
    scaler: scaler ? scaler.stateDict() : null,
    loader: isStateful(loader) ? loader.stateDict() : null,
    rng: { seed: String(seed), offset },
    callbacks: callbackStates(callbacks),
  }, { format: 'pt' });
}

/** Restores a state, and resolves to where the training is. */
export async function readCheckpoint(source: Source, { task, loader, scaler, callbacks }: Parts): Promise<Position> {
  const state = await load<Record<string, unknown>>(source);
  if (!isPlainObject(state) || state['format'] !== FORMAT) {
    throw new LanthornError('file', 'Trainer.fit', 'the file is no checkpoint of a Trainer');
  }
  const need = (name: string, has: boolean): boolean => {
    if ((state[name] !== null) === has) return has;
    throw new LanthornError('argument', 'Trainer.fit', `the checkpoint has ${has ? 'no' : 'a'} ${name}, and the training has ${has ? 'one' : 'none'}`);
  };
  need('optimizer', task.optimizer !== undefined);
  need('lr_scheduler', task.scheduler !== undefined);
  need('scaler', scaler !== undefined);
  need('loader', isStateful(loader));
  task.module.loadStateDict(state['state_dict'] as Record<string, Tensor>);
  if (task.scheduler) task.scheduler.loadStateDict(state['lr_scheduler'] as SchedulerState);
  // After the schedule, which sets learning rates.
  if (task.optimizer) await task.optimizer.loadStateDict(state['optimizer'] as OptimizerState);
  if (scaler) scaler.loadStateDict(state['scaler'] as { scale: number; _growth_tracker: number });
  if (isStateful(loader)) loader.loadStateDict(state['loader']);
  const states = state['callbacks'] as Record<string, unknown>;
  for (const callback of callbacks) {
    if (callback.loadStateDict && callback.name && callback.name in states) await callback.loadStateDict(states[callback.name]);
  }
  const { seed, offset } = state['rng'] as { seed: string; offset: number };
  setRngState({ seed: BigInt(seed), offset });
  for (const item of tensorsIn(state)) if (item instanceof Tensor) item.dispose();
  return { epoch: Number(state['epoch']), step: Number(state['global_step']), batch: Number(state['batch']) };
}
