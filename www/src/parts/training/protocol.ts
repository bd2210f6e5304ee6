/**
 * What a page and its training worker say to each other. Training lives in a worker so that neither can hold up the other: a busy
 * page does not slow training down, and a long step does not freeze a button.
 */

export type DeviceChoice = 'auto' | 'webgpu' | 'cpu';

/** What a chapter trains with: numbers and words by the names of its fields. */
export type Settings = Readonly<Record<string, number | string>>;

/** What differs from chapter to chapter in the conversation: a chapter declares one such type, and everything else follows. */
export interface Lesson {
  settings: Settings;
  /** The network measured, as {@link Session.measure} gives it. */
  measurement: object;
  /** What the page may ask of the network between two steps, and what it gets. */
  question: unknown;
  answer: unknown;
}

/** From the page to the worker. The first message is `open`; after an `error` the worker is replaced. */
export type ToTrainer<L extends Lesson> =
  | { type: 'open'; device: DeviceChoice; seed: number; settings: L['settings']; resume: boolean }
  | { type: 'train'; steps: number }
  | { type: 'pause' }
  | { type: 'reset' }
  | { type: 'settings'; settings: L['settings'] }
  | { type: 'ask'; question: L['question'] }
  | { type: 'save'; to: 'browser' | 'file'; notes: Notes }
  | { type: 'load'; file: Blob };

/** From the worker to the page. `begun` comes before `opened`, and whenever another network takes the place of the first. */
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

/** Why training stands still: all steps trained, paused, begun anew, or begun from a file. */
export type Pause = 'done' | 'paused' | 'reset' | 'loaded';

/** Where training stands, with the losses read since the last such message. */
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

/** What a training step asks of the device, as `stats()` counts it: the mean over the steps of a chunk. */
export interface Work {
  launches: number;
  dispatches: number;
  submits: number;
  /** Buffers, bind groups, pipelines and plans made. A steady step makes none. */
  made: number;
}

/** What the page wants back with a checkpoint: its curves. */
export type Notes = Readonly<Record<string, readonly Point[]>>;

/** A network that takes the place of another: a new one, or that of a checkpoint. */
export interface Begun<L extends Lesson> {
  step: number;
  settings: L['settings'];
  notes: Notes;
}
