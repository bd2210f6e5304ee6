/**
 * Schemas of operations in ATen's syntax, read at run time: the names that a call may use. The core
 * has checked them.
 */
import type { Returns, Spec } from '../tensor/spec.js';

/** A parameter of an operation. */
export interface Parameter {
  /** Its name in the schema. */
  name: string;
  /** Its ATen type: `Tensor`, `float?`, `int[]`. */
  type: string;
  /** Its default as text, if it has one. */
  default?: string;
  /** Whether it is keyword-only. */
  keywordOnly: boolean;
}

/** A parsed schema. */
export interface Parsed {
  /** The name with its namespace and overload: `mylib::swiglu`, `max.dim`. */
  name: string;
  parameters: readonly Parameter[];
  /** The results' types and names, the name empty where there is none. */
  returns: readonly { type: string; name: string }[];
}

/** `index_select` becomes `indexSelect`; leading and trailing underscores are kept. */
export const camel = (name: string): string => name.replace(/(?<=[^_])_+([^_])/g, (_, letter: string) => letter.toUpperCase());

/** The parts between commas outside of brackets and strings. */
function parts(list: string): string[] {
  const found: string[] = [];
  let [depth, start, quote] = [0, 0, ''];
  for (let at = 0; at < list.length; at++) {
    const letter = list[at]!;
    if (quote) {
      if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter)) depth--;
    else if (letter === ',' && depth === 0) {
      found.push(list.slice(start, at));
      start = at + 1;
    }
  }
  return [...found, list.slice(start)].map((part) => part.trim()).filter((part) => part !== '');
}

/** Parses a schema that the core printed. */
export function parseSchema(text: string): Parsed {
  const open = text.indexOf('(');
  const arrow = text.lastIndexOf('->');
  const inner = text.slice(open + 1, text.lastIndexOf(')', arrow));
  const parameters: Parameter[] = [];
  let keywordOnly = false;
  for (const part of parts(inner)) {
    if (part === '*') {
      keywordOnly = true;
      continue;
    }
    const [, type, name, value] = /^(.*?)\s+(\w+)\s*(?:=\s*(.*))?$/s.exec(part) ?? ['', '', part];
    parameters.push({ name: name!, type: type!, keywordOnly, ...(value === undefined ? {} : { default: value }) });
  }
  const result = text.slice(arrow + 2).trim();
  const list = result.startsWith('(') ? parts(result.slice(1, -1)) : [result];
  const returns = list.map((part) => {
    const [type = '', name = ''] = part.split(/\s+/);
    return { type, name };
  });
  return { name: text.slice(0, open).trim(), parameters, returns };
}

/** How the arguments of a call are gathered. */
export function specOf({ name, parameters }: Parsed): Spec {
  const positional = parameters.filter((parameter) => !parameter.keywordOnly).length;
  return { name, params: parameters.map((parameter) => camel(parameter.name)), positional, spread: -1 };
}

/** The result of a call. */
export function returnsOf({ returns }: Parsed): Returns {
  if (returns.length === 1) return returns[0]!.type === 'Tensor' ? 'tensor' : 'tensors';
  return returns.every((result) => result.name) ? returns.map((result) => camel(result.name)) : 'tensors';
}

/** The value of a default. */
function valueOf(text: string | undefined): unknown {
  if (text === undefined || text === 'None') return null;
  if (text === 'True' || text === 'False') return text === 'True';
  if (text.startsWith('[')) return parts(text.slice(1, -1)).map(valueOf);
  const number = Number(text);
  return Number.isNaN(number) ? text.replace(/^["']|["']$/g, '') : number;
}

/**
 * The arguments of a call in the schema's order, with defaults for missing ones, as the core passes
 * them to a user's functions.
 */
export function withDefaults({ parameters }: Parsed, values: readonly unknown[]): unknown[] {
  return parameters.map((parameter, index) => (values[index] === undefined ? valueOf(parameter.default) : values[index]));
}
