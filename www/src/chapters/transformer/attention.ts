/**
 * The attention maps: one per head, with a row per query character and a column per key character.
 * Rebuilt for another text, otherwise repainted.
 */
import { percent } from '../../parts/words';
import type { Thought } from './session';
import { LENGTH } from './sums';

export class AttentionMaps {
  private text = '';
  private layers = 0;
  private maps: HTMLElement[] = [];

  constructor(private readonly container: HTMLElement) {}

  show(thought: Thought): void {
    const { text, layers, heads, attention } = thought;
    if (text !== this.text || layers !== this.layers) {
      this.text = text;
      this.layers = layers;
      this.maps = Array.from({ length: layers * heads }, () => mapOf(text));
      this.container.replaceChildren(...this.maps.map((map, index) => figureOf(map, `Layer ${Math.floor(index / heads) + 1}, head ${(index % heads) + 1}`)));
    }
    this.maps.forEach((map, index) => paint(map, text, attention.subarray(index * LENGTH * LENGTH, (index + 1) * LENGTH * LENGTH)));
  }

  clear(): void {
    this.text = '';
    this.maps = [];
    this.container.replaceChildren();
  }
}

function figureOf(map: HTMLElement, name: string): HTMLElement {
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  caption.textContent = name;
  figure.append(caption, map);
  return figure;
}

/**
 * The characters at the top, then a line for each of them: the character, and a cell for every
 * character up to it.
 */
function mapOf(text: string): HTMLElement {
  const map = document.createElement('div');
  map.className = 'map';
  map.role = 'img';
  map.style.setProperty('--count', String(text.length));
  const characters = [...text];
  const answers = text.indexOf('=');
  const label = (character: string, index: number) => {
    const element = document.createElement('b');
    element.textContent = character;
    element.classList.toggle('writes', index >= answers);
    return element;
  };
  map.append(document.createElement('span'), ...characters.map((character) => label(character, -1)));
  characters.forEach((character, row) => {
    map.append(label(character, row), ...characters.map((_, column) => document.createElement(column <= row ? 'i' : 'span')));
  });
  return map;
}

function paint(map: HTMLElement, text: string, weights: Float32Array): void {
  const cells = map.querySelectorAll('i');
  let cell = 0;
  const most: string[] = [];
  for (let row = 0; row < text.length; row += 1) {
    const looks = weights.subarray(row * LENGTH, row * LENGTH + row + 1);
    looks.forEach((weight, column) => {
      const element = cells[cell]!;
      element.style.setProperty('--weight', weight.toFixed(4));
      element.title = `${text[row]} looks at ${text[column]}: ${percent(weight, 0)}`;
      cell += 1;
    });
    if (row >= text.indexOf('=')) {
      const best = looks.indexOf(Math.max(...looks));
      most.push(`${text[row]} looks most at ${text[best]}, ${percent(looks[best]!, 0)}`);
    }
  }
  map.ariaLabel = `${most.join('; ')}.`;
}
