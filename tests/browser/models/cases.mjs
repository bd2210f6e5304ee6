/** `lanthorn/models` on small models with random weights, in a page and in Node. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';
import { badInput } from './bad-input.mjs';
import { files } from './files-cases.mjs';
import { generation } from './generation-cases.mjs';
import { expectedOf, load } from './lib.mjs';

const FOLDERS = ['gpt2', 'llama2', 'llama3', 'mistral', 'qwen2', 'qwen3', 'gemma2', 'gemma3', 'phi3'];
const BLOCKS = ['llama_q4.gguf', 'gpt2_q8.gguf'];
const GGUF = ['llama3.gguf', 'qwen3.gguf', 'gemma2.gguf', ...BLOCKS];

/**
 * Logits within 1e-4 of transformers' logits, and 50 equal tokens of two prompts of different
 * lengths.
 */
async function agrees(given, name) {
  const { lanthorn: { tensor }, models: { generate } } = given;
  const expected = await expectedOf(given, name);
  const model = await load(given, name);
  for (const [row, prompt] of expected.prompts.entries()) {
    const logits = model.call(tensor([prompt], { dtype: 'int32' }));
    close(await logits.squeeze(0).tolist(), expected.logits[row], { absolute: 1e-4, relative: 0 }, `logits of prompt ${row}`);
    logits.dispose();
  }
  const short = model.call(tensor([expected.short.prompt], { dtype: 'int32' }), { lastOnly: true });
  close(await short.squeeze(0).tolist(), expected.short.logits, { absolute: 1e-4, relative: 0 }, 'the last logits of a short prompt');
  short.dispose();
  // Chunks that are shorter than the prompts, and do not divide them.
  const { tokens } = await generate(model, expected.prompts, { maxNewTokens: 50, eosTokenId: null, prefillChunk: 5 }).all();
  equal(tokens, expected.tokens, 'greedy tokens');
  model.dispose();
}

/** The files of a folder by name, as bytes. */
async function bytesOf(given, name, files) {
  return new Map(await Promise.all(files.map(async (file) => [file, await given.read(`${name}/${file}`)])));
}

