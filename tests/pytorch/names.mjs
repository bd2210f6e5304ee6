/**
 * Where PyTorch's public names are in the package, for docs/guides/names.md. `names/public.txt` has
 * the names, which names.py prints. `names/elsewhere.tsv` is for names that the package does not
 * export: a pattern, a kind and a text each, of which the first that fits holds. A kind with an
 * exclamation mark is for a name that means something else here.
 *
 *   node tests/pytorch/names.mjs            prints the page
 *   node tests/pytorch/names.mjs --write    writes it
 */
import { readFile, writeFile } from 'node:fs/promises';
import { PACKAGE } from '../browser/lib/package-page.mjs';

export const PAGE = new URL('../../docs/guides/names.md', import.meta.url);
const read = (name) => readFile(new URL(`names/${name}`, import.meta.url), 'utf8');
const rowsOf = (text) => text.split('\n').filter(Boolean).map((line) => line.split('\t'));

/** A name of Python in JavaScript: `log_softmax_` is `logSoftmax_`. */
export const camel = (name) => name.replace(/(?<=[A-Za-z0-9])_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** The objects of the package that have the names of PyTorch's modules. */
async function objects() {
  const from = (path) => import(`${PACKAGE}/js/${path}index.js`);
  const [core, data, distributions] = [await from(''), await from('data/'), await from('distributions/')];
  const { autograd, nn, optim } = core;
  return {
    torch: core,
    'torch.Tensor': core.Tensor.prototype,
    'torch.Generator': core.Generator?.prototype,
    'torch.nn': nn,
    'torch.nn.Module': nn.Module.prototype,
    'torch.nn.functional': nn.functional,
    'torch.nn.init': nn.init,
    'torch.nn.utils': nn.utils,
    'torch.nn.utils.rnn': nn.utils.rnn,
    'torch.nn.utils.parametrize': nn.utils.parametrize,
    'torch.nn.utils.parametrizations': nn.utils.parametrizations,
    'torch.func': core.func,
    'torch.autograd': autograd,
    'torch.autograd.functional': autograd.functional,
    'torch.autograd.graph': autograd.graph,
    'torch.linalg': core.linalg,
    'torch.fft': core.fft,
    'torch.special': core.special,
    'torch.optim': optim,
    'torch.optim.lr_scheduler': optim.lrScheduler,
    'torch.optim.swa_utils': optim.swaUtils,
    'torch.distributions': distributions,
    'torch.utils.data': data,
  };
}

/**
 * Each module with its names: the status is `same`, or the kind of a row, or `unknown` where no row
 * fits. `unused` are rows that no name needs.
 */
export async function statuses() {
  const [named, publicNames, elsewhere] = await Promise.all([objects(), read('public.txt'), read('elsewhere.tsv')]);
  const rows = rowsOf(elsewhere).map(([module, pattern, kind, text = '']) => ({ module, fits: new RegExp(`^(?:${pattern})$`), kind: kind.replace('!', ''), isOther: kind.startsWith('!'), text, pattern }));
  const used = new Set();
  const modules = publicNames.trim().split('\n').map((line) => {
    const [module, ...names] = line.split(/:? /);
    const object = named[module];
    const placed = names.map((name) => {
      const row = rows.find((one) => one.module === module && one.fits.test(name));
      const isExported = object !== undefined && camel(name) in object;
      if (isExported && !row?.isOther) return { name, status: 'same', text: '' };
      used.add(row);
      return { name, status: row?.kind ?? 'unknown', text: row?.text ?? '' };
    });
    return { module, names: placed };
  });
  return { modules, unused: rows.filter((row) => !used.has(row)) };
}

/** Whether the package has a name in a module of a module, or in a class. */
function reaches(named, name) {
  const module = Object.keys(named).filter((path) => name.startsWith(`${path}.`)).sort((a, b) => b.length - a.length)[0];
  let owner = named[module];
  for (const part of name.slice(module.length + 1).split('.')) {
    const inside = [owner, owner?.prototype].find((one) => one && camel(part) in Object(one));
    if (inside === undefined) return false;
    owner = Object.getOwnPropertyDescriptor(inside, camel(part))?.get ? undefined : inside[camel(part)];
  }
  return true;
}

/** The uses of names that are not there now, by name. */
export async function missingUses() {
  const [counted, { modules }, named] = await Promise.all([uses(), statuses(), objects()]);
  const status = new Map(modules.flatMap(({ module, names }) => names.map((one) => [`${module}.${one.name}`, one.status])));
  const isMissing = ({ name, status: before }) => {
    if (status.has(name)) return status.get(name) === 'missing';
    return before === 'missing' && !(name.startsWith('torch.') && !name.includes(',') && reaches(named, name));
  };
  return { whole: counted.reduce((sum, one) => sum + one.count, 0), missing: counted.filter(isMissing) };
}

/** The uses of names in real programs that had another name or none when they were counted. */
export async function uses() {
  return rowsOf(await read('uses.tsv')).map(([name, status, count]) => ({ name, status, count: Number(count) }));
}

const KINDS = { other: 'another name', short: 'a short expression', missing: 'not there', none: 'no sense in a page' };
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
const count = (names, ...kinds) => names.filter(({ status }) => kinds.includes(status)).length;

function summaryRow({ module, names }) {
  const whole = names.length - count(names, 'none');
  const numbers = ['same', 'other', 'short', 'missing', 'none'].map((kind) => count(names, kind));
  return `| \`${module}\` | ${names.length} | ${numbers.join(' | ')} | ${percent(count(names, 'same', 'other', 'short'), whole)} |`;
}

/** The names of a module that are elsewhere, with one row for neighbours of one text. */
function detailRows({ names }) {
  const groups = new Map();
  for (const { name, status, text } of names.filter((one) => one.status !== 'same')) {
    const key = `${KINDS[status] ?? status}${text && `: ${text}`}`;
    groups.set(key, [...(groups.get(key) ?? []), `\`${name}\``]);
  }
  return [...groups].map(([text, group]) => `| ${group.join(', ')} | ${text.replaceAll('|', '\\|')} |`);
}

/** A paragraph in lines of at most 100 columns. */
function wrap(paragraph) {
  const lines = [''];
  for (const word of paragraph.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length <= 100) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** The page. */
export async function page() {
  const { modules } = await statuses();
  const whole = { module: 'all', names: modules.flatMap(({ names }) => names) };
  const sections = modules.map((one) => {
    const same = one.names.filter(({ status }) => status === 'same').map(({ name }) => `\`${camel(name)}\``);
    const rows = detailRows(one);
    const table = rows.length > 0 ? `\n\n| PyTorch | lanthorn |\n|---|---|\n${rows.join('\n')}` : '';
    return `## ${one.module}\n\n${same.length > 0 ? wrap(`The same: ${same.join(', ')}.`) : 'No name is the same.'}${table}`;
  });
  return `# PyTorch's names

Printed by \`tests/pytorch/names.mjs\`, which compares PyTorch 2.15's public names with the exports of
the package. Names are PyTorch's in camel case: \`log_softmax\` is \`logSoftmax\`. The share leaves out
names without sense in a page.

| module | names | same | another name | short expression | not there | no sense in a page | share |
|---|--:|--:|--:|--:|--:|--:|--:|
${[...modules, whole].map(summaryRow).join('\n')}

${sections.join('\n\n')}
`;
}

if (import.meta.filename === process.argv[1]) {
  const text = await page();
  if (process.argv.includes('--write')) await writeFile(PAGE, text);
  else process.stdout.write(text);
}
