/** The WebAssembly module of programs, fetched at the first use. */
import start, * as module from '../wasm/lanthorn_program.js';
import { lazyModule, type ModuleSource } from './wasm-module.js';

/** The source of the module of programs. */
export type InitProgramOptions = ModuleSource;

const programs = lazyModule({
  name: 'program',
  title: 'the module of programs',
  content: 'program',
  init: 'initProgram',
  file: () => new URL('../wasm/lanthorn_program_bg.wasm', import.meta.url),
  start,
  exports: module,
});

/** Runs a call into the module. A promise that it gives has errors of the same kind. */
export const callModule = programs.call;

/**
 * Loads the module of programs before its first use, or from another URL.
 *
 * @example
 * await initProgram({ wasmUrl: '/assets/lanthorn_program_bg.wasm' });
 */
export function initProgram(options: InitProgramOptions = {}): Promise<void> {
  return programs.init(options);
}
