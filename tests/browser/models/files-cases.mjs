/**
 * Files whose metadata or types differ: fields of GGUF that change numbers, and matrices of 16 bits
 * beside float32 norms.
 */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

const encoder = new TextEncoder();

/** A GGUF file with other values of its metadata; null removes one. */
function withMetadata(file, changes) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const count = (at) => Number(view.getBigUint64(at, true));
  const sizes = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
  const endOf = (kind, at) => {
    if (kind === 8) return at + 8 + count(at);
    if (kind !== 9) return at + sizes[kind];
    const [inner, length] = [view.getUint32(at, true), count(at + 4)];
    let end = at + 12;
    for (let index = 0; index < length; index += 1) end = endOf(inner, end);
    return end;
  };
  const [tensors, kept] = [count(8), []];
  let at = 24;
  for (let index = count(16); index > 0; index -= 1) {
    const name = new TextDecoder().decode(file.subarray(at + 8, at + 8 + count(at)));
    const value = at + 8 + count(at);
    const end = endOf(view.getUint32(value, true), value + 4);
    if (!Object.hasOwn(changes, name)) kept.push(file.subarray(at, end));
    at = end;
  }
  const infos = at;
  for (let index = 0; index < tensors; index += 1) {
    at += 8 + count(at);
    at += 4 + 8 * view.getUint32(at, true) + 12;
  }
  const number = (bytes, write) => { const part = new DataView(new ArrayBuffer(bytes)); write(part); return new Uint8Array(part.buffer); };
  const text = (value) => [number(8, (part) => part.setBigUint64(0, BigInt(encoder.encode(value).length), true)), encoder.encode(value)];
  const entry = (value) => {
    if (typeof value === 'boolean') return [7, Uint8Array.of(value ? 1 : 0)];
    if (typeof value === 'string') return [8, ...text(value)];
    if (Array.isArray(value)) {
      const [kind] = entry(value[0]);
      return [9, number(4, (part) => part.setUint32(0, kind, true)), number(8, (part) => part.setBigUint64(0, BigInt(value.length), true)), ...value.flatMap((item) => entry(item).slice(1))];
    }
    return Number.isInteger(value) ? [4, number(4, (part) => part.setUint32(0, value, true))] : [12, number(8, (part) => part.setFloat64(0, value, true))];
  };
  const added = Object.entries(changes).filter(([, value]) => value !== null).map(([name, value]) => {
    const [kind, ...parts] = entry(value);
    return [...text(name), number(4, (part) => part.setUint32(0, kind, true)), ...parts];
  });
  const head = number(24, (part) => {
    new Uint8Array(part.buffer).set(file.subarray(0, 16));
    part.setBigUint64(16, BigInt(kept.length + added.length), true);
  });
  const parts = [head, ...kept, ...added.flat(), file.subarray(infos, at)];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  parts.push(new Uint8Array((32 - (length % 32)) % 32), file.subarray(at + ((32 - (at % 32)) % 32)));
  return new Blob(parts);
}

/** A folder's files with changes of the configuration, and tensors as a function makes them. */
async function folder(given, name, changes, change) {
  const json = { ...JSON.parse(new TextDecoder().decode(await given.read(`${name}/config.json`))), ...changes };
  const state = await given.io.load(await given.read(`${name}/model.safetensors`));
  const made = Object.fromEntries(Object.entries(state).map(([key, tensor]) => [key, change(tensor)]));
  const weights = await given.io.save(made);
  for (const tensor of [...Object.values(state), ...Object.values(made)]) tensor.dispose();
  const config = Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
  return { 'config.json': encoder.encode(JSON.stringify(config)), 'model.safetensors': weights };
}

async function logitsOf(given, model) {
  const ids = given.lanthorn.tensor([[5, 17, 42, 3, 9, 8, 1, 60, 33, 2]], { dtype: 'int32' });
  const logits = model.call(ids).to('float32');
  const values = (await logits.tolist()).flat(2);
  model.dispose();
  return values;
}

const near = (found, expected, absolute, name) => close(found, expected, { absolute, relative: 0 }, name);

