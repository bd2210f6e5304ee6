/** A training step as a subject, whose answer is the losses of the first steps. */
import { training } from '../cases/training';
import type { Subject } from './engine';

/** `step` makes a step and reads its loss back. */
export function createTraining(step: () => Promise<number>): Subject {
  const losses: number[] = [];
  const run = async () => void losses.push(await step());
  return {
    run,
    async answer() {
      while (losses.length < training.compared) await run();
      return Float32Array.from(losses.slice(0, training.compared));
    },
  };
}
