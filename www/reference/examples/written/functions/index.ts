/** Examples of functions and classes, which are in no table. */
import { AUDIO } from './audio';
import { CONTROL } from './control';
import { DATA } from './data';
import { DATASETS } from './datasets';
import { DEVICE } from './device';
import { DISTRIBUTIONS } from './distributions';
import { FILES } from './files';
import { GRADIENTS } from './gradients';
import { INIT } from './init';
import { HOLDERS } from './modules';
import { PICTURES } from './pictures';
import { PROGRAMS } from './programs';
import { QUANTIZING } from './quantizing';
import { TRAINING } from './training';
import { TRANSFORMS } from './transforms';
import { UTILITIES } from './utilities';
import { VISION } from './vision';

/** Programs by the names of their entries. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  ...AUDIO, ...CONTROL, ...DATA, ...DATASETS, ...DEVICE, ...DISTRIBUTIONS, ...FILES, ...GRADIENTS, ...INIT, ...HOLDERS, ...PICTURES, ...PROGRAMS, ...QUANTIZING, ...TRAINING,
  ...TRANSFORMS, ...UTILITIES, ...VISION,
};
