/**
 * The package's declarations, read by TypeScript from its `.d.ts` files: functions, classes and the
 * members of `Tensor`, with their signatures and comments.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import { API, type Checker, type InterfaceType, type Symbol, SymbolFlags } from 'typescript/unstable/sync';
import { summaryOf } from './entries';

/** Types that are shorter are written on one line. */
const MAX_LINE_LENGTH = 90;
const MEMBERS: readonly SyntaxKind[] = [SyntaxKind.Constructor, SyntaxKind.MethodDeclaration, SyntaxKind.PropertyDeclaration, SyntaxKind.GetAccessor];
const TYPES: readonly SyntaxKind[] = [SyntaxKind.InterfaceDeclaration, SyntaxKind.TypeAliasDeclaration];

export interface Declaration {
  /** Where it is imported from: `lanthorn`, `lanthorn/data`. */
  entry: string;
  /** Its name there, with the namespace: `grad`, `nn.init.zeros_`, `Tensor.relu`. */
  name: string;
  kind: 'Function' | 'Class' | 'Member';
  /** Functions and members: an overload each. Classes: their constructors and public members. */
  signatures: readonly string[];
  /** The comment, as Markdown. */
  text: string;
  /** The code of the comment's example; empty without one. */
  example: string;
  /** The options and other types of the package that the signatures name. */
  types: readonly string[];
  /** Whether it is in a file that is printed from the tables. */
  isTable: boolean;
}

/** Files that are printed, and whose functions are in no page of docs/. */
const OUTSIDE_OF_TABLES = /\/generated\/(?:(?:init|quantization)|(?:audio|distributions|einops|metrics|vision)\/.*)\.d\.ts$/;
/**
 * Types that are not printed: every signature has them, or their text is long and explains little.
 */
const COMMON = ['Tensor', 'TensorLike', 'Typed', 'Scalar', 'DType', 'Module', 'Optimizer'];

/**
 * The declarations of the package built in `folder`, by `entry:name`, in the order of its entries.
 */
export function readDeclarations(folder: string): Map<string, Declaration> {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: Record<string, { types?: string }> };
  const files = Object.entries(exports).flatMap(([name, { types }]) => (types ? [{ entry: `lanthorn${name.slice(1)}`, file: join(folder, types) }] : []));
  const api = new API({ cwd: folder });
  try {
    const snapshot = api.updateSnapshot({ openFiles: files.map(({ file }) => file) });
    const found = new Map<string, Declaration>();
    for (const { entry, file } of files) {
      const { checker, program } = snapshot.getDefaultProjectForFile(file)!;
      const module = checker.getSymbolAtLocation(program.getSourceFile(file)!);
      if (module) {
        new Reader(checker, entry, found).module(module, '');
      }
    }
    return found;
  } finally {
    api.close();
  }
}

class Reader {
  /** The interfaces and aliases of each file, which are many to read. */
  private readonly types = new Map<string, readonly [string, string][]>();

  constructor(private readonly checker: Checker, private readonly entry: string, private readonly found: Map<string, Declaration>) {}

  module(symbol: Symbol, prefix: string): void {
    for (const each of this.checker.getExportsOfModule(symbol)) {
      const target = each.flags & SymbolFlags.Alias ? this.checker.getAliasedSymbol(each) : each;
      // A method and an option are named after the export, not after its own file's name.
      this.symbol(target, prefix + each.name);
    }
  }

  private symbol(symbol: Symbol, name: string): void {
    // A function with properties is a namespace, too.
    if (symbol.flags & SymbolFlags.ValueModule && !(symbol.flags & SymbolFlags.Function)) {
      this.module(symbol, `${name}.`);
    } else if (symbol.flags & SymbolFlags.Function) {
      this.add(symbol, name, 'Function', nodesOf(symbol).map((node) => signatureOf(node, name)));
    } else if (symbol.flags & SymbolFlags.Class) {
      this.add(symbol, name, 'Class', this.membersOf(symbol, name));
      if (name === 'Tensor') {
        this.members(symbol);
      }
    } else if (symbol.flags & SymbolFlags.Variable) {
      this.functionsOf(symbol, name);
    }
  }

  /** Functions of a constant, which is a namespace then: `jit.load`. */
  private functionsOf(symbol: Symbol, name: string): void {
    const constant = nodesOf(symbol)[0];
    const type = constant && this.checker.getTypeOfSymbol(symbol);
    for (const member of type ? this.checker.getPropertiesOfType(type) : []) {
      const nodes = nodesOf(member).filter((node) => node.getSourceFile().fileName === constant?.getSourceFile().fileName);
      if (member.flags & SymbolFlags.Method && nodes.length > 0) {
        this.add(member, `${name}.${member.name}`, 'Function', nodes.map((node) => `${name}.${textOf(node).replaceAll('\n    ', '\n')}`));
      }
    }
  }

  /** A class without a constructor inherits the base class's constructor. */
  private membersOf(symbol: Symbol, name: string): string[] {
    const own = nodesOf(symbol).flatMap((node) => membersOf(node, name));
    const above = this.checker.getBaseTypes(this.checker.getDeclaredTypeOfSymbol(symbol) as InterfaceType)[0]?.getSymbol();
    const isComplete = own.some(isConstructor) || !above;
    return isComplete ? own : [...this.membersOf(above, name).filter(isConstructor), ...own];
  }

