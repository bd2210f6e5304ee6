/**
 * Fills the memory of the CPU's core, all 4 GiB that WebAssembly can have, and works on afterwards.
 * Prints how much there was, and the kind of error.
 */
import assert from 'node:assert/strict';
import { PACKAGE } from '../lib/package-page.mjs';

const { emptyCache, init, memory, ones, scope, tensor } = await import(`${PACKAGE}/js/index.js`);
await init({ device: 'cpu' });
const MIB = 1 << 20;
const COUNT = 64;
const held = [tensor([1, 2, 3])];
const before = memory().tensors;
let failure;
for (let index = 0; index < 100 && !failure; index += 1) {
  try {
    // 64 MiB, written through.
    const block = scope(() => ones(COUNT / 4, MIB).mul(index));
    held.push(block);
    // A read of a few elements runs the kernel and looks into the memory as it grows, also above 2
    // GiB.
    assert.deepEqual(Array.from(await scope(() => block.slice(0, COUNT / 4 - 1).slice(1, MIB - 2).flatten().data())),
      [index, index]);
  } catch (error) {
    failure = error;
  }
}
assert.equal(failure?.name, 'LanthornError', String(failure?.stack));
assert.equal(failure.kind, 'out_of_memory', failure.message);
assert.match(failure.message, /bytes/);
held.pop().dispose();
const most = held.length - 1;
// Earlier values at both ends of the memory are intact.
assert.deepEqual(held[0].dataSync(), Float32Array.of(1, 2, 3));
for (const index of [0, 1, most - 2, most - 1]) {
  assert.deepEqual(scope(() => held[index + 1].slice(0, 3, 4).slice(1, 5, 7).flatten().dataSync()),
    Float32Array.of(index, index));
}
// It can fail again and again, and freed memory can be used.
for (let time = 0; time < 3; time += 1) {
  assert.throws(() => scope(() => ones(8 * COUNT / 4, MIB).mul(2).dataSync()),
    (error) => error.kind === 'out_of_memory');
  for (const block of held.splice(-4)) block.dispose();
  emptyCache();
  const sum = scope(() => ones(COUNT / 4, MIB).mul(2).slice(1, 0, 1).sum().dataSync());
  assert.deepEqual(sum, Float32Array.of(2 * COUNT / 4));
}
for (const block of held.splice(1)) block.dispose();
assert.equal(memory().tensors, before, 'tensors are left');
emptyCache();
const product = scope(() => tensor([[1, 2], [3, 4]]).matmul(tensor([[0, 1], [1, 0]])).dataSync());
assert.deepEqual(product, Float32Array.of(2, 1, 4, 3));
console.log(`${most * COUNT} MiB, then ${failure.kind}: ${failure.message}`);
