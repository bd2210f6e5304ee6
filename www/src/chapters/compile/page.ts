/**
 * The chapter's page: it asks the worker to measure a training step, and shows its graphs, kernels
 * and times.
 */
import '../../parts/base.css';
import '../../parts/training/training.css';
import './style.css';
import type { CompileReport } from 'lanthorn';
import { showNoDevice } from '../../parts/badge';
import { showCode } from '../../parts/code';
import { Connection } from '../../parts/connection';
import { byId, make } from '../../parts/dom';
import { GraphPanel } from '../../parts/graph/panel';
import { hideNotice } from '../../parts/notice';
import { type Metrics, publish, readAddress } from '../../parts/training/automation';
import { choose } from '../../parts/training/controls';
import { deviceChoice, showFailure, showOpened } from '../../parts/training/device';
import { DEVICE, type Field, fieldOf } from '../../parts/training/panel';
import type { DeviceName } from '../../parts/training/protocol';
import { showKernels } from './kernel-list';
import { titles, type NetworkName } from './networks/names';
import attentionSource from './networks/attention.ts?raw';
import convSource from './networks/conv.ts?raw';
import mlpSource from './networks/mlp.ts?raw';
import type { Change, FromCompiler, Graphs, Measurement, ToCompiler } from './protocol';
import stepSource from './step.ts?raw';
import { millisecondsInWords, showTimes } from './step-times';

type State = 'loading' | 'ready' | 'error';
type GraphName = keyof Graphs;

const SOURCES: Readonly<Record<NetworkName, string>> = { mlp: mlpSource, conv: convSource, attention: attentionSource };
const NETWORK: Field = {
  name: 'network', label: 'Network', values: Object.keys(titles), chosen: 'mlp', words: (value) => titles[value as NetworkName],
};
const GRAPH_WORDS: Readonly<Record<GraphName, string>> = {
  traced: 'The network and its loss as exportProgram writes them: the operations of the forward pass, by their names in ATen.',
  recorded: 'The kernels that the operations of the whole step record, with the backward pass and the optimizer, before any of them is fused.',
  fused: 'The kernels that run. Each computes the operations that its row below lists; + counts those fused into it.',
};

class CompilePage {
  private readonly badge = byId('badge', HTMLElement);
  private readonly notice = byId('notice', HTMLElement);
  private readonly graph = new GraphPanel(byId('graph-card', HTMLElement));
  private connection!: Connection<ToCompiler, FromCompiler>;
  private device: DeviceName | undefined;
  private graphs: Graphs | undefined;
  private shown: GraphName = 'fused';
  private metrics: Metrics = {};

  constructor() {
    byId('fields', HTMLElement).append(fieldOf(NETWORK), fieldOf(DEVICE));
    choose(byId('device', HTMLSelectElement), readAddress(location.search).device);
    byId('device', HTMLSelectElement).addEventListener('change', () => this.open());
    byId('network', HTMLSelectElement).addEventListener('change', () => this.measure());
    byId('measure', HTMLButtonElement).addEventListener('click', () => this.measure());
    for (const button of buttonsOf('changes')) {
      button.addEventListener('click', () => this.call(button.dataset['change'] as Change));
    }
    for (const button of buttonsOf('graphs')) {
      button.addEventListener('click', () => this.showGraph(button.dataset['graph'] as GraphName));
    }
    this.open();
  }

  /** Starts a worker on the chosen device, which measures at once. */
  private open(): void {
    this.connection?.end();
    this.show({});
    this.device = undefined;
    hideNotice(this.notice);
    showNoDevice(this.badge, 'Looking for a device…');
    this.setState('loading', 'Getting the device ready…');
    const worker = new Worker(new URL('./compile.worker.ts', import.meta.url), { type: 'module', name: 'compile' });
    const describeCrash = (message: string): FromCompiler => ({ type: 'failed', kind: 'worker', message });
    this.connection = new Connection(worker, (message) => this.hear(message), describeCrash);
    this.connection.post({ type: 'open', device: deviceChoice() });
  }

