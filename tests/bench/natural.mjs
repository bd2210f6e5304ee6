/**
 * Training without scope beside training with it, in Node on the CPU:
 *
 *     node tests/bench/natural.mjs [STEPS] [MODEL...]
 *
 * Prints for each model the time of a step and the bytes of live tensors after it, both ways. Needs the
 * package built into target/npm.
 */
import { readFile } from 'node:fs/promises';
import { models, run } from '../browser/loops/natural.mjs';

const folder = new URL('../../target/npm/', import.meta.url);
const [steps = '10000', ...names] = process.argv.slice(2);
const lanthorn = await import(new URL('js/index.js', folder));
await lanthorn.init({ device: 'cpu', wasmModule: await readFile(new URL('wasm/lanthorn_cpu_bg.wasm', folder)) });
const mb = (bytes) => (bytes / 1e6).toFixed(2);
console.log('model | mean ms: scope | natural | ratio | most MB: scope | natural | MB at the end: scope | natural');
for (const name of names.length ? names : ['mlp', 'cnn', 'resnet', 'gpt']) {
  lanthorn.manualSeed(1);
  const step = models[name](lanthorn);
  await run(lanthorn, step, 5, true);
  const scoped = await run(lanthorn, step, Number(steps), true);
  const natural = await run(lanthorn, step, Number(steps), false);
  console.log([
    name, scoped.mean.toFixed(2), natural.mean.toFixed(2), (natural.mean / scoped.mean).toFixed(2),
    mb(scoped.peak), mb(natural.peak), mb(scoped.bytes), mb(natural.bytes),
  ].join(' | '));
}
