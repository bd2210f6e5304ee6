/** Rotary position embeddings: the frequencies of each variant, and the rotation. */
import { cat } from '../generated/operations.js';
import type { Tensor } from '../tensor/tensor.js';
import type { Fields } from './fields.js';
import { refuse } from './refuse.js';
import type { Json } from './families.js';

/** A rotary embedding. */
export interface Rope {
  /** The inverse frequencies, one for each pair of elements that is rotated. */
  inverseFrequencies: number[];
  /** Those for texts longer than `originalLength`, if they are others. */
  longInverseFrequencies: number[] | null;
  originalLength: number;
  /** The factor of sines and cosines. */
  attentionFactor: number;
}

/** The parameters of a variant: a dictionary of `config.json`. */
class Parameters {
  readonly #json: Readonly<Record<string, Json>>;

  constructor(json: Readonly<Record<string, Json>>) {
    this.#json = json;
  }

  number(name: string, otherwise?: number | null): number {
    const value = this.#json[name] ?? otherwise;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse(`the rotary embedding has ${name} ${JSON.stringify(value ?? null)}, not a number`);
    return value;
  }

  optional(name: string): number | null {
    return this.#json[name] == null ? null : this.number(name);
  }

  numbers(name: string, length: number): number[] {
    const value = this.#json[name];
    if (!Array.isArray(value) || value.length !== length || !value.every((item) => typeof item === 'number')) {
      throw refuse(`the rotary embedding's ${name} has to be ${length} numbers`);
    }
    return value as number[];
  }

  get kind(): string {
    return String(this.#json['rope_type'] ?? this.#json['type'] ?? 'default');
  }

  get truncates(): boolean {
    return this.#json['truncate'] !== false;
  }
}

const isObject = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The dictionary for a kind of layers, of either form of `config.json`. */
function parametersOf(fields: Fields, kind: string, thetaField: string, plain: boolean): Record<string, Json> {
  const withTheta = (own: Readonly<Record<string, Json>>) => ({ ...own, rope_theta: own['rope_theta'] ?? fields.get(thetaField) });
  const all = fields.get('rope_parameters');
  if (isObject(all)) {
    const own = all[kind];
    if (isObject(own)) return withTheta(own);
    if (Object.hasOwn(all, 'rope_theta') || Object.hasOwn(all, 'rope_type')) return withTheta(all);
  }
  const scaling = fields.get('rope_scaling');
  return withTheta(isObject(scaling) && !plain ? scaling : {});
}

/** Everything that a variant computes its frequencies from. */
interface Given {
  parameters: Parameters;
  /** The frequencies without scaling. */
  plain: number[];
  theta: number;
  dim: number;
  maxPositions: number;
  originalLength: number;
}

/** Llama 3: low frequencies are divided by a factor, with a smooth passage. */
function llama3({ parameters, plain, originalLength }: Given): Rope {
  const factor = parameters.number('factor');
  const [low, high] = [parameters.number('low_freq_factor'), parameters.number('high_freq_factor')];
  const scaled = plain.map((frequency) => {
    const wavelength = (2 * Math.PI) / frequency;
    if (wavelength < originalLength / high) return frequency;
    if (wavelength > originalLength / low) return frequency / factor;
    const smooth = (originalLength / wavelength - low) / (high - low);
    return ((1 - smooth) * frequency) / factor + smooth * frequency;
  });
  return plainRope(scaled, originalLength);
}

/** YaRN (Peng et al., 2023): a linear ramp between scaled and plain frequencies. */
function yarn({ parameters, plain, theta, dim, maxPositions, originalLength }: Given): Rope {
  const factor = parameters.number('factor', maxPositions / originalLength);
  const scaleOf = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  const [mscale, mscaleAll] = [parameters.optional('mscale'), parameters.optional('mscale_all_dim')];
  const inferred = mscale && mscaleAll ? scaleOf(mscale) / scaleOf(mscaleAll) : scaleOf(1);
  const dimOf = (rotations: number) => (dim * Math.log(originalLength / (rotations * 2 * Math.PI))) / (2 * Math.log(theta));
  const ends = [dimOf(parameters.number('beta_fast', 32)), dimOf(parameters.number('beta_slow', 1))] as const;
  const [first, last] = parameters.truncates ? [Math.floor(ends[0]), Math.ceil(ends[1])] : ends;
  const low = Math.max(first, 0);
  const high = Math.min(last, dim - 1);
  const width = low === high ? 0.001 : high - low;
  const scaled = plain.map((frequency, index) => {
    const ramp = Math.min(Math.max((index - low) / width, 0), 1);
    return (frequency / factor) * ramp + frequency * (1 - ramp);
  });
  return { ...plainRope(scaled, originalLength), attentionFactor: parameters.number('attention_factor', inferred) };
}

/** LongRoPE (Ding et al., 2024): a factor for each frequency, others for long texts. */
function longrope({ parameters, plain, maxPositions, originalLength }: Given): Rope {
  const factor = parameters.number('factor', maxPositions / originalLength);
  const inferred = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(originalLength));
  const scaleBy = (name: string) => {
    const factors = parameters.numbers(name, plain.length);
    return plain.map((frequency, index) => frequency / factors[index]!);
  };
  return {
    inverseFrequencies: scaleBy('short_factor'), longInverseFrequencies: scaleBy('long_factor'), originalLength,
    attentionFactor: parameters.number('attention_factor', inferred),
  };
}

