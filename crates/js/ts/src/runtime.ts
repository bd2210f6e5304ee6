/** Taking a device, and the one way into its core. */
import { checkOptions } from './check.js';
import { loadCore, type Core, type DeviceName, type PerDevice, type WasmSource } from './core.js';
import { LanthornError, type ErrorKind } from './errors.js';
import { withSubgroups } from './subgroups.js';
import { keptTuning } from './tuning-store.js';

export interface InitOptions {
  /** `auto` takes WebGPU where there is an adapter, else the CPU. By default what is in use, at first `auto`. */
  device?: 'auto' | DeviceName;
  /**
   * Where the core is, if not beside this module: `lanthorn_webgpu_bg.wasm` or `lanthorn_cpu_bg.wasm`. A single address is that of the device that is named;
   * `auto` may take either, so it needs `{ webgpu, cpu }`.
   */
  wasmUrl?: PerDevice<string | URL>;
  /** The compiled core, for places that cannot fetch; one, or one a device, as with `wasmUrl`. */
  wasmModule?: PerDevice<WebAssembly.Module | BufferSource>;
}

export interface DeviceInfo {
  /** The device in use. */
  device: DeviceName;
  /** What the adapter or processor calls itself. */
  adapter: string;
}

/** What the last successful init() was asked for and got. */
let current: { requested: 'auto' | DeviceName; info: DeviceInfo; core: Core } | undefined;
/** When the calls of init() so far are done: they take turns. */
let turn: Promise<unknown> = Promise.resolve();
let panic: string | undefined;
/** Who waits for the core. A panic ends what the core was doing, so its promises never settle by themselves. */
const waiting = new Set<(error: LanthornError) => void>();

function poisoned(op = 'lanthorn'): LanthornError {
  return new LanthornError('poisoned', op, `unusable since an internal error (${panic}); please report it, and reload to go on`);
}

function onPanic(message: string): void {
  panic ??= message;
  for (const fail of waiting) fail(poisoned());
  waiting.clear();
}

/** A failure as the class that users catch; what a callback of theirs threw arrives as it is. */
export function translate(error: unknown): unknown {
  if (error instanceof Error && error.name === 'LanthornError' && !(error instanceof LanthornError)) {
    const { kind, op } = error as Error & { kind: ErrorKind; op: string };
    const ours = new LanthornError(kind, op, error.message);
    // The stack of the call, without the frames of this function.
    if (error.stack) ours.stack = error.stack.replace(/^Error/, 'LanthornError');
    return ours;
  }
  if (error instanceof WebAssembly.RuntimeError) {
    onPanic(error.message);
    return poisoned();
  }
  return error;
}

/** Runs a call into the core of the device in use. */
export function enter<T>(call: (wasm: Core) => T): T {
  if (panic !== undefined) throw poisoned();
  if (!current) throw new LanthornError('device', 'lanthorn', 'not initialized: await init() first');
  try {
    return call(current.core);
  } catch (error) {
    throw translate(error);
  }
}

/** The device in use. */
export function deviceInfo(): DeviceInfo {
  enter(() => undefined);
  return current!.info;
}

/** Runs a call that answers later. */
export async function enterAsync<T>(call: (wasm: Core) => Promise<T>): Promise<T> {
  return answered(enter(call));
}

/** The core's answer, or the error that keeps it from coming. */
function answered<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    answer.then(resolve, (error) => reject(translate(error))).finally(() => waiting.delete(reject));
  });
}

/** Whether to look for WebGPU: only pages and their workers have it, and the core must not look elsewhere. */
function mayHaveWebGpu(): boolean {
  const { navigator, Window, DedicatedWorkerGlobalScope: Dedicated } = globalThis as unknown as Record<string, unknown>;
  const place = [Window, Dedicated].some((type) => typeof type === 'function' && globalThis instanceof type);
  return place && (navigator as { gpu?: unknown } | undefined)?.gpu !== undefined;
}

/** Whether the browser has an adapter: where it has none, the core for WebGPU is not worth loading. */
async function hasAdapter(): Promise<boolean> {
  if (!mayHaveWebGpu()) return false;
  const { gpu } = navigator as unknown as { gpu: { requestAdapter(options: object): Promise<object | null> } };
  try {
    return (await gpu.requestAdapter({ powerPreference: 'high-performance' })) !== null;
  } catch {
    return false;
  }
}

/**
 * Takes a device, and loads its core first: the package has one for each, and a page fetches that alone. Calling it again with the same device, or with none, changes nothing; with another one it starts
 * afresh, and the tensors of the first are gone. A lost device is replaced by calling it again. Where it fails, what there was stays in use.
 *
 * @example
 * const { device } = await init({ device: 'auto' });
 * console.log(device); // 'webgpu', or 'cpu' where there is no adapter
 */
