/** Opening a device, and the single entry into its core. */
import { CALLER } from '../generated/kinds.js';
import { checkFunction, checkOptions } from './check.js';
import type { Core, ThreadedCore } from './core.js';
import { attachCore, loadCore, mayHaveThreads, type CoreName, type DeviceName, type Loaded, type PerDevice } from './cores.js';
import type { WasmSource } from './source.js';
import { addFormatter } from './devtools.js';
import { isTaskDue, nextTask } from './event-loop.js';
import { LanthornError, type ErrorKind } from './errors.js';
import { asWorker, mayHaveWebGpu } from './host.js';
import { hasten } from './firefox-queue.js';
import { checkDevice, withDevice, type NativeDevice, type OwnDevice } from './own-device.js';
import { checkMemory, type SharedMemory } from './shared-memory.js';
import { callSite, locateAt, registerHelpers } from './stack.js';
import { withSubgroups, type GpuDevice } from './subgroups.js';
import { canShareMemory, checkThreads, defaultThreads, tellOfOneThread } from './threads.js';
import { keptTuning } from './tuning-store.js';

export interface InitOptions {
  /**
   * `auto` selects WebGPU if there is an adapter, otherwise the CPU. The default is the device in
   * use, at first `auto`.
   */
  device?: 'auto' | DeviceName;
  /**
   * The URL of the core, if it is not in the folder of this module: `lanthorn_webgpu_bg.wasm`,
   * `lanthorn_cpu_bg.wasm` or, for several threads, `lanthorn_cpu_threads_bg.wasm`. A single URL is
   * for the named device with one thread; `auto` may select either, so it needs `{ webgpu, cpu,
   * cpuThreads }`.
   */
  wasmUrl?: PerDevice<string | URL>;
  /**
   * The compiled core, for environments that cannot fetch; one, or one per device, as with
   * `wasmUrl`.
   */
  wasmModule?: PerDevice<WebAssembly.Module | BufferSource>;
  /**
   * A `GPUDevice` that the program has opened, to share buffers with: see `fromGPUBuffer` and
   * `Tensor.gpuBuffer`. The features `subgroups`, `shader-f16` and `timestamp-query`, and limits above
   * the default, are used if it has them.
   */
  gpuDevice?: NativeDevice;
  /**
   * The number of threads of the CPU's kernels, the calling one included, from 1 to 64. More than one
   * needs memory that workers share: Node, Deno, Bun, or a page that is cross-origin isolated;
   * elsewhere there is one, and the console says so. By default there are as many as processors, half
   * of them if there are more than four, and at most 8. Results have the same bits with any number.
   */
  threads?: number;
  /**
   * The memory of another thread, as {@link sharedMemory} returned it there: this worker then
   * shares tensors with it by their handles. It runs its kernels itself, on the CPU. It is the
   * first call of `init` in the worker.
   */
  memory?: SharedMemory;
}

export interface DeviceInfo {
  /** The device in use. */
  device: DeviceName;
  /** The name of the adapter or processor. */
  adapter: string;
}

/** An open device, and its core. */
interface Opened extends Loaded {
  info: DeviceInfo;
  /** The browser's object of a GPU. */
  gpu?: GpuDevice;
}

/** The request and the result of the last successful init(). */
let current: (Opened & { requested: 'auto' | DeviceName; isLost?: boolean }) | undefined;
/** Resolves when the earlier calls of init() are done, because they run one after another. */
let turn: Promise<unknown> = Promise.resolve();
let panic: string | undefined;
/**
 * The pending calls into the core. A panic ends the core's work, so its promises never settle by
 * themselves.
 */
const waiting = new Set<(error: LanthornError) => void>();

function poisonError(op = 'lanthorn'): LanthornError {
  return new LanthornError('poisoned', op, `unusable since an internal error (${panic}); please report it, and reload to go on`);
}

function onPanic(message: string): void {
  panic ??= message;
  for (const fail of waiting) fail(poisonError());
  waiting.clear();
}

/** Kinds of errors whose messages have texts of other languages: file names, shaders. */
export const VERBATIM: readonly string[] = ['device', 'file', 'kernel'];

