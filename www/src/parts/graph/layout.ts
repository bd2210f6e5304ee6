/** The shown nodes and edges: their labels and positions. */
import { Graph, layout as runDagre } from '@dagrejs/dagre';
import { valuesOf } from './operands';
import type { GraphInfo } from './info';
import { type Folding, isGroup, type Item } from './fold';
import { operatorName, typeInWords } from './words';
import { type Edge, layOutInRows, type Point, spanOf } from './rows';

export type { Point } from './rows';

/** The values that a call passes or returns. */
export interface Port {
  port: 'input' | 'output';
  value: string;
}

export type Shown = Item | Port;

export const isPort = (item: Shown): item is Port => 'port' in item;

export interface Box {
  item: Shown;
  /** The first line, and the small one below it. */
  title: string;
  subtitle: string;
  /** The centre, and the size. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Line {
  points: readonly Point[];
  /** The values that go this way. */
  values: readonly string[];
}

export interface Drawing {
  boxes: readonly Box[];
  lines: readonly Line[];
  width: number;
  height: number;
}

/** The sum of the rows that edges span, up to which dagre takes about a second. */
const MAX_SPAN = 3000;
const HEIGHT = 44;
const CHARACTER = 7.4;
const SMALL_CHARACTER = 6.1;
const MAX_CHARACTERS = 30;

/** Where everything is: computed by dagre, or in rows where dagre would take too long. */
export function drawingOf(graph: GraphInfo, folding: Folding): Drawing {
  const shown: Shown[] = [
    ...graph.inputs.filter((value) => !graph.state.has(value)).map((value): Port => ({ port: 'input', value })),
    ...folding.shown,
    ...graph.outputs.flatMap((operand) => [...valuesOf(operand)]).map((value): Port => ({ port: 'output', value })),
  ];
  const boxes = shown.map((item) => {
    const [title, subtitle] = wordsOf(item, graph);
    const width = Math.max(96, 24 + Math.max(CHARACTER * title.length, SMALL_CHARACTER * subtitle.length));
    return { item, title, subtitle, width, height: HEIGHT };
  });
  const values = edgesOf(graph, shown);
  const edges = [...values].flatMap(([from, targets]) => [...targets.keys()].map((to) => ({ from, to })));
  const widths = boxes.map(({ width }) => width);
  const layout = spanOf(boxes.length, edges) > MAX_SPAN ? layOutInRows(widths, HEIGHT, edges) : layOutByDagre(widths, edges);
  return {
    boxes: boxes.map((box, index) => ({ ...box, ...layout.centres[index]! })),
    lines: layout.lines.map(({ edge, points }) => ({ points, values: [...values.get(edge.from)!.get(edge.to)!] })),
    width: layout.width,
    height: layout.height,
  };
}

function layOutByDagre(widths: readonly number[], edges: readonly Edge[]): ReturnType<typeof layOutInRows> {
  const sheet = new Graph({ directed: true });
  sheet.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 34, marginx: 12, marginy: 12 });
  sheet.setDefaultEdgeLabel(() => ({}));
  widths.forEach((width, index) => sheet.setNode(String(index), { width, height: HEIGHT }));
  edges.forEach(({ from, to }) => sheet.setEdge(String(from), String(to)));
  runDagre(sheet);
  const { width = 0, height = 0 } = sheet.graph() as { width?: number; height?: number };
  return {
    centres: widths.map((_, index) => {
      const { x, y } = sheet.node(String(index)) as Point;
      return { x, y };
    }),
    lines: edges.map((edge) => ({ edge, points: (sheet.edge(String(edge.from), String(edge.to)) as { points: Point[] }).points })),
    width,
    height,
  };
}

/** The values between shown items: by the indices of the producer and the consumer. */
function edgesOf(graph: GraphInfo, shown: readonly Shown[]): Map<number, Map<number, Set<string>>> {
  const producers = new Map<string, number>();
  shown.forEach((item, index) => {
    if (!isPort(item)) {
      for (const node of graph.nodes.slice(item.first, item.last + 1)) {
        node.outputs.forEach((output) => output !== null && producers.set(output, index));
      }
    } else if (item.port === 'input') {
      producers.set(item.value, index);
    }
  });
  const edges = new Map<number, Map<number, Set<string>>>();
  const connect = (value: string, to: number) => {
    const from = producers.get(value);
    if (from === undefined || from === to) {
      return;
    }
    const targets = edges.get(from) ?? new Map<number, Set<string>>();
    const values = targets.get(to) ?? new Set();
    edges.set(from, targets.set(to, values.add(value)));
  };
  shown.forEach((item, index) => {
    if (!isPort(item)) {
      for (const { inputs } of graph.nodes.slice(item.first, item.last + 1)) {
        inputs.forEach((input) => [...valuesOf(input)].forEach((value) => connect(value, index)));
      }
    } else if (item.port === 'output') {
      connect(item.value, index);
    }
  });
  return edges;
}

/** The two lines of a box. */
function wordsOf(item: Shown, graph: GraphInfo): [string, string] {
  if (isPort(item)) {
    return [short(item.value), item.port === 'input' ? typeInWords(graph, item.value) : 'result'];
  }
  if (isGroup(item)) {
    const count = item.last - item.first + 1;
    return [short(`▸ ${item.title}`), `${item.kind && item.kind !== 'operators' ? `${item.kind}, ` : ''}${count} operators`];
  }
  const { op, inputs } = graph.nodes[item.first]!;
  const weight = inputs.flatMap((input) => [...valuesOf(input)]).find((value) => graph.state.has(value));
  return [short(operatorName(op)), weight === undefined ? resultType(graph, item.first) : short(graph.state.get(weight)!)];
}

function resultType(graph: GraphInfo, node: number): string {
  const first = graph.nodes[node]!.outputs.find((output) => output !== null);
  return first ? typeInWords(graph, first) : '';
}

function short(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, 12)}…${text.slice(13 - MAX_CHARACTERS)}` : text;
}
