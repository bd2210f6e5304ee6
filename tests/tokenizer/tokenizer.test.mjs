/**
 * `lanthorn/tokenizer` in Node, against Python's libraries: every tokenizer of `files`, on every line
 * of the corpus. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { PACKAGE } from '../browser/lib/package-page.mjs';

const { Tokenizer } = await import(`${PACKAGE}/js/tokenizer/index.js`);

const file = async (name) => gunzipSync(await readFile(new URL(`files/${name}.gz`, import.meta.url)));
const json = async (name) => JSON.parse((await file(name)).toString());
const corpus = await json('corpus.json');
const manifest = JSON.parse(await readFile(new URL('files/manifest.json', import.meta.url), 'utf8'));

/** FNV-1a of 32 bits, folded to 16. */
function fnv(parts) {
  let hash = 0x811c9dc5;
  for (const bytes of parts) for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 16) ^ hash) & 0xffff;
}
const bytesOf = (numbers) => new Uint8Array(Uint32Array.from(numbers).buffer);

/** Offsets in a string as offsets in the bytes of its UTF-8. */
function byteOffsets(text, offsets) {
  const at = new Uint32Array(text.length + 1);
  let bytes = 0;
  for (let unit = 0; unit < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(unit));
    at.fill(bytes, unit, unit + character.length);
    bytes += Buffer.byteLength(character);
    unit += character.length;
  }
  at[text.length] = bytes;
  return Array.from(offsets, (unit) => at[unit]);
}

function kindOf(run) {
  try {
    run();
  } catch (error) {
    assert.equal(error.name, 'LanthornError', String(error));
    return error.kind;
  }
  return 'none';
}

describe('against Python', () => {
  assert.ok(corpus.length >= 5000 && manifest.length >= 20);
  for (const { name, file: source, offsets: hasOffsets, skips } of manifest) {
    test(name, async () => {
      const tokenizer = await Tokenizer.fromFile(await file(source));
      const hashes = await file(`${name}.hashes`);
      let checked = 0;
      for (const [index, line] of corpus.entries()) {
        if (skips.some((skip) => line.includes(skip))) continue;
        const { ids, offsets } = tokenizer.encode(line);
        const text = tokenizer.decode(ids);
        const spans = hasOffsets ? bytesOf(byteOffsets(line, offsets)) : [];
        assert.equal(fnv([bytesOf(ids)]), hashes.readUInt16LE(4 * index), `line ${index} ${JSON.stringify(line)}: ids ${ids}`);
        assert.equal(fnv([spans, new TextEncoder().encode(text)]), hashes.readUInt16LE(4 * index + 2), `line ${index} ${JSON.stringify(line)}: ${offsets} ${text}`);
        checked += 1;
      }
      assert.ok(checked > 4500);
      tokenizer.dispose();
      assert.equal(kindOf(() => tokenizer.encode('a')), 'disposed');
    });
  }

  test('chat templates', async () => {
    const { now: [year, month, day, hour, minute, second], tokens, cases } = await json('chat.json');
    const config = Object.fromEntries(Object.entries(tokens));
    const tokenizer = await Tokenizer.fromFile(await file('qwen2.json'), { config });
    const now = new Date(year, month - 1, day, hour, minute, second);
    let compared = 0;
    for (const { name, template, messages, prompt, variables, text } of cases) {
      const run = () => tokenizer.applyChatTemplate(JSON.parse(messages), { template, addGenerationPrompt: prompt, variables: JSON.parse(variables), now });
      if (text === undefined) assert.equal(kindOf(run), 'argument', name);
      else assert.equal(run(), text, name);
      compared += 1;
    }
    assert.ok(compared >= 60);
    assert.equal(tokenizer.tokenToId('<|im_end|>'), tokenizer.addedTokens().find(({ content }) => content === '<|im_end|>').id);
    assert.throws(() => tokenizer.applyChatTemplate([]), /there is no template "default"; the tokenizer has none/);
  });
});

