/** Programs as modules. */
import type { ExportedHandle as OnnxHandle } from '../../wasm/lanthorn_onnx.js';
import type { ExportedHandle, ModuleHandle } from '../../wasm/lanthorn_program.js';
import { setGradEnabled } from '../autograd/mode.js';
import { LanthornError } from '../core/errors.js';
import { Module } from '../nn/module.js';
import { feedTensor, type Feed } from './feed.js';
import type { GraphValue, ProgramJson } from './json.js';
import { callModule, callOnnx, type CallModule } from './module.js';
import { beginCall } from './signal.js';
import { ProgramState, type StateRow } from './state.js';
import { registerEntries } from '../core/stack.js';
import { Tensor } from '../tensor/tensor.js';

/** An argument or result of a program: tensors, plain values, and arrays and objects of them. */
export type ProgramValue =
  | Tensor | null | boolean | number | bigint | string | readonly ProgramValue[] | { readonly [name: string]: ProgramValue };

/**
 * A program as a module: its parameters and buffers have the names of its file, optimizers train them, and
 * `stateDict` and `loadStateDict` save and load them.
 *
 * `call` takes the arguments of `forward`: tensors, numbers, strings, and arrays and objects of
 * them. An object at the end has arguments by name. The result is nested as in Python; where the
 * program reads elements to decide what to run, it is a promise. A call can be stopped by {@link
 * withSignal}.
 *
 * A program is on the page's device, as all tensors: `to` changes element types only.
 *
 * `Inputs` and `Output` are the types of the arguments and of the result, which the file decides:
 * one tensor, unless the call that loads the program names other types.
 */
export abstract class Program<Inputs extends readonly ProgramValue[] = ProgramValue[], Output = Tensor> extends Module {
  readonly #state: ProgramState;
  readonly #owner: ExportedHandle | ModuleHandle | OnnxHandle;
  readonly #callModule: CallModule;
  #isDisposed = false;

  static {
    registerEntries([this]);
  }

  /** @internal */
  protected constructor(handle: ExportedHandle | ModuleHandle | OnnxHandle, callModule: CallModule) {
    super();
    this.#owner = handle;
    this.#callModule = callModule;
    this.#state = new ProgramState(handle, callModule);
  }

