/** The model that learns the visitor's text. */
import { manualSeed, noGrad, scope, tensor, type Tensor } from 'lanthorn';
import type { CausalLM } from 'lanthorn/models';
import { readOnce } from '../../parts/training/worker';
import { isDialogue } from './dialogue';
import type { LearningSettings } from './protocol';
import { type Lesson, lessonOf, Windows } from './text';
import { createModel, createTraining, lossOf } from './train';

/** The bytes that the model sees at once. */
export const CONTEXT = 128;

export class Learner {
  step = 0;
  readonly model: CausalLM;
  readonly lesson: Lesson;
  readonly isDialogue: boolean;
  readonly seed: number;
  private settings: LearningSettings;
  private readonly windows: Windows;
  private readonly measured: Tensor;
  private readonly training: ReturnType<typeof createTraining>;

  constructor(text: string, settings: LearningSettings, seed: number) {
    this.lesson = lessonOf(text, CONTEXT);
    this.isDialogue = isDialogue(text);
    this.settings = settings;
    this.seed = seed;
    manualSeed(seed);
    this.windows = new Windows(this.lesson.train, CONTEXT + 1, seed);
    const { measured, windows } = this.lesson;
    this.measured = tensor(measured, { shape: [windows, CONTEXT + 1] });
    this.model = createModel({ width: settings.width, layers: settings.layers, context: CONTEXT });
    this.training = createTraining(this.model, settings.rate);
  }

  get parameters(): number {
    return this.model.parameters().reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0);
  }

  /** The compiled steps that were replayed. */
  get replays(): number {
    return this.training.trainStep.explain().replays;
  }

  /** The learning rate and the batch may change between steps. */
  set now(settings: LearningSettings) {
    this.settings = settings;
    this.training.optimizer.lr = settings.rate;
  }

  /** Trains on the next batch; the loss is not waited for. */
  trainStep(): Tensor {
    this.step += 1;
    const { batch } = this.settings;
    return scope(() => this.training.trainStep(tensor(this.windows.next(batch), { shape: [batch, CONTEXT + 1] })));
  }

  /** The loss of a model on the text that is held back. */
  measure(model: CausalLM = this.model): Promise<number> {
    return readOnce(scope(() => noGrad(() => lossOf(model, this.measured))), async (loss) => Number(await loss.item()));
  }

  dispose(): void {
    this.training.trainStep.reset();
    this.training.optimizer.dispose();
    this.measured.dispose();
    this.model.dispose();
  }
}