export const cases = {
  ...Object.fromEntries([...FOLDERS, ...GGUF].map((name) => [`${name}: logits and greedy tokens are those of transformers`, (given) => agrees(given, name)])),

  'files by name, a list of files and bytes are read as a folder is': async (given) => {
    const { lanthorn: { tensor }, models: { fromPretrained } } = given;
    const { prompts, logits } = await expectedOf(given, 'llama2');
    const shards = ['model-00001-of-00003.safetensors', 'model-00002-of-00003.safetensors', 'model-00003-of-00003.safetensors'];
    const named = await bytesOf(given, 'llama2', ['config.json', 'model.safetensors.index.json', ...shards]);
    const listed = Array.from(named, ([name, bytes]) => new File([bytes], name));
    const sources = [named, Object.fromEntries(named), listed];
    for (const source of sources) {
      const model = await fromPretrained(source);
      close(await model.call(tensor([prompts[1]], { dtype: 'int32' })).squeeze(0).tolist(), logits[1], { absolute: 1e-4, relative: 0 });
      model.dispose();
    }
    const gguf = await fromPretrained(await given.read('qwen3.gguf'));
    equal(gguf.config.family.name, 'qwen3');
    gguf.dispose();
  },

  'a state dict has the names and elements of the file': async (given) => {
    const { lanthorn: { zeros }, models: { CausalLM } } = given;
    for (const [name, some] of [
      ['gpt2', ['transformer.wte.weight', 'transformer.h.1.attn.c_attn.bias', 'transformer.ln_f.weight']],
      ['gemma3', ['model.embed_tokens.weight', 'model.layers.2.self_attn.q_norm.weight', 'model.layers.0.post_feedforward_layernorm.weight']],
    ]) {
      const model = await load(given, name);
      const header = await given.read(`${name}/model.safetensors`);
      const length = Number(new DataView(header.buffer, header.byteOffset).getBigUint64(0, true));
      const written = Object.keys(JSON.parse(new TextDecoder().decode(header.subarray(8, 8 + length)))).filter((key) => key !== '__metadata__');
      const state = model.stateDict();
      equal(Object.keys(state).toSorted(), written.toSorted(), name);
      for (const key of some) ok(key in state, key);
      const other = new CausalLM(model.config, (_, shape) => zeros(shape));
      other.loadStateDict(state);
      const ids = given.lanthorn.tensor([[3, 1, 4]], { dtype: 'int32' });
      equal(await other.call(ids).tolist(), await model.call(ids).tolist());
      model.dispose();
      other.dispose();
    }
  },

  'a model can be trained': async (given) => {
    const { lanthorn: { nn, optim, tensor } } = given;
    const model = await load(given, 'qwen2');
    const optimizer = new optim.AdamW(model.parameters(), { lr: 1e-2 });
    const criterion = new nn.CrossEntropyLoss();
    const losses = [];
    for (let step = 0; step < 5; step += 1) {
      optimizer.zeroGrad();
      const logits = model.call(tensor([[5, 17, 42, 8, 91]], { dtype: 'int32' }));
      const loss = criterion.call(logits.squeeze(0), tensor([17, 42, 8, 91, 63], { dtype: 'int32' }));
      loss.backward();
      optimizer.step();
      losses.push(await loss.item());
    }
    ok(losses.at(-1) < losses[0] - 1, `losses ${losses}`);
    ok(model.parameters().every((parameter) => parameter.grad !== null), 'every parameter has a gradient');
    model.dispose();
  },

  'weights can be of a half type': async (given) => {
    const { lanthorn: { tensor }, models: { generate } } = given;
    const { prompts, logits } = await expectedOf(given, 'llama3');
    const model = await load(given, 'llama3', { dtype: 'float16' });
    equal(model.dtype, 'float16');
    const found = model.call(tensor([prompts[0]], { dtype: 'int32' }));
    equal(found.dtype, 'float16');
    close(await found.squeeze(0).tolist(), logits[0], { absolute: 0.1, relative: 0.01 });
    const { tokens } = await generate(model, prompts, { maxNewTokens: 3, eosTokenId: null }).all();
    equal(tokens.map((row) => row.length), [3, 3]);
    model.dispose();
  },

  'weights in blocks stay in blocks, and any type dequantizes them': async (given) => {
    const { lanthorn: { stats }, models: { generate } } = given;
    for (const name of BLOCKS) {
      const { prompts, tokens } = await expectedOf(given, name);
      const before = await settled(stats);
      const [model, numbers] = [await load(given, name), await load(given, name, { dtype: 'float32' })];
      const file = (await given.read(name)).length;
      ok(model.weightBytes() < file, `${name}: ${model.weightBytes()} of ${file} bytes`);
      ok(numbers.weightBytes() > 2 * model.weightBytes(), name);
      equal((await generate(numbers, prompts, { maxNewTokens: 50, eosTokenId: null }).all()).tokens, tokens);
      model.dispose();
      numbers.dispose();
      equal(await settled(stats), before, 'no tensors are left');
    }
  },

  'a model is quantized in place, and gradients go through its blocks': async (given) => {
    const { lanthorn: { tensor }, models: { generate } } = given;
    const model = await load(given, 'llama_q4.gguf', { dtype: 'float32' });
    const { prompts: [prompt] } = await expectedOf(given, 'llama_q4.gguf');
    const ids = () => tensor([prompt], { dtype: 'int32' });
    const bytes = model.weightBytes();
    const exact = await model.call(ids()).flatten().tolist();
    await generate(model, prompt, { maxNewTokens: 2 }).all();
    await refuses(() => model.quantize('q3'), 'argument', /the argument format takes "q4_0"/);
    await refuses(() => model.quantize('q6_k'), 'argument', /"q6_k" are read and not made/);
    equal(model.weightBytes(), bytes, 'nothing is changed');
    await model.quantize('q8_0');
    ok(model.weightBytes() * 3 < bytes, `${model.weightBytes()} of ${bytes} bytes`);
    const rounded = await model.call(ids()).flatten().tolist();
    const norm = (numbers) => Math.hypot(...numbers);
    const far = norm(rounded.map((value, index) => value - exact[index])) / norm(exact);
    ok(far > 0 && far < 0.1, `${far}`);
    // A recorded call of before has the new weights.
    equal((await generate(model, prompt, { maxNewTokens: 2, eosTokenId: null }).all()).tokens[0].length, 2);
    model.call(ids()).mean().backward();
    ok(model.parameters().every((parameter) => parameter.grad !== null), 'norms have gradients');
    model.dispose();
    const other = await load(given, 'llama3');
    // Its rows have 40 numbers there.
    await refuses(() => other.quantize('q4_0'), 'shape', /model\.layers\.0\.mlp\.down_proj/);
    other.dispose();
  },

  'with a cache, logits are those without one, and a conversation goes on': async (given) => {
    const { lanthorn: { tensor }, models: { KVCache, generate } } = given;
    const model = await load(given, 'gemma2');
    const { prompts: [prompt] } = await expectedOf(given, 'gemma2');
    const ids = (part) => tensor([part], { dtype: 'int32' });
    const all = await model.call(ids(prompt)).squeeze(0).tolist();
    const cache = new KVCache(model.config, { capacity: 40 });
    const first = await model.call(ids(prompt.slice(0, 6)), { cache }).squeeze(0).tolist();
    // One id of padding at the end does not count.
    const second = await model.call(ids([...prompt.slice(6), 0]), { cache, lengths: [7] }).squeeze(0).tolist();
    close([...first, ...second.slice(0, 7)], all, { absolute: 1e-5, relative: 1e-4 });
    equal(cache.lengths, [13]);
    equal(await cache.tensors.position.tolist(), [13]);

    cache.reset();
    const options = { maxNewTokens: 5, eosTokenId: null };
    const begun = await generate(model, prompt, { ...options, cache }).all();
    // The last token was not computed further, so it belongs to the next prompt.
    equal(cache.lengths, [17]);
    const next = [begun.tokens[0][4], 33, 44];
    const went = await generate(model, next, { ...options, cache }).all();
    const whole = await generate(model, [...prompt, ...begun.tokens[0], 33, 44], options).all();
    equal(went.tokens, whole.tokens);
    cache.dispose();
    model.dispose();
  },

  ...generation,
  ...files,
  ...badInput,
};
