/** Control flow whose functions are compiled once: scans, loops and branches. */
export { associativeScan, type AssociativeScanOptions } from './associative.js';
export { cond } from './cond.js';
export { scan, type ScanOptions } from './scan.js';
export { whileLoop } from './while.js';
