/** Loading programs, and compiling TorchScript. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { readingOf, type Source } from '../io/source.js';
import type { LoadProgress } from '../io/options.js';
import { ExportedProgram, ScriptModule, type OnnxModel, type Program, type ProgramValue } from './classes.js';
import { host } from './host.js';
import { callModule, initProgram } from './module.js';
import { checkExternal, foreignFile, isOnnx, loadOnnx, type ExternalData } from './onnx.js';
import { beginCall } from './signal.js';
import { enter } from '../core/runtime.js';
import type { Tensor } from '../tensor/tensor.js';

/** Options of {@link load}. */
export interface LoadProgramOptions {
  /** Ends loading; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called repeatedly with the progress. */
  onProgress?: (progress: LoadProgress) => void;
  /** The most steps of a call of a script module, after which it fails (default 10⁸). */
  maxSteps?: number;
  /**
   * Files with elements that a model of ONNX has outside of its own, by their paths in it; by
   * default they are read from the folder of the model's file.
   */
  externalData?: ExternalData;
}

/** A program from {@link load}. */
export type LoadedProgram = ExportedProgram | OnnxModel | ScriptModule;

/** Options of {@link jit.script}. */
export interface ScriptOptions {
  /** The most steps of a call, after which it fails (default 10⁸). */
  maxSteps?: number;
}

/** The largest archive, in bytes: the module holds it in memory as a whole. */
const LIMIT = 2 ** 30;

function checkSteps(op: string, steps: number | undefined): number | undefined {
  if (steps === undefined || (Number.isSafeInteger(steps) && steps > 0)) return steps;
  throw new LanthornError('argument', op, `maxSteps is a whole number from 1, not ${describe(steps)}`);
}

/**
 * Loads a program that `torch.export.save` or `torch.jit.save` wrote, or a model of ONNX; the
 * content determines which. int64 and float64 become int32 and float32 where the device lacks them.
 * A file with operators that do not exist here is refused with their names.
 *
 * The compiler knows the class of an address that ends in `.onnx`, `.pt2` or `.pt`, and `P` names
 * another class, or the types of arguments and results.
 *
 * @example
 * const program = await load('model.pt2');
 * const scores = program.call(image);
 * const detector = await load<ExportedProgram<[Tensor], [Tensor, Tensor]>>('detector.pt2');
 * const [boxes, classes] = detector.call(image);
 */
export function load(source: `${string}.onnx`, options?: LoadProgramOptions): Promise<OnnxModel>;
export function load(source: `${string}.pt2`, options?: LoadProgramOptions): Promise<ExportedProgram>;
export function load(source: `${string}.pt`, options?: LoadProgramOptions): Promise<ScriptModule>;
export function load<P extends Program<never, unknown> = LoadedProgram>(source: Source, options?: LoadProgramOptions): Promise<P>;
export async function load(source: Source, options: LoadProgramOptions = {}): Promise<Program> {
  const { signal, onProgress, maxSteps, externalData } = checkOptions('load', options, ['signal', 'onProgress', 'maxSteps', 'externalData']);
  const external = checkExternal(externalData);
  const steps = checkSteps('load', maxSteps);
  signal?.throwIfAborted();
  enter(() => undefined);
  const reading = readingOf(source, signal, onProgress);
  try {
    const start = await reading.peek(2);
    if (isOnnx(start)) return await loadOnnx(reading, external, signal);
    if (start[0] !== 0x50 || start[1] !== 0x4b) {
      throw new LanthornError('file', 'load', await foreignFile(await reading.peek(64)));
    }
    await initProgram();
    const bytes = await reading.rest(LIMIT);
    signal?.throwIfAborted();
    return callModule('load', ({ detect, ExportedHandle, ModuleHandle }) => {
      const format = detect(bytes);
      if (format === 'pt2') return new ExportedProgram(ExportedHandle.load(bytes, host));
      return new ScriptModule(ModuleHandle.load(bytes, host, steps));
    });
  } finally {
    await reading.close();
  }
}

/** TorchScript, as `torch.jit`. */
export const jit = {
  /**
   * Loads a module that `torch.jit.save` wrote.
   *
   * @example
   * const module = await jit.load('model.pt');
   * const scores = module.call(image);
   */
  async load<P extends ScriptModule<never, unknown> = ScriptModule>(source: Source, options: LoadProgramOptions = {}): Promise<P> {
    const loaded = await load(source, options);
    if (loaded instanceof ScriptModule) return loaded as P;
    loaded.dispose();
    throw new LanthornError('file', 'load', 'a program of torch.export.save or a model of ONNX, which load() takes');
  },

  /**
   * Compiles functions of TorchScript's language, a subset of Python, and returns them by name. A
   * function that reads elements of tensors, as `if x.sum() > 0` does, returns a promise. An error
   * has its line and column. `F` is the type of the functions, by default functions of values that
   * return one tensor.
   *
   * @example
   * const { clamp } = await jit.script(`
   * def clamp(x, limit: float):
   *     return torch.where(x > limit, limit, x)
   * `);
   * const y = clamp(x, 0.5);
   */
  async script<F extends object = Record<string, (...inputs: ProgramValue[]) => Tensor>>(source: string, options: ScriptOptions = {}): Promise<F> {
    if (typeof source !== 'string') throw new LanthornError('argument', 'script', `takes a string, not ${describe(source)}`);
    const { maxSteps } = checkOptions('script', options, ['maxSteps']);
    const steps = checkSteps('script', maxSteps);
    enter(() => undefined);
    await initProgram();
    const compiled = callModule('script', ({ ScriptHandle }) => ScriptHandle.compile(source, host, steps));
    const functions = compiled.functions().map((name) => {
      const run = (...inputs: unknown[]): unknown => beginCall(callModule, name, (signal) => compiled.call(name, inputs, signal));
      return [name, run] as const;
    });
    return Object.fromEntries(functions) as F;
  },
};
