/** The list of the reference, and its search. */
import '../parts/base.css';
import './reference.css';
import MiniSearch from 'minisearch';
import entries from 'virtual:reference';
import { byId, make } from '../parts/dom';

type Entry = (typeof entries)[number];

const index = new MiniSearch<Entry>({
  idField: 'name',
  fields: ['name', 'javascript', 'summary'],
  // `index_select`, `indexSelect` and `nn.Conv2d` are found by their parts.
  tokenize: (text) => text.split(/[\s._,;()[\]-]+|(?<=[a-z])(?=[A-Z])/).filter(Boolean),
  searchOptions: { prefix: true, fuzzy: 0.15, boost: { name: 4, javascript: 3 }, combineWith: 'AND' },
});
index.addAll(entries);
const byName = new Map(entries.map((entry) => [entry.name, entry]));

const words = byId('words', HTMLInputElement);
words.value = new URLSearchParams(location.search).get('q') ?? '';
words.addEventListener('input', () => {
  const address = new URL(location.href);
  address.search = words.value ? new URLSearchParams({ q: words.value }).toString() : '';
  history.replaceState(null, '', address);
  show();
});
words.form!.addEventListener('submit', (event) => {
  event.preventDefault();
  byId('found', HTMLOListElement).querySelector('a')?.click();
});
show();

function show(): void {
  const query = words.value.trim();
  // An exact name first: `sum` before `logsumexp`.
  const exact = byName.get(query) ?? entries.find(({ javascript }) => javascript === query);
  const found = query === '' ? entries : index.search(query).map(({ id }) => byName.get(id as string)!);
  const shown = exact ? [exact, ...found.filter((entry) => entry !== exact)] : found;
  byId('found', HTMLOListElement).replaceChildren(...shown.map(itemOf));
  byId('count', HTMLElement).textContent = shown.length === 1 ? '1 entry.' : `${shown.length} entries.`;
}

function itemOf({ kind, name, summary, page }: Entry): HTMLLIElement {
  return make('li', {}, [
    make('a', { href: `./${page}/index.html` }, [make('code', { textContent: name })]),
    make('span', { className: 'soft kind', textContent: kind }),
    make('span', { className: 'soft', textContent: summary }),
  ]);
}
