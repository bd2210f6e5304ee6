/** The card with the graph: the drawing, its buttons, and the chosen node's details. */
import { byId } from '../../../parts/dom';
import type { GraphInfo } from '../protocol';
import { showDetails } from './details';
import { Folding, type Group, groupsOf, isGroup, MOST_SHOWN } from './fold';
import { drawingOf, isPort, type Shown } from './layout';
import { GraphView } from './view';

const STEP = 1.4;

export class GraphPanel {
  private readonly view: GraphView;
  private readonly details = byId('node-details', HTMLElement);
  private readonly words = byId('graph-words', HTMLElement);
  private graph: GraphInfo | undefined;
  private folding = new Folding([]);

  constructor() {
    const open = (item: Shown) => !isPort(item) && isGroup(item) && this.unfold(item);
    this.view = new GraphView(byId('graph', HTMLElement), { choose: (item) => this.choose(item), open });
    const buttons = { 'zoom-in': () => this.view.zoom(STEP), 'zoom-out': () => this.view.zoom(1 / STEP), 'zoom-fit': () => this.view.fit() };
    for (const [id, act] of Object.entries(buttons)) {
      byId(id, HTMLButtonElement).addEventListener('click', act);
    }
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
      this.draw(`More than ${MOST_SHOWN} nodes would be shown: fold another module first.`);
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
