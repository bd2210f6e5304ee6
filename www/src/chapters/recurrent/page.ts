/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { byId } from '../../parts/dom';
import { TrainingPage } from '../../parts/training/page';
import type { Field } from '../../parts/training/panel';
import { brief, ForecastCharts, showErrors } from './charts';
import { HELD_OUT, SERIES, type SeriesName } from './series';
import type { Forecasting, Forecasts } from './session';
import source from './train.ts?raw';

const FIELDS: readonly Field[] = [
  { name: 'series', label: 'Series', values: Object.keys(SERIES), chosen: 'sunspots', words: (value) => SERIES[value as SeriesName].words, restarts: true },
  { name: 'cell', label: 'Network', values: ['RNN', 'GRU', 'LSTM'], chosen: 'GRU', restarts: true },
  { name: 'hidden', label: 'Hidden size', values: [4, 8, 16, 32], chosen: 16, restarts: true },
  { name: 'rate', label: 'Learning rate', values: [0.001, 0.003, 0.01, 0.03, 0.1], chosen: 0.01 },
];

const charts = new ForecastCharts();
let last: Forecasts | undefined;

showCode(byId('source', HTMLElement), source);
const page: TrainingPage<Forecasting> = new TrainingPage<Forecasting>({
  name: 'recurrent',
  fields: FIELDS,
  steps: { values: [50, 200, 500, 2000], chosen: 200 },
  tiles: [
    { id: 'one-number', label: 'Error, one step' },
    { id: 'alone-number', label: `Error, ${HELD_OUT} steps` },
  ],
  curves: {},
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  onMeasurement(forecasts) {
    last = forecasts;
    const { errors } = forecasts;
    charts.show(forecasts);
    showErrors(byId('errors', HTMLElement), forecasts);
    byId('one-number', HTMLElement).textContent = brief(errors.oneStep);
    byId('alone-number', HTMLElement).textContent = brief(errors.alone);
    return { ...errors };
  },
  onAnswer: () => {},
  verdict: () => (last ? `alone it is off by ${brief(last.errors.alone)}, and the naive forecast by ${brief(last.errors.naive)}` : 'nothing is measured yet'),
  ask: () => {},
  forget: () => {},
});
page.begin();
