/** The page's part of training: the text, the choices, the curves. */
import type { Connection } from '../../parts/connection';
import { Curve } from '../../parts/curve';
import { byId } from '../../parts/dom';
import type { Metrics } from '../../parts/training/automation';
import { type Field, fieldOf } from '../../parts/training/panel';
import { sampleText } from './dialogue';
import { numberField, numberIn } from './inputs';
import type { Begun, FromChat, LearningSettings, ToChat } from './protocol';

/** The longest text that is learnt. */
const MAX_CHARACTERS = 20_000_000;

// Rows of blocks have multiples of 32 numbers, and so have these widths and three times them.
const FIELDS: readonly Field[] = [
  { name: 'width', label: 'Width', values: [64, 128, 256], chosen: 64 },
  { name: 'layers', label: 'Layers', values: [1, 2, 4, 6], chosen: 2 },
  { name: 'batch', label: 'Batch', values: [4, 8, 16, 32], chosen: 8 },
  { name: 'steps', label: 'Steps', values: [50, 200, 500, 2000], chosen: 500 },
];
const select = (name: string) => byId(name, HTMLSelectElement);

export class LearningPanel {
  private readonly text = byId('text', HTMLTextAreaElement);
  private readonly loss: Curve;
  private readonly held: Curve;
  /** The text, width and number of layers of the model; other values need a new model. */
  private madeOf: string | undefined;
  step = 0;
  heldLoss: number | undefined;

  constructor(
    private readonly connection: () => Connection<ToChat, FromChat>,
    private readonly seed: number,
  ) {
    const [width, layers, batch, steps] = FIELDS.map(fieldOf);
    const rate = numberField({ name: 'rate', label: 'Learning rate', value: 0.002, min: 0, step: 'any' });
    byId('learning-fields', HTMLElement).replaceChildren(width!, layers!, rate, batch!, steps!);
    const format = (value: number) => value.toFixed(2);
    this.loss = new Curve(byId('loss-curve', HTMLElement), { label: 'Loss', colour: '--accent', format, smooth: true });
    this.held = new Curve(byId('held-curve', HTMLElement), { label: 'Loss on text held back', colour: '--cool', format });
    this.text.value = sampleText();
    this.text.addEventListener('input', () => this.describeText());
    this.describeText();
  }

  /**
   * Asks the worker for steps, of a new model if necessary. Returns their number, or `undefined`
   * and shows the reason.
   */
  train(): number | undefined {
    const rate = numberIn('rate');
    const text = this.text.value;
    if (rate === undefined) {
      return undefined;
    }
    if (text === '' || text.length > MAX_CHARACTERS) {
      this.text.setCustomValidity(text === '' ? 'Paste a text first.' : `At most ${MAX_CHARACTERS.toLocaleString('en')} characters, please.`);
      this.text.reportValidity();
      return undefined;
    }
    const settings: LearningSettings = { rate, width: Number(select('width').value), layers: Number(select('layers').value), batch: Number(select('batch').value) };
    const madeOf = `${settings.width} ${settings.layers} ${text}`;
    if (madeOf !== this.madeOf) {
      this.madeOf = madeOf;
      this.connection().post({ type: 'begin', text, settings, seed: this.seed });
    }
    const steps = Number(select('steps').value);
    this.connection().post({ type: 'train', steps, settings });
    return steps;
  }

  /** The next training begins with a new model. */
  reset(): void {
    this.madeOf = undefined;
    this.step = 0;
    this.heldLoss = undefined;
    this.loss.clear();
    this.held.clear();
    byId('begun-words', HTMLElement).textContent = '';
  }

  onBegin({ parameters, trainBytes, isHeldBack, isDialogue }: Begun): void {
    this.step = 0;
    this.loss.clear();
    this.held.clear();
    const held = isHeldBack ? 'The last tenth is held back.' : 'The text is too short to hold a part back, so the loss below is measured on the learnt text.';
    const form = isDialogue ? ' It learns questions and answers: what you ask is written in their form.' : ' It continues what you write.';
    byId('begun-words', HTMLElement).textContent =
      `A model of ${parameters.toLocaleString('en')} numbers learns ${trainBytes.toLocaleString('en')} bytes. ${held}${form}`;
  }

  onProgress({ step, losses, stepsPerSecond, replays }: Extract<FromChat, { type: 'progress' }>): Metrics {
    this.step = step;
    this.loss.add(losses);
    const loss = losses.at(-1)?.value;
    return { step, replays, ...(loss !== undefined && { loss }), stepsPerSecond };
  }

  onMeasurement({ step, loss }: Extract<FromChat, { type: 'measured' }>): Metrics {
    this.heldLoss = loss;
    this.held.add([{ step, value: loss }]);
    return { heldLoss: loss };
  }

  /** Enables the controls that a state of the page allows. */
  enable(isIdle: boolean, isTraining: boolean): void {
    byId('train', HTMLButtonElement).disabled = !isIdle;
    byId('train', HTMLButtonElement).textContent = this.step > 0 ? 'Train on' : 'Train';
    byId('pause', HTMLButtonElement).disabled = !isTraining;
    byId('reset', HTMLButtonElement).disabled = !isIdle || this.madeOf === undefined;
    for (const name of ['width', 'layers', 'batch', 'steps']) {
      select(name).disabled = !isIdle;
    }
    byId('rate', HTMLInputElement).disabled = !isIdle;
    this.text.disabled = isTraining;
  }

  private describeText(): void {
    this.text.setCustomValidity('');
    byId('text-words', HTMLElement).textContent = `${this.text.value.length.toLocaleString('en')} characters.`;
  }
}
