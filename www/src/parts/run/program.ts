/**
 * A visitor's source as a function. Its variables live on between runs, `await` is allowed, and the
 * value of its last expression is the result.
 *
 * The engine itself decides where statements begin and end: text up to a place is a list of
 * statements if it compiles. A parser would be a dependency, and would know less.
 */

/** The names of an earlier run, of the library and of the browser, in one object for `with`. */
export type Names = object;

type Compiled = (names: Names) => Promise<unknown>;
const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => Compiled;

/** More text than this is refused. */
const MOST_CHARACTERS = 100_000;
const DECLARATION = /(^|;)([ \t]*)(const|let|class|(?:async[ \t]+)?function)\b[ \t]*\*?[ \t]*([A-Za-z_$][\w$]*)?/gm;
const IMPORT = /^([ \t]*)import\s+(?:\*\s+as\s+([\w$]+)|(\{[^}]*\}))\s+from\s+(['"])([^'"\n]+)\4/gm;

/** Compiles `source`; throws the engine's `SyntaxError`. */
export function compile(source: string): Compiled {
  if (source.length > MOST_CHARACTERS) {
    throw new RangeError(`the code is ${source.length} characters long: up to ${MOST_CHARACTERS} can be run`);
  }
  const { text, functions } = withoutDeclarations(withoutImports(source));
  return build(prologue(functions) + withResult(text));
}

/** `import { a as b } from 'lanthorn'` becomes a declaration, because a function cannot import. */
function withoutImports(source: string): string {
  return source.replace(IMPORT, (_, space: string, all: string | undefined, some: string, _quote, name: string) => {
    const target = all ?? some.replace(/\bas\b/g, ':');
    return `${space}var ${target} = await importModule(${JSON.stringify(name)})`;
  });
}

/**
 * Turns declarations outside of all blocks into `var`, whose values `with` assigns to the names that
 * live on. Functions are already defined where the block begins, so they are only listed.
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
  // A declared function would otherwise be read as a value.
  const isDeclared = /^\s*(?:async\s+)?function\b/.test(trimmed);
  for (let at = trimmed.length; at >= 0; at = at === 0 ? -1 : Math.max(trimmed.lastIndexOf('\n', at - 1), trimmed.lastIndexOf(';', at - 1), 0)) {
    const start = at === 0 ? 0 : at + 1;
    const last = trimmed.slice(start);
    if (last.trim() !== '' && !(start === 0 && isDeclared) && isExpression(last) && isStatements(trimmed.slice(0, start))) {
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

/** The body is not in strict mode, which has no `with`. */
function build(body: string): Compiled {
  return new AsyncFunction('names', `with (names) {${body}\n}`);
}

/** The line of the source in which an error arose, from its stack: two lines are the function's own. */
export function lineOf(stack: string): number | undefined {
  const found = /(?:<anonymous>|AsyncFunction):(\d+):\d+/.exec(stack)?.[1];
  return found === undefined ? undefined : Math.max(1, Number(found) - 2);
}
