/**
 * Probability distributions, by the names of `torch.distributions`.
 *
 * `import { Normal, klDivergence } from 'lanthorn/distributions'`.
 */
export * from '../generated/distributions/index.js';
