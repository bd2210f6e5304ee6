/**
 * Calls of a program with the arguments that the page describes, eager and compiled, with their
 * times.
 */
import { compile, ones, randint, randn, scope, synchronize, Tensor, tensor, zeros } from 'lanthorn';
import { OnnxModel, type Program } from 'lanthorn/program';
import { median } from '../../parts/median';
import { withoutGradients } from './gradients';
import type { Argument, Output, RunResult, Times } from './protocol';

/**
 * Later calls are repeated for this long, but not more often than this, and at least this often if
 * they are not slow.
 */
const REPEAT_MS = 400;
const MAX_CALLS = 20;
const MIN_CALLS = 6;
const SLOW_MS = 3000;
/** The elements of a result that are shown, and the elements of one that is ranked. */
const SHOWN = 24;
const RANKED = 10;
const MAX_RANKED = 100_000;
/** The most elements of an argument. */
const MAX_ELEMENTS = 2 ** 26;

/** More results than these are not shown. */
const MAX_OUTPUTS = 50;

/** Runs the program. */
export async function run(program: Program, names: readonly string[], given: readonly Argument[]): Promise<RunResult> {
  return scope(() => withoutGradients(async () => {
    const leaves = given.map(valueOf);
    const call = (...values: unknown[]): unknown => program.call(...((program instanceof OnnxModel ? values : nest(names, values)) as Parameters<Program['call']>));
    let isPromise = false;
    const eager = await timeCalls(() => {
      const result = call(...leaves);
      isPromise ||= result instanceof Promise;
      return result;
    });
    const outputs = await scope(async () => describe(await call(...leaves)));
    if (isPromise) {
      return { outputs, eager, compiled: { why: 'it reads elements while it runs, so its calls are not replayed' } };
    }
    const compiled = compile(call);
    const times = await timeCalls(() => compiled(...(leaves as Parameters<typeof compiled>)));
    const { replays, breaks } = compiled.explain();
    compiled.reset();
    return { outputs, eager, compiled: replays > 0 ? times : { why: breaks.join('; ') || 'no call was replayed' } };
  }));
}

function valueOf(argument: Argument): unknown {
  if (!('shape' in argument)) {
    return argument.value;
  }
  const { shape, dtype } = argument;
  if (shape.reduce((product, size) => product * size, 1) > MAX_ELEMENTS) {
    throw new RangeError(`an argument of the shape [${shape.join(', ')}] is too large to make here`);
  }
  const isFloat = dtype.startsWith('float') || dtype.startsWith('bfloat');
  // int64 and float64 are int32 and float32 in a page that lacks them.
  const type = dtype === 'bool' ? 'bool' : isFloat ? 'float32' : 'int32';
  if ('data' in argument) {
    return tensor(argument.data, { shape }).to(type);
  }
  if (argument.fill === 'random') {
    return isFloat ? randn(...shape) : randint(0, dtype === 'bool' ? 2 : Math.max(1, argument.below), [...shape]).to(type);
  }
  return (argument.fill === 'ones' ? ones(...shape) : zeros(...shape)).to(type);
}

/**
 * Puts leaves into the arguments that their names describe: `past.0.1` is part of the argument
 * `past`.
 */
function nest(names: readonly string[], leaves: readonly unknown[]): unknown[] {
  type Tree = Map<string, Tree | { leaf: unknown }>;
  const root: Tree = new Map();
  names.forEach((name, index) => {
    const keys = name.split('.');
    const last = keys.pop()!;
    let tree = root;
    for (const key of keys) {
      const next = tree.get(key) ?? new Map();
      tree.set(key, next);
      tree = next as Tree;
    }
    tree.set(last, { leaf: leaves[index] });
  });
  const build = (tree: Tree | { leaf: unknown }): unknown => {
    if (!(tree instanceof Map)) {
      return tree.leaf;
    }
    const entries = [...tree].map(([key, value]) => [key, build(value)] as const);
    return entries.every(([key]) => /^\d+$/.test(key)) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  };
  const values = [...root.values()].map(build);
  // Arguments at the end that are left out have their defaults.
  while (values.length > 0 && values.at(-1) === undefined) {
    values.pop();
  }
  return values;
}

/** The times of the first call and of later ones, each until the device is done. */
async function timeCalls(call: () => unknown): Promise<Times> {
  const once = () => scope(async () => {
    const started = performance.now();
    await call();
    await synchronize();
    return performance.now() - started;
  });
  const first = await once();
  const later: number[] = [];
  let total = 0;
  while (later.length < MAX_CALLS && (total < REPEAT_MS || (later.length < MIN_CALLS && total < SLOW_MS))) {
    later.push(await once());
    total += later.at(-1)!;
  }
  // The first of them still prepare kernels.
  return { first, later: median(later.slice(later.length >> 1))! };
}

/** The results by their paths, such as `logits` or `0.1`. */
async function describe(value: unknown, path = ''): Promise<Output[]> {
  if (value instanceof Tensor) {
    return [await describeTensor(value, path)];
  }
  if (typeof value === 'object' && value !== null) {
    const parts = value instanceof Map ? [...value] : Object.entries(value);
    const outputs: Output[] = [];
    for (const [key, part] of parts.slice(0, MAX_OUTPUTS)) {
      outputs.push(...(await describe(part, path ? `${path}.${key}` : String(key))));
    }
    return outputs.slice(0, MAX_OUTPUTS);
  }
  return [{ name: path || 'result', values: [String(value)] }];
}

async function describeTensor(result: Tensor, path: string): Promise<Output> {
  const { shape, dtype, numel } = result;
  // A vector of scores, or the first of several.
  const scores = shape.length <= 2 ? (shape.at(-1) ?? 0) : 0;
  const isRanked = scores > 1 && scores <= MAX_RANKED && numel > 0 && dtype !== 'bool';
  const count = isRanked ? Math.min(numel, Math.max(scores, SHOWN)) : Math.min(numel, SHOWN);
  const values = count === 0 ? [] : Array.from((await result.detach().flatten().narrow(0, 0, count).data()) as ArrayLike<number>, Number);
  const ranked = values.slice(0, scores).map((value, index) => ({ index, value })).sort((one, other) => other.value - one.value);
  const largest = isRanked ? { largest: ranked.slice(0, RANKED) } : {};
  return { name: path || 'result', shape, dtype, values: values.slice(0, SHOWN), ...largest };
}
