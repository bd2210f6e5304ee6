/** The messages between a page and the worker that runs a visitor's code. */
import type { DeviceChoice, DeviceName } from '../training/protocol';

/** A tensor in a result, as it can be shown. */
export interface TensorView {
  /** Its path in the result, such as `values`; empty if it is the result. */
  label: string;
  shape: readonly number[];
  dtype: string;
  device: string;
  gradFn: string | null;
  requiresGrad: boolean;
  /** The elements in row-major order, unless there are more than `MAX_ELEMENTS`. */
  values: Float64Array | undefined;
}

/** A value as text, and the tensors in it. */
export interface Shown {
  text: string;
  tensors: readonly TensorView[];
}

/** A thrown error: `kind` is the kind of lanthorn's error, or empty; `line` counts from 1. */
export interface Thrown {
  name: string;
  kind: string;
  message: string;
  line: number | undefined;
}

/** `plot` and `draw` have tensors that are shown as curves and as images. */
export type Level = 'log' | 'warn' | 'error' | 'plot' | 'draw';

/** The result of a run: nothing is shown for `undefined`. */
export type Ended =
  | { type: 'value'; shown: Shown | undefined; milliseconds: number }
  | { type: 'threw'; thrown: Thrown };

export type ToRunner = { type: 'open'; device: DeviceChoice } | { type: 'run'; source: string };

export type FromRunner =
  | { type: 'opened'; device: DeviceName; adapter: string }
  | { type: 'printed'; level: Level; shown: Shown }
  | { type: 'ended'; ended: Ended }
  | { type: 'failed'; kind: string; message: string };

/** Larger tensors come without their elements. */
export const MAX_ELEMENTS = 4096;
