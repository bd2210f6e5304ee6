/** Helpers around modules, as `torch.nn.utils`. */
import { padSequence } from './operations.generated.js';

/** Helpers for sequences of different lengths. */
export const rnn = { padSequence };
