/** The base of all optimizers, whose classes are generated from the core's table. */
// For compilers whose libraries do not declare Symbol.dispose yet.
/// <reference lib="esnext.disposable" preserve="true" />
import { gather } from './arguments.js';
import { checkFunction, describe } from './check.js';
import { LanthornError } from './errors.js';
import { marked } from './inspect.js';
import { enter, enterAsync } from './runtime.js';
import { specOf, type Spec } from './spec.js';
import { locate, registerEntries } from './stack.js';
import { handleOf, Tensor } from './tensor.js';

const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.optimizerDispose(handle));
  } catch {
    // The core is gone, and the optimizer with it.
  }
});

/** Parameters with specific options. */
export type ParamGroup<Options> = Options & { params: Iterable<Tensor> };

/** The parameters of an optimizer, or groups of them. */
export type Params<Options> = Iterable<Tensor> | Iterable<ParamGroup<Options>>;

/** The value of an option. */
export type OptionValue = number | boolean | string | null | (number | null)[];

/**
 * The state of an optimizer, with PyTorch's names. The tensors belong to the optimizer and are
 * valid until its next step.
 */
export interface OptimizerState {
  /** By the parameters' numbers. */
  state: Record<number, Record<string, Tensor | Tensor[] | number>>;
  param_groups: (Record<string, OptionValue> & { params: number[] })[];
}

/** An option's name in PyTorch. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function handles(name: string, parameters: unknown): Uint32Array {
  if (parameters instanceof Tensor) throw new LanthornError('argument', name, 'the parameters are an array, not a tensor: give [x]');
  if (typeof (parameters as Iterable<Tensor> | undefined)?.[Symbol.iterator] !== 'function') {
    throw new LanthornError('argument', name, 'takes a list of parameters, as model.parameters() gives');
  }
  return Uint32Array.from([...(parameters as Iterable<Tensor>)], (parameter) => handleOf(name, 'parameters', parameter));
}

const isGroup = (value: unknown): value is ParamGroup<object> => typeof value === 'object' && value !== null && !(value instanceof Tensor) && 'params' in value;

/** Parameters, or groups of them, as groups whose parameters are arrays. What is neither is refused later. */
function groupsOf(params: unknown): unknown[] {
  const listed = (given: unknown): unknown => {
    const isList = !(given instanceof Tensor) && typeof (given as Iterable<unknown> | undefined)?.[Symbol.iterator] === 'function';
    return isList ? [...(given as Iterable<unknown>)] : given;
  };
  const all = listed(params);
  if (!Array.isArray(all) || !all.some(isGroup)) return [{ params: all }];
  return all.map((group) => (isGroup(group) ? { ...group, params: listed(group.params) } : group));
}

/** The core's handle of an optimizer. */
export let optimizerHandle: (op: string, optimizer: unknown) => number;

/** Updates parameters with their gradients. */
export abstract class Optimizer {
  #handle: number;
  readonly #spec: Spec;
  /** The constructor's options, and the groups of parameters, for making the optimizer again. */
  readonly #options: readonly unknown[];
  readonly #groups: unknown[] = [];

  static {
    registerEntries([this]);
    optimizerHandle = (op, optimizer) => {
      if (!(optimizer instanceof Optimizer)) throw new LanthornError('argument', op, `takes an optimizer, but the argument is ${describe(optimizer)}`);
      return optimizer.#handle;
    };
  }

  /** @internal */
  constructor(text: string, params: unknown, args: readonly unknown[]) {
    this.#spec = specOf(text);
    try {
      this.#options = gather(this.#spec, args);
      this.#groups.push(...groupsOf(params));
      this.#handle = this.#open();
    } catch (error) {
      if (error instanceof LanthornError) locate(error, new.target);
      throw error;
    }
  }

  /** The core's optimizer of the parameters and options. */
  #open(): number {
    const [first, ...others] = this.#groups.map((group) => this.#group(group));
    const handle = enter((wasm) => wasm.optimizerNew(this.#spec.name, [...this.#options], ...first!));
    registry.register(this, handle, this);
    for (const group of others) enter((wasm) => wasm.optimizerAddGroup(handle, ...group));
    return handle;
  }

  #group(group: unknown): [Uint32Array, string[], unknown[]] {
    const { name, params: known } = this.#spec;
    if (!isGroup(group)) throw new LanthornError('argument', name, `a group of parameters is an object with params, not ${describe(group)}`);
    const { params, ...options } = group;
    const odd = Object.keys(options).find((key) => !known.includes(key));
    if (odd !== undefined) throw new LanthornError('argument', name, `there is no argument ${JSON.stringify(odd)}; there are ${known.join(', ')}`);
    return [handles(name, params), Object.keys(options).map(snake), Object.values(options)];
  }

