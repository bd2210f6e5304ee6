/**
 * The memory that loading takes in Node: the growth of the resident memory of a process. No file is
 * in memory: the tensors are, and less than a fifth more.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { FORMATS, weightsOf, writeWeights } from '../browser/lib/weights.mjs';

/** The most that is held, by the weights. */
const BOUND = 1.2;
/** Bytes that do not grow with the weights: code, small buffers, garbage. */
const CONSTANT = 16 << 20;
const SCRIPT = fileURLToPath(new URL('lib/load-peak.mjs', import.meta.url));

let folder;
before(() => { folder = mkdtempSync(join(tmpdir(), 'lanthorn-weights-')); });
after(() => rmSync(folder, { recursive: true }));

for (const format of FORMATS) {
  test(`loading ${format} holds 1.2 times the weights at the most`, () => {
    const path = join(folder, format);
    writeWeights(format, path);
    for (const way of ['file', 'bytes']) {
      const { weights, grew } = JSON.parse(execFileSync(process.execPath, ['--expose-gc', SCRIPT, PACKAGE, path, way], { encoding: 'utf8' }));
      assert.equal(weights, weightsOf());
      const bound = BOUND * weights + CONSTANT;
      assert.ok(grew <= bound, `from ${way}: ${(grew / weights).toFixed(2)} times the weights, which is more than ${(bound / weights).toFixed(2)}`);
    }
    rmSync(path);
  });
}
