/** The base of what consoles show as text: tensors and modules. */

/** The name of the method that Node, Deno and Bun print an object with. */
const inspectCustom: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** The text of a function is in the error of `structuredClone`, also after minification. */
const { 'send tensors by transfer() of lanthorn/workers, and modules by their stateDict()': refuseClone } = {
  'send tensors by transfer() of lanthorn/workers, and modules by their stateDict()'() {},
};

/** What consoles show as its text: tensors and modules. */
export abstract class Printed {
  /**
   * @internal A function cannot be cloned: `structuredClone` and `postMessage` throw, and do not make
   * an object without elements and methods.
   */
  readonly refuseClone = refuseClone;

  /** @internal Shown by `console.log` in Node. */
  [inspectCustom](): string {
    return this.toString();
  }
}
