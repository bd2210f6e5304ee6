/**
 * The common part of every chapter's page: it connects controls, loss curve, checkpoints and the
 * training worker.
 */
import '../base.css';
import './training.css';
import { showNoDevice } from '../badge';
import { Connection } from '../connection';
import { Curve } from '../curve';
import { byId } from '../dom';
import { offer } from '../download';
import { hideNotice } from '../notice';
import { addressWith, type Metrics, publish, readAddress, valueIn } from './automation';
import { choose, Controls, type State } from './controls';
import { deviceChoice, showFailure, showOpened } from './device';
import { buildPanel, type Field, type Tile } from './panel';
import type { Begun, DeviceName, FromTrainer, Lesson, Pause, Progress, ToTrainer } from './protocol';
import { workInWords } from './words';

/** The parts that a chapter supplies. */
export interface Chapter<L extends Lesson> {
  /** Its folder, which is also the name of the downloaded file. */
  name: string;
  fields: readonly Field[];
  /** The choices for the number of steps, and the initial one. */
  steps: { values: readonly number[]; chosen: number };
  /** Tiles beside step, loss and speed. */
  tiles: readonly Tile[];
  /** Curves beside the loss, by the names that a checkpoint keeps them under. */
  curves: Readonly<Record<string, Curve>>;
  /** Starts the worker. The URL must be written in the chapter, where the bundler looks for it. */
  worker: () => Worker;
  /** Settings that have no field. */
  settings?: () => Record<string, number | string>;
  /** Takes the settings of a network that replaces another, which may come from a checkpoint. */
  onBegin?: (settings: L['settings']) => void;
  /**
   * Shows a measurement of the network after `step` steps, and returns the numbers for a driver of
   * the page.
   */
  onMeasurement: (measurement: L['measurement'], step: number) => Metrics;
  onAnswer: (answer: L['answer']) => void;
  /**
   * A summary of the last measurement, as the end of a sentence:
   * `97.2 % of the test images are read correctly`.
   */
  verdict: () => string;
  /** Repeats the page's questions to an earlier network. */
  ask: () => void;
  /** Clears the answers of an earlier network. */
  forget: () => void;
}

const SAVE_EVERY_MS = 15_000;
/** Losses from here on, of a training that is about to diverge, are written with an exponent. */
const LARGE = 1e5;
const TILES: readonly Tile[] = [
  { id: 'step-number', label: 'Step' },
  { id: 'loss-number', label: 'Loss' },
];
const SPEED: Tile = { id: 'speed-number', label: 'Steps a second' };

export class TrainingPage<L extends Lesson> {
  private readonly address = readAddress(location.search);
  private readonly curves: Readonly<Record<string, Curve>>;
  private readonly controls: Controls;
  private readonly badge = byId('badge', HTMLElement);
  private metrics: Metrics = {};
  private trainer: Connection<ToTrainer<L>, FromTrainer<L>> | undefined;
  /**
   * Steps requested while the worker is still opening its device: it starts them itself, and then
   * notifies the page.
   */
  private wanted = 0;
  /** The state after the requested steps: a single step leaves the page ready for the next. */
  private afterwards: State = 'done';
  private lastSave = 0;

  constructor(private readonly chapter: Chapter<L>) {
    const steps: Field = { name: 'steps', label: 'Steps', ...chapter.steps };
    buildPanel(byId('training', HTMLElement), [...chapter.fields, steps], [...TILES, ...chapter.tiles, SPEED]);
    const loss = new Curve(byId('loss-curve', HTMLElement), {
      label: 'Loss',
      colour: '--accent',
      format: (value) => (value < LARGE ? value.toFixed(2) : value.toExponential(0)),
      smooth: true,
    });
    this.curves = { loss, ...chapter.curves };
    this.controls = new Controls({
      start: () => this.train(Number(field('steps').value)),
      pause: () => this.trainer?.post({ type: 'pause' }),
      step: () => this.train(1, 'ready'),
      reset: () => this.reset(),
      keep: () => this.save('browser'),
      download: () => this.save('file'),
      open: () => byId('file', HTMLInputElement).click(),
      share: () => void this.share(),
    });
    choose(field('device'), this.address.device);
    if (this.address.steps) {
      choose(field('steps'), String(this.address.steps));
    }
    for (const each of chapter.fields) {
      const value = valueIn(location.search, each);
      if (value !== undefined) {
        choose(field(each.name), value);
      }
    }
    this.listen();
  }

  /** Opens the device; must be called after the page is built. */
  begin(): void {
    this.open({ resume: !this.address.autostart });
    if (this.address.autostart) {
      this.train(Number(field('steps').value));
    }
  }

