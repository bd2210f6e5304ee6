/**
 * A golden call in JavaScript: a method in camel case, positional arguments, and the others in an
 * object.
 */
import { Refused } from './file.mjs';

/** Python's operators with swapped operands. */
const SWAPPED = { __radd__: 'add', __rmul__: 'mul', __rsub__: 'sub', __rdiv__: 'div', __rpow__: 'pow', __rmatmul__: 'matmul' };
/** Methods that are `to` with a dtype. */
const CASTS = { float: 'float32', double: 'float64', half: 'float16', bfloat16: 'bfloat16', int: 'int32', long: 'int32', bool: 'bool' };
/** Functions that have another name in ATen, and so in the table. */
const RENAMED = { 'nn.functional.unfold': 'im2col', 'nn.functional.fold': 'col2im', 'nn.functional.logsigmoid': 'log_sigmoid' };
/** Functions whose recorded arguments are in another order than the function's. */
const ORDER = { where: [1, 0, 2], einsum: [1, 0] };
/** Functions of any number of tensors, which JavaScript passes in an array. */
const VARIADIC = ['block_diag', 'broadcast_tensors', 'cartesian_prod', 'meshgrid'];
/** Properties of a tensor, in PyTorch too. */
const PROPERTIES = ['H', 'T', 'mH', 'mT'];
/** Keywords that have no meaning here. */
const WITHOUT_MEANING = ['device', 'layout', 'memory_format', 'pin_memory', 'requires_grad', 'out_int32'];
/**
 * Parameters that may be inferred from the elements, with Python's value for that. Here it is
 * another overload, whose result is awaited.
 */
const COUNTED = { num_classes: -1 };
/** Flags that request something else, and have no effect if false. */
const OPTIONAL_FLAGS = ['antialias', 'as_tuple', 'recompute_scale_factor', 'return_counts', 'return_indices', 'return_inverse', 'stable'];

const camel = (name) => name.replace(/(?<=.)_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/**
 * The function of an op, with its arguments except the receiver: a method of the first tensor, or a
 * function of the package.
 */
export function find(lanthorn, op, aliases, args) {
  for (const name of [op, ...aliases]) {
    const [, space, last] = /^(?:(linalg|special|fft|signal\.windows)\.)?(.*)$/.exec(RENAMED[name] ?? name.replace(/^(nn\.functional|torch|Tensor)\./, ''));
    const home = space?.split('.').reduce((at, part) => at?.[part], lanthorn);
    const method = camel(last);
    if (space && typeof home?.[method] === 'function') return { call: (rest) => home[method](...args, ...rest), method };
    const receiver = args[0];
    if (!space && receiver instanceof lanthorn.Tensor && PROPERTIES.includes(method)) return { call: () => receiver[method], method };
    if (!space && receiver instanceof lanthorn.Tensor && typeof receiver[method] === 'function') {
      return { call: (rest) => receiver[method](...args.slice(1), ...rest), method };
    }
    if (!space && typeof lanthorn[method] === 'function') return { call: (rest) => lanthorn[method](...args, ...rest), method };
  }
  const method = camel(op.split('.').pop());
  if (!(args[0] instanceof lanthorn.Tensor) && method in lanthorn.Tensor.prototype) throw new Refused(`a number has no method ${method}`);
  return undefined;
}

/** An item between Python's brackets, as `at` takes it. */
function bracket(json, loader) {
  if (Array.isArray(json)) return loader.lanthorn.tensor(json, { dtype: 'int32' });
  if (json?.$ === 'slice') return json.v.map((bound) => bound ?? '').join(':');
  return json?.$ === 'ellipsis' ? '...' : loader.value(json);
}

/** `x[keys]`. A mask must be read, which `index` does. */
export function brackets(lanthorn, [input, keys], loader) {
  const x = loader.value(input);
  const made = (keys?.$ === 'tuple' ? keys.v : [keys]).map((key) => bracket(key, loader));
  const masked = made.some((key) => key instanceof lanthorn.Tensor && key.dtype === 'bool');
  return masked ? x.index(made) : x.at(...made);
}

/** The arguments, and their function. */
export function prepare(lanthorn, { op, aliases = [] }, { args, kwargs = {}, arg_names: names }, loader) {
  let given = args.map((value) => loader.value(value));
  const isTensor = (value) => value instanceof lanthorn.Tensor;
  let name = op;
  if (SWAPPED[op]) {
    if (!isTensor(given[0])) throw new Refused('a number has no such method');
    const [right, left] = given;
    const dtype = typeof left === 'boolean' ? 'bool' : Number.isInteger(left) && args[1].$ !== 'float' ? 'int32' : 'float32';
    [name, given] = [SWAPPED[op], [isTensor(left) ? left : lanthorn.tensor(left, { dtype }), right]];
  } else if (CASTS[op] || op === 'to') {
    const other = given.slice(1).find((value) => isTensor(value) || Object.hasOwn(lanthorn.dtypes ?? {}, value) || /^(float|int|bool|uint)/.test(value));
    [name, given] = ['to', [given[0], CASTS[op] ?? (isTensor(other) ? other.dtype : other)]];
  } else if (ORDER[op]) {
    given = ORDER[op].map((position) => given[position]);
  } else if (VARIADIC.includes(op) && given.every(isTensor)) {
    given = [given];
  } else if (names?.at(-1) === 'tensors' && names.length < given.length && given.slice(names.length - 1).every(isTensor)) {
    given = [...given.slice(0, names.length - 1), given.slice(names.length - 1)];
  }
  if (loader.file.name === 'linalg.pinv__singular') {
    // PyTorch's test makes the matrix from two factors, so that its rank is known.
    given = [given[0].matmul(given[1].transpose(-2, -1))];
  }
  if (names?.length === given.length) {
    given = given.filter((value, position) => !(value === false && OPTIONAL_FLAGS.includes(names[position])));
  }
  const options = {};
  if (name !== 'to') {
    for (const [key, value] of Object.entries(kwargs)) {
      const made = loader.value(value);
      if (value?.$ === 'layout' || WITHOUT_MEANING.includes(key) || made === null || (made === false && OPTIONAL_FLAGS.includes(key)) || COUNTED[key] === made) continue;
      if (op === 'tensordot' && key === 'dims' && Array.isArray(made)) [options.dimsSelf, options.dimsOther] = made;
      else options[camel(key)] = made;
    }
    if (name === 'nonzero' && options.asTuple) {
      delete options.asTuple;
      name = 'nonzero_numpy';
    }
  }
  return { name, given, rest: Object.keys(options).length > 0 ? [options] : [], aliases };
}
