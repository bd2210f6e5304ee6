/** Models in GGUF files: their metadata as a `config.json`, and their tensors by Hugging Face's names. */
import { LanthornError } from '../errors.js';
import { QuantizedTensor } from '../quantized-tensor.js';
import type { Tensor } from '../tensor.js';
import type { DecoderConfig } from './config.js';
import { families, GGUF_FIELDS, GGUF_NAMES, type Family, type Json } from './families.js';

/** The number of layers of Gemma 2 with 27 billion parameters, whose scores have another scale. */
const GEMMA2_27B_LAYERS = 46;

type Metadata = Readonly<Record<string, Json>>;

function refuse(message: string): LanthornError {
  return new LanthornError('file', 'GGUF', message);
}

/** The tensors of a file, by GGUF's names. */
type Tensors = Readonly<Record<string, Tensor | QuantizedTensor>>;

function familyOf(architecture: Json | undefined): Family {
  const known = families().filter((family) => family.gguf !== null);
  const found = known.find((family) => family.gguf === architecture);
  if (found) return found;
  throw refuse(`the architecture ${JSON.stringify(architecture ?? null)} is not known; there are ${known.map((family) => family.gguf).join(', ')}`);
}

/** A dictionary `rope_scaling` of the metadata and the tensors of factors. */
function ropeScaling(metadata: Metadata, prefix: string, tensors: Tensors): Json {
  const kind = metadata[`${prefix}rope.scaling.type`];
  const original = metadata[`${prefix}rope.scaling.original_context_length`] ?? null;
  if (tensors['rope_factors_long.weight']) {
    return { rope_type: 'longrope', original_max_position_embeddings: original, attention_factor: metadata[`${prefix}rope.scaling.attn_factor`] ?? null };
  }
  if (kind === undefined || kind === 'none') return null;
  const factor = metadata[`${prefix}rope.scaling.factor`] ?? null;
  if (kind === 'yarn') return { rope_type: 'yarn', factor, original_max_position_embeddings: original };
  return { rope_type: kind, factor };
}

/** The content of a `config.json` for a file. `tensors` are its tensors, by GGUF's names. */
export async function ggufConfig(metadata: Metadata, tensors: Tensors): Promise<Record<string, Json>> {
  const family = familyOf(metadata['general.architecture']);
  const prefix = `${family.gguf}.`;
  const embedding = tensors[`${GGUF_NAMES['embedding']}.weight`];
  if (embedding === undefined) throw refuse(`there is no tensor ${GGUF_NAMES['embedding']}.weight`);
  const json: Record<string, Json> = { architectures: [family.architectures[0]!], vocab_size: embedding.shape[0]! };
  for (const [key, field] of Object.entries(GGUF_FIELDS)) {
    const value = metadata[prefix + key];
    if (value !== undefined) json[field] = value;
  }
  if (!Object.hasOwn(family.fields, 'sliding_window')) delete json['sliding_window'];
  if (!Object.hasOwn(family.fields, 'head_dim')) delete json['head_dim'];
  if (family.rope === undefined) delete json['rope_theta'];
  json['tie_word_embeddings'] = tensors[`${GGUF_NAMES['head']}.weight`] === undefined;
  if (metadata['tokenizer.ggml.eos_token_id'] !== undefined) json['eos_token_id'] = metadata['tokenizer.ggml.eos_token_id'];
  if (family.rope) json['rope_scaling'] = await withFactors(ropeScaling(metadata, prefix, tensors), tensors);
  if (family.scale !== undefined) json[family.scale] = scoreScale(family, json);
  for (const [role, flag] of Object.entries(family.biases)) {
    if (typeof flag === 'string') json[flag] = hasBias(role, tensors);
  }
  return json;
}

/** llama.cpp scales by the width of a head, but for one model. */
function scoreScale(family: Family, json: Readonly<Record<string, Json>>): number {
  const [hidden, heads] = [Number(json['hidden_size']), Number(json['num_attention_heads'])];
  if (family.name === 'gemma2' && json['num_hidden_layers'] === GEMMA2_27B_LAYERS) return hidden / heads;
  return Number(json['head_dim'] ?? hidden / heads);
}

function hasBias(role: string, tensors: Tensors): boolean {
  const first = { qkv: 'query', output: 'output', mlp: 'down' }[role]!;
  return tensors[`blk.0.${GGUF_NAMES[first]}.bias`] !== undefined;
}

