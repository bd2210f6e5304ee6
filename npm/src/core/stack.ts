/**
 * The stack of an error, from the user's call on. The package's own frames would fill the ten that
 * V8 keeps, so more are captured, and those above the user's call are removed.
 *
 * A frame is the package's by its file, as long as the package has separate files: in Node, on a
 * plain page, and on a development server. In a bundle all code is in one file. There V8 finds the
 * frames of functions that {@link registerEntries} lists; other engines show the whole stack.
 * Rejected: wrapping each function of the package, which every debugger would step through.
 */

/** Not in every engine yet. */
const { captureStackTrace } = Error as { captureStackTrace?: (target: object, above?: Function) => void };

/** More frames than the package and a model have above the user's call. */
const CAPTURED = 1000;

type Limited = { stackTraceLimit?: number };

/**
 * Captures more frames than V8 and JavaScriptCore usually do; none above a function's, if it is
 * named.
 */
function capture(above?: Function): Error {
  const { stackTraceLimit } = Error as Limited;
  // A runtime with frozen globals refuses, where an assignment would throw.
  const isRaised = stackTraceLimit !== undefined && Reflect.set(Error, 'stackTraceLimit', Math.max(CAPTURED, stackTraceLimit));
  const site = new Error();
  if (above) captureStackTrace?.(site, above);
  if (isRaised) (Error as Limited).stackTraceLimit = stackTraceLimit;
  return site;
}

const isV8 = (frame: string): boolean => /^\s+at /.test(frame);

/** The frames of a stack, without the message that V8 repeats above them. */
function framesOf({ stack }: Error): string[] {
  // Another type comes from the user's own Error.prepareStackTrace.
  const all = typeof stack === 'string' ? stack.split('\n') : [];
  // AsyncLocalStorage, which `scope` calls the user's function by, has frames in Node.
  const lines = all.filter((line) => line !== '' && !line.includes('node:async_hooks'));
  return lines.some(isV8) ? lines.filter(isV8) : lines.filter((line) => line.includes('@'));
}

/** The file of a frame: `    at f (FILE:1:2)`, or `f@FILE:1:2`. */
function fileOf(frame: string): string {
  return frame.replace(/^\s*at (?:.*\()?|^[^@]*@/, '').replace(/(?::\d+){1,2}\)?$/, '');
}

/** Whether a frame of JavaScriptCore has no file: a constructor without text, or native code. */
const isEngines = (frame: string): boolean => !isV8(frame) && /@(?:\[native code\])?$/.test(frame);

const isWasm = (frame: string): boolean => frame.includes('wasm-function[') || frame.includes('wasm://');

/** The common prefix of the package's file names; null in a bundle. */
let folder: string | null | undefined;

function packageFolder(): string | null {
  if (folder === undefined) {
    const own = fileOf(framesOf(capture())[0] ?? '').replace(/\?.*$/, '');
    [folder] = /^.*\/(?=[^/]+\/core\/stack\.[jt]s$)/.exec(own) ?? /^.*node_modules.*\//.exec(own) ?? [null];
  }
  return folder!;
}

/** Functions and classes that users call; how many frames of the package are always below each. */
const entries = new Map<Function, number>();

/** Functions that most of the other functions that users call go through. */
const helpers = new Map<Function, number>();

/**
 * Lists functions of the package that may be between an error and the user's call: a class stands
 * for all of its methods. `below` is the number of frames of the package that are always below:
 * printed functions are not listed, but each of them calls a listed one.
 */
export function registerEntries(functions: readonly Function[], below = 0): void {
  for (const each of functions) entries.set(each, below);
}

/**
 * Lists functions of which one is called by a function that users call. They tell where the user's
 * call is if no entry does, so that not every function of the package needs to be listed, and kept
 * in a bundle that does not use it.
 */
export function registerHelpers(functions: readonly Function[]): void {
  for (const each of functions) helpers.set(each, 1);
}

/** A function; of a class its constructor, methods and accessors. */
function functionsOf(entry: Function): Function[] {
  const own = (target: object): Function[] => {
    const parts = Object.values(Object.getOwnPropertyDescriptors(target)).flatMap(({ value, get, set }) => [value, get, set]);
    return parts.filter((part) => typeof part === 'function');
  };
  return [entry, ...own(entry), ...own((entry.prototype ?? {}) as object)];
}

/** The indices of the frames of functions, each with as many of the frames below as it names. */
function* findFrames(functions: ReadonlyMap<Function, number>, frames: readonly string[]): Generator<[number, number]> {
  for (const [entry, below] of functions) {
    for (const each of functionsOf(entry)) {
      const { length } = framesOf(capture(each));
      // Nothing is left where the function is not on the stack.
      if (length > 0 && length <= frames.length) yield [frames.length - length - 1, frames.length - length - 1 + below];
    }
  }
}

/** The number of frames of the package at the top, by the functions that are found on the stack. */
function knownFrames(frames: readonly string[]): number {
  // By their positions in the code, which a recursive call shares.
  const positionOf = (index: number): string => /\S*$/.exec(frames[index]!)![0];
  const known = new Set<string>();
  let top = frames.length;
  for (const [first, last] of findFrames(entries, frames)) {
    top = Math.min(top, last);
    for (let index = first; index <= last; index++) known.add(positionOf(index));
  }
  const helped = [...findFrames(helpers, frames)];
  if (top === frames.length) return Math.max(-1, ...helped.map(([, last]) => last)) + 1;
  // Functions that a helper calls are the package's too.
  for (const [first] of helped) for (const index of [first - 1, first]) known.add(positionOf(index));
  let count = top + 1;
  while (count < frames.length && known.has(positionOf(count))) count++;
  return count;
}

/** Sets the frames of an error, without the package's at the top, and as many as usual. */
function setFrames(error: Error, frames: readonly string[], isCurrent: boolean): void {
  const prefix = packageFolder();
  let count = 0;
  const isPackages = (frame: string): boolean => isWasm(frame) || isEngines(frame) || fileOf(frame).startsWith(prefix!);
  if (prefix !== null) while (count < frames.length && isPackages(frames[count]!)) count++;
  else if (isCurrent && captureStackTrace) count = knownFrames(frames);
  // A call from the event loop has no user's frame.
  const first = count < frames.length ? count : 0;
  const left = frames.slice(first, first + ((Error as Limited).stackTraceLimit ?? frames.length));
  if (left.length === 0) return;
  const stack = [...(isV8(left[0]!) ? [`${error.name}: ${error.message}`] : []), ...left].join('\n');
  Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true });
}

/**
 * Sets the stack of an error to the current call's, from the user's frame or the caller of `above`
 * on.
 */
export function locate(error: Error, above?: Function): void {
  setFrames(error, framesOf(capture(above)), above === undefined);
}

/** The current call of `above`, for {@link locateAt}. Its text is made only when it is read. */
export function callSite(above: Function): Error {
  return capture(above);
}

/** Sets the stack of an error to an earlier call's. */
export function locateAt(error: Error, site: Error): void {
  setFrames(error, framesOf(site), false);
}
