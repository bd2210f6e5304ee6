/** Modules: functions of tensors with named parameters. */
import { checkFlag, checkOptions, describe, isPlain } from '../core/check.js';
import type { DeviceName } from '../core/cores.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { Printed } from '../core/printed.js';
import { Hooks, runWithBackwardHooks } from './hooks.js';
import { breakGraph, isRecording, note, noteAll, noteReplaced } from '../core/recording.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { handleOf, Tensor, type HookHandle } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';

/**
 * The tensors that {@link parameter} made: they remain parameters while they do not require
 * gradients.
 */
const parameters = new WeakSet<Tensor>();

/** The tensors that {@link buffer} marked. */
const buffers = new WeakSet<Tensor>();

/** Whether a tensor is a parameter: as made by {@link parameter}, or a leaf that requires gradients. */
export function isParameter(tensor: Tensor): boolean {
  return parameters.has(tensor) || (tensor.requiresGrad && tensor.isLeaf);
}

/** The types that {@link Module.to} converts from and to. */
const FLOATING: readonly DType[] = ['float32', 'float64', 'float16', 'bfloat16'];

/** The modules that were warned about. */
const warned = new WeakSet<Module>();

/** The modules that were called by another one. */
const called = new WeakSet<Module>();

/** The module whose `forward` runs. */
let running: Module | undefined;

/** The buffers that are not part of a state dict. */
const passing = new WeakSet<Tensor>();

/** @internal A tensor of a module that is computed where it is read, such as a quantized weight. */
export interface ComputedTensor {
  /**
   * The parameters and buffers that it is computed from, by the last part of their names: `qdata` of
   * `parametrizations.weight.qdata`.
   */
  readonly sources: Map<string, Tensor>;
  /** The tensor of a module: a new one at each call. */
  compute(module: Module): Tensor;
  /** What `forward` gets in place of its first argument. */
  input?(x: Tensor): Tensor;
  /** The result of the module, where it is computed without the whole tensor. */
  forward?(x: Tensor): Tensor;
  /** Sets the sources so that the tensor is a value; without it the tensor cannot be replaced. */
  assign?(module: Module, value: unknown): void;
  /** The same computation of other tensors, for a clone of the module. */
  over(sources: Map<string, Tensor>): ComputedTensor;
  /** The description in the module's line. */
  readonly label: string;
}

/** The names that only one of a module and a state dict has. */
export interface Mismatch {
  /** The module's names that the state dict lacks. */
  missingKeys: string[];
  /** The state dict's names that the module lacks. */
  unexpectedKeys: string[];
}

/** Copies a module, which is then known. */
let copyModule: (module: Module, known: Map<unknown, unknown>) => Module;

/** A copy of a value with copies of its modules and tensors. */
function copyOf<T>(value: T, known: Map<unknown, unknown>): T {
  if (typeof value !== 'object' || value === null) return value;
  const found = known.get(value);
  if (found !== undefined) return found as T;
  const keep = <C>(copy: C, fill?: (copy: C) => void): T => {
    known.set(value, copy);
    fill?.(copy);
    return copy as unknown as T;
  };
  if (value instanceof Tensor) return keep(copyTensor(value));
  if (value instanceof Module) return copyModule(value, known) as T;
  if (Array.isArray(value)) return keep<unknown[]>([], (copy) => value.forEach((item) => copy.push(copyOf(item, known))));
  if (value instanceof Map) return keep(new Map(), (copy) => value.forEach((item, key) => copy.set(key, copyOf(item, known))));
  if (value instanceof Set) return keep(new Set(), (copy) => value.forEach((item) => copy.add(copyOf(item, known))));
  if (!isPlain(value)) return value;
  return keep<Record<string, unknown>>({}, (copy) => {
    for (const [key, item] of Object.entries(value)) copy[key] = copyOf(item, known);
  });
}

/** A copy of a tensor: of a parameter a parameter, of a buffer a buffer. */
function copyTensor(tensor: Tensor): Tensor {
  if (tensor.isDisposed) return tensor;
  const copy = tensor.detach().clone();
  for (const kind of [parameters, buffers, passing]) if (kind.has(tensor)) kind.add(copy);
  return tensor.requiresGrad && tensor.isLeaf ? copy.requiresGrad_() : copy;
}

