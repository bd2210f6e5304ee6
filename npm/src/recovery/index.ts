/**
 * Training that outlives its device. A snapshot in the memory of the host has the state of a
 * training; when the device is lost, another is opened, and the program's own objects (modules,
 * optimizers, schedules, tensors) are made again on it and filled from the snapshot.
 *
 * A core forgets a lost device with everything on it, and the CPU has another core. So an object
 * keeps the data to create it again, and its handle is replaced. Rejected: new buffers for the old
 * tensors of the core, which could not continue on the CPU.
 */
import { GradScaler } from '../amp/index.js';
import { checkOptions, describe } from '../core/check.js';
import type { DeviceName } from '../core/cores.js';
import { LanthornError } from '../core/errors.js';
import { Module } from '../nn/module.js';
import { template, type Rebuild } from '../tensor/nested.js';
import { Optimizer } from '../optim/optimizer.js';
import type { OptimizerState } from '../optim/optimizer-state.js';
import {
  deviceInfo, enter, enterAsync, getRngState, init, setRngState, synchronize, type DeviceInfo, type RngState,
} from '../core/runtime.js';
import { LRScheduler } from '../optim/scheduler.js';
import { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';

/** An object whose state is plain values, such as a data loader. */
export interface Stateful {
  stateDict(): unknown;
  loadStateDict(state: unknown): void;
}

/** What {@link autosave} keeps. */
export type Recoverable = Module | Optimizer | LRScheduler | GradScaler | Tensor | Stateful;

/** Options of {@link autosave}. */
export interface AutosaveOptions {
  /** The number of steps from one snapshot to the next; default 50 */
  every?: number;
}

/**
 * After this many losses without a step in between, recovery stops, because another loss would
 * follow.
 */
const MAX_LOSSES = 3;

/** A tensor's elements on the host. */
interface Elements {
  dtype: DType;
  shape: readonly number[];
  requiresGrad: boolean;
  bytes: Uint8Array;
}

/** The state of an optimizer on the host: its tensors, and how it is made of others. */
interface Optimized {
  tensors: Elements[];
  rebuild: Rebuild;
}

/** The state of a training on the host. */
interface Snapshot {
  steps: number;
  rng: RngState;
  tensors: Map<Tensor, Elements>;
  optimizers: Map<Optimizer, Optimized>;
  plain: Map<LRScheduler | GradScaler | Stateful, unknown>;
}

/** The objects of a training in the order in which they can be made again. */
interface Parts {
  optimizers: Set<Optimizer>;
  plain: Set<LRScheduler | GradScaler | Stateful>;
  tensors: Set<Tensor>;
}

/** The objects that a program gave, with those that they need. */
function partsOf(given: Iterable<Recoverable>): Parts {
  const parts: Parts = { optimizers: new Set(), plain: new Set(), tensors: new Set() };
  const seen = new Set<Module>();
  const visit = (item: Recoverable): void => {
    if (item instanceof Tensor) {
      if (!item.isDisposed) parts.tensors.add(item);
    } else if (item instanceof Module) {
      if (seen.has(item)) return;
      seen.add(item);
      for (const [, tensor] of item.ownTensors()) parts.tensors.add(tensor);
      item.children().forEach(visit);
    } else if (item instanceof Optimizer) {
      item.parameters.forEach(visit);
      parts.optimizers.add(item);
    } else {
      if (item instanceof LRScheduler) item.parts.forEach(visit);
      parts.plain.add(item);
    }
  };
  for (const item of given) visit(item);
  return parts;
}

/** The elements of a tensor as they are at the call. */
async function elementsOf(tensor: Tensor): Promise<Elements> {
  const { dtype, shape } = tensor;
  const requiresGrad = tensor.requiresGrad && tensor.isLeaf;
  const bytes = (await enterAsync((wasm) => wasm.tensorRead(tensor.coreHandle))) as Uint8Array;
  return { dtype, shape, requiresGrad, bytes };
}

/** A handle of a new tensor with these elements. */
function upload({ dtype, shape, bytes }: Elements): number {
  return enter((wasm) => wasm.tensorFromBytes(dtype, bytes, Float64Array.from(shape)));
}

/** The moments of an optimizer as they are at the call. */
async function momentsOf(optimizer: Optimizer): Promise<Optimized> {
  const found: Tensor[] = [];
  const rebuild = template('autosave', optimizer.stateDict(), found);
  // The handles are the caller's; pending requests do not need them.
  const taken = found.map((tensor) => {
    const elements = elementsOf(tensor);
    tensor.dispose();
    return elements;
  });
  return { tensors: await Promise.all(taken), rebuild };
}

/** The state of a training as it is at the call, once it is on the host. */
async function take(given: Iterable<Recoverable>, steps: number): Promise<Snapshot> {
  const { tensors, optimizers, plain } = partsOf(given);
  const rng = getRngState();
  const states = Array.from(plain, (item) => [item, structuredClone(item.stateDict())] as const);
  // All reads begin before the first await, so that they see one point of the program.
  const read = Array.from(tensors, async (tensor) => [tensor, await elementsOf(tensor)] as const);
  const moments = Array.from(optimizers, async (optimizer) => [optimizer, await momentsOf(optimizer)] as const);
  const [elements, optimized] = await Promise.all([Promise.all(read), Promise.all(moments)]);
  return { steps, rng, tensors: new Map(elements), optimizers: new Map(optimized), plain: new Map(states) };
}

/** Makes the objects again on the device in use, with the state of the snapshot. */
async function restore(given: Iterable<Recoverable>, snapshot: Snapshot): Promise<void> {
  const { optimizers, plain, tensors } = partsOf(given);
  const elementsFor = (tensor: Tensor): Elements => {
    const elements = snapshot.tensors.get(tensor);
    if (elements) return elements;
    const message = 'a module has a tensor that the snapshot has not; take a snapshot() after a module is changed';
    throw new LanthornError('argument', 'recover', message);
  };
  for (const tensor of tensors) tensor.rebind(upload(elementsFor(tensor)), elementsFor(tensor).requiresGrad);
  for (const optimizer of optimizers) optimizer.reopen();
  for (const item of plain) {
    if (item instanceof LRScheduler || item instanceof GradScaler) item.reopen();
    (item as Stateful).loadStateDict(structuredClone(snapshot.plain.get(item)));
  }
  // After the schedules, which set learning rates when they are made.
  for (const optimizer of optimizers) await restoreMoments(optimizer, snapshot.optimizers.get(optimizer)!);
  setRngState(snapshot.rng);
}

async function restoreMoments(optimizer: Optimizer, { tensors, rebuild }: Optimized): Promise<void> {
  const made = tensors.map((elements) => Tensor.fromCore(upload(elements)));
  await optimizer.loadStateDict(rebuild(made) as OptimizerState);
  for (const tensor of made) tensor.dispose();
}

/** The objects that are kept by {@link autosave}, until `stop()`. */
const active = new Set<Autosave>();
/** The recoveries since the last snapshot. */
let losses = 0;
/** The recovery under way. */
let recovering: Promise<DeviceInfo> | undefined;

/** Restores a training; known to `recover` alone. */
let restoreOf: (saved: Autosave) => Promise<void>;

/** The latest snapshot of a training, from {@link autosave}. */
export class Autosave {
  readonly #given: readonly Recoverable[];
  readonly #every: number;
  #steps = 0;
  #latest: Snapshot | undefined;
  #pending: Promise<Snapshot> | undefined;

  static {
    restoreOf = async (saved) => {
      // Pending reads of the lost device have no result, so the latest snapshot is the last
      // complete one.
      await saved.#pending?.catch(() => {});
      if (!saved.#latest) {
        const message = 'the device was lost before the first snapshot was taken; load a checkpoint';
        throw new LanthornError('argument', 'recover', message);
      }
      await restore(saved.#given, saved.#latest);
      saved.#steps = saved.#latest.steps;
    };
  }

  /** @internal */
  constructor(given: readonly Recoverable[], every: number) {
    this.#given = given;
    this.#every = every;
    active.add(this);
    this.snapshot().catch(() => { /* The program learns of the loss by what it awaits. */ });
  }

  /** The number of completed steps; after {@link recover} the snapshot's. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Counts a step, after the optimizer's and the schedule's, and begins a snapshot if one is due.
   * It does not wait for it: the elements are read while training continues.
   */
  step(): void {
    this.#steps += 1;
    if (this.#steps % this.#every === 0 && !this.#pending) this.snapshot().catch(() => { /* As above. */ });
  }

  /** Takes a snapshot now; resolves to its number of steps when it is on the host. */
  async snapshot(): Promise<number> {
    const taking = take(this.#given, this.#steps);
    this.#pending = taking;
    try {
      const taken = await taking;
      if (!this.#latest || this.#pending === taking) this.#latest = taken;
      losses = 0;
      return taken.steps;
    } finally {
      if (this.#pending === taking) this.#pending = undefined;
    }
  }

  /** Ends it, and forgets the snapshot. */
  stop(): void {
    active.delete(this);
    this.#latest = undefined;
  }
}

/**
 * Keeps the latest state of a training in the memory of the host, for {@link recover}: parameters,
 * buffers, moments, schedules, the random numbers, and the tensors and data loaders that are given.
 * The first snapshot is taken at once.
 *
 * @example
 * const saved = autosave({ net, optimizer, schedule, x, y }, { every: 20 });
 * while (saved.steps < 1000) {
 *   try {
 *     const loss = trainStep(saved.steps);
 *     saved.step();
 *     console.log(await loss.item());
 *   } catch (error) {
 *     if (!(error instanceof LanthornError && error.kind === 'device_lost')) throw error;
 *     await recover(); // goes on from the latest snapshot
 *   }
 * }
 * saved.stop();
 */
export function autosave(state: Readonly<Record<string, Recoverable>>, options: AutosaveOptions = {}): Autosave {
  const { every = 50 } = checkOptions('autosave', options, ['every']);
  const refuse = (message: string): never => { throw new LanthornError('argument', 'autosave', message); };
  if (!Number.isInteger(every) || every < 1) {
    refuse(`the argument every takes a whole number of steps above 0, not ${String(every)}`);
  }
  if (typeof state !== 'object' || state === null) refuse(`takes an object such as { net, optimizer }, not ${describe(state)}`);
  const kinds = 'modules, optimizers, schedules, tensors, and objects with stateDict and loadStateDict';
  for (const [name, item] of Object.entries(state)) {
    const { stateDict, loadStateDict } = (item ?? {}) as Partial<Stateful>;
    const isStateful = typeof stateDict === 'function' && typeof loadStateDict === 'function';
    if (!(item instanceof Tensor) && !isStateful) refuse(`${name} is ${describe(item)}; it takes ${kinds}`);
  }
  deviceInfo();
  return new Autosave(Object.values(state), every);
}

/**
 * Opens the device again after it was lost, or another one, and takes every training that {@link
 * autosave} keeps back to its latest snapshot, in the same objects: modules, optimizers, schedules and
 * the given tensors. Other tensors, and gradients, are gone.
 *
 * @example
 * await recover({ device: 'cpu' });
 */
export function recover(options: { device?: 'auto' | DeviceName } = {}): Promise<DeviceInfo> {
  return (recovering ??= begin(options).finally(() => { recovering = undefined; }));
}

async function begin(options: { device?: 'auto' | DeviceName }): Promise<DeviceInfo> {
  const { device } = checkOptions('recover', options, ['device']);
  if (active.size === 0) {
    const instead = 'call autosave({ net, optimizer }) before training, or init() and load a checkpoint';
    throw new LanthornError('argument', 'recover', `nothing was saved: ${instead}`);
  }
  const lost = deviceInfo().device;
  const instead = "recover({ device: 'cpu' }) goes on on the CPU";
  const isCpu = device === 'cpu' || lost === 'cpu';
  if (!isCpu && losses >= MAX_LOSSES) {
    const message = `the device ${lost} was lost ${losses + 1} times without a snapshot in between; ${instead}`;
    throw new LanthornError('device', 'recover', message);
  }
  losses = isCpu ? 0 : losses + 1;
  let info: DeviceInfo;
  try {
    info = await init(device === undefined ? {} : { device });
  } catch (error) {
    if (isCpu || !(error instanceof LanthornError) || error.kind !== 'device') throw error;
    const message = `the device cannot be opened again (${error.message}); ${instead}`;
    throw new LanthornError('device', 'recover', message, { cause: error });
  }
  for (const saved of active) await restoreOf(saved);
  // If the device is lost again, this rejects, and not the next step.
  await synchronize();
  return info;
}
