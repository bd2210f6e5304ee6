/** The cases, in the order of the page. */
import type { Case } from './case';
import { convolution } from './convolution';
import { elementwise } from './elementwise';
import { matmul } from './matmul';
import { softmax } from './softmax';
import { training } from './training';

export const CASES = { matmul, elementwise, softmax, convolution, training } as const satisfies Record<string, Case>;

export type CaseName = keyof typeof CASES;

export const caseNames = Object.keys(CASES) as CaseName[];
