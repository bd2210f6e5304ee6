/** The chapter's page: wires the controls, the pictures and the training worker together. */
import '../../parts/theme.css';
import '../../parts/controls.css';
import '../../parts/code.css';
import './style.css';
import { showDevice, showNoDevice } from '../../parts/badge';
import { showCode } from '../../parts/code';
import { choose, Controls, numberOf, type State } from '../../parts/controls';
import { Curve } from '../../parts/curve';
import { byId } from '../../parts/dom';
import { hideNotice, showNotice } from '../../parts/notice';
import { type Metrics, publish, readAddress } from './automation';
import { Confusion } from './confusion';
import { showMistakes } from './mistakes';
import type { DeviceChoice, Evaluation, FromTrainer, Progress, Settings } from './protocol';
import { Reading } from './reading';
import source from './train.ts?raw';
import { Trainer } from './trainer';
import { explain, whyCpu } from './words';

const address = readAddress(location.search);
const fields = {
  device: byId('device', HTMLSelectElement),
  rate: byId('rate', HTMLSelectElement),
  batch: byId('batch', HTMLSelectElement),
  steps: byId('steps', HTMLSelectElement),
};
const numbers = {
  step: byId('step-number', HTMLElement),
  loss: byId('loss-number', HTMLElement),
  accuracy: byId('accuracy-number', HTMLElement),
  speed: byId('speed-number', HTMLElement),
};
const badge = byId('badge', HTMLElement);
const status = byId('status', HTMLElement);
const notice = byId('notice', HTMLElement);
const fallback = byId('fallback', HTMLElement);
const none: Metrics = { device: undefined, step: 0, loss: undefined, accuracy: undefined };

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const lossCurve = new Curve(byId('loss-curve', HTMLElement), {
  label: 'Loss',
  colour: '--accent',
  format: (loss) => loss.toFixed(2),
  smooth: true,
});
const accuracyCurve = new Curve(byId('accuracy-curve', HTMLElement), {
  label: 'Test accuracy',
  colour: '--cool',
  format: (share) => `${Math.round(100 * share)} %`,
  range: [0, 1],
});
const confusion = new Confusion(byId('confusion', HTMLTableElement));
const reading = new Reading((pixels) => trainer.post({ type: 'predict', pixels }));
const controls = new Controls({
  start: () => train(numberOf(fields.steps)),
  pause: () => trainer.post({ type: 'pause' }),
  step: () => train(1, 'ready'),
  reset,
});

let metrics = none;
let trainer: Trainer;
/** Steps asked for while the worker still opens its device: it gets to them by itself, the page then says so. */
let wanted = 0;
/** What the page is in when the steps asked for are trained: a single step leaves it ready for the next. */
let afterwards: State = 'done';

showCode(byId('source', HTMLElement), source);
choose(fields.device, address.device);
if (address.steps) {
  choose(fields.steps, String(address.steps));
}
fields.device.addEventListener('change', () => open(false));
for (const select of [fields.rate, fields.batch]) {
  select.addEventListener('change', () => trainer.post({ type: 'settings', settings: settings() }));
}
open(address.autostart);

/** Begins anew with a fresh worker on the chosen device; a worker that failed or runs on another device is ended. */
function open(thenTrain: boolean): void {
  trainer?.end();
  forget();
  metrics = none;
  publish(metrics);
  hideNotice(notice);
  fallback.hidden = true;
  showNoDevice(badge, 'Looking for a device…');
  setState('loading', 'Getting the device ready…');
  const begun: Trainer = new Trainer((message) => {
    // A message of an ended worker may still be on its way.
    if (begun === trainer) {
      hear(message);
    }
  });
  trainer = begun;
  trainer.post({ type: 'open', device: fields.device.value as DeviceChoice, seed: address.seed, settings: settings() });
  if (thenTrain) {
    train(numberOf(fields.steps));
  }
}

function settings(): Settings {
  return { learningRate: numberOf(fields.rate), batchSize: numberOf(fields.batch) };
}

function train(steps: number, then: State = 'done'): void {
  afterwards = then;
  trainer.post({ type: 'train', steps });
  if (metrics.device) {
    setState('training', steps === 1 ? 'Training one step.' : `Training ${steps} steps.`);
  } else {
    wanted = steps;
  }
}

