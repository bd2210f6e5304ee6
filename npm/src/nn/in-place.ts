/** The argument `inplace` of functions and layers. */
import { gather, split } from '../tensor/arguments.js';
import { callMethod } from '../tensor/call.js';
import { checkFlag } from '../core/check.js';
import { specOf } from '../tensor/spec.js';
import { registerEntries } from '../core/stack.js';
import { Tensor } from '../tensor/tensor.js';

/**
 * Calls the method that `text` describes, or where `inplace` is true the form that overwrites the
 * input. The description has the parameters of PyTorch's function.
 */
export function inPlaceOr(text: string, args: readonly unknown[]): unknown {
  const spec = specOf(text);
  const { name, params } = spec;
  if (args.length === 1) return callMethod(name, args, Tensor);
  const [count, options = {}] = split(args);
  const { generator, ...others } = options;
  const values = gather(spec, [...args.slice(0, count), others]);
  const named: Record<string, unknown> = generator === undefined ? {} : { generator };
  let overwrites = false;
  for (let i = 1; i < params.length; i++) {
    if (params[i] === 'inplace') overwrites = checkFlag(name, 'inplace', values[i]);
    else if (values[i] !== undefined) named[params[i]!] = values[i];
  }
  return callMethod(overwrites ? `${name}_` : name, [values[0], named], Tensor);
}

registerEntries([inPlaceOr]);
