/** The base of all optimizers, which programs and the core extend. */
import { noGrad } from '../autograd/mode.js';
import { checkOptions, describe, isPlainObject, unknownArgument } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { copyState, encodeOptions, ParameterStates, type OptimizerState, type ParameterState } from './optimizer-state.js';
import {
  camel, givenGroup, givenGroups, KEPT, parameterHandles, parameterList, SCHEDULED, snake,
  type AnyOptions, type GivenGroup, type GroupView, type ParamGroup, type Params, type Plain,
} from './param-groups.js';
import { breakGraph, isRecording, note, noteAll } from '../core/recording.js';
import { enter } from '../core/runtime.js';
import { retain, tensorsIn } from '../tensor/scope.js';
import { locate, registerEntries } from '../core/stack.js';
import { Tensor } from '../tensor/tensor.js';

const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.optimizerDispose(handle));
  } catch {
    // The core is gone, and the optimizer with it.
  }
});

/** A function that clears the gradients, computes the loss, and calls its `backward()`. */
export type LossClosure = () => Tensor | Promise<Tensor>;

/** The rule of an optimizer of the core. */
export interface CoreRule {
  name: string;
  /** The names of the options. */
  names: readonly string[];
  /** The constructor's options in their order. */
  options: readonly unknown[];
}

/** @internal The rules of the core, which the constructor takes as defaults. */
export const coreRules = new WeakSet<object>();

/** The core's handle of an optimizer. */
export let optimizerHandle: (op: string, optimizer: unknown) => number;

/** Has a function called before the next use of an optimizer's rates. */
export let beforeRates: (optimizer: Optimizer, fn: () => void) => void;

/** Calls the functions that wait for the use of an optimizer's rates. */
export let useRates: (optimizer: Optimizer) => void;

/** The numbers and lists among the options that the core keeps for schedules. */
const scheduled = (options: Record<string, unknown>): [string, unknown][] =>
  Object.entries(options).filter(([name, value]) => [...SCHEDULED, ...KEPT].includes(name) && value !== undefined);

/**
 * Updates parameters with their gradients, as `torch.optim.Optimizer`. Extend this class to write
 * an optimizer: `step` reads `paramGroups`, whose options are the group's own or the `defaults`,
 * and keeps values from step to step in `state`, as `this.state.get(p).count = 1`. Schedules,
 * {@link GradScaler}, checkpoints and {@link autosave} take it as they take the others. The types
 * of the options and of a state are parameters: `Optimizer<{ lr: number }, { velocity?: Tensor }>`.
 *
 * @example
 * class SignDescent extends optim.Optimizer {
 *   constructor(params, lr = 0.01) { super(params, { lr }); }
 *
 *   step() {
 *     noGrad(() => {
 *       for (const { params, lr } of this.paramGroups) {
 *         for (const p of params) if (p.grad) p.sub_(p.grad.sign(), { alpha: lr });
 *       }
 *     });
 *   }
 * }
 */
export abstract class Optimizer<Options extends object = AnyOptions, State extends object = ParameterState> {
  #handle: number;
  /** The rule of the core. Without a rule the core keeps only the options that schedules change. */
  readonly #rule: CoreRule | undefined;
  #defaults: object | undefined;
  /** The groups as they were given, for making the optimizer again. */
  readonly #given: GivenGroup[];
  #groups: readonly object[] = [];
  readonly #state = new ParameterStates<object>();
  /** Called before the next use of the rates. */
  readonly #waiting: (() => void)[] = [];
  #isStarting = false;

  static {
    registerEntries([this]);
    optimizerHandle = (op, optimizer) => {
      if (!(optimizer instanceof Optimizer)) throw new LanthornError('argument', op, `takes an optimizer, but the argument is ${describe(optimizer)}`);
      optimizer.#useRates();
      return optimizer.#handle;
    };
    beforeRates = (optimizer, fn) => optimizer.#waiting.push(fn);
    useRates = (optimizer) => optimizer.#useRates();
  }

