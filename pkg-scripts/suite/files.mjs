/** The files of node's test runner. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

/** All `*.test.mjs` below tests/, from the root of the checkout. */
export const testFiles = (root) =>
  readdirSync(join(root, 'tests'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.mjs'))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();

/** The files that take longest, from the longest on. */
const LONG = [
  'browser/golden', 'packaging/matrix', 'packaging/examples', 'browser/page', 'browser/api', 'browser/models', 'browser/transformer', 'browser/workers',
  'browser/checkpoint', 'browser/program', 'browser/site', 'browser/chat', 'browser/trees', 'browser/model', 'browser/convolution', 'browser/quantization',
].map((name) => `tests/${name}.test.mjs`);

/** The long files first, so that no process is left alone with one at the end. */
export const longestFirst = (files) => {
  const rank = (file) => LONG.indexOf(file) + 1 || LONG.length + 1;
  return files.toSorted((one, other) => rank(one) - rank(other));
};

/**
 * The files whose tests run in Firefox, too. Of four of them a run of a part takes one in Firefox
 * and not in Chromium, so that the run takes no longer.
 */
const IN_FIREFOX = [
  'api', 'autograd-chapter', 'bad-input', 'convolution', 'custom-op', 'io', 'models', 'program', 'quantization', 'tensors', 'threads', 'workers',
].map((name) => `tests/browser/${name}.test.mjs`);

/** Files of the page's tests that run in Firefox; `rotation` is undefined where everything runs. */
export const firefoxFiles = (rotation) => IN_FIREFOX.filter((_, index) => rotation === undefined || index % 4 === Number(rotation) % 4);

/** Groups of files, one of which runs in WebKit in a run of a part. */
const IN_WEBKIT = [
  ['packaging/readme', 'browser/io', 'browser/tensors'],
  ['browser/threads', 'browser/autograd-chapter', 'browser/program'],
  ['browser/workers', 'browser/convolution', 'browser/bad-input'],
  ['browser/api', 'browser/io', 'browser/regression'],
  ['browser/playground', 'browser/model'],
  ['browser/checkpoint'],
  ['browser/page'],
].map((names) => names.map((name) => `tests/${name}.test.mjs`));

/** Further files that pass in WebKit, for a run of everything. */
const ALSO_IN_WEBKIT = ['custom-op', 'embeddings', 'models', 'quantization', 'quantization-chapter', 'recurrent']
  .map((name) => `tests/browser/${name}.test.mjs`);

/** The files that run in WebKit, besides another browser. */
export function webkitFiles(rotation) {
  if (rotation !== undefined) return IN_WEBKIT[Number(rotation) % IN_WEBKIT.length];
  return [...new Set(IN_WEBKIT.flat()), ...ALSO_IN_WEBKIT];
}
