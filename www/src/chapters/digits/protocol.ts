/**
 * What the page and its training worker say to each other. Training lives in a worker so that neither can hold up the other: a busy
 * page does not slow training down, and a long step does not freeze a button.
 */

export type DeviceChoice = 'auto' | 'webgpu' | 'cpu';

/** What may change while training goes on. */
export interface Settings {
  learningRate: number;
  batchSize: number;
}

/** From the page to the worker. The first message is `open`; after an `error` the worker is replaced. */
export type ToTrainer =
  | { type: 'open'; device: DeviceChoice; seed: number; settings: Settings }
  | { type: 'train'; steps: number }
  | { type: 'pause' }
  | { type: 'reset' }
  | { type: 'settings'; settings: Settings }
  | { type: 'predict'; pixels: Uint8Array };

/** From the worker to the page. */
export type FromTrainer =
  | { type: 'opened'; device: 'webgpu' | 'cpu'; adapter: string }
  | { type: 'progress'; progress: Progress }
  | { type: 'evaluation'; evaluation: Evaluation }
  | { type: 'stopped'; step: number; why: 'done' | 'paused' | 'reset' }
  | { type: 'prediction'; probabilities: Float32Array }
  | { type: 'error'; kind: string; message: string };

/** Where training stands, with the losses read since the last such message. */
export interface Progress {
  step: number;
  losses: { step: number; loss: number }[];
  stepsPerSecond: number;
}

/** The network measured on all test images. */
export interface Evaluation {
  step: number;
  /** The share of test images read correctly, 0 to 1. */
  accuracy: number;
  /** Row `label`, column `predicted`: how many test images. Ten rows of ten, one after the other. */
  confusion: number[];
  /** The images it got wrong, the most confident mistakes first. */
  mistakes: Mistake[];
}

/** A test image that the network reads wrongly. */
export interface Mistake {
  pixels: Uint8Array;
  label: number;
  predicted: number;
  /** The probability it gave to `predicted`. */
  confidence: number;
}
