/** The chapter's page: it connects the worker with the parts that train, open, chat and compare. */
import '../../parts/base.css';
import '../../parts/training/training.css';
import './style.css';
import { showNoDevice } from '../../parts/badge';
import { showCode } from '../../parts/code';
import { Connection } from '../../parts/connection';
import { byId } from '../../parts/dom';
import { hideNotice, showNotice } from '../../parts/notice';
import { type Metrics, publish, readAddress } from '../../parts/training/automation';
import { choose } from '../../parts/training/controls';
import { deviceChoice, showFailure, showOpened } from '../../parts/training/device';
import { DEVICE, fieldOf } from '../../parts/training/panel';
import { hideComparison, showComparison } from './comparison-table';
import { Conversation } from './conversation';
import { LearningPanel } from './learning-panel';
import { OpeningPanel, type Source } from './opening-panel';
import type { Begun, Description, FromChat, Reply, ToChat } from './protocol';
import source from './train.ts?raw';
import { whyFailed } from './words';

type State = 'loading' | 'ready' | 'training' | 'done' | 'error';

/** The kinds of errors after which the worker is replaced. */
const FATAL = new Set(['device', 'device_lost', 'poisoned', 'worker']);

class ChatPage {
  private readonly badge = byId('badge', HTMLElement);
  private readonly notice = byId('notice', HTMLElement);
  private readonly address = readAddress(location.search);
  private readonly learning = new LearningPanel(() => this.connection, this.address.seed);
  private readonly conversation = new Conversation(() => this.connection);
  private readonly opening = new OpeningPanel((source) => this.load(source), () => this.connection.post({ type: 'stop' }));
  private connection!: Connection<ToChat, FromChat>;
  private metrics: Metrics = {};
  private state: State = 'loading';
  /** A model has been trained here: there is something to compare. */
  private hasLearned = false;

  constructor() {
    byId('device-field', HTMLElement).replaceWith(fieldOf(DEVICE));
    choose(byId('device', HTMLSelectElement), this.address.device);
    showCode(byId('source', HTMLElement), source);
    this.listen();
    this.open();
  }

