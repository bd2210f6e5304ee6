/**
 * Modules and parameters in lists and by name. The members are properties, so that assigning and
 * deleting one changes the container; the set of their names has their order.
 */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { isParameter, Module, parameter } from './module.js';
import { members } from '../core/recording.js';
import { registerEntries } from '../core/stack.js';
import { Tensor } from '../tensor/tensor.js';

const isIndex = (name: string): boolean => /^(0|[1-9]\d*)$/.test(name);

/** A module whose properties are its members. */
abstract class Container<T> extends Module {
  /** @internal The names of the members, in order. */
  readonly [members]: Set<string> = new Set();

  /** @internal A value as the member of this name; an error if it cannot be one. */
  abstract asMember(name: string | number, value: unknown): T;

  /** @internal Whether a property that was set makes a member. */
  abstract isMember(name: string, value: unknown): boolean;

  /** The number of members. */
  get length(): number {
    return namesOf(this).size;
  }

  /** @internal */
  override *ownMembers(): Generator<[string, Tensor | Module]> {
    const names = namesOf(this);
    for (const name of names) yield [name, propertiesOf(this)[name] as Tensor | Module];
    for (const [name, member] of super.ownMembers()) if (!names.has(name)) yield [name, member];
  }

  // biome-ignore lint/suspicious/noExplicitAny: as Module.
  forward(..._: any[]): any {
    throw new LanthornError('argument', this.constructor.name, 'holds modules or parameters, and has no result of its own');
  }
}

// Functions, because the name of a method cannot name a member.

const propertiesOf = (container: Container<unknown>): Record<string, unknown> => container as unknown as Record<string, unknown>;

/** The names of the members, after properties were set and deleted. */
function namesOf(container: Container<unknown>): Set<string> {
  const [known, properties] = [container[members], propertiesOf(container)];
  for (const name of known) if (!Object.hasOwn(container, name)) known.delete(name);
  for (const name of Object.keys(container)) if (!known.has(name) && container.isMember(name, properties[name])) known.add(name);
  for (const name of known) {
    const member = container.asMember(name, properties[name]);
    if (member !== properties[name]) properties[name] = member;
  }
  const order = [...known];
  // A list has no gaps after a member was deleted or set beyond the end.
  if (container instanceof List && order.every(isIndex) && !order.every((name, index) => name === String(index))) {
    const sorted = order.sort((a, b) => Number(a) - Number(b)).map((name) => properties[name]);
    reset(container, sorted.map((value, index) => [String(index), value]));
  }
  return known;
}

/** The members with their names, in order. */
function itemsOf<T>(container: Container<T>): [string, T][] {
  return Array.from(namesOf(container), (name) => [name, propertiesOf(container)[name] as T]);
}

/** Adds or replaces a member. */
function put(container: Container<unknown>, name: string, value: unknown): void {
  const member = container.asMember(name, value);
  Object.defineProperty(container, name, { value: member, enumerable: true, writable: true, configurable: true });
  container[members].add(name);
}

/** Has a container contain these members, and no others. */
function reset(container: Container<unknown>, entries: readonly (readonly [string, unknown])[]): void {
  for (const name of container[members]) delete propertiesOf(container)[name];
  container[members].clear();
  for (const [name, value] of entries) put(container, name, value);
}

/** Has a list contain these members; those named by indices get new ones. */
function rearrange(list: List<unknown>, entries: readonly (readonly [string, unknown])[]): void {
  reset(list, entries.every(([name]) => isIndex(name)) ? entries.map(([, value], index) => [String(index), value]) : entries);
}

/** A container with members by index; they are properties named by their indices. */
abstract class List<T> extends Container<T> {
  [index: number]: T;

  /** @internal */
  override isMember(name: string, _?: unknown): boolean {
    return isIndex(name);
  }

  /** The member at an index; -1 is the last. */
  at(index: number): T {
    const items = itemsOf<T>(this);
    const found = index < 0 ? index + items.length : index;
    if (!Number.isInteger(found) || found < 0 || found >= items.length) {
      throw new LanthornError('index', this.constructor.name, `there is no member ${index} of ${items.length}`);
    }
    return items[found]![1];
  }