  /** An optimizer of these parameters, or groups of them; a group has the defaults that it omits. */
  constructor(params: Params<Partial<Options>>, defaults: Options) {
    try {
      if (coreRules.has(defaults)) {
        this.#rule = defaults as unknown as CoreRule;
      } else {
        if (!isPlainObject(defaults)) throw new LanthornError('argument', this.#name, `the defaults are an object such as { lr: 0.1 }, not ${describe(defaults)}`);
        this.#defaults = defaults;
      }
      this.#given = givenGroups(this.#name, params).map((group) => this.#complete(group));
      this.#handle = this.#open();
      this.#show();
    } catch (error) {
      if (error instanceof LanthornError) locate(error, new.target);
      throw error;
    }
  }

  get #name(): string {
    return this.#rule?.name ?? this.constructor.name;
  }

  /** A group with the defaults of an optimizer without a rule; the core fills in its own defaults. */
  #complete({ params, options }: GivenGroup): GivenGroup {
    const { names } = this.#rule ?? {};
    const odd = Object.keys(options).find((name) => names && !names.includes(name) && !KEPT.includes(name));
    if (odd !== undefined) throw unknownArgument(this.#name, odd, names!);
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return { params, options: this.#rule ? given : { ...this.#defaults, ...given } };
  }

  /** The parts of a group that the core keeps. */
  #encoded({ params, options }: GivenGroup): [Uint32Array, string[], unknown[]] {
    const kept = this.#rule ? options : Object.fromEntries(scheduled(options));
    return [parameterHandles(this.#name, params), ...encodeOptions(kept)];
  }

  /** The core's optimizer of the parameters and options. */
  #open(): number {
    const rule = this.#rule;
    const [first, ...others] = this.#given.map((group) => this.#encoded(group));
    const handle = enter((wasm) => (rule ? wasm.optimizerNew(rule.name, [...rule.options], ...first!) : wasm.optimizerManual(...first!)));
    registry.register(this, handle, this);
    for (const group of others) enter((wasm) => wasm.optimizerAddGroup(handle, ...group));
    return handle;
  }

  /** Makes the views of groups that have none yet. */
  #show(): void {
    const added = this.#given.slice(this.#groups.length).map((_, index) => this.#view(this.#groups.length + index));
    this.#groups = Object.freeze([...this.#groups, ...added]);
  }