/** The inputs of a module, and one of them. */
type Inputs<M extends Module> = Parameters<M['forward']>;
type Input<M extends Module> = Inputs<M>[number];

/**
 * Called with a module and its inputs before `forward`. A returned array replaces the inputs, and
 * another returned value a single one.
 */
export type ForwardPreHook<M extends Module = Module> = (module: M, inputs: Inputs<M>) => readonly Input<M>[] | Input<M> | void;
/**
 * Called with a module, its inputs and its result after `forward`; a returned value replaces the
 * result.
 */
export type ForwardHook<M extends Module = Module> = (module: M, inputs: Inputs<M>, output: ReturnType<M['forward']>) => ReturnType<M['forward']> | void;
/**
 * Called with a module, the gradients of its inputs and of its results; null where there is none.
 * If one input has a gradient, a returned tensor replaces it.
 */
export type BackwardHook<M extends Module = Module> = (module: M, gradInput: (Tensor | null)[], gradOutput: (Tensor | null)[]) => readonly (Tensor | null)[] | void;
/**
 * Called with a module and the gradient of its result, before its backward pass. A returned tensor,
 * or a list of one, replaces the gradient.
 */
export type BackwardPreHook<M extends Module = Module> = (module: M, gradOutput: (Tensor | null)[]) => readonly (Tensor | null)[] | Tensor | void;

/** The member of a path among those that a module lists. */
function memberOf<T>(op: string, target: string, members: Iterable<[string, T]>): T {
  for (const [name, member] of members) if (name === target) return member;
  throw new LanthornError('argument', op, `there is nothing at ${JSON.stringify(target) ?? describe(target)}`);
}

/**
 * A function of tensors with parameters. Extend this class to write a module: parameters
 * ({@link parameter}) and modules among its properties, also in arrays, are found by name; those in
 * other objects, for which there are {@link ModuleList} and {@link ModuleDict}, and in `#private`
 * fields are not, which a warning says once.
 *
 * @example
 * class Net extends nn.Module {
 *   hidden = new nn.Linear(64, 32);
 *   output = new nn.Linear(32, 10);
 *   forward(x) { return this.output.call(this.hidden.call(x).relu()); }
 * }
 */
export abstract class Module extends Printed {
  /** Whether the module is in training mode, on which dropout and others depend. */
  training = true;

  static {
    registerEntries([this]);
  }

  readonly #preHooks = new Hooks<ForwardPreHook>();
  readonly #hooks = new Hooks<ForwardHook>();
  readonly #backwardHooks = new Hooks<BackwardHook>();
  readonly #backwardPreHooks = new Hooks<BackwardPreHook>();
  readonly #computed = new Map<string, ComputedTensor>();

  /** The module's result. */
  // biome-ignore lint/suspicious/noExplicitAny: a list of modules of any class is called.
  abstract forward(...inputs: any[]): any;

  /** Applies the module with its hooks: calls `forward`, which no other code should call. */
  declare readonly call: this['forward'];

  /** @internal The number of functions that are called beside `forward`. */
  get hookCount(): number {
    return this.#preHooks.size + this.#hooks.size + this.#backwardHooks.size + this.#backwardPreHooks.size;
  }