  /** @internal Runs a call of the program on the tensors that the module has now. */
  protected begin<T>(op: string, call: (signal: AbortSignal | undefined) => unknown): T {
    this.checkAlive(op);
    this.#state.push();
    const result = beginCall(this.#callModule, op, call);
    // A call that failed may have replaced tensors of the state too.
    if (result instanceof Promise) return result.finally(() => { if (!this.#isDisposed) this.#state.pull(); }) as T;
    this.#state.pull();
    return result as T;
  }

  /** @internal Refuses a program that was disposed of. */
  protected checkAlive(op: string): void {
    if (this.#isDisposed) throw new LanthornError('disposed', op, 'used after dispose()');
  }

  /** @internal The elements of parameters, buffers and constants, as they are now. */
  protected readState(): Promise<StateRow[]> {
    return this.#state.read();
  }

  abstract override forward(...inputs: Inputs): Output;

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

  /** Throws: a program is loaded again instead. */
  override clone(): never {
    throw new LanthornError('argument', this.constructor.name, 'a program cannot be cloned: load it again');
  }

  override dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    super.dispose();
    this.#state.dispose();
    this.#owner.free();
  }
}

/** A straight run of a program's nodes, which calls replay, or a node that is interpreted. */
export interface ProgramPart {
  /** The first value of the graph, which is a program, a branch or the body of a loop. */
  graph: string;
  /** The index of the first node, and of the node after the last one. */
  nodes: [first: number, end: number];
  /** The number of kernels of each recording. */
  kernels: number[];
  /** The number of replays. */
  replays: number;
  /** Why the nodes are interpreted. */
  reason?: string;
}

/** A program of one graph. */
export abstract class GraphProgram<Inputs extends readonly ProgramValue[] = ProgramValue[], Output = Tensor> extends Program<Inputs, Output> {
  readonly #handle: ExportedHandle | OnnxHandle;
  #planned = true;

  /** @internal */
  protected constructor(handle: ExportedHandle | OnnxHandle, callModule: CallModule) {
    super(handle, callModule);
    this.#handle = handle;
  }

  get inputs(): readonly string[] {
    return this.#handle.inputs();
  }

  /** The names of the leaves of the results. */
  get outputs(): readonly string[] {
    return this.#handle.outputs();
  }

  forward(...inputs: Inputs): Output {
    return this.start(inputs, undefined);
  }

  /** @internal Runs a call in the page's mode of recording gradients, or in the given one. */
  protected start<T>(inputs: readonly ProgramValue[], gradEnabled: boolean | undefined): T {
    return this.begin('Program', (signal) => this.#handle.call([...inputs], signal, gradEnabled));
  }

  /**
   * Whether calls replay what earlier calls recorded, which is the default. The second call with
   * given sizes is recorded, and later calls run its kernels by one call into the core. Otherwise
   * every call is interpreted, with the same results. Setting it drops the recordings.
   */
  get planned(): boolean {
    return this.#planned;
  }

  set planned(planned: boolean) {
    this.checkAlive('planned');
    this.#planned = Boolean(planned);
    this.#handle.setPlanned(this.#planned);
  }

  /**
   * The parts of the program, with their recordings, and why nodes are interpreted.
   *
   * @example
   * for (const { nodes, reason } of program.explain()) console.log(nodes, reason ?? 'replayed');
   */
  explain(): ProgramPart[] {
    this.checkAlive('explain');
    const rows = this.#handle.explain() as [string, number, number, number[], number, string | undefined][];
    return rows.map(([graph, first, end, kernels, replays, reason]) => {
      const part: ProgramPart = { graph, nodes: [first, end], kernels, replays };
      return reason === undefined ? part : { ...part, reason };
    });
  }

  /** The graph as text. */
  override toString(): string {
    return this.#handle.graph();
  }

  toJSON(): ProgramJson {
    return { format: this.format, ...JSON.parse(this.#handle.json()) } as ProgramJson;
  }

  /** @internal The file's format. */
  protected abstract readonly format: ProgramJson['format'];

  /**
   * The program for the module that writes models of ONNX: a file, and the elements of the state that it does
   * not have.
   * @internal
   */
  abstract parts(): Promise<{ file: Uint8Array; state: StateRow[] }>;
}

/** A program of `torch.export`. Its mode is that in which it was exported. */
export class ExportedProgram<Inputs extends readonly ProgramValue[] = ProgramValue[], Output = Tensor> extends GraphProgram<Inputs, Output> {
  static override readonly name: string = 'ExportedProgram';
  /** @internal */
  protected override readonly format = 'pt2';
  readonly #handle: ExportedHandle;

  /** @internal */
  constructor(handle: ExportedHandle) {
    super(handle, callModule);
    this.#handle = handle;
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

  /** @internal */
  override async parts(): Promise<{ file: Uint8Array; state: StateRow[] }> {
    return { file: await this.save(), state: [] };
  }
}

/**
 * A model of ONNX. Its weights are parameters by their initializers' names; `call` takes its inputs
 * in their order, and returns its result, or an object of several by their names.
 */
export class OnnxModel<Inputs extends readonly ProgramValue[] = ProgramValue[], Output = Tensor> extends GraphProgram<Inputs, Output> {
  static override readonly name: string = 'OnnxModel';
  /** @internal */
  protected override readonly format = 'onnx';
  /** The notes that the model's writer left (`metadata_props`), by their keys. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The model's description of its inputs; missing for some. */
  #values: Readonly<Record<string, GraphValue>> | undefined;

  /** The model without the elements that are in the core. */
  readonly #skeleton: Uint8Array;

  /** @internal */
  constructor(handle: OnnxHandle, skeleton: Uint8Array) {
    super(handle, callOnnx);
    this.#skeleton = skeleton;
    this.metadata = Object.freeze(Object.fromEntries(handle.metadata() as [string, string][]));
  }

  /** @internal */
  override async parts(): Promise<{ file: Uint8Array; state: StateRow[] }> {
    return { file: this.#skeleton, state: await this.readState() };
  }

  /**
   * Runs the model without recording gradients, as a session of ONNX Runtime: on inputs by their
   * names, which are tensors, nested arrays, numbers for inputs of one number, or typed arrays of
   * the input's sizes. The results have their names: tensors, arrays of them for sequences, and for
   * the scores of a classifier an array with a `Map` for each row.
   *
   * @example
   * const { logits } = await model.run({ image: new Float32Array(3 * 224 * 224) });
   */
  async run(feeds: Readonly<Record<string, Feed>>): Promise<Record<string, Tensor>> {
    this.checkAlive('run');
    const { inputs, outputs } = this;
    const unknown = Object.keys(feeds).filter((name) => !inputs.includes(name));
    const missing = inputs.filter((name) => feeds[name] === undefined);
    if (unknown.length > 0 || missing.length > 0) {
      const given = unknown.length > 0 ? `there is no input ${unknown.join(', ')}` : `no value for ${missing.join(', ')}`;
      throw new LanthornError('argument', 'run', `${given}; the inputs are ${inputs.join(', ')}`);
    }
    const made: Tensor[] = [];
    try {
      const tensors = inputs.map((name) => {
        const feed = feeds[name]!;
        if (feed instanceof Tensor) return feed;
        this.#values ??= this.toJSON().graph?.values ?? {};
        const value = feedTensor(name, feed, this.#values[name]);
        made.push(value);
        return value;
      });
      const result: unknown = await this.#callWithoutGradients(tensors);
      return (outputs.length === 1 ? { [outputs[0]!]: result } : result) as Record<string, Tensor>;
    } finally {
      for (const tensor of made) tensor.dispose();
    }
  }

  /** A call that waits keeps the mode in which it began. */
  #callWithoutGradients(tensors: readonly Tensor[]): unknown {
    if (this.hookCount === 0) return this.start(tensors, false);
    const mode = setGradEnabled(false);
    try {
      return this.call(...tensors as readonly ProgramValue[] as Inputs);
    } finally {
      mode.restore();
    }
  }
}

/**
 * A module of `torch.jit.save`.
 *
 * @example
 * const module = await jit.load('model.pt');
 * console.log(module.methods);
 * const text = await module.callMethod<Promise<string>>('generate', 'Once');
 */
export class ScriptModule<Inputs extends readonly ProgramValue[] = ProgramValue[], Output = Tensor> extends Program<Inputs, Output> {
  static override readonly name: string = 'ScriptModule';
  readonly #handle: ModuleHandle;

  /** @internal */
  constructor(handle: ModuleHandle) {
    super(handle, callModule);
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
   * Calls a method; `T` is the type of its result.
   *
   * @example
   * const codes = module.callMethod('encode', image);
   */
  callMethod<T = Tensor>(name: string, ...inputs: ProgramValue[]): T {
    return this.begin(String(name), (signal) => this.#handle.call(name, inputs, signal));
  }

  forward(...inputs: Inputs): Output {
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
