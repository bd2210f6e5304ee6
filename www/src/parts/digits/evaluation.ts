/** A network measured on all test images. */
import { CLASSES, imageAt, type Images } from './data';

const MISTAKES_SHOWN = 24;

export interface Evaluation {
  /** The fraction of test images read correctly, 0 to 1. */
  accuracy: number;
  /** Row `label`, column `predicted`: the number of test images. Ten rows of ten, concatenated. */
  confusion: number[];
  /** The images it got wrong, the most confident mistakes first. */
  mistakes: Mistake[];
}

/** A test image that the network reads wrongly. */
export interface Mistake {
  pixels: Uint8Array;
  label: number;
  predicted: number;
  /** The probability of `predicted`. */
  confidence: number;
}

/** `probabilities` are ten per image, concatenated. */
export function evaluationOf(probabilities: ArrayLike<number>, test: Images): Evaluation {
  const confusion = new Array<number>(CLASSES * CLASSES).fill(0);
  const mistakes: Mistake[] = [];
  for (let index = 0; index < test.count; index += 1) {
    const row = Array.from({ length: CLASSES }, (_, digit) => probabilities[CLASSES * index + digit]!);
    const predicted = row.indexOf(Math.max(...row));
    const label = test.labels[index]!;
    confusion[CLASSES * label + predicted]! += 1;
    if (predicted !== label) {
      mistakes.push({ pixels: imageAt(test, index).slice(), label, predicted, confidence: row[predicted]! });
    }
  }
  mistakes.sort((one, other) => other.confidence - one.confidence);
  return { accuracy: 1 - mistakes.length / test.count, confusion, mistakes: mistakes.slice(0, MISTAKES_SHOWN) };
}
