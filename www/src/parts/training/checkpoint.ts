/**
 * Checkpoints: all that it takes to go on as if training had never stopped, in PyTorch's format. The browser's own file system keeps one a chapter; the
 * same file is what a visitor downloads and opens again.
 */
import { getRngState, scope, setRngState, Tensor } from 'lanthorn';
import { load, opfs, save } from 'lanthorn/io';
import type { Notes, Settings } from './protocol';

/** What has a state: modules, optimizers, the place in the data. */
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

/** The random numbers, which every chapter shares. */
const generator: Stateful = { stateDict: getRngState, loadStateDict: setRngState };

/** The states of `parts` as they are now; their tensors belong to the caller's scope. */
function statesOf(parts: Parts): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...parts, generator }).map(([name, part]) => [name, part.stateDict()]));
}

/** Puts the states of a checkpoint back. What they lack or have too much is an error of the part. */
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

/** Keeps a checkpoint of `parts` in the browser's own file system, in place of the one that it had of the chapter. */
export function keep(about: About, parts: Parts): Promise<void> {
  return scope(() => opfs.save(fileName(about.chapter), { ...about, states: statesOf(parts) } as unknown as Savable));
}

/** The checkpoint in a file. Its tensors are the caller's to {@link release}. */
export async function read(file: Blob): Promise<Checkpoint> {
  return checked(await load(file));
}

/** The checkpoint that the browser keeps of a chapter, if it keeps one. */
export async function kept(chapter: string): Promise<Checkpoint | undefined> {
  const names = (await opfs.list()).map(({ name }) => name);
  return names.includes(fileName(chapter)) ? checked(await opfs.load(fileName(chapter))) : undefined;
}

/** Forgets the checkpoint that the browser keeps of a chapter. */
export async function forget(chapter: string): Promise<void> {
  const names = (await opfs.list()).map(({ name }) => name);
  if (names.includes(fileName(chapter))) {
    await opfs.remove(fileName(chapter));
  }
}

/** Lets go of all tensors in `value`. */
export function release(value: unknown): void {
  if (value instanceof Tensor) {
    value.dispose();
  } else if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(release);
  }
}

function checked(loaded: unknown): Checkpoint {
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