  /** @internal */
  applyTo(inputs: unknown[]): unknown {
    if (isRecording()) {
      noteAll(this);
      note(this, 'hookCount');
      if (this.hookCount > 0) breakGraph('a hook of a module runs');
    }
    let taken = inputs;
    // Iterating costs more than a small layer, also without hooks.
    if (this.#preHooks.size > 0) {
      for (const hook of this.#preHooks) {
        const returned: unknown = hook(this, taken);
        if (returned !== undefined && returned !== null) taken = Array.isArray(returned) ? returned : [returned];
      }
    }
    let output: unknown;
    const outer = running;
    running = this;
    try {
      output = this.#backwardHooks.size + this.#backwardPreHooks.size > 0
        ? runWithBackwardHooks(this, this.#backwardPreHooks, this.#backwardHooks, taken, (values) => this.forward(...values))
        : this.forward(...taken);
    } finally {
      running = outer;
    }
    if (this.#hooks.size > 0) for (const hook of this.#hooks) output = hook(this, taken, output) ?? output;
    return output;
  }

  /** Registers a function that is called before every `forward`; see {@link ForwardPreHook}. */
  registerForwardPreHook(hook: ForwardPreHook<this>): HookHandle {
    return this.#preHooks.add('registerForwardPreHook', hook as ForwardPreHook);
  }

  /** Registers a function that is called after every `forward`; see {@link ForwardHook}. */
  registerForwardHook(hook: ForwardHook<this>): HookHandle {
    return this.#hooks.add('registerForwardHook', hook as ForwardHook);
  }

  /**
   * Registers a function that is called when the gradients of the module's inputs are known; see
   * {@link BackwardHook}.
   */
  registerFullBackwardHook(hook: BackwardHook<this>): HookHandle {
    return this.#backwardHooks.add('registerFullBackwardHook', hook as BackwardHook);
  }

  /**
   * Registers a function that is called when the gradient of the module's result is known; see
   * {@link BackwardPreHook}. The module has one tensor as its result.
   */
  registerFullBackwardPreHook(hook: BackwardPreHook<this>): HookHandle {
    return this.#backwardPreHooks.add('registerFullBackwardPreHook', hook as BackwardPreHook);
  }

  /** Adds a module under a name, as assigning it to a property does. */
  registerModule(name: string, module: Module | null): void {
    if (module !== null && !(module instanceof Module)) throw new LanthornError('argument', 'registerModule', `takes a module, not ${describe(module)}`);
    this.#register('registerModule', name, module);
  }

  /** Another name of {@link Module.registerModule}. */
  addModule(name: string, module: Module | null): void {
    this.registerModule(name, module);
  }

  /** The module of a path such as `encoder.layers.0`; the module itself of `''`. */
  getSubmodule(target: string): Module {
    return memberOf('getSubmodule', target, this.namedModules());
  }

  /** The parameter of a path such as `encoder.weight`. */
  getParameter(target: string): Tensor {
    return memberOf('getParameter', target, this.namedParameters());
  }

  /** The buffer of a path such as `encoder.norm.running_mean`. */
  getBuffer(target: string): Tensor {
    return memberOf('getBuffer', target, this.namedBuffers());
  }

  /** Adds a parameter under a name, as assigning a {@link parameter} to a property does. */
  registerParameter(name: string, data: Tensor | null): void {
    this.#register('registerParameter', name, data && (parameters.has(data) ? data : parameter(data)));
  }

  /**
   * Adds a buffer under a name, as assigning a {@link buffer} to a property does; a buffer that is
   * not `persistent` is not part of a state dict.
   */
  registerBuffer(name: string, data: Tensor | null, options: { persistent?: boolean } = {}): void {
    const made = data && (buffers.has(data) ? data : buffer(data));
    if (made && options.persistent === false) passing.add(made);
    this.#register('registerBuffer', name, made);
  }

  #register(op: string, name: string, value: unknown): void {
    if (typeof name !== 'string' || name === '' || name.includes('.')) throw new LanthornError('argument', op, `a name is a string without dots, not ${JSON.stringify(name)}`);
    if (name in this && (this as Record<string, unknown>)[name] !== undefined) throw new LanthornError('argument', op, `there is a property ${name} already`);
    Object.defineProperty(this, name, { value, enumerable: true, writable: true, configurable: true });
  }

  /** @internal The tensors that are computed, by name. */
  get computed(): ReadonlyMap<string, ComputedTensor> {
    return this.#computed;
  }

  /** @internal Has the tensor of property `name` computed where it is read. */
  computeTensor(name: string, computed: ComputedTensor): void {
    noteReplaced();
    this.#computed.set(name, computed);
    // A clone has the same functions, so they refer to `this`.
    Object.defineProperty(this, this.propertyOf(name), {
      get(this: Module) { return this.#computed.get(name)!.compute(this); },
      set(this: Module, value: unknown) {
        const computed = this.#computed.get(name)!;
        if (computed.assign) return computed.assign(this, value);
        const { label } = computed;
        throw new LanthornError('argument', `${this.constructor.name}.${name}`, `is computed (${label}) and cannot be replaced`);
      },
      enumerable: false,
      configurable: true,
    });
  }

  /** @internal Ends that a tensor is computed: it is the given one from now on. */
  restoreTensor(name: string, tensor: Tensor): void {
    noteReplaced();
    this.#computed.delete(name);
    Object.defineProperty(this, this.propertyOf(name), { value: tensor, writable: true, enumerable: true, configurable: true });
  }

  /** What computed tensors are computed from, by name. */
  *#sources(wanted: (tensor: Tensor) => boolean): Generator<[string, Tensor]> {
    for (const [name, { sources }] of this.#computed) {
      for (const [key, tensor] of sources) {
        if (!tensor.isDisposed && wanted(tensor)) yield [`parametrizations.${name}.${key}`, tensor];
      }
    }
  }

  /**
   * @internal Replaces a parameter or buffer, by its name in state dicts, until the returned
   * function is called.
   */
  substitute(op: string, name: string, tensor: Tensor): () => void {
    for (const [prefix, module] of this.namedModules()) {
      if (isRecording()) noteAll(module);
      const own = prefix === '' ? name : name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : '';
      const restore = own !== '' && module.#replace(own, tensor);
      if (restore) return restore;
    }
    const known = [...this.#state().keys()].join(', ');
    throw new LanthornError('argument', op, `${this.constructor.name} has no parameter or buffer ${JSON.stringify(name)}; its names are ${known}`);
  }

  /** Replaces a tensor of this module itself, if it has one of this name. */
  #replace(name: string, tensor: Tensor): (() => void) | undefined {
    const swap = (read: () => unknown, write: (tensor: Tensor) => void): (() => void) | undefined => {
      const before = read();
      if (!(before instanceof Tensor)) return undefined;
      write(tensor);
      return () => write(before);
    };
    const [, of, key] = /^parametrizations\.([^.]+)\.(.+)$/.exec(name) ?? [];
    const sources = of === undefined ? undefined : this.#computed.get(of)?.sources;
    if (sources !== undefined) return swap(() => sources.get(key!), (value) => void sources.set(key!, value));
    const path = name.split('.');
    const last = path.pop()!;
    // The parts of a list's name are the property and the index.
    let owner: unknown = this;
    for (const [depth, part] of path.entries()) {
      owner = (owner as Record<string, unknown>)[depth === 0 ? this.propertyOf(part) : part];
      if (!Array.isArray(owner)) return undefined;
    }
    if (path.length === 0) {
      const property = this.propertyOf(last);
      return swap(() => (this as Record<string, unknown>)[property], (value) => this.writeTensor(property, value));
    }
    const list = owner as Record<string, unknown>;
    return swap(() => list[last], (value) => { list[last] = value; });
  }

  /** @internal Sets a property to a tensor for a while, without the checks of an assignment. */
  protected writeTensor(property: string, tensor: Tensor): void {
    (this as Record<string, unknown>)[property] = tensor;
  }

  /** @internal The name of a property in state dicts. */
  protected stateName(property: string): string {
    return property;
  }

  /** @internal The property of a name in state dicts. */
  protected propertyOf(name: string): string {
    return name;
  }

  /** @internal The tensors and modules among the properties, by name. */
  *ownMembers(): Generator<[string, Tensor | Module]> {
    function* search(name: string, value: unknown): Generator<[string, Tensor | Module]> {
      if (value instanceof Module || value instanceof Tensor) yield [name, value];
      else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* search(`${name}.${index}`, item);
    }
    for (const [name, value] of Object.entries(this)) yield* search(this.stateName(name), value);
  }

  /** @internal All tensors among the properties by name, also those that are neither parameters nor buffers. */
  *ownTensors(): Generator<[string, Tensor]> {
    for (const [name, member] of this.ownMembers()) if (member instanceof Tensor && !member.isDisposed) yield [name, member];
    yield* this.#sources(() => true);
  }

  /** The child modules by name. */
  *namedChildren(): Generator<[string, Module]> {
    for (const [name, member] of this.ownMembers()) if (member instanceof Module) yield [name, member];
  }

  /** The child modules. */
  children(): Module[] {
    return Array.from(this.namedChildren(), ([, child]) => child);
  }

  /**
   * This module, under the name `prefix`, and all modules inside, by full name. A module used twice
   * is listed once.
   */
  *namedModules(prefix = '', seen = new Set<Module>()): Generator<[string, Module]> {
    if (seen.has(this)) return;
    seen.add(this);
    yield [prefix, this];
    for (const [name, child] of this.namedChildren()) yield* child.namedModules(prefix ? `${prefix}.${name}` : name, seen);
  }

  /** This module and all modules inside. */
  modules(): Module[] {
    return Array.from(this.namedModules(), ([, module]) => module);
  }

  /**
   * Calls a function with every module inside, and then with this one, for example to initialize
   * them.
   */
  apply(fn: (module: Module) => void): this {
    for (const child of this.children()) child.apply(fn);
    fn(this);
    return this;
  }

  /** The module's own parameters by name, without its children's. */
  *ownParameters(): Generator<[string, Tensor]> {
    for (const [name, member] of this.ownMembers()) {
      // A module may be disposed of twice, and its parameters separately before it.
      if (!(member instanceof Tensor) || member.isDisposed) continue;
      if (isParameter(member)) yield [name, member];
    }
    yield* this.#sources(isParameter);
  }

  /** All parameters by full name: `hidden.weight`. A parameter used twice is listed once. */
  *namedParameters(prefix = '', seen = new Set<Module | Tensor>()): Generator<[string, Tensor]> {
    for (const [name, parameter] of this.ownParameters()) {
      if (!seen.has(parameter)) yield [prefix + name, parameter];
      seen.add(parameter);
    }
    for (const [name, child] of this.namedChildren()) {
      if (seen.has(child)) continue;
      seen.add(child);
      yield* child.namedParameters(`${prefix}${name}.`, seen);
    }
  }

  /**
   * Warns once of modules and parameters in an object, a map or a set, where they are not found: the
   * optimizer would not train them.
   */
  #warnOfHidden(): void {
    if (warned.has(this)) return;
    warned.add(this);
    const found = new Set<unknown>(Array.from(this.ownMembers(), ([, member]) => member));
    for (const [name, value] of Object.entries(this)) {
      if (typeof value !== 'object' || value === null || found.has(value) || Array.isArray(value) || ArrayBuffer.isView(value)) continue;
      const isCollection = value instanceof Map || value instanceof Set;
      if (!isCollection && !isPlain(value as object)) continue;
      const items: unknown[] = isCollection ? [...value.values()] : Object.values(value as object);
      const isHidden = (item: unknown): boolean => (item instanceof Module || (item instanceof Tensor && parameters.has(item))) && !found.has(item);
      if (!items.some(isHidden)) continue;
      const kind = items.some((item) => item instanceof Module) ? 'Module' : 'Parameter';
      const container = value instanceof Set ? 'List' : 'Dict';
      console.warn(`lanthorn: ${this.constructor.name}.${name} has ${kind.toLowerCase()}s that parameters() does not find; put them into an nn.${kind}${container}`);
    }
  }

