/** The WebAssembly cores, one for each device: a page fetches only the core of its device. */
import { LanthornError } from './errors.js';
import { fuse } from './fuse.js';
import { inlined } from './inlined.js';

/** The interface of both cores. */
export type Core = Omit<typeof import('../wasm/lanthorn_cpu.js'), 'default' | 'initSync' | 'setFusedTiles'>;

/** A device by name. */
export type DeviceName = 'webgpu' | 'cpu';

/** A value for the named device, or one for each device. */
export type PerDevice<T> = T | { webgpu?: T; cpu?: T };

/** A source of WebAssembly: a URL, a compiled module, or its bytes. */
export type WasmSource = string | URL | WebAssembly.Module | BufferSource;

const loading: { [device in DeviceName]?: Promise<Core> } = {};

/**
 * The core of a device, loaded at the first call; after a failure, the next call tries again. The
 * signal ends a download that nobody waits for any more.
 */
export function loadCore(device: DeviceName, source: WasmSource | undefined, onPanic: (message: string) => void, signal?: AbortSignal): Promise<Core> {
  return (loading[device] ??= load(device, source, onPanic, signal).catch(async (error: unknown) => {
    delete loading[device];
    if (signal?.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const advice = await adviceFor(reason, source ?? ownCore(device));
    throw new LanthornError('device', 'init', `the WebAssembly core did not load (${reason}); ${advice}`, { cause: error });
  }));
}

/** A remedy for a core that does not load. */
async function adviceFor(reason: string, source: WasmSource): Promise<string> {
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

async function load(device: DeviceName, source: WasmSource | undefined, onPanic: (message: string) => void, signal?: AbortSignal): Promise<Core> {
  // Begun before the import of the bindings, so that both come at once.
  const wasm = { module_or_path: download(source, device, signal) };
  wasm.module_or_path.catch(() => { /* Reported where the core awaits it. */ });
  const core = device === 'webgpu' ? await webgpuCore(wasm) : await cpuCore(wasm);
  core.setPanicHandler(onPanic);
  return core;
}

/** The core's module, its bytes, or the answer to a request for it, which can be compiled as it comes. */
async function download(source: WasmSource | undefined, device: DeviceName, signal?: AbortSignal): Promise<WebAssembly.Module | BufferSource | Response> {
  const found = await readable(source ?? (await inlined(device)) ?? ownCore(device));
  return typeof found === 'string' || found instanceof URL ? fetch(found, signal ? { signal } : undefined) : found;
}

type Wasm = { module_or_path: ReturnType<typeof download> };

// Bundlers emit files that an import names literally, so each file is named in its own import.

async function webgpuCore(wasm: Wasm): Promise<Core> {
  const core = await import('../wasm/lanthorn_webgpu.js');
  await core.default(wasm);
  return core;
}

async function cpuCore(wasm: Wasm): Promise<Core> {
  const core = await import('../wasm/lanthorn_cpu.js');
  const { memory } = await core.default(wasm);
  await fuse(memory, core.setFusedTiles);
  return core;
}

/** The core beside this module. */
function ownCore(device: DeviceName): URL {
  return device === 'webgpu'
    ? new URL('../wasm/lanthorn_webgpu_bg.wasm', import.meta.url)
    : new URL('../wasm/lanthorn_cpu_bg.wasm', import.meta.url);
}

/** A source of WebAssembly that can be loaded: Node cannot fetch a file: URL. */
export async function readable(source: WasmSource) {
  const isFile = source instanceof URL ? source.protocol === 'file:' : typeof source === 'string' && source.startsWith('file:');
  if (!isFile) return source;
  const { readFile } = await nodeModule<{ readFile(path: URL): Promise<BufferSource> }>('node:fs/promises');
  return readFile(new URL(source as string | URL));
}

/** A module of Node. Its name is in a variable, so that bundlers for the page do not resolve it. */
export async function nodeModule<T>(name: string): Promise<T> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<T>;
}
