/** Modules and parameters in lists and by name. */
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { Module, parameter } from './module.js';
import { registerEntries } from './stack.js';
import { Tensor } from './tensor.js';

function checkModule(op: string, name: string | number, value: unknown): Module {
  if (!(value instanceof Module)) throw new LanthornError('argument', op, `takes modules, but argument ${name} is ${describe(value)}`);
  return value;
}

/** A container with members by index; they are properties named by their indices. */
abstract class List<T> extends Module {
  readonly [index: number]: T;
  #length = 0;

  /** The number of members. */
  get length(): number {
    return this.#length;
  }

  protected append(value: T): void {
    Object.defineProperty(this, String(this.#length), { value, enumerable: true, writable: true, configurable: true });
    this.#length += 1;
  }

  /** The member at an index; -1 is the last. */
  at(place: number): T {
    const found = place < 0 ? place + this.#length : place;
    if (!Number.isInteger(found) || found < 0 || found >= this.#length) {
      throw new LanthornError('index', this.constructor.name, `there is no member ${place} of ${this.#length}`);
    }
    return this[found]!;
  }

  /** The members in order. */
  *[Symbol.iterator](): Generator<T> {
    for (let place = 0; place < this.#length; place += 1) yield this.at(place);
  }

  forward(..._: any[]): any {
    throw new LanthornError('argument', this.constructor.name, 'holds modules or parameters, and has no result of its own');
  }
}

/** The result of the last module of a sequence. */
type LastResult<Modules extends readonly Module[]> = Modules extends readonly [...Module[], infer Last extends Module] ? ReturnType<Last['forward']> : any;

/** Modules applied in sequence; they are named by their indices, or by the keys of an object. */
export class Sequential<Modules extends readonly Module[] = readonly Module[]> extends List<Modules[number]> {
  static override readonly name: string = 'Sequential';
  readonly #named: [string, Module][] = [];

  constructor(...modules: Modules);
  constructor(modules: Readonly<Record<string, Module>>);
  constructor(...modules: readonly Module[] | [Readonly<Record<string, Module>>]) {
    super();
    const [only] = modules;
    if (modules.length === 1 && only && !(only instanceof Module) && Object.getPrototypeOf(only) === Object.prototype) {
      for (const [name, module] of Object.entries(only)) {
        this.#named.push([name, checkModule('Sequential', name, module)]);
        this.append(module);
      }
    } else {
      for (const [place, module] of modules.entries()) {
        this.#named.push([String(place), checkModule('Sequential', place, module)]);
        this.append(module as Module);
      }
    }
  }

  override *namedChildren(): Generator<[string, Module]> {
    yield* this.#named;
  }

  override forward(...inputs: any[]): LastResult<Modules> {
    let values: any[] = inputs;
    for (const [, module] of this.#named) values = [module.call(...values)];
    return values[0];
  }
}

/** Modules in a list, by index. */
export class ModuleList<M extends Module = Module> extends List<M> {
  static override readonly name: string = 'ModuleList';
  constructor(modules: Iterable<M> = []) {
    super();
    this.extend(modules);
  }

  /** Adds a module at the end. */
  push(module: M): this {
    checkModule('ModuleList', this.length, module);
    this.append(module);
    return this;
  }

  /** Adds modules at the end. */
  extend(modules: Iterable<M>): this {
    for (const module of modules) this.push(module);
    return this;
  }
}

/** Parameters in a list, by index; tensors are converted to parameters. */
export class ParameterList extends List<Tensor> {
  static override readonly name: string = 'ParameterList';
  constructor(tensors: Iterable<Tensor> = []) {
    super();
    for (const tensor of tensors) this.push(tensor);
  }

  /** Adds a parameter at the end. */
  push(tensor: Tensor): this {
    this.append(parameter(tensor));
    return this;
  }
}

/** A container with members by name. */
abstract class Dict<T> extends Module {
  readonly #members = new Map<string, T>();

  protected put(name: string, value: T): this {
    if (name === '' || name.includes('.')) throw new LanthornError('argument', this.constructor.name, `a name is a string without dots, not ${JSON.stringify(name)}`);
    this.#members.set(name, value);
    return this;
  }

  /** The member of this name. */
  get(name: string): T {
    const found = this.#members.get(name);
    if (found === undefined) throw new LanthornError('argument', this.constructor.name, `there is no ${JSON.stringify(name)}; there are ${[...this.#members.keys()].join(', ')}`);
    return found;
  }

  /** Whether there is a member of this name. */
  has(name: string): boolean {
    return this.#members.has(name);
  }

  /** Removes a member. */
  delete(name: string): boolean {
    return this.#members.delete(name);
  }

  keys(): IterableIterator<string> {
    return this.#members.keys();
  }

  values(): IterableIterator<T> {
    return this.#members.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#members.entries();
  }

  get size(): number {
    return this.#members.size;
  }

  forward(..._: any[]): any {
    throw new LanthornError('argument', this.constructor.name, 'holds modules or parameters, and has no result of its own');
  }
}

/** Modules by name. */
export class ModuleDict<M extends Module = Module> extends Dict<M> {
  static override readonly name: string = 'ModuleDict';
  constructor(modules: Readonly<Record<string, M>> = {}) {
    super();
    for (const [name, module] of Object.entries(modules)) this.set(name, module);
  }

  /** Adds or replaces a module under a name. */
  set(name: string, module: M): this {
    checkModule('ModuleDict', name, module);
    return this.put(name, module);
  }

  override *namedChildren(): Generator<[string, M]> {
    yield* this.entries();
  }
}

/** Parameters by name; tensors are converted to parameters. */
export class ParameterDict extends Dict<Tensor> {
  static override readonly name: string = 'ParameterDict';
  constructor(tensors: Readonly<Record<string, Tensor>> = {}) {
    super();
    for (const [name, tensor] of Object.entries(tensors)) this.set(name, tensor);
  }

  /** Adds or replaces a parameter under a name. */
  set(name: string, tensor: Tensor): this {
    return this.put(name, parameter(tensor));
  }

  override replaceTensor(name: string, tensor: Tensor): void {
    this.put(name, tensor);
  }

  override *ownParameters(): Generator<[string, Tensor]> {
    for (const [name, tensor] of this.entries()) if (!tensor.isDisposed) yield [name, tensor];
  }
}

registerEntries([Sequential, List, ModuleList, Dict, ModuleDict]);
