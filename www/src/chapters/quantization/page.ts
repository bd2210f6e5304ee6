/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { FIELDS } from '../../parts/digits/page';
import { byId } from '../../parts/dom';
import { TrainingPage } from '../../parts/training/page';
import type { Field } from '../../parts/training/panel';
import { percent } from '../../parts/words';
import type { LayerName } from './compare';
import formats from './formats.ts?raw';
import type { Format } from './formats';
import { Histogram } from './histogram';
import type { Quantizing } from './session';
import { clearRows, showRows } from './table';
import source from './train.ts?raw';

const AWARE: Record<string, string> = { 32: 'float32', 4: 'as of 4 bits', 2: 'as of 2 bits' };
const AWARENESS: Field = { name: 'aware', label: 'Trained with weights', values: ['32', '4', '2'], chosen: '32', words: (value) => AWARE[value]! };

const layer = byId('layer', HTMLSelectElement);
const format = byId('format', HTMLSelectElement);
const histogram = new Histogram();
let accuracy = 0;
/** A question is being answered. */
let isAsked = false;
/** The question that waits for the answer of the one before. */
let waiting: 'weights' | 'whole' | undefined;

function ask(isWhole: boolean): void {
  if (isAsked) {
    waiting = isWhole || waiting === 'whole' ? 'whole' : 'weights';
    return;
  }
  isAsked = true;
  page.ask({ layer: layer.value as LayerName, format: format.value as Format, isWhole });
}

showCode(byId('source', HTMLElement), source);
showCode(byId('formats-source', HTMLElement), formats);
clearRows();
histogram.clear();
const page: TrainingPage<Quantizing> = new TrainingPage<Quantizing>({
  name: 'quantization',
  fields: [...FIELDS, AWARENESS],
  steps: { values: [100, 300, 1000, 5000], chosen: 300 },
  tiles: [{ id: 'accuracy-number', label: 'Accuracy, float32' }],
  curves: {},
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  onMeasurement(evaluation) {
    ({ accuracy } = evaluation);
    byId('accuracy-number', HTMLElement).textContent = percent(accuracy);
    return { accuracy };
  },
  onAnswer({ weights, rows }) {
    isAsked = false;
    histogram.show(weights, format.value);
    if (rows) {
      showRows(rows);
    }
    const next = waiting;
    waiting = undefined;
    if (next) {
      ask(next === 'whole');
    }
  },
  verdict() {
    // Training has stopped: there is time to compare.
    ask(true);
    return `${percent(accuracy)} of the test images are read correctly at float32`;
  },
  ask: () => ask(false),
  forget() {
    isAsked = false;
    waiting = undefined;
    clearRows();
    histogram.clear();
  },
});
layer.addEventListener('change', () => ask(false));
format.addEventListener('change', () => ask(false));
byId('compare', HTMLButtonElement).addEventListener('click', () => ask(true));
page.begin();
