/** The chapter's training worker. */
import { type Digits, loadDigits } from '../../parts/digits/data';
import { serveTrainer } from '../../parts/training/worker';
import { type Quantizing, QuantizingSession } from './session';

serveTrainer<Quantizing, Digits>({ name: 'quantization', load: loadDigits, begin: (digits, seed, settings) => new QuantizingSession(digits, seed, settings) });
