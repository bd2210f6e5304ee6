/** The arguments and results of a chosen node, and what surrounds it. */
import type { GraphNode, GraphOperand } from 'lanthorn/program';
import { make } from '../dom';
import type { GraphInfo } from './info';
import { type Folding, type Group, isGroup, type Item } from './fold';
import { isPort, type Shown } from './layout';
import { operatorName, typeInWords } from './words';

/** The operators of a block that are named, and the rows of a group's operators. */
const MAX_NAMES = 12;
const MAX_CHARACTERS = 400;

export interface DetailActions {
  unfold: (group: Group) => void;
  fold: (group: Group) => void;
}

/** Shows `item` in `container`. */
export function showDetails(container: HTMLElement, item: Shown, graph: GraphInfo, folding: Folding, actions: DetailActions): void {
  if (isPort(item)) {
    const words = item.port === 'input' ? 'An argument of the program' : 'A result of the program';
    container.replaceChildren(heading(item.value), soft(words), table([['type', code(typeInWords(graph, item.value) || 'not declared')]]));
    return;
  }
  const around = path(item, folding, actions);
  if (isGroup(item)) {
    const open = make('button', { type: 'button', textContent: 'Unfold' });
    open.addEventListener('click', () => actions.unfold(item));
    container.replaceChildren(heading(item.title), soft(`${item.kind}: ${item.last - item.first + 1} operators`), around, counts(graph, item), open);
    return;
  }
  const node = graph.nodes[item.first]!;
  container.replaceChildren(
    heading(operatorName(node.op)),
    make('p', { className: 'soft' }, [code(node.op), ` · node ${item.first + 1} of ${graph.nodes.length}`]),
    around,
    make('h4', { textContent: 'Arguments' }),
    table(node.inputs.map((input, index) => [input.name ?? String(index), operandOf(input, graph)])),
    make('h4', { textContent: 'Results' }),
    table(resultsOf(node, graph)),
    ...textOfNode(graph.texts?.[item.first]),
  );
}

function textOfNode(text: string | undefined): HTMLElement[] {
  return text ? [make('h4', { textContent: 'Computes' }), make('pre', { className: 'code', textContent: text, tabIndex: 0 })] : [];
}

function resultsOf({ outputs }: GraphNode, graph: GraphInfo): [string, Node][] {
  return outputs.map((output, index) =>
    (output === null ? [String(index), soft('not used')] : [output, code(typeInWords(graph, output) || 'a value')]));
}

/** The open groups around a node, each with a button that folds it. */
function path(item: Item, folding: Folding, actions: DetailActions): HTMLElement {
  const buttons = folding.around(item).map((group) => {
    const button = make('button', { type: 'button', textContent: `Fold ${group.title}`, title: group.kind });
    button.addEventListener('click', () => actions.fold(group));
    return button;
  });
  return make('div', { className: 'buttons small' }, buttons);
}

/** How often each operator occurs in a group, the most frequent first. */
function counts({ nodes }: GraphInfo, { first, last }: Group): HTMLElement {
  const found = new Map<string, number>();
  for (const { op } of nodes.slice(first, last + 1)) {
    found.set(operatorName(op), (found.get(operatorName(op)) ?? 0) + 1);
  }
  const rows = [...found].sort((one, other) => other[1] - one[1]).slice(0, MAX_NAMES);
  return table(rows.map(([name, count]) => [name, document.createTextNode(String(count))]));
}

function operandOf(operand: GraphOperand, graph: GraphInfo): Node {
  if ('value' in operand) {
    const parameter = graph.state.get(operand.value);
    return make('span', {}, [code(parameter ?? operand.value), ` ${typeInWords(graph, operand.value)}`]);
  }
  return code(textOf(operand, graph));
}

function textOf(operand: GraphOperand, graph: GraphInfo): string {
  if ('value' in operand) {
    return graph.state.get(operand.value) ?? operand.value;
  }
  if ('list' in operand) {
    return `[${operand.list.map((item) => textOf(item, graph)).join(', ')}]`;
  }
  if ('block' in operand) {
    const names = operand.block.nodes.slice(0, MAX_NAMES).map(({ op }) => operatorName(op));
    return `a graph of ${operand.block.nodes.length} operators: ${names.join(', ')}${operand.block.nodes.length > MAX_NAMES ? ', …' : ''}`;
  }
  const text = JSON.stringify(operand.constant);
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

const heading = (textContent: string) => make('h3', { textContent });
const soft = (textContent: string) => make('p', { className: 'soft', textContent });
const code = (textContent: string) => make('code', { textContent });

function table(rows: readonly (readonly [string, Node])[]): HTMLElement {
  return make('dl', { className: 'arguments' }, rows.flatMap(([name, value]) => [make('dt', { textContent: name }), make('dd', {}, [value])]));
}
