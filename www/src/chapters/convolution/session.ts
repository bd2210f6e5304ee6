/** The chapter's network in training, and its intermediate results. */
import { scope } from 'lanthorn';
import { type Digits, SIDE } from '../../parts/digits/data';
import type { Evaluation } from '../../parts/digits/evaluation';
import { type Pictures, picturesOf } from '../../parts/digits/pictures';
import { type DigitsLesson, DigitsSession } from '../../parts/digits/session';
import { readValues } from '../../parts/training/worker';
import { createClassifier } from './train';

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
    const [maps, more, shares] = await Promise.all([picturesOf(first), picturesOf(second), readValues(probabilities)]);
    return { first: maps, second: more, probabilities: shares };
  }
}
