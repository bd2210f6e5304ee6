/** A batch's samples, and what is said of one that cannot be had. */
import { LanthornError } from '../errors.js';
import type { Dataset } from './dataset.js';
import { Random } from './random.js';

/** Which samples, and what their random numbers follow from. */
export interface Request {
  indices: readonly number[];
  seed: number;
  epoch: number;
}

/** An error of user's code, with what it concerns; the error itself is its `cause`. */
export function concerning(what: string, error: unknown): LanthornError {
  const told = error instanceof Error ? error.message : String(error);
  const { kind = 'data', op = 'DataLoader' } = error instanceof LanthornError ? error : {};
  const message = told.startsWith(`${op}: `) ? told.slice(op.length + 2) : told;
  return new LanthornError(kind, op, `${what}: ${message}`, { cause: error });
}

/** The samples. What the data set throws comes with the sample's index. */
export async function fetchSamples<S>(dataset: Dataset<S>, { indices, seed, epoch }: Request): Promise<S[]> {
  const samples: S[] = [];
  for (const index of indices) {
    try {
      const sample = dataset.get(index, new Random(seed, epoch, index));
      // Data that is there already costs no turn of the event loop.
      samples.push(sample instanceof Promise ? await sample : sample);
    } catch (error) {
      throw concerning(`sample ${index}`, error);
    }
  }
  return samples;
}
