/** How a run ended, as elements of a page. */
import { make } from '../dom';
import type { Outcome } from './runner';

export function wordsOf(outcome: Outcome): HTMLElement[] {
  switch (outcome.type) {
    case 'value': {
      const { shown } = outcome;
      if (!shown) {
        return [];
      }
      const facts = shown.tensors.map(({ label, shape, dtype, device }) =>
        make('p', { className: 'facts soft', textContent: `${label ? `${label}: ` : ''}shape [${shape.join(', ')}], ${dtype}, on ${device}` }));
      return [make('pre', { className: 'result', textContent: shown.text }), ...facts];
    }
    case 'threw': {
      const { name, kind, message, line } = outcome.thrown;
      const where = line === undefined ? '' : ` (line ${line})`;
      return [make('pre', { className: 'threw', textContent: `${name}${kind ? `, ${kind}` : ''}: ${message}${where}` })];
    }
    case 'stopped': {
      const why = outcome.seconds === undefined ? 'Stopped.' : `Stopped after ${outcome.seconds} seconds.`;
      return [make('p', { className: 'threw', textContent: `${why} The worker was replaced, and its variables are gone.` })];
    }
    case 'failed':
      return [make('p', { className: 'threw', textContent: `There is no device to run it on: ${outcome.message}` })];
  }
}
