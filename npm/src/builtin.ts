/** Modules of the core as classes: the base of the classes generated from the module table. */
import { encode, gather, moduleHandle } from './arguments.js';
import { decode } from './call.js';
import { LanthornError } from './errors.js';
import { isParameter, Module, type ComputedTensor } from './module.js';
import { observer } from './observe.js';
import { zeros } from './operations.generated.js';
import { noteReplaced } from './recording.js';
import { enter } from './runtime.js';
import { scope } from './scope.js';
import { specOf, type Spec, type SpecText } from './spec.js';
import { locate, registerEntries } from './stack.js';
import { handleOf, Tensor } from './tensor.js';
import type { DType } from './types.js';

/** Frees modules that were garbage collected without being disposed of. */
const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.moduleDispose(handle));
  } catch {
    // The core is gone, and the module with it.
  }
});

/** The arguments of `forward` for a function of one tensor. */
const UNARY = 'forward ^input';

/** Pairs, from an alternating list. */
function pairs(words: readonly unknown[]): [string, number][] {
  return Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i] as string, words[2 * i + 1] as number]);
}

const tensors = (words: readonly unknown[]): [string, Tensor][] => pairs(words).map(([name, handle]) => [name, Tensor.fromCore(handle)]);

/** A name of the core as a property: `running_mean` is `runningMean`. */
const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The arguments that were given and are text or numbers: `inFeatures=2, bias=false`. */
function shown(params: readonly string[], values: readonly unknown[]): string {
  const isShown = (value: unknown): boolean => ['number', 'string', 'boolean'].includes(typeof value) || (Array.isArray(value) && value.every(isShown));
  const text = (value: unknown): string => (Array.isArray(value) ? `[${value.map(text).join(', ')}]` : String(value));
  return params.flatMap((name, i) => (isShown(values[i]) ? [`${name}=${text(values[i])}`] : [])).join(', ');
}

/** What a tensor among the constructor's arguments was, for making the module again. */
interface Given { shape: readonly number[]; dtype: DType }

/** How a module was made. */
interface Recipe {
  spec: Spec;
  values: readonly unknown[];
  /** The places of tensors, which are not kept: a module takes its elements from its own tensors. */
  given: ReadonlyMap<number, Given>;
}

/** Gives a tensor its elements on the new device, as those of a handle made there; see `recovery.ts`. */
export type Bind = (tensor: Tensor, made: number, assign: (tensor: Tensor) => void) => void;

/** A module of the core. Its parameters, buffers and child modules are properties. */
export abstract class BuiltinModule extends Module {
  #handle: number;
  #parameters: [string, Tensor][];
  #buffers: [string, Tensor][];
  readonly #children: [string, Module][];
  readonly #forward: Spec;
  readonly #returns: readonly string[];
  /** How the module was made; one inside of another has none. */
  #recipe: Recipe | undefined;
  readonly #parametrizations: ((handle: number) => number)[] = [];
  /** The constructor's arguments, as text. */
  #arguments = '';
  /** By the names of parameters that are computed before every call: the tensors between calls. */
  readonly #placeholders = new Map<string, Tensor>();

  static {
    registerEntries([this]);
  }