/** Functions of PyTorch that are options or properties in JavaScript. */
const RENAMED: Readonly<Record<string, string>> = { register_autograd: 'backward', register_fake: 'fake', set_grad: 'grad', share_memory_: 'shareMemory_' };

/** Values of Python and Rust. */
const CONSTANTS: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false', inf: 'Infinity' };

/** Namespaces of functions, whose names are joined by an underscore in the core. */
const NAMESPACED = /^(fft|linalg|special)_/;

/**
 * The core's message in the words of JavaScript: `retain_graph` is `retainGraph`. Values are in
 * quotes, and as they are.
 */
export function inJavaScript(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\b(?:None|True|False|inf)\b|(?<![\w.:/])[a-z][a-z0-9]*(?:_[a-z0-9]+)+_?(?!::|[\w/])/g, (word) => {
    if (word.startsWith('"')) return word;
    if (!word.includes('_')) return CONSTANTS[word] ?? word;
    return RENAMED[word] ?? word.replace(NAMESPACED, '$1.').replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  });
}

/**
 * Converts a failure to the class that users catch; an exception of their callback is unchanged.
 * `caller` is the name under which an operation was called.
 */
export function translate(error: unknown, caller = 'call'): unknown {
  if (error instanceof Error && error.name === 'LanthornError' && !(error instanceof LanthornError)) {
    const thrown = error as Error & { kind: ErrorKind; op: string };
    for (const key of ['op', 'message'] as const) thrown[key] = thrown[key].replaceAll(CALLER, caller);
    // Some engines begin the stack with the message.
    thrown.stack = thrown.stack?.replaceAll(CALLER, caller);
    const { kind, op, message } = thrown;
    if (VERBATIM.includes(kind)) return new LanthornError(kind, op, message, { cause: error });
    return new LanthornError(kind, inJavaScript(op), inJavaScript(message), { cause: error });
  }
  if (error instanceof WebAssembly.RuntimeError) {
    onPanic(error.message);
    return poisonError();
  }
  return error;
}

/**
 * Runs a call into the core of the device in use. `caller` is the name under which an operation is
 * called, for its errors.
 */
export function enter<T>(call: (wasm: Core) => T, caller?: string): T {
  if (panic !== undefined) throw poisonError();
  if (!current) throw new LanthornError('device', 'lanthorn', 'not initialized: await init() first');
  try {
    return call(current.core);
  } catch (error) {
    throw translate(error, caller);
  }
}

/** The device in use. */
export function deviceInfo(): DeviceInfo {
  enter(() => undefined);
  return current!.info;
}

/** Whether the device has float64 and int64. */
export function isWide(): boolean {
  return deviceInfo().device === 'cpu';
}

/**
 * Runs a call that returns a promise. Its error has the stack of the call of `entry`, the function
 * of the package that users call, and names the operation `caller`. The event loop runs before the
 * promise resolves, if it is due; the page's threads start in it.
 */
export async function enterAsync<T>(call: (wasm: Core) => Promise<T>, entry: Function = enterAsync, caller?: string): Promise<T> {
  const answer = withStackOf(enter(call, caller), callSite(entry), caller);
  hasten(current?.gpu, answer);
  if (current?.threads?.areStarting) return (await Promise.all([answer, afterTimer()]))[0];
  const result = await answer;
  if (isTaskDue() && current?.info.device === 'cpu') await nextTask();
  return result;
}

const afterTimer = (): Promise<void> => new Promise((resolve) => { setTimeout(resolve, 0); });

/** The core's answer, or the error that prevents it. */
function withStackOf<T>(answer: Promise<T>, site?: Error, caller?: string): Promise<T> {
  return new Promise((resolve, fail) => {
    const reject = (error: unknown): void => {
      if (site && error instanceof LanthornError) locateAt(error, site);
      fail(error);
    };
    waiting.add(reject);
    answer.then(resolve, (error) => reject(translate(error, caller))).finally(() => waiting.delete(reject));
  });
}

/** Whether the browser has an adapter: without one, the WebGPU core is not worth loading. */
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
 * Opens a device, and loads its core first: the package has one core per device, and a page fetches
 * only that one. Calling it again with the same device, or with none, changes nothing; with another
 * device it starts over, and the tensors of the first are gone. To replace a lost device, call it
 * again. If it fails, the device in use remains.
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

