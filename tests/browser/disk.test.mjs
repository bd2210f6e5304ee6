/**
 * Files by their paths, in Node. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PACKAGE } from './lib/package-page.mjs';

let lanthorn;
let io;
let folder;
/** The absolute path of a file in the folder of this test. */
const at = (name) => join(folder, name);
before(async () => {
  lanthorn = await import(`${PACKAGE}/js/index.js`);
  io = await import(`${PACKAGE}/js/io/index.js`);
  await lanthorn.init({ device: 'cpu' });
  folder = await mkdtemp(join(tmpdir(), 'lanthorn-'));
});
after(() => folder && rm(folder, { recursive: true }));

const store = async (name, value, options) => writeFile(at(name), new Uint8Array(await (await io.save(value, options)).arrayBuffer()));
const refusesFile = (source, message) => assert.rejects(io.load(source), (error) => error.kind === 'file' && message.test(error.message));

test('are loaded by path and by address, in each format', async () => {
  const { arange } = lanthorn;
  const x = arange(6).reshape(2, 3);
  await store('x.safetensors', { x });
  await store('x.pt', { x, epoch: 3 });
  for (const source of [at('x.safetensors'), relative('.', at('x.safetensors')), String(pathToFileURL(at('x.safetensors'))), pathToFileURL(at('x.safetensors'))]) {
    const { x: read } = await io.load(source);
    assert.deepEqual(await read.tolist(), [[0, 1, 2], [3, 4, 5]], String(source));
  }
  assert.equal((await io.load(at('x.pt'))).epoch, 3);
});

test('are read in parts: what is not wanted is skipped', async () => {
  const { ones, full } = lanthorn;
  await store('big.safetensors', { a: ones(1 << 20), b: full([3], 7), c: ones(1 << 20) });
  let most = 0;
  const { b } = await io.load(at('big.safetensors'), { names: ['b'], onProgress: ({ loaded }) => { most = loaded; } });
  assert.deepEqual(await b.tolist(), [7, 7, 7]);
  assert.ok(most < 1 << 20, `${most} bytes of 8 MiB were read`);
});

test('of an index are found beside it, and nowhere else', async () => {
  const { ones, zeros } = lanthorn;
  await mkdir(at('shards'));
  await store('shards/1.safetensors', { a: ones(2) });
  await store('shards/2.safetensors', { b: zeros(2) });
  const index = (file) => JSON.stringify({ weight_map: { a: '1.safetensors', b: file } });
  await writeFile(at('shards/model.safetensors.index.json'), index('2.safetensors'));
  for (const source of [at('shards/model.safetensors.index.json'), pathToFileURL(at('shards/model.safetensors.index.json'))]) {
    assert.deepEqual(Object.keys(await io.load(source)), ['a', 'b']);
  }
  await store('outside.safetensors', { b: zeros(2) });
  for (const file of ['../outside.safetensors', '..\\outside.safetensors', at('outside.safetensors'), '..']) {
    await writeFile(at('shards/bad.index.json'), index(file));
    await refusesFile(at('shards/bad.index.json'), /./);
  }
});

test('that are not there, or no files, or cut off, are told', async () => {
  await refusesFile(at('none.pt'), /none\.pt: there is no such file/);
  await refusesFile(folder, /it is a folder|illegal operation on a directory/i);
  await store('whole.safetensors', { x: lanthorn.ones(100) });
  const { readFile } = await import('node:fs/promises');
  await writeFile(at('cut.safetensors'), (await readFile(at('whole.safetensors'))).subarray(0, 200));
  await refusesFile(at('cut.safetensors'), /bytes/);
  const stop = new AbortController();
  stop.abort(new Error('enough'));
  await assert.rejects(io.load(at('whole.safetensors'), { signal: stop.signal }), /enough/);
});
