/** Modules of the core as classes: the base of the classes generated from the module table. */
import { encode, gather, moduleHandle, type Spec } from './arguments.js';
import { decode } from './call.js';
import { LanthornError } from './errors.js';
import { Module } from './module.js';
import { enter } from './runtime.js';
import { locate, registerEntries } from './stack.js';
import { Tensor } from './tensor.js';

/** Frees modules that were garbage collected without being disposed of. */
const registry = new FinalizationRegistry<number>((handle) => {
  try {
    enter((wasm) => wasm.moduleDispose(handle));
  } catch {
    // The core is gone, and the module with it.
  }
});

/** The arguments of `forward` for a function of one tensor. */
const UNARY: Spec = { name: 'forward', params: ['input'], positional: 1, spread: -1 };

/** Pairs, from an alternating list. */
function pairs(words: readonly unknown[]): [string, number][] {
  return Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i] as string, words[2 * i + 1] as number]);
}

const tensors = (words: readonly unknown[]): [string, Tensor][] => pairs(words).map(([name, handle]) => [name, Tensor.fromHandle(handle)]);

/** A module of the core. Its parameters, buffers and child modules are properties. */
export abstract class BuiltinModule extends Module {
  #handle: number;
  #parameters: [string, Tensor][];
  #buffers: [string, Tensor][];
  readonly #children: [string, Module][];
  readonly #forward: Spec;
  readonly #returns: readonly string[];

  static {
    registerEntries([this]);
  }

  constructor(spec: Spec | number, args: readonly unknown[], forward: Spec = UNARY, returns: readonly string[] = []) {
    super();
    const make = (made: Spec): number => {
      const [words, strings] = encode(made, gather(made, args));
      return enter((wasm) => wasm.moduleNew(made.name, words, strings));
    };
    try {
      this.#handle = typeof spec === 'number' ? spec : make(spec);
    } catch (error) {
      if (error instanceof LanthornError) locate(error, new.target);
      throw error;
    }
    registry.register(this, this.#handle, this);
    [this.#forward, this.#returns] = [forward, returns];
    this.#parameters = enter((wasm) => tensors(wasm.moduleParameters(this.#handle)));
    this.#buffers = enter((wasm) => tensors(wasm.moduleBuffers(this.#handle)));
    this.#children = enter((wasm) => pairs(wasm.moduleChildren(this.#handle))).map(([name, handle]) => [name, new InnerModule(handle)]);
    for (const [name, member] of [...this.#parameters, ...this.#buffers, ...this.#children]) this.#show(name, member);
  }

  /** Makes a member a property: `layers.0` is `layers[0]`. */
  #show(name: string, member: Tensor | Module): void {
    const [, list, place] = /^(\w+)\.(\d+)$/.exec(name) ?? [];
    const define = (key: string, value: unknown): void => void Object.defineProperty(this, key, { value, enumerable: true, configurable: true });
    if (list === undefined) {
      define(name, member);
      return;
    }
    const members = ((this as Record<string, unknown>)[list] ?? []) as unknown[];
    members[Number(place)] = member;
    define(list, members);
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

  override *ownParameters(): Generator<[string, Tensor]> {
    for (const [name, tensor] of this.#parameters) if (!tensor.isDisposed) yield [name, tensor];
  }

  override *ownBuffers(): Generator<[string, Tensor]> {
    for (const [name, tensor] of this.#buffers) if (!tensor.isDisposed) yield [name, tensor];
  }

  override *namedChildren(): Generator<[string, Module]> {
    yield* this.#children;
  }

  override train(mode = true): this {
    enter((wasm) => wasm.moduleTrain(this.#handle, mode));
    return super.train(mode);
  }

  forward(...args: any[]): any {
    const [words, strings] = encode(this.#forward, gather(this.#forward, args));
    const row = enter((wasm) => wasm.moduleCall(this.#handle, words, strings)) as Float64Array;
    const single = this.#returns.length === 0 && row.length === 1;
    return decode(single ? 'tensor' : this.#returns, row);
  }

  override dispose(): void {
    super.dispose();
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

