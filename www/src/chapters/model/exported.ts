/**
 * What the file of an exported program declares beyond the graph that the package shows: the types of
 * its values, and the modules that its nodes were called in.
 */
import type { ExportedProgram, GraphNode } from 'lanthorn/program';
import type { Archive } from './archive';
import type { GraphInfo, InputInfo, ModuleInfo, Size, TensorType } from './protocol';

/** PyTorch's numbers of dtypes in exported programs. */
const DTYPES: Readonly<Record<number, string>> = {
  1: 'uint8', 2: 'int8', 3: 'int16', 4: 'int32', 5: 'int64', 6: 'float16', 7: 'float32', 8: 'float64',
  9: 'complex32', 10: 'complex64', 11: 'complex128', 12: 'bool', 13: 'bfloat16',
};

/** Deeper nested modules are shown as part of those around them. */
const MOST_DEPTH = 24;

/** The entries of the file that are read here. */
interface SizeJson {
  as_int?: number;
  as_expr?: { expr_str: string; hint?: { as_int?: number } | null };
}
interface Named {
  as_tensor?: { name: string };
}
type InputSpec = Named & Readonly<Record<string, unknown>>;
interface FileJson {
  range_constraints?: Record<string, { min_val?: number | null; max_val?: number | null } | undefined>;
  graph_module: {
    graph: {
      tensor_values: Record<string, { dtype: number; sizes: SizeJson[] }>;
      nodes: { outputs: (Named & { as_tensors?: { name: string }[] })[]; metadata?: { nn_module_stack?: string } }[];
    };
    signature: { input_specs: { user_input?: { arg: InputSpec }; constant_input?: InputSpec }[] };
  };
}

/** The graph of a program, and its inputs. */
export async function describeExported(program: ExportedProgram, archive: Archive): Promise<{ graph: GraphInfo; inputs: InputInfo[] }> {
  const json = program.toJSON();
  const name = archive.names.find((entry) => /\/models\/[^/]+\.json$/.test(entry));
  const file = JSON.parse(await archive.text(name ?? 'models/model.json')) as FileJson;
  const { graph, signature } = file.graph_module;
  const typeOf = ({ dtype, sizes }: { dtype: number; sizes: SizeJson[] }): TensorType =>
    ({ dtype: DTYPES[dtype] ?? 'unknown', shape: sizes.map((size) => sizeOf(size, file.range_constraints)) });
  const types = new Map(Object.entries(graph.tensor_values).map(([value, meta]) => [value, typeOf(meta)]));
  const state = new Map(Object.entries(json.state ?? {}));
  const specs = signature.input_specs.flatMap(({ user_input: user, constant_input: constant }): InputSpec[] => {
    const spec = user?.arg ?? constant;
    return spec ? [spec] : [];
  });
  const inputs = program.inputs.map((input, index): InputInfo => {
    const spec = specs[index] ?? {};
    const value = spec.as_tensor?.name;
    const tensor = value === undefined ? undefined : types.get(value);
    if (value === undefined || !tensor) {
      return { name: input, other: Object.keys(spec)[0]?.replace('as_', '') ?? 'value' };
    }
    return { name: input, tensor, below: rowsBelow(value, json.graph!.nodes, state, types) };
  });
  return { graph: { ...json.graph!, state, types, modules: modulesOf(graph.nodes) }, inputs };
}

function sizeOf({ as_int: size, as_expr: expression }: SizeJson, ranges: FileJson['range_constraints'] = {}): Size {
  if (size !== undefined || !expression) {
    return { size: size ?? 1 };
  }
  const symbol = /^Symbol\('(\w+)'/.exec(expression.expr_str)?.[1] ?? '?';
  const { min_val: least, max_val: most } = ranges[symbol] ?? {};
  return { size: expression.hint?.as_int ?? least ?? 1, symbol, least: least ?? 1, most: most ?? Infinity };
}

/** Operators whose result has the elements of their first argument. */
const SAME_ELEMENTS = /^aten\.(view|reshape|flatten|unsqueeze|squeeze|slice|clone|contiguous|to)\./;

/** The rows of the smallest embedding that the indices `value`, perhaps in another shape, select from. */
function rowsBelow(value: string, nodes: readonly GraphNode[], state: GraphInfo['state'], types: GraphInfo['types']): number | undefined {
  const indices = new Set([value]);
  const rows: number[] = [];
  for (const { op, inputs, outputs } of nodes) {
    const [first, second] = inputs.map((input) => ('value' in input ? input.value : ''));
    if (SAME_ELEMENTS.test(op) && indices.has(first!)) {
      outputs.forEach((output) => output !== null && indices.add(output));
    } else if (op.startsWith('aten.embedding') && state.has(first!) && indices.has(second!)) {
      rows.push(types.get(first!)?.shape[0]?.size ?? 1);
    }
  }
  return rows.length > 0 ? Math.min(...rows) : undefined;
}

function modulesOf(nodes: FileJson['graph_module']['graph']['nodes']): GraphInfo['modules'] {
  const modules = new Map<string, ModuleInfo[]>();
  for (const { outputs, metadata } of nodes) {
    // Each entry is a key, the module's path and its class, and the first one is the whole model.
    const [, ...entries] = (metadata?.nn_module_stack ?? '').split(';');
    const stack = entries.slice(0, MOST_DEPTH).map((entry) => {
      const [, path = '', kind = ''] = entry.split(',');
      return { path, kind: kind.split('.').at(-1)! };
    });
    for (const { as_tensor: one, as_tensors: several } of outputs) {
      for (const { name } of [...(one ? [one] : []), ...(several ?? [])]) {
        modules.set(name, stack.filter(({ path }) => path !== ''));
      }
    }
  }
  return modules;
}
