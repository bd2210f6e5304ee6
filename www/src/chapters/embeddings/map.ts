/** The map of the words: the most frequent ones, of which some have room for their label. */
import { domainOf, Plane, type Point } from '../../parts/plot/plane';
import type { WordMap } from './session';
import { KINDS, kindOf } from './text';

const HEIGHT_OVER_WIDTH = 0.72;
/** In CSS pixels; a word's size is its share of the most frequent one's count. */
const [MIN_RADIUS, MAX_RADIUS] = [2.5, 6];

export class WordPlane {
  private readonly plane: Plane;
  private shown: WordMap | undefined;
  private chosen = '';

  constructor(
    private readonly canvas: HTMLCanvasElement,
    choose: (word: string) => void,
  ) {
    this.plane = new Plane(canvas, { domain: { x: [-1, 1], y: [-1, 1] }, aspect: HEIGHT_OVER_WIDTH });
    canvas.addEventListener('click', (event) => {
      const index = this.plane.pointAt(event);
      const word = index === undefined ? undefined : this.order()[index];
      if (word !== undefined) {
        choose(this.shown!.words[word]!);
      }
    });
  }

  show(map: WordMap | undefined, chosen = this.chosen): void {
    this.shown = map;
    this.chosen = chosen;
    const points = this.order().map((index) => this.pointOf(index));
    this.plane.show({ points }, points.length > 1 ? domainOf(points) : undefined);
    this.canvas.ariaLabel = map ? `${map.words.length} words as points on a plane; near each other are words that are used alike` : 'No words yet';
  }

  /** The chosen word first, so that its label has room. */
  private order(): number[] {
    const all = (this.shown?.words ?? []).map((_, index) => index);
    const at = this.shown?.words.indexOf(this.chosen) ?? -1;
    return at < 0 ? all : [at, ...all.filter((index) => index !== at)];
  }

  private pointOf(index: number): Point {
    const { words, counts, positions, alike } = this.shown!;
    const word = words[index]!;
    const kind = alike === undefined ? undefined : kindOf(word);
    return {
      x: positions[2 * index]!,
      y: positions[2 * index + 1]!,
      colour: kind ? `--hue-${Object.keys(KINDS).indexOf(kind)}` : '--hue-9',
      radius: MIN_RADIUS + (MAX_RADIUS - MIN_RADIUS) * (word === this.chosen ? 1 : Math.sqrt(counts[index]! / counts[0]!)),
      isHollow: word === this.chosen,
      label: word,
    };
  }
}
