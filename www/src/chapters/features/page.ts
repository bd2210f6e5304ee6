/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { loadDigits } from '../../parts/digits/data';
import { byId } from '../../parts/dom';
import { Chart } from '../../parts/plot/chart';
import { TrainingPage } from '../../parts/training/page';
import type { Field } from '../../parts/training/panel';
import { capitalize, percent } from '../../parts/words';
import { FeatureMap } from './map';
import projections from './projections.ts?raw';
import { TRUNK_STEPS } from './selection';
import type { Map, Measurement, Transfer } from './session';
import source from './train.ts?raw';

const FIELDS: readonly Field[] = [
  { name: 'rate', label: 'Learning rate', values: [0.001, 0.002, 0.005, 0.01, 0.02], chosen: 0.005 },
  { name: 'images', label: 'Images of a digit', values: [5, 10, 20], chosen: 5, restarts: true },
];
/** After these steps t-SNE has settled. */
const TSNE_END = 400;
/**
 * PCA takes longer than many steps: while the trunk learns, the picture follows it from time to
 * time.
 */
const PCA_EVERY_MS = 2500;

const method = byId('method', HTMLSelectElement);
const chart = new Chart(byId('accuracy-chart', HTMLElement), {
  series: [
    { label: 'Frozen trunk, new head', colour: '--accent' },
    { label: 'From scratch', colour: '--cool' },
  ],
  x: 'Step',
  format: (share) => `${Math.round(100 * share)} %`,
  range: [0, 1],
});
let map: FeatureMap | undefined;
let measurement: Measurement | undefined;
/** A question is in progress; t-SNE continues by asking again. */
let isAsked = false;
let isOver = false;
let answeredAt = 0;

function ask(isNew = false): void {
  if (map && !isAsked && (isNew || method.value === 'pca' || !isOver)) {
    isAsked = true;
    isOver = false;
    page.ask({ method: method.value as Map['method'], isNew });
  }
}

function wordsOn(answer: Map): string {
  if (answer.method === 'pca') {
    return 'By PCA: the two directions in which the features vary most.';
  }
  return answer.steps < TSNE_END ? `By t-SNE, after ${answer.steps} of ${TSNE_END} steps.` : `By t-SNE, after ${answer.steps} steps.`;
}

function showAccuracy({ history, known, isFrozen }: Measurement): void {
  chart.show(history.map(({ step }) => step), history.map(({ head }) => head), history.map(({ scratch }) => scratch));
  byId('known-number', HTMLElement).textContent = percent(known);
  const last = history.at(-1);
  byId('head-number', HTMLElement).textContent = last ? percent(last.head) : '–';
  byId('scratch-number', HTMLElement).textContent = last ? percent(last.scratch) : '–';
  const words = last
    ? `After ${last.step} steps: new head ${percent(last.head)}, from scratch ${percent(last.scratch)}`
    : `The trunk learns the digits 0 to 4 first, for ${TRUNK_STEPS} steps`;
  byId('accuracy-chart', HTMLElement).ariaLabel = words;
  byId('phase', HTMLElement).textContent = isFrozen ? 'frozen' : 'learning';
}

function compare({ history }: Measurement): string {
  const last = history.at(-1);
  return last ? `the new head reads ${percent(last.head)} of 5 to 9, the network from scratch ${percent(last.scratch)}` : 'the trunk is not frozen yet';
}

showCode(byId('source', HTMLElement), source);
showCode(byId('projections', HTMLElement), projections);
const page: TrainingPage<Transfer> = new TrainingPage<Transfer>({
  name: 'features',
  fields: FIELDS,
  steps: { values: [220, 320, 720, 2120], chosen: 320 },
  tiles: [
    { id: 'phase', label: 'Trunk' },
    { id: 'known-number', label: '0 to 4' },
    { id: 'head-number', label: '5 to 9, new head' },
    { id: 'scratch-number', label: '5 to 9, scratch' },
  ],
  curves: {},
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  onMeasurement(now) {
    measurement = now;
    showAccuracy(now);
    map?.reads(now.read);
    const last = now.history.at(-1);
    return { accuracy: last?.head ?? 0, scratch: last?.scratch ?? 0, known: now.known };
  },
  onAnswer(answer) {
    isAsked = false;
    answeredAt = performance.now();
    map?.show(answer.positions, wordsOn(answer));
    isOver = answer.method === 'tsne' && answer.steps >= TSNE_END;
    // The other method may have been chosen meanwhile.
    if (answer.method !== method.value) {
      ask(true);
    } else if (answer.method === 'tsne' && !isOver) {
      ask();
    }
  },
  verdict() {
    const words = measurement ? compare(measurement) : 'nothing is measured yet';
    byId('comparison', HTMLElement).textContent = `${capitalize(words)}.`;
    // The trunk may have changed since the last picture.
    if (method.value === 'pca') {
      ask();
    }
    return words;
  },
  ask() {
    // t-SNE continues without a change of the trunk, and does not follow one.
    if (method.value === 'pca' && performance.now() - answeredAt > PCA_EVERY_MS) {
      ask();
    }
  },
  forget() {
    isAsked = false;
    isOver = false;
    measurement = undefined;
    chart.show([], [], []);
    byId('comparison', HTMLElement).textContent = 'The trunk learns first.';
  },
});

method.addEventListener('change', () => ask(true));
byId('again', HTMLButtonElement).addEventListener('click', () => ask(true));
page.begin();
loadDigits().then(
  ({ test }) => {
    map = new FeatureMap(test);
    if (measurement) {
      map.reads(measurement.read);
    }
    ask();
  },
  (error: unknown) => {
    byId('map-words', HTMLElement).textContent = `There are no test images to show: ${error instanceof Error ? error.message : String(error)}.`;
  },
);
