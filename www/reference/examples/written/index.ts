/**
 * Examples that are not PyTorch's samples: of operations and modules that have none, of functions
 * and classes, and of well-known operations that a chosen input explains better.
 */
import { CREATION } from './creation';
import { ELEMENTS } from './elements';
import { FOURIER } from './fourier';
import { FUNCTIONS } from './functions';
import { KNOWN } from './known';
import { LAYERS } from './layers';
import { MODULES } from './modules';
import { OTHERS } from './others';
import { PRODUCTS } from './products';
import { OF_PYTORCH } from './pytorch';

/** Programs by the names of their entries. */
export const WRITTEN: Readonly<Record<string, string>> = {
  ...CREATION, ...ELEMENTS, ...FOURIER, ...FUNCTIONS, ...KNOWN, ...LAYERS, ...MODULES, ...OTHERS, ...PRODUCTS, ...OF_PYTORCH,
};