  /** @internal Throws if the module cannot list its parameters yet. */
  checkParameters(): void {}

  /** All parameters. */
  parameters(): Tensor[] {
    for (const module of this.modules()) {
      module.checkParameters();
      module.#warnOfHidden();
    }
    return Array.from(this.namedParameters(), ([, parameter]) => parameter);
  }

  /** The module's own buffers by name, without its children's. */
  *ownBuffers(): Generator<[string, Tensor]> {
    for (const [name, member] of this.ownMembers()) if (member instanceof Tensor && buffers.has(member) && !member.isDisposed) yield [name, member];
    yield* this.#sources((tensor) => !isParameter(tensor));
  }

  /** All buffers by full name: `norm.running_mean`. A buffer used twice is listed once. */
  *namedBuffers(prefix = '', seen = new Set<Module | Tensor>()): Generator<[string, Tensor]> {
    for (const [name, buffer] of this.ownBuffers()) {
      if (!seen.has(buffer)) yield [prefix + name, buffer];
      seen.add(buffer);
    }
    for (const [name, child] of this.namedChildren()) {
      if (seen.has(child)) continue;
      seen.add(child);
      yield* child.namedBuffers(`${prefix}${name}.`, seen);
    }
  }

  /** All buffers. */
  buffers(): Tensor[] {
    return Array.from(this.namedBuffers(), ([, buffer]) => buffer);
  }

