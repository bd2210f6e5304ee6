/** The test images on a plane, and the one that a visitor points at. */
import { CLASSES, imageAt, type Images, INK, SIDE } from '../../parts/digits/data';
import { byId, make } from '../../parts/dom';
import { paintPixels } from '../../parts/pixels';
import { domainOf, Plane, type Point } from '../../parts/plot/plane';

const EMPTY = { x: [-1, 1], y: [-1, 1] } as const;

export class FeatureMap {
  private readonly canvas = byId('map', HTMLCanvasElement);
  private readonly image = byId('image', HTMLCanvasElement);
  private readonly number = byId('number', HTMLInputElement);
  private readonly plane = new Plane(this.canvas, { domain: EMPTY });
  private points: Point[] = [];
  private read: Uint8Array | undefined;
  private chosen: number | undefined;

  constructor(private readonly test: Images) {
    const key = Array.from({ length: CLASSES }, (_, digit) => {
      const item = make('li', { textContent: String(digit) });
      item.style.setProperty('--hue', `var(--hue-${digit})`);
      return item;
    });
    byId('key', HTMLElement).replaceChildren(...key);
    paintPixels(this.image, new Uint8Array(SIDE * SIDE), SIDE, INK);
    this.number.max = String(test.count - 1);
    this.number.addEventListener('input', () => this.choose(Number(this.number.value)));
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerdown', (event) => this.point(event));
  }

  /** Positions across and up, one after the other, for each test image. */
  show(positions: Float32Array, words: string): void {
    this.points = Array.from(this.test.labels, (digit, index) => ({
      x: positions[2 * index]!,
      y: positions[2 * index + 1]!,
      colour: `--hue-${digit}`,
      radius: 3.5,
    }));
    this.draw(true);
    byId('map-words', HTMLElement).textContent = words;
    this.canvas.ariaLabel = `${this.test.count} test images on a plane, coloured by digit. ${words}`;
  }

  /** The digits that the network reads. */
  reads(read: Uint8Array): void {
    this.read = read;
    this.describe();
  }

  private point(event: PointerEvent): void {
    const index = this.plane.pointAt(event);
    if (index !== undefined && index !== this.chosen) {
      this.number.value = String(index);
      this.choose(index);
    }
  }

  private choose(index: number): void {
    this.chosen = index;
    paintPixels(this.image, imageAt(this.test, index), SIDE, INK);
    this.image.ariaLabel = `Test image ${index}, of the digit ${this.test.labels[index]}`;
    this.describe();
    this.draw(false);
  }

  private describe(): void {
    if (this.chosen === undefined) {
      return;
    }
    const [label, read] = [this.test.labels[this.chosen], this.read?.[this.chosen]];
    const head = label! < CLASSES / 2 ? 'first' : 'new';
    const words = `Image ${this.chosen} is a ${label}. ${read === undefined ? '' : `The ${head} head reads ${read}.`}`;
    const description = byId('image-words', HTMLElement);
    if (description.textContent !== words) {
      description.textContent = words;
    }
  }

  private draw(isMoved: boolean): void {
    const chosen = this.chosen === undefined ? undefined : this.points[this.chosen];
    const ring = chosen ? [{ ...chosen, colour: '--ink', radius: 7, isHollow: true }, { ...chosen, radius: 5 }] : [];
    // The ring is drawn last, and above the others; indices of the images are before it.
    this.plane.show({ points: [...this.points, ...ring] }, isMoved ? domainOf(this.points) : undefined);
  }
}