function reset(): void {
  if (controls.state === 'error') {
    open(false);
  } else {
    trainer.post({ type: 'reset' });
  }
}

function hear(message: FromTrainer): void {
  switch (message.type) {
    case 'opened':
      return opened(message.device, message.adapter);
    case 'progress':
      return progressed(message.progress);
    case 'evaluation':
      return evaluated(message.evaluation);
    case 'stopped':
      return stopped(message.step, message.why);
    case 'prediction':
      return reading.show(message.probabilities);
    case 'error':
      return failed(message.kind, message.message);
  }
}

function opened(device: 'webgpu' | 'cpu', adapter: string): void {
  metrics = { ...metrics, device };
  publish(metrics);
  showDevice(badge, device, adapter);
  const name = device === 'webgpu' ? 'WebGPU' : 'the CPU';
  const why = whyCpu(fields.device.value as DeviceChoice, device);
  fallback.textContent = why;
  fallback.hidden = why === '';
  if (wanted > 0) {
    setState('training', `Training ${wanted} steps on ${name}.`);
    wanted = 0;
  } else {
    setState('ready', `Ready to train on ${name}.`);
  }
  reading.ask();
}

function progressed({ step, losses, stepsPerSecond }: Progress): void {
  metrics = { ...metrics, step, loss: losses.at(-1)?.loss ?? metrics.loss };
  publish(metrics);
  lossCurve.add(losses.map(({ step, loss }) => ({ step, value: loss })));
  numbers.step.textContent = String(step);
  numbers.loss.textContent = metrics.loss?.toFixed(metrics.loss < 0.1 ? 4 : 3) ?? '–';
  numbers.speed.textContent = stepsPerSecond < 10 ? stepsPerSecond.toFixed(1) : String(Math.round(stepsPerSecond));
}

function evaluated({ step, accuracy, confusion: counts, mistakes }: Evaluation): void {
  metrics = { ...metrics, step, accuracy };
  publish(metrics);
  accuracyCurve.add([{ step, value: accuracy }]);
  numbers.accuracy.textContent = percent(accuracy);
  confusion.show(counts);
  showMistakes(byId('mistakes', HTMLElement), step === 0 ? [] : mistakes);
  byId('no-mistakes', HTMLElement).textContent =
    step === 0 ? 'The network has not been trained yet.' : mistakes.length === 0 ? 'None: every test image is read correctly.' : '';
  reading.ask();
}

function stopped(step: number, why: 'done' | 'paused' | 'reset'): void {
  const accuracy = percent(metrics.accuracy ?? 0);
  if (why === 'reset') {
    const measured = metrics.accuracy;
    forget();
    metrics = { ...none, device: metrics.device, accuracy: measured };
    publish(metrics);
    if (measured !== undefined) {
      accuracyCurve.add([{ step: 0, value: measured }]);
      numbers.accuracy.textContent = percent(measured);
    }
    setState('ready', 'Reset: the network is untrained again.');
  } else if (why === 'paused') {
    setState('ready', `Paused at step ${step}: ${accuracy} of the test images are read correctly.`);
  } else if (afterwards === 'ready') {
    setState('ready', `Step ${step}: ${accuracy} of the test images are read correctly.`);
  } else {
    setState('done', `Done at step ${step}: ${accuracy} of the test images are read correctly.`);
  }
}

function failed(kind: string, message: string): void {
  const choice = fields.device.value as DeviceChoice;
  showNoDevice(badge, 'No device');
  setState('error', metrics.device ? 'Training stopped on an error.' : 'Training could not be started.');
  const remedies = [{ label: 'Start again', act: () => open(false) }];
  if (choice !== 'cpu' && metrics.device !== 'cpu') {
    const useCpu = () => {
      fields.device.value = 'cpu';
      open(false);
    };
    remedies.push({ label: 'Train on the CPU', act: useCpu });
  }
  showNotice(notice, explain(kind, message, choice, metrics.device !== undefined), message, remedies);
}

function setState(state: State, words: string): void {
  controls.show(state, metrics.step > 0);
  status.textContent = words;
}

/** Empties what shows an earlier network. */
function forget(): void {
  wanted = 0;
  lossCurve.clear();
  accuracyCurve.clear();
  numbers.step.textContent = '0';
  for (const number of [numbers.loss, numbers.accuracy, numbers.speed]) {
    number.textContent = '–';
  }
  reading.forget();
}
