/** The chapter's page: it connects the worker with the parts that show the model. */
import '../../parts/base.css';
import '../../parts/training/training.css';
import './style.css';
import { showNoDevice } from '../../parts/badge';
import { showCode } from '../../parts/code';
import { Connection } from '../../parts/connection';
import { byId } from '../../parts/dom';
import { offer } from '../../parts/download';
import { GraphPanel } from '../../parts/graph/panel';
import { hideNotice, showNotice } from '../../parts/notice';
import { request } from '../../parts/request';
import { type Metrics, publish, readAddress } from '../../parts/training/automation';
import { choose } from '../../parts/training/controls';
import { deviceChoice, showFailure, showOpened } from '../../parts/training/device';
import { DEVICE, fieldOf } from '../../parts/training/panel';
import type { DeviceName } from '../../parts/training/protocol';
import examplePt2 from './example.pt2?url';
import exampleScript from './example.pt?url';
import exampleOnnx from './example.onnx?url';
import { showFacts } from './facts';
import { Inputs } from './inputs';
import type { Description, FromModel, ToModel } from './protocol';
import { whyFailed, whyRefused } from './refusals';
import { showResults } from './results';
import source from './train.ts?raw';
import { TuningPanel } from './tuning-panel';

type State = 'loading' | 'ready' | 'training' | 'done' | 'error';

/** The endings of models' files. */
const MODEL = /\.(pt2|pt|pth|ptc|onnx)$/i;
/** The kinds of errors after which the worker is replaced. */
const FATAL = new Set(['device', 'device_lost', 'poisoned', 'worker']);
const LOAD_BUTTONS = ['use-example', 'use-script', 'use-onnx', 'pick'];
const EXAMPLES = {
  'use-example': { name: 'example.pt2', address: examplePt2 },
  'use-script': { name: 'example.pt', address: exampleScript },
  'use-onnx': { name: 'example.onnx', address: exampleOnnx },
};

class ModelPage {
  private readonly badge = byId('badge', HTMLElement);
  private readonly notice = byId('notice', HTMLElement);
  private readonly graph = new GraphPanel(byId('graph-card', HTMLElement));
  private readonly tuning = new TuningPanel(() => this.connection);
  private readonly inputs = new Inputs(
    (values) => {
      this.setState('loading', 'Running…');
      this.connection.post({ type: 'run', arguments: values });
    },
    (words) => this.warn('The arguments cannot be made.', words),
  );
  private connection!: Connection<ToModel, FromModel>;
  private metrics: Metrics = {};
  private readonly examples = new WeakSet<File>();
  /** The files that are open, for another device: the model's, and those with its weights. */
  private files: readonly File[] = [];
  /** The files that are being opened. */
  private opening: readonly File[] = [];

  constructor() {
    const { device } = readAddress(location.search);
    byId('device-field', HTMLElement).replaceWith(fieldOf(DEVICE));
    choose(byId('device', HTMLSelectElement), device);
    showCode(byId('source', HTMLElement), source);
    this.listen();
    this.open();
  }

  private listen(): void {
    byId('device', HTMLSelectElement).addEventListener('change', () => this.open());
    for (const [id, { name, address }] of Object.entries(EXAMPLES)) {
      byId(id, HTMLButtonElement).addEventListener('click', () => void this.fetchExample(name, address));
    }
    const file = byId('file', HTMLInputElement);
    byId('pick', HTMLButtonElement).addEventListener('click', () => file.click());
    file.addEventListener('change', () => {
      void this.load([...(file.files ?? [])]);
      // The same file may be chosen again.
      file.value = '';
    });
    this.listenForDrops(byId('drop', HTMLElement));
    byId('tune', HTMLButtonElement).addEventListener('click', () => this.setState('training', `Training ${this.tuning.train()} steps.`));
    byId('stop', HTMLButtonElement).addEventListener('click', () => this.connection.post({ type: 'stop' }));
    byId('restore', HTMLButtonElement).addEventListener('click', () => {
      this.setState('loading', 'Restoring the weights of the file…');
      this.connection.post({ type: 'restore' });
    });
  }

