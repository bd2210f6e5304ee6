/** Loads the code of a library, with its cases. Only workers import this. */
import type { Engine } from './engine';
import type { LibraryName } from './list';

export const LOADERS: Readonly<Record<LibraryName, () => Promise<{ engine: Engine }>>> = {
  lanthorn: () => import('./lanthorn'),
  tfjs: () => import('./tfjs'),
  jaxjs: () => import('./jaxjs'),
};
