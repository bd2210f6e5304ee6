/** A graph drawn as SVG, moved and scaled by mouse, touch and keyboard. */
import { isGroup } from './fold';
import { type Box, type Drawing, isPort, type Line, type Point, type Shown } from './layout';

const SVG = 'http://www.w3.org/2000/svg';
const CLOSEST = 2.5;
const STEP = 1.25;
/** The scale at which words can be read, and the space above the first node. */
const READABLE = 0.55;
const TOP = 12;
/** Pixels that the arrow keys move the graph by. */
const MOVES: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: 60, y: 0 },
  ArrowRight: { x: -60, y: 0 },
  ArrowUp: { x: 0, y: 60 },
  ArrowDown: { x: 0, y: -60 },
};
/** A pointer that moved less pressed a node; otherwise it moved the graph. */
const STILL = 5;

export interface ViewActions {
  /** A node was pressed. */
  choose: (item: Shown) => void;
  /** A group was pressed twice, or opened by the keyboard. */
  open: (item: Shown) => void;
}

export class GraphView {
  private readonly svg = document.createElementNS(SVG, 'svg');
  private readonly sheet = document.createElementNS(SVG, 'g');
  private readonly boxes = new Map<Shown, SVGGElement>();
  private drawing: Drawing = { boxes: [], lines: [], width: 0, height: 0 };
  private scale = 1;
  private offset: Point = { x: 0, y: 0 };
  private readonly pointers = new Map<number, Point>();
  private travelled = 0;

  constructor(private readonly container: HTMLElement, private readonly actions: ViewActions) {
    this.svg.append(arrowHead(), this.sheet);
    this.svg.setAttribute('role', 'group');
    this.svg.setAttribute('aria-label', 'The nodes of the graph, in the order of execution');
    container.append(this.svg);
    container.addEventListener('pointerdown', (event) => this.press(event));
    container.addEventListener('pointermove', (event) => this.move(event));
    for (const type of ['pointerup', 'pointercancel'] as const) {
      container.addEventListener(type, (event) => this.pointers.delete(event.pointerId));
    }
    container.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    container.addEventListener('keydown', (event) => this.key(event));
  }

  show(drawing: Drawing): void {
    this.drawing = drawing;
    this.boxes.clear();
    this.sheet.replaceChildren(...drawing.lines.map(lineOf), ...drawing.boxes.map((box) => this.boxOf(box)));
  }

  /** Marks a node as chosen. */
  mark(chosen: Shown | undefined): void {
    for (const [item, element] of this.boxes) {
      element.classList.toggle('chosen', item === chosen);
    }
  }

  focus(item: Shown): void {
    this.boxes.get(item)?.focus({ preventScroll: true });
  }

  /** Shows all of the graph. */
  fit(): void {
    this.scaleTo(0);
  }

  /** Shows all of the graph, or its beginning at a size that can be read. */
  begin(): void {
    this.scaleTo(READABLE);
  }

  private scaleTo(least: number): void {
    const { clientWidth, clientHeight } = this.container;
    const { width, height, boxes } = this.drawing;
    this.scale = Math.max(least, Math.min(1, clientWidth / (width || 1), clientHeight / (height || 1)));
    const [room, below] = [clientWidth - this.scale * width, clientHeight - this.scale * height];
    const first = boxes[0] ?? { x: 0, y: 0, height: 0 };
    this.offset = {
      x: room >= 0 ? room / 2 : clientWidth / 2 - this.scale * first.x,
      y: below >= 0 ? below / 2 : TOP - this.scale * (first.y - first.height / 2),
    };
    this.transform();
  }

  /** Moves the view so that `item` is in the middle. */
  centre(item: Shown): void {
    const box = this.drawing.boxes.find((each) => each.item === item);
    if (box) {
      const { clientWidth, clientHeight } = this.container;
      this.offset = { x: clientWidth / 2 - this.scale * box.x, y: clientHeight / 2 - this.scale * box.y };
      this.transform();
    }
  }

  zoom(factor: number, at: Point = { x: this.container.clientWidth / 2, y: this.container.clientHeight / 2 }): void {
    const furthest = Math.min(0.1, this.container.clientWidth / (2 * this.drawing.width || 1));
    const scale = Math.min(CLOSEST, Math.max(furthest, this.scale * factor));
    const change = scale / this.scale;
    this.offset = { x: at.x - change * (at.x - this.offset.x), y: at.y - change * (at.y - this.offset.y) };
    this.scale = scale;
    this.transform();
  }

