/** The lanthorn code of an expression, a line for each node of its graph. */
import type { Node } from './expression';

/** A node of the graph: a variable, or the result of an operation. */
export interface GraphNode {
  name: string;
  /** The operation; empty for a variable. */
  op: string;
  /** The indices of its inputs. Numbers are not inputs: they are in the words. */
  inputs: readonly number[];
  words: string;
}

export interface Program {
  nodes: readonly GraphNode[];
  code: string;
}

const SIGNS: Readonly<Record<string, string>> = { add: '+', sub: '-', mul: '×', div: '/', pow: '**' };

/** `values` of the variables by name. */
export function programOf(expression: Node, values: Readonly<Record<string, number>>): Program {
  const nodes: GraphNode[] = [];
  const variables: string[] = [];
  const lines: string[] = [];
  const indices = new Map<string, number>();
  const visit = (node: Node): number => {
    if (node.kind === 'number') {
      throw new SyntaxError('There is no variable in it: without one there is no gradient. Use x, y or w.');
    }
    if (node.kind === 'name') {
      const found = indices.get(node.name);
      if (found !== undefined) {
        return found;
      }
      indices.set(node.name, nodes.length);
      variables.push(`const ${node.name} = tensor(${values[node.name]}, { requiresGrad: true });`);
      return nodes.push({ name: node.name, op: '', inputs: [], words: node.name }) - 1;
    }
    const inputs = node.inputs.map((input) => (input.kind === 'number' ? undefined : visit(input)));
    const operands = node.inputs.map((input, index) => (input.kind === 'number' ? String(input.value) : nodes[inputs[index]!]!.name));
    const name = `v${nodes.filter(({ op }) => op !== '').length + 1}`;
    const [first, ...rest] = operands as [string, ...string[]];
    lines.push(`const ${name} = ${inputs[0] === undefined ? `tensor(${first})` : first}.${node.op}(${rest.join(', ')});`);
    const sign = SIGNS[node.op];
    const words = sign ? operands.map((text, index) => (inputs[index] === undefined ? text : '·')).join(` ${sign} `) : node.op;
    return nodes.push({ name, op: node.op, inputs: inputs.filter((input) => input !== undefined), words }) - 1;
  };
  visit(expression);
  const inner = nodes.filter(({ op }) => op !== '').slice(0, -1);
  const retained = inner.map(({ name }) => `${name}.retainGrad();`);
  const keep = inner.length === 0 ? [] : ['', '// Leaves keep their gradients; other tensors are asked to.', ...retained];
  const last = nodes.at(-1)!;
  // The last one keeps its gradient too, which is 1.
  const end = last.op === '' ? [] : [`${last.name}.retainGrad();`];
  return { nodes, code: [...variables, ...lines, ...keep, ...end, `${last.name}.backward();`].join('\n') };
}

/** An expression of `x` as one line of calls. */
export function lineOf(node: Node): string {
  if (node.kind === 'number') {
    return String(node.value);
  }
  if (node.kind === 'name') {
    return node.name;
  }
  const [first, ...rest] = node.inputs.map(lineOf) as [string, ...string[]];
  return `${node.inputs[0]!.kind === 'number' ? `tensor(${first})` : first}.${node.op}(${rest.join(', ')})`;
}
