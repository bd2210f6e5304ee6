/**
 * Runs the tests of the table of faults that are in JavaScript, and writes `results.json` and
 * `docs/faults.md`. Needs the package and the site built. With arguments, only the files whose name has one
 * of them; the results of others are kept.
 *
 *     node tests/faults/run.mjs [PART...]
 */
import { existsSync, writeFileSync } from 'node:fs';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { faults, patternOf, runnerOf } from './faults.mjs';
import { isNative, print, readResults } from './print.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tests = faults.flatMap((fault) => fault.tests).filter((test) => !isNative(test));
const parts = process.argv.slice(2);
const isWanted = (file) => parts.length === 0 || parts.some((part) => file.includes(part));
const files = [...new Set(tests.map(({ file }) => runnerOf(file)))].filter(isWanted);
const results = existsSync(new URL('results.json', import.meta.url)) ? readResults() : {};
let failures = 0;

/** The entries of an object by name, so that a new run changes few lines. */
function byName(object) {
  return Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)));
}

for (const file of files) {
  const patterns = tests.filter((test) => runnerOf(test.file) === file).map(({ title }) => patternOf(title));
  const mine = {};
  const note = (passed) => ({ name, details }) => {
    if (!passed) failures += 1;
    if (!patterns.some((pattern) => pattern.test(name))) return;
    (mine[name] ??= []).push({ passed, ms: Math.round(details.duration_ms) });
  };
  console.log(file);
  await new Promise((resolve) => {
    const stream = run({ files: [`${root}${file}`], concurrency: 1 });
    stream.on('test:pass', note(true)).on('test:fail', note(false)).on('end', resolve).resume();
  });
  results[file] = byName(mine);
  // After each file, so that a run that is ended keeps what it has.
  const sorted = byName(results);
  writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(sorted, null, 1)}\n`);
  writeFileSync(new URL('../../docs/faults.md', import.meta.url), print(sorted));
  for (const [name, runs] of Object.entries(mine)) {
    console.log(`  ${runs.every(({ passed }) => passed) ? 'passed' : 'FAILED'}: ${name}`);
  }
}
process.exitCode = failures === 0 ? 0 : 1;
