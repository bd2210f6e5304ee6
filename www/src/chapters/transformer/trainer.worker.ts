/** The chapter's training worker. */
import { serveTrainer } from '../../parts/training/worker';
import { type Adding, AddingSession, type Sums } from './session';
import { allSums } from './sums';

serveTrainer<Adding, Sums>({ name: 'transformer', load: async () => allSums(), begin: (sums, seed, settings) => new AddingSession(sums, seed, settings) });
