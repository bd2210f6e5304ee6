/** The lists of files that run in browsers other than Chromium. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { firefoxFiles, testFiles, webkitFiles } from '../../pkg-scripts/suite/files.mjs';

const all = testFiles(fileURLToPath(new URL('../..', import.meta.url)));

test('every file that a list names exists', () => {
  for (const list of [firefoxFiles, webkitFiles]) {
    const whole = list(undefined);
    assert.deepEqual(whole.filter((file) => !all.includes(file)), []);
    const rotated = whole.flatMap((_, rotation) => list(rotation));
    assert.deepEqual(rotated.filter((file) => !whole.includes(file)), []);
    assert.equal(new Set(whole).size, whole.length);
  }
});
