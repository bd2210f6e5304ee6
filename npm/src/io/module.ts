/** The WebAssembly module of the readers and writers, fetched at the first use. */
import start, * as module from '../../wasm/lanthorn_io.js';
import { lazyModule, type ModuleSource } from '../core/wasm-module.js';

/** The source of the readers' module. */
export type InitIoOptions = ModuleSource;

/** The exports of the module. */
export interface FileModule {
  call<T>(run: (files: typeof module) => T): T;
}

const readers = lazyModule({
  name: 'io',
  title: "the readers' module",
  content: 'file',
  init: 'initIo',
  file: () => new URL('../../wasm/lanthorn_io_bg.wasm', import.meta.url),
  start,
  exports: module,
});

/**
 * Loads the module before its first use, or from another URL.
 *
 * @example
 * await initIo({ wasmUrl: '/assets/lanthorn_io_bg.wasm' });
 */
export function initIo(options: InitIoOptions = {}): Promise<void> {
  return readers.init(options);
}

/** The module, loaded. */
export async function fileModule(): Promise<FileModule> {
  await initIo();
  return { call: (run) => readers.call('io', run) };
}
