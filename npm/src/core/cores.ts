/** The WebAssembly cores, one for each device: a page fetches only the core of its device. */
import type { Core, ThreadedCore } from './core.js';
import { LanthornError } from './errors.js';
import { fuse, fuseAlike } from './fuse.js';
import { FUSED } from '../../wasm/lanthorn_fused.js';
import { inlined, isInlinedWithout } from './inlined.js';
import type { SharedMemory } from './shared-memory.js';
import { nodeModule, readable, type WasmSource } from './source.js';
import type { Threads } from './thread-pool.js';
import { canShareMemory } from './threads.js';

/** A device by name. */
export type DeviceName = 'webgpu' | 'cpu';

/** A core by name. The CPU has two: one for a single thread, and one whose memory workers can share. */
export type CoreName = DeviceName | 'cpuThreads';

/** A value for the named device, or one for each core. */
export type PerDevice<T> = T | { [core in CoreName]?: T };

/** A core, and the threads of its kernels, if it can have several. */
export interface Loaded {
  core: Core;
  threads?: Threads;
  /** The core's memory, if workers can attach to it. */
  shared?: SharedMemory;
  /** The core with threads, whose memory is shared. */
  threaded?: ThreadedCore;
  /** The number of this thread, if it is attached to the memory of another. */
  thread?: number;
}

const loading: { [name in CoreName]?: Promise<Loaded> } = {};

/**
 * A core, loaded at the first call; after a failure, the next call tries again. The signal ends a
 * download that no caller awaits any more.
 */
export function loadCore(name: CoreName, source: WasmSource | undefined, onPanic: (message: string) => void, signal?: AbortSignal): Promise<Loaded> {
  return (loading[name] ??= load(name, source, onPanic, signal).catch(async (error: unknown) => {
    delete loading[name];
    if (signal?.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const advice = await adviceFor(reason, source ?? ownCore(name));
    throw new LanthornError('device', 'init', `the WebAssembly core did not load (${reason}); ${advice}`, { cause: error });
  }));
}

/** Whether a core can have threads here: memory can be shared, and there is a file or a text of that core. */
export function mayHaveThreads(): boolean {
  return canShareMemory() && !isInlinedWithout('cpuThreads');
}

/** A module with an instruction of SIMD: a function that makes a vector of a byte. */
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);

/** A remedy for a core that does not load. */
async function adviceFor(reason: string, source: WasmSource): Promise<string> {
  if (typeof WebAssembly === 'undefined') return 'there is no WebAssembly here, or it is switched off';
  if (!WebAssembly.validate(SIMD)) return 'WebAssembly has no SIMD here: the browser is too old, or the processor lacks SSE 4.1';
  if (/unsafe-eval|content security policy|\bCSP\b/i.test(reason)) {
    return "the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src";
  }
  const isAddress = typeof source === 'string' || source instanceof URL;
  if (isAddress && !URL.canParse(String(source), globalThis.location?.href)) {
    // A bundler for servers names files as the page would.
    return `${String(source)} is no address here: keep the package out of a server's bundle (with Next, serverExternalPackages: ['lanthorn']), \
or import 'lanthorn/inline'`;
  }
  const answer = isAddress ? await answerOf(source) : undefined;
  if (answer?.ok === false) return `the server answered with status ${answer.status} for ${String(source)}; see wasmUrl`;
  if (answer && /html/.test(answer.headers.get('content-type') ?? '')) {
    return `the server answered with an HTML page for ${String(source)}. With Vite, exclude the package from its bundle of dependencies: \
optimizeDeps: { exclude: ['lanthorn'] }; elsewhere, serve the .wasm file and give its wasmUrl`;
  }
  return 'is the .wasm file served? See wasmUrl';
}

/** The server's answer for this address, if there is one. */
async function answerOf(source: string | URL): Promise<Response | undefined> {
  try {
    return await fetch(source);
  } catch {
    return undefined;
  }
}

async function load(name: CoreName, source: WasmSource | undefined, onPanic: (message: string) => void, signal?: AbortSignal): Promise<Loaded> {
  // Begun before the import of the bindings, so that both come at once.
  const wasm = download(source, name, signal);
  wasm.catch(() => { /* Reported where the core awaits it. */ });
  const loaded = await CORES[name](wasm);
  loaded.core.setPanicHandler(onPanic);
  return loaded;
}

