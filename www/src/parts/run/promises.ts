/** A promise where a value is meant: the program has forgotten `await`. */

export const FORGOTTEN_AWAIT = 'a promise: write await before the call that returns it';

/** Makes the use of a promise as a number or as text an error, instead of NaN or a text. */
export function refusePromises(): void {
  Object.defineProperty(Promise.prototype, Symbol.toPrimitive, {
    configurable: true,
    value() {
      throw new TypeError(FORGOTTEN_AWAIT);
    },
  });
}
