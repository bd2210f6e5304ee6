/** The WebAssembly module of programs, fetched at the first use. */
import start, * as module from '../wasm/lanthorn_program.js';
import { checkOptions } from './check.js';
import { readable, type WasmSource } from './core.js';
import { LanthornError, type ErrorKind } from './errors.js';
import { inlined } from './inlined.js';
import { registerHelpers } from './stack.js';

/** The source of the module of programs. */
export interface InitProgramOptions {
  /** The URL of the `.wasm` file, if it is not beside this module. */
  wasmUrl?: string | URL;
  /** The compiled module, for environments that cannot fetch. */
  wasmModule?: WebAssembly.Module | BufferSource;
}

/** Why the module cannot be used any more. */
let broken: string | undefined;

/** The error that users catch. */
function translate(op: string, error: unknown): unknown {
  if (error instanceof WebAssembly.RuntimeError) {
    broken = error.message;
    return new LanthornError('file', op, `the module of programs failed (${broken}): most likely there was no room for the program`);
  }
  const kind = error instanceof Error && !(error instanceof LanthornError) ? (error as Error & { kind?: ErrorKind }).kind : undefined;
  return kind === undefined ? error : new LanthornError(kind, op, (error as Error).message);
}

/** Runs a call into the module. A promise that it gives has errors of the same kind. */
export function callModule<T>(op: string, run: (programs: typeof module) => T): T {
  if (broken !== undefined) throw new LanthornError('poisoned', op, `unusable since an internal error (${broken}); reload to go on`);
  let result: T;
  try {
    result = run(module);
  } catch (error) {
    throw translate(op, error);
  }
  if (!(result instanceof Promise)) return result;
  return result.catch((error: unknown) => { throw translate(op, error); }) as T;
}

let loading: Promise<unknown> | undefined;

/**
 * Loads the module of programs before its first use, or from another URL.
 *
 * @example
 * await initProgram({ wasmUrl: '/assets/lanthorn_program_bg.wasm' });
 */
export async function initProgram(options: InitProgramOptions = {}): Promise<void> {
  const { wasmUrl, wasmModule } = checkOptions('initProgram', options, ['wasmUrl', 'wasmModule']);
  loading ??= load(wasmModule ?? wasmUrl);
  try {
    await loading;
  } catch (error) {
    loading = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LanthornError('file', 'initProgram', `the module of programs did not load (${reason}); is the .wasm file served? See wasmUrl`);
  }
}

async function load(given: WasmSource | undefined): Promise<void> {
  const source = given ?? (await inlined('program')) ?? new URL('../wasm/lanthorn_program_bg.wasm', import.meta.url);
  await start({ module_or_path: await readable(source) });
}

registerHelpers([callModule]);
