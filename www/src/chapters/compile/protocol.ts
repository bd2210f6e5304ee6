/** The messages between the page and the worker that compiles. */
import type { CompileReport } from 'lanthorn';
import type { GraphInfo } from '../../parts/graph/info';
import type { DeviceChoice, DeviceName } from '../../parts/training/protocol';
import type { NetworkName } from './networks/names';

/** The part of a training step that a kernel belongs to. */
export type Phase = 'forward' | 'backward' | 'optimizer';

/** A kernel that runs. */
export interface KernelInfo {
  kind: string;
  /** The recorded operations that it computes, in order, and their phases. */
  operations: readonly string[];
  phases: readonly Phase[];
  /** The types of its results. */
  results: readonly string[];
  /** Its expression as the planner prints it, and its WGSL on a GPU. */
  text: string;
  sources: readonly string[];
  /** Its time on the device, if the profile has one for this kernel. */
  microseconds: number | undefined;
}

/**
 * The milliseconds of a step: of the code in JavaScript and WebAssembly, and until the loss is
 * known.
 */
export interface StepTimes {
  host: number;
  total: number;
}

/** The graphs of a step. */
export interface Graphs {
  /** The operations of the forward pass and the loss. */
  traced: GraphInfo;
  /** The kernels of the whole step, before the planner's passes and after them. */
  recorded: GraphInfo;
  fused: GraphInfo;
}

export interface Measurement {
  graphs: Graphs;
  kernels: readonly KernelInfo[];
  /** The milliseconds of the kernels, which are the same eager and compiled. */
  device: number;
  eager: StepTimes;
  compiled: StepTimes;
  report: CompileReport;
  /** On the reliability of the kernels' times, if there is anything to know. */
  note: string;
}

/** The change before a call of the compiled step. */
export type Change = 'nothing' | 'batch' | 'rate' | 'mode';

export type ToCompiler =
  | { type: 'open'; device: DeviceChoice }
  | { type: 'measure'; network: NetworkName }
  | { type: 'call'; change: Change };

export type FromCompiler =
  | { type: 'opened'; device: DeviceName; adapter: string }
  | { type: 'measured'; network: NetworkName; measurement: Measurement }
  | { type: 'called'; words: string; loss: number; report: CompileReport }
  | { type: 'failed'; kind: string; message: string };
