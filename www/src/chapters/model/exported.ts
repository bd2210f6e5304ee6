/** The inputs of a program of one graph: their types, and the bounds of indices. */
import type { GraphNode, GraphProgram } from 'lanthorn/program';
import { exportedGraph } from '../../parts/graph/exported';
import type { GraphInfo } from '../../parts/graph/info';
import type { InputInfo } from './protocol';

/** The graph of a program, and its inputs. */
export function describeExported(program: GraphProgram): { graph: GraphInfo; inputs: InputInfo[] } {
  const json = program.toJSON();
  const graph = exportedGraph(json);
  // The inputs of the graph are the state, and the leaves of the arguments in order.
  const leaves = graph.inputs.filter((value) => !graph.state.has(value));
  const inputs = program.inputs.map((name, index): InputInfo => {
    const value = leaves[index] ?? '';
    const tensor = graph.types.get(value);
    if (tensor) {
      return { name, tensor, below: rowsBelow(value, graph) };
    }
    const constant = json.constants?.[value];
    return constant === undefined
      ? { name, other: json.graph?.values[value]?.type ?? 'value' }
      : { name, other: 'constant', value: JSON.stringify(constant) };
  });
  return { graph, inputs };
}

/** Operators whose result has the elements of their first argument. */
const SAME_ELEMENTS = /^(aten\.(view|reshape|flatten|unsqueeze|squeeze|slice|clone|contiguous|to)|onnx\.(Cast|Identity|Reshape|Flatten|Unsqueeze|Squeeze|Slice))\./;
/** Operators that select rows of their first argument by their second. */
const LOOK_UP = /^(aten\.embedding|onnx\.Gather\.)/;

/**
 * The rows of the smallest embedding that the indices `value`, perhaps in another shape, select
 * from.
 */
function rowsBelow(value: string, { nodes, state, types }: GraphInfo): number | undefined {
  const indices = new Set([value]);
  const rows: number[] = [];
  for (const { op, inputs, outputs } of nodes) {
    const [first, second] = inputs.map((input: GraphNode['inputs'][number]) => ('value' in input ? input.value : ''));
    if (SAME_ELEMENTS.test(op) && indices.has(first!)) {
      outputs.forEach((output) => output !== null && indices.add(output));
    } else if (LOOK_UP.test(op) && state.has(first!) && indices.has(second!)) {
      rows.push(types.get(first!)?.shape[0]?.size ?? 1);
    }
  }
  return rows.length > 0 ? Math.min(...rows) : undefined;
}