  /** Sets training mode, or evaluation mode. */
  train(mode = true): this {
    this.training = mode;
    for (const [, child] of this.namedChildren()) child.train(mode);
    return this;
  }

  /** Sets evaluation mode. */
  eval(): this {
    return this.train(false);
  }

  /** Moves the parameters and buffers to memory that workers share; see {@link Tensor.shareMemory_}. */
  shareMemory(): this {
    for (const tensor of [...this.parameters(), ...this.buffers()]) tensor.shareMemory_();
    return this;
  }

  /** Clears the gradients of all parameters. */
  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.grad = null;
  }

  /** Sets whether the parameters require gradients. */
  requiresGrad_(requiresGrad = true): this {
    for (const tensor of this.parameters()) tensor.requiresGrad_(requiresGrad);
    return this;
  }

  /**
   * The parameters and buffers by name. A tensor that several modules share has all of its names, as
   * in PyTorch.
   */
  #state(): Map<string, Tensor> {
    const named = new Map<string, Tensor>();
    const path = new Set<Module>();
    const visit = (module: Module, prefix: string): void => {
      // A module inside of itself has no end of names.
      if (path.has(module)) return;
      path.add(module);
      module.checkParameters();
      for (const [name, tensor] of module.ownParameters()) named.set(prefix + name, tensor);
      for (const [name, tensor] of module.ownBuffers()) if (!passing.has(tensor)) named.set(prefix + name, tensor);
      for (const [name, child] of module.namedChildren()) visit(child, `${prefix}${name}.`);
      path.delete(module);
    };
    visit(this, '');
    return named;
  }

  /** @internal Replaces an own parameter or buffer, by the name that it is listed under. */
  replaceTensor(name: string, tensor: Tensor): void {
    const [, own, key] = /^parametrizations\.(.+)\.(\w+)$/.exec(name) ?? [];
    const from = own === undefined ? undefined : this.#computed.get(own)?.sources;
    if (from?.has(key!)) {
      noteReplaced();
      return void from.set(key!, tensor);
    }
    const [first = '', ...rest] = name.split('.');
    const path = [this.propertyOf(first), ...rest];
    const last = path.pop()!;
    let owner = this as unknown as Record<string, unknown>;
    for (const step of path) owner = owner[step] as Record<string, unknown>;
    owner[last] = tensor;
  }

  /**
   * Converts the floating-point parameters and buffers to a type, as `torch.nn.Module.to`. The
   * module has new tensors then, so it comes before the optimizer is made.
   *
   * @example
   * const net = new Net().to('float16');
   */
  to(dtype: DType): this {
    if (!FLOATING.includes(dtype)) throw new LanthornError('dtype', 'to', `a module takes ${FLOATING.join(', ')}, not ${JSON.stringify(dtype) ?? describe(dtype)}`);
    const converted = new Map<Tensor, Tensor>();
    const convert = (tensor: Tensor, mark: (made: Tensor) => Tensor): Tensor => {
      const made = converted.get(tensor) ?? mark(tensor.detach().to(dtype));
      converted.set(tensor, made);
      return made;
    };
    const isOther = ([, tensor]: [string, Tensor]): boolean => FLOATING.includes(tensor.dtype) && tensor.dtype !== dtype;
    for (const module of this.modules()) {
      for (const [name, tensor] of [...module.ownParameters()].filter(isOther)) {
        module.replaceTensor(name, convert(tensor, (made) => parameter(made).requiresGrad_(tensor.requiresGrad)));
      }
      for (const [name, tensor] of [...module.ownBuffers()].filter(isOther)) {
        const made = convert(tensor, buffer);
        if (passing.has(tensor)) passing.add(made);
        module.replaceTensor(name, made);
      }
    }
    return this;
  }

  /**
   * Makes the elements of the parameters and buffers zeros, as `torch.nn.Module.to_empty` leaves
   * them undefined: the tensors stay the same ones. With `recurse: false` the tensors of modules
   * inside are left as they are. Modules do not move to another device.
   */
  toEmpty(options: { device?: DeviceName; recurse?: boolean } = {}): this {
    const { device, recurse = true } = checkOptions('toEmpty', options, ['device', 'recurse']);
    const tensors = checkFlag('toEmpty', 'recurse', recurse)
      ? [...this.parameters(), ...this.buffers()]
      : Array.from([...this.ownParameters(), ...this.ownBuffers()], ([, tensor]) => tensor);
    const other = tensors.find((tensor) => device !== undefined && tensor.device !== device);
    if (other) throw new LanthornError('device', 'toEmpty', `the module is on ${other.device}, and modules do not move to ${describe(device)}`);
    const before = enter((wasm) => wasm.setGradEnabled(false));
    try {
      for (const tensor of tensors) tensor.zero_();
    } finally {
      enter((wasm) => wasm.setGradEnabled(before));
    }
    return this;
  }

  /** Another name of {@link Module.to}. */
  type(dtype: DType): this {
    return this.to(dtype);
  }

  /** {@link Module.to} float32. */
  float(): this {
    return this.to('float32');
  }

  /** {@link Module.to} float64, which exists on the CPU only. */
  double(): this {
    return this.to('float64');
  }

  /** {@link Module.to} float16. */
  half(): this {
    return this.to('float16');
  }

  /** {@link Module.to} bfloat16. */
  bfloat16(): this {
    return this.to('bfloat16');
  }

  /** The text in parentheses of the module's line in {@link Module.toString}, as `extra_repr`. */
  extraRepr(): string {
    return '';
  }

  /** The module and the modules inside as a tree, in the form of PyTorch's `print(model)`. */
  override toString(): string {
    const children = Array.from(this.namedChildren(), ([name, child]) => `(${name}): ${child}`.replaceAll('\n', '\n  '));
    const lines = children.map((line) => `\n  ${line}`).join('');
    return `${this.constructor.name}(${this.extraRepr()}${lines === '' ? '' : `${lines}\n`})`;
  }

  /** The parameters and buffers by name, sharing memory with the module. */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries(Array.from(this.#state(), ([name, tensor]) => [name, tensor.detach()]));
  }

  /**
   * Copies parameters and buffers by name. All names and shapes must match; otherwise nothing is
   * changed. With `strict: false` only the shapes must match, and missing and unexpected names are
   * returned.
   */
  loadStateDict(state: Readonly<Record<string, Tensor>>, options: { strict?: boolean } = {}): Mismatch {
    if (typeof state !== 'object' || state === null) throw new LanthornError('argument', 'loadStateDict', `takes an object of tensors, not ${describe(state)}`);
    const named = this.#state();
    const problems: string[] = [];
    const missingKeys = [...named.keys()].filter((name) => !Object.hasOwn(state, name));
    const unexpectedKeys = Object.keys(state).filter((name) => !named.has(name));
    if (options.strict !== false) {
      if (missingKeys.length > 0) problems.push(`missing: ${missingKeys.join(', ')}`);
      if (unexpectedKeys.length > 0) problems.push(`unexpected: ${unexpectedKeys.join(', ')}`);
    }
    const shared = [...named].filter(([name]) => Object.hasOwn(state, name));
    for (const [name, own] of shared) {
      handleOf('loadStateDict', name, state[name]);
      const [given, wanted] = [state[name]!.shape.join(', '), own.shape.join(', ')];
      if (given !== wanted) problems.push(`${name} has shape [${given}], the module's has [${wanted}]`);
    }
    if (problems.length > 0) throw new LanthornError('argument', 'loadStateDict', problems.join('; '));
    const before = enter((wasm) => wasm.setGradEnabled(false));
    try {
      for (const [name, own] of shared) own.copy_(state[name]!);
    } finally {
      enter((wasm) => wasm.setGradEnabled(before));
    }
    return { missingKeys, unexpectedKeys };
  }

  /**
   * A copy with its own parameters, buffers and modules, as `copy.deepcopy`. Tensors and modules
   * that are shared within are shared within the copy. Properties are copied, also in arrays, maps
   * and plain objects; other objects and functions are shared, hooks too. The constructor does not
   * run, so `#private` fields of a class are missing in a copy: such a class overrides this method.
   *
   * @example
   * const layers = new nn.ModuleList(Array.from({ length: 6 }, () => layer.clone()));
   */
  clone(): this {
    return copyOf(this, new Map());
  }

  /** Copies this module into a new one. */
  #copyInto(copy: this, known: Map<unknown, unknown>): void {
    const descriptors = Object.getOwnPropertyDescriptors(this) as Record<string | symbol, PropertyDescriptor>;
    for (const key of Reflect.ownKeys(descriptors)) {
      const descriptor = descriptors[key]!;
      if ('value' in descriptor) descriptor.value = copyOf(descriptor.value, known);
      Object.defineProperty(copy, key, descriptor);
    }
    for (const [name, computed] of this.#computed) copy.#computed.set(name, computed.over(copyOf(computed.sources, known)));
    this.#preHooks.copyInto(copy.#preHooks);
    this.#hooks.copyInto(copy.#hooks);
    this.#backwardHooks.copyInto(copy.#backwardHooks);
    this.#backwardPreHooks.copyInto(copy.#backwardPreHooks);
  }

  static {
    copyModule = (module, known) => {
      const copy = create(Object.getPrototypeOf(module).constructor as new () => typeof module);
      known.set(module, copy);
      module.#copyInto(copy, known);
      return copy;
    };
  }

  /** Disposes of all parameters and buffers. */
  dispose(): void {
    for (const [, tensor] of [...this.namedParameters(), ...this.namedBuffers()]) tensor.dispose();
    for (const [, child] of this.namedChildren()) child.dispose();
  }

  [dispose](): void {
    this.dispose();
  }
}

