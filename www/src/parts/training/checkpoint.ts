/**
 * Checkpoints: everything needed to resume training bit for bit, in PyTorch's format. The browser's
 * private file system stores one per chapter; a visitor can download and open the same file.
 */
import { getRngState, scope, setRngState, Tensor } from 'lanthorn';
import { load, opfs, save } from 'lanthorn/io';
import type { Notes, Settings } from './protocol';

/** Objects with a state: modules, optimizers, the position in the data. */
export interface Stateful {
  stateDict(): unknown;
  loadStateDict(state: never): unknown;
}

export type Parts = Readonly<Record<string, Stateful>>;

export interface Checkpoint {
  chapter: string;
  step: number;
  settings: Settings;
  notes: Notes;
  /** The states by name, with their tensors. */
  states: Record<string, unknown>;
}

type Savable = Parameters<typeof save>[0];

/** The random number generator, which every chapter shares. */
const generator: Stateful = { stateDict: getRngState, loadStateDict: setRngState };

/** The current states of `parts`; their tensors belong to the caller's scope. */
function statesOf(parts: Parts): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...parts, generator }).map(([name, part]) => [name, part.stateDict()]));
}

/** Restores the states of a checkpoint. Missing or additional entries are an error of the part. */
export async function restore(parts: Parts, { states }: Checkpoint): Promise<void> {
  for (const [name, part] of Object.entries({ ...parts, generator })) {
    await part.loadStateDict(states[name] as never);
  }
}

export type About = Omit<Checkpoint, 'states'>;

/** The file of a checkpoint of `parts`. */
export function write(about: About, parts: Parts): Promise<Blob> {
  return scope(() => save({ ...about, states: statesOf(parts) } as unknown as Savable, { format: 'pt' }));
}

/**
 * Stores a checkpoint of `parts` in the browser's private file system, replacing the chapter's
 * previous one.
 */
export function keep(about: About, parts: Parts): Promise<void> {
  return scope(() => opfs.save(fileName(about.chapter), { ...about, states: statesOf(parts) } as unknown as Savable));
}

/** The checkpoint in a file. The caller must {@link release} its tensors. */
export async function read(file: Blob): Promise<Checkpoint> {
  return check(await load(file));
}

/** The checkpoint that the browser stores for a chapter, if there is one. */
export async function readStored(chapter: string): Promise<Checkpoint | undefined> {
  const names = (await opfs.list()).map(({ name }) => name);
  return names.includes(fileName(chapter)) ? check(await opfs.load(fileName(chapter))) : undefined;
}

/** Deletes the checkpoint that the browser stores for a chapter. */
export async function forget(chapter: string): Promise<void> {
  const names = (await opfs.list()).map(({ name }) => name);
  if (names.includes(fileName(chapter))) {
    await opfs.remove(fileName(chapter));
  }
}

/** Disposes of all tensors in `value`. */
export function release(value: unknown): void {
  if (value instanceof Tensor) {
    value.dispose();
  } else if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(release);
  }
}

function check(loaded: unknown): Checkpoint {
  const { chapter, step, settings, notes, states } = (loaded ?? {}) as Partial<Checkpoint>;
  if (typeof chapter !== 'string' || typeof step !== 'number' || !settings || !notes || !states) {
    release(loaded);
    throw new TypeError('it is no checkpoint of this site');
  }
  return { chapter, step, settings, notes, states };
}

function fileName(chapter: string): string {
  return `${chapter}.pt`;
}
