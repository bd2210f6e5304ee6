/** The chapter's page: it holds the shared network, starts and ends the workers, and shows what they do. */
import '../../parts/theme.css';
import '../../parts/controls.css';
import '../../parts/code.css';
import '../../parts/layout.css';
import '../../parts/training/training.css';
import './style.css';
import { Event as Flag } from 'lanthorn/workers';
import { showDevice, showNoDevice } from '../../parts/badge';
import { showCode } from '../../parts/code';
import { Curve } from '../../parts/curve';
import { loadDigits } from '../../parts/digits/data';
import { byId } from '../../parts/dom';
import { hideNotice, showNotice } from '../../parts/notice';
import { publish, readAddress } from '../../parts/training/automation';
import type { State } from '../../parts/training/controls';
import { messageOf } from '../../parts/training/worker';
import { percent } from '../../parts/words';
import { Losses } from './losses';
import { run } from './run';
import runSource from './run.ts?raw';
import { addFields, lockFields, readSettings, type Settings, WAYS } from './settings';
import { type Look, Shared } from './shared';
import { Clock, SpeedTable, whole } from './speeds';
import trainSource from './train.ts?raw';
import { paintWeights } from './weights';
import workerSource from './worker.ts?raw';

/** Reports of a worker in one training: enough for a smooth curve, few enough not to slow it down. */
const REPORTS = 200;
const LOOK_EVERY_MS = 250;

/** Why a training was ended from here. */
type End = 'stopped' | 'diverged';

/** A training in progress. */
interface Running {
  settings: Settings;
  clock: Clock;
  abort: AbortController;
  fault: Flag;
}

const text = (id: string, words: string) => (byId(id, HTMLElement).textContent = words);
const button = (id: string) => byId(id, HTMLButtonElement);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const count = (workers: number) => (workers === 1 ? 'One worker' : `${workers} workers`);

class WorkersPage {
  private readonly badge = byId('badge', HTMLElement);
  private readonly notice = byId('notice', HTMLElement);
  private readonly losses = new Losses();
  private readonly speeds = new SpeedTable();
  private readonly accuracies = new Curve(byId('accuracy-curve', HTMLElement), {
    label: 'Test accuracy', colour: '--cool', format: (share) => `${Math.round(100 * share)} %`, range: [0, 1],
  });
  private readonly seed = readAddress(location.search).seed;
  private shared: Shared | undefined;
  private running: Running | undefined;
  /** The end of the training in progress. */
  private ended: Promise<void> = Promise.resolve();
  /** Trainings since the network began, and their steps. */
  private runs = 0;
  private steps = 0;
  private accuracy = 0;
  /** The parameters are no longer numbers. */
  private isLost = false;

  constructor() {
    addFields(byId('fields', HTMLElement));
    button('start').addEventListener('click', () => this.start());
    button('stop').addEventListener('click', () => this.stop('stopped'));
    button('reset').addEventListener('click', () => void this.reset());
    button('fail').addEventListener('click', () => this.running?.fault.set());
    text('cores', `A row for each kind of training that ended or was stopped. This browser reports ${navigator.hardwareConcurrency} cores.`);
  }

  async open(): Promise<void> {
    if (!crossOriginIsolated) {
      byId('isolation', HTMLElement).hidden = false;
      showNoDevice(this.badge, 'No shared memory');
      return this.setState('ready', 'This page is not cross-origin isolated, so its workers cannot share memory.');
    }
    this.setState('loading', 'Loading the digits…');
    hideNotice(this.notice);
    try {
      this.shared = await Shared.open(await loadDigits(), this.seed);
      showDevice(this.badge, 'cpu', this.shared.adapter);
      await this.look();
      this.setState('ready', `Ready: ${whole(this.shared.parameterCount)} parameters are in shared memory.`);
      if (readAddress(location.search).autostart) {
        this.start();
      }
    } catch (error) {
      showNoDevice(this.badge, 'No device');
      this.setState('error', 'Nothing can be trained.');
      const words = 'The digits or the code that computes could not be loaded. Check the connection, then try again.';
      showNotice(this.notice, words, messageOf(error), [{ label: 'Try again', act: () => void this.open() }]);
    }
  }

  private start(): void {
    const settings = readSettings();
    if (typeof settings === 'string') {
      return showNotice(this.notice, settings, '', []);
    }
    hideNotice(this.notice);
    this.running = { settings, clock: new Clock(settings), abort: new AbortController(), fault: new Flag() };
    this.setState('training', `${count(settings.workers)}: ${WAYS[settings.way]}. Starting…`);
    this.ended = this.train(this.shared!, this.running);
  }

