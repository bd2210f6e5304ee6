/** The network in training: attributions of drawings, and the inversion that draws an image. */
import { scope, type Tensor } from 'lanthorn';
import { type Digits, SIDE } from '../../parts/digits/data';
import type { Evaluation } from '../../parts/digits/evaluation';
import { type ClassifierLesson, DigitsSession } from '../../parts/digits/session';
import { readValues } from '../../parts/training/worker';
import { type Pictures, picturesOf } from '../../parts/digits/pictures';
import { createClassifier } from '../convolution/train';
import { integratedGradients, Inversion, type Penalty, saliency, smoothGrad } from './explain';

export type Method = 'saliency' | 'smooth' | 'integrated';

/** A digit, or a filter of one of the layers, counted from 0. */
export interface Target {
  kind: 'digit' | 'first' | 'second';
  index: number;
}

/** Which pixels of a drawing speak for a digit; for the most likely digit if none is named. */
export interface Explain {
  ask: 'explain';
  pixels: Uint8Array;
  method: Method;
  digit: number | undefined;
}

/** More steps of the image that excites a target, or its first ones. */
export interface Invert {
  ask: 'invert';
  target: Target;
  penalty: Penalty;
  isNew: boolean;
}

export interface Explanation {
  kind: 'explained';
  probabilities: Float32Array;
  digit: number;
  /** The attribution of each pixel: positive for the digit, negative against it. */
  map: Float32Array;
  first: Pictures;
  second: Pictures;
}

export interface Inverted {
  kind: 'inverted';
  pixels: Float32Array;
  probabilities: Float32Array;
  /** The score of a digit, or the mean activation of a filter. */
  score: number;
  steps: number;
}

export interface Looking extends ClassifierLesson {
  measurement: Evaluation & { filters: Pictures };
  question: Explain | Invert;
  answer: Explanation | Inverted;
}

const METHODS = { saliency, smooth: smoothGrad, integrated: integratedGradients } as const;
/** Steps of an inversion between two pictures. */
const STEPS = 5;

export class LookingSession extends DigitsSession<Looking, ReturnType<typeof createClassifier>> {
  private inversion: { image: Inversion; steps: number } | undefined;

  constructor(digits: Digits, seed: number, settings: Looking['settings']) {
    super(digits, seed, settings, [1, SIDE, SIDE], createClassifier);
  }

  override async measure(): Promise<Looking['measurement']> {
    const filters = picturesOf(scope(() => this.inference(() => this.classifier.model.conv1.weight.clone())));
    return { ...(await super.measure()), filters: await filters };
  }

  answer(question: Looking['question']): Promise<Looking['answer']> {
    return question.ask === 'explain' ? this.explain(question) : this.invert(question);
  }

  override dispose(): void {
    this.inversion?.image.dispose();
    super.dispose();
  }

  private async explain({ pixels, method, digit: asked }: Explain): Promise<Explanation> {
    const { model } = this.classifier;
    const image = scope(() => this.inputOf({ count: 1, pixels }));
    try {
      const { first, second, shares } = scope(() =>
        this.inference(() => {
          const first = model.first(image);
          const second = model.second(first);
          return { first, second, shares: model.head(second).softmax(1) };
        }),
      );
      const [maps, more, probabilities] = await Promise.all([picturesOf(first), picturesOf(second), readValues(shares)]);
      const digit = asked ?? probabilities.indexOf(Math.max(...probabilities));
      const map = await readValues(scope(() => this.evaluating(() => METHODS[method](model, image, digit))));
      return { kind: 'explained', probabilities, digit, map, first: maps, second: more };
    } finally {
      image.dispose();
    }
  }

  private async invert({ target, penalty, isNew }: Invert): Promise<Inverted> {
    if (isNew || !this.inversion) {
      this.inversion?.image.dispose();
      this.inversion = { image: scope(() => new Inversion()), steps: 0 };
    }
    const { image } = this.inversion;
    let liked: Tensor | undefined;
    for (let step = 0; step < STEPS; step += 1) {
      liked?.dispose();
      liked = scope(() => this.evaluating(() => image.step((picture) => this.scoreOf(picture, target), penalty)));
    }
    this.inversion.steps += STEPS;
    const { steps } = this.inversion;
    const { drawn, shares } = scope(() =>
      this.inference(() => {
        const drawn = image.image();
        return { drawn, shares: this.classifier.model.call(drawn).softmax(1) };
      }),
    );
    const [[score], pixels, probabilities] = await Promise.all([readValues(liked!), readValues(drawn), readValues(shares)]);
    return { kind: 'inverted', pixels, probabilities, score: score!, steps };
  }

  private scoreOf(image: Tensor, { kind, index }: Target): Tensor {
    const { model } = this.classifier;
    if (kind === 'digit') {
      return model.call(image).select(1, index).sum();
    }
    const first = model.first(image);
    const maps = kind === 'first' ? first : model.second(first);
    return maps.select(1, index).mean().mul(10);
  }

  /** Runs the network in evaluation mode, with gradients. */
  private evaluating<T>(run: () => T): T {
    const { model } = this.classifier;
    model.eval();
    try {
      return run();
    } finally {
      model.train();
    }
  }
}