  constructor(text: string | number, args: readonly unknown[], forward: SpecText = UNARY, returns: readonly string[] = []) {
    super();
    const make = (made: Spec): number => {
      const values = gather(made, args);
      const [words, strings] = encode(made, values);
      this.#arguments = shown(made.params, values);
      const given = new Map<number, Given>();
      const kept = values.map((value, i) => {
        if (!(value instanceof Tensor)) return value;
        given.set(i, { shape: value.shape, dtype: value.dtype });
        return undefined;
      });
      this.#recipe = { spec: made, values: kept, given };
      return enter((wasm) => wasm.moduleNew(made.name, words, strings));
    };
    try {
      this.#handle = typeof text === 'number' ? text : make(specOf(text));
    } catch (error) {
      if (error instanceof LanthornError) locate(error, new.target);
      throw error;
    }
    registry.register(this, this.#handle, this);
    [this.#forward, this.#returns] = [specOf(forward), returns];
    this.#parameters = enter((wasm) => tensors(wasm.moduleParameters(this.#handle)));
    this.#buffers = enter((wasm) => tensors(wasm.moduleBuffers(this.#handle)));
    this.#children = enter((wasm) => pairs(wasm.moduleChildren(this.#handle))).map(([name, handle]) => [name, new InnerModule(handle)]);
    for (const [name, member] of [...this.#parameters, ...this.#buffers, ...this.#children]) this.#show(name, member);
  }

  /**
   * Makes a member a property: `running_mean` is `runningMean`, and `layers.0` is `layers[0]`. A
   * tensor can be replaced by assigning another, as `head.weight = embedding.weight`.
   */
  #show(name: string, member: Tensor | Module): void {
    const [, list, place] = /^(\w+)\.(\d+)$/.exec(name) ?? [];
    const define = (key: string, descriptor: PropertyDescriptor): void =>
      void Object.defineProperty(this, camel(key), { ...descriptor, enumerable: true, configurable: true });
    if (list !== undefined) {
      const members = ((this as Record<string, unknown>)[camel(list)] ?? []) as unknown[];
      members[Number(place)] = member;
      define(list, { value: members });
    } else if (member instanceof Tensor) define(name, { get: () => this.#tensor(name), set: (value: unknown) => this.#assign(name, value) });
    else define(name, { value: member });
  }

  #tensor(name: string): Tensor | undefined {
    return [...this.#parameters, ...this.#buffers].find(([own]) => own === name)?.[1];
  }

  /** Replaces a parameter by another, or a buffer by a tensor. */
  #assign(name: string, value: unknown): void {
    const property = `${this.constructor.name}.${camel(name)}`;
    handleOf(property, 'value', value);
    const isOwnParameter = this.#parameters.some(([own]) => own === name);
    if (isOwnParameter && !isParameter(value as Tensor)) throw new LanthornError('argument', property, 'takes a parameter: give nn.parameter(x)');
    this.replaceTensor(name, value as Tensor);
  }

  override replaceTensor(name: string, tensor: Tensor): void {
    const entry = [...this.#parameters, ...this.#buffers].find(([own]) => own === name);
    if (!entry) return super.replaceTensor(name, tensor);
    enter((wasm) => wasm.moduleSetTensor(this.#handle, name, tensor.coreHandle));
    noteReplaced();
    entry[1] = tensor;
    // A list of tensors is a property of its own.
    if (/\.\d+$/.test(name)) this.#show(name, tensor);
  }

  override get [moduleHandle](): number {
    return this.#handle;
  }

  /**
   * @internal Has parameter `name` computed from others: a function of the core replaces the module
   * of this handle.
   */
  parametrize(name: string, make: (handle: number) => number): void {
    const handle = make(this.#handle);
    noteReplaced();
    this.#parametrizations.push(make);
    enter((wasm) => wasm.moduleTrain(handle, this.training));
    registry.unregister(this);
    this.#handle = handle;
    registry.register(this, handle, this);
    for (const [, tensor] of [...this.#parameters, ...this.#buffers]) tensor.dispose();
    this.#parameters = enter((wasm) => tensors(wasm.moduleParameters(handle)));
    this.#buffers = enter((wasm) => tensors(wasm.moduleBuffers(handle)));
    delete (this as Record<string, unknown>)[name];
    for (const [own, tensor] of [...this.#parameters, ...this.#buffers]) if (!own.includes('.')) this.#show(own, tensor);
  }

  /**
   * @internal Has a parameter computed before every call, as a quantized weight is. Between calls the
   * core has a tensor without elements.
   */
  override computeTensor(name: string, computed: ComputedTensor | undefined): void {
    const place = this.#parameters.findIndex(([own]) => own === name);
    if (computed === undefined) throw new LanthornError('argument', this.constructor.name, `${name} is restored by restoreTensor`);
    if (place < 0) throw new LanthornError('argument', this.constructor.name, `there is no parameter ${name} of its own`);
    this.#parameters.splice(place, 1);
    const placeholder = zeros([0]);
    this.#placeholders.set(name, placeholder);
    enter((wasm) => wasm.moduleSetTensor(this.#handle, name, placeholder.coreHandle));
    super.computeTensor(name, computed);
  }

  /** @internal Ends that a parameter is computed: it is the given tensor from now on. */
  restoreTensor(name: string, tensor: Tensor): void {
    enter((wasm) => wasm.moduleSetTensor(this.#handle, name, tensor.coreHandle));
    super.computeTensor(name, undefined);
    this.#placeholders.get(name)?.dispose();
    this.#placeholders.delete(name);
    this.#parameters.unshift([name, tensor]);
    this.#show(name, tensor);
  }

  /** @internal The modules that this one was made of. */
  get madeOf(): Module[] {
    return (this.#recipe?.values ?? []).filter((value) => value instanceof Module);
  }

  /**
   * @internal Makes the module again on the device that replaced a lost one, as it was made at first,
   * with the same objects for its tensors and inner modules. Inner modules are made with their outer one.
   */
  reopen(bind: Bind): void {
    if (!this.#recipe) return;
    const { spec, values, given } = this.#recipe;
    const filled = [...values];
    for (const [i, { shape, dtype }] of given) filled[i] = zeros(shape, { dtype });
    const [words, strings] = encode(spec, filled);
    const first = enter((wasm) => wasm.moduleNew(spec.name, words, strings));
    for (const i of given.keys()) (filled[i] as Tensor).dispose();
    this.#rebind(this.#parametrizations.reduce((handle, make) => make(handle), first), bind);
  }

  #rebind(handle: number, bind: Bind): void {
    registry.unregister(this);
    enter((wasm) => wasm.moduleDispose(this.#handle));
    this.#handle = handle;
    registry.register(this, handle, this);
    const own = new Map([...this.#parameters, ...this.#buffers, ...this.#placeholders]);
    const listed = enter((wasm) => pairs([...wasm.moduleParameters(handle), ...wasm.moduleBuffers(handle)]));
    for (const [name, made] of listed) {
      bind(own.get(name)!, made, (tensor) => enter((wasm) => wasm.moduleSetTensor(handle, name, tensor.coreHandle)));
    }
    const children = new Map(this.#children);
    for (const [name, made] of enter((wasm) => pairs(wasm.moduleChildren(handle)))) {
      (children.get(name) as BuiltinModule).#rebind(made, bind);
    }
    enter((wasm) => wasm.moduleTrain(handle, this.training));
  }

  override get coreMembers(): ReadonlySet<unknown> {
    return new Set([...this.#parameters, ...this.#buffers, ...this.#children].map(([, member]) => member));
  }

  override *ownParameters(): Generator<[string, Tensor]> {
    for (const [name, tensor] of this.#parameters) if (!tensor.isDisposed) yield [name, tensor];
    yield* super.ownParameters();
  }

  override *ownBuffers(): Generator<[string, Tensor]> {
    for (const [name, tensor] of this.#buffers) if (!tensor.isDisposed) yield [name, tensor];
    yield* super.ownBuffers();
  }

  override *ownTensors(): Generator<[string, Tensor]> {
    for (const [name, tensor] of [...this.#parameters, ...this.#buffers, ...this.#placeholders]) if (!tensor.isDisposed) yield [name, tensor];
    yield* super.ownTensors();
  }

  override *namedChildren(): Generator<[string, Module]> {
    yield* this.#children;
    yield* super.namedChildren();
  }

  override extraRepr(): string {
    return [this.#arguments, ...Array.from(this.computed, ([name, { label }]) => `${name}=${label}`)].filter(Boolean).join(', ');
  }

  override train(mode = true): this {
    enter((wasm) => wasm.moduleTrain(this.#handle, mode));
    return super.train(mode);
  }

  forward(...args: any[]): any {
    return this.#placeholders.size === 0 ? this.#run(args) : this.#compute(args);
  }

  /** Calls `forward` of the core with computed parameters, which it does not keep. */
  #compute(args: readonly any[]): any {
    return scope(() => {
      let taken = args;
      try {
        for (const [name, computed] of this.computed) {
          if (computed.forward) return computed.forward(taken[0] as Tensor);
          if (computed.input) taken = [computed.input(taken[0] as Tensor), ...taken.slice(1)];
          const value = computed.compute();
          enter((wasm) => wasm.moduleSetTensor(this.#handle, name, value.coreHandle));
        }
        return this.#run(taken);
      } finally {
        for (const [name, placeholder] of this.#placeholders) {
          enter((wasm) => wasm.moduleSetTensor(this.#handle, name, placeholder.coreHandle));
        }
      }
    });
  }

  #run(args: readonly any[]): any {
    const [words, strings] = encode(this.#forward, gather(this.#forward, args));
    const row = enter((wasm) => wasm.moduleCall(this.#handle, words, strings)) as Float64Array;
    const single = this.#returns.length === 0 && row.length === 1;
    const result = decode(Tensor, single ? 'tensor' : this.#returns, row);
    observer?.(this.constructor.name, [...args, ...this.#parameters.map(([, tensor]) => tensor)], result);
    return result;
  }

  override dispose(): void {
    super.dispose();
    for (const placeholder of this.#placeholders.values()) placeholder.dispose();
    registry.unregister(this);
    enter((wasm) => wasm.moduleDispose(this.#handle));
  }
}

/** A module of the core that maps one tensor to one tensor. */
export abstract class UnaryModule extends BuiltinModule {}
export interface UnaryModule {
  forward(input: Tensor): Tensor;
}

/** A child module of the core. */
class InnerModule extends BuiltinModule {
  constructor(handle: number) {
    const params = enter((wasm) => wasm.moduleSignature(handle));
    super(handle, [], { name: 'forward', params, positional: params.length, spread: -1 });
  }
}