  /** Adds parameters with specific options; omitted options are those of the constructor. */
  addParamGroup(group: ParamGroup<object>): void {
    const [listed] = groupsOf([group]);
    const prepared = this.#group(listed);
    enter((wasm) => wasm.optimizerAddGroup(this.#handle, ...prepared));
    this.#groups.push(listed);
  }

  /** @internal The parameters of all groups. */
  get parameters(): Tensor[] {
    return this.#groups.flatMap((group) => (group as ParamGroup<object>).params as Tensor[]);
  }

  /** @internal Makes the optimizer again on the device that replaced a lost one, without its state. */
  reopen(): void {
    registry.unregister(this);
    enter((wasm) => wasm.optimizerDispose(this.#handle));
    this.#handle = this.#open();
  }

  /**
   * The options of each group, which can be read and changed; a change recompiles nothing.
   *
   * @example
   * for (const group of optimizer.paramGroups) group.lr *= 0.5;
   */
  get paramGroups(): Record<string, any>[] {
    const count = enter((wasm) => wasm.optimizerGroups(this.#handle));
    return Array.from({ length: count }, (_, group) => {
      const view = {};
      for (const name of this.#spec.params) {
        Object.defineProperty(view, name, {
          enumerable: true,
          get: () => enter((wasm) => wasm.optimizerOption(this.#handle, group, snake(name))),
          set: (value: unknown) => enter((wasm) => wasm.optimizerSetOption(this.#handle, group, snake(name), value)),
        });
      }
      return view;
    });
  }

  /**
   * The learning rate; that of the first group if there are several. Setting it sets all groups. It
   * may change at any step and recompiles nothing.
   */
  get lr(): number {
    return enter((wasm) => wasm.optimizerOption(this.#handle, 0, 'lr')) as number;
  }

  set lr(lr: number) {
    for (const group of this.paramGroups) group.lr = lr;
  }

  /**
   * Updates the parameters with their gradients, and runs the recorded kernels without waiting for
   * them.
   */
  step(): void;
  /**
   * A step with a function that clears the gradients, computes the loss, and calls its
   * `backward()`; resolves to the initial loss. {@link LBFGS} calls it several times.
   *
   * @example
   * await optimizer.step(() => {
   *   optimizer.zeroGrad();
   *   const loss = criterion.call(net.call(x), y);
   *   loss.backward();
   *   return loss;
   * });
   */
  step(closure: () => Tensor | Promise<Tensor>): Promise<Tensor>;
  step(closure?: () => Tensor | Promise<Tensor>): void | Promise<Tensor> {
    const name = `${this.constructor.name}.step`;
    if (closure === undefined) return marked(name, () => enter((wasm) => wasm.optimizerStep(this.#handle)));
    checkFunction(name, closure);
    const evaluate = async () => handleOf(name, 'the loss', await closure());
    return enterAsync((wasm) => wasm.optimizerStepWith(this.#handle, evaluate)).then((handle) => Tensor.fromCore(handle as number));
  }

  /** Clears the gradients. */
  zeroGrad(): void {
    enter((wasm) => wasm.optimizerZeroGrad(this.#handle));
  }

  /** The state of the optimizer, in PyTorch's form and with its names. */
  stateDict(): OptimizerState {
    const [rows, groups] = enter((wasm) => wasm.optimizerStateDict(this.#handle)) as [[number, string, unknown][], OptimizerState['param_groups']];
    const state: OptimizerState['state'] = {};
    for (const [number, name, value] of rows) {
      const made = value instanceof Uint32Array ? Tensor.fromCore(value[0]!) : Array.isArray(value) ? value.map((handle) => Tensor.fromCore(handle)) : (value as number);
      (state[number] ??= {})[name] = made;
    }
    return { state, param_groups: groups };
  }

  /**
   * Loads the state of an optimizer of the same kind with the same number of parameters; its
   * tensors are copied. If something does not match, nothing is changed.
   */
  async loadStateDict(given: OptimizerState): Promise<void> {
    if (typeof given?.state !== 'object' || !Array.isArray(given.param_groups)) {
      throw new LanthornError('argument', 'loadStateDict', `takes an object with state and param_groups, not ${describe(given)}`);
    }
    const encoded = (name: string, value: unknown) => {
      if (typeof value === 'number') return value;
      return Array.isArray(value) ? value.map((tensor) => handleOf('loadStateDict', name, tensor)) : Uint32Array.of(handleOf('loadStateDict', name, value));
    };
    const rows = Object.entries(given.state).flatMap(([number, entries]) =>
      Object.entries(entries).map(([name, value]) => [Number(number), name, encoded(name, value)]));
    const groups = given.param_groups.map(({ params, ...options }) => [Object.keys(options), Object.values(options), [...params]]);
    await enterAsync((wasm) => wasm.optimizerLoadStateDict(this.#handle, rows, groups));
  }

  /** Disposes of the optimizer's state. */
  dispose(): void {
    registry.unregister(this);
    enter((wasm) => wasm.optimizerDispose(this.#handle));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
