/** The table of faults: every fault has tests that exist, and the page is printed from it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { faults, patternOf } from './faults.mjs';
import { print } from './print.mjs';

const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** Whether a file has a test of this title, as a string of the source. */
function hasTest({ file, title }) {
  const source = read(file);
  if (file.endsWith('.rs')) return source.includes(`fn ${title}(`);
  // A title in backquotes has them only within its expressions, where they are not escaped.
  const escapeQuote = (quote) => (quote === '`' ? title : title.replaceAll(quote, `\\${quote}`));
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${escapeQuote(quote)}${quote}`));
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
  assert.ok(!hasTest({ file: 'crates/wgpu/tests/it/failures.rs', title: 'a_bad_index' }));
  assert.ok(patternOf('a ${b} on ${c}').test('a 2 on cpu') && !patternOf('a ${b} on ${c}').test('b 2 on cpu'));
});

test('docs/faults.md is the page of this table', () => {
  assert.equal(read('docs/faults.md'), print());
});
