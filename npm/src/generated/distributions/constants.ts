// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Constants of mathematics that the standard library does not have. */
/** The logarithm of pi. */
export const LN_PI = 1.1447298858494002;
/** Half of the logarithm of 2 pi. */
export const HALF_LN_TAU = 0.9189385332046728;
/** The constant of Euler and Mascheroni. */
export const EULER = 0.5772156649015329;
