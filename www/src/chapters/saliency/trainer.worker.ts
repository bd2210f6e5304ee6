/** The chapter's training worker. */
import { type Digits, loadDigits } from '../../parts/digits/data';
import { serveTrainer } from '../../parts/training/worker';
import { type Looking, LookingSession } from './session';

serveTrainer<Looking, Digits>({ name: 'saliency', load: loadDigits, begin: (digits, seed, settings) => new LookingSession(digits, seed, settings) });
