/**
 * Custom operations, as `torch.library`: registered by a page, and then equivalent to the package's
 * operations.
 *
 * The package has a core for each device, each with its own registrations: an operation of one core
 * is registered in another when it is first used there, in the same order. A name can be registered
 * once, for as long as the page lives.
 */
import { decodeArgs, received, runCallback, shared, tensorList } from '../tensor/callback.js';
import { checkFlag, checkFunction, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { FunctionContext, } from '../autograd/function.js';
import type { AutocastPolicy, CustomOp, CustomOpOptions } from './custom-op.js';
import { kernelParts } from './kernel.js';
import { add, registered, type Register } from './registrations.js';
import type { Parsed } from './schema.js';
import type { ArgumentsOf, ExpressionArguments, ResultOf } from './schema-types.js';
import { Tensor } from '../tensor/tensor.js';

export type { AutocastPolicy, CpuKernel, CustomOp, CustomOpOptions, FakeTensor, KernelTensor, WgslKernel } from './custom-op.js';

function checkText(op: string, name: string, value: unknown): void {
  if (typeof value !== 'string') throw wrongArgument(op, name, 'a string', describe(value));
}

/**
 * Registers a pointwise operation from an expression: `arguments -> expression`. It runs on every
 * device, fuses with other operations, and has derivatives of every order. An argument with a
 * default is a number; the first of the others is a tensor, and the rest are tensors or numbers.
 *
 * The expression has numbers, `pi`, `inf`, `nan`, `true` and `false`, `+ - * / % **`, comparisons,
 * `&& || !`, `condition ? a : b`, and functions by PyTorch's names. Fails with the line and column
 * where the text does not parse, and where the name lacks a namespace or is taken.
 *
 * @example
 * const squareplus = library.pointwise('mylib::squareplus', 'x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))');
 * const y = squareplus(x, { b: 1 });
 */
export function pointwise<const F extends string>(name: string, expression: F, options: { autocast?: AutocastPolicy } = {}): CustomOp<ExpressionArguments<F>, Tensor> {
  checkText('pointwise', 'name', name);
  checkText('pointwise', 'expression', expression);
  const { autocast = 'keep' } = checkOptions(name, options, ['autocast']);
  checkText(name, 'autocast', autocast);
  const register: Register = (wasm) => wasm.libraryPointwise(name, expression, autocast) as unknown as [number, string];
  return add(register, undefined, () => {}) as CustomOp<ExpressionArguments<F>, Tensor>;
}

const PARTS = ['fake', 'cpu', 'wgsl', 'fallback', 'setupContext', 'backward', 'onceDifferentiable', 'autocast'] as const;

/**
 * Registers an operation with a schema in ATen's syntax, as `torch.library.custom_op`, from kernels
 * of one's own or as a function of other operations.
 *
 * Its functions run in a scope: tensors made in them are disposed of, except those returned, saved,
 * or set as properties of the context. Fails where the schema does not parse, its name lacks a
 * namespace or is taken, or nothing says how the operation is computed.
 *
 * @example
 * const swiglu = library.customOp('mylib::swiglu(Tensor gate, Tensor up) -> Tensor', {
 *   fake: (gate) => gate,
 *   cpu: ({ gate, up, out }) => out.data.forEach((_, i) => { out.data[i] = gate.data[i] / (1 + Math.exp(-gate.data[i])) * up.data[i]; }),
 *   wgsl: 'set_out(i, gate(i) / (1.0 + exp(-gate(i))) * up(i));',
 *   fallback: (gate, up) => nn.functional.silu(gate).mul(up),
 * });
 */
export function customOp<const S extends string>(schema: S, options: CustomOpOptions<S>): CustomOp<ArgumentsOf<S>, ResultOf<S>> {
  checkText('customOp', 'schema', schema);
  const name = schema.split('(')[0]!.trim();
  const given = checkOptions<CustomOpOptions>(name, options as CustomOpOptions, PARTS);
  for (const part of ['fake', 'cpu', 'fallback', 'setupContext', 'backward'] as const) if (given[part] !== undefined) checkFunction(name, given[part]);
  const { autocast = 'keep' } = given;
  checkText(name, 'autocast', autocast);
  if (given.setupContext && !given.backward) throw new LanthornError('argument', name, 'setupContext keeps what backward needs, and there is no backward');
  const once = checkFlag(name, 'onceDifferentiable', given.onceDifferentiable);
  const known: { schema?: Parsed } = {};
  const parts = { ...derivative(name, given), ...kernelParts(name, given, known), composite: composite(name, given.fallback) };
  const register: Register = (wasm) => wasm.libraryDefine(schema, autocast, once, parts) as unknown as [number, string];
  return add(register, given, (parsed) => { known.schema = parsed; }) as CustomOp<ArgumentsOf<S>, ResultOf<S>>;
}

/** The fallback as the core calls it. */
function composite(name: string, fallback: CustomOpOptions['fallback']) {
  if (!fallback) return undefined;
  return (encoded: Float64Array, strings: string[]) =>
    runCallback(name, undefined, () => fallback(...(decodeArgs(encoded, strings) as never[])), (result) =>
      Uint32Array.from(shared(name, 'returned by fallback', tensorList(name, 'fallback', result))));
}

/** The tensors of an argument: one, several of a list, or none. */
const tensorsIn = (arg: unknown): unknown[] => (Array.isArray(arg) ? arg : [arg]).filter((item) => item instanceof Tensor);

/**
 * The context of one call, and how many tensors each argument had: -1 for one that is a tensor
 * itself.
 */
interface Kept {
  ctx: FunctionContext;
  counts: readonly number[];
}

/** `setupContext` and `backward` as the core calls them. */
function derivative(name: string, { setupContext, backward }: CustomOpOptions) {
  if (!backward) return {};
  return {
    setupContext: (encoded: Float64Array, strings: string[], results: Uint32Array, needs: Uint8Array): [Kept, Uint32Array] => {
      const holder: { ctx?: FunctionContext } = {};
      const args = (): unknown[] => decodeArgs(encoded, strings);
      return runCallback(name, holder, () => {
        const inputs = args();
        let at = 0;
        const needed = inputs.map((arg) => tensorsIn(arg).map(() => needs[at++] === 1).includes(true));
        holder.ctx = new FunctionContext(name, needed);
        const outputs = received(results);
        const returned: unknown = setupContext?.(holder.ctx, inputs as never[], (outputs.length === 1 ? outputs[0] : outputs) as never);
        if (returned instanceof Promise) throw new LanthornError('argument', name, 'setupContext must not be async');
        return inputs.map((arg) => (arg instanceof Tensor ? -1 : tensorsIn(arg).length));
      }, (counts) => [{ ctx: holder.ctx!, counts }, holder.ctx!.report([])]);
    },
    backward: ({ ctx, counts }: Kept, grads: Uint32Array, saved: Uint32Array): Uint32Array =>
      runCallback(name, ctx, () => ctx.withSaved(saved, () => backward(ctx, ...(received(grads) as Tensor[]))), (given) =>
        Uint32Array.from(shared(name, 'returned by backward', flatten(name, given, counts)))),
  };
}

/** The gradients of the tensors among the arguments, including those in lists. */
function flatten(name: string, given: unknown, counts: readonly number[]): unknown[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length !== counts.length) throw new LanthornError('autograd', name, `backward gave ${list.length} gradients for ${counts.length} inputs`);
  return counts.flatMap((count, index) => {
    const gradient = list[index];
    if (count === -1) return [gradient];
    if (gradient === null || gradient === undefined) return Array.from({ length: count }, () => null);
    if (Array.isArray(gradient) && gradient.length === count) return gradient as unknown[];
    const wanted = count === 0 ? 'null, as it is no tensor' : `an array of ${count}`;
    throw new LanthornError('autograd', name, `the gradient of input ${index} is ${wanted}; backward gave ${describe(gradient)}`);
  });
}

/** The operation registered under a name. Fails if there is none. */
export function op(name: string): CustomOp {
  const found = registered.get(name);
  if (!found) throw new LanthornError('argument', String(name), 'no operation of this name is registered');
  return found;
}
