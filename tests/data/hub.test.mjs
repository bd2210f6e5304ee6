/** `lanthorn/hub` in Node. Needs the package built into target/npm. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { serveHub } from './hub-server.mjs';

const { download, DownloadError, downloadSize, listDownloads, removeDownloads, setHub } = await import(`${PACKAGE}/js/hub/index.js`);
const { newDigest } = await import(`${PACKAGE}/js/hub/digest.js`);
const { load, save } = await import(`${PACKAGE}/js/io/index.js`);
const { init, ones } = await import(`${PACKAGE}/js/index.js`);

let [hub, folder] = [];
before(async () => {
  await init({ device: 'cpu' });
  folder = await mkdtemp(join(tmpdir(), 'lanthorn-hub-'));
  hub = await serveHub();
  setHub({ endpoint: hub.origin, cacheDir: folder });
});
after(async () => {
  await hub.close();
  await rm(folder, { recursive: true });
});

const bytesOf = (count, seed = 1) => Buffer.from(Uint8Array.from({ length: count }, (_, index) => (index * seed + (index >> 8)) % 251));
const digestOf = (bytes, algorithm = 'sha256') => createHash(algorithm).update(bytes).digest('hex');
const at = (path) => `${hub.origin}/${path}`;
const contentOf = async (content) => readFile(content);

async function expectError(action, reason, message) {
  const error = await Promise.resolve().then(action).then(() => assert.fail('no error came'), (thrown) => thrown);
  assert.ok(error instanceof DownloadError, String(error.stack));
  assert.deepEqual([error.kind, error.reason], ['file', reason], error.message);
  assert.match(error.message, message);
  return error;
}

test('digests', () => {
  for (const algorithm of ['md5', 'sha256']) {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]) {
      const bytes = bytesOf(length, 7);
      const digest = newDigest(algorithm);
      for (let start = 0; start < length; start += 37) digest.update(bytes.subarray(start, start + 37));
      assert.equal(digest.hex(), digestOf(bytes, algorithm), `${algorithm} of ${length} bytes`);
    }
  }
});

describe('a download', () => {
  test('is stored: the second one requests nothing', async () => {
    hub.files['sets/a.bin'] = bytesOf(1000);
    const seen = [];
    const file = await download(at('sets/a.bin'), { name: 'sets/a.bin', sha256: digestOf(bytesOf(1000)), onProgress: (progress) => seen.push(progress) });
    assert.deepEqual(await contentOf(file), bytesOf(1000));
    assert.deepEqual(seen.at(-1), { loaded: 1000, total: 1000 });
    hub.paths();
    await Promise.all([download(at('sets/a.bin'), { name: 'sets/a.bin' }), download(at('sets/a.bin'), { name: 'sets/a.bin' })]);
    assert.deepEqual(hub.paths(), []);
    assert.deepEqual(await listDownloads(), [{ name: 'sets/a.bin', size: 1000, isComplete: true }]);
    assert.equal(await downloadSize(), 1000);
    assert.equal(await removeDownloads('sets'), 1);
    assert.deepEqual(await listDownloads(), []);
  });

  test('of one file runs once at a time', async () => {
    hub.files['b.bin'] = bytesOf(2000);
    await Promise.all([1, 2, 3].map(() => download(at('b.bin'), { name: 'b.bin' })));
    assert.deepEqual(hub.paths(), ['b.bin']);
  });

  test('continues after a break, at once and in the next call', async () => {
    const bytes = bytesOf(300_000, 3);
    hub.files['c.bin'] = hub.breaking(bytes, 100_000, 2);
    assert.deepEqual(await contentOf(await download(at('c.bin'), { name: 'c.bin' })), bytes);
    const starts = hub.requests.splice(0).map(({ range }) => Number(/\d+/.exec(range ?? 'bytes=0-')[0]));
    assert.ok(starts.length === 3 && starts[0] === 0 && starts[1] > 0 && starts[2] > starts[1], String(starts));

    hub.files['d.bin'] = hub.breaking(bytes, 100_000, 1);
    await expectError(() => download(at('d.bin'), { name: 'd.bin', retries: 0 }), 'network', /broke after \d+ of 300000 bytes/);
    const [half] = (await listDownloads()).filter(({ name }) => name === 'd.bin');
    assert.ok(!half.isComplete && half.size > 0 && half.size < 300_000, JSON.stringify(half));
    assert.deepEqual(await contentOf(await download(at('d.bin'), { name: 'd.bin', md5: digestOf(bytes, 'md5') })), bytes);
    assert.deepEqual(hub.requests.splice(0).map(({ range }) => range), [undefined, `bytes=${half.size}-`]);
  });

  test('begins again where the file changed, or the server has no ranges or no tag', async () => {
    const [old, bytes] = [bytesOf(200_000, 3), bytesOf(210_000, 5)];
    for (const [name, second] of [['e.bin', bytes], ['f.bin', hub.plain(bytes)]]) {
      hub.files[name] = hub.breaking(old, 80_000, 1);
      await expectError(() => download(at(name), { name, retries: 0 }), 'network', /broke/);
      hub.files[name] = second;
      assert.deepEqual(await contentOf(await download(at(name), { name })), bytes, name);
    }
    hub.files['g.bin'] = hub.breaking(bytes, 80_000, 1, { isWithoutTag: true });
    assert.deepEqual(await contentOf(await download(at('g.bin'), { name: 'g.bin' })), bytes);
    assert.equal(hub.requests.splice(0).at(-1).range, undefined, 'without a tag nothing is known of the beginning');
  });

  test('waits for a server that is busy, as long as it says', async () => {
    hub.files['busy'] = hub.failing(bytesOf(10), 429, 1, { 'retry-after': '1' });
    const start = performance.now();
    await download(at('busy'), { name: 'busy' });
    assert.ok(performance.now() - start > 900);
    hub.files['later'] = hub.failing(bytesOf(10), 429, 9, { 'retry-after': '3600' });
    await expectError(() => download(at('later'), { name: 'later' }), 'busy', /429/);
    hub.files['down'] = hub.failing(bytesOf(10), 503, 9, { 'retry-after': '0' });
    hub.paths();
    await expectError(() => download(at('down'), { name: 'down', retries: 2 }), 'busy', /503/);
    assert.equal(hub.paths().length, 3);
  });

  test('that fails says why', async () => {
    hub.files['wrong'] = bytesOf(50);
    await expectError(() => download(at('wrong'), { name: 'wrong', md5: '0'.repeat(32) }), 'checksum', /md5 [0-9a-f]{32}, and not 0{32}/);
    assert.ok(!(await listDownloads()).some(({ name }) => name === 'wrong'), 'it is not kept');
    hub.files['pointer'] = Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n');
    await expectError(() => download(at('pointer'), { name: 'pointer' }), 'pointer', /Git LFS/);
    assert.equal((await expectError(() => download(at('none'), { name: 'none' }), 'absent', /404.*Entry not found/)).status, 404);
    hub.files['forbidden'] = hub.failing(bytesOf(1), 403, 9);
    await expectError(() => download(at('forbidden'), { name: 'forbidden' }), 'authorization', /403.*token/);
    hub.files['odd'] = hub.failing(bytesOf(1), 418, 9);
    await expectError(() => download(at('odd'), { name: 'odd' }), 'status', /418/);
    await expectError(() => download('http://127.0.0.1:9/x', { name: 'x', retries: 0 }), 'network', /no answer/);
    await writeFile(join(folder, 'file'), 'x');
    hub.files['blocked'] = bytesOf(1);
    await expectError(() => download(at('blocked'), { name: 'file/blocked' }), 'storage', /cannot be written/);
    const stop = AbortSignal.abort(new Error('enough'));
    await assert.rejects(download(at('wrong'), { signal: stop }), /enough/);
    for (const [url, options] of [['not an address', {}], [at('wrong'), { name: '../outside' }], [at('wrong'), { md5: 'x' }], [at('wrong'), { checksum: 'x' }]]) {
      await assert.rejects(download(url, options), { kind: 'argument' });
    }
  });

  test('is requested again with forceDownload, or when the server has another version', async () => {
    hub.files['v'] = bytesOf(10);
    await download(at('v'), { name: 'v' });
    hub.requests.splice(0);
    await download(at('v'), { name: 'v', refresh: true });
    assert.deepEqual(hub.requests.splice(0).map(({ method }) => method), ['HEAD']);
    hub.files['v'] = bytesOf(20);
    assert.equal((await contentOf(await download(at('v'), { name: 'v', refresh: true }))).length, 20);
    assert.deepEqual(hub.requests.splice(0).map(({ method }) => method), ['HEAD', 'GET']);
    await download(at('v'), { name: 'v', forceDownload: true });
    assert.deepEqual(hub.requests.splice(0).map(({ method }) => method), ['GET']);
  });
});

describe('files of a hub', () => {
  const path = 'me/net/resolve/main/model.safetensors';
  let file;
  before(async () => {
    file = Buffer.from(await (await save({ weight: ones([2, 3]), bias: ones([70_000]) })).arrayBuffer());
  });

  test('are redirected, checked, and stored', async () => {
    hub.files[path] = hub.redirect(file, 'large/model.safetensors');
    hub.paths();
    const { weight } = await load('hf://me/net/model.safetensors', { token: 'secret' });
    assert.deepEqual(await weight.tolist(), [[1, 1, 1], [1, 1, 1]]);
    assert.deepEqual(hub.requests.splice(0).map(({ path: each, token }) => [each, token]), [[path, 'Bearer secret'], ['large/model.safetensors', undefined]]);
    assert.deepEqual(Object.keys(await load('hf://me/net/model.safetensors', { localFilesOnly: true })).sort(), ['bias', 'weight']);
    assert.deepEqual(hub.paths(), [], 'stored files need no server');
    hub.files['large/model.safetensors'] = Buffer.concat([file.subarray(0, -1), Buffer.from([9])]);
    await expectError(() => load('hf://me/net/model.safetensors', { forceDownload: true }), 'checksum', /sha256/);
  });

  test('have revisions, tokens, templates, and may be read while they arrive', async () => {
    hub.files['me/net/resolve/v1.0/a.safetensors'] = hub.guarded(file, 'secret');
    await expectError(() => load('hf://me/net@v1.0/a.safetensors'), 'authorization', /401/);
    assert.equal((await load('hf://me/net/a.safetensors', { revision: 'v1.0', token: 'secret' })).bias.shape[0], 70_000);
    hub.files['models/me/net/b.safetensors'] = file;
    assert.ok((await load('hf://me/net/b.safetensors', { pathTemplate: 'models/{repo}/{file}' })).weight);
    hub.files['datasets/me/set/resolve/main/c.safetensors'] = file;
    assert.ok((await load('hf://datasets/me/set/c.safetensors')).weight);
    hub.requests.splice(0);
    hub.files['me/net/resolve/main/d.safetensors'] = file;
    assert.deepEqual(Object.keys(await load('hf://me/net/d.safetensors', { cache: false, names: ['weight'] })), ['weight']);
    assert.match(hub.requests[0].range, /^bytes=0-/, 'ranges are read');
    assert.ok(!(await listDownloads()).some(({ name }) => name.endsWith('d.safetensors')));
    await expectError(() => load('hf://me/net/e.safetensors', { localFilesOnly: true }), 'absent', /no such file in the storage/);
    for (const address of ['hf://me', 'hf://me/net', 'hf://me/net/../x']) await assert.rejects(load(address), { kind: 'argument' });
    assert.throws(() => setHub({ pathTemplate: '{repo}' }), { kind: 'argument' });
    assert.throws(() => setHub({ host: 'x' }), { kind: 'argument' });
  });

  test('a model and its tokenizer are found by name', async () => {
    const [{ fromPretrained }, { Tokenizer }] = await Promise.all(['models', 'tokenizer'].map((name) => import(`${PACKAGE}/js/${name}/index.js`)));
    const folderOf = new URL('../models/lm/llama3/', import.meta.url);
    for (const name of ['config.json', 'model.safetensors']) hub.files[`me/llama/resolve/main/${name}`] = await readFile(new URL(name, folderOf));
    hub.files['me/llama/resolve/main/tokenizer.json'] = Buffer.from(JSON.stringify({
      added_tokens: [], normalizer: null, pre_tokenizer: { type: 'Whitespace' }, post_processor: null, decoder: null,
      model: { type: 'WordLevel', vocab: { hello: 0, hub: 1, '[UNK]': 2 }, unk_token: '[UNK]' },
    }));
    hub.paths();
    const model = await fromPretrained('me/llama', { token: 'secret' });
    assert.deepEqual(hub.paths(), ['me/llama/resolve/main/config.json', 'me/llama/resolve/main/model.safetensors']);
    const tokenizer = await Tokenizer.fromFile('me/llama');
    assert.deepEqual(Array.from(tokenizer.encode('hello hub').ids), [0, 1]);
    assert.deepEqual(hub.paths().sort(), ['me/llama/resolve/main/tokenizer.json', 'me/llama/resolve/main/tokenizer_config.json']);
    const again = await fromPretrained('hf://me/llama@main', { localFilesOnly: true });
    assert.deepEqual(hub.paths(), []);
    for (const each of [model, again, tokenizer]) each.dispose();
    await assert.rejects(fromPretrained('me/none'), (error) => error.reason === 'absent' && /me\/none\/resolve\/main\/config\.json.*404/.test(error.message));
  });
});
