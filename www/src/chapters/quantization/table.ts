/** The formats side by side. */
import { byId, make } from '../../parts/dom';
import type { Row } from './compare';
import type { Format } from './formats';

const NAMES: Record<Format, string> = {
  float32: 'float32',
  float16: 'float16',
  int8: 'int8, weights only',
  'int8 dynamic': 'int8, inputs too',
  int4: 'int4, in groups',
  '2 bits': '2 bits',
};

export function showRows(rows: readonly Row[]): void {
  const most = Math.max(...rows.map(({ bytes }) => bytes));
  byId('formats', HTMLTableSectionElement).replaceChildren(...rows.map((row) => rowOf(row, most)));
  const whole = rows[0]!;
  const able = rows.filter(({ accuracy, problem }) => !problem && accuracy >= whole.accuracy - 0.01);
  const least = able.reduce((one, other) => (other.bytes < one.bytes ? other : one), whole);
  byId('formats-words', HTMLElement).textContent =
    `The smallest that reads within a percent of float32 is ${NAMES[least.format]}: ${(whole.bytes / least.bytes).toFixed(1)} times smaller.`;
}

export function clearRows(): void {
  const cell = make('td', { colSpan: 5, textContent: 'Nothing has been compared yet.' });
  byId('formats', HTMLTableSectionElement).replaceChildren(make('tr', {}, [cell]));
  byId('formats-words', HTMLElement).textContent = 'The formats are compared when training stops.';
}

function rowOf({ format, bytes, time, accuracy, difference, problem }: Row, most: number): HTMLElement {
  const name = make('th', { scope: 'row', textContent: NAMES[format] });
  const row = make('tr', {}, [name]);
  row.dataset['format'] = format;
  if (problem) {
    row.append(make('td', { colSpan: 4, textContent: `This device does not run it: ${problem}` }));
    return row;
  }
  const size = make('td', { className: 'size', textContent: `${(bytes / 1000).toFixed(1)} kB` });
  size.style.setProperty('--share', String(bytes / most));
  row.dataset['accuracy'] = String(accuracy);
  row.dataset['bytes'] = String(bytes);
  row.dataset['difference'] = String(difference);
  const texts = [`${time.toFixed(time < 10 ? 2 : 0)} ms`, `${(100 * accuracy).toFixed(1)} %`, difference === 0 ? '0' : difference.toPrecision(2)];
  row.append(size, ...texts.map((textContent) => make('td', { textContent })));
  return row;
}
