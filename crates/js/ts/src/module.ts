/** What modules are: functions of tensors with parameters that are found by name. */
// For compilers whose own libraries do not know Symbol.dispose yet.
/// <reference lib="esnext.disposable" preserve="true" />
import { encode, gather, type Spec } from './call.js';
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { enter } from './runtime.js';
import { handleOf, Tensor } from './tensor.js';

/** The tensors that {@link parameter} made: they stay parameters where no gradient is wanted for a while. */
const parameters = new WeakSet<Tensor>();

/** The tensors that {@link buffer} marked. */
const buffers = new WeakSet<Tensor>();

/**
 * A function of tensors with parameters. Write your own by extending it: parameters ({@link parameter}) and modules among its
 * properties, also in arrays, are found by name.
 *
 * @example
 * class Net extends nn.Module {
 *   hidden = new nn.Linear(64, 32);
 *   output = new nn.Linear(32, 10);
 *   forward(x) { return this.output.call(this.hidden.call(x).relu()); }
 * }
 */
export abstract class Module {
  /** Whether the module is being trained; dropout and the like depend on it. */
  training = true;

  /** The module's result. */
  abstract forward(...inputs: Tensor[]): Tensor;

  /** Applies the module. */
  call(...inputs: Tensor[]): Tensor {
    return this.forward(...inputs);
  }

  /** The tensors and modules among the properties, by name. */
  *#members(): Generator<[string, Tensor | Module]> {
    function* search(name: string, value: unknown): Generator<[string, Tensor | Module]> {
      if (value instanceof Module || value instanceof Tensor) yield [name, value];
      else if (Array.isArray(value)) for (const [place, item] of value.entries()) yield* search(`${name}.${place}`, item);
    }
    for (const [name, value] of Object.entries(this)) yield* search(name, value);
  }

  /** The modules that this one is made of, by name. */
  *namedChildren(): Generator<[string, Module]> {
    for (const [name, member] of this.#members()) if (member instanceof Module) yield [name, member];
  }

  /** The module's own parameters by name, without its children's. */
  *ownParameters(): Generator<[string, Tensor]> {
    for (const [name, member] of this.#members()) {
      // A module may be disposed of twice, and its parameters one by one before it.
      if (!(member instanceof Tensor) || member.isDisposed) continue;
      if (parameters.has(member) || (member.requiresGrad && member.isLeaf)) yield [name, member];
    }
  }

  /** All parameters by full name: `hidden.weight`. One that is used twice is named once. */
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

  /** All parameters. */
  parameters(): Tensor[] {
    return Array.from(this.namedParameters(), ([, parameter]) => parameter);
  }

  /** The module's own buffers by name, without its children's. */
  *ownBuffers(): Generator<[string, Tensor]> {
    for (const [name, member] of this.#members()) if (member instanceof Tensor && buffers.has(member) && !member.isDisposed) yield [name, member];
  }

  /** All buffers by full name: `norm.running_mean`. One that is used twice is named once. */
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

  /** Says that the module is being trained, or not. */
  train(mode = true): this {
    this.training = mode;
    for (const [, child] of this.namedChildren()) child.train(mode);
    return this;
  }

  /** Says that the module is not being trained. */
  eval(): this {
    return this.train(false);
  }

  /** Drops the gradients of all parameters. */
  zeroGrad(): void {
    for (const parameter of this.parameters()) parameter.grad = null;
  }

  /** The parameters and buffers by name. */
  #state(): Map<string, Tensor> {
    return new Map([...this.namedParameters(), ...this.namedBuffers()]);
  }

  /** The parameters and buffers by name, sharing memory with the module. */
  stateDict(): Record<string, Tensor> {
    return Object.fromEntries(Array.from(this.#state(), ([name, tensor]) => [name, tensor.detach()]));
  }

  /** Copies parameters and buffers by name; all names and shapes must agree, and nothing is changed where they do not. */
  loadStateDict(state: Readonly<Record<string, Tensor>>): void {
    if (typeof state !== 'object' || state === null) throw new LanthornError('argument', 'loadStateDict', `takes an object of tensors, not ${describe(state)}`);
    const named = this.#state();
    const problems: string[] = [];
    const missing = [...named.keys()].filter((name) => !Object.hasOwn(state, name));
    const unexpected = Object.keys(state).filter((name) => !named.has(name));
    if (missing.length > 0) problems.push(`missing: ${missing.join(', ')}`);
    if (unexpected.length > 0) problems.push(`unexpected: ${unexpected.join(', ')}`);
    for (const [name, parameter] of named) {
      if (!Object.hasOwn(state, name)) continue;
      handleOf('loadStateDict', name, state[name]);
      const given = state[name]!.shape.join(', ');
      const own = parameter.shape.join(', ');
      if (given !== own) problems.push(`${name} has shape [${given}], the module's has [${own}]`);
    }
    if (problems.length > 0) throw new LanthornError('argument', 'loadStateDict', problems.join('; '));
    const before = enter((wasm) => wasm.setGradEnabled(false));
    try {
      for (const [name, parameter] of named) parameter.copy_(state[name]!);
    } finally {
      enter((wasm) => wasm.setGradEnabled(before));
    }
  }

  /** Lets go of all parameters and buffers. */
  dispose(): void {
    for (const tensor of [...this.parameters(), ...this.buffers()]) tensor.dispose();
    for (const [, child] of this.namedChildren()) child.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A tensor as a parameter: a leaf that requires gradients. */
export function parameter(data: Tensor): Tensor {
  handleOf('parameter', 'data', data);
  const made = data.detach().requiresGrad_();
  parameters.add(made);
  return made;
}

/** A tensor as a buffer: part of a module's state, and not trained. */
export function buffer(data: Tensor): Tensor {
  handleOf('buffer', 'data', data);
  const made = data.detach();
  buffers.add(made);
  return made;
}

/** Lets go of the modules that nobody disposed of. */
const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.moduleDispose(handle));
  } catch {
    // The core is gone, and the module with it.
  }
});

