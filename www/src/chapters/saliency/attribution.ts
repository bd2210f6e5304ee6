/** Which pixels speak for a digit: the method, the digit, and the map beside the drawing. */
import { SIDE } from '../../parts/digits/data';
import { byId } from '../../parts/dom';
import { paintSigned } from '../../parts/pixels';
import type { Explain, Explanation, Method } from './session';

const NOTHING = new Float32Array(SIDE * SIDE);

export class Attribution {
  private readonly canvas = byId('attribution', HTMLCanvasElement);
  private readonly method = byId('method', HTMLSelectElement);
  private readonly digit = byId('digit', HTMLSelectElement);
  private readonly words = byId('attribution-words', HTMLElement);

  /** `onChange` is called when the question changes. */
  constructor(onChange: () => void) {
    for (const choice of [this.method, this.digit]) {
      choice.addEventListener('change', onChange);
    }
    this.blank();
  }

  question(pixels: Uint8Array): Explain {
    const digit = this.digit.value === '' ? undefined : Number(this.digit.value);
    return { ask: 'explain', pixels, method: this.method.value as Method, digit };
  }

  show({ map, digit, probabilities }: Explanation): void {
    const most = map.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-6);
    paintSigned(this.canvas, map, SIDE, most);
    const strongest = map.reduce((best, value, index) => (Math.abs(value) > Math.abs(map[best]!) ? index : best), 0);
    const position = `row ${Math.floor(strongest / SIDE) + 1}, column ${(strongest % SIDE) + 1}`;
    const way = map[strongest]! > 0 ? 'for' : 'against';
    this.say(`For ${digit}, ${Math.round(100 * probabilities[digit]!)} % likely. The pixel in ${position} counts most: more ink there speaks ${way} it.`);
  }

  blank(): void {
    paintSigned(this.canvas, NOTHING, SIDE, 1);
    this.say('Draw a digit, or take a test image.');
  }

  private say(words: string): void {
    if (this.words.textContent !== words) {
      this.words.textContent = words;
      this.canvas.ariaLabel = `What each of 8 by 8 pixels says. ${words}`;
    }
  }
}
