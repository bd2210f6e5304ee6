/** Nodes of the autograd graph. */
import { enter } from '../core/runtime.js';

/** The nodes that the program has, by their handles: a node is one object. */
const known = new Map<number, WeakRef<GraphNode<unknown>>>();

const registry = new FinalizationRegistry<number>((handle) => {
  // Another object may have been made for the same node.
  if (known.get(handle)?.deref()) return;
  known.delete(handle);
  try {
    enter((wasm) => wasm.nodeDispose(handle));
  } catch {
    // The core is gone, and the node with it.
  }
});

/**
 * A node of the graph, as `torch.autograd.graph.Node`: an operation that computed a tensor, or a
 * leaf that accumulates its gradient. It keeps the graph below alive. The same node is the same
 * object.
 *
 * @example
 * const visit = (node: autograd.graph.Node, depth = 0): void => {
 *   console.log(' '.repeat(depth) + node.name());
 *   for (const [next] of node.nextFunctions) if (next) visit(next, depth + 1);
 * };
 * visit(loss.gradFn!);
 */
export class GraphNode<Leaf> {
  readonly #handle: number;
  readonly #tensorOf: (handle: number) => Leaf;

  /** @internal */
  constructor(handle: number, tensorOf: (handle: number) => Leaf) {
    this.#handle = handle;
    this.#tensorOf = tensorOf;
    known.set(handle, new WeakRef(this));
    registry.register(this, handle);
  }

  /** The name of the operation, or `AccumulateGrad` for a leaf. */
  name(): string {
    return enter((wasm) => wasm.nodeName(this.#handle));
  }

  /**
   * For each tensor that the operation took, the node that computed it and which of the node's
   * results it is; `[null, 0]` for a tensor that does not require gradients.
   */
  get nextFunctions(): [GraphNode<Leaf> | null, number][] {
    const found = enter((wasm) => wasm.nodeNext(this.#handle));
    return Array.from({ length: found.length / 2 }, (_, index) => {
      const handle = found[2 * index]!;
      return [handle === 0 ? null : nodeOf(handle, this.#tensorOf), found[2 * index + 1]!];
    });
  }

  /** The leaf whose gradient the node accumulates; null for an operation. */
  get variable(): Leaf | null {
    const handle = enter((wasm) => wasm.nodeVariable(this.#handle));
    return handle === undefined ? null : this.#tensorOf(handle);
  }

  /** The node's name. */
  toString(): string {
    return this.name();
  }
}

/** @internal The node of a handle. */
export function nodeOf<Leaf>(handle: number, tensorOf: (handle: number) => Leaf): GraphNode<Leaf> {
  return (known.get(handle)?.deref() as GraphNode<Leaf> | undefined) ?? new GraphNode(handle, tensorOf);
}
