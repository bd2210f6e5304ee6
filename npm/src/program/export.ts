/** Programs of functions and modules, as `torch.export`. */
import type { Exporter } from '../../wasm/lanthorn_program.js';
import { noGrad } from '../autograd/mode.js';
import { checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { tensor } from '../tensor/from-data.js';
import { Module } from '../nn/module.js';
import { checkDepth, handlesOf, template } from '../tensor/nested.js';
import { ExportedProgram, type ProgramValue } from './classes.js';
import { host } from './host.js';
import { callModule, initProgram } from './module.js';
import { readTensor, type TensorRow } from './state.js';
import { enter } from '../core/runtime.js';
import { scope } from '../tensor/scope.js';
import { registerEntries } from '../core/stack.js';
import { Tensor } from '../tensor/tensor.js';
import { isTracing, setTracing } from '../compile/tracing.js';

function fail(op: string, message: string): never {
  throw new LanthornError('argument', op, message);
}

/** A dynamic dimension: its name and the sizes that it may have. Dimensions of one name have one size. */
export interface Dim {
  readonly name: string;
  /** The smallest size (default 2). */
  readonly min: number;
  /** The largest size; null if there is none. */
  readonly max: number | null;
}

/**
 * A dynamic dimension of any size from `min` (2) to `max`, as `torch.export.Dim`.
 *
 * @example
 * const program = await exportProgram(net, [image], { dynamicShapes: [{ 0: Dim('batch', { max: 64 }) }] });
 */
export function Dim(name: string, options: { min?: number; max?: number } = {}): Dim {
  const { min = 2, max = null } = checkOptions('Dim', options, ['min', 'max']);
  if (typeof name !== 'string' || name === '') fail('Dim', `the name is a string, not ${describe(name)}`);
  for (const size of [min, max ?? min]) {
    if (!Number.isSafeInteger(size) || size < 0) fail('Dim', `sizes are whole numbers, not ${describe(size)}`);
  }
  if (max !== null && max < min) fail('Dim', `${name}: the largest size ${max} is below the smallest, ${min}`);
  return { name, min, max };
}

/**
 * The dynamic dimensions of arguments: for a tensor an object with a {@link Dim} or its name by dimension,
 * for an array or an object one of the same structure, and nothing where all sizes are fixed.
 */
export type DynamicShapes =
  | null | undefined | readonly DynamicShapes[] | { readonly [key: string | number]: Dim | string | DynamicShapes };

/** Options of {@link exportProgram} and {@link trace}. */
export interface ExportOptions {
  /** The dynamic dimensions of each argument. */
  dynamicShapes?: readonly DynamicShapes[];
}

/** A dynamic dimension of a tensor of the arguments. */
interface DynamicDim {
  tensor: Tensor;
  index: number;
  dim: Dim;
}

/** Adds the dynamic dimensions of a value. */
function collectDims(
  op: string, value: unknown, shapes: DynamicShapes | Dim | string, into: DynamicDim[], path: string, depth = 0,
): void {
  if (shapes === null || shapes === undefined) return;
  checkDepth(op, depth);
  if (typeof shapes !== 'object') fail(op, `dynamicShapes of ${path} is an object, not ${describe(shapes)}`);
  if (!(value instanceof Tensor)) {
    if (typeof value !== 'object' || value === null) fail(op, `dynamicShapes names ${path}, which is no tensor`);
    for (const [key, inner] of Object.entries(shapes)) {
      const item = (value as Record<string, unknown>)[key];
      collectDims(op, item, inner as DynamicShapes, into, `${path}[${key}]`, depth + 1);
    }
    return;
  }
  for (const [key, given] of Object.entries(shapes)) {
    if (given === null || given === undefined) continue;
    const shape: readonly number[] = value.shape;
    const index = Number(key) < 0 ? Number(key) + shape.length : Number(key);
    if (shape[index] === undefined) fail(op, `${path} of shape [${shape.join(', ')}] has no dimension ${key}`);
    const dim = typeof given === 'string' ? Dim(given) : given as Dim;
    if (typeof dim !== 'object' || typeof dim.name !== 'string') {
      fail(op, `a dynamic dimension is a Dim or a name, not ${describe(given)}`);
    }
    into.push({ tensor: value, index, dim });
  }
}

/** An example whose dynamic dimensions have other sizes: its own elements, repeated. */
function resize(example: Tensor, dims: readonly DynamicDim[], sizes: readonly number[]): Tensor {
  let resized = example;
  dims.forEach(({ tensor: of, index }, position) => {
    const [size, given] = [sizes[position]!, example.shape[index]!];
    if (of !== example || size === resized.shape[index]) return;
    const indices = Int32Array.from({ length: size }, (_, position) => position % given);
    resized = resized.indexSelect(index, tensor(indices));
  });
  return example.requiresGrad && resized !== example ? resized.detach().requiresGrad_() : resized;
}

/** The names of a function's parameters, as far as they are plain. */
function parameterNames(fn: Function, args: unknown): string[] {
  const text = Function.prototype.toString.call(fn);
  const list = /^(?:async\s+)?(?:function\b[^(]*|[\w$]+\s*)?\(([^()]*)\)/.exec(text)?.[1] ?? '';
  const found = list.split(',').map((name) => name.replace(/=.*/s, '').trim());
  const numbered = Array.from({ length: Array.isArray(args) ? args.length : 0 }, (_, index) => `args_${index}`);
  const names = numbered.map((name, index) => (/^[A-Za-z_]\w*$/.test(found[index] ?? '') ? found[index]! : name));
  return new Set(names).size === names.length ? names : numbered;
}

/** An entry of the program's state: name, kind, whether it is in the state dict, tensor. */
type StateRow = readonly [name: string, kind: 'parameter' | 'buffer', persistent: boolean, tensor: Tensor];

function stateOf(module: Module): StateRow[] {
  const kept = new Set(Object.keys(module.stateDict()));
  const parameter = ([name, value]: [string, Tensor]): StateRow => [name, 'parameter', true, value];
  const buffer = ([name, value]: [string, Tensor]): StateRow => [name, 'buffer', kept.has(name), value];
  return [...Array.from(module.namedParameters(), parameter), ...Array.from(module.namedBuffers(), buffer)];
}

/**
 * Calls a function, notes its operations and passes them to the exporter. Returns the ids of the
 * first tensors, which are the state.
 */
function traceCall(
  op: string, exporter: Exporter, call: (...args: unknown[]) => unknown, state: readonly Tensor[], inputs: unknown[],
): Uint32Array {
  const [tensors, results] = [[...state], [] as Tensor[]];
  template(op, inputs, tensors);
  const handles = handlesOf(tensors);
  const isExported = (
    number: number | null, inPlace: boolean, words: Float64Array, strings: string[], shapes: Float64Array,
  ): boolean => exporter.isExported(number ?? undefined, inPlace, words, strings, shapes);
  const ids = enter((wasm) => wasm.traceStart(handles, isExported));
  setTracing(true);
  const result = call(...inputs);
  if (result instanceof Promise) {
    // Its result does not matter any more.
    result.catch(() => undefined);
    fail(op, 'the function is async: a program cannot wait for elements');
  }
  template(op, result, results);
  const resultHandles = handlesOf(results);
  type Traced = [ids: Float64Array, words: Float64Array, strings: string[]];
  const [resultIds, words, strings] = enter((wasm) => wasm.traceFinish(resultHandles)) as Traced;
  setTracing(false);
  const join = (first: Iterable<number>, second: Iterable<number>) => Uint32Array.from([...first, ...second]);
  const [all, allIds] = [join(handles, resultHandles), join(ids, resultIds)];
  callModule(op, () => exporter.addTrace(words, strings, [inputs, {}, result], all, allIds));
  return ids;
}

/** The elements of tensors of the first trace. */
async function readTraced(ids: Iterable<number>): Promise<TensorRow[]> {
  const rows: TensorRow[] = [];
  for (const id of ids) {
    const handle = enter((wasm) => wasm.traceTensor(id))!;
    try {
      rows.push(await readTensor(handle));
    } finally {
      enter((wasm) => wasm.tensorDispose(handle));
    }
  }
  return rows;
}

async function exportCalls(
  op: string, call: (...args: unknown[]) => unknown, names: readonly string[], state: readonly StateRow[],
  args: readonly unknown[], options: ExportOptions,
): Promise<ExportedProgram> {
  const { dynamicShapes = [] } = checkOptions(op, options, ['dynamicShapes']);
  if (!Array.isArray(args)) fail(op, `the examples are an array of arguments, not ${describe(args)}`);
  if (!Array.isArray(dynamicShapes) || dynamicShapes.length > args.length) {
    fail(op, 'dynamicShapes is an array with an entry for each argument');
  }
  const examples: Tensor[] = [];
  const rebuild = template(op, args, examples);
  const dims: DynamicDim[] = [];
  dynamicShapes.forEach((shapes, index) => collectDims(op, args[index], shapes, dims, names[index]!));
  enter(() => undefined);
  await initProgram();
  if (isTracing()) fail(op, 'another function is being traced');
  const rows = dims.map(({ tensor: of, index, dim }) => [dim.name, dim.min, dim.max, of.shape[index]]);
  const exporter = callModule(op, ({ Exporter }) => new Exporter(host, rows));
  try {
    let ids: Uint32Array = new Uint32Array();
    for (const sizes of exporter.sizes() as number[][]) {
      ids = scope(() => {
        const resized = noGrad(() => examples.map((example) => resize(example, dims, sizes)));
        return traceCall(op, exporter, call, state.map(([, , , value]) => value), rebuild(resized) as unknown[]);
      });
    }
    const entry = ([name, kind, persistent, value]: StateRow, index: number) =>
      [name, kind, persistent, ids[index], value.requiresGrad];
    const sources = callModule(op, () => exporter.build(state.map(entry), [...names]));
    const elements = await readTraced(sources);
    return new ExportedProgram(callModule(op, () => exporter.finish(elements)));
  } finally {
    setTracing(false);
    enter((wasm) => wasm.traceEnd());
    exporter.free();
  }
}

/** The arguments of a module that a program takes; any, where the module's class is not known. */
type InputsOf<M extends Module> = Parameters<M['forward']> extends infer Inputs extends readonly ProgramValue[] ? Inputs : ProgramValue[];

/**
 * Exports a module as a program, as `torch.export.export`: it is called on the examples, and the
 * operations that it calls become the program's graph, with the module's parameters and buffers as
 * its state. The program has the mode of the module. `save()` returns a file that
 * `torch.export.load` reads.
 *
 * Sizes in `dynamicShapes` may differ at later calls. The module is then called on examples of several
 * sizes, and numbers that differ have to be formulas of the sizes: sums, products and quotients.
 *
 * @example
 * const program = await exportProgram(net.eval(), [image], { dynamicShapes: [{ 0: 'batch' }] });
 * const bytes = await program.save();
 */
export async function exportProgram<M extends Module>(
  module: M, args: Readonly<Parameters<M['forward']>>, options: ExportOptions = {},
): Promise<ExportedProgram<InputsOf<M>, ReturnType<M['forward']>>> {
  const op = 'exportProgram';
  if (!(module instanceof Module)) fail(op, `takes a module, not ${describe(module)}`);
  const call = (...inputs: unknown[]): unknown => module.call(...inputs);
  return exportCalls(op, call, parameterNames(module.forward, args), stateOf(module), args, options) as Promise<ExportedProgram<never, never>>;
}

/**
 * Exports a function of tensors as a program; tensors that it takes from elsewhere are constants.
 *
 * @example
 * const program = await trace((x) => x.relu().sum(), [tensor([1, -2])]);
 * console.log(String(program));
 */
export async function trace<Inputs extends ProgramValue[], Output>(
  fn: (...args: Inputs) => Output, args: readonly [...Inputs], options: ExportOptions = {},
): Promise<ExportedProgram<Inputs, Output>> {
  const op = 'trace';
  checkFunction(op, fn);
  const call = fn as (...inputs: unknown[]) => unknown;
  return exportCalls(op, call, parameterNames(fn, args), [], args, options) as Promise<ExportedProgram<never, never>>;
}

registerEntries([exportProgram, trace, exportCalls]);
