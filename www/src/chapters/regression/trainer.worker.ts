/** The chapter's training worker. */
import { serveTrainer } from '../../parts/training/worker';
import { type Fitting, RegressionSession } from './session';

serveTrainer<Fitting, undefined>({
  name: 'regression',
  // A line that moves is looked at more often than a table of numbers.
  measureEvery: 60,
  load: async () => undefined,
  begin: (_, seed, settings) => new RegressionSession(seed, settings),
});
