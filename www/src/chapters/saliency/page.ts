/** The chapter's page. */
import '../../parts/digits/digits.css';
import '../convolution/style.css';
import './style.css';
import { showCode } from '../../parts/code';
import { Curve } from '../../parts/curve';
import { FIELDS } from '../../parts/digits/page';
import { Reading } from '../../parts/digits/reading';
import { byId } from '../../parts/dom';
import { TrainingPage } from '../../parts/training/page';
import { percent } from '../../parts/words';
import { Sheet } from '../convolution/sheet';
import network from '../convolution/train.ts?raw';
import { InversionPanel } from './inversion-panel';
import { Attribution } from './attribution';
import source from './explain.ts?raw';
import type { Looking } from './session';

const filters = new Sheet(byId('filters', HTMLElement), { count: 8, side: 5, signed: true, label: (number) => `Filter ${number}` });
const first = new Sheet(byId('first', HTMLElement), { count: 8, side: 8, label: (number) => `Where filter ${number} answers` });
const second = new Sheet(byId('second', HTMLElement), { count: 16, side: 4, label: (number) => `Map ${number} of the second layer` });
const accuracyCurve = new Curve(byId('accuracy-curve', HTMLElement), {
  label: 'Test accuracy',
  colour: '--cool',
  format: (share) => `${Math.round(100 * share)} %`,
  range: [0, 1],
});
const attribution: Attribution = new Attribution(() => reading.ask());
const inversion = new InversionPanel((question) => page.ask(question));
const reading: Reading = new Reading({
  ask: (pixels) => page.ask(attribution.question(pixels)),
  blank() {
    attribution.blank();
    first.show(undefined);
    second.show(undefined);
  },
});
let accuracy = 0;

showCode(byId('source', HTMLElement), source);
showCode(byId('network', HTMLElement), network);
const page: TrainingPage<Looking> = new TrainingPage<Looking>({
  name: 'saliency',
  fields: FIELDS,
  steps: { values: [100, 300, 1000, 5000], chosen: 300 },
  tiles: [{ id: 'accuracy-number', label: 'Test accuracy' }],
  curves: { accuracy: accuracyCurve },
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  onMeasurement(evaluation, step) {
    ({ accuracy } = evaluation);
    accuracyCurve.add([{ step, value: accuracy }]);
    byId('accuracy-number', HTMLElement).textContent = percent(accuracy);
    filters.show(evaluation.filters);
    return { accuracy };
  },
  verdict: () => `${percent(accuracy)} of the test images are read correctly`,
  onAnswer(answer) {
    if (answer.kind === 'inverted') {
      return inversion.show(answer);
    }
    attribution.show(answer);
    first.show(answer.first);
    second.show(answer.second);
    reading.show(answer.probabilities);
  },
  ask: () => reading.ask(),
  forget() {
    reading.forget();
    inversion.forget();
  },
});
page.begin();
void reading.showExample();
