/**
 * Parses an expression of numbers, names, operators and calls. Parts without a name are computed at
 * once.
 */

export type Node = { kind: 'number'; value: number } | { kind: 'name'; name: string } | { kind: 'call'; op: string; inputs: Node[] };

/** The functions by name, for numbers. */
export const CALLS: Readonly<Record<string, (x: number) => number>> = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, exp: Math.exp, log: Math.log, sqrt: Math.sqrt, tanh: Math.tanh, abs: Math.abs,
  relu: (x) => Math.max(0, x), sigmoid: (x) => 1 / (1 + Math.exp(-x)),
};
const BINARY: Readonly<Record<string, (x: number, y: number) => number>> = {
  add: (x, y) => x + y, sub: (x, y) => x - y, mul: (x, y) => x * y, div: (x, y) => x / y, pow: (x, y) => x ** y,
};
const OPERATORS: Readonly<Record<string, string>> = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div', '**': 'pow' };
const TOKEN = /\s*(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|[A-Za-z_]\w*|\*\*|[-+*/()])/y;
const MAX_CHARACTERS = 200;

/** Throws a `SyntaxError` whose message the page shows. */
export function parse(text: string, names: readonly string[]): Node {
  if (text.trim() === '') {
    throw new SyntaxError('There is no expression yet: type one, such as x * y + sin(x).');
  }
  if (text.length > MAX_CHARACTERS) {
    throw new SyntaxError(`The expression has ${text.length} characters: up to ${MAX_CHARACTERS} can be drawn.`);
  }
  const parser = new Parser(tokensOf(text), names);
  const node = parser.sum();
  parser.end();
  return node;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  for (let at = 0; at < end; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text);
    if (!found) {
      throw new SyntaxError(`“${text.slice(at).trim()[0]}” cannot be read: use + - * / **, parentheses, and calls such as sin(x).`);
    }
    tokens.push(found[1]!);
  }
  return tokens;
}

class Parser {
  private at = 0;

  constructor(private readonly tokens: readonly string[], private readonly names: readonly string[]) {}

  sum(): Node {
    let left = this.product();
    while (['+', '-'].includes(this.next)) {
      left = apply(OPERATORS[this.take()]!, [left, this.product()]);
    }
    return left;
  }

  end(): void {
    if (this.next !== '') {
      throw new SyntaxError(`“${this.next}” was not expected: is an operator missing before it?`);
    }
  }

  private get next(): string {
    return this.tokens[this.at] ?? '';
  }

  private take(): string {
    this.at += 1;
    return this.tokens[this.at - 1] ?? '';
  }

  private product(): Node {
    let left = this.factor();
    while (['*', '/'].includes(this.next)) {
      left = apply(OPERATORS[this.take()]!, [left, this.factor()]);
    }
    return left;
  }

  private factor(): Node {
    if (this.next === '-') {
      this.take();
      return apply('neg', [this.factor()]);
    }
    return this.power();
  }

  /** The exponent may have a sign, and binds to the right: -x ** 2 is -(x ** 2). */
  private power(): Node {
    const base = this.atom();
    if (this.next !== '**') {
      return base;
    }
    this.take();
    return apply('pow', [base, this.factor()]);
  }

  private atom(): Node {
    const token = this.take();
    if (token === '(') {
      const inner = this.sum();
      this.close();
      return inner;
    }
    if (/^[\d.]/.test(token)) {
      return { kind: 'number', value: Number(token) };
    }
    if (this.names.includes(token)) {
      return { kind: 'name', name: token };
    }
    if (Object.hasOwn(CALLS, token) && this.take() === '(') {
      const inner = this.sum();
      this.close();
      return apply(token, [inner]);
    }
    const known = `The names are ${this.names.join(', ')}, and the calls ${Object.keys(CALLS).join(', ')}.`;
    if (token === '') {
      throw new SyntaxError('The expression ends too early.');
    }
    throw new SyntaxError(Object.hasOwn(CALLS, token) ? `${token} needs parentheses, as in ${token}(x).` : `“${token}” is not known here. ${known}`);
  }

  private close(): void {
    if (this.take() !== ')') {
      throw new SyntaxError('A closing parenthesis is missing.');
    }
  }
}

function apply(op: string, inputs: Node[]): Node {
  const numbers = inputs.map((input) => (input.kind === 'number' ? input.value : undefined));
  if (numbers.every((number) => number !== undefined)) {
    const [first, second] = numbers as [number, number];
    const value = op === 'neg' ? -first : (BINARY[op]?.(first, second) ?? CALLS[op]!(first));
    return { kind: 'number', value };
  }
  return { kind: 'call', op, inputs };
}
