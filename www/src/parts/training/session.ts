/** A network in training, as the worker drives it; each chapter implements one. */
import type { Tensor } from 'lanthorn';
import type { Parts } from './checkpoint';
import type { Lesson } from './protocol';

export interface Session<L extends Lesson> {
  /** Settings that may change during training. */
  settings: L['settings'];
  /** The number of completed epochs; a network is measured at most once in each. */
  readonly epoch: number;
  /** The state in a checkpoint, by name. With all of it restored, training resumes bit for bit. */
  readonly parts: Parts;
  /**
   * Trains on the next batch, and returns the loss without waiting for it. Other tensors that it
   * creates belong to the caller's scope.
   */
  trainStep(): Tensor | Promise<Tensor>;
  measure(): Promise<L['measurement']>;
  answer(question: L['question']): Promise<L['answer']>;
  dispose(): void;
}

/** The constructors of a chapter's sessions. */
export interface Course<L extends Lesson, Data> {
  /** The chapter's folder, which names its checkpoint. */
  name: string;
  /** The least time between two measurements in milliseconds; a quarter of a second unless said. */
  measureEvery?: number;
  load(): Promise<Data>;
  begin(data: Data, seed: number, settings: L['settings']): Session<L>;
}