  /** Includes inherited members: the operations are in a base class. */
  private members(symbol: Symbol): void {
    for (const member of this.checker.getPropertiesOfType(this.checker.getDeclaredTypeOfSymbol(symbol))) {
      this.add(member, `Tensor.${member.name}`, 'Member', nodesOf(member).map((node) => `x.${textOf(node).replaceAll('\n    ', '\n')}`));
    }
  }

  /** Interfaces and aliases of the same file that the signatures name. */
  private typesIn(file: SourceFile, signatures: string, name: string): string[] {
    const all = this.types.get(file.fileName) ?? typesOf(file);
    this.types.set(file.fileName, all);
    return all.filter(([type]) => type !== name && new RegExp(`\\b${type}\\b`).test(signatures)).map(([, text]) => text);
  }

  private add(symbol: Symbol, name: string, kind: Declaration['kind'], signatures: readonly string[]): void {
    const nodes = nodesOf(symbol);
    const [first] = nodes;
    if (!first) {
      return;
    }
    const file = first.getSourceFile();
    const comments = nodes.map(commentOf);
    this.found.set(`${this.entry}:${name}`, {
      entry: this.entry, name, kind,
      signatures: signatures.map(halveIndent),
      text: markdownOf(comments.map(({ text }) => text).filter(Boolean).join('\n\n')),
      example: comments.find(({ example }) => example)?.example ?? '',
      types: this.typesIn(file, signatures.join('\n'), name),
      isTable: file.fileName.includes('/generated/') && !OUTSIDE_OF_TABLES.test(file.fileName),
    });
  }
}

function nodesOf(symbol: Symbol): Node[] {
  return symbol.declarations.map((handle) => handle.resolve()).filter((node) => node !== undefined);
}

/** The comment in front of a declaration: its text, and the code of its example. */
function commentOf(node: Node): { text: string; example: string } {
  const [comment = ''] = /\/\*\*[\s\S]*?\*\/(?=\s*$)/.exec(node.getFullText().slice(0, -node.getText().length)) ?? [];
  const lines = comment.replace(/^\/\*\*|\*\/$/g, '').replace(/^\s*\* ?/gm, '').trim();
  const [text = '', ...tags] = lines.split(/^@/m);
  return { text: text.trim(), example: tags.find((tag) => tag.startsWith('example'))?.slice('example'.length).trim() ?? '' };
}

/**
 * A declaration's text without its comments and its modifiers; a property that is computed is a
 * property.
 */
function textOf(node: Node): string {
  const text = plain(node.getText()).replace(/;$/, '').replace(/^(?:(?:export|declare|abstract|async|public|readonly|override) +)+/, '');
  return text.replace(/^get ([\w$]+)\(\)/, '$1');
}

/** Without comments; types of a few members are on one line. */
function plain(text: string): string {
  const bare = text.replace(/^ *\/\*\*[\s\S]*?\*\/\n?/gm, '').trim();
  return bare.replace(/\{\n([^{}]*?);\n *\}/g, (found, inside: string) => {
    const line = `{ ${inside.split(';\n').map((member) => member.trim()).join('; ')} }`;
    return line.length <= MAX_LINE_LENGTH ? line : found;
  });
}

/** `function zeros_(…)` under the name that it has in its namespace. */
function signatureOf(node: Node, name: string): string {
  return textOf(node).replace(/^function [\w$]+/, () => name);
}

/** The first sentence about a member, in a separate line. */
function noteOf(member: Node): string {
  const { text } = commentOf(member);
  return text ? `// ${summaryOf(linkless(text))}\n` : '';
}

/** The constructors of a class, then its public members. */
function membersOf(node: Node, name: string): string[] {
  const lines: string[] = [];
  node.forEachChild((member) => {
    const text = MEMBERS.includes(member.kind) ? textOf(member).replaceAll('\n    ', '\n') : '';
    if (text && !/^(?:private|protected|#|\[)/.test(text)) {
      lines.push(noteOf(member) + text.replace(/^constructor/, () => `new ${name}`));
    }
    return undefined;
  });
  return lines.sort((a, b) => Number(isConstructor(b)) - Number(isConstructor(a)));
}

function isConstructor(signature: string): boolean {
  return /^new /m.test(signature);
}

/** The interfaces and aliases of a file: their names and texts. */
function typesOf(file: Node): [string, string][] {
  const types: [string, string][] = [];
  file.forEachChild((node) => {
    if (TYPES.includes(node.kind)) {
      const text = node.getText().replace(/^\/\*\*[\s\S]*?\*\/\s*/, '');
      const [, name] = /^export (?:interface|type) ([\w$]+)/.exec(text) ?? [];
      types.push(...(name && !COMMON.includes(name) ? [[name, halveIndent(linkless(text.replace(/^export /, '')))] satisfies [string, string]] : []));
    }
    return undefined;
  });
  return types;
}

/** `{@link Tensor.relu}` as its name, in a comment that is shown as code. */
function linkless(text: string): string {
  return text.replace(/\{@link\s+([^}|\s]+)[^}]*\}/g, '$1');
}

/** Replaces four spaces of indentation by two. */
function halveIndent(text: string): string {
  return text.replace(/^(?: {4})+/gm, (space) => ' '.repeat(space.length / 2));
}

/** `{@link Tensor.relu}` as code. */
function markdownOf(comment: string): string {
  return comment.replace(/\{@link\s+([^}|\s]+)[^}]*\}/g, '`$1`');
}
