/** Models read from files. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HUB_OPTIONS, hubOptionsOf, type HubOptions } from '../hub/settings.js';
import { load, loadGguf } from '../io/files.js';
import { isAbsent, repositoryOf } from '../io/hub-address.js';
import type { LoadProgress } from '../io/options.js';
import type { Source } from '../io/source.js';
import { role } from '../generated/models/decoder/family.js';
import type { Json } from '../library/support.js';
import { QuantizedTensor } from '../tensor/quantized-tensor.js';
import { scope } from '../tensor/scope.js';
import type { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';
import { CausalLM } from './causal-lm.js';
import { readConfig, type DecoderConfig } from './config.js';
import { filesOf, readJson, type Files, type ModelSource } from './files.js';
import { ggufConfig, ggufState } from './gguf.js';
import type { Weights } from './layers.js';

/** Options of {@link fromPretrained}, and of a hub's files. */
export interface PretrainedOptions extends HubOptions {
  /**
   * The type of the weights (default: the files' type; where a folder mixes types, the type in its
   * `config.json`, as in transformers). The matrices of a GGUF file with float32 norms stay in 16
   * bits, and the computation is in float32, as in llama.cpp. Weights of GGUF files in blocks of
   * low-bit integers stay in blocks by default, and are dequantized with any type.
   */
  dtype?: DType;
  /**
   * Whether fields of `config.json`, or metadata of a GGUF file, that are not known are an error
   * (default: true).
   */
  strict?: boolean;
  /** The name of the file of weights, or of its index (default: `model.safetensors`, or else its index). */
  weights?: string;
  /** Ends loading; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called repeatedly with the progress of the file that is being read. */
  onProgress?: (progress: LoadProgress) => void;
}

type State = Record<string, Tensor | QuantizedTensor>;

const OP = 'fromPretrained';
const [WHOLE, INDEX] = ['model.safetensors', 'model.safetensors.index.json'];

/** Tensors in files that are computed, and not weights: rotary frequencies, and the masks of GPT-2. */
const COMPUTED = /(rotary_emb\.inv_freq|\.attn\.(bias|masked_bias))$/;

function absent(name: string): LanthornError {
  return new LanthornError('file', OP, `there is no file ${name}`);
}

function existing(files: Files, name: string): Source {
  const source = files.find(name);
  if (source === undefined) throw absent(name);
  return source;
}

/** The files of an index with the names of their tensors. */
async function shardsOf(files: Files, name: string, options: PretrainedOptions): Promise<Map<string, string[]>> {
  const json = await readJson(existing(files, name), name, options.signal, hubOptionsOf(options)) as { weight_map?: unknown };
  const map = json?.weight_map;
  if (typeof map !== 'object' || map === null || !Object.values(map).every((file) => typeof file === 'string')) {
    throw new LanthornError('file', name, 'has no weight_map with the file of each tensor');
  }
  const shards = new Map<string, string[]>();
  for (const [tensor, file] of Object.entries(map as Record<string, string>)) shards.set(file, [...(shards.get(file) ?? []), tensor]);
  return shards;
}

/** Loads a folder's tensors, file by file, and converts them. */
class Loader {
  state: State = {};
  readonly #files: Files;
  readonly #options: PretrainedOptions;

  constructor(files: Files, options: PretrainedOptions) {
    this.#files = files;
    this.#options = options;
  }

