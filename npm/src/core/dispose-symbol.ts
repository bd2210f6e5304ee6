/** The key of the method that `using` calls. */
// For compilers whose libraries do not declare Symbol.dispose yet.
/// <reference lib="esnext.disposable" preserve="true" />

/** `Symbol.dispose`, or the symbol that compilers of `using` take where the runtime has none. */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
