/** Models in GGUF files: their configuration, and their tensors by Hugging Face's names. */
import type { DecoderConfig } from '../generated/models/decoder/config.js';
import { isFactor, isLinear, nameTensor, readMetadata, Tensors as Shapes, unpermute } from '../generated/models/decoder/gguf.js';
import type { Json } from '../library/support.js';
import { QuantizedTensor } from '../tensor/quantized-tensor.js';
import type { Tensor } from '../tensor/tensor.js';

/** The tensors of a file, by GGUF's names. */
type Tensors = Readonly<Record<string, Tensor | QuantizedTensor>>;

/**
 * The configuration of a file. `tensors` are its tensors, by GGUF's names; `strict` says whether
 * metadata that is not known is an error.
 */
export async function ggufConfig(metadata: Readonly<Record<string, Json>>, tensors: Tensors, strict: boolean): Promise<DecoderConfig> {
  const shapes: Record<string, readonly number[]> = {};
  const factors: Record<string, number[]> = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    shapes[name] = tensor.shape;
    if (isFactor(name) && !(tensor instanceof QuantizedTensor)) factors[name] = Array.from((await tensor.data()) as Float32Array);
  }
  return readMetadata(metadata, Shapes.of(shapes, factors), strict);
}

/** A tensor as Hugging Face's folder has it. Blocks of linear layers stay as they are: `[out, in]`. */
function convert(role: string, value: Tensor | QuantizedTensor, config: DecoderConfig): Tensor | QuantizedTensor {
  const { family } = config;
  if (family.gguf_permuted && (role === 'query' || role === 'key')) {
    const heads = role === 'query' ? config.heads : config.kvHeads;
    const rotated = 2 * (config.ropes[0]?.inverseFrequencies.length ?? config.headDim / 2);
    return value instanceof QuantizedTensor
      ? new QuantizedTensor(unpermute(value.blocks, heads, rotated).contiguous(), value.format)
      : unpermute(value, heads, rotated);
  }
  if (value instanceof QuantizedTensor) return role.endsWith('norm') ? convert(role, value.dequantize(), config) : value;
  if (family.norm.offset !== 0 && role.endsWith('norm')) return value.sub(family.norm.offset);
  if (family.linear === 'columns' && value.ndim === 2 && isLinear(role)) return value.t().contiguous();
  return value;
}

/** The tensors of a file by Hugging Face's names, as its folders have them. */
export function ggufState(tensors: Tensors, config: DecoderConfig): Record<string, Tensor | QuantizedTensor> {
  const state: Record<string, Tensor | QuantizedTensor> = {};
  for (const [name, value] of Object.entries(tensors)) {
    const named = isFactor(name) ? null : nameTensor(name, config.family);
    const made = named && convert(named.role, value, config);
    if (made !== value) value.dispose();
    if (named && made) state[named.long] = made;
  }
  return state;
}