  private listen(): void {
    const click = (id: string, act: () => void) => byId(id, HTMLButtonElement).addEventListener('click', act);
    byId('device', HTMLSelectElement).addEventListener('change', () => this.open());
    click('train', () => this.train());
    click('pause', () => this.connection.post({ type: 'pause' }));
    click('reset', () => this.reset());
    click('compare', () => {
      this.setState('loading', 'Quantizing and measuring…');
      this.connection.post({ type: 'compare' });
    });
    click('stop', () => this.connection.post({ type: 'stop' }));
    byId('ask', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      if (!byId('send', HTMLButtonElement).disabled && this.conversation.ask()) {
        this.enable();
      }
    });
  }

  /** Starts a worker on the chosen device. Models of an earlier one are gone. */
  private open(): void {
    this.connection?.end();
    this.show({});
    this.learning.reset();
    this.conversation.withdraw();
    this.opening.progress();
    hideComparison();
    this.hasLearned = false;
    hideNotice(this.notice);
    byId('facts', HTMLElement).hidden = true;
    byId('opened-words', HTMLElement).textContent = '';
    showNoDevice(this.badge, 'Looking for a device…');
    this.setState('loading', 'Getting the device ready…');
    const worker = new Worker(new URL('./chat.worker.ts', import.meta.url), { type: 'module', name: 'chat' });
    const describeCrash = (message: string): FromChat => ({ type: 'failed', doing: 'open', kind: 'worker', message });
    this.connection = new Connection(worker, (message) => this.hear(message), describeCrash, (milliseconds) => ({ type: 'painted', milliseconds }));
    this.connection.post({ type: 'open', device: deviceChoice() });
  }

  private train(): void {
    const steps = this.learning.train();
    if (steps !== undefined) {
      hideNotice(this.notice);
      this.setState('training', `Training ${steps} steps.`);
    }
  }

  /** Forgets the trained model; the next training begins with a new one. */
  private reset(): void {
    this.learning.reset();
    this.conversation.withdraw('learned', 'q8_0', 'q4_0');
    hideComparison();
    this.hasLearned = false;
    this.show({ device: this.metrics['device'], step: 0 });
    this.setState('ready', 'Reset: the next training begins with a new model.');
  }

  private load(source: Source): void {
    hideNotice(this.notice);
    this.opening.progress({ type: 'loading', loaded: 0, total: undefined });
    this.setState('loading', 'Loading the model…');
    this.connection.post({ type: 'load', source });
  }

  private hear(message: FromChat): void {
    switch (message.type) {
      case 'opened':
        this.show({ device: message.device });
        showOpened(message.device, message.adapter);
        return this.setState('ready', 'Train a model, or open one.');
      case 'loading':
        return this.opening.progress(message);
      case 'loaded':
        return this.onLoad(message.description);
      case 'begun':
        return this.onBegin(message.begun);
      case 'progress':
        return this.onProgress(message);
      case 'measured':
        return this.show({ ...this.metrics, ...this.learning.onMeasurement(message) });
      case 'stopped':
        return this.onStop(message);
      case 'text':
        return this.show({ ...this.metrics, ...this.conversation.write(message) });
      case 'replied':
        return this.onReply(message.reply);
      case 'compared':
        this.show({ ...this.metrics, ...showComparison(message.step, message.rows) });
        this.conversation.offer('q8_0', 'A copy with 8 bit weights, as the model was when it was compared.');
        this.conversation.offer('q4_0', 'A copy with 4 bit weights, as the model was when it was compared.');
        return this.setState('ready', 'Compared. The copies can answer, too.');
      case 'failed':
        return this.onFailure(message);
    }
  }

  private onLoad(description: Description): void {
    this.opening.progress();
    const words = this.opening.show(description);
    this.conversation.offer('opened', words, description.name);
    this.show({ ...this.metrics, opened: description.name });
    this.setState('ready', `${description.name} is open.`);
  }

  private onBegin(begun: Begun): void {
    this.learning.onBegin(begun);
    hideComparison();
    this.conversation.withdraw('q8_0', 'q4_0');
    const words = begun.isDialogue ? 'It answers in the form of the text that it has learnt, whatever was asked before.' : 'It continues your message.';
    this.conversation.offer('learned', words);
    this.hasLearned = true;
    this.show({ device: this.metrics['device'], step: 0 });
    this.enable();
  }

  private onProgress(message: Extract<FromChat, { type: 'progress' }>): void {
    this.show({ ...this.metrics, ...this.learning.onProgress(message) });
    const { step, loss } = this.metrics;
    const speed = message.stepsPerSecond;
    const pace = speed > 0 ? `, ${speed.toFixed(speed < 10 ? 1 : 0)} steps a second` : '';
    if (this.state === 'training') {
      byId('status', HTMLElement).textContent = `Step ${step}: loss ${Number(loss).toFixed(3)}${pace}.`;
    }
  }

  private onStop({ step, why }: Extract<FromChat, { type: 'stopped' }>): void {
    const loss = this.learning.heldLoss?.toFixed(3) ?? '–';
    const words = `at step ${step}: a loss of ${loss} on the text held back.`;
    this.setState(why === 'done' ? 'done' : 'ready', `${why === 'done' ? 'Done' : 'Paused'} ${words}`);
  }

  private onReply(reply: Reply): void {
    this.show({ ...this.metrics, ...this.conversation.onReply(reply) });
    this.enable();
  }

  private onFailure({ doing, kind, message }: Extract<FromChat, { type: 'failed' }>): void {
    const device = this.metrics['device'];
    this.opening.progress();
    if (doing === 'ask') {
      this.conversation.onFailure();
    }
    if (device === undefined || FATAL.has(kind)) {
      this.setState('error', 'It stopped on an error.');
      return showFailure({ kind, message }, device, () => this.open());
    }
    const [status, words] = whyFailed(doing, kind, message);
    if (kind === 'diverged' || doing === 'begin') {
      this.reset();
    }
    // A reply that fails while a model is trained does not end the training.
    if (doing === 'ask' && this.state === 'training') {
      this.enable();
    } else {
      this.setState('ready', status);
    }
    showNotice(this.notice, words, message, [{ label: 'Close', act: () => hideNotice(this.notice) }]);
    this.notice.scrollIntoView({ block: 'nearest' });
  }

  private show(metrics: Metrics): void {
    this.metrics = metrics;
    publish(metrics);
  }

  private setState(state: State, words: string): void {
    this.state = state;
    document.documentElement.dataset['state'] = state;
    byId('status', HTMLElement).textContent = words;
    this.enable();
  }

  private enable(): void {
    const { state } = this;
    const isIdle = state === 'ready' || state === 'done';
    this.learning.enable(isIdle, state === 'training');
    this.opening.enable(isIdle);
    this.conversation.enable(isIdle || state === 'training');
    byId('compare', HTMLButtonElement).disabled = !isIdle || !this.hasLearned || this.conversation.isWriting;
    document.documentElement.dataset['reply'] = this.conversation.isWriting ? 'writing' : 'none';
  }
}

new ChatPage();
