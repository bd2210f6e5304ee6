/** The graph of an exported program, to be drawn. */
import type { GraphNode, GraphSymbol, ProgramJson } from 'lanthorn/program';
import type { GraphInfo, ModuleInfo, Size, TensorType } from './info';

/** Deeper nested modules are shown as part of those around them. */
const MAX_DEPTH = 24;

export function exportedGraph({ graph, state = {}, symbols = {} }: ProgramJson): GraphInfo {
  if (!graph) {
    throw new Error('the program has no graph');
  }
  const { inputs, nodes, outputs } = graph;
  return { inputs, nodes, outputs, state: new Map(Object.entries(state)), types: typesOf(graph, symbols), modules: modulesOf(nodes) };
}

function typesOf({ values }: NonNullable<ProgramJson['graph']>, symbols: Record<string, GraphSymbol>): Map<string, TensorType> {
  const types = new Map<string, TensorType>();
  for (const [name, value] of Object.entries(values)) {
    if (value.type === 'tensor') {
      const { dtype, sizes, example } = value;
      types.set(name, { dtype, shape: sizes.map((size, index) => sizeOf(size, example?.[index] ?? null, symbols)) });
    }
  }
  return types;
}

function sizeOf(size: number | string, example: number | null, symbols: Record<string, GraphSymbol>): Size {
  if (typeof size === 'number') {
    return { size };
  }
  const { min, max } = symbols[size] ?? { min: null, max: null };
  const least = min ?? 1;
  return { size: example ?? least, symbol: size, least, most: max ?? Infinity };
}

/** The modules of nodes by their results, without the model itself. */
function modulesOf(nodes: readonly GraphNode[]): Map<string, readonly ModuleInfo[]> {
  const modules = new Map<string, readonly ModuleInfo[]>();
  for (const { outputs, modules: calls = [] } of nodes) {
    const inner = calls.filter(({ path }) => path !== '').slice(0, MAX_DEPTH);
    const stack = inner.map(({ path, class: name }): ModuleInfo => ({ path, kind: name.split('.').at(-1)! }));
    for (const output of outputs) {
      if (output !== null) {
        modules.set(output, stack);
      }
    }
  }
  return modules;
}
