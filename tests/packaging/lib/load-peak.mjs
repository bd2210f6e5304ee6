/**
 * Loads a file, and prints the bytes of its tensors and the growth of the resident memory of this
 * process: `node load-peak.mjs PACKAGE FILE [bytes]`. With `bytes` the file is in memory before.
 */
import { readFileSync } from 'node:fs';

const [, , built, path, way] = process.argv;
const { init, tensor } = await import(`${built}/js/index.js`);
const { load } = await import(`${built}/js/io/index.js`);
await init({ device: 'cpu' });
const source = way === 'bytes' ? readFileSync(path) : path;
// The module of readers is there, and so are the core's first pages.
await load(new Uint8Array([...Buffer.from('\x93NUMPY\x01\x00v\x00', 'latin1'), ...Buffer.from("{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }".padEnd(117) + '\n')]));
tensor([1]).dispose();
globalThis.gc?.();
const before = process.memoryUsage.rss();
const state = await load(source);
const peak = process.resourceUsage().maxRSS * 1024;
const tensors = Object.values(state);
for (const [index, loaded] of tensors.entries()) {
  const last = await loaded.at(-1).item();
  if (Math.floor(last) !== index) throw new Error(`tensor ${index} ends in ${last}`);
}
console.log(JSON.stringify({ weights: tensors.reduce((sum, { shape }) => sum + 4 * shape.reduce((a, b) => a * b, 1), 0), grew: peak - before }));
