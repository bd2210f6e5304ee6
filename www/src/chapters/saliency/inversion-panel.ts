/** The image that the network draws: its target, its progress, and its picture. */
import { byId } from '../../parts/dom';
import { SIDE } from '../../parts/digits/data';
import { paintPixels } from '../../parts/pixels';
import { capitalize } from '../../parts/words';
import type { Penalty } from './explain';
import type { Invert, Inverted, Target } from './session';

const END = 200;
const COUNTS: Record<Target['kind'], number> = { digit: 10, first: 8, second: 16 };
const NAMES: Record<Target['kind'], (index: number) => string> = {
  digit: (index) => `the digit ${index}`,
  first: (index) => `filter ${index + 1} of the first layer`,
  second: (index) => `filter ${index + 1} of the second layer`,
};

export class InversionPanel {
  private readonly canvas = byId('inversion', HTMLCanvasElement);
  private readonly target = byId('target', HTMLSelectElement);
  private readonly penalty = byId('penalty', HTMLSelectElement);
  private readonly button = byId('grow', HTMLButtonElement);
  private readonly words = byId('inversion-words', HTMLElement);
  private isRunning = false;
  private isNew = true;

  /** `ask` asks the worker for more steps, which {@link show} awaits. */
  constructor(private readonly ask: (question: Invert) => void) {
    for (const kind of Object.keys(COUNTS) as Target['kind'][]) {
      this.target.append(...Array.from({ length: COUNTS[kind] }, (_, index) => new Option(capitalize(NAMES[kind](index)), `${kind} ${index}`)));
    }
    this.target.value = 'digit 8';
    this.blank();
    this.button.addEventListener('click', () => (this.isRunning ? this.stop() : this.start()));
    for (const choice of [this.target, this.penalty]) {
      choice.addEventListener('change', () => (this.isNew = true));
    }
  }

  /** Starts with a new image, and as many steps as it takes. */
  private start(): void {
    this.isNew = true;
    this.isRunning = true;
    this.button.textContent = 'Stop';
    this.next();
  }

  private stop(): void {
    this.isRunning = false;
    this.button.textContent = 'Grow an image';
  }

  private next(): void {
    this.ask({ ask: 'invert', target: this.readTarget(), penalty: this.penalty.value as Penalty, isNew: this.isNew });
    this.isNew = false;
  }

  show({ pixels, probabilities, score, steps }: Inverted): void {
    paintPixels(this.canvas, pixels, SIDE, 1);
    this.canvas.dataset['steps'] = String(steps);
    const target = this.readTarget();
    const predicted = probabilities.indexOf(Math.max(...probabilities));
    const read = `the network reads it as ${predicted}, ${Math.round(100 * probabilities[predicted]!)} % sure`;
    this.canvas.dataset['digit'] = String(predicted);
    this.canvas.ariaLabel = `An image that excites ${NAMES[target.kind](target.index)}; ${read}`;
    const measure = target.kind === 'digit' ? 'score' : 'activation';
    byId('inversion-score', HTMLElement).textContent = `Step ${Math.min(steps, END)} of ${END}, ${measure} ${score.toFixed(2)}.`;
    if (!this.isRunning) {
      return;
    }
    if (steps >= END) {
      this.stop();
      this.words.textContent = `${capitalize(read)}.`;
    } else {
      this.next();
    }
  }

  /** The network was replaced. */
  forget(): void {
    this.stop();
    this.isNew = true;
    this.blank();
  }

  private blank(): void {
    paintPixels(this.canvas, new Float32Array(SIDE * SIDE), SIDE, 1);
    this.canvas.ariaLabel = 'No image has been grown yet';
    byId('inversion-score', HTMLElement).textContent = 'Not started.';
    this.words.textContent = 'A trained network draws strokes, and one that is not trained yet draws noise.';
  }

  private readTarget(): Target {
    const [kind, index] = this.target.value.split(' ');
    return { kind: kind as Target['kind'], index: Number(index) };
  }
}
