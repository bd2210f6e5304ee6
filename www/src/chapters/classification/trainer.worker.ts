/** The chapter's training worker. */
import { serveTrainer } from '../../parts/training/worker';
import { ClassificationSession, type Dividing } from './session';

serveTrainer<Dividing, undefined>({
  name: 'classification',
  measureEvery: 90,
  load: async () => undefined,
  begin: (_, seed, settings) => new ClassificationSession(seed, settings),
});
