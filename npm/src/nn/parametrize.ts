/**
 * Parametrizations: parameters that are computed before every call, as
 * `torch.nn.utils.parametrize`.
 */
import { noGrad } from '../autograd/mode.js';
import { checkFlag, checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { registerEntries } from '../core/stack.js';
import { handleOf, Tensor } from '../tensor/tensor.js';
import { ModuleDict, ModuleList } from './containers.js';
import { isParameter, Module, parameter, type ComputedTensor } from './module.js';
import { parameterOf } from './own-parameter.js';

/**
 * A module that computes a parameter: `forward` returns it for the trained tensor, or for several.
 * With `rightInverse`, which returns the tensors for a parameter, the trained tensors begin with
 * the parameter's, and the parameter can be set.
 */
export interface Parametrization extends Module {
  rightInverse?(value: Tensor): Tensor | readonly Tensor[];
}

/** The parameters that are kept while {@link cached} runs. */
let cache: Map<ParametrizationList, Tensor> | undefined;

const listOf = (value: Tensor | readonly Tensor[]): readonly Tensor[] => (value instanceof Tensor ? [value] : value);

/**
 * The parametrizations of one parameter, in order, with the tensors that are trained: `original`,
 * or `original0`, `original1` and so on. It is a module's `parametrizations.weight`.
 */
export class ParametrizationList extends ModuleList {
  static override readonly name: string = 'ParametrizationList';

  /** @internal The tensors that are trained. */
  originals(): Tensor[] {
    const members: [string, unknown][] = Object.entries(this);
    return members.flatMap(([name, value]) => (/^original\d*$/.test(name) && value instanceof Tensor ? [value] : []));
  }

  /** The parameter. */
  override forward(): Tensor {
    const known = cache?.get(this);
    if (known) return known;
    const [first, ...others]: Module[] = [...this];
    const value = others.reduce<Tensor>((value, module) => module.call(value), first!.call(...this.originals()));
    cache?.set(this, value);
    return value;
  }

  /** Sets the trained tensors so that the parameter is `value`. */
  rightInverse(value: Tensor): void {
    const op = 'rightInverse';
    handleOf(op, 'value', value);
    const originals = this.originals();
    noGrad(() => {
      let tensors: readonly Tensor[] = [value];
      for (const module of [...this].reverse() as Parametrization[]) {
        const name = module.constructor.name;
        if (!module.rightInverse) throw new LanthornError('argument', op, `${name} has no rightInverse, so the parameter cannot be set`);
        tensors = listOf(module.rightInverse(tensors[0]!));
      }
      const isFit = tensors.length === originals.length && tensors.every((tensor, index) => sameShape(tensor, originals[index]!));
      if (!isFit) throw new LanthornError('argument', op, `the tensors of the value have other shapes than those that are trained`);
      for (const [index, original] of originals.entries()) original.copy_(tensors[index]!);
    });
  }
}

const sameShape = (one: Tensor, other: Tensor): boolean => one.shape.join() === other.shape.join();

/** A tensor that a list of parametrizations computes. */
class Parametrized implements ComputedTensor {
  readonly sources = new Map<string, Tensor>();

  constructor(private readonly name: string, readonly label: string) {}

  compute(module: Module): Tensor {
    return listFor(module, this.name)!.call();
  }

  assign(module: Module, value: unknown): void {
    listFor(module, this.name)!.rightInverse(value as Tensor);
    cache?.delete(listFor(module, this.name)!);
  }

  over(): Parametrized {
    return this;
  }
}

/** The lists of a module's parametrizations, by the names of the parameters. */
function listsOf(module: Module): ModuleDict | undefined {
  const { parametrizations } = module as unknown as { parametrizations?: unknown };
  return parametrizations instanceof ModuleDict ? parametrizations : undefined;
}

function listFor(module: Module, name: string): ParametrizationList | undefined {
  const lists = listsOf(module);
  const found = lists?.has(name) ? lists.get(name) : undefined;
  return found instanceof ParametrizationList ? found : undefined;
}

/** Options of {@link registerParametrization}. */
export interface ParametrizationOptions {
  /** Whether the parametrization may change the shape and the type, which are not checked then. */
  unsafe?: boolean;
}

/**
 * Has a parameter or buffer of a module computed by a parametrization before every call, as
 * `torch.nn.utils.parametrize.register_parametrization`. The trained tensor is
 * `parametrizations.NAME.original`, the same as before where its shape stays. A second
 * parametrization takes the result of the first.
 *
 * @example
 * class Symmetric extends nn.Module {
 *   forward(x: Tensor): Tensor { return x.triu().add(x.triu(1).t()); }
 * }
 * const layer = new nn.Linear(3, 3);
 * nn.utils.parametrize.registerParametrization(layer, 'weight', new Symmetric());
 */
export function registerParametrization<M extends Module>(
  module: M, tensorName: string, parametrization: Module, options: ParametrizationOptions = {},
): M {
  const op = 'registerParametrization';
  const { unsafe } = checkOptions(op, options, ['unsafe']);
  const isUnsafe = checkFlag(op, 'unsafe', unsafe);
  if (!(parametrization instanceof Module)) throw new LanthornError('argument', op, `takes a parametrization, a module, not ${describe(parametrization)}`);
  parametrization.train(module.training);
  const known = listFor(module, tensorName);
  if (known) append(op, known, parametrization as Parametrization, isUnsafe);
  else begin(op, module, tensorName, parametrization as Parametrization, isUnsafe);
  return module;
}

/** Refuses a parameter of another shape or type than it had. */
function checkResult(op: string, before: Tensor, after: unknown): void {
  if (!(after instanceof Tensor)) throw new LanthornError('argument', op, `a parametrization returns a tensor, not ${describe(after)}`);
  const text = ({ dtype, shape }: Tensor): string => `${dtype} [${shape.join(', ')}]`;
  if (!sameShape(before, after)) throw new LanthornError('shape', op, `the parametrization makes ${text(after)} of ${text(before)}; unsafe: true allows that`);
  if (before.dtype !== after.dtype) throw new LanthornError('dtype', op, `the parametrization makes ${text(after)} of ${text(before)}; unsafe: true allows that`);
}

/** Makes the list of the first parametrization of a tensor. */
function begin(op: string, module: Module, name: string, parametrization: Parametrization, isUnsafe: boolean): void {
  const own = [...module.ownParameters(), ...module.ownBuffers()].find(([known]) => known === name)?.[1];
  const tensor = own ?? parameterOf(op, module, name);
  const isTrained = isParameter(tensor);
  const list = new ParametrizationList([parametrization]);
  const add = (key: string, value: Tensor): void => {
    const kept = value === tensor ? tensor : value.detach().clone();
    if (isTrained) list.registerParameter(key, kept === tensor ? tensor : parameter(kept, { requiresGrad: tensor.requiresGrad }));
    else list.registerBuffer(key, kept);
  };
  const inverse = parametrization.rightInverse ? noGrad(() => parametrization.rightInverse!(tensor.detach())) : tensor;
  if (inverse instanceof Tensor) {
    const isSame = inverse !== tensor && sameShape(inverse, tensor) && inverse.dtype === tensor.dtype;
    const before = isSame ? tensor.detach().clone() : tensor;
    if (isSame) noGrad(() => tensor.copy_(inverse));
    add('original', isSame ? tensor : inverse);
    check(before, () => { if (isSame) noGrad(() => tensor.copy_(before)); });
  } else {
    inverse.forEach((part, index) => { add(`original${index}`, part); });
    check(tensor, () => {});
  }
  function check(before: Tensor, undo: () => void): void {
    if (isUnsafe) return;
    try {
      checkResult(op, before, noGrad(() => list.call()));
    } catch (error) {
      undo();
      throw error;
    }
  }
  if (!listsOf(module)) module.registerModule('parametrizations', new ModuleDict({}));
  listsOf(module)!.set(name, list);
  module.computeTensor(name, new Parametrized(name, parametrization.constructor.name));
}

/** Adds a parametrization of the result of a list. */
function append(op: string, list: ParametrizationList, parametrization: Parametrization, isUnsafe: boolean): void {
  const before = noGrad(() => list.call());
  const originals = list.originals();
  const copies = originals.map((tensor) => tensor.detach().clone());
  const count = list.length;
  try {
    if (parametrization.rightInverse) {
      const value = noGrad(() => parametrization.rightInverse!(before));
      if (!(value instanceof Tensor)) throw new LanthornError('argument', op, 'the rightInverse of a second parametrization returns one tensor');
      list.rightInverse(value);
    }
    list.append(parametrization);
    if (!isUnsafe) checkResult(op, before, noGrad(() => list.call()));
  } catch (error) {
    if (list.length > count) list.pop();
    noGrad(() => { for (const [index, tensor] of originals.entries()) tensor.copy_(copies[index]!); });
    throw error;
  }
}

/**
 * Removes the parametrizations of a parameter, as
 * `torch.nn.utils.parametrize.remove_parametrizations`: it is the computed one from then on, or
 * with `leaveParametrized` false the trained one. A single trained tensor of the same shape stays
 * the same tensor.
 *
 * @example
 * const layer = nn.utils.parametrizations.weightNorm(new nn.Linear(8, 4));
 * nn.utils.parametrize.removeParametrizations(layer, 'weight');
 */
export function removeParametrizations<M extends Module>(module: M, tensorName: string, leaveParametrized = true): M {
  const op = 'removeParametrizations';
  const list = module instanceof Module ? listFor(module, tensorName) : undefined;
  if (!list) throw new LanthornError('argument', op, `the module has no parametrization of ${JSON.stringify(tensorName)}`);
  const leaves = checkFlag(op, 'leaveParametrized', leaveParametrized);
  const [original, ...others] = list.originals();
  if (!leaves && others.length > 0) throw new LanthornError('argument', op, `${others.length + 1} tensors are trained: only the computed parameter can be left`);
  const value = leaves ? noGrad(() => list.call()) : original!;
  const isSame = others.length === 0 && sameShape(original!, value) && original!.dtype === value.dtype;
  if (isSame && value !== original) noGrad(() => original!.copy_(value));
  const lists = listsOf(module)!;
  lists.delete(tensorName);
  if (lists.length === 0) delete (module as { parametrizations?: unknown }).parametrizations;
  module.restoreTensor(tensorName, isSame ? original! : parameter(value));
  return module;
}

/**
 * Whether parameters of this module itself are computed, the one of this name or any, as
 * `torch.nn.utils.parametrize.is_parametrized`.
 */
export function isParametrized(module: Module, tensorName?: string): boolean {
  if (!(module instanceof Module)) throw new LanthornError('argument', 'isParametrized', `takes a module, not ${describe(module)}`);
  return tensorName === undefined ? listsOf(module) !== undefined : listFor(module, tensorName) !== undefined;
}

/**
 * Runs `fn` and computes each parametrized parameter at most once in it, as
 * `torch.nn.utils.parametrize.cached`: for modules that are called several times between two steps
 * of an optimizer. `fn` must not be async, and must not change the trained tensors.
 *
 * @example
 * const [a, b] = nn.utils.parametrize.cached(() => [net.call(x), net.call(y)]);
 */
export function cached<T>(fn: () => T): T {
  checkFunction('cached', fn);
  const outer = cache;
  cache ??= new Map();
  try {
    const result = fn();
    if (result instanceof Promise) {
      result.catch(() => {});
      throw new LanthornError('argument', 'cached', 'the function must not be async; await outside of cached');
    }
    return result;
  } finally {
    cache = outer;
  }
}

registerEntries([registerParametrization, removeParametrizations, isParametrized, cached]);
