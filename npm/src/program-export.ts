/** Programs of functions and modules, as `torch.export`. */
import { noGrad } from './autograd.js';
import { checkFunction, checkOptions, describe, isPlain } from './check.js';
import { LanthornError } from './errors.js';
import { tensor } from './from-data.js';
import { Module } from './module.js';
import { ExportedProgram } from './program-classes.js';
import { host } from './program-host.js';
import { callModule, initProgram } from './program-module.js';
import { readTensor, type TensorRow } from './program-state.js';
import { enter } from './runtime.js';
import { scope } from './scope.js';
import { Tensor } from './tensor.js';
import { isTracing, setTracing } from './tracing.js';

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
  if (typeof name !== 'string' || name === '') throw new LanthornError('argument', 'Dim', `the name is a string, not ${describe(name)}`);
  for (const size of [min, max ?? min]) {
    if (!Number.isSafeInteger(size) || size < 0) throw new LanthornError('argument', 'Dim', `sizes are whole numbers, not ${describe(size)}`);
  }
  if (max !== null && max < min) throw new LanthornError('argument', 'Dim', `${name}: the largest size ${max} is below the smallest, ${min}`);
  return { name, min, max };
}

/**
 * The dynamic dimensions of arguments: for a tensor an object with a {@link Dim} or its name by dimension,
 * for an array or an object one of the same structure, and nothing where all sizes are fixed.
 */
export type DynamicShapes = null | undefined | readonly DynamicShapes[] | { readonly [key: string | number]: Dim | string | DynamicShapes };

/** Options of {@link exportProgram} and {@link trace}. */
export interface ExportOptions {
  /** The dynamic dimensions of each argument. */
  dynamicShapes?: readonly DynamicShapes[];
}

/** The bound of the nesting of arguments and results, which may contain themselves. */
const DEEPEST = 64;

interface Dynamic {
  /** The dimensions, with the size of the example. */
  dims: { dim: Dim; size: number }[];
  /** By tensor of the arguments, the index in `dims` by dimension. */
  byTensor: Map<Tensor, Map<number, number>>;
}

const fail = (op: string, message: string): never => { throw new LanthornError('argument', op, message); };

/** Calls a function for every tensor in a value, in order. */
function eachTensor(op: string, value: unknown, visit: (tensor: Tensor) => void, depth = 0): void {
  if (depth > DEEPEST) fail(op, `arguments and results are nested at most ${DEEPEST} deep`);
  if (value instanceof Tensor) visit(value);
  else if (Array.isArray(value)) for (const item of value) eachTensor(op, item, visit, depth + 1);
  else if (typeof value === 'object' && value !== null && isPlain(value)) {
    for (const item of Object.values(value)) eachTensor(op, item, visit, depth + 1);
  }
}

/** A value with other tensors. */
function mapTensors(value: unknown, change: (tensor: Tensor) => Tensor): unknown {
  if (value instanceof Tensor) return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTensors(item, change));
  if (typeof value === 'object' && value !== null && isPlain(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTensors(item, change)]));
  }
  return value;
}

function collectDims(op: string, value: unknown, shapes: DynamicShapes | Dim | string, into: Dynamic, path: string): void {
  if (shapes === null || shapes === undefined) return;
  if (typeof shapes !== 'object') fail(op, `dynamicShapes of ${path} is an object, not ${describe(shapes)}`);
  if (!(value instanceof Tensor)) {
    if (typeof value !== 'object' || value === null) fail(op, `dynamicShapes names ${path}, which is no tensor`);
    for (const [key, inner] of Object.entries(shapes)) {
      collectDims(op, (value as Record<string, unknown>)[key], inner as DynamicShapes, into, `${path}[${key}]`);
    }
    return;
  }
  const dims = into.byTensor.get(value) ?? new Map<number, number>();
  into.byTensor.set(value, dims);
  for (const [key, given] of Object.entries(shapes)) {
    if (given === null || given === undefined) continue;
    const index = Number(key);
    const size = value.shape[index < 0 ? index + value.shape.length : index];
    if (!Number.isInteger(index) || size === undefined) fail(op, `${path} of shape [${value.shape.join(', ')}] has no dimension ${key}`);
    const dim = typeof given === 'string' ? Dim(given) : given as Dim;
    if (typeof dim !== 'object' || typeof dim.name !== 'string') fail(op, `a dynamic dimension is a Dim or a name, not ${describe(given)}`);
    let known = into.dims.findIndex((other) => other.dim.name === dim.name);
    if (known < 0) known = into.dims.push({ dim, size: size! }) - 1;
    const first = into.dims[known]!;
    if (first.size !== size) fail(op, `${dim.name} is ${first.size} in one example and ${size} in another`);
    if (first.dim.min !== dim.min || first.dim.max !== dim.max) fail(op, `${dim.name} has other sizes at its second mention`);
    dims.set(index < 0 ? index + value.shape.length : index, known);
  }
}

