/** Workers that share tensors, in Node from version 22 on; workers.test.mjs runs it. */
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { cases } from './cases.mjs';

const digits = await readFile(new URL('../../../crates/data/digits/digits.bin', import.meta.url));

for (const [name, run] of Object.entries(cases)) {
  test(name, { timeout: 120_000 }, async (context) => {
    const start = (file) => new Worker(new URL(`./${file}`, import.meta.url));
    const buffer = digits.buffer.slice(digits.byteOffset, digits.byteOffset + digits.byteLength);
    const found = await run({ start, digits: buffer, ends: 'exit' });
    if (found) context.diagnostic(JSON.stringify(found));
  });
}