/** Factors of frequencies, which are tensors in these files. */
async function withFactors(scaling: Json, tensors: Tensors): Promise<Json> {
  const numbers = async (name: string) => {
    const factors = tensors[name]!;
    if (factors instanceof QuantizedTensor) throw refuse(`the factors ${name} are quantized`);
    return Array.from((await factors.data()) as Float32Array);
  };
  if (tensors['rope_factors_long.weight']) {
    return {
      ...(scaling as Record<string, Json>), long_factor: await numbers('rope_factors_long.weight'), short_factor: await numbers('rope_factors_short.weight'),
    };
  }
  if (tensors['rope_freqs.weight']) return { rope_type: 'factors', factors: await numbers('rope_freqs.weight') };
  return scaling;
}

/** The rows of queries or keys in Hugging Face's order, whose halves are rotated, from neighbouring pairs. */
function unpermuted(weight: Tensor, heads: number): Tensor {
  const [rows, ...others] = weight.shape as [number, ...number[]];
  return weight.reshape([heads, rows / heads / 2, 2, ...others]).transpose(1, 2).reshape([rows, ...others]);
}

/** Names of the tensors that only the rotary embedding reads. */
const FACTORS = /^rope_(freqs|factors_long|factors_short)\.weight$/;

/** The role of a tensor and its end: `blk.3.attn_q.weight` is `[3, 'query', 'weight']`. */
function roleOf(name: string, family: Family): { layer: string | null; role: string; end: string } {
  const [, layer = null, short, end] = /^(?:blk\.(\d+)\.)?(.+)\.(weight|bias)$/.exec(name) ?? [];
  const isOf = (role: string) => family.names[role] != null && GGUF_NAMES[role] === short;
  const role = Object.keys(GGUF_NAMES).find(isOf);
  if (role === undefined || end === undefined) throw refuse(`the tensor ${name} is not known for ${family.name}`);
  return { layer, role, end };
}

const IN_ATTENTION: ReadonlySet<string> = new Set(['query', 'key', 'value', 'qkv', 'output', 'query_norm', 'key_norm']);
const IN_MLP: ReadonlySet<string> = new Set(['gate', 'up', 'gate_up', 'down']);

/** Hugging Face's name for a tensor of a GGUF file; null for one that only its configuration reads. */
function longName(name: string, family: Family): string | null {
  if (FACTORS.test(name)) return null;
  const { layer, role, end } = roleOf(name, family);
  const { names } = family;
  if (layer === null) return `${names[role]}.${end}`;
  const part = IN_ATTENTION.has(role) ? `${names['attention']}.` : IN_MLP.has(role) ? `${names['mlp']}.` : '';
  return `${names['layers']}.${layer}.${part}${names[role]}.${end}`;
}

/** A tensor as Hugging Face's folder has it. Blocks of linear layers stay as they are: `[out, in]`. */
function converted(name: string, value: Tensor | QuantizedTensor, config: DecoderConfig): Tensor | QuantizedTensor {
  const { family } = config;
  const { role } = roleOf(name, family);
  if (family.gguf_permuted && (role === 'query' || role === 'key')) {
    const heads = role === 'query' ? config.heads : config.kvHeads;
    return value instanceof QuantizedTensor ? new QuantizedTensor(unpermuted(value.blocks, heads).contiguous(), value.format) : unpermuted(value, heads);
  }
  if (value instanceof QuantizedTensor) return role.endsWith('norm') ? converted(name, value.dequantize(), config) : value;
  if (family.norm.offset !== 0 && role.endsWith('norm')) return value.sub(family.norm.offset);
  if (family.linear === 'columns' && value.ndim === 2 && (IN_ATTENTION.has(role) || IN_MLP.has(role))) return value.t().contiguous();
  return value;
}

/** The tensors of a file by Hugging Face's names, as its folders have them. */
export function ggufState(tensors: Tensors, config: DecoderConfig): Record<string, Tensor | QuantizedTensor> {
  const state: Record<string, Tensor | QuantizedTensor> = {};
  for (const [name, value] of Object.entries(tensors)) {
    const long = longName(name, config.family);
    const made = long === null ? null : converted(name, value, config);
    if (made !== value) value.dispose();
    if (made) state[long!] = made;
  }
  return state;
}