  private transform(): void {
    const { x, y } = this.offset;
    this.sheet.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${this.scale.toFixed(4)})`);
  }

  private pointOf(event: PointerEvent | WheelEvent): Point {
    const box = this.container.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private press(event: PointerEvent): void {
    if (event.button === 0) {
      this.pointers.set(event.pointerId, this.pointOf(event));
      this.travelled = 0;
    }
  }

  private move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      return;
    }
    const now = this.pointOf(event);
    this.travelled += Math.hypot(now.x - before.x, now.y - before.y);
    if (this.travelled > STILL && !this.container.hasPointerCapture(event.pointerId)) {
      // Captured only now: a captured pointer presses no node.
      this.container.setPointerCapture(event.pointerId);
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other) {
      const distance = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y);
      this.zoom(distance(now) / Math.max(1, distance(before)), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    }
    const share = other ? 0.5 : 1;
    this.offset = { x: this.offset.x + share * (now.x - before.x), y: this.offset.y + share * (now.y - before.y) };
    this.transform();
  }

  /** With Ctrl, as a trackpad's pinch sends it; without, the page scrolls. */
  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 250), this.pointOf(event));
    }
  }

  private key(event: KeyboardEvent): void {
    const by = MOVES[event.key];
    if (by) {
      this.offset = { x: this.offset.x + by.x, y: this.offset.y + by.y };
      this.transform();
    } else if (event.key === '+' || event.key === '=') {
      this.zoom(STEP);
    } else if (event.key === '-') {
      this.zoom(1 / STEP);
    } else if (event.key === '0') {
      this.fit();
    } else {
      return;
    }
    event.preventDefault();
  }

  private boxOf({ item, title, subtitle, x, y, width, height }: Box): SVGGElement {
    const element = document.createElementNS(SVG, 'g');
    const kind = isPort(item) ? item.port : isGroup(item) ? 'folded' : 'operator';
    element.setAttribute('class', `node ${kind}`);
    element.setAttribute('transform', `translate(${x - width / 2} ${y - height / 2})`);
    element.setAttribute('tabindex', '0');
    element.setAttribute('role', 'button');
    element.setAttribute('aria-label', `${title.replace('▸ ', '')} ${subtitle}`);
    const rectangle = document.createElementNS(SVG, 'rect');
    Object.entries({ width, height, rx: isPort(item) ? height / 2 : 8 }).forEach(([name, value]) => rectangle.setAttribute(name, String(value)));
    element.append(rectangle, textOf(title, width / 2, subtitle ? 19 : 27, 'title'), ' ', textOf(subtitle, width / 2, 35, 'subtitle'));
    element.addEventListener('click', () => this.travelled <= STILL && this.actions.choose(item));
    element.addEventListener('dblclick', () => this.actions.open(item));
    element.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        this.actions.choose(item);
        this.actions.open(item);
      }
    });
    element.addEventListener('focus', () => element.matches(':focus-visible') && this.centre(item));
    this.boxes.set(item, element);
    return element;
  }
}

function textOf(text: string, x: number, y: number, className: string): SVGTextElement {
  const element = document.createElementNS(SVG, 'text');
  element.setAttribute('x', String(x));
  element.setAttribute('y', String(y));
  element.setAttribute('class', className);
  element.textContent = text;
  return element;
}

/** A line through the points, with rounded corners. */
function lineOf({ points, values }: Line): SVGPathElement {
  const path = document.createElementNS(SVG, 'path');
  const [start, ...rest] = points as [Point, ...Point[]];
  const parts = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1]!;
    const isLast = index === rest.length - 2;
    const end = isLast ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  path.setAttribute('d', `M${start.x} ${start.y}${parts.join('')}`);
  path.setAttribute('class', 'edge');
  path.setAttribute('marker-end', 'url(#arrow)');
  const title = document.createElementNS(SVG, 'title');
  title.textContent = values.join(', ');
  path.append(title);
  return path;
}

function arrowHead(): SVGDefsElement {
  const definitions = document.createElementNS(SVG, 'defs');
  const size = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"';
  definitions.innerHTML = `<marker id="arrow" ${size} orient="auto"><path class="arrow" d="M0 0 8 4 0 8z"/></marker>`;
  return definitions;
}
