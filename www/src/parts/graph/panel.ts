/** The content of a card with a graph: the drawing, its buttons, and the chosen node's details. */
import { make } from '../dom';
import './graph.css';
import { showDetails } from './details';
import { Folding, type Group, groupsOf, isGroup, MAX_SHOWN } from './fold';
import type { GraphInfo } from './info';
import { drawingOf, isPort, type Shown } from './layout';
import { GraphView } from './view';

const STEP = 1.4;
const LABEL = 'The graph; arrow keys move it, plus and minus zoom, 0 shows it all';

export class GraphPanel {
  private readonly view: GraphView;
  private readonly details = make('aside', { className: 'details', id: 'node-details', ariaLive: 'polite', ariaLabel: 'The chosen node' });
  private readonly words = make('span', { id: 'graph-words', role: 'status' });
  private graph: GraphInfo | undefined;
  private folding = new Folding([]);

  /** Appends the graph to `card`; a page has one. */
  constructor(card: HTMLElement) {
    const sheet = make('div', { className: 'graph', id: 'graph', tabIndex: 0, role: 'group', ariaLabel: LABEL });
    const zoom = make('div', { className: 'zoom buttons small' }, [
      button('zoom-in', '+', 'Zoom in', () => this.view.zoom(STEP)),
      button('zoom-out', '−', 'Zoom out', () => this.view.zoom(1 / STEP)),
      button('zoom-fit', 'Fit', 'Fit: show all', () => this.view.fit()),
    ]);
    const help = ' Drag to move; pinch, Ctrl with the wheel, or + and − to zoom.';
    card.append(make('p', { className: 'soft' }, [this.words, help]), make('div', { className: 'graph-area' }, [zoom, sheet, this.details]));
    const open = (item: Shown) => !isPort(item) && isGroup(item) && this.unfold(item);
    this.view = new GraphView(sheet, { choose: (item) => this.choose(item), open });
  }

  /** Shows a graph, folded so that it can be overlooked. */
  show(graph: GraphInfo): void {
    this.graph = graph;
    this.folding = new Folding(groupsOf(graph));
    this.draw();
    this.view.begin();
    this.details.replaceChildren('Choose a node to see its arguments and results.');
  }

  private draw(words = ''): void {
    const drawing = drawingOf(this.graph!, this.folding);
    this.view.show(drawing);
    const groups = this.folding.shown.filter(isGroup).length;
    const folded = groups > 0 ? `, ${groups} of them folded modules: open one with a double click` : '';
    this.words.textContent = words || `${this.graph!.nodes.length} operators, shown as ${this.folding.shown.length} nodes${folded}.`;
  }

  private choose(item: Shown): void {
    this.view.mark(item);
    showDetails(this.details, item, this.graph!, this.folding, { unfold: (group) => this.unfold(group), fold: (group) => this.fold(group) });
  }

  private unfold(group: Group): void {
    if (!this.folding.unfold(group)) {
      this.draw(`More than ${MAX_SHOWN} nodes would be shown: fold another module first.`);
      return;
    }
    this.draw();
    this.reveal(group.children[0]!);
  }

  private fold(group: Group): void {
    this.folding.fold(group);
    this.draw();
    this.reveal(group);
  }

  private reveal(item: Shown): void {
    this.view.centre(item);
    this.choose(item);
    this.view.focus(item);
  }
}

function button(id: string, textContent: string, ariaLabel: string, act: () => void): HTMLButtonElement {
  const made = make('button', { type: 'button', id, textContent, ariaLabel });
  made.addEventListener('click', act);
  return made;
}