/** The option's value for one device, where devices have different values. */
const byDevice = <T>(given: PerDevice<T>): given is { webgpu?: T; cpu?: T } =>
  typeof given === 'object' && given !== null && ('webgpu' in given || 'cpu' in given || 'cpuThreads' in given);

/** The source of a core according to the options. */
function sourceOf({ wasmModule, wasmUrl }: InitOptions, core: CoreName): WasmSource | undefined {
  const ofCore = (given: PerDevice<WasmSource> | undefined): WasmSource | undefined =>
    byDevice<WasmSource>(given as PerDevice<WasmSource>) ? (given as { [name in CoreName]?: WasmSource })[core] : core === 'cpuThreads' ? undefined : given as WasmSource | undefined;
  return ofCore(wasmModule) ?? ofCore(wasmUrl);
}

/** The core of the CPU that the options need: a program that has its own file of one thread has no other. */
function cpuCore(options: InitOptions): 'cpu' | 'cpuThreads' {
  const hasOwn = (core: CoreName): boolean => sourceOf(options, core) !== undefined;
  const isWanted = (options.threads ?? defaultThreads()) > 1;
  return isWanted && mayHaveThreads() && (hasOwn('cpuThreads') || !hasOwn('cpu')) ? 'cpuThreads' : 'cpu';
}

/** Sets the number of threads of a core of the CPU. */
function withThreads<T extends Loaded>(loaded: T, wanted: number | undefined): T {
  if (loaded.threads) loaded.threads.count = wanted ?? defaultThreads();
  else if (wanted !== undefined && wanted > 1) tellOfOneThread();
  return loaded;
}

/** A device, and its core. */
async function take(device: DeviceName, options: InitOptions): Promise<Opened> {
  // The browser's first adapter takes a while. Asked for now, it is there when the core asks for it.
  if (device === 'webgpu' && !options.gpuDevice) void hasAdapter();
  const name = device === 'cpu' ? cpuCore(options) : device;
  const loaded = options.memory
    ? await attachCore(options.memory, onPanic)
    : await loadCore(name, sourceOf(options, name), onPanic);
  const { core } = loaded;
  if (device === 'cpu' && !options.memory) withThreads(loaded, options.threads);
  const open = () => withStackOf(core.initDevice(device)) as Promise<DeviceInfo>;
  if (options.gpuDevice) {
    // `start` has checked it.
    const gpu = options.gpuDevice as unknown as OwnDevice;
    return { core, info: await asWorker(() => withDevice(gpu, open)), gpu };
  }
  if (device === 'cpu') return { ...loaded, info: await open() };
  const taken: { gpu?: GpuDevice } = {};
  const info = await asWorker(() => withSubgroups(open, (gpu) => { taken.gpu = gpu; }));
  return { core, info, ...taken };
}

/**
 * Whether the browser has an adapter. The core of WebGPU is loaded meanwhile; the download ends if
 * there is none.
 */
async function loadWithAdapter(options: InitOptions): Promise<boolean> {
  if (!mayHaveWebGpu()) return false;
  const adapter = hasAdapter();
  // An answer that is already known loads nothing in vain.
  const known = await Promise.race([adapter, new Promise<undefined>((resolve) => setTimeout(resolve, 0))]);
  if (known === false) return false;
  const download = new AbortController();
  const core = loadCore('webgpu', sourceOf(options, 'webgpu'), onPanic, download.signal);
  core.catch(() => { /* Reported below, if there is an adapter. */ });
  if (!(await adapter)) {
    download.abort();
    return false;
  }
  // A core that does not load is an error to report; a device that is not available is not.
  await core;
  return true;
}

/** WebGPU if the browser provides a device, otherwise the CPU. */
async function takeEither(options: InitOptions): Promise<Opened> {
  for (const name of ['wasmUrl', 'wasmModule'] as const) {
    if (options[name] && !byDevice<WasmSource>(options[name])) {
      throw new LanthornError('argument', 'init', `${name} is one core, and the device auto may take either; name the device, or give { webgpu, cpu }`);
    }
  }
  if (await loadWithAdapter(options)) {
    try {
      return await take('webgpu', options);
    } catch (error) {
      if (panic !== undefined) throw error;
    }
  }
  return take('cpu', options);
}

