// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Rotary position embeddings: the frequencies of each variant, and the rotation. */
import {
  asFlag, asList, asNumber, asObject, asText, getOwn, make, zip, type Json,
} from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { refuse, type Fields } from '../decoder/fields.js';

/** The names of the variants; GGUF has factors for each frequency for Llama 3. */
const VARIANTS = ['default', 'linear', 'llama3', 'yarn', 'longrope', 'su', 'factors'];

/** A rotary embedding. */
export interface Rope {
  /** The inverse frequencies, one for each pair of elements that is rotated. */
  readonly inverseFrequencies: readonly number[];
  /** Those for texts longer than `originalLength`, if they are others. */
  readonly longInverseFrequencies: readonly number[] | null;
  readonly originalLength: number;
  /** The factor of sines and cosines. */
  readonly attentionFactor: number;
}

/** The parameters of a variant: a dictionary of `config.json`. */
export class Parameters {
  /** @internal */
  readonly json!: Readonly<Record<string, Json>>;

  optional(name: string): number | undefined {
    const value = getOwn(this.json, name) ?? null;
    if (value === null) return undefined;
    const number = asNumber(value);
    if (number === undefined) {
      throw refuse(`the rotary embedding has ${name} ${JSON.stringify(value)}, not a number`);
    }
    return number;
  }

  number(name: string): number {
    const number = this.optional(name);
    if (number === undefined) throw refuse(`the rotary embedding has ${name} null, not a number`);
    return number;
  }

  numberOr(name: string, otherwise: number): number {
    return this.optional(name) ?? otherwise;
  }

  numbers(name: string, length: number): readonly number[] {
    const values = asList(getOwn(this.json, name) ?? null) ?? [];
    if (values.length !== length || values.some((value) => !(typeof value === 'number'))) {
      throw refuse(`the rotary embedding's ${name} has to be ${length} numbers`);
    }
    return values.map((value) => asNumber(value) ?? 0);
  }

  kind(): string {
    const named = getOwn(this.json, 'rope_type') ?? null;
    const named2 = named === null ? getOwn(this.json, 'type') ?? null : named;
    if (named2 === null) return 'default';
    const kind = asText(named2);
    if (kind !== undefined) return kind;
    return JSON.stringify(named2);
  }

  truncates(): boolean {
    return asFlag(getOwn(this.json, 'truncate') ?? null) ?? true;
  }
}

/** Everything that a variant computes its frequencies from. */
export class Given {
  /** @internal */
  readonly parameters!: Parameters;
  /** @internal */
  readonly plain!: readonly number[];
  /** @internal */
  readonly theta!: number;
  /** @internal */
  readonly dim!: number;
  /** @internal */
  readonly maxPositions!: number;
  /** @internal */
  readonly originalLength!: number;

  rope(inverseFrequencies: readonly number[]): Rope {
    return {
      inverseFrequencies,
      longInverseFrequencies: null,
      originalLength: this.originalLength,
      attentionFactor: 1,
    };
  }

  /** The frequencies divided by the list of factors with a name. */
  divide(name: string): readonly number[] {
    const factors = this.parameters.numbers(name, this.plain.length);
    return zip(this.plain, factors).map(([frequency, factor]) => frequency / factor);
  }

  factor(): number {
    return this.parameters.numberOr('factor', this.maxPositions / this.originalLength);
  }

  linear(): Rope {
    const factor = this.parameters.number('factor');
    return this.rope(this.plain.map((frequency) => frequency / factor));
  }

  /** Llama 3: low frequencies are divided by a factor, with a smooth passage. */
  llama3(): Rope {
    const [factor, length] = [this.parameters.number('factor'), this.originalLength];
    const low = this.parameters.number('low_freq_factor');
    const high = this.parameters.number('high_freq_factor');
    const scaled = this.plain.map((frequency) => {
      const wavelength = 2 * Math.PI / frequency;
      if (wavelength < length / high) return frequency;
      if (wavelength > length / low) return frequency / factor;
      const smooth = (length / wavelength - low) / (high - low);
      return (1 - smooth) * frequency / factor + smooth * frequency;
    });
    return this.rope(scaled);
  }

  /** YaRN (Peng et al., 2023): a linear ramp between scaled and plain frequencies. */
  yarn(): Rope {
    const [parameters, dim, factor] = [this.parameters, this.dim, this.factor()];
    const scaleOf: (a: number) => number = (weight) => factor <= 1
      ? 1
      : 0.1 * weight * Math.log(factor) + 1;
    const scale = parameters.numberOr('mscale', 0);
    const scaleOfAll = parameters.numberOr('mscale_all_dim', 0);
    const inferred = scale !== 0 && scaleOfAll !== 0
      ? scaleOf(scale) / scaleOf(scaleOfAll)
      : scaleOf(1);
    const theta = Math.log(this.theta);
    const dimOf: (a: number) => number = (rotations2) => dim
      * Math.log(this.originalLength / (rotations2 * 2 * Math.PI))
      / (2 * theta);
    const first = dimOf(parameters.numberOr('beta_fast', 32));
    const last = dimOf(parameters.numberOr('beta_slow', 1));
    const [first2, last2] = parameters.truncates()
      ? [Math.floor(first), Math.ceil(last)]
      : [first, last];
    const [low, high] = [Math.max(first2, 0), Math.min(last2, dim - 1)];
    const width = low === high ? 0.001 : high - low;
    const scaled = this.plain.map((frequency, index) => {
      const ramp = Math.min(Math.max((index - low) / width, 0), 1);
      return frequency / factor * ramp + frequency * (1 - ramp);
    });
    const rope = this.rope(scaled);
    return { ...rope, attentionFactor: parameters.numberOr('attention_factor', inferred) };
  }

