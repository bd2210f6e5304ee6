/**
 * The computational graph as SVG, laid out by dagre: values on the nodes, and gradients as they
 * arrive.
 */
import { Graph, layout } from '@dagrejs/dagre';
import type { GraphNode } from './program';

const SVG = 'http://www.w3.org/2000/svg';
const [WIDTH, HEIGHT] = [128, 62];
const READABLE = 0.65;

interface Point {
  x: number;
  y: number;
}

export class GraphPicture {
  private boxes: SVGGElement[] = [];
  private gradients: SVGTextElement[] = [];

  constructor(private readonly container: HTMLElement) {}

  show(nodes: readonly GraphNode[], values: readonly number[]): void {
    const sheet = new Graph({ directed: true, multigraph: true });
    sheet.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 34, marginx: 8, marginy: 8 });
    sheet.setDefaultEdgeLabel(() => ({}));
    nodes.forEach((_, index) => sheet.setNode(String(index), { width: WIDTH, height: HEIGHT }));
    const edges = nodes.flatMap(({ inputs }, to) => inputs.map((from, input) => ({ from, to, input })));
    edges.forEach(({ from, to, input }) => sheet.setEdge(String(from), String(to), {}, String(input)));
    layout(sheet);
    const { width = 0, height = 0 } = sheet.graph() as { width?: number; height?: number };
    // A wide graph is scrolled rather than made too small to read.
    const svg = element('svg', {
      style: `min-width: ${(READABLE * width).toFixed(0)}px`, viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true',
    });
    svg.append(...edges.map(({ from, to, input }) => {
      const { points } = sheet.edge({ v: String(from), w: String(to), name: String(input) }) as { points: Point[] };
      return element('polyline', { class: 'edge', points: points.map(({ x, y }) => `${x},${y}`).join(' ') });
    }));
    this.gradients = [];
    this.boxes = nodes.map((node, index) => {
      const { x, y } = sheet.node(String(index)) as Point;
      const transform = `translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`;
      const box = element('g', { class: `box ${node.op === '' ? 'leaf' : ''}`, transform });
      const gradient = text('', 53, 'gradient');
      const title = node.op === '' ? node.name : `${node.name}: ${node.words}`;
      const value = text(`value ${formatValue(values[index]!)}`, 36, 'value');
      box.append(element('rect', { width: WIDTH, height: HEIGHT, rx: 9 }), text(title, 19, 'title'), value, gradient);
      this.gradients.push(gradient);
      return box;
    });
    svg.append(...this.boxes);
    this.container.replaceChildren(svg);
  }

  /** Shows the first `count` nodes as built. */
  build(count: number): void {
    this.boxes.forEach((box, index) => box.classList.toggle('unbuilt', index >= count));
  }

  /** Shows these gradients, and marks a node. */
  flow(gradients: readonly (number | undefined)[], current: number | undefined): void {
    this.gradients.forEach((label, index) => {
      label.textContent = gradients[index] === undefined ? '' : `grad ${formatValue(gradients[index])}`;
    });
    this.boxes.forEach((box, index) => box.classList.toggle('current', index === current));
  }
}

export function formatValue(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : String(value);
}

function text(words: string, y: number, className: string): SVGTextElement {
  const made = element('text', { x: WIDTH / 2, y, class: className });
  made.textContent = words;
  return made;
}

function element<K extends keyof SVGElementTagNameMap>(name: K, attributes: Readonly<Record<string, string | number>>): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  return made;
}