async function start(options: InitOptions): Promise<DeviceInfo> {
  const given = checkOptions('init', options, ['device', 'wasmUrl', 'wasmModule', 'gpuDevice', 'threads', 'memory']);
  const { gpuDevice, threads } = given;
  if (given.memory !== undefined) checkMemory(given.memory);
  if (threads !== undefined) checkThreads('init', threads);
  if (gpuDevice !== undefined) checkDevice(gpuDevice);
  const wanted = given.device ?? (gpuDevice ? 'webgpu' : current?.requested) ?? 'auto';
  if (gpuDevice && wanted === 'cpu') throw new LanthornError('argument', 'init', 'gpuDevice is for the device webgpu, not for cpu');
  const device = gpuDevice && wanted === 'auto' ? 'webgpu' : given.memory ? 'cpu' : wanted;
  if (given.memory && (wanted === 'webgpu' || gpuDevice)) throw new LanthornError('argument', 'init', 'the memory of another thread is for the device cpu');
  if (!['auto', 'webgpu', 'cpu'].includes(device)) {
    throw new LanthornError('device', 'init', `there is no device ${JSON.stringify(device)}; choose webgpu, cpu or auto`);
  }
  if (panic !== undefined) throw poisonError('init');
  const isOfDevice = (!gpuDevice || current?.gpu === gpuDevice) && (!given.memory || current?.shared?.space === given.memory.space);
  const isSame = (current?.requested === device || current?.info.device === device) && isOfDevice;
  if (current && isSame && !current.isLost && current.core.deviceLost() === undefined) {
    if (current.info.device !== 'cpu' || threads === undefined) return current.info;
    // More threads than one may need the other core.
    if (threads === 1 || current.threads || cpuCore(given) === 'cpu') {
      withThreads(current, threads);
      return current.info;
    }
  }
  if (device === 'webgpu' && !gpuDevice && !mayHaveWebGpu()) {
    throw new LanthornError('device', 'init', 'there is no WebGPU here; take the device cpu, or auto');
  }
  const opened = await (device === 'auto' ? takeEither(given) : take(device, given));
  const { core, info } = opened;
  if (info.device === 'webgpu') core.tuningSet(await keptTuning(info.adapter));
  // The tensors of the earlier device are gone, as when a single core switches devices.
  if (current && current.core !== core) {
    current.core.releaseDevice();
    current.threads?.end();
  }
  const mine: NonNullable<typeof current> = (current = { ...opened, requested: device });
  void opened.gpu?.lost.then(({ reason, message }) => {
    // The end of a device that was replaced is no loss.
    if (current === mine) tellOfLoss(mine, { reason, message });
  });
  if (defaultDtype !== 'float32') core.setDefaultDtype(defaultDtype);
  addFormatter();
  return info;
}

/** Why a device was lost. */
export interface DeviceLoss {
  /** `destroyed` if a program destroyed the device, otherwise `unknown`, as in WebGPU. */
  reason: string;
  /** The browser's explanation, which may be empty. */
  message: string;
}

const lossListeners = new Set<(loss: DeviceLoss) => void>();

function tellOfLoss(device: NonNullable<typeof current>, loss: DeviceLoss): void {
  device.isLost = true;
  for (const listener of [...lossListeners]) {
    // The exception of a listener reaches the page, and no other listener.
    void Promise.resolve(loss).then(listener);
  }
}

/**
 * Calls `listener` when the device is lost, once for each loss, and returns a function that ends
 * that. Pending promises of the device reject with an error of kind `device_lost`; {@link recover}
 * continues.
 *
 * @example
 * const stop = onDeviceLost(({ reason, message }) => console.warn(`the GPU is gone: ${reason} ${message}`));
 */
export function onDeviceLost(listener: (loss: DeviceLoss) => void): () => void {
  checkFunction('onDeviceLost', listener);
  // An own function, so that one listener can be registered twice.
  const own = (loss: DeviceLoss): void => listener(loss);
  lossListeners.add(own);
  return () => void lossListeners.delete(own);
}

