/** Programs as modules. */
import type { ExportedHandle, ModuleHandle } from '../wasm/lanthorn_program.js';
import { LanthornError } from './errors.js';
import { Module } from './module.js';
import { callModule } from './program-module.js';
import { beginCall } from './program-signal.js';
import { ProgramState, type TensorRow } from './program-state.js';
import { registerEntries } from './stack.js';
import type { Tensor } from './tensor.js';

/** A value that a program takes or gives: tensors, plain values, and arrays and objects of them. */
export type ProgramValue =
  | Tensor | null | boolean | number | bigint | string | readonly ProgramValue[] | { readonly [name: string]: ProgramValue };

/** An argument of a node, or a result of a graph. */
export type GraphOperand =
  | { value: string } | { constant: unknown } | { list: readonly GraphOperand[] } | { block: GraphJson };

/** A module that a node was called in. */
export interface GraphModule {
  /** Its path in the model, which is empty for the model itself. */
  path: string;
  /** The qualified name of its class. */
  class: string;
}

/**
 * What is known of a value: of a tensor its type and sizes, of a number itself. A size or a number that
 * depends on symbols is a formula as text; `example` then has the sizes with which the program was exported,
 * and null for one that depends on data.
 */
export type GraphValue =
  | { type: 'tensor'; dtype: string; sizes: readonly (number | string)[]; requiresGrad: boolean; example?: readonly (number | null)[] }
  | { type: 'int' | 'float' | 'bool'; value: number | boolean | string };

/** A symbol of sizes: the values that it may have, null where there is no bound, and that of the examples. */
export interface GraphSymbol {
  min: number | null;
  max: number | null;
  example: number | null;
}

/** A call of an operator. */
export interface GraphNode {
  /** The operator: `aten.linear.default`. */
  op: string;
  /** The arguments. One that is given by name has a `name`. */
  inputs: readonly (GraphOperand & { name?: string })[];
  /** The names of the results; null for one that nothing uses. */
  outputs: readonly (string | null)[];
  /** The modules that it was called in, the outermost first, if the file tells. */
  modules?: readonly GraphModule[];
}

/** A graph, for viewers. */
export interface GraphJson {
  /** The names of the values that a call passes. */
  inputs: readonly string[];
  /** The calls, in order. */
  nodes: readonly GraphNode[];
  /** The results. */
  outputs: readonly GraphOperand[];
  /** What is known of the values, by their names. */
  values: Readonly<Record<string, GraphValue>>;
}

/** The description of a program, for viewers: its graph, or its methods with their parameters. */
export interface ProgramJson {
  /** The file's format. */
  format: 'pt2' | 'torchscript';
  /** The names of the leaves of the arguments. */
  inputs: string[];
  /** The names of the leaves of the results, of an exported program. */
  outputs?: string[];
  /** The names of parameters, buffers and constants, by the graph's names for them. */
  state?: Record<string, string>;
  /** The arguments of an exported program that must have one value, by the graph's names for them. */
  constants?: Record<string, unknown>;
  /** The symbols of sizes of an exported program. */
  symbols?: Record<string, GraphSymbol>;
  /** The graph of an exported program. */
  graph?: GraphJson;
  /** The names of the parameters of each method of a script module. */
  methods?: Record<string, string[]>;
}

/**
 * A program of PyTorch as a module: its parameters and buffers have PyTorch's names, optimizers train
 * them, and `stateDict` and `loadStateDict` save and load them.
 *
 * `call` takes the arguments of `forward`: tensors, numbers, strings, and arrays and objects of them. An
 * object at the end gives arguments by name. The result is nested as in Python; where the program reads
 * elements to decide what to run, it is a promise. A call can be stopped by {@link withSignal}.
 *
 * A program is on the page's device, as all tensors: `to` changes element types only.
 */
export abstract class Program extends Module {
  readonly #state: ProgramState;
  readonly #owner: ExportedHandle | ModuleHandle;
  #isDisposed = false;

  static {
    registerEntries([this]);
  }

  /** @internal */
  protected constructor(handle: ExportedHandle | ModuleHandle) {
    super();
    this.#owner = handle;
    this.#state = new ProgramState(handle);
  }