  #view(index: number): object {
    const { options } = this.#given[index]!;
    const view = this.#rule ? {} : { ...options };
    const { names } = this.#rule ?? {};
    const define = (name: string, enumerable: boolean, get: () => unknown, set: (value: unknown) => void): void => {
      Object.defineProperty(view, name, { enumerable, configurable: true, get, set });
    };
    // A recorded call depends on the value of an option, also where that is an array.
    const texts = new Proxy({}, { get: (_, name: string) => JSON.stringify(this.#option(index, name)) });
    for (const name of [...(names ?? SCHEDULED), ...KEPT]) {
      const get = (): unknown => {
        if (isRecording()) note(texts, name);
        return this.#option(index, name);
      };
      define(name, names?.includes(name) ?? options[name] !== undefined, get, (value) => {
        this.#useRates();
        enter((wasm) => wasm.optimizerSetOption(this.#handle, index, snake(name), value));
        // An option that was not there before is one now.
        if (!names) Object.defineProperty(view, name, { enumerable: true });
      });
    }
    define('params', true, () => this.#given[index]!.params, (params) => {
      const listed = parameterList(this.#name, params);
      enter((wasm) => wasm.optimizerSetParameters(this.#handle, index, parameterHandles(this.#name, listed)));
      this.#given[index]!.params = listed;
    });
    return view;
  }

  /** An option that the core keeps. */
  #option(index: number, name: string): unknown {
    this.#useRates();
    return enter((wasm) => wasm.optimizerOption(this.#handle, index, snake(name)));
  }

  #useRates(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      while (this.#waiting.length > 0) {
        this.#waiting[0]!();
        this.#waiting.shift();
      }
    } finally {
      this.#isStarting = false;
    }
  }

  /** The options of groups without specific ones. */
  get defaults(): Plain<Options> {
    return (this.#defaults ??= Object.fromEntries(
      Object.entries(enter((wasm) => wasm.optimizerDefaults(this.#handle))).map(([name, value]) => [camel(name), value]),
    )) as Plain<Options>;
  }

  /** Adds parameters with specific options; omitted options are the defaults. */
  addParamGroup(group: ParamGroup<Partial<Options>>): void {
    this.#useRates();
    const given = this.#complete(givenGroup(this.#name, group));
    enter((wasm) => wasm.optimizerAddGroup(this.#handle, ...this.#encoded(given)));
    this.#given.push(given);
    this.#show();
  }

  /** @internal The parameters of all groups. */
  get parameters(): Tensor[] {
    return this.#given.flatMap(({ params }) => [...params]);
  }

  /** @internal Makes the optimizer again on the device that replaced a lost one, without its state. */
  reopen(): void {
    registry.unregister(this);
    enter((wasm) => wasm.optimizerDispose(this.#handle));
    this.#handle = this.#open();
  }

  /**
   * The groups: the parameters of each in `params`, and its options, which can be read and changed;
   * a change recompiles nothing.
   *
   * @example
   * for (const group of optimizer.paramGroups) group.lr *= 0.5;
   */
  get paramGroups(): readonly GroupView<Options>[] {
    if (isRecording() && !this.#rule) for (const group of this.#groups) noteAll(group);
    return this.#groups as readonly GroupView<Options>[];
  }

  /**
   * The values that the optimizer keeps for each parameter from step to step.
   * `state.get(parameter)` adds an empty object where there is none. Tensors in it outlive the
   * {@link scope} that they are made in.
   */
  get state(): ParameterStates<Plain<State>> {
    breakGraph('an optimizer of the program has a state');
    retain(this.#state);
    return this.#state as ParameterStates<Plain<State>>;
  }

  /**
   * The learning rate; the first group's if there are several. Setting it sets all groups. It may
   * change at any step and recompiles nothing.
   */
  get lr(): number {
    return (this.paramGroups[0] as { lr?: number }).lr as number;
  }

  set lr(lr: number) {
    for (const group of this.paramGroups) (group as { lr?: number }).lr = lr;
  }

  /** Updates the parameters with their gradients. A class that extends this one implements it. */
  step(closure?: LossClosure): unknown;
  step(): unknown {
    throw new LanthornError('argument', `${this.constructor.name}.step`, 'is not implemented: a class that extends Optimizer has a method step()');
  }

  /** Clears the gradients; with `setToNone: false` they become zeros instead. */
  zeroGrad(options: { setToNone?: boolean } = {}): void {
    const { setToNone = true } = checkOptions('zeroGrad', options, ['setToNone']);
    if (setToNone) return enter((wasm) => wasm.optimizerZeroGrad(this.#handle));
    noGrad(() => {
      for (const parameter of this.parameters) {
        const { grad } = parameter;
        if (!grad) continue;
        const cleared = grad.gradFn === null ? grad : grad.detach();
        cleared.zero_();
        if (cleared !== grad) parameter.grad = cleared;
      }
    });
  }

  /**
   * The state of the optimizer, in PyTorch's form: options have PyTorch's names, and parameters are
   * numbers. Tensors share memory with the optimizer.
   */
  stateDict(): OptimizerState {
    const numbers = new Map(this.parameters.map((parameter, number) => [parameter, number]));
    const states = Array.from(this.state, ([parameter, state]) => [numbers.get(parameter), state] as const);
    const copied = states.filter(([number]) => number !== undefined).map(([number, state]) =>
      [number, copyState('stateDict', `state of parameter ${number}`, state, (tensor) => tensor.detach())]);
    const groups = this.paramGroups.map((group) => {
      const names = Object.getOwnPropertyNames(group).filter((name) => name !== 'params');
      const values = names.map((name) => [snake(name), (group as Record<string, unknown>)[name]] as const);
      // A function is no part of a state, as in PyTorch's states of schedules.
      const written = values.filter(([, value]) => value !== undefined && typeof value !== 'function');
      const options = copyState('stateDict', 'a group of parameters', Object.fromEntries(written), (tensor) => tensor.detach());
      return { ...(options as object), params: group.params.map((parameter) => numbers.get(parameter)!) };
    });
    return { state: Object.fromEntries(copied), param_groups: groups };
  }

  /**
   * Loads the state of an optimizer of the same kind with the same number of parameters; its
   * tensors are copied. If something does not match, nothing is changed.
   */
  async loadStateDict(given: OptimizerState): Promise<void> {
    checkState(given);
    this.#useRates();
    const refuse = (message: string): never => { throw new LanthornError('argument', 'loadStateDict', message); };
    const [theirs, own] = [given.param_groups, this.paramGroups].map((groups) => groups.map(({ params }) => params.length).join(', '));
    if (theirs !== own) refuse(`the groups have [${theirs}] parameters, the optimizer's have [${own}]`);
    const numbers = given.param_groups.flatMap(({ params }) => params);
    const states = Object.entries(given.state).map(([key, state]) => {
      const index = numbers.indexOf(Number(key));
      if (index < 0) refuse(`there is a state of parameter ${key}, which is in no group`);
      return [this.parameters[index]!, copiesFor(this.parameters[index]!, key, state)] as const;
    });
    for (const { params: _, ...options } of given.param_groups) {
      for (const [name, value] of scheduled(Object.fromEntries(Object.entries(options).map(([key, value]) => [camel(key), value])))) {
        const isNumber = (item: unknown): boolean => typeof item === 'number';
        if (!isNumber(value) && !(Array.isArray(value) && value.every(isNumber))) refuse(`the option ${name} takes a number or a list of numbers, not ${describe(value)}`);
      }
    }
    given.param_groups.forEach(({ params: _, ...options }, index) => {
      const group = this.paramGroups[index] as Record<string, unknown>;
      const names = new Map(Object.getOwnPropertyNames(group).map((name) => [snake(name), name]));
      for (const [name, value] of Object.entries(options)) {
        const known = names.get(name) ?? camel(name);
        if (value !== undefined) group[known] = Array.isArray(value) ? [...value] : value;
      }
    });
    this.state.clear();
    for (const [parameter, state] of states) this.#state.set(parameter, state);
  }

  /** Disposes of the optimizer's state. */
  dispose(): void {
    const parameters = new Set<unknown>(this.parameters);
    for (const item of tensorsIn(this.#state)) if (item instanceof Tensor && !parameters.has(item)) item.dispose();
    this.#state.clear();
    registry.unregister(this);
    enter((wasm) => wasm.optimizerDispose(this.#handle));
  }

  [dispose](): void {
    this.dispose();
  }
}

/** Refuses a value that has not the form of a state. */
export function checkState(given: unknown): void {
  const { state, param_groups } = (given ?? {}) as Partial<OptimizerState>;
  const isGroup = (group: unknown): boolean => Array.isArray((group as { params?: unknown } | null)?.params);
  if (typeof state === 'object' && state !== null && Array.isArray(param_groups) && param_groups.every(isGroup)) return;
  throw new LanthornError('argument', 'loadStateDict', `takes an object with state and param_groups, as stateDict() returns, not ${describe(given)}`);
}

/**
 * Copies of a state's values for a parameter, as PyTorch makes them: tensors but the count of steps
 * have the type of a floating-point parameter.
 */
function copiesFor(parameter: Tensor, key: string, state: unknown): object {
  if (!isPlainObject(state)) throw new LanthornError('argument', 'loadStateDict', `the state of parameter ${key} is ${describe(state)}, not an object`);
  const isFloating = parameter.dtype.includes('float');
  const copies = Object.entries(state).map(([name, value]) => {
    const copied = (tensor: Tensor): Tensor => {
      const shared = tensor.detach();
      const isConverted = isFloating && name !== 'step' && tensor.dtype !== parameter.dtype;
      const made = isConverted ? shared.to(parameter.dtype) : shared.clone();
      shared.dispose();
      return made;
    };
    return [name, copyState('loadStateDict', `state of parameter ${key}.${name}`, value, copied)];
  });
  return Object.fromEntries(copies);
}
