/** The chapter's page. */
import './style.css';
import { showCode } from '../../parts/code';
import { Curve } from '../../parts/curve';
import { byId } from '../../parts/dom';
import { PointEditor } from '../../parts/points/editor';
import { formatPoints } from '../../parts/points/points';
import { TrainingPage } from '../../parts/training/page';
import { type Field, fieldOf } from '../../parts/training/panel';
import { SPEED } from '../../parts/training/speed';
import { percent } from '../../parts/words';
import { DOMAIN, pointsOf, type Shape, SHAPES } from './data';
import { CLASS_NAMES, Division, Neurons } from './pictures';
import type { Dividing, View } from './session';
import source from './train.ts?raw';

const ACTIVATIONS: Record<string, string> = { Tanh: 'Tanh', ReLU: 'ReLU', Sigmoid: 'Sigmoid', none: 'None' };
const FIELDS: readonly Field[] = [
  { name: 'shape', label: 'Data', values: Object.keys(SHAPES), chosen: 'moons', words: (value) => SHAPES[value as Shape].words, restarts: true },
  { name: 'layers', label: 'Hidden layers', values: [1, 2, 3], chosen: 2, restarts: true },
  { name: 'width', label: 'Neurons in each', values: [2, 3, 4, 8, 16], chosen: 8, restarts: true },
  { name: 'activation', label: 'Activation', values: Object.keys(ACTIVATIONS), chosen: 'Tanh', words: (value) => ACTIVATIONS[value]!, restarts: true },
  { name: 'rate', label: 'Learning rate', values: [0.001, 0.003, 0.01, 0.03, 0.1, 1], chosen: 0.03 },
  SPEED,
];

const shape = () => byId('shape', HTMLSelectElement).value as Shape;
const canvas = byId('plane', HTMLCanvasElement);
const division = new Division(canvas);
const neurons = new Neurons(byId('neurons', HTMLElement));
const accuracyCurve = new Curve(byId('accuracy-curve', HTMLElement), {
  label: 'Held-out accuracy',
  colour: '--cool',
  format: (share) => `${Math.round(100 * share)} %`,
  range: [0, 1],
});
const choice = fieldOf({ name: 'point-class', label: 'Class', values: [0, 1, 2], chosen: 0, words: (value) => CLASS_NAMES[Number(value)]! });
const editor = new PointEditor({
  canvas,
  plane: division.plane,
  form: byId('point-form', HTMLElement),
  domain: DOMAIN,
  choice,
  least: 2,
  most: 500,
  label: () => Number(byId('point-class', HTMLSelectElement).value),
  fresh: () => pointsOf(shape(), Math.floor(Math.random() * 2 ** 32)),
  onChange() {
    editedShape = shape();
    division.show(editor.points, view);
    page.apply();
    page.ask('again');
  },
});
let view: View | undefined;
/** The data that the visitor's points belong to: a choice of other data makes others. */
let editedShape: Shape | undefined;

function show(seen: View): void {
  if (editor.isWaiting) {
    editedShape = shape();
    editor.adopt(seen.points, seen.isOwn);
    offerClasses(seen.classes);
  }
  view = seen;
  division.show(editor.points, seen);
  neurons.show(seen);
  byId('accuracy-number', HTMLElement).textContent = percent(seen.accuracy);
  byId('held-out-number', HTMLElement).textContent = percent(seen.heldOutAccuracy);
}

/** A visitor may add points of the classes that the network knows. */
function offerClasses(count: number): void {
  const select = byId('point-class', HTMLSelectElement);
  [...select.options].forEach((option, label) => (option.hidden = option.disabled = label >= count));
  if (Number(select.value) >= count) {
    select.value = '0';
  }
}

showCode(byId('source', HTMLElement), source);
const page: TrainingPage<Dividing> = new TrainingPage<Dividing>({
  name: 'classification',
  fields: FIELDS,
  steps: { values: [100, 500, 2000, 10000], chosen: 500 },
  tiles: [
    { id: 'accuracy-number', label: 'Accuracy' },
    { id: 'held-out-number', label: 'Held-out accuracy' },
  ],
  curves: { accuracy: accuracyCurve },
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  settings: () => ({ points: editor.own && editedShape === shape() ? formatPoints(editor.own) : '' }),
  onMeasurement(seen, step) {
    show(seen);
    accuracyCurve.add([{ step, value: seen.heldOutAccuracy }]);
    return { accuracy: seen.accuracy, heldOutAccuracy: seen.heldOutAccuracy };
  },
  onAnswer: show,
  verdict: () => `${percent(view?.accuracy ?? 0)} of the points are on the right side, and ${percent(view?.heldOutAccuracy ?? 0)} of those it has never seen`,
  ask: () => {},
  forget() {
    editor.wait();
    view = undefined;
    division.show(editor.points, undefined);
  },
});
page.begin();
