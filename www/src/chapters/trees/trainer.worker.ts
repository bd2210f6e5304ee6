/** The chapter's training worker. */
import { serveTrainer } from '../../parts/training/worker';
import { type TreesLesson, TreesSession } from './session';

serveTrainer<TreesLesson, undefined>({
  name: 'trees',
  load: async () => undefined,
  begin: (_, seed, settings) => new TreesSession(seed, settings),
  // A measurement is more work than a step.
  measureEvery: 1500,
});