  async #file(name: string, names?: string[]): Promise<void> {
    const { signal, onProgress, dtype } = this.#options;
    const given = { ...(signal && { signal }), ...(onProgress && { onProgress }), ...(names && { names }), ...hubOptionsOf(this.#options) };
    const loaded = await load<State>(existing(this.#files, name), given);
    Object.assign(this.state, dtype === undefined ? loaded : convertState(loaded, dtype));
  }

  async #shards(index: string): Promise<void> {
    for (const [file, names] of await shardsOf(this.#files, index, this.#options)) await this.#file(file, names);
  }

  async all(): Promise<void> {
    const { weights } = this.#options;
    if (weights !== undefined) return weights.endsWith('.json') ? this.#shards(weights) : this.#file(weights);
    try {
      await this.#file(WHOLE);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      await this.#shards(INDEX);
    }
  }
}

function convertState(state: State, dtype: DType): State {
  return Object.fromEntries(Object.entries(state).map(([name, tensor]) => {
    if (tensor instanceof QuantizedTensor) throw new LanthornError('file', OP, `${name} is quantized`);
    if (tensor.dtype === dtype) return [name, tensor];
    const made = tensor.to(dtype);
    tensor.dispose();
    return [name, made];
  }));
}

/** Whether weights have several types. */
function isMixed(state: State): boolean {
  return new Set(Object.entries(state).filter(([name]) => !COMPUTED.test(name)).map(([, tensor]) => (tensor instanceof QuantizedTensor ? 'float32' : tensor.dtype))).size > 1;
}

/** Sets a model's tensors from a state, and lists missing and unused ones. */
class Given {
  readonly #state: State;
  readonly #prefix: string;
  readonly #taken = new Set<string>();
  readonly missing: string[] = [];
  readonly wrong: string[] = [];

  constructor(state: State, config: DecoderConfig) {
    this.#state = state;
    const prefix = config.family.optional_prefix;
    this.#prefix = Object.keys(state).some((name) => name.startsWith(prefix)) ? '' : prefix;
  }

  readonly weights: Weights = (name, shape, columns = false) => {
    const short = this.#prefix !== '' && name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : name;
    const found = this.#state[short];
    this.#taken.add(short);
    const wanted = columns && found instanceof QuantizedTensor ? [...shape].reverse() : shape;
    if (found === undefined) this.missing.push(short);
    else if (found.shape.join() !== wanted.join()) this.wrong.push(`${short} is [${found.shape.join(', ')}], and has to be [${wanted.join(', ')}]`);
    else return found;
    // The model is not used: an error follows.
    return Object.values(this.#state)[0]!;
  };

  left(config: DecoderConfig): string[] {
    const isTied = (name: string) => config.tieWordEmbeddings && name === `${role(config.family, 'head')}.weight`;
    return Object.keys(this.#state).filter((name) => !this.#taken.has(name) && !COMPUTED.test(name) && !isTied(name));
  }
}

/** A model with the tensors of a state. */
function build(config: DecoderConfig, state: State): CausalLM {
  if (Object.keys(state).length === 0) throw new LanthornError('file', OP, 'the file has no tensors');
  const given = new Given(state, config);
  const model = new CausalLM(config, given.weights);
  const left = given.left(config);
  const problems = [
    ...(given.missing.length > 0 ? [`missing: ${given.missing.join(', ')}`] : []),
    ...given.wrong,
    ...(left.length > 0 ? [`not known for ${config.family.name}: ${left.join(', ')}`] : []),
  ];
  if (problems.length > 0) {
    model.dispose();
    throw new LanthornError('file', OP, `the tensors do not fit the configuration: ${problems.join('; ')}`);
  }
  return model.eval();
}

/** Frees the handles of a state; the parameters of a model are others of the same memory. */
function release(state: State): void {
  for (const tensor of Object.values(state)) tensor.dispose();
}

async function fromGguf(source: Source, options: PretrainedOptions): Promise<CausalLM> {
  const { signal, onProgress, dtype, strict = true } = options;
  const { metadata, tensors: loaded } = await loadGguf(source, { ...(signal && { signal }), ...(onProgress && { onProgress }), ...hubOptionsOf(options), dequantize: dtype !== undefined });
  let state = loaded;
  try {
    const config = await ggufConfig(metadata as Readonly<Record<string, Json>>, loaded, strict);
    state = scope(() => ggufState(loaded, config));
    if (dtype !== undefined) state = convertState(state, dtype);
    return build(config, state);
  } finally {
    release(loaded);
    release(state);
  }
}

/**
 * Reads a model: a folder as `save_pretrained` writes it (`config.json` and safetensors, in one file or
 * several with an index), or a GGUF file, whose weights in blocks of low-bit integers stay in blocks.
 * `owner/name` is a model of a hub (in Node, unless there is such a folder): its files are stored,
 * and not requested again. A folder of the page's own server is `./owner/name`.
 *
 * @throws a LanthornError of kind `file`, which names the architecture or the fields that are not known, the
 * tensors that are missing, not known or of another shape, or the file that is not there. No tensors are left then.
 *
 * @example
 * const model = await fromPretrained('Qwen/Qwen3-0.6B', { dtype: 'float16' });
 */
export async function fromPretrained(source: ModelSource, options: PretrainedOptions = {}): Promise<CausalLM> {
  const checked = checkOptions(OP, options, ['dtype', 'strict', 'weights', 'signal', 'onProgress', ...HUB_OPTIONS]);
  checked.signal?.throwIfAborted();
  const files = filesOf((await repositoryOf(source)) ?? source);
  if (files.single !== undefined) return fromGguf(files.single, checked);
  const json = await readJson(existing(files, 'config.json'), 'config.json', checked.signal, hubOptionsOf(checked));
  const config = readConfig(json, checked.strict === undefined ? {} : { strict: checked.strict });
  const loader = new Loader(files, checked);
  try {
    await loader.all();
    if (config.dtype !== null && checked.dtype === undefined && isMixed(loader.state)) loader.state = convertState(loader.state, config.dtype);
    return build(config, loader.state);
  } finally {
    release(loader.state);
  }
}
