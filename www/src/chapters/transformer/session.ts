/** The chapter's network in training: its steps, its accuracy, its answers, and its attention. */
import { cat, manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import { DataLoader, TensorDataset } from 'lanthorn/data';
import { Batches } from '../../parts/training/batches';
import type { Parts } from '../../parts/training/checkpoint';
import type { Lesson } from '../../parts/training/protocol';
import type { Session } from '../../parts/training/session';
import { readOnce } from '../../parts/training/worker';
import { CHARACTERS, type Examples, examplesOf, LENGTH, numberIn, type Order, promptOf, shareRight, type Sum, tokensOf, writeOn } from './sums';
import { createGPT } from './train';

export const WIDTH = 64;
export const HEADS = 4;
/** An epoch is long, so the network is measured once in this many steps. */
const MEASURE_EVERY = 20;

export interface Sums {
  train: Sum[];
  heldOut: Sum[];
}

/** A sum and the network's text after its `=`. */
export interface Sample extends Sum {
  written: string;
  /** The number in the answer; NaN if it is none. */
  said: number;
}

/** The network's answer to the visitor's sum, and the attention of each character. */
export interface Thought extends Sample {
  /** The characters that it read, `27+45=27`. */
  text: string;
  layers: number;
  heads: number;
  /** The weights, `[layers, heads, LENGTH, LENGTH]`; positions after the text are meaningless. */
  attention: Float32Array;
}

export interface Adding extends Lesson {
  settings: { rate: number; batch: number; layers: number; order: Order };
  measurement: { share: number; samples: Sample[] };
  question: Sum;
  answer: Thought;
}

/** The number of sums shown during training, and how many of them have one digit each. */
const SHOWN = 12;
const SHORT = 3;

export class AddingSession implements Session<Adding> {
  private current: Adding['settings'];
  private readonly gpt: ReturnType<typeof createGPT>;
  private readonly batches: Batches<[Tensor, Tensor]>;
  private readonly heldOut: Examples;
  private readonly shown: readonly Sum[];
  private readonly text: Tensor;
  private readonly next: Tensor;
  private readonly heldOutText: Tensor;
  private steps = 0;

  constructor({ train, heldOut }: Sums, seed: number, settings: Adding['settings']) {
    manualSeed(seed);
    this.current = settings;
    const { layers, order, rate } = settings;
    const examples = examplesOf(train, order);
    this.text = textsOf(examples.text);
    this.next = textsOf(examples.next);
    this.heldOut = examplesOf(heldOut, order);
    this.heldOutText = textsOf(this.heldOut.text);
    this.shown = chooseShown(heldOut);
    const lesson = new TensorDataset(this.text, this.next);
    // The incomplete batch at the end of an epoch is skipped: every step then has the same shapes,
    // and the runtime replays one plan.
    this.batches = new Batches((batchSize) => new DataLoader(lesson, { batchSize, shuffle: true, dropLast: true, seed }), settings.batch);
    this.gpt = createGPT({ characters: CHARACTERS.length, length: LENGTH, width: WIDTH, heads: HEADS, layers }, rate);
  }

  get settings(): Adding['settings'] {
    return this.current;
  }

  set settings(settings: Adding['settings']) {
    this.current = settings;
    // The base learning rate, which the schedule scales at every step.
    const { schedule } = this.gpt;
    schedule.loadStateDict({ ...schedule.stateDict(), base_lrs: [settings.rate] });
  }

  get epoch(): number {
    return Math.floor(this.steps / MEASURE_EVERY);
  }

  get parts(): Parts {
    const { model, optimizer, schedule } = this.gpt;
    return { model, optimizer, schedule, batches: this.batches };
  }

  async trainStep(): Promise<Tensor> {
    this.steps += 1;
    const [text, next] = await this.batches.next(this.current.batch);
    return this.gpt.trainStep(text, next);
  }

  /** The fraction of held-out sums that it gets right, with a few of its answers. */
  async measure(): Promise<Adding['measurement']> {
    const predicted = await this.predict(this.heldOutText);
    return { share: shareRight(this.heldOut, predicted), samples: await this.write(this.shown) };
  }

  async answer(sum: Sum): Promise<Thought> {
    const [sample] = await this.write([sum]);
    const text = promptOf(sum) + sample!.written.trimEnd().slice(0, LENGTH - promptOf(sum).length);
    const attention = scope(() => noGrad(() => cat(this.gpt.model.attention(textsOf(tokensOf(text))))));
    const values = await readOnce(attention, (weights) => weights.data());
    return { ...sample!, text, layers: this.current.layers, heads: HEADS, attention: Float32Array.from(values, Number) };
  }

  dispose(): void {
    const { model, optimizer, schedule } = this.gpt;
    for (const held of [this.text, this.next, this.heldOutText, schedule, optimizer, model]) {
      held.dispose();
    }
  }

  private async write(sums: readonly Sum[]): Promise<Sample[]> {
    const written = await writeOn(sums.map(promptOf), (tokens) => this.predict(tokens));
    return sums.map((sum, index) => ({ ...sum, written: written[index]!, said: numberIn(written[index]!, this.current.order) }));
  }

  /** The most likely next token at every position. */
  private predict(texts: Tensor | Int32Array): Promise<ArrayLike<number | bigint>> {
    const best = scope(() => noGrad(() => this.gpt.model.call(texts instanceof Int32Array ? textsOf(texts) : texts).argmax(-1)));
    return readOnce(best, (tokens) => tokens.data());
  }
}

/** Tokens of texts, `[texts, LENGTH]`. */
function textsOf(tokens: Int32Array): Tensor {
  return tensor(tokens, { shape: [tokens.length / LENGTH, LENGTH], dtype: 'int32' });
}

function chooseShown(heldOut: readonly Sum[]): Sum[] {
  const isShort = ({ first, second }: Sum) => first < 10 && second < 10;
  return [...heldOut.filter(isShort).slice(0, SHORT), ...heldOut.filter((sum) => !isShort(sum))].slice(0, SHOWN);
}