  private measure(): void {
    const network = byId('network', HTMLSelectElement).value as NetworkName;
    this.setState('loading', `Measuring: ${titles[network]}…`);
    this.connection.post({ type: 'measure', network });
  }

  private call(change: Change): void {
    this.setState('loading', 'Calling the compiled step…');
    this.connection.post({ type: 'call', change });
  }

  private hear(message: FromCompiler): void {
    switch (message.type) {
      case 'opened':
        this.device = message.device;
        showOpened(message.device, message.adapter);
        return this.measure();
      case 'measured':
        return this.onMeasurement(message.network, message.measurement);
      case 'called':
        byId('called', HTMLElement).textContent = `${message.words} Loss ${message.loss.toFixed(4)}.`;
        this.showReport(message.report);
        return this.setState('ready', 'The compiled step was called.');
      case 'failed':
        this.setState('error', 'The step stopped on an error.');
        return showFailure(message, this.device, () => this.open());
    }
  }

  private onMeasurement(network: NetworkName, measurement: Measurement): void {
    const { graphs, kernels, eager, compiled, report, note } = measurement;
    const recorded = graphs.recorded.nodes.length;
    byId('measured', HTMLElement).hidden = false;
    hideNotice(this.notice);
    showCode(byId('source', HTMLElement), `${SOURCES[network]}\n// step.ts\n${stepSource}`);
    showTimes(measurement, this.device!);
    showKernels(kernels, recorded, note);
    showCounts([
      ['Operations called', graphs.traced.nodes.length, 'in the forward pass'],
      ['Kernels recorded', recorded, 'in the whole step'],
      ['Kernels run', kernels.length, 'after fusion'],
      ['Host time a step', millisecondsInWords(compiled.host), `eager ${millisecondsInWords(eager.host)}`],
    ]);
    this.graphs = graphs;
    this.showGraph(this.shown);
    byId('called', HTMLElement).textContent = 'Press a button: the compiled step is called once.';
    this.show({
      device: this.device, network, operations: graphs.traced.nodes.length, recorded, kernels: kernels.length,
      eagerHost: eager.host, compiledHost: compiled.host, deviceTime: measurement.device,
    });
    this.showReport(report);
    this.setState('ready', `Measured: ${titles[network]}.`);
  }

  private showGraph(name: GraphName): void {
    this.shown = name;
    for (const button of buttonsOf('graphs')) {
      button.ariaPressed = String(button.dataset['graph'] === name);
    }
    byId('graph-kind', HTMLElement).textContent = GRAPH_WORDS[name];
    this.graph.show(this.graphs![name]);
  }

  private showReport(report: CompileReport): void {
    const { recordings, replays, calls, breaks } = report;
    const lines = [
      'compiled.explain()',
      `// recordings: ${recordings.map((kernels) => `${kernels} kernels`).join(', ')}`,
      `// replays: ${replays}`,
      `// calls of your code: ${calls}`,
      `// breaks: ${breaks.join(', ') || 'none'}`,
    ];
    showCode(byId('report', HTMLElement), lines.join('\n'));
    this.show({ ...this.metrics, recordings: recordings.length, replays });
  }

  private show(metrics: Metrics): void {
    this.metrics = metrics;
    publish(metrics);
  }

  private setState(state: State, words: string): void {
    document.documentElement.dataset['state'] = state;
    byId('status', HTMLElement).textContent = words;
    byId('network', HTMLSelectElement).disabled = state !== 'ready';
    for (const button of [byId('measure', HTMLButtonElement), ...buttonsOf('changes')]) {
      button.disabled = state !== 'ready';
    }
  }
}

function showCounts(tiles: readonly (readonly [label: string, value: string | number, words: string])[]): void {
  byId('counts', HTMLElement).replaceChildren(...tiles.map(([label, value, words]) =>
    make('div', {}, [
      make('dt', { textContent: label }),
      make('dd', { textContent: String(value) }),
      make('dd', { className: 'soft', textContent: words }),
    ])));
}

const buttonsOf = (id: string) => [...byId(id, HTMLElement).querySelectorAll('button')];

new CompilePage();
