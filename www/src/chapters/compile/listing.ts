/**
 * Reads the listings of `explain`: kernels with their results and operands, and their programs
 * below.
 */
import type { GraphInfo, TensorType } from '../../parts/graph/info';

/** A kernel of a listing. */
export interface Listed {
  op: string;
  kind: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** The lines below the first. */
  text: string;
}

export interface Listing {
  kernels: readonly Listed[];
  types: ReadonlyMap<string, TensorType>;
}

const HEAD = /^(%.*) = (\S+) (\S+) \((.*)$/;
const RESULT = /(%\d+): (\w+)\[([\d, ]*)\]/g;
const OPERAND = /(%\d+)(?: (\w+)\[([\d, ]*)\])?/g;

const typeOf = (dtype: string, shape: string): TensorType =>
  ({ dtype, shape: shape === '' ? [] : shape.split(', ').map((size) => ({ size: Number(size) })) });

export function readListing(listing: string): Listing {
  const kernels: Listed[] = [];
  const types = new Map<string, TensorType>();
  for (const line of listing.split('\n')) {
    const head = HEAD.exec(line);
    const last = kernels.at(-1);
    if (head) {
      const [, results, op, kind, operands] = head as unknown as [string, string, string, string, string];
      const outputs = Array.from(results.matchAll(RESULT), ([, name, dtype, shape]) => {
        types.set(name!, typeOf(dtype!, shape!));
        return name!;
      });
      const inputs = Array.from(operands.matchAll(OPERAND), ([, name, dtype, shape]) => {
        // A view may have another shape than its value, whose own is known if a kernel made it.
        if (dtype && !types.has(name!)) {
          types.set(name!, typeOf(dtype, shape!));
        }
        return name!;
      });
      kernels.push({ op, kind, inputs, outputs, text: '' });
    } else if (last && line.trim() !== '') {
      kernels[kernels.length - 1] = { ...last, text: `${last.text}${line.trim()}\n` };
    }
  }
  return { kernels, types };
}

/**
 * The kernels of a listing as a graph, each with the title and the module given for it. The step's
 * inputs and results are not drawn: there are too many of them.
 */
export function graphOf({ kernels, types }: Listing, titleOf: (index: number) => string, moduleOf: (index: number) => string): GraphInfo {
  const modules = kernels.flatMap(({ outputs }, index) => {
    const path = moduleOf(index);
    return outputs.map((output) => [output, path ? [{ path, kind: 'pass' }] : []] as const);
  });
  return {
    inputs: [],
    nodes: kernels.map(({ inputs, outputs }, index) => ({ op: titleOf(index), inputs: inputs.map((value) => ({ value })), outputs })),
    outputs: [],
    state: new Map(),
    types,
    modules: new Map(modules),
    texts: kernels.map(({ kind, text }) => `${kind}\n${text}`),
  };
}

/**
 * The indices of the recorded kernels that a fused kernel computes: those between its results and
 * its operands.
 */
export function originsOf({ inputs, outputs }: Listed, recorded: Listing): number[] {
  const producers = new Map(recorded.kernels.flatMap((kernel, index) => kernel.outputs.map((output) => [output, index] as const)));
  const given = new Set(inputs);
  const found = new Set<number>();
  const values = [...outputs];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    const index = producers.get(value);
    if (index !== undefined && !found.has(index)) {
      found.add(index);
      values.push(...recorded.kernels[index]!.inputs.filter((input) => !given.has(input)));
    }
  }
  return [...found].sort((one, other) => one - other);
}
