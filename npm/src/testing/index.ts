/**
 * Checks of operations of one's own, for tests: `opcheck` as `torch.library.opcheck`, `gradcheck`
 * as `torch.autograd.gradcheck`.
 */
export type { Tolerance } from './finite-differences.js';
export * from './opcheck.js';
