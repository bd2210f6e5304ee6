/** The chapter's training worker. */
import { type Digits, loadDigits } from '../../parts/digits/data';
import { serveTrainer } from '../../parts/training/worker';
import { type Transfer, TransferSession } from './session';

serveTrainer<Transfer, Digits>({
  name: 'features',
  measureEvery: 200,
  load: loadDigits,
  begin: (digits, seed, settings) => new TransferSession(digits, seed, settings),
});
