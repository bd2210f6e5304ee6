/** The results of a call, and its times. */
import { byId, make } from '../../parts/dom';
import { showTiles } from './facts';
import type { Output, RunResult } from './protocol';

export function showResults({ outputs, eager, compiled }: RunResult): void {
  const tiles: [string, string][] = [['First call', duration(eager.first)], ['Later calls', duration(eager.later)]];
  const isCompiled = 'first' in compiled;
  if (isCompiled) {
    tiles.push(['Compiled, first', duration(compiled.first)], ['Compiled, later', duration(compiled.later)]);
  }
  showTiles(byId('times', HTMLElement), tiles);
  byId('times-words', HTMLElement).textContent = isCompiled
    ? 'Until the device is done; of later calls the median. Compiled calls replay the kernels that the first one recorded.'
    : `Until the device is done; of later calls the median. Not compiled: ${compiled.why}.`;
  byId('results', HTMLElement).replaceChildren(...outputs.map(outputOf));
  byId('results-card', HTMLElement).hidden = false;
}

function outputOf({ name, shape, dtype, values, largest }: Output): HTMLElement {
  const type = shape ? ` ${dtype} [${shape.join(', ')}]` : '';
  const total = shape?.reduce((product, size) => product * size, 1) ?? 1;
  const rest = total > values.length ? ', …' : '';
  const isFirst = largest && shape && shape.length > 1 && shape[0]! > 1;
  const parts = [
    make('h3', {}, [make('code', { textContent: name }), make('span', { className: 'soft', textContent: type })]),
    make('p', { className: 'elements' }, [make('code', { textContent: values.map(number).join(', ') + rest })]),
  ];
  const caption = make('p', { className: 'soft', textContent: isFirst ? 'The largest of the first row, by index:' : 'The largest, by index:' });
  return make('section', {}, largest ? [...parts, caption, chartOf(largest)] : parts);
}

/**
 * The largest elements of a vector as bars: from zero, or from the smallest shown if all are
 * negative.
 */
function chartOf(largest: NonNullable<Output['largest']>): HTMLElement {
  const top = largest[0]!.value;
  const bottom = top > 0 ? 0 : largest.at(-1)!.value;
  const rows = largest.map(({ index, value }, rank) => {
    const row = make('li', { className: rank === 0 ? 'predicted' : '' }, [
      make('b', { textContent: String(index) }), make('i'), make('span', { textContent: number(value) }),
    ]);
    row.style.setProperty('--share', String(top > bottom ? Math.max(0, value - bottom) / (top - bottom) : 1));
    return row;
  });
  return make('ol', { className: 'bars scores', ariaLabel: 'The largest elements by index' }, rows);
}

function duration(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function number(value: number | string): string {
  if (typeof value === 'string' || Number.isInteger(value)) {
    return String(value);
  }
  return Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5 ? value.toFixed(4) : value.toExponential(2);
}