  /** Adds a member at the end. */
  append(value: T): this {
    put(this, String(this.length), value);
    return this;
  }

  /** {@link List.append}. */
  push(value: T): this {
    return this.append(value);
  }

  /** Adds members at the end. */
  extend(values: Iterable<T>): this {
    if (typeof values?.[Symbol.iterator] !== 'function') throw new LanthornError('argument', this.constructor.name, `extend takes a list, not ${describe(values)}`);
    for (const value of [...values]) this.append(value);
    return this;
  }

  /** Inserts a member before an index; a negative one counts from the end. */
  insert(index: number, value: T): this {
    const items = itemsOf<T>(this);
    const found = index < 0 ? index + items.length : index;
    if (!Number.isInteger(found) || found < 0 || found > items.length) {
      throw new LanthornError('index', this.constructor.name, `cannot insert at ${index} in ${items.length} members`);
    }
    this.asMember(found, value);
    items.splice(found, 0, [String(items.length), value]);
    rearrange(this, items);
    return this;
  }

  /** Removes and returns the member at an index, the last one by default. */
  pop(index = -1): T {
    const value = this.at(index);
    const items = itemsOf<T>(this);
    items.splice(index < 0 ? index + items.length : index, 1);
    rearrange(this, items);
    return value;
  }

  /** The members in order. */
  *[Symbol.iterator](): Generator<T> {
    for (const [, value] of itemsOf<T>(this)) yield value;
  }
}

/** A value as a module. */
function checkModule(op: string, name: string | number, value: unknown): Module {
  if (!(value instanceof Module)) throw new LanthornError('argument', op, `takes modules, but argument ${name} is ${describe(value)}`);
  return value;
}

/** The result of the last module of a sequence. */
// biome-ignore lint/suspicious/noExplicitAny: the last module may be of any class.
type LastResult<Modules extends readonly Module[]> = Modules extends readonly [...Module[], infer Last extends Module] ? ReturnType<Last['forward']> : any;

/**
 * Modules applied in sequence; they are named by their indices, or by the keys of an object.
 * Members are replaced by assigning, `net[1] = layer`.
 *
 * @example
 * const net = new nn.Sequential(new nn.Linear(4, 8), new nn.ReLU());
 * net.append(new nn.Linear(8, 2));
 */
export class Sequential<Modules extends readonly Module[] = readonly Module[]> extends List<Modules[number]> {
  static override readonly name: string = 'Sequential';

  constructor(...modules: Modules);
  constructor(modules: Readonly<Record<string, Module>>);
  constructor(...modules: readonly Module[] | [Readonly<Record<string, Module>>]) {
    super();
    const [only] = modules;
    if (modules.length === 1 && only && !(only instanceof Module) && Object.getPrototypeOf(only) === Object.prototype) {
      for (const [name, module] of Object.entries(only)) put(this, name, module);
      this.#index();
    } else {
      for (const [index, module] of modules.entries()) put(this, String(index), module);
    }
  }

  /** Members with names are found by their indices too. */
  #index(): void {
    for (let index = 0; index < this.length; index += 1) {
      if (Object.hasOwn(this, index)) continue;
      Object.defineProperty(this, index, {
        get(this: Sequential) { return itemsOf(this)[index]?.[1]; },
        set(this: Sequential, value: Module) { put(this, itemsOf(this)[index]?.[0] ?? String(index), value); },
        configurable: true,
      });
    }
  }

  /** @internal */
  override isMember(name: string, value?: unknown): boolean {
    return isIndex(name) || value instanceof Module;
  }

  /** @internal */
  override asMember(name: string | number, value: unknown): Modules[number] {
    return checkModule('Sequential', name, value) as Modules[number];
  }

  override append(module: Module): this {
    return super.append(module);
  }

  override push(module: Module): this {
    return super.append(module);
  }

  override extend(modules: Iterable<Module>): this {
    return super.extend(modules);
  }

  override insert(index: number, module: Module): this {
    return super.insert(index, module);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the first module takes what it can.
  override forward(...inputs: any[]): LastResult<Modules> {
    let values: readonly unknown[] = inputs;
    for (const name of namesOf(this)) values = [(propertiesOf(this)[name] as Module).call(...values)];
    return values[0] as LastResult<Modules>;
  }
}

