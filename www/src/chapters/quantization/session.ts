/** The network in training, and its comparison with copies in other formats. */
import type { Tensor } from 'lanthorn';
import { type Digits, PIXELS } from '../../parts/digits/data';
import { type ClassifierLesson, DigitsSession } from '../../parts/digits/session';
import { compare, type LayerName, type Row, type Weights, weightsOf } from './compare';
import type { Format } from './formats';
import { createClassifier } from './train';

export interface Question {
  layer: LayerName;
  format: Format;
  /** Whether the formats are to be compared, which takes longer than to look at weights. */
  isWhole: boolean;
}

export interface Answer {
  weights: Weights;
  rows: Row[] | undefined;
}

export interface Quantizing extends ClassifierLesson {
  settings: { rate: number; batch: number; aware: string };
  question: Question;
  answer: Answer;
}

export class QuantizingSession extends DigitsSession<Quantizing, ReturnType<typeof createClassifier>> {
  private readonly inputs: Tensor;
  private readonly answers: Uint8Array;

  constructor(digits: Digits, seed: number, settings: Quantizing['settings']) {
    // Every step asks for the bits that are chosen then.
    super(digits, seed, settings, [PIXELS], (rate) => {
      const classifier = createClassifier(rate);
      return { ...classifier, trainStep: (images, labels) => classifier.trainStep(images, labels, Number(this.settings.aware)) };
    });
    this.inputs = this.inputOf(digits.test);
    this.answers = digits.test.labels;
  }

  async answer({ layer, format, isWhole }: Question): Promise<Answer> {
    const { model } = this.classifier;
    const weights = await weightsOf(model, layer, format);
    return { weights, rows: isWhole ? await compare(model, this.inputs, this.answers) : undefined };
  }

  override dispose(): void {
    this.inputs.dispose();
    super.dispose();
  }
}
