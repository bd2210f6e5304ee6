/** The facts about a file: its format and size, its parameters, the source of a script module. */
import { showCode } from '../../parts/code';
import { byId, make } from '../../parts/dom';
import type { Description, StateInfo } from './protocol';

const FORMATS = { pt2: 'Exported program', torchscript: 'TorchScript', onnx: 'ONNX model' };
/** Longer tables and sources are cut. */
const MAX_ROWS = 2000;
const MAX_CHARACTERS = 40_000;

const count = (number: number, one: string) => `${number.toLocaleString('en')} ${one}${number === 1 ? '' : 's'}`;
const elements = ({ shape }: StateInfo) => shape.reduce((product, size) => product * size, 1);

export function showFacts(description: Description): void {
  const { format, bytes, graph, methods, state } = description;
  const parameters = state.filter(({ kind }) => kind === 'parameter');
  const total = parameters.reduce((sum, each) => sum + elements(each), 0);
  showTiles(byId('facts', HTMLElement), [
    ['Kind', FORMATS[format]],
    ['Size', sizeInWords(bytes)],
    ['Parameters', total.toLocaleString('en')],
    graph ? ['Operators', graph.nodes.length.toLocaleString('en')] : ['Methods', String(Object.keys(methods ?? {}).length)],
  ]);
  showState(state, total);
  if (methods) {
    showSources(description);
  }
}

/** Numbers in tiles. */
export function showTiles(container: HTMLElement, tiles: readonly (readonly [label: string, value: string, id?: string])[]): void {
  container.replaceChildren(...tiles.map(([label, textContent, id = '']) =>
    make('div', {}, [make('dt', { textContent: label }), make('dd', { id, textContent })])));
}

function sizeInWords(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function showState(state: readonly StateInfo[], total: number): void {
  const parameters = state.filter(({ kind }) => kind === 'parameter').length;
  const cut = state.length > MAX_ROWS ? `; the first ${MAX_ROWS} are shown` : '';
  byId('parameters-words', HTMLElement).textContent =
    `${count(total, 'number')} in ${count(parameters, 'parameter')}, and ${count(state.length - parameters, 'buffer')}${cut}.`;
  const head = make('tr', {}, ['Name', 'Shape', 'Count'].map((textContent) => make('th', { scope: 'col', textContent })));
  const rows = state.slice(0, MAX_ROWS).map((each) => make('tr', { title: `${each.kind}, ${each.dtype}` }, [
    make('td', {}, [make('code', { textContent: each.name }), make('span', { className: 'soft', textContent: each.kind === 'buffer' ? ' buffer' : '' })]),
    make('td', { textContent: each.shape.join(' × ') || 'scalar' }),
    make('td', { textContent: elements(each).toLocaleString('en') }),
  ]));
  byId('parameters', HTMLTableElement).replaceChildren(make('thead', {}, [head]), make('tbody', {}, rows));
}

function showSources({ kind, methods, sources, missing }: Description): void {
  const names = Object.entries(methods ?? {}).map(([name, parameters]) => `${name}(${parameters.join(', ')})`);
  const absent = missing.length > 0 ? ` These operators do not exist here, and a call that comes to one fails: ${missing.join(', ')}.` : '';
  const words = `Class ${kind.replace(/^__torch__\./, '')} with ${count(names.length, 'method')}: ${names.join(', ')}.`;
  byId('script-words', HTMLElement).textContent = `${words} The source is TorchScript, as PyTorch wrote it.${absent}`;
  const items = sources.map(({ path, text, classes }, index) => {
    const outline = classes.map(({ name, methods }) =>
      make('li', {}, [make('b', { textContent: name }), ...methods.map((method) => make('code', { textContent: method }))]));
    const code = make('code');
    showCode(code, text.slice(0, MAX_CHARACTERS));
    const source = make('details', {}, [make('summary', { textContent: path }), make('pre', { className: 'code', tabIndex: 0 }, [code])]);
    source.open = index === 0;
    return make('section', {}, [source, make('ul', { className: 'outline' }, outline)]);
  });
  byId('sources', HTMLElement).replaceChildren(...items);
}
