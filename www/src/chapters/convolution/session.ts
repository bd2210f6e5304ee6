/** The chapter's network in training, and its intermediate results. */
import { scope, type Tensor } from 'lanthorn';
import { type Digits, SIDE } from '../../parts/digits/data';
import type { Evaluation } from '../../parts/digits/evaluation';
import { type DigitsLesson, DigitsSession } from '../../parts/digits/session';
import { readOnce } from '../../parts/training/worker';
import { createClassifier } from './train';

/** Small images, concatenated. */
export interface Pictures {
  count: number;
  side: number;
  values: Float32Array;
}

/** The network's answer to a drawing. */
export interface Sight {
  probabilities: Float32Array;
  /** The feature maps of each filter of the two layers. */
  first: Pictures;
  second: Pictures;
}

export interface Seeing extends DigitsLesson {
  measurement: Evaluation & { filters: Pictures };
  answer: Sight;
}

export class Session extends DigitsSession<Seeing, ReturnType<typeof createClassifier>> {
  constructor(digits: Digits, seed: number, settings: Seeing['settings']) {
    super(digits, seed, settings, [1, SIDE, SIDE], createClassifier);
  }

  override async measure(): Promise<Seeing['measurement']> {
    const filters = picturesOf(scope(() => this.inference(() => this.classifier.model.conv1.parameters()[0]!.clone())));
    return { ...(await super.measure()), filters: await filters };
  }

  async answer(pixels: Uint8Array): Promise<Sight> {
    const { model } = this.classifier;
    const { first, second, probabilities } = scope(() =>
      this.inference(() => {
        const first = model.first(this.inputOf({ count: 1, pixels }));
        const second = model.second(first);
        return { first, second, probabilities: model.head(second).softmax(1) };
      }),
    );
    const [maps, more, shares] = await Promise.all([picturesOf(first), picturesOf(second), valuesOf(probabilities)]);
    return { first: maps, second: more, probabilities: shares };
  }
}

/** Reads `[.., side, side]`, and disposes of it. */
async function picturesOf(images: Tensor): Promise<Pictures> {
  const side = images.shape.at(-1)!;
  const values = await valuesOf(images);
  return { count: values.length / side ** 2, side, values };
}

async function valuesOf(source: Tensor): Promise<Float32Array> {
  return Float32Array.from(await readOnce(source, (all) => all.data()), Number);
}
