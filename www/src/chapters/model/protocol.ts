/** The messages between the page and the worker that has the model. */
import type { Evaluation } from '../../parts/digits/evaluation';
import type { GraphInfo, TensorType } from '../../parts/graph/info';
import type { DeviceChoice, DeviceName, Point } from '../../parts/training/protocol';

/** An argument of the program. */
export interface InputInfo {
  name: string;
  /**
   * The type that the file declares: a tensor's, or another one in words. Script modules declare no
   * shapes.
   */
  tensor?: TensorType;
  other?: string;
  /** Of a script module's tensor: a shape and a type with which the module runs. */
  guess?: { shape: readonly number[]; dtype: string };
  /** The default of another type, as JSON. */
  value?: string;
  /** Integers are indices below this number: rows of an embedding. */
  below?: number;
}

export interface StateInfo {
  name: string;
  kind: 'parameter' | 'buffer';
  shape: readonly number[];
  dtype: string;
}

/** A source file of a script module. */
export interface SourceInfo {
  path: string;
  text: string;
  classes: readonly { name: string; methods: readonly string[] }[];
}

/** Why the model cannot be fine-tuned here, or the layers that can be. */
export type TuningInfo = { why: string } | { layers: readonly LayerInfo[]; images: ImagesInfo };

/** The images of a call: the shape of each, and how many it takes at least and at most. */
export interface ImagesInfo {
  shape: readonly number[];
  least: number;
  most: number;
}

/** A weight matrix, and its bias if it has one. */
export interface LayerInfo {
  name: string;
  parameters: readonly string[];
  shape: readonly number[];
}

/** Everything that the page shows of a file. */
export interface Description {
  file: string;
  bytes: number;
  format: 'pt2' | 'torchscript' | 'onnx';
  /** The class of a script module. */
  kind: string;
  inputs: readonly InputInfo[];
  state: readonly StateInfo[];
  graph?: GraphInfo;
  methods?: Readonly<Record<string, readonly string[]>>;
  sources: readonly SourceInfo[];
  /** Operators that a script module names and that do not exist here. */
  missing: readonly string[];
  tuning: TuningInfo;
}

/**
 * An argument of a call: a tensor to create, or another value; an argument without a value is
 * omitted.
 */
export type Argument =
  | { shape: readonly number[]; dtype: string; fill: 'random' | 'zeros' | 'ones'; below: number }
  | { shape: readonly number[]; dtype: string; data: Float32Array }
  | { value?: unknown };

/** A result of a call. */
export interface Output {
  name: string;
  /** Of a tensor: its type, its first elements, and the largest of its (first) vector of scores. */
  shape?: readonly number[];
  dtype?: string;
  values: readonly (number | string)[];
  largest?: readonly { index: number; value: number }[];
}

/** The milliseconds of calls: the first, and the median of the last ones. */
export interface Times {
  first: number;
  later: number;
}

export interface RunResult {
  outputs: readonly Output[];
  eager: Times;
  /** Compiled calls, or why there are none. */
  compiled: Times | { why: string };
}

export interface TuningSettings {
  layer: string;
  rate: number;
  batch: number;
}

export type ToModel =
  | { type: 'open'; device: DeviceChoice }
  /** `beside`: files with weights that are not in the model's own. */
  | { type: 'load'; file: string; bytes: ArrayBuffer; beside: readonly File[] }
  | { type: 'run'; arguments: readonly Argument[] }
  | { type: 'ask'; pixels: Uint8Array }
  | { type: 'tune'; settings: TuningSettings; steps: number }
  | { type: 'stop' }
  /** The time of the page's last painting. */
  | { type: 'painted'; milliseconds: number }
  | { type: 'restore' }
  | { type: 'save'; format: 'safetensors' | 'pt' };

export type FromModel =
  | { type: 'opened'; device: DeviceName; adapter: string }
  | { type: 'loaded'; description: Description }
  | { type: 'ran'; result: RunResult }
  | { type: 'answer'; probabilities: Float32Array }
  | { type: 'progress'; step: number; losses: readonly Point[]; replays: number }
  | { type: 'measured'; step: number; evaluation: Evaluation }
  | { type: 'stopped'; step: number }
  | { type: 'restored' }
  | { type: 'file'; file: Blob; format: 'safetensors' | 'pt' }
  | { type: 'failed'; doing: ToModel['type']; kind: string; message: string };
