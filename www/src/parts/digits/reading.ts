/** The part of the page where a visitor draws: the pad, the network's input, and its answer. */
import { byId } from '../dom';
import { paintPixels } from '../pixels';
import { Bars } from './bars';
import { type Digits, imageAt, INK, loadDigits, PIXELS, SIDE } from './data';
import { Pad } from './pad';
import { rasterize } from './rasterize';

const BLANK = new Uint8Array(PIXELS);

export interface ReadingActions {
  /** Asks the network for the probabilities of a drawing; {@link Reading.show} awaits them. */
  ask: (pixels: Uint8Array) => void;
  /** The drawing was cleared. */
  blank: () => void;
}

export class Reading {
  private readonly preview = byId('preview', HTMLCanvasElement);
  private readonly verdict = byId('verdict', HTMLOutputElement);
  private readonly bars = new Bars(byId('bars', HTMLElement));
  private readonly pad: Pad;
  private digits: Promise<Digits> | undefined;
  private pixels: Uint8Array = BLANK;
  /**
   * A question is in progress; if more are asked meanwhile, one more follows its answer, instead of
   * one for every movement of the pen.
   */
  private waiting = false;
  private again = false;

  constructor(private readonly actions: ReadingActions) {
    this.pad = new Pad(byId('pad', HTMLCanvasElement), (strokes) => this.look(strokes.length > 0 ? rasterize(strokes) : BLANK));
    byId('clear', HTMLButtonElement).addEventListener('click', () => this.pad.clear());
    byId('example', HTMLButtonElement).addEventListener('click', () => void this.showExample());
    this.look(BLANK);
  }

  /** Asks the network about the drawing, if there is one. */
  ask(): void {
    if (this.pixels === BLANK) {
      return;
    }
    if (this.waiting) {
      this.again = true;
    } else {
      this.waiting = true;
      this.actions.ask(this.pixels);
    }
  }

  show(probabilities: Float32Array): void {
    this.waiting = false;
    if (this.pixels === BLANK) {
      this.again = false;
      return;
    }
    const predicted = probabilities.indexOf(Math.max(...probabilities));
    this.bars.show(probabilities);
    this.verdict.dataset['digit'] = String(predicted);
    const words = `It reads ${predicted}, ${Math.round(100 * (probabilities[predicted] ?? 0))} % sure.`;
    // Only a change is announced: the same words would otherwise be read out at every measurement.
    if (this.verdict.textContent !== words) {
      this.verdict.textContent = words;
    }
    if (this.again) {
      this.again = false;
      this.ask();
    }
  }

  /** The network was replaced: the answer of an earlier one no longer counts. */
  forget(): void {
    this.waiting = false;
    this.again = false;
    this.bars.show(undefined);
    delete this.verdict.dataset['digit'];
  }

  private look(pixels: Uint8Array): void {
    this.pixels = pixels;
    paintPixels(this.preview, pixels, SIDE, INK);
    if (pixels === BLANK) {
      this.bars.show(undefined);
      delete this.verdict.dataset['digit'];
      this.verdict.textContent = 'Draw a digit from 0 to 9.';
      this.actions.blank();
    }
    this.ask();
  }

  /** For visitors who cannot draw: a test image, chosen at random. */
  async showExample(): Promise<void> {
    try {
      this.digits ??= loadDigits();
      const { test } = await this.digits;
      const pixels = imageAt(test, Math.floor(Math.random() * test.count)).slice();
      this.pad.show(pixels);
      this.look(pixels);
    } catch (error) {
      this.digits = undefined;
      this.verdict.textContent = `No test image: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
}
