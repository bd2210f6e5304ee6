/** The chapter's training worker. */
import { type Digits, loadDigits } from '../../parts/digits/data';
import { serveTrainer } from '../../parts/training/worker';
import { type Reading, Session } from './session';

serveTrainer<Reading, Digits>({ name: 'digits', load: loadDigits, begin: (digits, seed, settings) => new Session(digits, seed, settings) });
