/** Loads the code of a library, with its cases. Only workers import this. */
import type { Engine } from './engine';
import type { LibraryName } from './list';

export const LOADERS: Readonly<Record<LibraryName, () => Promise<{ engine: Engine }>>> = {
  lanthorn: () => import('./lanthorn'),
  tfjs: () => import('./tfjs'),
  jaxjs() {
    // In a cross-origin isolated page it would start a thread for each core. It has no option for
    // that, but uses one thread if there is no `Worker` while it is loaded.
    Object.defineProperty(self, 'Worker', { value: undefined });
    return import('./jaxjs');
  },
};
