/**
 * The parts of a page on digits beside the training controls: the accuracy, the confusion matrix,
 * the mistakes, the pad.
 */
import './digits.css';
import { Curve } from '../curve';
import { byId } from '../dom';
import type { Field } from '../training/panel';
import { type Chapter, TrainingPage } from '../training/page';
import { percent } from '../words';
import { Confusion } from './confusion';
import { showMistakes } from './mistakes';
import { Reading } from './reading';
import type { DigitsLesson } from './session';

export const FIELDS: readonly Field[] = [
  { name: 'rate', label: 'Learning rate', values: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05], chosen: 0.005 },
  { name: 'batch', label: 'Batch', values: [16, 32, 64, 128, 256], chosen: 64 },
];

/** The parts that a chapter on digits supplies. */
export interface DigitsChapter<L extends DigitsLesson> extends Pick<Chapter<L>, 'name' | 'worker'> {
  /** The probabilities in an answer. */
  probabilities: (answer: L['answer']) => Float32Array;
  /** Shows more of a measurement, of an answer, or of an empty pad. */
  onMeasurement?: (measurement: L['measurement']) => void;
  onAnswer?: (answer: L['answer']) => void;
  blank?: () => void;
  /** Begins with a test image instead of a drawing. */
  example?: boolean;
}

/** Builds the page of a chapter on digits. */
export function beginDigitsPage<L extends DigitsLesson>(chapter: DigitsChapter<L>): TrainingPage<L> {
  const accuracyCurve = new Curve(byId('accuracy-curve', HTMLElement), {
    label: 'Test accuracy',
    colour: '--cool',
    format: (share) => `${Math.round(100 * share)} %`,
    range: [0, 1],
  });
  const confusion = new Confusion(byId('confusion', HTMLTableElement));
  const reading = new Reading({ ask: (pixels) => page.ask(pixels), blank: () => chapter.blank?.() });
  let accuracy = 0;

  const page: TrainingPage<L> = new TrainingPage<L>({
    fields: FIELDS,
    steps: { values: [200, 600, 2000, 10000], chosen: 600 },
    tiles: [{ id: 'accuracy-number', label: 'Test accuracy' }],
    curves: { accuracy: accuracyCurve },
    name: chapter.name,
    worker: chapter.worker,
    onMeasurement(evaluation, step) {
      ({ accuracy } = evaluation);
      accuracyCurve.add([{ step, value: accuracy }]);
      byId('accuracy-number', HTMLElement).textContent = percent(accuracy);
      confusion.show(evaluation.confusion);
      showMistakes(byId('mistakes', HTMLElement), step === 0 ? [] : evaluation.mistakes);
      byId('no-mistakes', HTMLElement).textContent = wordsOnMistakes(step, evaluation.mistakes.length);
      chapter.onMeasurement?.(evaluation);
      return { accuracy };
    },
    verdict: () => `${percent(accuracy)} of the test images are read correctly`,
    onAnswer(answer) {
      reading.show(chapter.probabilities(answer));
      chapter.onAnswer?.(answer);
    },
    ask: () => reading.ask(),
    forget: () => reading.forget(),
  });
  page.begin();
  if (chapter.example) {
    void reading.showExample();
  }
  return page;
}

function wordsOnMistakes(step: number, count: number): string {
  if (step === 0) {
    return 'The network has not been trained yet.';
  }
  return count === 0 ? 'None: every test image is read correctly.' : '';
}
