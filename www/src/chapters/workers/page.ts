/**
 * The chapter's page: it starts and ends trainings, and shows the shared network while the workers
 * train it.
 */
import '../../parts/base.css';
import '../../parts/training/training.css';
import './style.css';
import { showDevice, showNoDevice } from '../../parts/badge';
import { showCode } from '../../parts/code';
import { Curve } from '../../parts/curve';
import { loadDigits } from '../../parts/digits/data';
import { byId } from '../../parts/dom';
import { hideNotice, showNotice } from '../../parts/notice';
import { costOf, PaintingTime } from '../../parts/painting';
import { publish, readAddress } from '../../parts/training/automation';
import type { State } from '../../parts/training/controls';
import { messageOf } from '../../parts/training/worker';
import { percent } from '../../parts/words';
import { Losses } from './losses';
import runSource from './run.ts?raw';
import { addFields, allKinds, lockFields, readSettings, type Settings, WAYS } from './settings';
import { Shared } from './shared';
import { SpeedTable, whole } from './speeds';
import { type Outcome, Trainer } from './trainer';
import trainSource from './train.ts?raw';
import { paintWeights } from './weights';
import workerSource from './worker.ts?raw';

const LOOK_EVERY_MS = 250;

const { seed, autostart } = readAddress(location.search);
const text = (id: string, words: string) => (byId(id, HTMLElement).textContent = words);
const button = (id: string) => byId(id, HTMLButtonElement);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const STOPPED: Outcome = { end: 'stopped', message: '' };
const describe = ({ workers, way }: Settings) => `${WAYS[way]}, ${workers === 1 ? 'one worker' : `${workers} workers`}`;

/** With one core several workers train all the same. */
function coresInWords(cores: number): string {
  return cores === 1
    ? 'This browser reports one core: several workers take turns on it, and are no faster than one.'
    : `This browser reports ${cores} cores.`;
}

class WorkersPage {
  private readonly badge = byId('badge', HTMLElement);
  private readonly notice = byId('notice', HTMLElement);
  private readonly losses = new Losses();
  private readonly table = new SpeedTable();
  private readonly accuracies = new Curve(byId('accuracy-curve', HTMLElement), {
    label: 'Test accuracy', colour: '--cool', format: (share) => `${Math.round(100 * share)} %`, range: [0, 1],
  });
  private shared!: Shared;
  private trainer: Trainer | undefined;
  /** Ends when nothing is trained or measured any more. */
  private work: Promise<void> = Promise.resolve();
  private accuracy = 0;
  private readonly painting = new PaintingTime();
  /** The parameters are no longer numbers. */
  private isLost = false;
  /** The visitor has stopped the latest training. */
  private isStopped = false;

