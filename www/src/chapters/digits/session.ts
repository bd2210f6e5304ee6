/** The chapter's network in training. */
import { scope } from 'lanthorn';
import { type Digits, PIXELS } from '../../parts/digits/data';
import { type DigitsLesson, DigitsSession } from '../../parts/digits/session';
import { readOnce } from '../../parts/training/worker';
import { createClassifier } from './train';

export interface Reading extends DigitsLesson {
  /** The ten probabilities of a drawing. */
  answer: Float32Array;
}

export class Session extends DigitsSession<Reading> {
  constructor(digits: Digits, seed: number, settings: Reading['settings']) {
    super(digits, seed, settings, [PIXELS], createClassifier);
  }

  async answer(pixels: Uint8Array): Promise<Float32Array> {
    const probabilities = scope(() => this.inference(() => this.classifier.model.call(this.inputOf({ count: 1, pixels })).softmax(1)));
    return Float32Array.from(await readOnce(probabilities, (row) => row.data()), Number);
  }
}
