/** Held-out sums, with the network's current answers. */
import type { Sample } from './session';

export function showSamples(container: HTMLElement, samples: readonly Sample[]): void {
  container.replaceChildren(...samples.map(itemOf));
}

function itemOf(sample: Sample): HTMLLIElement {
  const { first, second, said, written } = sample;
  const right = said === first + second;
  const item = document.createElement('li');
  item.className = right ? 'right' : 'wrong';
  item.append(`${first} + ${second} = `, element('b', wordsFor(sample)), element('span', right ? '✓' : '✗', right ? 'right' : `wrong, it is ${first + second}`));
  item.title = right ? `It wrote ${written.trimEnd()}` : `It wrote ${written.trimEnd() || 'nothing'}; the sum is ${first + second}`;
  return item;
}

/** The number in the answer, or else its characters. */
export function wordsFor({ said, written }: Sample): string {
  return Number.isNaN(said) ? written.trim() || '–' : String(said);
}

function element(tag: 'b' | 'span', text: string, label?: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (label) {
    made.role = 'img';
    made.ariaLabel = label;
  }
  return made;
}
