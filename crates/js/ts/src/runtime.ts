/** Loading the WebAssembly core, and the one way into it. */
import load, * as core from '../wasm/lanthorn.js';
import { LanthornError, type ErrorKind } from './errors.js';

export interface InitOptions {
  /** `auto` takes WebGPU where there is an adapter, else the CPU. */
  device?: 'auto' | 'webgpu' | 'cpu';
  /** Where the `.wasm` file is, if not beside this module. */
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

let loading: Promise<unknown> | undefined;
let ready: Promise<DeviceInfo> | undefined;
let requested: string | undefined;
let panic: string | undefined;

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
    panic ??= error.message;
    return new LanthornError('poisoned', 'lanthorn', `internal error: ${panic}; please report it, and reload to go on`);
  }
  return error;
}

/** Runs a call into the core. */
export function enter<T>(call: (wasm: typeof core) => T): T {
  if (panic !== undefined) {
    throw new LanthornError('poisoned', 'lanthorn', `unusable since an internal error (${panic}); reload to go on`);
  }
  if (!ready) throw new LanthornError('device', 'lanthorn', 'not initialized: await init() first');
  try {
    return call(core);
  } catch (error) {
    throw translate(error);
  }
}

/** Runs a call that answers later. */
export async function enterAsync<T>(call: (wasm: typeof core) => Promise<T>): Promise<T> {
  try {
    return await enter(call);
  } catch (error) {
    throw translate(error);
  }
}

async function loadCore(options: InitOptions): Promise<void> {
  const source = options.wasmModule ?? options.wasmUrl ?? new URL('../wasm/lanthorn_bg.wasm', import.meta.url);
  try {
    await load({ module_or_path: await readable(source) });
  } catch (error) {
    loading = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LanthornError('device', 'init', `the WebAssembly core did not load (${reason}); is the .wasm file served? See wasmUrl`);
  }
  core.setPanicHandler((message: string) => { panic ??= message; });
}

/** Node cannot fetch a file: URL. */
async function readable(source: string | URL | WebAssembly.Module | BufferSource) {
  const isFile = source instanceof URL ? source.protocol === 'file:' : typeof source === 'string' && source.startsWith('file:');
  if (!isFile) return source;
  // Named in a variable, so that bundlers for the page do not look for it.
  const name = 'node:fs/promises';
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ name);
  return readFile(new URL(source as string | URL)) as Promise<BufferSource>;
}

/**
 * Loads the core and takes a device. Calling it again with the same device changes nothing; with another one it starts afresh, and
 * the tensors of the first are gone. A lost device is replaced by calling it again.
 *
 * @example
 * const { device } = await init({ device: 'auto' });
 * console.log(device); // 'webgpu', or 'cpu' where there is no adapter
 */
export async function init(options: InitOptions = {}): Promise<DeviceInfo> {
  const device = options.device ?? 'auto';
  if (!['auto', 'webgpu', 'cpu'].includes(device)) {
    throw new LanthornError('device', 'init', `there is no device ${JSON.stringify(device)}; choose webgpu, cpu or auto`);
  }
  if (panic !== undefined) {
    throw new LanthornError('poisoned', 'init', `unusable since an internal error (${panic}); reload to go on`);
  }
  if (ready && requested === device && !(await isLost())) return ready;
  requested = device;
  loading ??= loadCore(options);
  const attempt = loading.then(() => core.initDevice(device)).then((info) => info as DeviceInfo);
  ready = attempt.catch((error) => {
    ready = undefined;
    throw translate(error);
  });
  return ready;
}

async function isLost(): Promise<boolean> {
  try {
    await ready;
    return core.deviceLost() !== undefined;
  } catch {
    return true;
  }
}

/** What the device holds and has done. */
export interface MemoryInfo {
  /** Tensors that JavaScript holds. */
  tensors: number;
  /** Bytes in buffers that hold values. */
  bytes: number;
  /** The most that `bytes` has been. */
  peakBytes: number;
  /** Bytes in buffers that wait to be used again. */
  pooledBytes: number;
  /** Buffers made so far. */
  buffersCreated: number;
  /** Kernels launched so far. */
  launches: number;
  /** Submissions so far. */
  submissions: number;
  /** Windows of work that ran a plan made before. */
  planHits: number;
  /** Windows of work whose plan had to be made. */
  planMisses: number;
}

/** What the device holds and has done. */
export function memory(): MemoryInfo {
  return enter((wasm) => wasm.deviceStats()) as MemoryInfo;
}

/** Runs what is recorded and waits until it is done. */
export function synchronize(): Promise<void> {
  return enterAsync((wasm) => wasm.deviceSynchronize());
}

/** Starts the random numbers over from a seed, as `torch.manual_seed`. */
export function manualSeed(seed: number): void {
  enter((wasm) => wasm.manualSeed(seed));
}
