/**
 * A visitor's source as a function. Its variables live on between runs, `await` is allowed, and the
 * value of its last expression is the result.
 *
 * The engine itself decides where statements begin and end: text up to a position is a list of
 * statements if it compiles. A parser would be a dependency, and would know less.
 */

import { lineOfSyntaxError } from './syntax';

/** The names of an earlier run, of the library and of the browser, in one object for `with`. */
export type Names = object;

type Compiled = (names: Names) => Promise<unknown>;
const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => Compiled;

/** More text than this is refused. */
const MAX_CHARACTERS = 100_000;
const DECLARATION = /(^|;)([ \t]*)(const|let|class|(?:async[ \t]+)?function)\b[ \t]*\*?[ \t]*([A-Za-z_$][\w$]*)?/gm;
/** The engine would take a declared function for a value. */
const DECLARED_FUNCTION = /^\s*(?:async\s+)?function\b/;
const IMPORT = /^([ \t]*)import\s+(?:\*\s+as\s+([\w$]+)|(\{[^}]*\}))\s+from\s+(['"])([^'"\n]+)\4/gm;

/** A program that can be called, once. */
export interface Program {
  run: Compiled;
  /** The line of the source in a stack; `undefined` if the stack has none. */
  lineOf: (stack: string) => number | undefined;
}

/** Compiles `source`; rejects with the engine's `SyntaxError`, whose `at` is the line. */
export async function compile(source: string): Promise<Program> {
  if (source.length > MAX_CHARACTERS) {
    throw new RangeError(`the code is ${source.length} characters long: up to ${MAX_CHARACTERS} can be run`);
  }
  const { text, functions } = withoutDeclarations(withoutImports(source));
  try {
    return scriptOf(prologue(functions) + withResult(text));
  } catch (error) {
    throw error instanceof SyntaxError ? Object.assign(error, { at: await lineOfSyntaxError(text) }) : error;
  }
}

/** `import { a as b } from 'lanthorn'` becomes a declaration, because a function cannot import. */
function withoutImports(source: string): string {
  return source.replace(IMPORT, (_, space: string, all: string | undefined, some: string, _quote, name: string) => {
    const target = all ?? some.replace(/\bas\b/g, ':');
    return `${space}var ${target} = await importModule(${JSON.stringify(name)})`;
  });
}

/**
 * Turns declarations outside of all blocks into `var`, whose values `with` assigns to the names
 * that live on. Functions are already defined where the block begins, so they are only listed.
 */
function withoutDeclarations(source: string): { text: string; functions: string[] } {
  const functions: string[] = [];
  const text = source.replace(DECLARATION, (found, before: string, space: string, word: string, name: string | undefined, at: number) => {
    if (!isStatements(source.slice(0, at) + before)) {
      return found;
    }
    if (word.endsWith('function')) {
      functions.push(name ?? '');
      return found;
    }
    const rest = found.slice(before.length + space.length + word.length);
    return word === 'class' ? `${before}${space}var ${name} = class${rest}` : `${before}${space}var${rest}`;
  });
  return { text, functions: functions.filter((name) => name !== '') };
}

function prologue(functions: readonly string[]): string {
  return functions.map((name) => `keep(${JSON.stringify(name)}, ${name});`).join('');
}

/** Returns the value of the last expression, if there is one. */
function withResult(text: string): string {
  const trimmed = text.replace(/[;\s]+$/, '');
  for (let at = trimmed.length; at >= 0; at = at === 0 ? -1 : Math.max(trimmed.lastIndexOf('\n', at - 1), trimmed.lastIndexOf(';', at - 1), 0)) {
    const start = at === 0 ? 0 : at + 1;
    const last = trimmed.slice(start);
    if (last.trim() !== '' && !DECLARED_FUNCTION.test(last) && isExpression(last) && isStatements(trimmed.slice(0, start))) {
      return `${trimmed.slice(0, start)}return (${last}\n)`;
    }
  }
  return text;
}

function isExpression(text: string): boolean {
  // A second statement would end the parentheses.
  return compiles(`return (${text}\n)`) && compiles(`(async () => (${text}\n))`);
}

function isStatements(text: string): boolean {
  return compiles(text);
}

function compiles(body: string): boolean {
  try {
    build(body);
    return true;
  } catch {
    return false;
  }
}

/** The body is not in strict mode, which has no `with`; the source begins in its first line. */
const functionOf = (body: string) => `async function program(names) { with (names) {${body}\n} }`;

/** The body as a function, to see whether it compiles. */
function build(body: string): Compiled {
  return new AsyncFunction('names', `with (names) {${body}\n}`);
}

/** The name under which a script passes its function on. */
const PASSED = 'lanthornProgram';
const scope = globalThis as unknown as Record<typeof PASSED, Compiled | undefined> & { importScripts(address: string): void };

/** The body as a script of this worker: its address is in stacks, with the lines of the source. */
function scriptOf(body: string): Program {
  // Thrown here, where the error is the program's own.
  const built = build(body);
  // Node has no scripts of workers, and its stacks have no line.
  if (typeof scope.importScripts !== 'function') return { run: built, lineOf: () => undefined };
  const address = URL.createObjectURL(new Blob([`${PASSED} = ${functionOf(body)}`], { type: 'text/javascript' }));
  try {
    scope.importScripts(address);
  } finally {
    URL.revokeObjectURL(address);
  }
  const run = scope[PASSED]!;
  scope[PASSED] = undefined;
  const frame = new RegExp(`${address.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d+)`);
  return {
    run,
    lineOf: (stack) => {
      const line = frame.exec(stack)?.[1];
      return line === undefined ? undefined : Number(line);
    },
  };
}
