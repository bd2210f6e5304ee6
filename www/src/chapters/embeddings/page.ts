/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { byId, make } from '../../parts/dom';
import { TrainingPage } from '../../parts/training/page';
import type { Field } from '../../parts/training/panel';
import { percent } from '../../parts/words';
import { WordPlane } from './map';
import type { Neighbours, WordMap, WordsLesson } from './session';
import { madeText } from './text';
import source from './train.ts?raw';
import { MAX_CHARACTERS, vocabularyOf } from './vocabulary';

const FIELDS: readonly Field[] = [
  { name: 'rate', label: 'Learning rate', values: [0.001, 0.003, 0.01, 0.03, 0.1], chosen: 0.03 },
  { name: 'batch', label: 'Batch', values: [128, 256, 512, 1024], chosen: 512 },
  { name: 'dimension', label: 'Dimensions', values: [8, 16, 32, 64], chosen: 16, restarts: true },
  { name: 'window', label: 'Window', values: [1, 2, 4, 8], chosen: 2, restarts: true },
  { name: 'least', label: 'Least count', values: [1, 2, 3, 5, 10], chosen: 3, restarts: true },
];
const PREVIEW = 12;

const word = byId('word', HTMLInputElement);
const [plus, minus, third] = ['plus', 'minus', 'third'].map((id) => byId(id, HTMLInputElement)) as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
const text = byId('text', HTMLTextAreaElement);
const said = byId('text-said', HTMLElement);
const plane = new WordPlane(byId('map', HTMLCanvasElement), (chosen) => {
  word.value = chosen;
  askWord();
});
let ownText = '';
let map: WordMap | undefined;

showCode(byId('source', HTMLElement), source);
text.placeholder = madeText(PREVIEW);
word.addEventListener('input', askWord);
byId('ask', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
byId('analogy', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  if ([plus, minus, third].some((field) => readWord(field) === '')) {
    byId('analogy-said', HTMLElement).textContent = 'An analogy needs three words.';
    byId('analogy-near', HTMLElement).replaceChildren();
    return;
  }
  page.ask({ plus: [readWord(plus), readWord(third)], minus: [readWord(minus)] });
});
byId('use', HTMLButtonElement).addEventListener('click', () => {
  if (text.value.trim() === '') {
    said.textContent = 'There is no text yet: paste one above.';
  } else {
    learn(text.value);
  }
});
byId('made', HTMLButtonElement).addEventListener('click', () => learn(''));

/** Starts over with a text, if there is enough in it; with the made one, if it is empty. */
function learn(wanted: string): void {
  try {
    if (wanted !== '') {
      vocabularyOf(wanted, Number(byId('least', HTMLSelectElement).value));
    }
  } catch (error) {
    said.textContent = (error as Error).message;
    return;
  }
  ownText = wanted.slice(0, MAX_CHARACTERS);
  said.textContent = wanted.length > MAX_CHARACTERS ? `The first ${MAX_CHARACTERS.toLocaleString('en')} characters of the text are learnt.` : '';
  page.restart();
}

function askWord(): void {
  if (readWord(word) !== '') {
    page.ask({ plus: [readWord(word)], minus: [] });
  }
}

function readWord(field: HTMLInputElement): string {
  return field.value.trim().toLowerCase();
}

function showAnswer({ question, unknown, nearest }: Neighbours): void {
  const isAnalogy = question.minus.length > 0;
  const missing = unknown.length > 0 ? `The text has no “${unknown.join('”, “')}” that is frequent enough.` : '';
  byId(isAnalogy ? 'analogy-said' : 'said', HTMLElement).textContent = missing || (isAnalogy ? `${question.plus[0]} − ${question.minus[0]} + ${question.plus[1]} is nearest to:` : '');
  byId(isAnalogy ? 'analogy-near' : 'near', HTMLElement).replaceChildren(...nearest.map(({ word, cosine }) => {
    const bar = make('i', { ariaHidden: 'true' });
    bar.style.setProperty('--share', String(Math.max(0, cosine)));
    return make('li', {}, [make('b', { textContent: word }), bar, make('span', { className: 'soft', textContent: cosine.toFixed(2) })]);
  }));
  if (!isAnalogy) {
    plane.show(map, question.plus[0]);
  }
}

const page: TrainingPage<WordsLesson> = new TrainingPage<WordsLesson>({
  name: 'embeddings',
  fields: FIELDS,
  steps: { values: [200, 600, 2000, 10000], chosen: 600 },
  tiles: [
    { id: 'vocabulary-number', label: 'Words' },
    { id: 'alike-number', label: 'Nearest of one kind' },
  ],
  curves: {},
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  settings: () => ({ text: ownText }),
  onBegin(settings) {
    ownText = settings.text;
    text.value ||= ownText;
  },
  onMeasurement(measured) {
    if (map?.words.join() !== measured.words.join()) {
      byId('known', HTMLElement).replaceChildren(...measured.words.map((value) => new Option(value, value)));
    }
    map = measured;
    plane.show(measured, readWord(word));
    byId('vocabulary-number', HTMLElement).textContent = String(measured.vocabulary);
    byId('alike-number', HTMLElement).textContent = measured.alike === undefined ? '–' : percent(measured.alike, 0);
    return { alike: measured.alike, words: measured.vocabulary };
  },
  onAnswer: showAnswer,
  verdict: () => (map?.alike === undefined ? 'the words are on the map' : `${percent(map.alike, 0)} of the words with a kind are nearest to one of the same`),
  ask: askWord,
  forget() {
    map = undefined;
    plane.show(undefined);
    for (const list of ['near', 'analogy-near']) {
      byId(list, HTMLElement).replaceChildren();
    }
  },
});
page.begin();
