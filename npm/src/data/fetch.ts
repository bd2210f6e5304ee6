/** The samples of a batch, and errors for samples that fail. */
import { LanthornError } from '../core/errors.js';
import type { Dataset } from './dataset.js';
import { Random } from './random.js';

/** The indices of samples, and the seed and epoch of their random numbers. */
export interface Request {
  indices: readonly number[];
  seed: number;
  epoch: number;
}

/** An error of the user's code, with its subject; the error itself is its `cause`. */
export function concerning(what: string, error: unknown): LanthornError {
  const told = error instanceof Error ? error.message : String(error);
  const { kind = 'data', op = 'DataLoader' } = error instanceof LanthornError ? error : {};
  const message = told.startsWith(`${op}: `) ? told.slice(op.length + 2) : told;
  return new LanthornError(kind, op, `${what}: ${message}`, { cause: error });
}

/** The samples. An exception of the data set is reported with the sample's index. */
export async function fetchSamples<S>(dataset: Dataset<S>, { indices, seed, epoch }: Request): Promise<S[]> {
  const samples: S[] = [];
  for (const index of indices) {
    try {
      const sample = dataset.get(index, new Random(seed, epoch, index));
      // Data that is available already costs no turn of the event loop.
      samples.push(sample instanceof Promise ? await sample : sample);
    } catch (error) {
      throw concerning(`sample ${index}`, error);
    }
  }
  return samples;
}