  /** A file may be dropped anywhere: a model, or a picture where the model takes one. */
  private listenForDrops(card: HTMLElement): void {
    const mark = (isOver: boolean) => card.classList.toggle('over', isOver);
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      mark(true);
    });
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false));
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      mark(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      const [dropped] = files;
      if (dropped && this.file && dropped.type.startsWith('image/') && this.inputs.takeImage(dropped)) {
        return;
      }
      if (!byId('pick', HTMLButtonElement).disabled) {
        void this.load(files);
      }
    });
  }

  /** Starts a worker on the chosen device, which then opens the file that was open. */
  private open(): void {
    this.connection?.end();
    this.show({});
    hideNotice(this.notice);
    showNoDevice(this.badge, 'Looking for a device…');
    this.setState('loading', 'Getting the device ready…');
    const worker = new Worker(new URL('./model.worker.ts', import.meta.url), { type: 'module', name: 'model' });
    const describeCrash = (message: string): FromModel => ({ type: 'failed', doing: 'open', kind: 'worker', message });
    this.connection = new Connection(worker, (message) => this.hear(message), describeCrash, (milliseconds) => ({ type: 'painted', milliseconds }));
    this.connection.post({ type: 'open', device: deviceChoice() });
  }

  private async fetchExample(name: string, address: string): Promise<void> {
    try {
      const response = await request(address, 'the example');
      const example = new File([await response.blob()], name);
      this.examples.add(example);
      await this.load([example]);
    } catch (error) {
      this.warn('The example could not be loaded.', error instanceof Error ? error.message : String(error));
    }
  }

  /** Opens a model: the first of these files that is one. The others have its weights. */
  private async load(files: readonly File[]): Promise<void> {
    const file = files.find(({ name }) => MODEL.test(name)) ?? files[0];
    if (!file) {
      return;
    }
    const beside = files.filter((other) => other !== file);
    hideNotice(this.notice);
    this.setState('loading', `Opening ${file.name}…`);
    this.opening = [file, ...beside];
    try {
      const bytes = await file.arrayBuffer();
      this.connection.post({ type: 'load', file: file.name, bytes, beside }, [bytes]);
    } catch (error) {
      this.setState('ready', 'The file could not be read.');
      this.warn('The file could not be read.', error instanceof Error ? error.message : String(error));
    }
  }

  private hear(message: FromModel): void {
    switch (message.type) {
      case 'opened':
        return this.onOpen(message.device, message.adapter);
      case 'loaded':
        return this.onLoad(message.description);
      case 'ran':
        showResults(message.result);
        this.show({ ...this.metrics, outputs: message.result.outputs.length });
        return this.setState('ready', 'It ran.');
      case 'answer':
        return this.tuning.onAnswer(message.probabilities);
      case 'progress':
        return this.show({ ...this.metrics, ...this.tuning.onProgress(message) });
      case 'measured':
        return this.show({ ...this.metrics, ...this.tuning.onMeasurement(message) });
      case 'stopped':
        this.tuning.enable(true);
        return this.setState('done', `Done at step ${message.step}: ${this.tuning.verdict} of the test images are read correctly.`);
      case 'restored':
        this.tuning.restart();
        this.show({ ...this.metrics, step: 0, loss: undefined, accuracy: undefined, replays: undefined });
        return this.setState('ready', 'The weights of the file are restored.');
      case 'file':
        return offer(message.file, `${this.file?.name.replace(/\.\w+$/, '') ?? 'model'}-tuned.${message.format}`);
      case 'failed':
        return this.onFailure(message);
    }
  }

  private onOpen(device: DeviceName, adapter: string): void {
    this.show({ device });
    showOpened(device, adapter);
    if (this.file) {
      void this.load(this.files);
    } else {
      this.setState('ready', 'Choose a model.');
    }
  }

  private onLoad(description: Description): void {
    const { file, graph, methods, state } = description;
    [this.files, this.opening] = [this.opening, []];
    hideNotice(this.notice);
    byId('model', HTMLElement).hidden = false;
    byId('about', HTMLElement).hidden = !(this.file && this.examples.has(this.file));
    byId('graph-card', HTMLElement).hidden = !graph;
    byId('script-card', HTMLElement).hidden = !methods;
    byId('results-card', HTMLElement).hidden = true;
    showFacts(description);
    this.inputs.show(description);
    this.tuning.show(description);
    if (graph) {
      this.graph.show(graph);
    }
    this.show({ device: this.metrics['device'], format: description.format, parameters: state.length, nodes: graph?.nodes.length });
    this.setState('ready', `${file} is open.`);
  }

  private onFailure({ doing, kind, message }: Extract<FromModel, { type: 'failed' }>): void {
    const device = this.metrics['device'];
    if (device !== undefined && !FATAL.has(kind)) {
      const [refused] = this.opening;
      this.opening = [];
      const [status, words] = refused ? [stillOpen(this.file), whyRefused(refused.name, message)] : whyFailed(doing, kind, message);
      this.setState('ready', status);
      return this.warn(words, message);
    }
    this.setState('error', 'The model stopped on an error.');
    showFailure({ kind, message }, device, () => this.open());
  }

  private warn(words: string, detail: string): void {
    showNotice(this.notice, words, detail, [{ label: 'Close', act: () => hideNotice(this.notice) }]);
    this.notice.scrollIntoView({ block: 'nearest' });
  }

  /** The model's file that is open. */
  private get file(): File | undefined {
    return this.files[0];
  }

  private show(metrics: Metrics): void {
    this.metrics = metrics;
    publish(metrics);
  }

  private setState(state: State, words: string): void {
    document.documentElement.dataset['state'] = state;
    byId('status', HTMLElement).textContent = words;
    const isIdle = state === 'ready' || state === 'done';
    for (const id of [...LOAD_BUTTONS, 'run']) {
      byId(id, HTMLButtonElement).disabled = !isIdle;
    }
    if (isIdle && this.file) {
      this.tuning.enable(true);
    }
  }
}

function stillOpen(file: File | undefined): string {
  return file ? `${file.name} is still open.` : 'Choose another file.';
}

new ModelPage();
