/** Functions of trees as the core calls them. */
import { describe, isPlainObject } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { collect, isRecording } from '../core/recording.js';
import { received, runCallback, shared } from '../tensor/callback.js';
import { Tensor } from '../tensor/tensor.js';

/** Calls a function that the core may be recording: compiled functions in it are part of it. */
function withinRecording<R>(run: () => R): R {
  if (isRecording()) return run();
  const end = collect(new Map());
  try {
    return run();
  } finally {
    end();
  }
}

/** A function as the core calls it: from handles of its tensors to handles of the results. */
export function callbackOf<R>(op: string, call: (tensors: Tensor[]) => R, take: (result: R) => Tensor[]): (given: Uint32Array) => Uint32Array {
  return (given) =>
    runCallback(op, undefined, () => withinRecording(() => call(received(given) as Tensor[])),
      (result) => Uint32Array.from(shared(op, 'of the result', take(result as R))));
}

/** The tensors of a value that has the form of another, in the other's order. */
export function tensorsLike(op: string, name: string, value: unknown, likeName: string, like: unknown): Tensor[] {
  if (like instanceof Tensor) {
    if (value instanceof Tensor) return [value];
    throw new LanthornError('argument', op, `${name} is a tensor as ${likeName}, not ${describe(value)}`);
  }
  const isList = Array.isArray(like);
  if (isList ? !Array.isArray(value) : !isPlainObject(value)) {
    throw new LanthornError('argument', op, `${name} is ${isList ? 'a list' : 'a record'} as ${likeName}, not ${describe(value)}`);
  }
  const [wanted, found] = [Object.keys(like as object), Object.keys(value as object)];
  if (wanted.length !== found.length || wanted.some((key) => !found.includes(key))) {
    throw new LanthornError('argument', op, `${name} has the members [${found.join(', ')}], ${likeName} has [${wanted.join(', ')}]`);
  }
  const member = (of: unknown, key: string): unknown => (of as Record<string, unknown>)[key];
  return wanted.flatMap((key) =>
    tensorsLike(op, isList ? `${name}[${key}]` : `${name}.${key}`, member(value, key), likeName, member(like, key)));
}
