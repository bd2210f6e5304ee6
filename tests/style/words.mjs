/**
 * Holds the words of comments, Markdown and identifiers to a budget that only falls.
 *
 *     node tests/style/words.mjs                         compares every figure with its budget
 *     node tests/style/words.mjs --write                 lowers the budgets to today's figures
 *     node tests/style/words.mjs --write --move          the same, after a move between folders
 *     node tests/style/words.mjs --count [PATH...]       prints the figures of each pattern
 *     node tests/style/words.mjs --list PATTERN [PATH...] prints the matches of a pattern
 *
 * Every pattern of `words/patterns.mjs` has a budget for each folder, in `words.tsv`. A figure
 * above its budget fails. A figure below its budget fails too: the commit that improves the prose
 * lowers the budget, so no later commit can spend the difference. A banned word has no budget.
 *
 * A phrase may continue on the next line of a comment, so wrapping changes no figure. An identifier
 * counts at each use, so splitting a file changes no figure.
 *
 * `--write` refuses to raise a budget. `--move` lets a folder grow while the total of a pattern
 * does not. If `words.tsv` does not exist, `--write` creates it from today's figures.
 *
 * Rejected: a list of exceptions for each line, which every edit nearby would change; a check of
 * added lines only, which needs a base revision and accepts a word that a merge brings.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, folderOf, parse, print, refuse, sum } from './words/budgets.mjs';
import { PATTERNS } from './words/patterns.mjs';
import { languageOf, separate } from './words/source.mjs';

/** Files whose words are not held, and the reason. */
const EXCLUDED = [
  /^docs\/(?:operations|modules|optimizers|faults)\.md$/, // Printed from tables.
  /\.generated\.|(?:^|\/)generated\/|^npm\/wasm\//, // Printed, too.
  /^docs\/performance\/log-/, // A diary: entries stay unchanged.
  /^CHANGELOG\.md$/, // History.
  /(?:^|\/)(?:node_modules|target|dist)\//,
  /^tests\/golden\/(?!make\/|README)/, // Data.
  /^tests\/style\/words(?:\.test\.mjs$|\/patterns\.mjs$)/, // The patterns and their examples.
];
const MAX_LISTED = 10;
const TABLE = 'tests/style/words.tsv';

/** Standard output of git. */
const runGit = (root, ...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });

/** Standard output of git, or undefined if git fails. */
function tryGit(root, ...args) {
  try {
    return runGit(root, ...args).trim();
  } catch {
    return undefined;
  }
}

/** The tracked files below the paths that have words, each separated into prose and code. */
function* readFiles(root, paths = []) {
  const names = runGit(root, 'ls-files', '-z', '--', ...paths).split('\0');
  for (const path of names) {
    if (path === '' || EXCLUDED.some((pattern) => pattern.test(path)) || languageOf(path) === undefined) continue;
    const file = join(root, path);
    if (existsSync(file)) yield separate(path, readFileSync(file, 'utf8'));
  }
}

/**
 * Counts the lines of prose, and collects the matches `{path, first, last, text}` of each pattern:
 * `first` and `last` are lines, and `text` is the first line.
 */
function scan(root, paths) {
  const countBreaks = (text, start, end) => text.slice(start, end).split('\n').length - 1;
  const matches = new Map(PATTERNS.map(({ key }) => [key, []]));
  let lines = 0;
  for (const file of readFiles(root, paths)) {
    lines += file.prose.match(/^.*[A-Za-z].*$/gm)?.length ?? 0;
    for (const { key, find } of PATTERNS) {
      const found = [...find(file)].sort(([a], [b]) => a - b);
      let line = 1;
      let offset = 0;
      for (const [start, end] of found) {
        line += countBreaks(file.text, offset, start);
        offset = start;
        const text = file.text.slice(file.text.lastIndexOf('\n', start - 1) + 1).split('\n', 1)[0].trim();
        const last = line + countBreaks(file.text, start, end);
        matches.get(key).push({ path: file.path, first: line, last, text });
      }
    }
  }
  return { matches, lines };
}

function countFolders(matches) {
  const figures = new Map();
  for (const { path } of matches) figures.set(folderOf(path), (figures.get(folderOf(path)) ?? 0) + 1);
  return figures;
}

/** The lines of the working tree that a revision lacks: a set of numbers for each path. */
function findAddedLines(root, base) {
  const added = new Map();
  let path;
  const options = ['-U0', '-M', '--no-color', '--no-ext-diff', '--dst-prefix=b/'];
  for (const line of (tryGit(root, 'diff', ...options, base, '--') ?? '').split('\n')) {
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (line.startsWith('+++ ')) path = line.slice(4).replace(/^b\//, '');
    if (!hunk || path === undefined) continue;
    if (!added.has(path)) added.set(path, new Set());
    for (let index = 0; index < Number(hunk[2] ?? 1); index += 1) added.get(path).add(Number(hunk[1]) + index);
  }
  return added;
}

/** Revisions to look for added lines since: the upstream branch, and changes of the table. */
function* findBases(root) {
  const head = tryGit(root, 'rev-parse', 'HEAD');
  for (const upstream of ['origin/HEAD', 'origin/main']) {
    const base = tryGit(root, 'merge-base', 'HEAD', upstream);
    if (base && base !== head) yield base;
  }
  yield* (tryGit(root, 'log', '-2', '--format=%H', '--', TABLE) ?? '').split('\n').filter(Boolean);
}

/** The matches in added lines; all matches if no revision explains the growth. */
function selectMatches(matches, additions) {
  for (const added of additions) {
    const isAdded = ({ path, first, last }) => [first, last].some((line) => added.get(path)?.has(line));
    const selected = matches.filter(isAdded);
    if (selected.length > 0) return selected;
  }
  return matches;
}

const shorten = (text) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);
const formatMatch = ({ path, first, text }) => `${path}:${first}  ${shorten(text)}`;