/**
 * The number of threads of the CPU's kernels, the calling one included, as `torch.get_num_threads`; 1
 * on WebGPU.
 */
export function getNumThreads(): number {
  enter(() => undefined);
  return current!.threads?.count ?? 1;
}

/**
 * Sets the number of threads of the CPU's kernels, the calling one included, as
 * `torch.set_num_threads`. Workers start when a kernel is large enough for them, and end when they are
 * too many. Where there is only one thread it stays one, and the console says why: see the option
 * `threads` of {@link init}.
 *
 * @example
 * await init({ device: 'cpu', threads: 2 });
 * setNumThreads(1);
 * console.log(getNumThreads()); // 1
 */
export function setNumThreads(threads: number): void {
  checkThreads('setNumThreads', threads);
  enter(() => withThreads(current!, threads));
}

/**
 * The memory of the device in use, for a worker to attach to: `init({ memory })` there. It is plain data for
 * `postMessage`.
 *
 * @example
 * await init({ device: 'cpu', threads: 2 });
 * worker.postMessage({ memory: sharedMemory(), weights: weights.shareMemory_().handle() });
 */
export function sharedMemory(): SharedMemory {
  enter(() => undefined);
  return current!.shared ?? notShared('sharedMemory');
}

function notShared(op: string): never {
  throw new LanthornError('device', op, `the memory of this core is not shared: it is that of the CPU with threads, \
init({ device: 'cpu', threads: 2 }), ${canShareMemory() ? 'which can be had here' : 'for which a page is cross-origin isolated, and Node has version 22 or later'}; \
transfer() of lanthorn/workers sends the elements instead`.replace(/\s+/g, ' '));
}

/** @internal The core on shared memory, for what concerns all of its threads. */
export function enterShared<T>(op: string, call: (wasm: ThreadedCore) => T): T {
  return enter(() => call(current!.threaded ?? notShared(op)));
}

/** @internal The number of this thread, by which it can be ended. */
export function attachedThread(): number {
  return current?.thread ?? -1;
}

/** @internal Whether this thread has opened a device. */
export function isInitialized(): boolean {
  return current !== undefined;
}

/** @internal Whether workers can attach to the memory of the device in use. */
export function isMemoryShared(): boolean {
  return current?.shared !== undefined;
}

/** Runs the recorded kernels and waits until they are done. */
export function synchronize(): Promise<void> {
  return enterAsync((wasm) => wasm.deviceSynchronize(), synchronize);
}

/** The floating-point type that every core takes as its default. */
let defaultDtype = 'float32';

/** @internal Sets the default floating-point type of the core in use and of later ones. */
export function applyDefaultDtype(dtype: string): void {
  if (current) enter((wasm) => wasm.setDefaultDtype(dtype), 'setDefaultDtype');
  defaultDtype = dtype;
}

/** Restarts the random numbers from a seed, as `torch.manual_seed`. */
export function manualSeed(seed: number): void {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new LanthornError('argument', 'manualSeed', `a seed is a whole number from 0 to 2^53 - 1, not ${String(seed)}`);
  }
  enter((wasm) => wasm.manualSeed(seed));
}

/** The state of the random number generator: a seed, and the offset in its sequence. */
export interface RngState {
  /** 64 bits, as a signed number. */
  seed: number | bigint;
  offset: number;
}

/**
 * The state of the random number generator, as `torch.get_rng_state`, for a checkpoint. {@link
 * setRngState} restores it.
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

/** Restores a state from {@link getRngState}, as `torch.set_rng_state`. */
export function setRngState(state: RngState): void {
  const { seed, offset } = state ?? {};
  const isWhole = typeof seed === 'bigint' || Number.isSafeInteger(seed);
  if (!isWhole || !Number.isInteger(offset) || offset < 0 || offset >= 2 ** 32) {
    throw new LanthornError('argument', 'setRngState', 'takes an object with seed and offset, as getRngState gives');
  }
  enter((wasm) => wasm.setRngState(BigInt.asUintN(64, BigInt(seed)), offset));
}

registerHelpers([enter]);
