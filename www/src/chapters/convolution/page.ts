/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { beginDigitsPage } from '../../parts/digits/page';
import { byId } from '../../parts/dom';
import type { Seeing } from './session';
import { Sheet } from './sheet';
import source from './train.ts?raw';

const filters = new Sheet(byId('filters', HTMLElement), { count: 8, side: 5, signed: true, label: (number) => `Filter ${number}` });
const first = new Sheet(byId('first', HTMLElement), { count: 8, side: 8, label: (number) => `Where filter ${number} answers` });
const second = new Sheet(byId('second', HTMLElement), { count: 16, side: 4, label: (number) => `Map ${number} of the second layer` });

showCode(byId('source', HTMLElement), source);
beginDigitsPage<Seeing>({
  name: 'convolution',
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  probabilities: (answer) => answer.probabilities,
  onMeasurement: (measurement) => filters.show(measurement.filters),
  onAnswer(answer) {
    first.show(answer.first);
    second.show(answer.second);
  },
  example: true,
  blank() {
    first.show(undefined);
    second.show(undefined);
  },
});
