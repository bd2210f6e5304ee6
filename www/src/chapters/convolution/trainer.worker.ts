/** The chapter's training worker. */
import { type Digits, loadDigits } from '../../parts/digits/data';
import { serveTrainer } from '../../parts/training/worker';
import { type Seeing, Session } from './session';

serveTrainer<Seeing, Digits>({ name: 'convolution', load: loadDigits, begin: (digits, seed, settings) => new Session(digits, seed, settings) });
