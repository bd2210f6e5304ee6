/** The chapter's training worker. */
import { serveTrainer } from '../../parts/training/worker';
import { type WordsLesson, WordsSession } from './session';

serveTrainer<WordsLesson, undefined>({
  name: 'embeddings',
  load: async () => undefined,
  begin: (_, seed, settings) => new WordsSession(seed, settings),
});