  /** Asks the network a question; the answer goes to the chapter's `onAnswer`. */
  ask(question: L['question']): void {
    this.trainer?.post({ type: 'ask', question });
  }

  /** Starts over with a new network and the current settings. */
  restart(): void {
    this.apply();
    this.reset();
  }

  /** Sends the current settings to the worker. They take effect at the next step. */
  apply(): void {
    this.trainer?.post({ type: 'settings', settings: this.settings() });
  }

  private listen(): void {
    field('device').addEventListener('change', () => this.open({ resume: false }));
    for (const { name, restarts } of this.chapter.fields) {
      field(name).addEventListener('change', () => {
        if (restarts) {
          this.restart();
        } else {
          this.apply();
        }
      });
    }
    const file = byId('file', HTMLInputElement);
    file.addEventListener('change', () => {
      const [chosen] = file.files ?? [];
      if (chosen) {
        this.trainer?.post({ type: 'load', file: chosen });
      }
      // The same file may be chosen again.
      file.value = '';
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden' && this.controls.state === 'training') {
        this.save('browser');
      }
    });
  }

  /**
   * Starts over with a new worker on the chosen device; a worker that failed or runs on another
   * device is ended.
   */
  private open({ resume }: { resume: boolean }): void {
    this.trainer?.end();
    this.wanted = 0;
    this.forget();
    this.show({});
    hideNotice(byId('notice', HTMLElement));
    byId('fallback', HTMLElement).hidden = true;
    showNoDevice(this.badge, 'Looking for a device…');
    this.setState('loading', 'Getting the device ready…');
    const describeCrash = (message: string): FromTrainer<L> => ({ type: 'error', kind: 'worker', message });
    this.trainer = new Connection(this.chapter.worker(), (message) => this.hear(message), describeCrash, (milliseconds) => ({ type: 'painted', milliseconds }));
    this.trainer.post({ type: 'open', device: deviceChoice(), seed: this.address.seed, settings: this.settings(), resume });
  }

  private settings(): L['settings'] {
    const chosen = this.chapter.fields.map(({ name, chosen }) => [name, typeof chosen === 'number' ? Number(field(name).value) : field(name).value]);
    return { ...Object.fromEntries(chosen), ...this.chapter.settings?.() };
  }

  private train(steps: number, then: State = 'done'): void {
    this.afterwards = then;
    this.lastSave = performance.now();
    this.trainer?.post({ type: 'train', steps });
    if (this.metrics['device']) {
      this.setState('training', steps === 1 ? 'Training one step.' : `Training ${steps} steps.`);
    } else {
      this.wanted = steps;
    }
  }

  private reset(): void {
    if (this.controls.state === 'error') {
      this.open({ resume: false });
    } else {
      this.trainer?.post({ type: 'reset' });
    }
  }

  private save(to: 'browser' | 'file'): void {
    this.lastSave = performance.now();
    const notes = Object.fromEntries(Object.entries(this.curves).map(([name, curve]) => [name, curve.points]));
    this.trainer?.post({ type: 'save', to, notes });
  }

  /** Copies the address of this page with the current settings. */
  private async share(): Promise<void> {
    const chosen = ['device', 'steps', ...this.chapter.fields.map(({ name }) => name)].map((name) => [name, field(name).value]);
    const address = addressWith({ ...Object.fromEntries(chosen), seed: String(this.address.seed) });
    const kept = byId('kept', HTMLElement);
    try {
      await navigator.clipboard.writeText(address);
      kept.textContent = 'A link with these settings is copied.';
    } catch {
      // Without leave to write to the clipboard, the address bar has the link.
      history.replaceState(null, '', address);
      kept.textContent = 'The address of this page has these settings now.';
    }
  }

  private hear(message: FromTrainer<L>): void {
    switch (message.type) {
      case 'begun':
        return this.onBegin(message.begun);
      case 'opened':
        return this.onOpen(message.device, message.adapter);
      case 'progress':
        return this.onProgress(message.progress);
      case 'measured':
        return this.onMeasurement(message.step, message.measurement);
      case 'stopped':
        return this.onStop(message.step, message.why);
      case 'answer':
        return this.chapter.onAnswer(message.answer);
      case 'kept':
        byId('kept', HTMLElement).textContent = `Saved in this browser at step ${message.step}.`;
        return;
      case 'file':
        return offer(message.file, `${this.chapter.name}-step-${message.step}.pt`);
      case 'refused':
        byId('kept', HTMLElement).textContent =
          message.what === 'load' ? `This file cannot be opened: ${message.message}.` : `It could not be saved: ${message.message}.`;
        return;
      case 'error':
        return this.onFailure(message);
    }
  }

  private onOpen(device: DeviceName, adapter: string): void {
    this.show({ ...this.metrics, device });
    showOpened(device, adapter);
    const name = device === 'webgpu' ? 'WebGPU' : 'the CPU';
    const { step } = this.metrics;
    if (step) {
      byId('kept', HTMLElement).textContent = `Saved in this browser at step ${step}.`;
    }
    if (this.wanted > 0) {
      this.setState('training', `Training ${this.wanted} steps on ${name}.`);
      this.wanted = 0;
    } else if (step) {
      this.setState('ready', `Back at step ${step}, where training was saved. Ready on ${name}.`);
    } else {
      this.setState('ready', `Ready to train on ${name}.`);
    }
    this.chapter.ask();
  }

  /** The network was replaced by a new one, or by a checkpoint's. */
  private onBegin({ step, settings, notes }: Begun<L>): void {
    this.forget();
    for (const { name } of this.chapter.fields) {
      choose(field(name), String(settings[name]));
    }
    this.chapter.onBegin?.(settings);
    for (const [name, points] of Object.entries(notes)) {
      this.curves[name]?.add(points);
    }
    const loss = notes['loss']?.at(-1)?.value;
    this.show({ device: this.metrics['device'], step, loss });
    this.showNumbers(step, loss);
  }

  private onProgress({ step, losses, stepsPerSecond, work }: Progress): void {
    const loss = losses.at(-1)?.value ?? (this.metrics['loss'] as number | undefined);
    this.show({ ...this.metrics, ...work, step, loss });
    this.curves['loss']!.add(losses);
    this.showNumbers(step, loss);
    byId('speed-number', HTMLElement).textContent = stepsPerSecond < 10 ? stepsPerSecond.toFixed(1) : String(Math.round(stepsPerSecond));
    byId('work', HTMLElement).textContent = work ? workInWords(work) : '';
    if (performance.now() - this.lastSave > SAVE_EVERY_MS) {
      this.save('browser');
    }
  }

  private showNumbers(step: number, loss: number | undefined): void {
    byId('step-number', HTMLElement).textContent = String(step);
    const words = (value: number) => (value < LARGE ? value.toFixed(value < 0.1 ? 4 : 3) : value.toExponential(2));
    byId('loss-number', HTMLElement).textContent = loss === undefined ? '–' : words(loss);
  }

  private onMeasurement(step: number, measurement: L['measurement']): void {
    this.show({ ...this.metrics, step, ...this.chapter.onMeasurement(measurement, step) });
    this.chapter.ask();
  }

  private onStop(step: number, why: Pause): void {
    const verdict = this.chapter.verdict();
    if (why === 'reset') {
      return this.setState('ready', 'Reset: the network is untrained again.');
    }
    this.save('browser');
    if (why === 'loaded') {
      this.setState('ready', `Opened a file: training goes on from step ${step}.`);
    } else if (why === 'paused') {
      this.setState('ready', `Paused at step ${step}: ${verdict}.`);
    } else if (this.afterwards === 'ready') {
      this.setState('ready', `Step ${step}: ${verdict}.`);
    } else {
      this.setState('done', `Done at step ${step}: ${verdict}.`);
    }
  }

  private onFailure(error: { kind: string; message: string }): void {
    const device = this.metrics['device'];
    this.setState('error', device ? 'Training stopped on an error.' : 'Training could not be started.');
    // A checkpoint's settings are the ones that diverged.
    const resume = error.kind !== 'diverged';
    showFailure(error, device, () => this.open({ resume }), 'Train on the CPU');
  }

  private show(metrics: Metrics): void {
    this.metrics = metrics;
    publish({ step: 0, ...metrics });
  }

  private setState(state: State, words: string): void {
    this.controls.show(state, Number(this.metrics['step'] ?? 0) > 0);
    byId('status', HTMLElement).textContent = words;
  }

  /** Clears the answers of an earlier network. */
  private forget(): void {
    for (const curve of Object.values(this.curves)) {
      curve.clear();
    }
    for (const { id } of [...TILES, ...this.chapter.tiles, SPEED]) {
      byId(id, HTMLElement).textContent = '–';
    }
    byId('step-number', HTMLElement).textContent = '0';
    byId('work', HTMLElement).textContent = '';
    byId('kept', HTMLElement).textContent = 'Nothing saved yet.';
    this.chapter.forget();
  }
}

function field(name: string): HTMLSelectElement {
  return byId(name, HTMLSelectElement);
}
