/** A pointwise operation from an expression: a smooth ReLU (Barron, "Squareplus", 2021). */
import { library } from 'lanthorn';

// `b` has a default, so it is a number; the result at 0 is `sqrt(b) / 2`.
export const squareplus = library.pointwise('example::squareplus', 'x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))');
