/**
 * The entries of the reference. This module reads operations, modules, optimizers and schedules
 * from the pages of docs/ that are printed from lanthorn's tables; `catalogue.ts` adds the rest.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Kind = 'Operation' | 'Module' | 'Optimizer' | 'Schedule' | 'Function' | 'Class';

/** A program of an entry. */
export interface Program {
  source: string;
  /** The requirement that a page does not meet, if it cannot run there. */
  needs?: string | undefined;
  /** Whether it is one of the samples of PyTorch's tests. */
  isRecorded: boolean;
}

export interface Entry {
  kind: Kind;
  /** The name that links use: `matmul`, `nn.Linear`, `optim.Adam`. */
  name: string;
  /** The name in JavaScript. */
  javascript: string;
  /** The import declaration, if `lanthorn` itself does not export it. */
  imported?: string;
  /** Declarations in PyTorch's notation, a line each; empty for functions and classes. */
  signature: string;
  /** Declarations in TypeScript, an overload each, and the types of the options that they name. */
  declared: readonly string[];
  types: readonly string[];
  /** The entry's text, as Markdown. */
  text: string;
  /** The first sentence of the text, without marks. */
  summary: string;
  /** How an operation is built and tested, as Markdown; empty for the others. */
  facts: string;
  program?: Program;
}

interface Source {
  file: string;
  kind: Kind;
  /**
   * The heading that an entry has, and that begins the part of the file; the whole file without
   * one.
   */
  level: '##' | '###';
  part?: string;
  prefix: string;
}

const SOURCES: readonly Source[] = [
  { file: 'operations.md', kind: 'Operation', level: '##', prefix: '' },
  { file: 'modules.md', kind: 'Module', level: '###', prefix: 'nn.' },
  { file: 'optimizers.md', kind: 'Optimizer', level: '###', part: 'Optimizers', prefix: 'optim.' },
  { file: 'optimizers.md', kind: 'Schedule', level: '###', part: 'Schedules of the learning rate', prefix: 'optim.' },
];

/** The modules of functions, by the prefix of their operations. */
const NAMESPACES: Readonly<Record<string, string>> = { fft_: 'fft', linalg_: 'linalg', special_: 'special', signal_windows_: 'signal.windows' };

/**
 * The entries of the tables, in the order of the pages in `docs`, without JavaScript's
 * declarations.
 */
export function readEntries(docs: string): Entry[] {
  return SOURCES.flatMap((source) => {
    const page = readFileSync(join(docs, source.file), 'utf8');
    const part = source.part ? sections(page, '##').find(([title]) => title === source.part)![1] : page;
    return sections(part, source.level).map(([title, body]) => entryOf(source, title.replaceAll('`', ''), body));
  });
}

/** The folder of an entry's page. On some file systems `Tensor` and `tensor` are the same name. */
export function slugOf(name: string): string {
  return `${name.replaceAll('.', '-')}${/^[A-Z]/.test(name) ? '-class' : ''}`;
}

/** Titles and texts of the parts that headings of this level begin. */
function sections(page: string, level: string): [string, string][] {
  const parts = page.split(new RegExp(`^${level} `, 'm')).slice(1);
  return parts.map((part) => {
    const end = part.indexOf('\n');
    return [part.slice(0, end).trim(), part.slice(end + 1).trim()];
  });
}

function entryOf({ kind, prefix }: Source, title: string, body: string): Entry {
  const parts = kind === 'Operation' ? operationParts(body) : moduleParts(body);
  const javascript = kind === 'Operation' ? javascriptName(title) : prefix + title;
  return { kind, name: prefix + title, javascript, declared: [], types: [], ...parts, summary: summaryOf(parts.text) };
}

/**
 * Under an operation's heading are a line of code, which is its signature, a paragraph of facts,
 * and the text.
 */
function operationParts(body: string) {
  const [, signature = '', facts = '', text = ''] = /^`([^`]*)`\n\n([\s\S]*?)(?:\n\n([\s\S]*))?$/.exec(body) ?? [];
  return { signature, facts, text: text.trim() };
}

/** The signatures of the others are their block of text. */
function moduleParts(body: string) {
  const [block = '', signature = ''] = /```text\n([\s\S]*?)\n```\n*/.exec(body) ?? [];
  return { signature, facts: '', text: body.replace(block, '').trim() };
}

/** The name in camel case, in its module of functions. */
function javascriptName(name: string): string {
  const prefix = Object.keys(NAMESPACES).find((each) => name.startsWith(each));
  const [base, variant] = (prefix ? name.slice(prefix.length) : name).split('.');
  const camel = base!.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return `${prefix ? `${NAMESPACES[prefix]}.` : ''}${camel}${variant ? ` (${variant})` : ''}`;
}

/** The first sentence of a Markdown text, without its marks. */
export function summaryOf(text: string): string {
  const [first = ''] = text.split(/\n\n+/);
  // An asterisk in code is a product.
  const plain = first.replace(/`([^`]*)`|\*/g, (_, code: string | undefined) => code ?? '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  return /^.*?[.:;](?=\s|$)/.exec(plain)?.[0].replace(/[:;]$/, '.') ?? plain;
}