  /** @internal Runs a call of the program on the tensors that the module has now. */
  protected run(op: string, call: (signal: AbortSignal | undefined) => unknown): any {
    this.checkAlive(op);
    this.#state.push();
    const result = beginCall(op, call);
    // A call that failed may have replaced tensors of the state too.
    if (result instanceof Promise) return result.finally(() => { if (!this.#isDisposed) this.#state.pull(); });
    this.#state.pull();
    return result;
  }

  /** @internal Refuses a program that was disposed of. */
  protected checkAlive(op: string): void {
    if (this.#isDisposed) throw new LanthornError('disposed', op, 'used after dispose()');
  }

  /** @internal The elements of parameters, buffers and constants, as they are now. */
  protected readState(): Promise<TensorRow[]> {
    return this.#state.read();
  }

  /** The names of the leaves of the arguments. */
  abstract readonly inputs: readonly string[];

  /** The description of the program, for viewers. */
  abstract toJSON(): ProgramJson;

  override *ownParameters(): Generator<[string, Tensor]> {
    yield* this.#state.named('parameter');
  }

  override *ownBuffers(): Generator<[string, Tensor]> {
    yield* this.#state.named('buffer');
  }

  override *ownTensors(): Generator<[string, Tensor]> {
    yield* this.#state.named('parameter', 'buffer', 'constant');
  }

  override replaceTensor(name: string, tensor: Tensor): void {
    if (!this.#state.replace(name, tensor)) super.replaceTensor(name, tensor);
  }

  override dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    super.dispose();
    this.#state.dispose();
    this.#owner.free();
  }
}

/** A program of `torch.export`. Its mode is that in which it was exported. */
export class ExportedProgram extends Program {
  readonly #handle: ExportedHandle;

  /** @internal */
  constructor(handle: ExportedHandle) {
    super(handle);
    this.#handle = handle;
  }

  get inputs(): readonly string[] {
    return this.#handle.inputs();
  }

  /** The names of the leaves of the results. */
  get outputs(): readonly string[] {
    return this.#handle.outputs();
  }

  forward(...inputs: unknown[]): any {
    return this.run('Program', (signal) => this.#handle.call(inputs, signal));
  }

  /** The graph as text. */
  override toString(): string {
    return this.#handle.graph();
  }

  toJSON(): ProgramJson {
    return JSON.parse(this.#handle.json()) as ProgramJson;
  }

  /**
   * The program with its parameters and buffers as they are now, as a file that `torch.export.load` reads.
   *
   * @example
   * const bytes = await program.save();
   */
  async save(): Promise<Uint8Array> {
    this.checkAlive('save');
    const elements = await this.readState();
    this.checkAlive('save');
    return callModule('save', () => this.#handle.save(elements));
  }
}

/** A module of `torch.jit.save`. */
export class ScriptModule extends Program {
  readonly #handle: ModuleHandle;

  /** @internal */
  constructor(handle: ModuleHandle) {
    super(handle);
    this.#handle = handle;
  }

  get inputs(): readonly string[] {
    return this.#handle.parameters('forward');
  }

  /** The names of the methods. */
  get methods(): readonly string[] {
    return this.#handle.methods();
  }

  /** The operators that the code names and that do not exist here; a call that comes to one fails. */
  get missingOperators(): readonly string[] {
    return this.#handle.missing();
  }

  /**
   * Calls a method.
   *
   * @example
   * const codes = module.callMethod('encode', image);
   */
  callMethod(name: string, ...inputs: unknown[]): any {
    return this.run(String(name), (signal) => this.#handle.call(name, inputs, signal));
  }

  forward(...inputs: unknown[]): any {
    return this.callMethod('forward', ...inputs);
  }

  override train(mode = true): this {
    callModule('train', () => this.#handle.train(mode));
    return super.train(mode);
  }

  /** The class and its methods. */
  override toString(): string {
    const lines = this.methods.map((name) => `  ${name}(${this.#handle.parameters(name).join(', ')})\n`);
    return `${this.#handle.className()}(\n${lines.join('')})`;
  }

  toJSON(): ProgramJson {
    const methods = Object.fromEntries(this.methods.map((name) => [name, this.#handle.parameters(name)]));
    return { format: 'torchscript', inputs: [...this.inputs], methods };
  }
}
