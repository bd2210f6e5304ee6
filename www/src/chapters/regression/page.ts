/** The chapter's page. */
import { showCode } from '../../parts/code';
import { byId } from '../../parts/dom';
import { PointEditor } from '../../parts/points/editor';
import { formatPoints } from '../../parts/points/points';
import { TrainingPage } from '../../parts/training/page';
import type { Field } from '../../parts/training/panel';
import { SPEED } from '../../parts/training/speed';
import { bestLine, type Line, meanSquaredError, POINTS_DOMAIN, pointsAround, rateLimit } from './line';
import { brief, equation, LinePicture, SurfacePicture } from './pictures';
import type { Fitting, Standing } from './session';
import source from './train.ts?raw';

const RULES: Record<string, string> = { SGD: 'SGD', momentum: 'SGD, momentum', Adam: 'Adam' };
const FIELDS: readonly Field[] = [
  { name: 'rate', label: 'Learning rate', values: [0.003, 0.01, 0.03, 0.1, 0.3, 0.4, 1], chosen: 0.03 },
  { name: 'rule', label: 'Optimizer', values: Object.keys(RULES), chosen: 'SGD', words: (value) => RULES[value]!, restarts: true },
  { name: 'noise', label: 'Noise', values: [0.2, 0.8, 1.5, 3], chosen: 0.8, restarts: true },
  SPEED,
];

const noise = () => Number(byId('noise', HTMLSelectElement).value);
const canvas = byId('line', HTMLCanvasElement);
const line = new LinePicture(canvas);
const surface = new SurfacePicture(byId('surface', HTMLCanvasElement));
const editor = new PointEditor({
  canvas,
  plane: line.plane,
  form: byId('point-form', HTMLElement),
  domain: POINTS_DOMAIN,
  // A line needs two points.
  least: 2,
  most: 200,
  label: () => 0,
  fresh: () => pointsAround(Math.floor(Math.random() * 2 ** 32), noise()),
  onChange() {
    editedAt = noise();
    line.show(editor.points, current);
    page.apply();
    page.ask('again');
  },
});
let current: Line | undefined;
/** The noise that the visitor's points belong to: another noise makes others. */
let editedAt = 0;

function show(standing: Standing): void {
  if (editor.isWaiting) {
    editedAt = noise();
    editor.adopt(standing.points, standing.isOwn);
  }
  current = standing;
  line.show(editor.points, standing);
  surface.show(standing);
  byId('weight-number', HTMLElement).textContent = brief(standing.weight);
  byId('bias-number', HTMLElement).textContent = brief(standing.bias);
  const best = bestLine(standing.points);
  byId('least-number', HTMLElement).textContent = meanSquaredError(standing.points, best).toFixed(3);
  byId('best', HTMLElement).textContent = `The best line is ${equation(best)}, by the formula of least squares.`;
  byId('limit', HTMLElement).textContent = rateLimit(standing.points).toFixed(2);
}

showCode(byId('source', HTMLElement), source);
const page: TrainingPage<Fitting> = new TrainingPage<Fitting>({
  name: 'regression',
  fields: FIELDS,
  steps: { values: [50, 200, 1000, 5000], chosen: 200 },
  tiles: [
    { id: 'weight-number', label: 'Weight' },
    { id: 'bias-number', label: 'Bias' },
    { id: 'least-number', label: 'Least loss' },
  ],
  curves: {},
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  settings: () => ({ points: editor.own && editedAt === noise() ? formatPoints(editor.own) : '' }),
  onMeasurement(standing) {
    show(standing);
    return { weight: standing.weight, bias: standing.bias, error: standing.loss };
  },
  onAnswer: show,
  verdict: () => (current ? `the line is ${equation(current)}` : 'there is no line yet'),
  ask: () => {},
  forget() {
    editor.wait();
    current = undefined;
    line.show(editor.points, undefined);
    surface.clear();
  },
});
page.begin();