/** Modules in a list, by index; `list[1] = layer` replaces one. */
export class ModuleList<M extends Module = Module> extends List<M> {
  static override readonly name: string = 'ModuleList';

  constructor(modules: Iterable<M> = []) {
    super();
    this.extend(modules);
  }

  /** @internal */
  override asMember(name: string | number, value: unknown): M {
    return checkModule('ModuleList', name, value) as M;
  }
}

/** A value as a parameter. */
function checkTensor(op: string, name: string | number, value: unknown): Tensor {
  if (!(value instanceof Tensor)) throw new LanthornError('argument', op, `takes tensors, but argument ${name} is ${describe(value)}`);
  return isParameter(value) ? value : parameter(value);
}

/** Parameters in a list, by index; tensors are converted to parameters. */
export class ParameterList extends List<Tensor> {
  static override readonly name: string = 'ParameterList';

  constructor(tensors: Iterable<Tensor> = []) {
    super();
    this.extend(tensors);
  }

  /** @internal */
  override asMember(name: string | number, value: unknown): Tensor {
    return checkTensor('ParameterList', name, value);
  }
}

/** A container with members by name; they are properties of these names. */
abstract class Dict<T> extends Container<T> {
  /** Adds or replaces a member under a name. */
  set(name: string, value: T): this {
    const refuse = (message: string): never => { throw new LanthornError('argument', this.constructor.name, message); };
    if (typeof name !== 'string' || name === '' || name.includes('.')) refuse(`a name is a string without dots, not ${JSON.stringify(name)}`);
    if (name in this && !namesOf(this).has(name)) refuse(`there is a property ${name} already`);
    put(this, name, value);
    return this;
  }

  /** Adds or replaces the members of an object. */
  update(values: Readonly<Record<string, T>>): this {
    for (const [name, value] of Object.entries(values)) this.set(name, value);
    return this;
  }

  /** The member of this name. */
  get(name: string): T {
    const names = namesOf(this);
    if (!names.has(name)) throw new LanthornError('argument', this.constructor.name, `there is no ${JSON.stringify(name)}; there are ${[...names].join(', ')}`);
    return propertiesOf(this)[name] as T;
  }

  /** Whether there is a member of this name. */
  has(name: string): boolean {
    return namesOf(this).has(name);
  }

  /** Removes a member. */
  delete(name: string): boolean {
    return namesOf(this).has(name) && delete propertiesOf(this)[name] && this[members].delete(name);
  }

  /** Removes and returns a member. */
  pop(name: string): T {
    const value = this.get(name);
    this.delete(name);
    return value;
  }

  keys(): IterableIterator<string> {
    return namesOf(this).values();
  }

  values(): IterableIterator<T> {
    return itemsOf<T>(this).map(([, value]) => value).values();
  }

  entries(): IterableIterator<[string, T]> {
    return itemsOf<T>(this).values();
  }

  get size(): number {
    return this.length;
  }
}

/** Modules by name; `dict.a = layer` adds or replaces one. */
export class ModuleDict<M extends Module = Module> extends Dict<M> {
  static override readonly name: string = 'ModuleDict';

  constructor(modules: Readonly<Record<string, M>> = {}) {
    super();
    this.update(modules);
  }

  /** @internal */
  override asMember(name: string | number, value: unknown): M {
    return checkModule('ModuleDict', name, value) as M;
  }

  /** @internal */
  override isMember(_: string, value: unknown): boolean {
    return value instanceof Module;
  }
}

/** Parameters by name; tensors are converted to parameters. */
export class ParameterDict extends Dict<Tensor> {
  static override readonly name: string = 'ParameterDict';

  constructor(tensors: Readonly<Record<string, Tensor>> = {}) {
    super();
    this.update(tensors);
  }

  /** @internal */
  override asMember(name: string | number, value: unknown): Tensor {
    return checkTensor('ParameterDict', name, value);
  }

  /** @internal */
  override isMember(_: string, value: unknown): boolean {
    return value instanceof Tensor;
  }
}

registerEntries([Sequential, List, ModuleList, Dict, ModuleDict]);
