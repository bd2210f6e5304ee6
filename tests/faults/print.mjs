/**
 * Prints `docs/faults.md` from the table of faults and the results of the last run of `run.mjs`:
 *
 *     node tests/faults/print.mjs > docs/faults.md
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { faults, patternOf, runnerOf } from './faults.mjs';

export const isNative = ({ file }) => file.endsWith('.rs');

/** The results of the last run: by file, the outcome and time in ms of each test of that title. */
export const readResults = () => JSON.parse(readFileSync(new URL('results.json', import.meta.url), 'utf8'));

/** The results of a test of the table; a test that runs on two devices has two. */
export function resultsOf({ file, title }, results) {
  const found = Object.entries(results[runnerOf(file)] ?? {}).filter(([name]) => patternOf(title).test(name));
  return found.flatMap(([, runs]) => runs);
}

/** A row's results in words. */
function summary(tests, results) {
  const runs = tests.filter((test) => !isNative(test)).flatMap((test) => resultsOf(test, results));
  const native = tests.filter(isNative).length;
  const failed = runs.filter(({ passed }) => !passed).length;
  const time = runs.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const parts = [];
  if (runs.length > 0) parts.push(`${runs.length - failed} passed in ${time.toFixed(1)} s`);
  if (failed > 0) parts.push(`${failed} failed`);
  if (native > 0) parts.push(`${native} native`);
  return parts.join('; ');
}

/** The page. */
export function print(results) {
  const short = (file) => file.replace(/^tests\/browser\/|^tests\/|^crates\//, '');
  const links = (tests) => [...new Set(tests.map(({ file }) => `[${short(file)}](../${file})`))].join(', ');
  const rows = faults.map(({ number, fault, passes, tests }) =>
    `| ${[number, fault, passes, links(tests), summary(tests, results)].join(' | ')} |`);
  return `# Faults, and their tests

What can go wrong, what happens then, and the tests of it, named in
[tests/faults/faults.mjs](../tests/faults/faults.mjs). The last column is from a run of
\`node tests/faults/run.mjs\` in headless Chromium on software WebGPU and in Node; native tests, in the
crates, are part of \`./pkg-scripts/test native\` and \`wasm\`. \`LANTHORN_FAULTS=all\` runs the sampled ones
whole. This page is printed by \`node tests/faults/print.mjs\`.

| # | fault | passes | tests | last run |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(print(readResults()));