Object.defineProperty(Module.prototype, 'call', {
  value(this: Module, ...inputs: unknown[]) {
    const caller = running;
    const result = this.applyTo(inputs);
    // After the call, because a lazy module has its parameters then.
    if (caller && !called.has(this)) warnOfPrivate(caller, this);
    return result;
  },
});

/**
 * Warns, at the first call of a module, if the module that calls it does not have it: a `#private`
 * field or a variable holds it, and the optimizer would not train it.
 */
function warnOfPrivate(caller: Module, module: Module): void {
  called.add(module);
  if ([...caller.modules()].includes(module)) return;
  if (![...module.parameters()].some((parameter) => parameter.requiresGrad)) return;
  console.warn(`lanthorn: ${caller.constructor.name}.forward calls a ${module.constructor.name} that parameters() of ${caller.constructor.name} does not find, as in a #private field; make it a property`);
}

/**
 * A module without a forward computation, of which {@link create} makes modules of other classes.
 */
class Bare extends Module {
  forward(): never {
    throw new LanthornError('argument', this.constructor.name, 'has no forward');
  }
}

/** @internal A module of a class, whose own constructor does not run. */
export function create<M extends Module>(type: abstract new (...args: never[]) => M): M {
  return Reflect.construct(Bare, [], type) as M;
}

