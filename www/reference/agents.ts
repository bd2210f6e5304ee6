/**
 * `llms.txt` and `AGENTS.md` of the package, for programs that write code: the reference as a list.
 *
 * `build-npm` bundles this file and runs it: `agents.mjs ROOT PACKAGE`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declaration, readDeclarations } from './declarations';
import { type Entry, readEntries, summaryOf } from './entries';

const REPOSITORY = 'https://github.com/lanthorn/lanthorn/blob/main';
/** The longest signature. A longer one is a list of options, which the declarations have. */
const MAX_SIGNATURE = 160;

const TABLES: readonly (readonly [title: string, kind: Entry['kind'], note: string])[] = [
  ['Operations', 'Operation', 'functions of `lanthorn`, and methods of `Tensor` without the first argument. The signature is PyTorch\'s; names in JavaScript are in camelCase.'],
  ['Modules', 'Module', 'classes of `nn`.'],
  ['Optimizers', 'Optimizer', 'classes of `optim`.'],
  ['Schedules', 'Schedule', 'classes of `optim.lrScheduler`.'],
];

/** A text of one line without the marks of links. */
const plain = (text: string) => text.replace(/\{@link ([^}]*)\}/g, '`$1`').replace(/\s+/g, ' ').trim();

function line(name: string, signature: string, summary: string): string {
  const shown = signature.length > MAX_SIGNATURE ? '' : plain(signature);
  return `- \`${name}\`${shown === '' || shown === name ? '' : ` \`${shown}\``}${summary === '' ? '' : `: ${plain(summary)}`}`;
}

function table(entries: readonly Entry[], [title, kind, note]: (typeof TABLES)[number]): string {
  const lines = entries.filter((entry) => entry.kind === kind).map(({ javascript, signature, summary }) => line(javascript, signature.split('\n')[0]!, summary));
  return `## ${title}\n${lines.length} ${note}\n\n${lines.join('\n')}\n`;
}

/** The functions and classes of the package's entries that are in no table. */
function byEntry(declarations: ReadonlyMap<string, Declaration>): Map<string, Declaration[]> {
  const found = new Map<string, Declaration[]>();
  for (const each of declarations.values()) {
    if (each.kind === 'Member' || each.isTable || each.name.startsWith('nn.functional.')) continue;
    found.set(each.entry, [...(found.get(each.entry) ?? []), each]);
  }
  return found;
}

/** The first signature of a function, and of a class its constructor or its method `open`. */
function signatureOf({ kind, signatures }: Declaration): string {
  const lines = signatures.flatMap((each) => each.split('\n')).filter((each) => !each.startsWith('//'));
  return (kind === 'Class' ? lines.find((each) => /^(?:new |static open)/.test(each)) : lines[0]) ?? '';
}

const titleOf = (entry: string) => (entry === 'lanthorn' ? 'Other functions and classes of lanthorn' : entry);

function section([entry, declarations]: readonly [string, readonly Declaration[]]): string {
  const lines = declarations.map((each) => line(each.name, signatureOf(each), summaryOf(each.text)));
  return `## ${titleOf(entry)}\n\`import { … } from '${entry}'\`\n\n${lines.join('\n')}\n`;
}

/** The list of the guides, with their addresses. */
function guides(root: string): string {
  const list = readFileSync(join(root, 'docs/guides/README.md'), 'utf8').split('\n').filter((each) => each.startsWith('- ['));
  return `## Guides\n${list.join('\n').replace(/\]\(([^)]+)\)/g, (_, file: string) => `](${REPOSITORY}/docs/guides/${file})`)}\n`;
}

/** The text of `llms.txt`: https://llmstxt.org. */
function llms(root: string, version: string, entries: readonly Entry[], declared: ReadonlyMap<string, Declaration[]>): string {
  const head = `# lanthorn ${version}

> PyTorch for the web: tensors, autograd, modules and optimizers on WebGPU and the CPU, with PyTorch's names in camelCase.

AGENTS.md beside this file has the rules. The types are in js/**/*.d.ts.
`;
  return [head, guides(root), ...TABLES.map((each) => table(entries, each)), ...Array.from(declared, section)].join('\n');
}

function agents(root: string, version: string, declared: ReadonlyMap<string, Declaration[]>): string {
  const rows = Array.from(declared, ([entry, all]) => {
    // Names of namespaces come last.
    const names = all.map(({ name }) => name).sort((one, other) => Number(one.includes('.')) - Number(other.includes('.')));
    return `- \`${entry}\`: ${names.slice(0, 12).map((name) => `\`${name}\``).join(', ')}${names.length > 12 ? `, and ${names.length - 12} more` : ''}`;
  });
  return readFileSync(join(root, 'npm/AGENTS.md'), 'utf8').replaceAll('VERSION', version).replace('ENTRIES', () => rows.join('\n'));
}

const [root = '.', out = 'target/npm'] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(out, 'package.json'), 'utf8')) as { version: string };
const declared = byEntry(readDeclarations(out));
writeFileSync(join(out, 'llms.txt'), llms(root, version, readEntries(join(root, 'docs')), declared));
writeFileSync(join(out, 'AGENTS.md'), agents(root, version, declared));
