/** The messages between the page and the worker that has the models. */
import type { DeviceChoice, DeviceName, Point } from '../../parts/training/protocol';

/**
 * The models that may answer: the visitor's, the one that is trained here, and its copies in
 * blocks.
 */
export type Speaker = 'opened' | 'learned' | 'q8_0' | 'q4_0';

/** A turn of a conversation. */
export interface Turn {
  role: 'user' | 'assistant';
  content: string;
}

/** How tokens are chosen; with temperature 0, every token is the most likely one. */
export interface Sampling {
  temperature: number;
  topK: number;
  topP: number;
  maxTokens: number;
  seed: number;
}

export interface LearningSettings {
  width: number;
  layers: number;
  rate: number;
  batch: number;
}

/** A model that the visitor opened. */
export interface Description {
  name: string;
  family: string;
  layers: number;
  width: number;
  bytes: number;
  context: number;
  /** Why there is no tokenizer: prompts are then ids. */
  withoutTokenizer: string | undefined;
  /** Whether it has a chat template; otherwise it continues the last message. */
  hasTemplate: boolean;
}

/** A model that is to be trained. */
export interface Begun {
  parameters: number;
  trainBytes: number;
  isHeldBack: boolean;
  /** Whether it learns questions and answers, in the form of `dialogue.ts`. */
  isDialogue: boolean;
}

/** Why a reply ended, and how fast it was. */
export interface Reply {
  reason: 'eos' | 'stop' | 'length' | 'stopped';
  tokens: number;
  promptTokens: number;
  tokensPerSecond: number | undefined;
  promptTokensPerSecond: number | undefined;
  weightBytes: number;
  /** The bytes of everything on the device. */
  deviceBytes: number;
}

/** A row of the comparison. */
export interface Compared {
  speaker: Speaker;
  bytes: number;
  tokensPerSecond: number;
  loss: number;
}

export type ToChat =
  | { type: 'open'; device: DeviceChoice }
  /** Files of a model, or its address. */
  | { type: 'load'; source: readonly File[] | string }
  /** A new model to train. */
  | { type: 'begin'; text: string; settings: LearningSettings; seed: number }
  | { type: 'train'; steps: number; settings: LearningSettings }
  | { type: 'pause' }
  | { type: 'compare' }
  | { type: 'ask'; speaker: Speaker; turns: readonly Turn[]; sampling: Sampling }
  /** The time of the page's last painting. */
  | { type: 'painted'; milliseconds: number }
  /** Ends the reply, or the loading of a model. */
  | { type: 'stop' };

export type FromChat =
  | { type: 'opened'; device: DeviceName; adapter: string }
  | { type: 'loading'; loaded: number; total: number | undefined }
  | { type: 'loaded'; description: Description }
  | { type: 'begun'; begun: Begun }
  | { type: 'progress'; step: number; losses: readonly Point[]; stepsPerSecond: number; replays: number }
  | { type: 'measured'; step: number; loss: number }
  | { type: 'stopped'; step: number; why: 'done' | 'paused' }
  /** More of the reply, with the numbers so far. */
  | { type: 'text'; text: string; tokens: number; tokensPerSecond: number | undefined }
  | { type: 'replied'; reply: Reply }
  | { type: 'compared'; step: number; rows: readonly Compared[] }
  | { type: 'failed'; doing: ToChat['type']; kind: string; message: string };
