/** The worker's side of a loader with workers. */
import { LanthornError, type ErrorKind } from '../core/errors.js';
import { defaultCollate, isRecord, mapped } from './collate.js';
import type { Dataset } from './dataset.js';
import { attaches, deliver, Delivered } from './delivered.js';
import { concerning, fetchSamples, type Request } from './fetch.js';
import { HostArray } from './host-array.js';
import { attachment, type Attachment } from '../workers/end.js';
import type { SharedHandle } from '../tensor/shared-handle.js';
import type { SharedMemory } from '../core/shared-memory.js';
import type { DType, TypedArray } from '../core/types.js';

/** A loader's request to a worker. */
export interface Ask extends Request {
  lanthorn: 'fetch';
  job: number;
  /** The memory of the page, in which the batch can be delivered. */
  memory?: SharedMemory;
}

/** A worker's answer. */
export type Answer =
  | { lanthorn: 'ready' }
  | ({ lanthorn: 'attached' } & Attachment)
  | { lanthorn: 'batch'; job: number; batch: unknown }
  | { lanthorn: 'error'; job: number; kind: ErrorKind; op: string; message: string; cause: { name: string; message: string; stack: string | undefined } };

/** Options of {@link serveDataset}. */
export interface ServeOptions<S> {
  /**
   * Makes a batch of samples (default: as a loader does). Arrays in it become tensors: in memory that the page
   * shares, if it can, and otherwise they are copied to the page.
   */
  collate?: (samples: S[]) => unknown;
}

/** The part of a worker's global scope used here. */
interface Scope {
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  postMessage(message: Answer, transfer?: ArrayBufferLike[]): void;
}

/**
 * Serves a data set to a loader in the page; called by the worker's module.
 *
 * @example
 * // worker.js
 * import { serveDataset } from 'lanthorn/data';
 * serveDataset({ length: 60000, get: async (index) => [await image(index), label(index)] });
 * // the page
 * new DataLoader({ length: 60000 }, { workers: 4, workerUrl: new URL('./worker.js', import.meta.url) });
 */
export function serveDataset<S>(dataset: Dataset<S>, options: ServeOptions<S> = {}): void {
  if (typeof document !== 'undefined') throw new LanthornError('argument', 'serveDataset', 'is called in a worker, not in the page');
  const scope = globalThis as unknown as Scope;
  let hasTold = false;
  scope.addEventListener('message', async ({ data }) => {
    if (!isRecord(data) || data['lanthorn'] !== 'fetch') return;
    const ask = data as unknown as Ask;
    try {
      const isShared = await attaches(ask.memory);
      if (isShared && !hasTold) {
        hasTold = true;
        scope.postMessage({ lanthorn: 'attached', ...attachment() });
      }
      const samples = await fetchSamples(dataset, ask);
      // Our own arrays are transferred; the user's arrays are copied, because they may still be
      // needed here.
      const transfer: ArrayBufferLike[] = [];
      const batch = pack(toBatch(samples, ask, options.collate), options.collate ? undefined : transfer, isShared);
      scope.postMessage({ lanthorn: 'batch', job: ask.job, batch }, transfer);
    } catch (thrown) {
      const error = thrown instanceof LanthornError ? thrown : concerning(`samples [${ask.indices.join(', ')}]`, thrown);
      const cause = error.cause instanceof Error ? error.cause : new Error(String(error.cause ?? error.message));
      const { name, message, stack } = cause;
      scope.postMessage({ lanthorn: 'error', job: ask.job, kind: error.kind, op: error.op, message: error.message, cause: { name, message, stack } });
    }
  });
  scope.postMessage({ lanthorn: 'ready' });
}

function toBatch<S>(samples: S[], { indices }: Ask, collate: ServeOptions<S>['collate'] = defaultCollate): unknown {
  try {
    return collate(samples);
  } catch (error) {
    throw concerning(`samples [${indices.join(', ')}]`, error);
  }
}

interface Packed {
  lanthornArray: TypedArray;
  shape: readonly number[];
  dtype: DType;
}

interface Shared {
  lanthornShared: SharedHandle;
}

/** Arrays as plain objects, which a message can hold. */
function pack(batch: unknown, transfer: ArrayBufferLike[] | undefined, isShared: boolean): unknown {
  return mapped(batch, (leaf): unknown => {
    if (!(leaf instanceof HostArray)) return leaf;
    if (isShared) return { lanthornShared: deliver(leaf) } satisfies Shared;
    transfer?.push(leaf.data.buffer);
    return { lanthornArray: leaf.data, shape: leaf.shape, dtype: leaf.dtype } satisfies Packed;
  });
}

/** The batch from a message. */
export function unpack(batch: unknown): unknown {
  if (Array.isArray(batch)) return batch.map(unpack);
  if (!isRecord(batch)) return batch;
  if ('lanthornShared' in batch) return new Delivered((batch as unknown as Shared).lanthornShared);
  if (!('lanthornArray' in batch)) return Object.fromEntries(Object.entries(batch).map(([name, part]) => [name, unpack(part)]));
  const { lanthornArray, shape, dtype } = batch as unknown as Packed;
  return new HostArray(lanthornArray, shape, dtype);
}