function reportGrowth(root, growth, matches) {
  const additions = Array.from(findBases(root), (base) => findAddedLines(root, base));
  for (const { key, folder, figure, budget } of growth) {
    const inFolder = matches.get(key).filter(({ path }) => folderOf(path) === folder);
    const selected = selectMatches(inFolder, additions);
    const { say, isBanned } = PATTERNS.find((pattern) => pattern.key === key);
    const limit = isBanned ? 'banned' : `budget ${budget}`;
    console.error(`${folder}: ${key} ${figure}, ${limit}. Write instead: ${say}.`);
    for (const match of selected.slice(0, MAX_LISTED)) console.error(`  ${formatMatch(match)}`);
    if (selected.length > MAX_LISTED) console.error(`  and ${selected.length - MAX_LISTED} more`);
  }
}

/** Lowers the table to the figures. Returns false if a figure grew. */
function writeTable(root, figures, budgets, growth, matches) {
  reportGrowth(root, growth, matches);
  if (growth.length > 0) {
    console.error(`\n${TABLE} is unchanged: a budget only falls. After a move between folders, add --move.`);
    return false;
  }
  writeFileSync(join(root, TABLE), print(figures));
  console.log(`${TABLE}: ${compare(figures, budgets).length} figures changed`);
  return true;
}

/** Compares the figures with the table. Returns false if one differs. */
function compareTable(root, figures, budgets, banned, matches) {
  const differences = compare(figures, budgets);
  const growth = [...banned, ...differences.filter(({ figure, budget }) => figure > budget)];
  const falls = differences.filter(({ figure, budget }) => figure < budget);
  reportGrowth(root, growth, matches);
  for (const { key, folder, figure, budget } of falls) {
    console.error(`${folder}: ${key} ${figure}, budget ${budget}`);
  }
  const command = 'node tests/style/words.mjs --write';
  if (growth.length > 0) {
    console.error(`\nRewrite the lines. After a move of files between folders: ${command} --move`);
  } else if (falls.length > 0) {
    console.error(`\nFewer than the budget. Lower the budget in the same commit: ${command}`);
  } else {
    const total = [...figures.values()].reduce((all, folders) => all + sum(folders), 0);
    console.log(`words: ${total} matches of ${figures.size} patterns, each at its budget`);
  }
  return growth.length + falls.length === 0;
}

function check(root, { matches }, { write, move }) {
  const all = PATTERNS.map(({ key, isBanned }) => ({ key, isBanned, folders: countFolders(matches.get(key)) }));
  const select = (condition) => new Map(all.filter(condition).map(({ key, folders }) => [key, folders]));
  const banned = compare(select(({ isBanned }) => isBanned), new Map());
  const figures = select(({ isBanned }) => !isBanned);
  const file = join(root, TABLE);
  const budgets = existsSync(file) ? parse(readFileSync(file, 'utf8')) : new Map();
  if (!write) return compareTable(root, figures, budgets, banned, matches);
  return writeTable(root, figures, budgets, [...banned, ...refuse(figures, budgets, move)], matches);
}

function printCount({ matches, lines }) {
  for (const { key, say } of PATTERNS) {
    const { length } = matches.get(key);
    const density = ((1000 * length) / Math.max(1, lines)).toFixed(1);
    console.log(`${key.padEnd(20)} ${String(length).padStart(6)} ${density.padStart(7)}  ${say}`);
  }
  console.log(`${lines} lines of prose; the second column is per 1,000 of them`);
}

function main() {
  const flag = { type: 'boolean' };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: flag, move: flag, count: flag, list: { type: 'string' } },
  });
  const root = runGit(process.cwd(), 'rev-parse', '--show-toplevel').trim();
  const keys = PATTERNS.map(({ key }) => key);
  if (values.list !== undefined && !keys.includes(values.list)) {
    throw new Error(`there is no pattern ${values.list}; choose from ${keys.join(' ')}`);
  }
  if (positionals.length > 0 && values.list === undefined && !values.count) {
    throw new Error('a path needs --count or --list: a budget is for a folder');
  }
  const paths = positionals.map((path) => relative(root, resolve(path)) || '.');
  const result = scan(root, paths);
  if (values.count) printCount(result);
  else if (values.list === undefined) process.exitCode = check(root, result, values) ? 0 : 1;
  else for (const match of result.matches.get(values.list)) console.log(formatMatch(match));
}

main();
