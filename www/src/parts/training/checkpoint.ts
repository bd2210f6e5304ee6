/**
 * Checkpoints: all that it takes to go on as if training had never stopped, as one file. The browser's own file system keeps one a chapter; the
 * same bytes are what a visitor downloads and opens again.
 */
import { tensor, Tensor } from 'lanthorn';
import type { Notes, Settings } from './protocol';

/** What has a state: modules, optimizers, the place in the data. */
export interface Stateful {
  stateDict(): unknown;
  loadStateDict(state: never): unknown;
}

export interface Checkpoint {
  chapter: string;
  step: number;
  settings: Settings;
  notes: Notes;
  /** The states by name, with their tensors. */
  parts: Record<string, unknown>;
}

const MAGIC = 'LANTHORN';
const HEAD = MAGIC.length + 4;

/** Takes the states of `parts` as they are now. */
export function statesOf(parts: Readonly<Record<string, Stateful>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.stateDict?.()]));
}

/** Puts states back; what they lack or have too much is an error of the part. */
export async function restoreStates(parts: Readonly<Record<string, Stateful>>, states: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, part] of Object.entries(parts)) {
    await part.loadStateDict?.(states[name] as never);
  }
}

/** A checkpoint as a file. */
export async function encode(checkpoint: Checkpoint): Promise<ArrayBuffer> {
  const values: Promise<ArrayBufferView>[] = [];
  const text = JSON.stringify(checkpoint, (_, value: unknown) => {
    if (value instanceof Tensor) {
      values.push(value.data());
      return { $tensor: values.length - 1, dtype: value.dtype, shape: value.shape };
    }
    return value;
  });
  const blocks = (await Promise.all(values)).map((block) => new Uint8Array(block.buffer, block.byteOffset, block.byteLength));
  const json = new TextEncoder().encode(JSON.stringify({ text, lengths: blocks.map((block) => block.length) }));
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, json.length, true);
  return new Blob([MAGIC, length, json, ...(blocks as Uint8Array<ArrayBuffer>[])]).arrayBuffer();
}

/** The checkpoint that a file is, its tensors on the device in use. */
export function decode(file: ArrayBuffer): Checkpoint {
  const words = new TextDecoder();
  if (file.byteLength < HEAD || words.decode(file.slice(0, MAGIC.length)) !== MAGIC) {
    throw new TypeError('this file is no checkpoint of this site');
  }
  const begun = HEAD + new DataView(file).getUint32(MAGIC.length, true);
  const { text, lengths } = JSON.parse(words.decode(file.slice(HEAD, begun))) as { text: string; lengths: number[] };
  const starts = lengths.map((_, index) => lengths.slice(0, index).reduce((sum, length) => sum + length, begun));
  return JSON.parse(text, (_, value) => {
    if (typeof value?.$tensor !== 'number') {
      return value;
    }
    const start = starts[value.$tensor]!;
    const bytes = file.slice(start, start + lengths[value.$tensor]!);
    const data = value.dtype === 'int32' ? new Int32Array(bytes) : new Float32Array(bytes);
    return tensor(data, { shape: value.shape, dtype: value.dtype });
  });
}

/** Keeps `file` in the browser's own file system, in place of what was kept under this name. */
export async function keep(name: string, file: ArrayBuffer): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const stream = await (await root.getFileHandle(fileName(name), { create: true })).createWritable();
  await stream.write(file);
  await stream.close();
}

/** What is kept under this name, if anything is. */
export async function kept(name: string): Promise<ArrayBuffer | undefined> {
  try {
    const root = await navigator.storage.getDirectory();
    return await (await (await root.getFileHandle(fileName(name))).getFile()).arrayBuffer();
  } catch {
    return undefined;
  }
}

/** Forgets what is kept under this name. */
export async function forget(name: string): Promise<void> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(fileName(name)).catch(() => {});
}

function fileName(name: string): string {
  return `${name}.checkpoint`;
}
