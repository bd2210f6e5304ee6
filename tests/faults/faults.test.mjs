/** The table of faults: every fault has tests that exist and passed, and the page is printed from it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { faults, patternOf } from './faults.mjs';
import { isNative, print, readResults, resultsOf } from './print.mjs';

const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** Whether a file has a test of this title, as a string of the source. */
function hasTest({ file, title }) {
  const source = read(file);
  if (isNative({ file })) return source.includes(`fn ${title}(`);
  // A title in backquotes has them only within its expressions, where they are not escaped.
  const escaped = (quote) => (quote === '`' ? title : title.replaceAll(quote, `\\${quote}`));
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${escaped(quote)}${quote}`));
}

test('there are forty faults, and every one has tests that exist', () => {
  assert.deepEqual(faults.map(({ number }) => number), Array.from({ length: 40 }, (_, index) => index + 1));
  for (const { number, tests } of faults) {
    assert.ok(tests.length > 0, `fault ${number} has no test`);
    for (const one of tests) assert.ok(hasTest(one), `fault ${number}: ${one.file} has no test '${one.title}'`);
  }
});

test('a test that does not exist would be noticed', () => {
  const file = 'tests/browser/starting.test.mjs';
  assert.ok(hasTest({ file, title: 'and each once' }));
  assert.ok(!hasTest({ file, title: 'and each onc' }));
  assert.ok(!hasTest({ file: 'crates/wgpu/tests/failures.rs', title: 'a_bad_index' }));
  assert.ok(patternOf('a ${b} on ${c}').test('a 2 on cpu') && !patternOf('a ${b} on ${c}').test('b 2 on cpu'));
});

test('in the last run every one of them ran and passed', () => {
  const results = readResults();
  for (const { number, tests } of faults) {
    for (const one of tests.filter((listed) => !isNative(listed))) {
      const runs = resultsOf(one, results);
      assert.ok(runs.length > 0, `fault ${number}: '${one.title}' did not run; see tests/faults/run.mjs`);
      assert.ok(runs.every(({ passed }) => passed), `fault ${number}: '${one.title}' failed`);
    }
  }
});

test('docs/faults.md is the page of this table and of that run', () => {
  assert.equal(read('docs/faults.md'), print(readResults()));
});