/** Factors for each frequency, as GGUF has them for Llama 3. */
function divide({ parameters, plain, originalLength }: Given): Rope {
  const factors = parameters.numbers('factors', plain.length);
  return plainRope(plain.map((frequency, index) => frequency / factors[index]!), originalLength);
}

const plainRope = (inverseFrequencies: number[], originalLength: number): Rope =>
  ({ inverseFrequencies, longInverseFrequencies: null, originalLength, attentionFactor: 1 });

/** The variants by name. */
const VARIANTS: Readonly<Record<string, (given: Given) => Rope>> = {
  default: ({ plain, originalLength }) => plainRope(plain, originalLength),
  linear: ({ parameters, plain, originalLength }) => plainRope(plain.map((frequency) => frequency / parameters.number('factor')), originalLength),
  llama3,
  yarn,
  longrope,
  su: longrope,
  factors: divide,
};

/**
 * The rotary embedding of a kind of layers, as `config.json` describes it; `plain` says that
 * `rope_scaling` does not concern it.
 */
export function readRope(fields: Fields, kind: string, thetaField: string, plain: boolean, headDim: number, maxPositions: number): Rope {
  const json = parametersOf(fields, kind, thetaField, plain);
  const parameters = new Parameters(json);
  const variant = Object.hasOwn(VARIANTS, parameters.kind) ? VARIANTS[parameters.kind] : undefined;
  if (variant === undefined) throw refuse(`the rotary embedding ${JSON.stringify(parameters.kind)} is not known; there are ${Object.keys(VARIANTS).join(', ')}`);
  const theta = parameters.number('rope_theta');
  // A factor may be a fraction whose product is a little below the number.
  const dim = Math.floor(headDim * parameters.number('partial_rotary_factor', fields.number('partial_rotary_factor')) + 1e-6);
  if (dim < 2 || dim % 2 !== 0) throw refuse(`${dim} elements of a head cannot be rotated in pairs`);
  const frequencies = Array.from({ length: dim / 2 }, (_, index) => theta ** ((-2 * index) / dim));
  const originalLength = parameters.number('original_max_position_embeddings', fields.optional('original_max_position_embeddings') ?? maxPositions);
  return variant({ parameters, plain: frequencies, theta, dim, maxPositions, originalLength });
}

/** Frequencies for {@link rotations}: each for both elements of its pair, negative for the first one. */
export function signed(inverseFrequencies: readonly number[]): Float32Array {
  return Float32Array.from([...inverseFrequencies.map((frequency) => -frequency), ...inverseFrequencies]);
}

/**
 * Cosines and sines of positions, `[batch, 1, L, dim]` each, for {@link rotate}, from {@link
 * signed} frequencies: the cosine of a negative angle is the cosine of the angle, and its sine is
 * the negative sine.
 */
export function rotations(positions: Tensor, frequencies: Tensor, attentionFactor: number): [cos: Tensor, sin: Tensor] {
  const angles = positions.to('float32').unsqueeze(1).unsqueeze(-1).mul(frequencies);
  return [angles.cos().mul(attentionFactor), angles.sin().mul(attentionFactor)];
}

/** Rotates pairs of elements of `x: [batch, heads, L, headDim]`, which are `dim / 2` apart. */
export function rotate(x: Tensor, [cos, sin]: readonly [Tensor, Tensor]): Tensor {
  const [dim, width] = [cos.shape.at(-1)!, x.shape.at(-1)!];
  const rotated = dim < width ? x.narrow(-1, 0, dim) : x;
  const swapped = cat([rotated.narrow(-1, dim / 2, dim / 2), rotated.narrow(-1, 0, dim / 2)], -1);
  const turned = rotated.mul(cos).add(swapped.mul(sin)).to(x.dtype);
  return dim < width ? cat([turned, x.narrow(-1, dim, width - dim)], -1) : turned;
}
