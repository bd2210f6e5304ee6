/**
 * The messages between a page and its training worker. Training runs in a worker so that neither
 * blocks the other: a busy page does not slow training down, and a long step does not freeze a
 * button.
 */

export type DeviceName = 'webgpu' | 'cpu';
export type DeviceChoice = 'auto' | DeviceName;

/** The settings of a chapter: numbers and words by the names of its fields. */
export type Settings = Readonly<Record<string, number | string>>;

/**
 * The types of messages that differ between chapters: a chapter declares one such type, and
 * everything else follows.
 */
export interface Lesson {
  settings: Settings;
  /** The measurement of the network, from {@link Session.measure}. */
  measurement: object;
  /** The questions that the page may ask the network between two steps, and their answers. */
  question: unknown;
  answer: unknown;
}

/**
 * From the page to the worker. The first message is `open`; after an `error` the worker is
 * replaced.
 */
export type ToTrainer<L extends Lesson> =
  | { type: 'open'; device: DeviceChoice; seed: number; settings: L['settings']; resume: boolean }
  | { type: 'train'; steps: number }
  | { type: 'pause' }
  | { type: 'reset' }
  | { type: 'settings'; settings: L['settings'] }
  | { type: 'ask'; question: L['question'] }
  /** The time of the page's last painting. */
  | { type: 'painted'; milliseconds: number }
  | { type: 'save'; to: 'browser' | 'file'; notes: Notes }
  | { type: 'load'; file: Blob };

/**
 * From the worker to the page. `begun` comes before `opened`, and whenever another network replaces
 * the first.
 */
export type FromTrainer<L extends Lesson> =
  | { type: 'begun'; begun: Begun<L> }
  | { type: 'opened'; device: 'webgpu' | 'cpu'; adapter: string }
  | { type: 'progress'; progress: Progress }
  | { type: 'measured'; step: number; measurement: L['measurement'] }
  | { type: 'stopped'; step: number; why: Pause }
  | { type: 'answer'; answer: L['answer'] }
  | { type: 'kept'; step: number }
  | { type: 'file'; step: number; file: Blob }
  | { type: 'refused'; what: 'save' | 'load'; message: string }
  | { type: 'error'; kind: string; message: string };

/** Why training stopped: all steps trained, paused, started over, or loaded from a file. */
export type Pause = 'done' | 'paused' | 'reset' | 'loaded';

/** The progress of training, with the losses read since the last such message. */
export interface Progress {
  step: number;
  losses: Point[];
  stepsPerSecond: number;
  work: Work | undefined;
}

export interface Point {
  step: number;
  value: number;
}

/** The device counters of a training step, from `stats()`: the mean over the steps of a chunk. */
export interface Work {
  launches: number;
  dispatches: number;
  submits: number;
  /** Buffers, bind groups, pipelines and plans created. A steady step creates none. */
  made: number;
}

/** The page's part of a checkpoint: its curves. */
export type Notes = Readonly<Record<string, readonly Point[]>>;

/** A network that replaces another: a new one, or a checkpoint's. */
export interface Begun<L extends Lesson> {
  step: number;
  settings: L['settings'];
  notes: Notes;
}