  constructor() {
    addFields(byId('fields', HTMLElement));
    button('start').addEventListener('click', () => this.start());
    button('stop').addEventListener('click', () => this.stop());
    button('reset').addEventListener('click', () => void this.reset());
    button('fail').addEventListener('click', () => this.trainer?.fail());
    button('compare').addEventListener('click', () => this.start(true));
    text('cores', `${coresInWords(navigator.hardwareConcurrency)} A training that is done or stopped has a row.`);
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
      this.shared = await Shared.open(await loadDigits(), seed);
      this.trainer = new Trainer(this.shared, seed, ({ step, loss }, rank) => this.losses.add(rank, step, loss));
      showDevice(this.badge, 'cpu', this.shared.adapter);
      await this.look();
    } catch (error) {
      showNoDevice(this.badge, 'No device');
      this.setState('error', 'Nothing can be trained.');
      const words = 'The digits or the code that computes could not be loaded. Check the connection, then try again.';
      return showNotice(this.notice, words, messageOf(error), [{ label: 'Try again', act: () => void this.open() }]);
    }
    this.setState('ready', `Ready: ${whole(this.shared.parameterCount)} parameters are in shared memory.`);
    if (autostart) {
      this.start();
    }
  }

  /** Trains as the fields say, or a new network for every kind of training. */
  private start(isComparison = false): void {
    const settings = readSettings();
    if (typeof settings === 'string') {
      return showNotice(this.notice, settings, '', []);
    }
    const isAnswer = this.notice.contains(document.activeElement);
    hideNotice(this.notice);
    this.isStopped = false;
    const done = isComparison ? 'Every kind of training is measured.' : `${describe(settings)}: done.`;
    const training = isComparison ? this.compare(settings) : this.train(settings);
    if (isAnswer) button('stop').focus();
    this.work = training.catch((error) => this.abandon(error)).then((outcome) => this.conclude(outcome, done));
  }

  private async train(settings: Settings): Promise<Outcome> {
    this.setState('training', `${describe(settings)}: starting…`);
    const training = this.trainer!.train(settings);
    const [outcome] = await Promise.all([training, this.watch(settings)]);
    await this.look();
    const speed = this.trainer!.clock?.speed;
    if (speed && ['done', 'stopped'].includes(outcome.end)) {
      this.table.add({ ...settings, ...speed, accuracy: this.accuracy });
    }
    return outcome;
  }

  private async compare(settings: Settings): Promise<Outcome> {
    for (const kind of allKinds(settings)) {
      await this.clear();
      const outcome = this.isStopped ? STOPPED : await this.train(kind);
      if (outcome.end !== 'done') {
        return outcome;
      }
    }
    return { end: 'done', message: '' };
  }

  /** The page cannot measure any more, so the workers end. */
  private async abandon(error: unknown): Promise<Outcome> {
    await this.trainer!.stop();
    return { end: 'failed', message: messageOf(error) };
  }

  /** Says how the work ended. */
  private conclude({ end, message }: Outcome, done: string): void {
    const reads = `The shared network reads ${percent(this.accuracy)} of the test images.`;
    this.isLost = end === 'diverged';
    switch (end) {
      case 'done':
        return this.setState('done', `${done} ${reads}`);
      case 'stopped':
        return this.setState('ready', `Stopped: the workers have ended. ${reads}`);
      case 'diverged': {
        this.setState('error', 'The training diverged. All workers have ended.');
        const words = 'The loss is no longer a number: the steps were too large. Choose a smaller learning rate, and reset the network.';
        return showNotice(this.notice, words, '', [{ label: 'Reset the network', act: () => void this.reset() }]);
      }
      case 'failed': {
        this.setState('error', 'The training ended on an error. All workers have ended.');
        const words = 'A worker ended with an error, and the others were ended too. The parameters are as they left them: train on from there, or reset.';
        return showNotice(this.notice, words, message, [{ label: 'Train on', act: () => this.start() }]);
      }
    }
  }

  private stop(): void {
    this.isStopped = true;
    if (this.trainer?.isTraining) {
      text('status', 'Ending the workers…');
      void this.trainer.stop();
    }
  }

  private async reset(): Promise<void> {
    const isAnswer = this.notice.contains(document.activeElement);
    this.stop();
    await this.work;
    // Nothing may start before the page has seen the new network.
    this.setState('loading', 'Making a new network…');
    hideNotice(this.notice);
    await this.clear();
    this.setState('ready', 'A new network: nothing is trained yet.');
    button(isAnswer ? 'start' : 'reset').focus();
  }

  private async clear(): Promise<void> {
    this.trainer!.reset();
    this.isLost = false;
    this.losses.clear();
    this.accuracies.clear();
    text('updates-number', '–');
    text('samples-number', '–');
    await this.look();
  }

  /** Looks at the shared parameters as long as the workers write them. */
  private async watch(settings: Settings): Promise<void> {
    let isAnnounced = false;
    while (this.trainer!.isTraining) {
      this.painting.spend(await costOf(() => this.look()));
      if (!isAnnounced && this.trainer!.clock!.step > 0) {
        isAnnounced = true;
        text('status', `${describe(settings)}: training…`);
      }
      await pause(Math.max(LOOK_EVERY_MS, this.painting.wait));
    }
  }

  /** Measures the network, and draws its weights. */
  private async look(): Promise<void> {
    const { step, clock } = this.trainer!;
    const { accuracy, weights } = await this.shared.look();
    this.accuracy = accuracy;
    const canvas = byId('weights', HTMLCanvasElement);
    paintWeights(canvas, weights);
    canvas.ariaLabel = `The weights of the first layer, 64 tiles of 8 by 8 pixels, after ${whole(step)} steps of each worker`;
    text('accuracy-number', percent(accuracy));
    text('steps-number', whole(step));
    this.accuracies.add([{ step, value: accuracy }]);
    this.losses.draw();
    const speed = clock?.speed;
    if (speed) {
      text('updates-number', whole(speed.updates));
      text('samples-number', whole(speed.samples));
    }
    publish({ device: 'cpu', step, loss: clock?.loss, accuracy, ...speed });
  }

  private setState(state: State, words: string): void {
    document.documentElement.dataset['state'] = state;
    text('status', words);
    const focused = document.activeElement;
    const isTraining = state === 'training';
    const canReset = this.trainer !== undefined && state !== 'loading';
    const canTrain = canReset && !isTraining && !this.isLost;
    button('reset').disabled = !canReset;
    button('start').disabled = button('compare').disabled = !canTrain;
    button('stop').disabled = button('fail').disabled = !isTraining;
    button('start').textContent = (this.trainer?.runs ?? 0) > 0 ? 'Train on' : 'Start';
    lockFields(isTraining);
    // The focus moves on when the button that has it is disabled.
    if (isTraining && (focused === button('start') || focused === button('compare'))) button('stop').focus();
    else if (!isTraining && (focused === button('stop') || focused === button('fail'))) button(canTrain ? 'start' : 'reset').focus();
  }
}

showCode(byId('train-source', HTMLElement), trainSource);
showCode(byId('worker-source', HTMLElement), workerSource);
showCode(byId('run-source', HTMLElement), runSource);
void new WorkersPage().open();