/** The core's module, its bytes, or the answer to a request for it, which can be compiled as it comes. */
async function download(source: WasmSource | undefined, name: CoreName, signal?: AbortSignal): Promise<WebAssembly.Module | BufferSource | Response> {
  const found = await readable(source ?? (await inlined(name)) ?? ownCore(name));
  return typeof found === 'string' || found instanceof URL ? fetch(found, signal ? { signal } : undefined) : found;
}

type Wasm = ReturnType<typeof download>;

// Bundlers emit files that an import names literally, so each file is named in its own import.
// Parcel 2.16 keeps only the exports that it sees in use, and does not see `{ core }`: an object has
// an imported module as `core: core`.
const CORES: { readonly [name in CoreName]: (wasm: Wasm) => Promise<Loaded> } = {
  async webgpu(wasm) {
    const core = await import('../../wasm/lanthorn_webgpu.js');
    await core.default({ module_or_path: wasm });
    return { core: core };
  },

  async cpu(wasm) {
    const core = await import('../../wasm/lanthorn_cpu.js');
    const { memory } = await core.default({ module_or_path: wasm });
    await fuse(FUSED, memory, core.setMicrokernels);
    return { core: core };
  },

  async cpuThreads(wasm) {
    const bindings = Promise.all([import('../../wasm/lanthorn_cpu_threads.js'), import('./thread-pool.js')]);
    const module = await compileModule(await wasm);
    const [core, { sharedMemory, Threads }] = await bindings;
    const memory = sharedMemory();
    await core.default({ module_or_path: module, memory });
    // 52 random bits, which a number holds.
    const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
    core.setMemorySpace(1 + (high % 2 ** 20) * 2 ** 32 + low);
    const threads = await Threads.of(core, module, memory, { fuse, nodeModule });
    const shared: SharedMemory = { lanthorn: 'memory', ...threads.data, space: core.memorySpace() };
    return { core: core, threads, shared, threaded: core };
  },
};

/**
 * The core with threads on the memory of another thread. There is one such core in a thread, so a thread
 * that has opened it for itself cannot attach any more.
 */
export async function attachCore(shared: SharedMemory, onPanic: (message: string) => void): Promise<Loaded> {
  const { module, memory, fused, space } = shared;
  const attach = async (): Promise<Loaded> => {
    const core = await import('../../wasm/lanthorn_cpu_threads.js');
    await core.default({ module_or_path: module, memory });
    const thread = core.attachThread();
    if (fused) await fuseAlike(fused, memory, core.setMicrokernels);
    core.setPanicHandler(onPanic);
    return { core: core, shared, threaded: core, thread };
  };
  const loaded = await (loading.cpuThreads ??= attach().catch((error: unknown) => {
    delete loading.cpuThreads;
    throw new LanthornError('device', 'init', `the core does not run on the memory of another thread (${String(error)})`, { cause: error });
  }));
  if (loaded.shared?.space !== space || loaded.threads) {
    throw new LanthornError('device', 'init', 'this thread has a core with a memory of its own; attach to another before anything else');
  }
  return loaded;
}

/** The module of a core, which its threads share. */
async function compileModule(wasm: WebAssembly.Module | BufferSource | Response): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (!(wasm instanceof Response)) return WebAssembly.compile(wasm);
  // A server may not name the type of the file, without which nothing is compiled as it comes.
  return WebAssembly.compileStreaming(wasm.clone()).catch(async () => WebAssembly.compile(await wasm.arrayBuffer()));
}

/** The core beside this module. */
function ownCore(name: CoreName): URL {
  switch (name) {
    case 'webgpu': return new URL('../../wasm/lanthorn_webgpu_bg.wasm', import.meta.url);
    case 'cpu': return new URL('../../wasm/lanthorn_cpu_bg.wasm', import.meta.url);
    case 'cpuThreads': return new URL('../../wasm/lanthorn_cpu_threads_bg.wasm', import.meta.url);
  }
}
