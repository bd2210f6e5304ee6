/** The names and descriptions of the compared libraries. Only a worker loads one. */
import { dependencies } from '../../../../package.json';
import { version } from '../../../../../target/npm/package.json';
import type { Device } from './engine';

export interface Library {
  title: string;
  version: string;
  /** How the cases are written for it. */
  way: string;
  /**
   * The approximate size of a backend before compression, in MB. A test compares it with the
   * measured size.
   */
  megabytes: Readonly<Record<Device, number>>;
}

export const LIBRARIES = {
  lanthorn: { title: 'lanthorn', version, way: 'Operations as they are called, the training step in compile.', megabytes: { webgpu: 2.8, cpu: 2.8 } },
  tfjs: {
    title: 'TensorFlow.js', version: dependencies['@tensorflow/tfjs-core'], way: 'Operations in tidy, the training step by its own Adam.',
    megabytes: { webgpu: 0.9, cpu: 1 },
  },
  jaxjs: { title: 'jax-js', version: dependencies['@jax-js/jax'], way: 'Every case in jit.', megabytes: { webgpu: 0.3, cpu: 0.3 } },
} as const satisfies Record<string, Library>;

export type LibraryName = keyof typeof LIBRARIES;

export const libraryNames = Object.keys(LIBRARIES) as LibraryName[];