/** An example of other sizes: its own elements, repeated. */
function resize(example: Tensor, dims: Map<number, number> | undefined, sizes: readonly number[]): Tensor {
  let resized = example;
  for (const [dim, index] of dims ?? []) {
    const [size, given] = [sizes[index]!, example.shape[dim]!];
    if (size === given) continue;
    const indices = Int32Array.from({ length: size }, (_, index) => index % given);
    resized = resized.indexSelect(dim, tensor(indices));
  }
  return example.requiresGrad && resized !== example ? resized.detach().requiresGrad_() : resized;
}

/** The names of a function's parameters, as far as they are plain. */
function parameterNames(fn: Function, count: number): string[] {
  const list = /^(?:async\s+)?(?:function\b[^(]*|[\w$]+\s*)?\(([^()]*)\)/.exec(Function.prototype.toString.call(fn))?.[1] ?? '';
  const names = list.split(',').map((name) => name.replace(/=.*/s, '').trim());
  const known = Array.from({ length: count }, (_, index) => (/^[A-Za-z_]\w*$/.test(names[index] ?? '') ? names[index]! : `args_${index}`));
  return new Set(known).size === count ? known : known.map((_, index) => `args_${index}`);
}

/** An entry of the program's state: name, kind, whether it is in the state dict, tensor. */
type StateRow = readonly [name: string, kind: 'parameter' | 'buffer', persistent: boolean, tensor: Tensor];

function stateOf(module: Module): StateRow[] {
  const kept = new Set(Object.keys(module.stateDict()));
  const parameters = Array.from(module.namedParameters(), ([name, tensor]): StateRow => [name, 'parameter', true, tensor]);
  const buffers = Array.from(module.namedBuffers(), ([name, tensor]): StateRow => [name, 'buffer', kept.has(name), tensor]);
  return [...parameters, ...buffers];
}

async function exportCalls(
  op: string, call: (...args: unknown[]) => unknown, names: readonly string[], state: readonly StateRow[], args: readonly unknown[],
  options: ExportOptions,
): Promise<ExportedProgram> {
  const { dynamicShapes = [] } = checkOptions(op, options, ['dynamicShapes']);
  if (!Array.isArray(args)) fail(op, `the examples are an array of arguments, not ${describe(args)}`);
  if (!Array.isArray(dynamicShapes) || dynamicShapes.length > args.length) fail(op, 'dynamicShapes is an array with an entry for each argument');
  const dynamic: Dynamic = { dims: [], byTensor: new Map() };
  dynamicShapes.forEach((shapes, index) => collectDims(op, args[index], shapes, dynamic, names[index]!));
  enter(() => undefined);
  await initProgram();
  if (isTracing()) fail(op, 'another function is being traced');
  const rows = dynamic.dims.map(({ dim, size }) => [dim.name, dim.min, dim.max, size]);
  const exporter = callModule(op, ({ Exporter }) => new Exporter(host, rows));
  try {
    const stateHandles = state.map(([, , , tensor]) => tensor.handle);
    let stateIds: Uint32Array = new Uint32Array();
    for (const sizes of exporter.sizes() as number[][]) {
      scope(() => {
        const inputs = noGrad(() => args.map((arg) => mapTensors(arg, (tensor) => resize(tensor, dynamic.byTensor.get(tensor), sizes))));
        const tensors: Tensor[] = [];
        eachTensor(op, inputs, (tensor) => tensors.push(tensor));
        const handles = [...stateHandles, ...tensors.map((tensor) => tensor.handle)];
        const isExported = (number: number | null, inPlace: boolean, words: Float64Array, strings: string[], shapes: Float64Array) =>
          exporter.isExported(number ?? undefined, inPlace, words, strings, shapes);
        const ids = enter((wasm) => wasm.traceStart(Uint32Array.from(handles), isExported));
        setTracing(true);
        const result = call(...inputs);
        if (result instanceof Promise) {
          // What it will be does not matter any more.
          result.catch(() => undefined);
          fail(op, 'the function is async: a program cannot wait for elements');
        }
        const results: Tensor[] = [];
        eachTensor(op, result, (tensor) => results.push(tensor));
        const resultHandles = results.map((tensor) => tensor.handle);
        const [resultIds, words, strings] = enter((wasm) => wasm.traceFinish(Uint32Array.from(resultHandles))) as [Float64Array, Float64Array, string[]];
        setTracing(false);
        stateIds = ids.subarray(0, state.length);
        const all = Uint32Array.from([...ids, ...resultIds]);
        callModule(op, () => exporter.addTrace(words, strings, [inputs, {}, result], Uint32Array.from([...handles, ...resultHandles]), all));
      });
    }
    const entries = state.map(([name, kind, persistent, tensor], index) => [name, kind, persistent, stateIds[index], tensor.requiresGrad]);
    const sources = callModule(op, () => exporter.build(entries, [...names]));
    const elements: TensorRow[] = [];
    for (const id of sources) {
      const handle = enter((wasm) => wasm.traceTensor(id))!;
      try {
        elements.push(await readTensor(handle));
      } finally {
        enter((wasm) => wasm.tensorDispose(handle));
      }
    }
    return new ExportedProgram(callModule(op, () => exporter.finish(elements)));
  } finally {
    setTracing(false);
    enter((wasm) => wasm.traceEnd());
    exporter.free();
  }
}

/**
 * Exports a module as a program, as `torch.export.export`: it is called on the examples, and the operations
 * that it calls become the program's graph, with the module's parameters and buffers as its state. The mode
 * of the module is that of the program. `save()` gives a file that `torch.export.load` reads.
 *
 * Sizes in `dynamicShapes` may differ at later calls. The module is then called on examples of several
 * sizes, and numbers that differ have to be formulas of the sizes: sums, products and quotients.
 *
 * @example
 * const program = await exportProgram(net.eval(), [image], { dynamicShapes: [{ 0: 'batch' }] });
 * const bytes = await program.save();
 */
export function exportProgram(module: Module, args: readonly unknown[], options: ExportOptions = {}): Promise<ExportedProgram> {
  const op = 'exportProgram';
  if (!(module instanceof Module)) return Promise.reject(new LanthornError('argument', op, `takes a module, not ${describe(module)}`));
  const names = parameterNames(module.forward, Array.isArray(args) ? args.length : 0);
  return exportCalls(op, (...inputs) => module.call(...inputs), names, stateOf(module), args, options);
}

/**
 * Exports a function of tensors as a program; tensors that it takes from elsewhere are constants.
 *
 * @example
 * const program = await trace((x) => x.relu().sum(), [tensor([1, -2])]);
 * console.log(String(program));
 */
export function trace(fn: (...args: any[]) => unknown, args: readonly unknown[], options: ExportOptions = {}): Promise<ExportedProgram> {
  try {
    checkFunction('trace', fn);
  } catch (error) {
    return Promise.reject(error);
  }
  return exportCalls('trace', fn, parameterNames(fn, Array.isArray(args) ? args.length : 0), [], args, options);
}
