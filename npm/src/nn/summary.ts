/** A table of a model's layers. */
import { noGrad } from '../autograd/mode.js';
import type { Module } from './module.js';
import { Tensor } from '../tensor/tensor.js';

/** A row of a {@link Summary}: a module. */
export interface SummaryRow {
  /** Its full name. */
  name: string;
  /** Its class. */
  type: string;
  /** Its depth. */
  depth: number;
  /** The shapes of its results; none if it was not called as a module. */
  outputShapes: (readonly number[])[];
  /** The number of elements of the module's own parameters. */
  parameters: number;
}

/** A summary of a model; as a string it is a table. */
export interface Summary {
  rows: SummaryRow[];
  /** The number of elements of all parameters. */
  parameters: number;
  /** The number of trained elements. */
  trainable: number;
  /** The number of elements of all buffers. */
  buffers: number;
  /** The bytes of parameters and buffers. */
  bytes: number;
  /** The bytes of the results of modules without child modules. */
  outputBytes: number;
  toString(): string;
}

const BYTES: Record<string, number> = { float64: 8, int64: 8, float32: 4, int32: 4, float16: 2, bfloat16: 2, uint8: 1, bool: 1 };
const bytesOf = (tensor: Tensor): number => tensor.numel * (BYTES[tensor.dtype] ?? 4);
const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** The tensors in a result. */
function tensorsOf(output: unknown): Tensor[] {
  return (Array.isArray(output) ? output : [output]).flat().filter((item) => item instanceof Tensor);
}

/**
 * The layers of a model with the shapes of their results, their parameters and memory. With inputs
 * the model is run once, in evaluation mode and without a graph; without inputs there are no
 * shapes.
 *
 * @example
 * console.log(String(nn.summary(model, x)));
 */
export function summary(model: Module, ...inputs: unknown[]): Summary {
  const shapes = new Map<Module, (readonly number[])[]>();
  let outputBytes = 0;
  const named = [...model.namedModules()];
  if (inputs.length > 0) {
    const modes = named.map(([, module]) => module.training);
    const hooks = named.map(([, module]) => module.registerForwardHook((_, __, output) => {
      const tensors = tensorsOf(output);
      shapes.set(module, tensors.map((tensor) => tensor.shape));
      if (module.children().length === 0) outputBytes += sum(tensors.map(bytesOf));
    }));
    model.eval();
    try {
      for (const tensor of tensorsOf(noGrad(() => model.call(...inputs)))) if (!inputs.includes(tensor)) tensor.dispose();
    } finally {
      hooks.forEach((hook) => hook.remove());
      named.forEach(([, module], index) => { if (module.training !== modes[index]) module.train(modes[index]); });
    }
  }
  const rows = named.map(([name, module]): SummaryRow => ({
    name,
    type: module.constructor.name,
    depth: name === '' ? 0 : name.split('.').length,
    outputShapes: shapes.get(module) ?? [],
    parameters: sum(Array.from(module.ownParameters(), ([, tensor]) => tensor.numel)),
  }));
  const [parameters, buffers] = [model.parameters(), model.buffers()];
  const found = {
    rows,
    parameters: sum(parameters.map((tensor) => tensor.numel)),
    trainable: sum(parameters.filter((tensor) => tensor.requiresGrad).map((tensor) => tensor.numel)),
    buffers: sum(buffers.map((tensor) => tensor.numel)),
    bytes: sum([...parameters, ...buffers].map(bytesOf)),
    outputBytes,
  };
  return { ...found, toString: () => table(found) };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;

function table({ rows, parameters, trainable, buffers, bytes, outputBytes }: Omit<Summary, 'toString'>): string {
  const cells = rows.map(({ name, type, depth, outputShapes, parameters: own }) => [
    `${'  '.repeat(depth)}${name === '' ? type : `${name}: ${type}`}`,
    outputShapes.map((shape) => `[${shape.join(', ')}]`).join(' ') || '-',
    own === 0 ? '-' : own.toLocaleString('en-US'),
  ]);
  const header = ['layer', 'output', 'parameters'];
  const widths = header.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string => `${row[0]!.padEnd(widths[0]!)}  ${row[1]!.padEnd(widths[1]!)}  ${row[2]!.padStart(widths[2]!)}`;
  const rule = '-'.repeat(sum(widths) + 4);
  const count = (value: number): string => value.toLocaleString('en-US');
  return [
    line(header), rule, ...cells.map(line), rule,
    `parameters: ${count(parameters)}, ${count(trainable)} of them trained; buffers: ${count(buffers)}`,
    `memory: ${megabytes(bytes)} of parameters and buffers, ${megabytes(outputBytes)} of results`,
  ].join('\n');
}
