/** The names that a visitor's code can use: its own, the library's, and the browser's. */

/** A store of variables in front of `library` and the worker's global names. */
export function createNames(library: Readonly<Record<string, unknown>>): object {
  const own = new Map<PropertyKey, unknown>([['keep', (name: string, value: unknown) => void own.set(name, value)]]);
  return new Proxy(Object.create(null) as object, {
    // Every name is looked up here, so that assignments to new ones are kept.
    has: () => true,
    get(_, name) {
      if (name === Symbol.unscopables) {
        return undefined;
      }
      if (own.has(name)) {
        return own.get(name);
      }
      if (name in library) {
        return library[name as string];
      }
      if (name in globalThis) {
        return ofBrowser((globalThis as unknown as Record<PropertyKey, unknown>)[name]);
      }
      throw new ReferenceError(`${String(name)} is not defined`);
    },
    set(_, name, value) {
      own.set(name, value);
      return true;
    },
  });
}

/** A browser's function refuses another `this`, and `with` would give it one. */
function ofBrowser(value: unknown): unknown {
  return typeof value === 'function' && value.prototype === undefined ? value.bind(globalThis) : value;
}
