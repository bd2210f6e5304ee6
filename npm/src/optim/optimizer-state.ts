/** The states of the parameters of an optimizer, in memory and in the form of a checkpoint. */
import { describe, isPlainObject } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { checkDepth } from '../tensor/nested.js';
import { snake, type OptionValue } from './param-groups.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

/** A value of a parameter's state, which a checkpoint can have. */
export type StateValue =
  | Tensor | number | bigint | boolean | string | null | undefined | StateValue[] | { [name: string]: StateValue };

/** The state of a parameter, by names. */
export type ParameterState = Record<string, StateValue>;

/** A group of parameters in the form of a checkpoint: its options, and the parameters' numbers. */
export type GroupState = { [option: string]: OptionValue } & { params: number[] };

/**
 * The state of an optimizer, with PyTorch's names. The tensors share memory with the
 * optimizer until its next step.
 */
export type OptimizerState = {
  /** By the parameters' numbers. */
  state: Record<number, ParameterState>;
  param_groups: GroupState[];
};

/**
 * The states of the parameters that an optimizer has updated. As in PyTorch's `defaultdict`, `get`
 * adds an empty state where there is none; `has` does not.
 */
export class ParameterStates<State extends object> extends Map<Tensor, State> {
  override get(parameter: Tensor): State {
    if (!(parameter instanceof Tensor)) throw new LanthornError('argument', 'state.get', `takes a parameter, not ${describe(parameter)}`);
    const known = super.get(parameter);
    if (known !== undefined) return known;
    const added = {} as State;
    this.set(parameter, added);
    return added;
  }
}

/** Options as the core takes them: PyTorch's names, and the values. */
export const encodeOptions = (options: Readonly<Record<string, unknown>>): [names: string[], values: unknown[]] =>
  [Object.keys(options).map(snake), Object.values(options)];

/**
 * A row of a state as the core has it: a parameter's number, a name and a value. A tensor is its
 * handle in an array of integers, several tensors are an array of handles.
 */
type StateRow = readonly [parameter: number, name: string, value: number | Uint32Array | number[]];

/** The states that the core returned. */
export function decodeStates(rows: readonly StateRow[]): OptimizerState['state'] {
  const states: OptimizerState['state'] = {};
  for (const [parameter, name, value] of rows) {
    const made = value instanceof Uint32Array ? Tensor.fromCore(value[0]!) : Array.isArray(value) ? value.map((handle) => Tensor.fromCore(handle)) : value;
    (states[parameter] ??= {})[name] = made;
  }
  return states;
}

/** States for the core. */
export function encodeStates(states: OptimizerState['state']): StateRow[] {
  const handle = (name: string, tensor: unknown): number => handleOf('loadStateDict', name, tensor);
  const encode = (name: string, value: unknown): StateRow[2] => {
    if (typeof value === 'number') return value;
    return Array.isArray(value) ? value.map((tensor) => handle(name, tensor)) : Uint32Array.of(handle(name, value));
  };
  return Object.entries(states).flatMap(([parameter, state]) =>
    Object.entries(state).map(([name, value]): StateRow => [Number(parameter), name, encode(name, value)]));
}

/** A copy of a value whose tensors are replaced; refuses what no checkpoint can have. */
export function copyState(op: string, path: string, value: unknown, replace: (tensor: Tensor) => Tensor, depth = 0): StateValue {
  if (value instanceof Tensor) return replace(value);
  checkDepth(op, depth);
  const within = (name: string, item: unknown) => copyState(op, `${path}.${name}`, item, replace, depth + 1);
  if (Array.isArray(value)) return value.map((item, index) => within(String(index), item));
  if (isPlainObject(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, within(name, item)]));
  if (value === null || !['object', 'function', 'symbol'].includes(typeof value)) return value as StateValue;
  const takes = 'tensors, numbers, strings, booleans, null, and arrays and plain objects of them';
  throw new LanthornError('argument', op, `${path} is ${describe(value)}; a state consists of ${takes}`);
}
