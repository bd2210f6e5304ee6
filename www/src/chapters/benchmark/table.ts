/** The table of the medians, and the same as bars. */
import { byId, make } from '../../parts/dom';
import { CASES, type CaseName } from './cases/list';
import { LIBRARIES, type LibraryName } from './engines/list';
import { type Cell, medianOf, rateOf, rateUnit, type Results, TOLERANCE } from './results';

const COLUMNS = 6;

export function showTable(results: Results): void {
  const bodies = results.cases.map((name) => {
    const words = [make('strong', { textContent: CASES[name].title }), ' ', make('span', { className: 'soft', textContent: CASES[name].words })];
    const title = make('th', { scope: 'rowgroup', colSpan: COLUMNS }, [make('div', { className: 'wide' }, words)]);
    const body = make('tbody', {}, [make('tr', { className: 'case' }, [title]), ...results.libraries.flatMap((library) => rowsOf(results, name, library))]);
    body.dataset['case'] = name;
    return body;
  });
  const table = byId('results', HTMLTableElement);
  table.querySelectorAll('tbody').forEach((body) => body.remove());
  table.append(...bodies);
}

/** The row of a library, and below it a sentence if there is something to say. */
function rowsOf(results: Results, name: CaseName, library: LibraryName): HTMLElement[] {
  const cell = results.cell(name, library);
  const median = medianOf(cell);
  const ratio = results.ratio(name, library);
  const texts = [
    median === undefined ? '–' : milliseconds(median),
    ratio === undefined ? '–' : `${ratio.toFixed(2)} ×`,
    median === undefined ? '–' : `${brief(rateOf(name, median))} ${rateUnit(name)}`,
    cell.first === undefined ? '–' : milliseconds(cell.first),
    cell.times.length === 0 ? '–' : String(cell.times.length),
  ];
  const title = make('th', { scope: 'row', textContent: LIBRARIES[library].title });
  const row = make('tr', {}, [title, ...texts.map((textContent) => make('td', { textContent }))]);
  row.dataset['library'] = library;
  row.dataset['state'] = cell.state;
  const remark = remarkOn(cell);
  if (!remark) {
    return [row];
  }
  const sentence = make('div', { className: 'wide', textContent: remark });
  return [row, make('tr', { className: 'remark' }, [make('td', { colSpan: COLUMNS }, [sentence])])];
}

export function remarkOn({ state, error, difference, comparedWith }: Cell): string {
  if (state === 'failed') {
    return `No result. ${error}`;
  }
  return difference !== undefined && difference > TOLERANCE
    ? `The answer is not that of ${LIBRARIES[comparedWith!].title}: it differs by ${brief(100 * difference)} % of its largest number. Its time means nothing.`
    : '';
}

export const milliseconds = (value: number) => `${brief(value)} ms`;

/** Three significant digits. */
const brief = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** A group of bars for each case; within it, the slowest library has the longest. */
export function showBars(results: Results): void {
  const groups = results.cases.map((name) => {
    const medians = results.libraries.map((library) => medianOf(results.cell(name, library)) ?? 0);
    const most = Math.max(...medians) || 1;
    const bars = results.libraries.map((library, index) => {
      const bar = make('i', { className: library, hidden: medians[index] === 0 });
      bar.style.setProperty('--share', String(medians[index]! / most));
      const value = medians[index]! > 0 ? milliseconds(medians[index]!) : '–';
      const title = make('span', { className: 'soft', textContent: LIBRARIES[library].title });
      return make('div', { className: 'bar' }, [title, make('span', {}, [bar]), make('span', { textContent: value })]);
    });
    return make('div', {}, [make('strong', { textContent: CASES[name].title }), ...bars]);
  });
  byId('bars', HTMLElement).replaceChildren(...groups);
  byId('bars', HTMLElement).ariaLabel = `Bars of the median times. ${results.cases.map((name) => inWords(results, name)).join(' ')}`;
}

function inWords(results: Results, name: CaseName): string {
  const parts = results.libraries.map((library) => {
    const median = medianOf(results.cell(name, library));
    return `${LIBRARIES[library].title} ${median === undefined ? 'not measured' : milliseconds(median)}`;
  });
  return `${CASES[name].title}: ${parts.join(', ')}.`;
}

/** A sentence on whether the libraries' answers agree. */
export function agreement(results: Results): string {
  const compared = results.all.filter(({ cell }) => cell.difference !== undefined);
  const differing = compared.filter(({ cell }) => cell.difference! > TOLERANCE);
  if (compared.length === 0) {
    return 'Only one library has answers, so there is nothing to compare.';
  }
  const furthest = Math.max(...compared.map(({ cell }) => cell.difference!));
  return differing.length > 0
    ? `${differing.length} of ${compared.length} answers differ from the first library's.`
    : `All ${compared.length} answers agree with the first library's: the largest difference is ${furthest.toExponential(1)} of the largest number.`;
}
