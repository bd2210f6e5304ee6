/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { Curve } from '../../parts/curve';
import { byId } from '../../parts/dom';
import { TrainingPage } from '../../parts/training/page';
import type { Field } from '../../parts/training/panel';
import { percent } from '../../parts/words';
import { TreeDrawing } from './drawing';
import type { Reading, TreesLesson } from './session';
import source from './train.ts?raw';
import { randomTree, wordsOf, WORDS } from './trees';

const FIELDS: readonly Field[] = [
  { name: 'rate', label: 'Learning rate', values: [0.003, 0.01, 0.02, 0.05, 0.1], chosen: 0.02 },
  { name: 'batch', label: 'Sentences', values: [4, 8, 16, 32], chosen: 8 },
  { name: 'width', label: 'Width', values: [8, 16, 32, 64], chosen: 16, restarts: true },
  { name: 'depth', label: 'Depth', values: [2, 3, 4, 5], chosen: 3, restarts: true },
];

const sentence = byId('sentence', HTMLInputElement);
const said = byId('said', HTMLElement);
const svg = document.getElementById('tree');
if (!(svg instanceof SVGSVGElement)) {
  throw new Error('this page has no picture with the id tree');
}
const drawing = new TreeDrawing(svg);
const curve = new Curve(byId('accuracy-curve', HTMLElement), {
  label: 'Deeper sentences',
  colour: '--cool',
  format: (share) => `${Math.round(100 * share)} %`,
  range: [0, 1],
});
let accuracy = 0;
let deeper = 0;

byId('hint', HTMLElement).textContent = `Of these words: ${WORDS.join(', ')}.`;
showCode(byId('source', HTMLElement), source);
sentence.addEventListener('input', ask);
byId('ask', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
byId('another', HTMLButtonElement).addEventListener('click', () => {
  sentence.value = wordsOf(randomTree(5, Math.random));
  ask();
});

function ask(): void {
  page.ask(sentence.value);
}

function showAnswer(reading: Reading): void {
  if (reading.sentence !== sentence.value) {
    return;
  }
  if ('problem' in reading) {
    said.textContent = reading.problem;
    drawing.clear();
    return;
  }
  const good = reading.good.at(-1)!;
  said.textContent = `It takes the sentence for ${good > 0.5 ? 'good' : 'bad'}, ${percent(Math.max(good, 1 - good), 0)} sure.`;
  drawing.show(reading.tree, reading.good);
}

const page: TrainingPage<TreesLesson> = new TrainingPage<TreesLesson>({
  name: 'trees',
  fields: FIELDS,
  steps: { values: [50, 200, 600, 2000], chosen: 200 },
  tiles: [
    { id: 'accuracy-number', label: 'Of its depth' },
    { id: 'deeper-number', label: 'Deeper' },
  ],
  curves: { deeper: curve },
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  onMeasurement(measured, step) {
    ({ accuracy, deeper } = measured);
    curve.add([{ step, value: deeper }]);
    byId('accuracy-number', HTMLElement).textContent = percent(accuracy, 0);
    byId('deeper-number', HTMLElement).textContent = percent(deeper, 0);
    return { accuracy, deeper };
  },
  onAnswer: showAnswer,
  verdict: () => `${percent(accuracy, 0)} of the sentences are read correctly, and ${percent(deeper, 0)} of deeper ones`,
  ask,
  forget() {
    drawing.clear();
    said.textContent = '';
  },
});
page.begin();
