/** WebAssembly modules beside the core, each fetched at its first use. */
import { checkOptions } from './check.js';
import { readable, type WasmSource } from './source.js';
import { LanthornError, type ErrorKind } from './errors.js';
import { inlined, type WasmName } from './inlined.js';
import { registerHelpers } from './stack.js';

/** The source of a module. */
export interface ModuleSource {
  /** The URL of the `.wasm` file, if it is not beside this module. */
  wasmUrl?: string | URL;
  /** The compiled module, for environments that cannot fetch. */
  wasmModule?: WebAssembly.Module | BufferSource;
}

/** What there is to say about a module. */
export interface ModuleDescription<M> {
  /** Its name in the package. */
  name: WasmName;
  /** Its name in messages. */
  title: string;
  /** The accepted sources. */
  content: string;
  /** The function that loads it. */
  init: string;
  /** Its file in the package, which bundlers find by the call of `URL`. */
  file: () => URL;
  /** Instantiates it. */
  start: (source: { module_or_path: Awaited<ReturnType<typeof readable>> }) => Promise<unknown>;
  /** Its exports. */
  exports: M;
}

/** A module that is loaded once, and whose errors are the package's errors. */
export interface LazyModule<M> {
  /** Loads the module, unless it is there. */
  init(options?: ModuleSource): Promise<void>;
  /**
   * Runs a call into the module. A promise that it returns rejects with errors of the same kind.
   */
  call<T>(op: string, run: (exports: M) => T): T;
}

/** A module that is not loaded yet. */
export function lazyModule<M>({ name, title, content, init, file, start, exports }: ModuleDescription<M>): LazyModule<M> {
  /** Why the module cannot be used any more. */
  let broken: string | undefined;
  let loading: Promise<void> | undefined;

  /** The error that users catch. */
  function translate(op: string, error: unknown): unknown {
    if (error instanceof WebAssembly.RuntimeError) {
      broken = error.message;
      return new LanthornError('file', op, `${title} failed (${broken}): most likely there was no room for the ${content}`);
    }
    const kind = error instanceof Error && !(error instanceof LanthornError) ? (error as Error & { kind?: ErrorKind }).kind : undefined;
    return kind === undefined ? error : new LanthornError(kind, op, (error as Error).message);
  }

  function call<T>(op: string, run: (exports: M) => T): T {
    if (broken !== undefined) throw new LanthornError('poisoned', op, `unusable since an internal error (${broken}); reload to go on`);
    let result: T;
    try {
      result = run(exports);
    } catch (error) {
      throw translate(op, error);
    }
    if (!(result instanceof Promise)) return result;
    return result.catch((error: unknown) => { throw translate(op, error); }) as T;
  }

  async function load(given: WasmSource | undefined): Promise<void> {
    const source = given ?? (await inlined(name)) ?? file();
    await start({ module_or_path: await readable(source) });
  }

  registerHelpers([call]);
  return {
    call,
    async init(options = {}) {
      const { wasmUrl, wasmModule } = checkOptions(init, options, ['wasmUrl', 'wasmModule']);
      loading ??= load(wasmModule ?? wasmUrl);
      try {
        await loading;
      } catch (error) {
        loading = undefined;
        const reason = error instanceof Error ? error.message : String(error);
        throw new LanthornError('file', init, `${title} did not load (${reason}); is the .wasm file served? See wasmUrl`);
      }
    },
  };
}
