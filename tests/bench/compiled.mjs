// How the cases call their functions of tensors: as they are, or compiled.
import { compile, scope } from 'lanthorn';

const eager = (f) => (...args) => scope(() => f(...args));
let wrap = eager;

/** A function of tensors as the case that is being made calls it. */
export const called = (f) => wrap(f);

/** The cases, each with its functions compiled. */
export const compiled = (cases) => Object.fromEntries(Object.entries(cases).map(([name, make]) => [name, () => {
  wrap = compile;
  try {
    return make();
  } finally {
    wrap = eager;
  }
}]));
