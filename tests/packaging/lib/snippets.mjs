/**
 * The snippets of the READMEs, of the guides and of the sources' `@example`s, as TypeScript
 * modules.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vite } from '../../browser/lib/source.mjs';
import { NAMES, NAMES_OF } from './snippet-names.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The code between fences of JavaScript: the line before it, and the text. */
function fences(text) {
  return [...text.matchAll(/^```(?:js|jsx|ts)(?: run)?\n(.*?)^```$/gms)].map(({ 0: whole, 1: source, index }) => {
    return { line: text.slice(0, index).split('\n').length, source, isJsx: whole.startsWith('```jsx') };
  });
}

/** The examples of comments. An example ends at the next tag or with the comment. */
function examples(text) {
  return [...text.matchAll(/^ *\* @example\n((?: *\*(?!\/)(?! @).*\n)*)/gm)].map(({ 1: lines, index }) => {
    const source = lines.replace(/^ *\* ?/gm, '').replace(/^```.*$/gm, '');
    return { line: text.slice(0, index).split('\n').length, source, isJsx: false };
  });
}

async function filesIn(folder, ending) {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return entries.filter((name) => name.endsWith(ending)).sort().map((name) => join(folder, name));
}

/** Every snippet: its file, the number of the line before it, and its text. */
export async function snippets() {
  const files = ['README.md', 'npm/README.md', ...(await filesIn('docs/guides', '.md')), ...(await filesIn('npm/src', '.ts'))];
  const read = async (file) => {
    const text = await readFile(join(ROOT, file), 'utf8');
    return (file.endsWith('.md') ? fences(text) : examples(text)).map((found) => ({ file, ...found }));
  };
  return (await Promise.all(files.map(read))).flat();
}

/** The names that a pattern declares: `a`, `[a, b]`, `{ a: b = 1 }`. */
function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier': return [pattern.name];
    case 'ArrayPattern': return pattern.elements.flatMap(namesIn);
    case 'ObjectPattern': return pattern.properties.flatMap((each) => namesIn(each.value ?? each.argument));
    case 'AssignmentPattern': return namesIn(pattern.left);
    default: return [];
  }
}

/** The names that a statement declares at the top level. */
function namesOf(statement) {
  const { type, specifiers, declarations, declaration, id } = statement;
  if (type === 'ImportDeclaration') return specifiers.map(({ local }) => local.name);
  if (type === 'VariableDeclaration') return declarations.flatMap((each) => namesIn(each.id));
  if (declaration) return namesOf(declaration);
  return id ? [id.name] : [];
}

/** The names that a program reads as variables. */
function readIn(node, found = new Set()) {
  if (Array.isArray(node)) node.forEach((each) => readIn(each, found));
  if (!node?.type) return found;
  const isNamed = (node.type === 'MemberExpression' && !node.computed && 'property')
    || (['Property', 'MethodDefinition', 'PropertyDefinition'].includes(node.type) && !node.computed && 'key');
  if (node.type === 'Identifier' || node.type === 'JSXIdentifier') found.add(node.name);
  for (const [key, value] of Object.entries(node)) if (typeof value === 'object' && key !== isNamed) readIn(value, found);
  return found;
}

/** The entry of the package that a source is of: its example means that entry's names. */
function entryOf(file) {
  const [, part] = /^npm\/src\/(?:generated\/)?(io|program|tokenizer|models|quantization|audio|distributions|einops|metrics|vision|train|data|workers|testing)\//.exec(file) ?? [];
  return part ? `lanthorn/${part}` : 'lanthorn';
}

/**
 * The module of a snippet. Its first line declares the names that the snippet leaves out: names of
 * the package are imported, from the entry of the source or the first one of `exported` that has
 * them, and others have the types of the table.
 */
export async function moduleOf({ file, source, isJsx }, exported) {
  const { parseAst } = await vite();
  const { body } = parseAst(source, { lang: isJsx ? 'tsx' : 'ts', sourceType: 'module' });
  const own = new Set(body.flatMap(namesOf));
  const types = { ...NAMES, ...NAMES_OF[relative('npm/src', file)] };
  const free = [...readIn(body)].filter((name) => !own.has(name));
  const given = free.filter((name) => Object.hasOwn(types, name)).map((name) => `declare let ${name}: ${types[name]};`);
  const entries = [[entryOf(file), exported.get(entryOf(file))], ...exported];
  const imports = free.filter((name) => !Object.hasOwn(types, name)).flatMap((name) => {
    const [entry] = entries.find(([, names]) => names.includes(name)) ?? [];
    return entry ? [`import { ${name} } from '${entry}';`] : [];
  });
  return `export {}; ${[...imports, ...given].join(' ')}\n${source}`;
}
