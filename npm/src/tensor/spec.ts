/**
 * The descriptions of calls in printed code. They are text, because a bundle has hundreds of them
 * and a page uses few: `sum dim keepdim|dtype` is the operation's name and its parameters.
 */

/** The result of a call, where it is not one tensor: the names of several tensors. */
export type Returns = 'tensor' | 'tensors' | 'numbers' | 'boolean' | 'dtype' | readonly string[];

/** The description of a call. */
export interface Spec {
  name: string;
  /** The names of the parameters, positional ones first, without the receiver. */
  params: readonly string[];
  positional: number;
  /** The index of a list that may be passed as separate numbers or tensors, or -1. */
  spread: number;
  /** Whether a parameter is a tensor, for which an array may be given. */
  takesArray?: readonly boolean[];
  /** Whether the call makes a tensor; `requiresGrad` is then the last parameter. */
  makes?: boolean;
}

/** A call's description, or its text. */
export type SpecText = Spec | string;

/** The operations that share a name. */
export interface Overloads {
  name: string;
  /** The results of each. */
  returns: readonly Returns[];
}

const specs = new Map<string, Spec>();
const overloads = new Map<string, Overloads>();

/** `name` and the parameters: `|` before keywords, `*` for a list to spread, `^` for an array. */
function parse(text: string): Spec {
  const [name = '', ...marked] = text.split(/[ |]/);
  const before = text.split('|')[0]!;
  const params = marked.map((param) => param.replace(/^[*^]/, ''));
  return {
    name,
    params,
    positional: before.split(' ').length - 1,
    spread: marked.findIndex((param) => param.startsWith('*')),
    takesArray: marked.map((param) => param.startsWith('^')),
    makes: params.at(-1) === 'requiresGrad',
  };
}

/** The value of a text, computed once. */
function once<T>(known: Map<string, T>, text: string, make: (text: string) => T): T {
  let found = known.get(text);
  if (found === undefined) known.set(text, (found = make(text)));
  return found;
}

/** The description of a call from its text. */
export function specOf(spec: SpecText): Spec {
  return typeof spec === 'string' ? once(specs, spec, parse) : spec;
}

/** `name;returns;returns`. */
function parseOverloads(text: string): Overloads {
  const [name = '', ...returns] = text.split(';');
  const all = returns.map((told): Returns => (told.includes(',') ? told.split(',') : ((told || 'tensor') as Returns)));
  return { name, returns: all };
}

/** The description of overloads from its text. */
export function overloadsOf(text: string): Overloads {
  return once(overloads, text, parseOverloads);
}
