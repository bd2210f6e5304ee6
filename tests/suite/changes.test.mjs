/** The steps of a check: files of every kind lead to the tests that they concern. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cratesOf, opsOf, testsOf } from '../../pkg-scripts/suite/changes.mjs';
import { readJunit, sumClosings } from '../../pkg-scripts/suite/counts.mjs';
import { longestFirst, testFiles } from '../../pkg-scripts/suite/files.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const all = testFiles(ROOT);

test('files of a crate, and files that a crate reads, lead to its package', () => {
  assert.deepEqual(cratesOf(ROOT, ['crates/tensor/src/lib.rs', 'crates/lanthorn/src/lib.rs']), ['lanthorn-tensor', 'lanthorn']);
  assert.deepEqual(cratesOf(ROOT, ['crates/kernels/shaders/copy/copy.wgsl']), ['lanthorn-kernels', 'lanthorn-wgpu', 'lanthorn-cuda']);
  assert.deepEqual(cratesOf(ROOT, ['crates/gone/src/lib.rs', 'README.md']), []);
});

test('a changed file of operations selects them', () => {
  const found = opsOf(ROOT, ['crates/tensor/src/ops/leaf/join.rs', 'crates/tensor/src/lib.rs']);
  assert.ok(found.includes('cat'), found.join());
});

test('files of the package, the site and documents lead to tests that exist', () => {
  for (const [file, expected] of [
    ['npm/src/data/loader.ts', 'tests/data/loader.test.mjs'],
    ['npm/src/tensor/tensor.ts', 'tests/browser/api.test.mjs'],
    ['npm/src/models/generate.ts', 'tests/browser/models.test.mjs'],
    ['www/blocks.ts', 'tests/browser/blocks.test.mjs'],
    ['www/src/chapters/digits/page.ts', 'tests/browser/page.test.mjs'],
    ['www/src/chapters/compile/page.ts', 'tests/browser/compile-chapter.test.mjs'],
    ['www/src/chapters/trees/page.ts', 'tests/browser/trees.test.mjs'],
    ['tests/browser/program/cases.mjs', 'tests/browser/program.test.mjs'],
    ['tests/browser/faults/pages.test.mjs', 'tests/browser/faults/pages.test.mjs'],
    ['docs/guides/devices.md', 'tests/browser/guides.test.mjs'],
    ['docs/operations.md', 'tests/browser/reference-examples.test.mjs'],
    ['pkg-scripts/suite/run.mjs', 'tests/suite/changes.test.mjs'],
  ]) assert.ok(testsOf([file], all).includes(expected), `${file}: ${testsOf([file], all)}`);
});

test('every file of tests runs once, the long ones first', () => {
  const ordered = longestFirst(all);
  assert.deepEqual(ordered.toSorted(), all.toSorted());
  assert.deepEqual(longestFirst(['tests/a.test.mjs', ordered[0]]), [ordered[0], 'tests/a.test.mjs']);
});

test('closing lines of every runner are counted', () => {
  assert.deepEqual(sumClosings('test result: ok. 3 passed; 1 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed'), { passed: 5, failed: 1 });
  assert.deepEqual(sumClosings('\x1b[32m     Summary\x1b[0m [ 12.3s] 1240 tests run: 1236 passed (2 slow), 3 failed, 1 timed out'), { passed: 1236, failed: 4 });
  assert.deepEqual(sumClosings('  Summary [ 0.1s] 2 tests run: 1 passed, 1 timed out, 3 skipped'), { passed: 1, failed: 1 });
  assert.deepEqual(sumClosings('7 passed, 2 failed, 1 skipped'), { passed: 7, failed: 2 });
  const xml = '<testcase name="views::flip" classname="lanthorn-tensor::it" timestamp="x" time="0.25">';
  assert.deepEqual(readJunit(xml), [{ name: 'lanthorn-tensor::it views::flip', seconds: 0.25 }]);
});
