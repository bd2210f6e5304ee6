/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { Curve } from '../../parts/curve';
import { byId } from '../../parts/dom';
import type { Field } from '../../parts/training/panel';
import { TrainingPage } from '../../parts/training/page';
import { percent } from '../../parts/words';
import { Asking } from './asking';
import { AttentionMaps } from './attention';
import { showSamples } from './samples';
import type { Adding } from './session';
import source from './train.ts?raw';

const ORDERS: Record<string, string> = { ones: 'Ones first', usual: 'As usual' };
const FIELDS: readonly Field[] = [
  { name: 'rate', label: 'Learning rate', values: [0.0003, 0.001, 0.002, 0.003, 0.005, 0.01], chosen: 0.003 },
  { name: 'batch', label: 'Batch', values: [16, 32, 64, 128, 256], chosen: 64 },
  { name: 'layers', label: 'Layers', values: [1, 2, 3], chosen: 2, restarts: true },
  { name: 'order', label: 'Answer', values: Object.keys(ORDERS), chosen: 'ones', words: (value) => ORDERS[value]!, restarts: true },
];

const shareCurve = new Curve(byId('share-curve', HTMLElement), {
  label: 'Sums right',
  colour: '--cool',
  format: (share) => `${Math.round(100 * share)} %`,
  range: [0, 1],
});
const maps = new AttentionMaps(byId('maps', HTMLElement));
const asking = new Asking((sum) => page.ask(sum));
let accuracy = 0;

showCode(byId('source', HTMLElement), source);
const page: TrainingPage<Adding> = new TrainingPage<Adding>({
  name: 'transformer',
  fields: FIELDS,
  steps: { values: [200, 600, 1000, 5000], chosen: 600 },
  tiles: [{ id: 'share-number', label: 'Sums right' }],
  curves: { share: shareCurve },
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  onMeasurement({ share, samples }, step) {
    accuracy = share;
    shareCurve.add([{ step, value: share }]);
    byId('share-number', HTMLElement).textContent = percent(share);
    showSamples(byId('samples', HTMLElement), samples);
    return { accuracy };
  },
  onAnswer(thought) {
    asking.show(thought);
    maps.show(thought);
  },
  verdict: () => `${percent(accuracy)} of the sums it has never seen are right`,
  ask: () => asking.ask(),
  forget() {
    asking.forget();
    maps.clear();
    showSamples(byId('samples', HTMLElement), []);
  },
});
page.begin();
