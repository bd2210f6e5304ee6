/** The chapter's training worker. */
import { serveTrainer } from '../../parts/training/worker';
import { type Forecasting, RecurrentSession } from './session';

serveTrainer<Forecasting, undefined>({
  name: 'recurrent',
  load: async () => undefined,
  begin: (_, seed, settings) => new RecurrentSession(seed, settings),
});
