/**
 * Checks and converts the arguments of printed libraries' public functions. The module is separate
 * from `support.ts`, so that a bundler leaves it out of a page without such a function.
 */
import { describe, wrongArgument } from '../core/check.js';
import { registerHelpers } from '../core/stack.js';
import { gather, isArray, uploadArray } from '../tensor/arguments.js';
import type { Spec } from '../tensor/spec.js';
import { Tensor } from '../tensor/tensor.js';

/** A class that an argument is an object of, by its name in a description. */
type Classes = Readonly<Record<string, abstract new (...args: never[]) => object>>;

/** The parameters of a function: their names, their kinds, and whether a call may omit each. */
interface Signature {
  spec: Spec;
  kinds: readonly string[];
  optional: readonly boolean[];
}

const signatures = new Map<string, Signature>();

/** `Normal.logProb value:tensor` or `Bernoulli probs:param? logits:param?`. */
function parse(text: string): Signature {
  const [name = '', ...params] = text.split(' ');
  const parts = params.map((param) => param.replace('?', '').split(':'));
  return {
    spec: { name, params: parts.map(([param]) => param!), positional: params.length, spread: -1 },
    kinds: parts.map(([, kind]) => kind!),
    optional: params.map((param) => param.endsWith('?')),
  };
}

/** The accepted values of each kind, for a message. */
const EXPECTED: Readonly<Record<string, string>> = {
  bool: 'true or false',
  function: 'a function',
  int: 'an integer',
  ints: 'an integer or an array of integers',
  list: 'an array',
  number: 'a number',
  numbers: 'a number or an array of numbers',
  param: 'a tensor, an array of numbers or a number',
  string: 'a string',
  tensor: 'a tensor or an array of numbers',
  tensors: 'an array of tensors',
};

function isOfKind(kind: string, value: unknown): boolean {
  switch (kind) {
    case 'any': return true;
    case 'bool': return typeof value === 'boolean';
    case 'function': return typeof value === 'function';
    case 'int': return Number.isInteger(value);
    case 'list': return Array.isArray(value);
    case 'number': return typeof value === 'number';
    case 'string': return typeof value === 'string';
    case 'tensors': return Array.isArray(value) && value.every((item) => item instanceof Tensor);
    default: return false;
  }
}

/** A string of a closed set. */
function choice(op: string, param: string, texts: readonly string[], value: unknown): unknown {
  if (texts.some((text) => text === value)) return value;
  throw wrongArgument(op, param, `one of ${texts.map((text) => `'${text}'`).join(', ')}`, typeof value === 'string' ? JSON.stringify(value) : describe(value));
}

/** An argument in the form that the printed code takes. */
function convert(op: string, param: string, kind: string, value: unknown, classes: Classes): unknown {
  if (value instanceof Tensor && (kind === 'tensor' || kind === 'param')) return value;
  if (kind === 'param' && typeof value === 'number') return value;
  if ((kind === 'tensor' || kind === 'param') && isArray(value)) return Tensor.fromCore(uploadArray(op, param, value));
  if (kind === 'ints' || kind === 'numbers') {
    const list = Array.isArray(value) ? value : [value];
    if (list.every((item) => (kind === 'ints' ? Number.isInteger(item) : typeof item === 'number'))) return list;
  }
  if (kind.startsWith('=')) return choice(op, param, kind.slice(1).split('|'), value);
  const Class = classes[kind];
  if (Class ? value instanceof Class : isOfKind(kind, value)) return value;
  const expected = EXPECTED[kind] ?? `an object of class ${kind}`;
  throw wrongArgument(op, param, expected, describe(value));
}

/**
 * The arguments of a call in the order of a description, `Normal.logProb value:tensor`: by position
 * or in an object at the end, checked, and with tensors of arrays. An optional argument that is
 * missing is undefined, or its default, if null is another value.
 */
export function bind(
  text: string,
  args: readonly unknown[],
  classes: Classes = {},
  defaults: Readonly<Record<string, unknown>> = {},
): unknown[] {
  let signature = signatures.get(text);
  if (!signature) signatures.set(text, (signature = parse(text)));
  const { spec, kinds, optional } = signature;
  return gather(spec, args).map((value, index) => {
    const name = spec.params[index]!;
    if (value === undefined && optional[index]) return defaults[name];
    if (value === null && optional[index]) return undefined;
    return convert(spec.name, name, kinds[index]!, value, classes);
  });
}

registerHelpers([bind]);