export function init(options: InitOptions = {}): Promise<DeviceInfo> {
  const attempt = turn.then(() => start(options));
  turn = attempt.catch(() => {});
  return attempt;
}

/** What the options name for one device, where they tell devices apart. */
const byDevice = <T>(given: PerDevice<T>): given is { webgpu?: T; cpu?: T } =>
  typeof given === 'object' && given !== null && ('webgpu' in given || 'cpu' in given);

/** Where the options say that the core of a device is. */
function sourceOf({ wasmModule, wasmUrl }: InitOptions, device: DeviceName): WasmSource | undefined {
  const [module, url] = [wasmModule, wasmUrl].map((given) => (byDevice<WasmSource | undefined>(given) ? given[device] : given));
  return module ?? url;
}

/** A device, and its core. */
async function take(device: DeviceName, options: InitOptions): Promise<{ core: Core; info: DeviceInfo }> {
  const core = await loadCore(device, sourceOf(options, device), onPanic);
  const open = () => answered(core.initDevice(device)) as Promise<DeviceInfo>;
  return { core, info: await (device === 'webgpu' ? withSubgroups(open) : open()) };
}

/** WebGPU where the browser gives a device, else the CPU. */
async function takeEither(options: InitOptions): Promise<{ core: Core; info: DeviceInfo }> {
  for (const name of ['wasmUrl', 'wasmModule'] as const) {
    if (options[name] && !byDevice<WasmSource>(options[name])) {
      throw new LanthornError('argument', 'init', `${name} is one core, and the device auto may take either; name the device, or give { webgpu, cpu }`);
    }
  }
  if (await hasAdapter()) {
    // A core that does not load is a mistake to be told; a device that cannot be had is not.
    await loadCore('webgpu', sourceOf(options, 'webgpu'), onPanic);
    try {
      return await take('webgpu', options);
    } catch (error) {
      if (panic !== undefined) throw error;
    }
  }
  return take('cpu', options);
}

async function start(options: InitOptions): Promise<DeviceInfo> {
  const given = checkOptions('init', options, ['device', 'wasmUrl', 'wasmModule']);
  const device = given.device ?? current?.requested ?? 'auto';
  if (!['auto', 'webgpu', 'cpu'].includes(device)) {
    throw new LanthornError('device', 'init', `there is no device ${JSON.stringify(device)}; choose webgpu, cpu or auto`);
  }
  if (panic !== undefined) throw poisoned('init');
  const isSame = current?.requested === device || current?.info.device === device;
  if (current && isSame && current.core.deviceLost() === undefined) return current.info;
  if (device === 'webgpu' && !mayHaveWebGpu()) {
    throw new LanthornError('device', 'init', 'there is no WebGPU here; take the device cpu, or auto');
  }
  const { core, info } = await (device === 'auto' ? takeEither(given) : take(device, given));
  if (info.device === 'webgpu') core.tuningSet(await keptTuning(info.adapter));
  // The tensors of the earlier device are gone, as they are where one core takes both.
  if (current && current.core !== core) current.core.releaseDevice();
  current = { requested: device, info, core };
  return info;
}

/** Runs what is recorded and waits until it is done. */
export function synchronize(): Promise<void> {
  return enterAsync((wasm) => wasm.deviceSynchronize());
}

/** Starts the random numbers over from a seed, as `torch.manual_seed`. */
export function manualSeed(seed: number): void {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new LanthornError('argument', 'manualSeed', `a seed is a whole number from 0 to 2^53 - 1, not ${String(seed)}`);
  }
  enter((wasm) => wasm.manualSeed(seed));
}

/** Where the random numbers are: a seed, and how much of its sequence is used up. */
export interface RngState {
  /** 64 bits, as a signed number. */
  seed: number | bigint;
  offset: number;
}

/**
 * Where the random numbers are, as `torch.get_rng_state`: to be kept in a checkpoint. {@link setRngState} goes on from there.
 *
 * @example
 * const state = getRngState();
 * const first = await rand(3).tolist();
 * setRngState(state);
 * await rand(3).tolist(); // as first
 */
export function getRngState(): RngState {
  const [seed = 0n, offset = 0n] = enter((wasm) => wasm.rngState());
  return { seed: BigInt.asIntN(64, seed), offset: Number(offset) };
}

/** Goes to a state that {@link getRngState} gave, as `torch.set_rng_state`. */
export function setRngState(state: RngState): void {
  const { seed, offset } = state ?? {};
  const isWhole = typeof seed === 'bigint' || Number.isSafeInteger(seed);
  if (!isWhole || !Number.isInteger(offset) || offset < 0 || offset >= 2 ** 32) {
    throw new LanthornError('argument', 'setRngState', 'takes an object with seed and offset, as getRngState gives');
  }
  enter((wasm) => wasm.setRngState(BigInt.asUintN(64, BigInt(seed)), offset));
}
