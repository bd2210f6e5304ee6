/**
 * A tree as a picture: words below, phrases above their words, coloured by the network's answers.
 */
import { percent } from '../../parts/words';
import { depthOf, labelOf, phrasesOf, type Tree, wordsOf, WORDS } from './trees';

const SVG = 'http://www.w3.org/2000/svg';
const [COLUMN, ROW, RADIUS] = [92, 58, 17];
const MARGIN = 26;

interface Position {
  tree: Tree;
  x: number;
  y: number;
}

export class TreeDrawing {
  constructor(private readonly svg: SVGSVGElement) {}

  clear(): void {
    this.svg.replaceChildren();
    this.svg.setAttribute('aria-label', 'No tree yet');
  }

  /** `good` has the probability of good of each phrase, in the order of the recursion. */
  show(tree: Tree, good: readonly number[]): void {
    const positions = layOut(tree);
    const shares = new Map(phrasesOf(tree).map((phrase, index) => [phrase, good[index]!]));
    const leaves = positions.filter(({ tree: { word } }) => word !== undefined).length;
    const [width, height] = [leaves * COLUMN, (depthOf(tree) + 1) * ROW + MARGIN];
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('width', String(width));
    this.svg.setAttribute('height', String(height));
    const at = new Map(positions.map((position) => [position.tree, position]));
    const edges = positions.flatMap(({ tree: parent, x, y }) =>
      parent.word === undefined ? [parent.left, parent.right].map((child) => edge(x, y, at.get(child)!.x, at.get(child)!.y)) : []);
    const nodes = positions.flatMap((position) => node(position, shares.get(position.tree)!));
    this.svg.replaceChildren(...edges, ...nodes);
    const said = positions.filter(({ tree: phrase }) => labelOf(phrase) >= 0).map(({ tree: phrase }) => `${wordsOf(phrase)}: ${percent(shares.get(phrase)!, 0)} good`);
    this.svg.setAttribute('aria-label', `The tree of the sentence. ${said.join('. ')}`);
  }
}

/** Leaves are side by side, and a phrase is above the middle of its two parts. */
function layOut(tree: Tree): Position[] {
  const deep = depthOf(tree);
  let leaves = 0;
  const positions: Position[] = [];
  const put = (at: Tree): number => {
    const x = at.word === undefined ? (put(at.left) + put(at.right)) / 2 : (leaves += 1) * COLUMN - COLUMN / 2;
    positions.push({ tree: at, x, y: (deep - depthOf(at)) * ROW + MARGIN });
    return x;
  };
  put(tree);
  return positions;
}

function edge(x1: number, y1: number, x2: number, y2: number): SVGElement {
  return element('line', { x1, y1, x2, y2, class: 'edge' });
}

function node({ tree, x, y }: Position, good: number): SVGElement[] {
  const label = labelOf(tree);
  const isWrong = label >= 0 && good > 0.5 !== (label === 1);
  const circle = element('circle', { cx: x, cy: y, r: RADIUS, class: `phrase ${label < 0 ? 'silent' : good > 0.5 ? 'good' : 'bad'}${isWrong ? ' wrong' : ''}` });
  circle.style.setProperty('--share', String(Math.abs(2 * good - 1)));
  const title = element('title', {});
  title.textContent = wordsOf(tree);
  circle.append(title);
  const number = element('text', { x, y: y + 4, class: 'number' });
  number.textContent = label < 0 ? '' : percent(good, 0);
  const word = element('text', { x, y: y + RADIUS + 15, class: 'word' });
  word.textContent = tree.word === undefined ? '' : WORDS[tree.word]!;
  return [circle, number, word];
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  return made;
}
