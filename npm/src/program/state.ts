/** The parameters, buffers and constants of a program, which the page and the program share. */
import { leaveOut } from '../nn/module.js';
import type { CallModule } from './module.js';
import { enter, enterAsync } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';

/** The program's side: an object of the module of programs. */
export interface Owner {
  /** Of each entry its index, name, kind, whether it is in the state dict, and its handle. */
  state(): unknown[];
  setState(index: number, handle: number): void;
  /** The handles of the entries, for a program that may replace them. */
  handles?(): Uint32Array;
}

type Row = [index: number, name: string, kind: Kind, persistent: boolean, handle: number];

/** The kind of an entry. */
export type Kind = 'parameter' | 'buffer' | 'constant';

interface Entry {
  /** The program's number of the entry. */
  readonly index: number;
  readonly name: string;
  readonly kind: Kind;
  tensor: Tensor;
  /** The handle of the tensor that the program has. */
  given: number;
  /** The program's own handle of that tensor. */
  own: number;
}

const share = (handle: number): number => enter((wasm) => wasm.tensorShare(handle));

/** The type, the shape and the bytes of a tensor. */
export type TensorRow = [dtype: string, shape: Float64Array, bytes: Uint8Array];
/** The same of an entry of a program's state, with its number. */
export type StateRow = [...row: TensorRow, index: number];

/** Reads a tensor of the core. */
export async function readTensor(handle: number): Promise<TensorRow> {
  const [dtype, shape] = enter((wasm) => [wasm.tensorDtype(handle), Float64Array.from(wasm.tensorShape(handle))] as const);
  return [dtype, shape, (await enterAsync((wasm) => wasm.tensorRead(handle))) as Uint8Array];
}

/** The tensors of a program by name. Entries that are one tensor in the file are one tensor here. */
export class ProgramState {
  readonly #owner: Owner;
  readonly #callModule: CallModule;
  readonly #entries: Entry[];

  constructor(owner: Owner, callModule: CallModule) {
    this.#owner = owner;
    this.#callModule = callModule;
    const known = new Map<number, Tensor>();
    this.#entries = (owner.state() as Row[]).map(([index, name, kind, persistent, handle]) => {
      const tensor = known.get(handle) ?? Tensor.fromCore(share(handle));
      known.set(handle, tensor);
      if (!persistent) leaveOut(tensor);
      return { index, name, kind, tensor, given: tensor.coreHandle, own: handle };
    });
  }

  /** The entries of these kinds that are not disposed of. */
  *named(...kinds: readonly Kind[]): Generator<[string, Tensor]> {
    for (const { name, kind, tensor } of this.#entries) if (kinds.includes(kind) && !tensor.isDisposed) yield [name, tensor];
  }

  /** Replaces the tensor of a name; returns whether there is one. */
  replace(name: string, tensor: Tensor): boolean {
    const entry = this.#entries.find((entry) => entry.name === name);
    if (entry) entry.tensor = tensor;
    return entry !== undefined;
  }

  /** Passes the tensors that the page has replaced to the program. */
  push(): void {
    for (const entry of this.#entries) {
      const handle = entry.tensor.coreHandle;
      if (handle === entry.given) continue;
      const own = share(handle);
      this.#callModule('Program', () => this.#owner.setState(entry.index, own));
      [entry.given, entry.own] = [handle, own];
    }
  }

  /** Reads the tensors that the program has replaced, by assigning attributes. */
  pull(): void {
    const handles = this.#owner.handles?.();
    if (!handles) return;
    for (const entry of this.#entries) {
      const handle = handles[entry.index]!;
      if (handle === entry.own || handle === 0) continue;
      entry.tensor = Tensor.fromCore(share(handle));
      [entry.given, entry.own] = [entry.tensor.coreHandle, handle];
    }
  }

  /** The elements of the tensor of each entry. */
  async read(): Promise<StateRow[]> {
    const rows: StateRow[] = [];
    for (const { index, tensor } of this.#entries) rows.push([...(await readTensor(tensor.coreHandle)), index]);
    return rows;
  }

  dispose(): void {
    for (const { tensor } of this.#entries) tensor.dispose();
  }
}