describe('calls', () => {
  test('a batch has rows of one length', async () => {
    const tokenizer = await Tokenizer.fromFile(new Blob([await file('bert-uncased.json')]));
    const texts = ['Hello, world', 'a much longer sentence than the other one', ''];
    assert.equal(kindOf(() => tokenizer.batch(texts)), 'shape');
    const batch = tokenizer.batch(texts, { padding: true, padToMultipleOf: 8, maxLength: 16 });
    assert.deepEqual(batch.shape, [3, 16]);
    assert.equal(batch.inputIds.length, 48);
    const first = tokenizer.encode(texts[0]).ids;
    assert.deepEqual(batch.inputIds.subarray(0, first.length), first);
    assert.equal(batch.attentionMask.subarray(0, 16).reduce((sum, one) => sum + one), first.length);
    const pair = tokenizer.encode('Hello', { pair: 'é😀 world' });
    assert.deepEqual([...new Set(pair.typeIds)], [0, 1]);
    const last = pair.ids.length - 2;
    assert.equal('é😀 world'.slice(pair.offsets[2 * last], pair.offsets[2 * last + 1]), 'world'.slice(pair.offsets[2 * last] - 4));
    assert.deepEqual(tokenizer.batch(['a'], { pairs: ['b'], padding: 9, paddingSide: 'left' }).attentionMask, Int32Array.of(0, 0, 0, 0, 1, 1, 1, 1, 1));
  });

  test('options of a call take precedence over options of the file, one by one', async () => {
    const withFile = (more) => Tokenizer.fromFile(new TextEncoder().encode(JSON.stringify({
      model: { type: 'WordLevel', vocab: { '?': 0, a: 1, b: 2, c: 3, P: 4, Q: 5 }, unk_token: '?' }, pre_tokenizer: { type: 'WhitespaceSplit' }, ...more,
    })));
    const padding = { strategy: { Fixed: 5 }, direction: 'Left', pad_id: 4, pad_type_id: 2, pad_token: 'P', pad_to_multiple_of: null };
    const both = await withFile({ padding, truncation: { max_length: 2, strategy: 'LongestFirst', direction: 'Left', stride: 0 } });
    for (const [options, ids] of [
      [{}, [4, 4, 4, 2, 3]],
      [{ padding: false }, [2, 3]],
      [{ truncation: false }, [4, 4, 1, 2, 3]],
      [{ padding: false, truncation: false }, [1, 2, 3]],
      [{ padding: true }, [2, 3]],
      [{ padding: 4 }, [4, 4, 2, 3]],
      [{ padding: 3, paddingSide: 'right', padId: 5 }, [2, 3, 5]],
      [{ padToMultipleOf: 4 }, [4, 4, 4, 4, 4, 4, 2, 3]],
      [{ paddingSide: 'right' }, [2, 3, 4, 4, 4]],
      [{ maxLength: 1 }, [4, 4, 4, 4, 3]],
      [{ maxLength: 1, padding: false, truncation: true }, [3]],
      [{ truncationSide: 'right', padding: false }, [1, 2]],
      [{ padding: null, truncation: null, maxLength: undefined }, [4, 4, 4, 2, 3]],
    ]) assert.deepEqual([...both.encode('a b c', options).ids], ids, JSON.stringify(options));
    assert.deepEqual([...both.encode('a', { padding: 2 }).typeIds], [2, 0]);
    assert.deepEqual([...both.batch(['a', 'b c'], { padding: true, padTypeId: 0 }).inputIds], [4, 1, 2, 3]);
    assert.throws(() => both.encode('a', { truncation: false, maxLength: 3 }), /maxLength is 3, and truncation: false/);
    const neither = await withFile({});
    assert.deepEqual([...neither.encode('a b c', { truncation: true, padding: false, paddingSide: 'left' }).ids], [1, 2, 3]);
    assert.deepEqual([...neither.encode('a b c', { padding: 4, maxLength: 2 }).ids], [1, 2, 0, 0]);
  });

  test('streams give no half characters', async () => {
    const tokenizer = await Tokenizer.fromFile(await file('gpt2.json'));
    const text = 'naïve 👩‍👩‍👧‍👦 日本語 done';
    const { ids } = tokenizer.encode(text);
    const stream = tokenizer.decodeStream();
    const parts = Array.from(ids, (id) => stream.push(id));
    assert.equal(parts.join('') + stream.finish(), text);
    assert.ok(parts.every((part) => !part.includes('\ufffd')) && parts.filter((part) => part === '').length >= 5);
    const collected = [];
    for await (const part of tokenizer.decodeStream().of(ids)) collected.push(part);
    assert.equal(collected.join(''), text);
    const piped = ReadableStream.from(ids).pipeThrough(tokenizer.decodeStream().transform());
    let all = '';
    for await (const part of piped) all += part;
    assert.equal(all, text);
    assert.equal(stream.push(ids[ids.length - 1]), ' done'.slice(-tokenizer.decode([ids.at(-1)]).length));
    assert.equal(stream.finish(), '');
    assert.equal(stream.push([...new TextEncoder().encode('é')].slice(0, 1).map((byte) => tokenizer.tokenToId(String.fromCharCode(byte)))), '');
    assert.equal(stream.finish(), '\ufffd');
    assert.equal(kindOf(() => stream.push(1e6)), 'index');
    assert.equal(stream.push(ids[0]), tokenizer.decode([ids[0]]), 'the stream works on after an error');
  });

  test('files on disk, and arguments that are none', async () => {
    const { mkdtemp, rm, writeFile } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const folder = await mkdtemp(`${tmpdir()}/tokenizer-`);
    await writeFile(`${folder}/tokenizer.json`, await file('llama3.json'));
    await writeFile(`${folder}/config.json`, '{"pad_token": {"content": "<|eot_id|>"}, "chat_template": [{"name": "default", "template": "{{ messages[0].content }}"}]}');
    // Only the beginning of a GGUF file is read.
    await writeFile(`${folder}/model.gguf`, Buffer.concat([await file('gguf-qwen2.gguf'), Buffer.alloc(1 << 20)]));
    const tokenizer = await Tokenizer.fromFile(`${folder}/tokenizer.json`, { config: `${folder}/config.json` });
    assert.equal(tokenizer.applyChatTemplate([{ role: 'user', content: 'Hi' }]), 'Hi');
    assert.equal(tokenizer.idOfRole('pad_token'), tokenizer.tokenToId('<|eot_id|>'));
    assert.equal(tokenizer.batch(['a', 'b c d'], { padding: true }).inputIds.at(-1) >= 0, true);
    assert.equal((await Tokenizer.fromFile(`${folder}/model.gguf`)).vocabSize, 500);
    await rm(folder, { recursive: true });
    for (const run of [
      () => tokenizer.encode(5), () => tokenizer.encode('a', { pairs: [] }), () => tokenizer.encode('a', { maxLength: -1 }), () => tokenizer.encode('a', { maxLength: 0 }),
      () => tokenizer.encode('a', { truncationStrategy: 'none' }), () => tokenizer.batch('a'), () => tokenizer.batch(['a'], { pairs: ['b', 'c'] }), () => tokenizer.batch([1]),
      () => tokenizer.decode('a'), () => tokenizer.decodeStream({ skip: true }), () => tokenizer.applyChatTemplate({}), () => tokenizer.encode('a', { paddingSide: 'up' }),
      () => tokenizer.applyChatTemplate([], { template: '{% for %}' }), () => tokenizer.applyChatTemplate([], { template: '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}' }),
    ]) assert.equal(kindOf(run), 'argument', String(run));
    assert.equal(kindOf(() => tokenizer.decode([4_000_000])), 'index');
    assert.equal(kindOf(() => tokenizer.decode([-1])), 'index');
    assert.equal(tokenizer.decode(tokenizer.encode('still works').ids), 'still works');
    assert.equal(tokenizer.decode(BigInt64Array.from(tokenizer.encode('int64').ids, BigInt)), 'int64');
  });

  test('files that are none are refused by name', async () => {
    const model = { type: 'WordLevel', vocab: { a: 0 }, unk_token: 'a' };
    for (const [content, message] of [
      ['', /empty/], ['nonsense', /no JSON/], ['{}', /no "model"/], [JSON.stringify({ model, normalizer: { type: 'Rot13' } }), /normalizer of type "Rot13"/],
      [JSON.stringify({ model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: ['a b'] } }), /model\.merges\[0\].*"ab"/], ['GGUF', /GGUF/], ['\n\xff\xff', /SentencePiece/],
    ]) {
      await assert.rejects(Tokenizer.fromFile(new TextEncoder().encode(content)), (error) => error.name === 'LanthornError' && message.test(error.message), content);
    }
    await assert.rejects(Tokenizer.fromFile('/nowhere/tokenizer.json'), { name: 'LanthornError', kind: 'file' });
    await assert.rejects(Tokenizer.fromFile(5), { name: 'LanthornError', kind: 'argument' });
  });
});
