/** The registrations of operations, in every core that was used. */
import { callAny } from '../tensor/call.js';
import type { Returns, Spec } from '../tensor/spec.js';
import type { Core } from '../core/core.js';
import type { CustomOp, CustomOpOptions } from './custom-op.js';
import { enter } from '../core/runtime.js';
import { parseSchema, returnsOf, specOf, type Parsed } from './schema.js';
import { Tensor } from '../tensor/tensor.js';

/** Registers an operation in a core, and returns its number there and its schema. */
export type Register = (wasm: Core) => readonly [number, string];

const registrations: Register[] = [];
const numbers = new WeakMap<Core, number[]>();
/** The registered operations by name. */
export const registered = new Map<string, CustomOp>();

/** The numbers of all registrations in a core, which are made up for where they are missing. */
export function numbersIn(wasm: Core): number[] {
  const known = numbers.get(wasm) ?? [];
  numbers.set(wasm, known);
  for (const register of registrations.slice(known.length)) known.push(register(wasm)[0]);
  return known;
}

/** Registers an operation, and returns the function that calls it. */
export function add(register: Register, declaration: CustomOpOptions | undefined, told: (schema: Parsed) => void): CustomOp {
  const schema = enter((wasm) => {
    const known = numbersIn(wasm);
    const [number, text] = register(wasm);
    known.push(number);
    registrations.push(register);
    return text;
  });
  const parsed = parseSchema(schema);
  told(parsed);
  const [spec, returns]: [Spec, Returns] = [specOf(parsed), returnsOf(parsed)];
  const index = registrations.length - 1;
  const op = (...args: unknown[]): unknown => callAny(enter((wasm) => numbersIn(wasm)[index]!), spec, returns, undefined, args, Tensor);
  const named = { name: { value: parsed.name }, opName: { value: parsed.name }, schema: { value: schema }, declaration: { value: declaration } };
  const made = Object.defineProperties(op, named) as unknown as CustomOp;
  registered.set(parsed.name, made);
  return made;
}
