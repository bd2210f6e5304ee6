/** A network in training, as the worker drives it; a chapter writes one. */
import type { Tensor } from 'lanthorn';
import type { Parts } from './checkpoint';
import type { Lesson } from './protocol';

export interface Session<L extends Lesson> {
  /** What may change while training goes on. */
  settings: L['settings'];
  /** How many times all examples have been seen; a network is measured at most once each. */
  readonly epoch: number;
  /** What a checkpoint holds, by name. With all of it restored, training goes on as if it had never stopped. */
  readonly parts: Parts;
  /** Trains on the next batch, and gives the loss without waiting for it. What it makes besides belongs to the caller's scope. */
  trainStep(): Tensor | Promise<Tensor>;
  measure(): Promise<L['measurement']>;
  answer(question: L['question']): Promise<L['answer']>;
  dispose(): void;
}

/** How a chapter's worker comes to its sessions. */
export interface Course<L extends Lesson, Data> {
  /** The chapter's folder; its checkpoint is kept under this name. */
  name: string;
  load(): Promise<Data>;
  begin(data: Data, seed: number, settings: L['settings']): Session<L>;
}