function make(owner: object, spec: Spec, args: readonly unknown[]): number {
  const [words, strings] = encode(spec.name, spec.params, gather(spec, args));
  const handle = enter((wasm) => wasm.moduleNew(spec.name, words, strings));
  registry.register(owner, handle, owner);
  return handle;
}

/** Tensors by name, from names and handles in turn. */
function listed(words: readonly unknown[]): [string, Tensor][] {
  return Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i] as string, Tensor.fromHandle(words[2 * i + 1] as number)]);
}

/** A module of the core. */
export abstract class BuiltinModule extends Module {
  readonly #handle: number;
  readonly #parameters: [string, Tensor][];
  readonly #buffers: [string, Tensor][];

  constructor(spec: Spec, args: readonly unknown[]) {
    super();
    this.#handle = make(this, spec, args);
    this.#parameters = enter((wasm) => listed(wasm.moduleParameters(this.#handle)));
    this.#buffers = enter((wasm) => listed(wasm.moduleBuffers(this.#handle)));
    for (const [name, tensor] of [...this.#parameters, ...this.#buffers]) Object.defineProperty(this, name, { value: tensor, enumerable: true });
  }

  override *ownBuffers(): Generator<[string, Tensor]> {
    yield* this.#buffers;
  }

  override train(mode = true): this {
    enter((wasm) => wasm.moduleTrain(this.#handle, mode));
    return super.train(mode);
  }

  override *ownParameters(): Generator<[string, Tensor]> {
    yield* this.#parameters;
  }

  forward(...inputs: Tensor[]): Tensor {
    const handles = Uint32Array.from(inputs, (input) => handleOf('forward', 'input', input));
    return Tensor.fromHandle(enter((wasm) => wasm.moduleForward(this.#handle, handles)));
  }

  override dispose(): void {
    super.dispose();
    registry.unregister(this);
    enter((wasm) => wasm.moduleDispose(this.#handle));
  }
}

/** A loss of the core. */
export abstract class BuiltinLoss {
  readonly #handle: number;

  constructor(spec: Spec, args: readonly unknown[]) {
    this.#handle = make(this, spec, args);
  }

  /** The loss of a prediction against a target. */
  call(input: Tensor, target: Tensor): Tensor {
    const handles = Uint32Array.of(handleOf('forward', 'input', input), handleOf('forward', 'target', target));
    return Tensor.fromHandle(enter((wasm) => wasm.moduleForward(this.#handle, handles)));
  }
}

/** Modules applied one after another; their names are their places. */
export class Sequential extends Module {
  readonly #modules: readonly Module[];

  constructor(...modules: Module[]) {
    super();
    const odd = modules.findIndex((module) => !(module instanceof Module));
    if (odd >= 0) throw new LanthornError('argument', 'Sequential', `takes modules, but argument ${odd} is ${describe(modules[odd])}`);
    this.#modules = modules;
  }

  override *namedChildren(): Generator<[string, Module]> {
    for (const [place, module] of this.#modules.entries()) yield [String(place), module];
  }

  forward(input: Tensor): Tensor {
    return this.#modules.reduce((value, module) => module.call(value), input);
  }
}
