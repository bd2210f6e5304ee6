/** The test images that the network reads wrongly. */
import { paintPixels } from '../pixels';
import { INK, SIDE } from './data';
import type { Mistake } from './evaluation';

export function showMistakes(container: HTMLElement, mistakes: readonly Mistake[]): void {
  container.replaceChildren(...mistakes.map(figureOf));
}

function figureOf({ pixels, label, predicted, confidence }: Mistake): HTMLElement {
  const figure = document.createElement('figure');
  const canvas = document.createElement('canvas');
  canvas.className = 'pixels';
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `An image of ${label}`);
  paintPixels(canvas, pixels, SIDE, INK);
  const caption = document.createElement('figcaption');
  caption.innerHTML = `<b>${label}</b> read as <b class="bad">${predicted}</b><br>${Math.round(100 * confidence)} % sure`;
  figure.append(canvas, caption);
  return figure;
}
