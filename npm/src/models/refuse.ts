/** The error of a configuration. */
import { LanthornError } from '../core/errors.js';

export function refuse(message: string): LanthornError {
  return new LanthornError('file', 'config.json', message);
}