  /** LongRoPE (Ding et al., 2024): a factor for each frequency, others for long texts. */
  longrope(): Rope {
    const [factor, length] = [this.factor(), this.originalLength];
    const inferred = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(length));
    return {
      inverseFrequencies: this.divide('short_factor'),
      longInverseFrequencies: this.divide('long_factor') ?? null,
      originalLength: length,
      attentionFactor: this.parameters.numberOr('attention_factor', inferred),
    };
  }
}

/** The dictionary for a kind of layers, of either form of `config.json`. */
function parametersOf(fields: Fields, kind: string, plain: boolean): Readonly<Record<string, Json>> {
  const all = asObject(fields.get('rope_parameters'));
  if (all !== undefined) {
    const own = asObject(getOwn(all, kind) ?? null);
    if (own !== undefined) return own;
    if (Object.hasOwn(all, 'rope_theta') || Object.hasOwn(all, 'rope_type')) return all;
  }
  const scaling = asObject(fields.get('rope_scaling'));
  if (scaling !== undefined && !plain) return scaling;
  return {};
}

/** The layers whose rotary embedding is read, and its purpose. */
export class Which {
  /** @internal */
  readonly kind!: string;
  /** @internal */
  readonly theta!: string;
  /** @internal */
  readonly plain!: boolean;
  /** @internal */
  readonly headDim!: number;
  /** @internal */
  readonly maxPositions!: number;
}

/** The rotary embedding of a kind of layers, as `config.json` describes it. */
export function readRope(fields: Fields, which: Which): Rope {
  const parameters = make(Parameters, { json: parametersOf(fields, which.kind, which.plain) });
  const kind = parameters.kind();
  if (!VARIANTS.includes(kind)) {
    const known = VARIANTS.join(', ');
    throw refuse(`the rotary embedding ${JSON.stringify(kind)} is not known; there are ${known}`);
  }
  let theta: number;
  const base = parameters.optional('rope_theta');
  if (base !== undefined) theta = base;
  else {
    theta = thetaOf(fields, which.theta);
  }
  const partial = parameters.numberOr(
    'partial_rotary_factor',
    fields.number('partial_rotary_factor'),
  );
  const dim = Math.trunc(which.headDim * partial + 1e-6);
  if (dim < 2 || dim % 2 !== 0) {
    throw refuse(`${dim} elements of a head cannot be rotated in pairs`);
  }
  const maxPositions = which.maxPositions;
  const original = fields.optional('original_max_position_embeddings') ?? maxPositions;
  const originalLength = parameters.numberOr('original_max_position_embeddings', original);
  const plain = Array.from({ length: Math.trunc(dim / 2) }, (_, index) => index).map((index) => Math.pow(theta, -2
    * index
    / dim));
  const given = make(Given, { parameters, plain, theta, dim, maxPositions, originalLength });
  switch (kind) {
    case 'linear': return given.linear();
    case 'llama3': return given.llama3();
    case 'yarn': return given.yarn();
    case 'longrope': case 'su': return given.longrope();
    case 'factors': return given.rope(given.divide('factors'));
    default: return given.rope(given.plain);
  }
}

/** The base of the frequencies in a field of the configuration. */
function thetaOf(fields: Fields, name: string): number {
  const value = fields.get(name);
  const theta = asNumber(value);
  if (theta === undefined) {
    throw refuse(`the rotary embedding has rope_theta ${JSON.stringify(value)}, not a number`);
  }
  return theta;
}

/**
 * Frequencies for `rotations`: each for both elements of its pair, negative for the first one.
 */
export function withNegatives(frequencies: readonly number[]): readonly number[] {
  return frequencies.map((frequency) => -frequency).concat(frequencies);
}

/**
 * Cosines and sines of positions, `[batch, 1, L, dim]` each, for `rotate`, from
 * `withNegatives` frequencies: the cosine of a negative angle is the cosine of the angle, and
 * its sine is the negative sine.
 */
export function rotations(positions: Tensor, frequencies: Tensor, factor: number): [Tensor, Tensor] {
  return scope(() => {
    const angles = positions.to('float32').unsqueeze(1).unsqueeze(-1).mul(frequencies);
    return [angles.cos().mul(factor), angles.sin().mul(factor)];
  });
}

/**
 * Rotates pairs of elements of `x: [batch, heads, L, head_dim]`, which are `dim / 2` apart, by
 * cosines and sines, `[batch, 1, L, dim]` each.
 */
export function rotate(x: Tensor, rotations2: [Tensor, Tensor]): Tensor {
  return scope(() => {
    const [dim, width] = [rotations2[0].shape[3]!, x.shape[3]!];
    const rotated = dim < width ? x.narrow(-1, 0, dim) : x;
    const halves: [Tensor, Tensor] = [
      rotated.narrow(-1, Math.trunc(dim / 2), Math.trunc(dim / 2)),
      rotated.narrow(-1, 0, Math.trunc(dim / 2)),
    ];
    const turned = rotated.mul(rotations2[0]).add(torch.cat(halves, -1).mul(rotations2[1])).to(
      x.dtype,
    );
    if (dim === width) return turned;
    return torch.cat([turned, x.narrow(-1, dim, width - dim)], -1);
  });
}
