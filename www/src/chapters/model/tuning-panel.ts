/** The page's part of fine-tuning: the choices, the curves, the numbers, the pad. */
import '../../parts/digits/digits.css';
import type { Connection } from '../../parts/connection';
import { Curve } from '../../parts/curve';
import { Confusion } from '../../parts/digits/confusion';
import { Reading } from '../../parts/digits/reading';
import { byId } from '../../parts/dom';
import type { Metrics } from '../../parts/training/automation';
import { choose } from '../../parts/training/controls';
import { type Field, fieldOf } from '../../parts/training/panel';
import { percent } from '../../parts/words';
import { showTiles } from './facts';
import type { Description, FromModel, ToModel } from './protocol';

const BATCH = 64;
const FIELDS: readonly Field[] = [
  { name: 'layer', label: 'Layer', values: [], chosen: '' },
  { name: 'rate', label: 'Learning rate', values: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05], chosen: 0.01 },
  { name: 'batch', label: 'Batch', values: [16, 32, 64, 128, 256], chosen: BATCH },
  { name: 'steps', label: 'Steps', values: [100, 300, 1000, 3000], chosen: 300 },
];

const field = (name: string) => byId(name, HTMLSelectElement);

export class TuningPanel {
  private readonly loss: Curve;
  private readonly accuracy: Curve;
  private readonly confusion: Confusion;
  private readonly reading: Reading;
  private isFixed = false;
  /** The last measured accuracy. */
  verdict = '';

  constructor(private readonly connection: () => Connection<ToModel, FromModel>) {
    byId('tuning-fields', HTMLElement).replaceChildren(...FIELDS.map(fieldOf));
    this.clearNumbers();
    this.loss = new Curve(byId('loss-curve', HTMLElement), { label: 'Loss', colour: '--accent', format: (value) => value.toFixed(2), smooth: true });
    this.accuracy = new Curve(byId('accuracy-curve', HTMLElement), {
      label: 'Test accuracy', colour: '--cool', format: (share) => `${Math.round(100 * share)} %`, range: [0, 1],
    });
    this.confusion = new Confusion(byId('confusion', HTMLTableElement));
    this.reading = new Reading({ ask: (pixels) => this.connection().post({ type: 'ask', pixels }), blank: () => {} });
    for (const format of ['safetensors', 'pt'] as const) {
      byId(`save-${format}`, HTMLButtonElement).addEventListener('click', () => this.connection().post({ type: 'save', format }));
    }
  }

  /** Shows the choices for a model, or why there are none. */
  show({ tuning }: Description): void {
    const isTunable = 'layers' in tuning;
    byId('tunable', HTMLElement).hidden = !isTunable;
    byId('untunable', HTMLElement).hidden = isTunable;
    this.restart();
    if (!isTunable) {
      byId('untunable-words', HTMLElement).textContent =
        `This page trains a layer on its handwritten digits, and they do not fit this model: ${tuning.why}. In a page of your own, any data will do.`;
      return;
    }
    const options = tuning.layers.map(({ name, shape }) => new Option(`${name} (${shape.join(' × ')})`, name));
    field('layer').replaceChildren(...options);
    // A program that was exported for a number of images takes no other.
    const { least, most } = tuning.images;
    this.isFixed = least === most;
    choose(field('batch'), String(Math.min(Math.max(BATCH, least), most)));
    this.enable(true);
  }

  /** Asks the worker to train, and returns the number of steps. */
  train(): number {
    const steps = Number(field('steps').value);
    const settings = { layer: field('layer').value, rate: Number(field('rate').value), batch: Number(field('batch').value) };
    this.connection().post({ type: 'tune', settings, steps });
    this.enable(false);
    return steps;
  }

  /** Clears the curves and the numbers of an earlier training. */
  restart(): void {
    this.loss.clear();
    this.accuracy.clear();
    this.clearNumbers();
    this.reading.forget();
  }

  /** Enables the controls that need an idle worker. */
  enable(isIdle: boolean): void {
    const controls = { tune: isIdle, stop: !isIdle, restore: isIdle };
    for (const [id, enabled] of Object.entries(controls)) {
      byId(id, HTMLButtonElement).disabled = !enabled;
    }
    for (const { name } of FIELDS) {
      field(name).disabled = !isIdle || (name === 'batch' && this.isFixed);
    }
  }

  onProgress({ step, losses, replays }: Extract<FromModel, { type: 'progress' }>): Metrics {
    this.loss.add(losses);
    const loss = losses.at(-1)?.value;
    byId('tuned-step', HTMLElement).textContent = String(step);
    byId('tuned-loss', HTMLElement).textContent = loss?.toFixed(loss < 0.1 ? 4 : 3) ?? '–';
    byId('replays', HTMLElement).textContent = String(replays);
    return { step, loss, replays };
  }

  onMeasurement({ step, evaluation }: Extract<FromModel, { type: 'measured' }>): Metrics {
    const { accuracy } = evaluation;
    this.accuracy.add([{ step, value: accuracy }]);
    this.confusion.show(evaluation.confusion);
    this.verdict = percent(accuracy);
    byId(step === 0 ? 'accuracy-before' : 'accuracy-now', HTMLElement).textContent = this.verdict;
    this.reading.ask();
    return step === 0 ? { before: accuracy, accuracy } : { accuracy };
  }

  onAnswer(probabilities: Float32Array): void {
    this.reading.show(probabilities);
  }

  private clearNumbers(): void {
    showTiles(byId('tuning-numbers', HTMLElement), [
      ['Step', '0', 'tuned-step'],
      ['Loss', '–', 'tuned-loss'],
      ['Accuracy before', '–', 'accuracy-before'],
      ['Accuracy now', '–', 'accuracy-now'],
      ['Compiled steps replayed', '–', 'replays'],
    ]);
  }
}
