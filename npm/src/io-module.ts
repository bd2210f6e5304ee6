/** The WebAssembly module of the readers and writers, fetched at the first use. */
import start, * as module from '../wasm/lanthorn_io.js';
import { checkOptions } from './check.js';
import { readable, type WasmSource } from './core.js';
import { LanthornError, type ErrorKind } from './errors.js';
import { inlined } from './inlined.js';
import { deviceInfo } from './runtime.js';

/** The source of the readers' module. */
export interface InitIoOptions {
  /** The URL of the `.wasm` file, if it is not beside this module. */
  wasmUrl?: string | URL;
  /** The compiled module, for environments that cannot fetch. */
  wasmModule?: WebAssembly.Module | BufferSource;
}

/** The exports of the module. */
export interface FileModule {
  call<T>(run: (files: typeof module) => T): T;
}

/** Why the module cannot be used any more. */
let broken: string | undefined;

const files: FileModule = {
  call(run) {
    if (broken !== undefined) throw new LanthornError('poisoned', 'io', `unusable since an internal error (${broken}); reload to go on`);
    try {
      return run(module);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        broken = error.message;
        throw new LanthornError('file', 'io', `the reader failed (${broken}): most likely there was no room for the file`);
      }
      const kind = error instanceof Error ? (error as Error & { kind?: ErrorKind }).kind : undefined;
      throw kind === undefined ? error : new LanthornError(kind, 'io', (error as Error).message);
    }
  },
};

let loading: Promise<unknown> | undefined;

/**
 * Loads the module before its first use, or from another URL.
 *
 * @example
 * await initIo({ wasmUrl: '/assets/lanthorn_io_bg.wasm' });
 */
export async function initIo(options: InitIoOptions = {}): Promise<void> {
  const { wasmUrl, wasmModule } = checkOptions('initIo', options, ['wasmUrl', 'wasmModule']);
  loading ??= load(wasmModule ?? wasmUrl);
  try {
    await loading;
  } catch (error) {
    loading = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LanthornError('file', 'initIo', `the readers' module did not load (${reason}); is the .wasm file served? See wasmUrl`);
  }
}

async function load(given: WasmSource | undefined): Promise<void> {
  const source = given ?? (await inlined('io')) ?? new URL('../wasm/lanthorn_io_bg.wasm', import.meta.url);
  await start({ module_or_path: await readable(source) });
}

/** The module, loaded. */
export async function fileModule(): Promise<FileModule> {
  await initIo();
  return files;
}

/** Whether the device has float64 and int64. */
export function isWide(): boolean {
  return deviceInfo().device === 'cpu';
}
