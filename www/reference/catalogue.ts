/**
 * All entries of the reference: the entries of the tables, with JavaScript's declarations and an
 * example, then the functions and classes that are in no table.
 */
import { join } from 'node:path';
import { type Declaration, readDeclarations } from './declarations';
import { type Entry, readEntries, summaryOf } from './entries';
import { Examples } from './examples';
import { ELSEWHERE } from './examples/written/functions/elsewhere';
import { Golden, type GoldenCalls } from './examples/golden';

/**
 * The package's declarations and the examples of the checkout in `root`, whose package is built.
 */
export function readExamples(root: string, calls: GoldenCalls) {
  const declarations = readDeclarations(join(root, 'target/npm'));
  return { declarations, examples: new Examples(new Golden(join(root, 'tests/golden'), calls), declarations) };
}

/** The entries of the checkout in `root`. */
export function readCatalogue(root: string, calls: GoldenCalls): Entry[] {
  const { declarations, examples } = readExamples(root, calls);
  const tables = readEntries(join(root, 'docs')).map((entry): Entry => {
    const program = examples.of(entry);
    return { ...entry, ...findDeclarations(entry, declarations), ...(program ? { program } : {}) };
  });
  const known = new Set(tables.flatMap(({ name, javascript }) => [name, javascript]));
  const others = [...declarations.values()].filter(({ kind, isTable }) => kind !== 'Member' && !isTable).map((each): Entry => {
    const entry = entryOf(each);
    return { ...entry, program: examples.of(entry) ?? { source: programOf(each, declarations), isRecorded: false, needs: ELSEWHERE[entry.name] } };
  });
  return [...tables, ...others.filter(({ name }) => !known.has(name) && !name.startsWith('nn.functional.'))];
}

/** The declarations of an entry: a method, a function, or a class. */
function findDeclarations({ kind, javascript, facts }: Entry, declarations: ReadonlyMap<string, Declaration>): Pick<Entry, 'declared' | 'types'> {
  const [first = ''] = javascript.split(' ');
  const named = kind === 'Schedule' ? first.replace(/^optim\./, 'optim.lrScheduler.') : first;
  const lookUp = (name: string) => [`Tensor.${name}`, name, `nn.functional.${name}`].flatMap((path) => declarations.get(`lanthorn:${path}`) ?? []);
  // In JavaScript `numpy_T` exists only as `T`.
  const [, other = ''] = /\bAlso `([^`]+)`/.exec(facts) ?? [];
  const found = lookUp(named).length > 0 ? lookUp(named) : lookUp(other);
  // A function of both namespaces is shown once.
  const shown = found.filter(({ name }) => !name.startsWith('nn.functional.') || !found.some((each) => each.name === named));
  return { declared: shown.flatMap(({ signatures }) => signatures), types: kind === 'Optimizer' ? [] : shown.flatMap(({ types }) => types) };
}

/** The entries that are printed from Rust. */
const LIBRARY = /^lanthorn\/(?:audio|distributions|metrics|vision)$/;

/** An exclamation mark of TypeScript, after an element or a result: `found[0]!.tokens`. */
const NOT_NULL = /(?<=[\])])!(?=[.[),;])/g;

/**
 * The program of a comment's example. An example of a printed library imports nothing, has the
 * value of an expression in a comment after it, and is TypeScript, of which a page runs the part
 * that is JavaScript.
 */
function programOf({ entry, example }: Declaration, declarations: ReadonlyMap<string, Declaration>): string {
  if (!LIBRARY.test(entry)) return example;
  const known = [...declarations.keys()];
  // A namespace is known by the names in it.
  const isExported = (name: string) => declarations.has(`${entry}:${name}`) || known.some((key) => key.startsWith(`${entry}:${name}.`));
  const names = [...new Set(example.match(/\b[A-Za-z]\w*/g))].filter(isExported);
  return `import { ${names.join(', ')} } from '${entry}';\n\n${example.replace(NOT_NULL, '').replace(/^(?!const )(.*); \/\/ .*$/gm, 'console.log($1);')}`;
}

function entryOf({ entry, name, kind, signatures, types, text }: Declaration): Entry {
  const module = entry.replace(/^lanthorn\/?/, '');
  return {
    kind: kind === 'Class' ? 'Class' : 'Function',
    name: module ? `${module}.${name}` : name,
    javascript: name,
    imported: `import { ${name.split('.')[0]} } from '${entry}';`,
    signature: '',
    declared: signatures,
    types, text,
    summary: summaryOf(text),
    facts: '',
  };
}
