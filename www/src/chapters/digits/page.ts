/** The chapter's page. */
import { showCode } from '../../parts/code';
import { beginDigitsPage } from '../../parts/digits/page';
import { byId } from '../../parts/dom';
import type { Reading } from './session';
import source from './train.ts?raw';

showCode(byId('source', HTMLElement), source);
beginDigitsPage<Reading>({
  name: 'digits',
  worker: () => new Worker(new URL('./trainer.worker.ts', import.meta.url), { type: 'module', name: 'trainer' }),
  probabilities: (answer) => answer,
});