  private async train({ model, images, labels }: Shared, running: Running): Promise<void> {
    const { settings, clock, abort, fault } = running;
    const { way, workers, steps } = settings;
    const watching = this.watch(running);
    let failure: unknown;
    try {
      await run(model, images, labels, {
        ...settings,
        every: Math.max(1, Math.round(steps / REPORTS)),
        // A training that goes on draws other batches.
        seed: this.seed + 100 * this.runs,
        signal: abort.signal,
        fault: fault.buffer,
        report: (report, rank) => {
          clock.add(report, rank);
          this.losses.add(rank, this.steps + report.step, report.loss);
          if (!Number.isFinite(report.loss)) this.stop('diverged');
        },
      });
    } catch (error) {
      failure = error;
    }
    this.running = undefined;
    try {
      await watching;
      await this.look(running);
    } catch (error) {
      failure ??= error;
    }
    this.runs += 1;
    this.steps += clock.step;
    const speed = clock.speed;
    if (speed && (failure === undefined || failure === 'stopped')) {
      this.speeds.add({ way, workers, batch: settings.batch, ...speed, accuracy: this.accuracy });
    }
    this.conclude(failure, settings);
  }

  /** Says how a training ended. */
  private conclude(failure: unknown, { workers, way }: Settings): void {
    const reads = `The shared network reads ${percent(this.accuracy)} of the test images.`;
    if (failure === undefined) {
      return this.setState('done', `${count(workers)}, ${WAYS[way]}: done. ${reads}`);
    }
    if (failure === 'stopped') {
      return this.setState('ready', `Stopped: the workers have ended. ${reads}`);
    }
    // Parameters that are NaN stay so: there is nothing to go on from.
    this.isLost = failure === 'diverged';
    this.setState('error', 'Training ended on an error, and all workers have ended.');
    if (this.isLost) {
      const words = 'The loss is no longer a number: the steps were too large. Choose a smaller learning rate, and reset the network.';
      return showNotice(this.notice, words, '', [{ label: 'Reset the network', act: () => void this.reset() }]);
    }
    const words = 'A worker ended with an error, and the others were ended too. The shared parameters are as they left them: start again to go on from there, or reset.';
    showNotice(this.notice, words, messageOf(failure), [{ label: 'Start again', act: () => this.start() }]);
  }

  private stop(why: End): void {
    if (this.running) {
      text('status', 'Ending the workers…');
      this.running.abort.abort(why);
    }
  }

  private async reset(): Promise<void> {
    this.stop('stopped');
    await this.ended;
    hideNotice(this.notice);
    this.runs = this.steps = 0;
    this.isLost = false;
    this.losses.clear();
    this.accuracies.clear();
    for (const tile of ['updates-number', 'samples-number', 'steps-number']) {
      text(tile, '–');
    }
    this.shared!.begin(this.seed);
    await this.look();
    this.setState('ready', 'A new network: nothing is trained yet.');
  }

  /** Looks at the shared parameters as long as the workers write them. */
  private async watch(running: Running): Promise<void> {
    while (this.running === running) {
      await this.look(running);
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Measures the network, and draws its weights. */
  private async look(running?: Running): Promise<void> {
    const look: Look = await this.shared!.look();
    const { accuracy, weights } = look;
    this.accuracy = accuracy;
    const step = this.steps + (running?.clock.step ?? 0);
    const canvas = byId('weights', HTMLCanvasElement);
    paintWeights(canvas, weights);
    canvas.ariaLabel = `The weights of the first layer, 64 tiles of 8 by 8 pixels, after ${step} steps of each worker`;
    text('accuracy-number', percent(accuracy));
    text('steps-number', whole(step));
    this.accuracies.add([{ step, value: accuracy }]);
    this.losses.draw();
    this.showSpeed(running);
    publish({ device: 'cpu', step, loss: running?.clock.loss, accuracy, ...running?.clock.speed });
  }

  private showSpeed(running: Running | undefined): void {
    const speed = running?.clock.speed;
    if (speed) {
      text('updates-number', whole(speed.updates));
      text('samples-number', whole(speed.samples));
    }
    if (running && running.clock.step > 0 && !running.abort.signal.aborted && this.running === running) {
      const words = `${count(running.settings.workers)}: ${WAYS[running.settings.way]}. Training…`;
      // Only a change is announced.
      if (byId('status', HTMLElement).textContent !== words) text('status', words);
    }
  }

  private setState(state: State, words: string): void {
    document.documentElement.dataset['state'] = state;
    text('status', words);
    const focused = document.activeElement;
    const isTraining = state === 'training';
    const canReset = this.shared !== undefined && state !== 'loading';
    const canTrain = canReset && !isTraining && !this.isLost;
    button('start').disabled = !canTrain;
    button('reset').disabled = !canReset;
    button('stop').disabled = button('fail').disabled = !isTraining;
    button('start').textContent = this.runs > 0 ? 'Train on' : 'Start';
    lockFields(isTraining);
    // A keyboard's place is not lost when the button that it pressed is disabled.
    if (focused === button('start') && isTraining) button('stop').focus();
    else if (!isTraining && (focused === button('stop') || focused === button('fail'))) button(canTrain ? 'start' : 'reset').focus();
  }
}

showCode(byId('train-source', HTMLElement), trainSource);
showCode(byId('worker-source', HTMLElement), workerSource);
showCode(byId('run-source', HTMLElement), runSource);
void new WorkersPage().open();