/** Metadata with the change of a folder's configuration for the same numbers. */
const SAME = [
  ['qwen3', { 'qwen3.attention.head_count_kv': [2, 2] }, {}],
  ['qwen3', { 'qwen3.rope.dimension_count': 8 }, { partial_rotary_factor: 0.5 }],
  ['gemma2', { 'gemma2.attention.scale': 0.25 }, { query_pre_attn_scalar: 16 }],
  ['gemma2', { 'gemma2.rope.scaling.factor': 2 }, { rope_scaling: { rope_type: 'linear', factor: 2 } }],
  ['gemma2', { 'gemma2.rope.scale_linear': 2 }, { rope_scaling: { rope_type: 'linear', factor: 2 } }],
  ['gemma2', { 'gemma2.attention.sliding_window_pattern': [false, true] }, { layer_types: ['full_attention', 'sliding_attention'] }],
];

const REFUSED = [
  [{ 'qwen3.attention.layer_norm_rms_epsilon': null }, /there is no qwen3\.attention\.layer_norm_rms_epsilon/],
  [{ 'qwen3.context_length': null }, /there is no qwen3\.context_length/],
  [{ 'qwen3.attention.value_length': 8 }, /value_length is 8, which is not supported: keys have 16/],
  [{ 'qwen3.rope.dimension_count': 32 }, /dimension_count is 32, which is not supported: heads have 16/],
  [{ 'qwen3.expert_count': 8 }, /qwen3\.expert_count is 8, which is not supported for qwen3/],
  [{ 'qwen3.attention.head_count_kv': [2, 1] }, /head_count_kv is \[2,1\], which differs by layer/],
  [{ 'qwen3.rope.scaling.type': 'spiral' }, /rope\.scaling\.type is not known; there are none, linear/],
  [{ 'split.count': 2 }, /split\.count is 2: the file is a part of a model/],
  [{ 'qwen3.mystery': 1 }, /the fields qwen3\.mystery are not known for qwen3/],
];

export const files = {
  'fields of GGUF change the numbers of a model, or are errors': async (given) => {
    const { fromPretrained } = given.models;
    for (const [name, fields, changes] of SAME) {
      const expected = await logitsOf(given, await fromPretrained(await folder(given, name, changes, (tensor) => tensor.clone())));
      const found = await logitsOf(given, await fromPretrained(withMetadata(await given.read(`${name}.gguf`), fields)));
      near(found, expected, 1e-4, JSON.stringify(fields));
    }
    const qwen = await given.read('qwen3.gguf');
    for (const [fields, pattern] of REFUSED) await refuses(() => fromPretrained(withMetadata(qwen, fields)), 'file', pattern);
    (await fromPretrained(withMetadata(qwen, { 'qwen3.mystery': 1 }), { strict: false })).dispose();
    (await fromPretrained(withMetadata(qwen, { 'qwen3.expert_count': 0, 'split.count': 1, 'other.mystery': 1 }))).dispose();
  },

  'matrices of 16 bits beside float32 norms compute in float32': async (given) => {
    const { models: { fromPretrained } } = given;
    for (const [name, dtype] of [['gpt2', 'bfloat16'], ['llama3', 'float16'], ['qwen2', 'bfloat16'], ['gemma3', 'bfloat16'], ['phi3', 'bfloat16']]) {
      const half = (tensor) => (tensor.ndim === 2 ? tensor.to(dtype) : tensor.clone());
      const nameless = { dtype: null, torch_dtype: null };
      const expected = await logitsOf(given, await fromPretrained(await folder(given, name, nameless, (tensor) => half(tensor).to('float32'))));
      const mixed = await fromPretrained(await folder(given, name, nameless, half));
      equal([mixed.dtype, Object.values(mixed.stateDict()).some((tensor) => tensor.dtype !== 'float32')], ['float32', true], name);
      near(await logitsOf(given, mixed), expected, 1e-4, name);
      const named = await fromPretrained(await folder(given, name, { dtype, torch_dtype: null }, half));
      ok(Object.values(named.stateDict()).every((tensor) => tensor.dtype === dtype), name);
      // A cache of another type than the model stores and reads by conversion.
      const cache = new given.models.KVCache(named.config, { capacity: 16 });
      const logits = named.call(given.lanthorn.tensor([[5, 17, 42]], { dtype: 'int32' }), { cache });
      equal([logits.dtype, cache.tensors.keys[0].dtype, cache.lengths], [dtype, 'float32', [3]]);
      logits.dispose();
      cache.dispose();
      const found = await logitsOf(given, named);
      const mean = found.reduce((sum, value, index) => sum + Math.abs(value - expected[index]), 0) / found.length;
      ok(mean < 0.05, `${name}: ${mean}`);
    }
  },
};
