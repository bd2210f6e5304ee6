/** Models and calls that are wrong: typed errors that name what, and the model works on. */
import { equal, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';
import { expectedOf, letters, load } from './lib.mjs';

/** The files of a folder, with a changed configuration. */
async function changed(given, name, change) {
  const [config, weights] = await Promise.all([given.read(`${name}/config.json`), given.read(`${name}/model.safetensors`)]);
  const json = change(JSON.parse(new TextDecoder().decode(config)));
  return { 'config.json': new TextEncoder().encode(JSON.stringify(json)), 'model.safetensors': weights };
}

/** Changes of a configuration, with the kind and the pattern of the error. */
const CONFIGS = [
  ['llama3', { architectures: ['MambaForCausalLM'] }, /"MambaForCausalLM" is not known; there are LlamaForCausalLM/],
  ['llama3', { flash_windows: 3, other: 1 }, /flash_windows, other are not known for llama/],
  ['llama3', { quantization_config: { bits: 4 } }, /quantization_config/],
  ['llama3', { rope_scaling: { rope_type: 'spiral', factor: 2 } }, /"spiral" is not known; there are default, linear, llama3/],
  ['llama3', { rope_scaling: { rope_type: 'llama3', factor: 'two' } }, /factor "two", not a number/],
  ['llama3', { hidden_act: 'mish' }, /hidden_act is "mish"/],
  ['llama3', { hidden_size: -3 }, /hidden_size is -3, not a positive integer/],
  ['llama3', { num_key_value_heads: 3 }, /4 attention heads cannot share 3/],
  ['llama3', { num_hidden_layers: null }, /num_hidden_layers is null/],
  ['qwen2', { layer_types: ['full_attention', 'linear_attention'] }, /layer_types has to name full_attention or sliding_attention/],
  ['gpt2', { scale_attn_by_inverse_layer_idx: true }, /scale_attn_by_inverse_layer_idx is true, which is not supported/],
  ['phi3', { rope_scaling: { type: 'longrope', short_factor: [1], long_factor: [1] } }, /short_factor has to be 4 numbers/],
  // The vocabulary does not fit the embedding.
  ['llama3', { vocab_size: 97 }, /model\.embed_tokens\.weight is \[96, 32\], and has to be \[97, 32\]/],
  ['llama3', { num_hidden_layers: 3 }, /missing: model\.layers\.2\.self_attn\.q_proj\.weight/],
  ['llama3', { num_hidden_layers: 1 }, /not known for llama: model\.layers\.1\./],
];

export const badInput = {
  'a configuration that is not known is an error that names what': async (given) => {
    const { lanthorn: { stats }, models: { fromPretrained } } = given;
    (await load(given, 'llama3')).dispose();
    const before = await settled(stats);
    for (const [name, change, pattern] of CONFIGS) {
      await refuses(async () => fromPretrained(await changed(given, name, (config) => ({ ...config, ...change }))), 'file', pattern);
    }
    equal(stats().tensors, before, 'no tensors are left');
    const model = await fromPretrained(await changed(given, 'llama3', (config) => ({ ...config, flash_windows: 3 })), { strict: false });
    equal(model.config.family.name, 'llama');
    model.dispose();
  },

  'files that are missing or wrong are errors': async (given) => {
    const { models: { fromPretrained } } = given;
    const config = await given.read('llama3/config.json');
    await refuses(() => fromPretrained({}), 'file', /there is no file config\.json/);
    await refuses(() => fromPretrained({ 'config.json': config }), 'file', /there is no file model\.safetensors/);
    await refuses(() => fromPretrained({ 'config.json': new TextEncoder().encode('{') }), 'file', /config\.json: is no JSON/);
    await refuses(() => fromPretrained({ 'config.json': config, 'model.safetensors': new Uint8Array(100) }), 'file');
    await refuses(() => fromPretrained(new Uint8Array(100)), 'file');
    await refuses(() => fromPretrained(3), 'argument', /takes a folder, a GGUF file, files/);
    await refuses(() => fromPretrained(`${given.folder}/llama3`, { dtypes: 1 }), 'argument', /there is no argument "dtypes"/);
    const weights = { 'model.safetensors.index.json': new TextEncoder().encode('{"weight_map":{"a":3}}') };
    await refuses(() => fromPretrained({ 'config.json': config, ...weights }), 'file', /no weight_map/);
    const outside = { 'model.safetensors.index.json': new TextEncoder().encode('{"weight_map":{"a":"other.safetensors"}}') };
    await refuses(() => fromPretrained({ 'config.json': config, ...outside }), 'file', /there is no file other\.safetensors/);
    const end = AbortSignal.abort();
    equal(await fromPretrained(`${given.folder}/llama3`, { signal: end }).catch(({ name }) => name), 'AbortError');
  },

  'GGUF of another architecture, or cut off, is an error': async (given) => {
    const { models: { fromPretrained } } = given;
    const bytes = await given.read('qwen3.gguf');
    const name = new TextEncoder().encode('qwen3');
    // The value of general.architecture is the first of the file's strings that is this.
    const at = bytes.findIndex((_, index) => name.every((byte, offset) => bytes[index + offset] === byte));
    const other = bytes.slice();
    other.set(new TextEncoder().encode('rwkv9'), at);
    await refuses(() => fromPretrained(other), 'file', /the architecture "rwkv9" is not known; there are llama, qwen2/);
    await refuses(() => fromPretrained(bytes.slice(0, bytes.length / 2)), 'file');
  },

  'a call that is wrong changes nothing': async (given) => {
    const { lanthorn: { tensor, zeros }, models: { CausalLM, generate, KVCache } } = given;
    const [model, learned] = [await load(given, 'llama3'), await load(given, 'gpt2')];
    const { prompts, tokens } = await expectedOf(given, 'llama3');
    const cache = new KVCache(model.config, { capacity: 10 });
    const large = new CausalLM({ ...model.config, vocabSize: 128 });
    const ids = (...row) => tensor([row], { dtype: 'int32' });
    const calls = [
      [() => generate(model, prompts[0], { cache, maxNewTokens: 2 }).all(), 'limit', /row 0 would have 14 tokens, and the cache holds 10/],
      [() => model.call(ids(...prompts[0]), { cache }), 'limit', /row 0 would have 13 tokens/],
      [() => model.call(zeros([2, 3], { dtype: 'int32' }), { cache }), 'shape', /the cache has 1 rows, the ids have 2/],
      [() => model.call(ids(1, 2), { cache, lengths: [3] }), 'argument', /lengths takes 1 numbers from 0 to 2/],
      [() => model.call(zeros([3], { dtype: 'int32' })), 'shape', /ids takes \[batch, length\], not \[3\]/],
      [() => model.call([[1]]), 'argument', /ids takes a tensor/],
      [() => generate(learned, [1, 2], { maxNewTokens: 200 }).all(), 'limit', /more than the model's 128 positions/],
      [() => learned.call(zeros([1, 129], { dtype: 'int32' })), 'limit', /129 ids are more than the model's 128 positions/],
      [() => new KVCache(learned.config, { capacity: 200 }), 'argument', /128 learned positions/],
      [() => new KVCache(model.config, { capacity: 0 }), 'argument', /capacity takes a positive integer, not 0/],
      [() => generate(model, [1, 96]), 'index', /prompt 0 has the id 96; the model has 96 tokens/],
      [() => generate(model, [[1], []]), 'argument', /prompt 1 has no tokens/],
      [() => generate(model, []), 'argument', /takes a prompt or several/],
      [() => generate(model, 'text'), 'argument', /needs a tokenizer/],
      [() => generate(model, [1], { tokenizer: { ...letters, vocabSize: 97 } }), 'argument', /the tokenizer has 97 tokens, and the model's embedding 96/],
      [() => generate(model, [1], { stopStrings: 'x' }), 'argument', /stopStrings need a tokenizer/],
      [() => generate(model, [1], { temperature: 0 }), 'argument', /temperature takes a positive number/],
      [() => generate(model, [1], { topP: 1.5 }), 'argument', /topP takes a number above 0/],
      [() => generate(model, [1], { maxNewTokens: 1.5 }), 'argument', /maxNewTokens takes a positive integer/],
      [() => generate(model, [1], { max_new_tokens: 5 }), 'argument', /there is no argument "max_new_tokens"/],
      [() => generate(model, [1], { logitsProcessor: () => 3 }).all(), 'shape', /has to give logits \[1, 96\], not a number/],
      [() => generate({}, [1]), 'argument', /takes a CausalLM/],
      [() => generate(model, [[1], [2]], { promptLookupNumTokens: 2 }), 'argument', /candidates are for one prompt, not for 2/],
      [() => generate(model, [1], { promptLookupNumTokens: -1 }), 'argument', /promptLookupNumTokens takes an integer from 0, not -1/],
      [() => generate(model, [1], { maxMatchingNgramSize: 0 }), 'argument', /maxMatchingNgramSize takes a positive integer/],
      [() => generate(model, [1], { numAssistantTokens: 0 }), 'argument', /numAssistantTokens takes a positive integer/],
      [() => generate(model, [1], { assistantModel: {} }), 'argument', /assistantModel takes a CausalLM/],
      [() => generate(model, [1], { assistantModel: model, promptLookupNumTokens: 2 }), 'argument', /not both/],
      [() => generate(model, [1], { assistantModel: large }), 'argument', /the assistantModel has 128 tokens, and the model 96/],
      [() => cache.crop(-1), 'argument', /crop takes an integer from 0, not -1/],
    ];
    for (const [call, kind, pattern] of calls) await refuses(call, kind, pattern);
    equal(cache.lengths, [0]);
    equal(await cache.tensors.position.tolist(), [0]);
    const found = await generate(model, prompts[1], { cache, maxNewTokens: 4, eosTokenId: null }).all();
    equal(found.tokens, [tokens[1].slice(0, 4)]);
    await refuses(() => generate(model, [1], { cache, maxNewTokens: 1, assistantModel: model }), 'argument', /has not seen what the cache has/);
    cache.dispose();
    await refuses(() => model.call(ids(1), { cache }), 'disposed', /the cache was disposed of/);
    const read = generate(model, [1], { maxNewTokens: 1 });
    await read.all();
    await refuses(() => read.all(), 'argument', /its tokens were read already/);
    equal(new CausalLM(model.config).config.family.name, 'llama');
    model.dispose();
    learned.dispose();
  },
};