/** Options of a parameter. */
export interface ParameterOptions {
  /** Whether it requires gradients; default true */
  requiresGrad?: boolean;
}

/** A tensor as a parameter: a leaf that requires gradients unless `requiresGrad` is false. */
export function parameter(data: Tensor, options: ParameterOptions = {}): Tensor {
  const { requiresGrad = true } = checkOptions('parameter', options, ['requiresGrad']);
  handleOf('parameter', 'data', data);
  const made = data.detach().requiresGrad_(checkFlag('parameter', 'requiresGrad', requiresGrad));
  parameters.add(made);
  return made;
}

/** @internal Has a tensor be a parameter or a buffer, whether or not it requires gradients. */
export function adopt(tensor: Tensor, isParameter: boolean): void {
  (isParameter ? parameters : buffers).add(tensor);
}

/**
 * A tensor that is trained: `new nn.Parameter(x)` is a leaf with the elements of `x`, which
 * requires gradients unless `requiresGrad` is false. A parameter among the properties of a {@link
 * Module} is found by name, also while it does not require gradients.
 *
 * @example
 * const scale = new nn.Parameter(ones(4), { requiresGrad: false });
 */
export const Parameter = function Parameter(data: Tensor, options?: ParameterOptions): Tensor {
  return parameter(data, options);
} as unknown as new (data: Tensor, options?: ParameterOptions) => Tensor;
export type Parameter = Tensor;

Object.defineProperties(Parameter, {
  // Bundlers rename functions.
  name: { value: 'Parameter', writable: true },
  [Symbol.hasInstance]: { value: (value: unknown) => value instanceof Tensor && isParameter(value) },
});

/** A tensor as a buffer: part of a module's state, but not trained. */
export function buffer(data: Tensor): Tensor {
  handleOf('buffer', 'data', data);
  const made = data.detach();
  buffers.add(made);
  return made;
}

/** @internal Has a tensor that is in a module's list of buffers left out of state dicts. */
export function leaveOut(tensor: Tensor): void {
  passing.add(tensor);
}
