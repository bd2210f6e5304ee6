/** Loading the WebAssembly core, and the one way into it. */
import load, * as core from '../wasm/lanthorn.js';
import { checkOptions } from './check.js';
import { LanthornError, type ErrorKind } from './errors.js';
import { keptTuning } from './tuning-store.js';

export interface InitOptions {
  /** `auto` takes WebGPU where there is an adapter, else the CPU. By default what is in use, at first `auto`. */
  device?: 'auto' | 'webgpu' | 'cpu';
  /** Where the `.wasm` file is, if not beside this module: `lanthorn_bg.wasm`, or `lanthorn_relaxed_bg.wasm` for engines with relaxed SIMD. */
  wasmUrl?: string | URL;
  /** The compiled core, for places that cannot fetch. */
  wasmModule?: WebAssembly.Module | BufferSource;
}

export interface DeviceInfo {
  /** The device in use. */
  device: 'webgpu' | 'cpu';
  /** What the adapter or processor calls itself. */
  adapter: string;
}

let loading: Promise<void> | undefined;
/** What the last successful init() was asked for and got. */
let current: { requested: string; info: DeviceInfo } | undefined;
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

/** Runs a call into the core. */
export function enter<T>(call: (wasm: typeof core) => T): T {
  if (panic !== undefined) throw poisoned();
  if (!current) throw new LanthornError('device', 'lanthorn', 'not initialized: await init() first');
  try {
    return call(core);
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
export async function enterAsync<T>(call: (wasm: typeof core) => Promise<T>): Promise<T> {
  return answered(enter(call));
}

/** The core's answer, or the error that keeps it from coming. */
function answered<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    answer.then(resolve, (error) => reject(translate(error))).finally(() => waiting.delete(reject));
  });
}

async function loadCore(options: InitOptions): Promise<void> {
  const source = options.wasmModule ?? options.wasmUrl ?? ownCore();
  try {
    await load({ module_or_path: await readable(source) });
  } catch (error) {
    loading = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LanthornError('device', 'init', `the WebAssembly core did not load (${reason}); is the .wasm file served? See wasmUrl`);
  }
  core.setPanicHandler(onPanic);
}

/** A module with one instruction of relaxed SIMD: a function that gives `i8x16.relaxed_swizzle` of two constants. */
const RELAXED = [
  ...[0, 97, 115, 109, 1, 0, 0, 0], // magic and version
  ...[1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0], // one function, of nothing to a vector
  ...[10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
];

/** The core beside this module: the one whose products fuse multiplication and addition, where the engine can. */
function ownCore(): URL {
  return WebAssembly.validate(Uint8Array.from(RELAXED))
    ? new URL('../wasm/lanthorn_relaxed_bg.wasm', import.meta.url)
    : new URL('../wasm/lanthorn_bg.wasm', import.meta.url);
}

/** A source of WebAssembly that can be loaded: Node cannot fetch a file: URL. @internal */
export async function readable(source: string | URL | WebAssembly.Module | BufferSource) {
  const isFile = source instanceof URL ? source.protocol === 'file:' : typeof source === 'string' && source.startsWith('file:');
  if (!isFile) return source;
  // Named in a variable, so that bundlers for the page do not look for it.
  const name = 'node:fs/promises';
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ name);
  return readFile(new URL(source as string | URL)) as Promise<BufferSource>;
}

/** Whether to look for WebGPU: only pages and their workers have it, and the core must not look elsewhere. */
function mayHaveWebGpu(): boolean {
  const { navigator, Window, DedicatedWorkerGlobalScope: Dedicated } = globalThis as unknown as Record<string, unknown>;
  const place = [Window, Dedicated].some((type) => typeof type === 'function' && globalThis instanceof type);
  return place && (navigator as { gpu?: unknown } | undefined)?.gpu !== undefined;
}

/**
 * Loads the core and takes a device. Calling it again with the same device, or with none, changes nothing; with another one it starts
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

async function start(options: InitOptions): Promise<DeviceInfo> {
  const given = checkOptions('init', options, ['device', 'wasmUrl', 'wasmModule']);
  const device = given.device ?? current?.requested ?? 'auto';
  if (!['auto', 'webgpu', 'cpu'].includes(device)) {
    throw new LanthornError('device', 'init', `there is no device ${JSON.stringify(device)}; choose webgpu, cpu or auto`);
  }
  if (panic !== undefined) throw poisoned('init');
  const isSame = current?.requested === device || current?.info.device === device;
  if (current && isSame && core.deviceLost() === undefined) return current.info;
  if (device === 'webgpu' && !mayHaveWebGpu()) {
    throw new LanthornError('device', 'init', 'there is no WebGPU here; take the device cpu, or auto');
  }
  await (loading ??= loadCore(given));
  const info = (await answered(core.initDevice(mayHaveWebGpu() ? device : 'cpu'))) as DeviceInfo;
  if (info.device === 'webgpu') core.tuningSet(await keptTuning(info.adapter));
  current = { requested: device, info };
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
