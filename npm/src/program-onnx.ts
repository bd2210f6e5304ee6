/** Models of ONNX: their loading. */
import type { OnnxLoader } from '../wasm/lanthorn_onnx.js';
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { readingOf, type Reading, type Source } from './io-source.js';
import { host } from './program-host.js';
import { callOnnx, initOnnx } from './program-module.js';
import { OnnxModel } from './program-classes.js';

/** Files beside a model, by their paths in it: those with elements that the model's file does not contain. */
export type ExternalData = Readonly<Record<string, Source>>;

/** The field that begins a file of ONNX: the version of its format. */
const FIRST_FIELD = 0x08;

/** Whether these bytes are the beginning of a model. */
export function isOnnx(start: Uint8Array): boolean {
  return start[0] === FIRST_FIELD;
}

/** Elements outside of the model's file. */
type Extent = readonly [path: string, offset: number, length: number];

/**
 * Loads a model. Its weights go to the device as they arrive, so that they are in memory once. Elements
 * outside of the file come from `externalData`, or from the files beside it.
 */
export async function loadOnnx(
  reading: Reading, externalData: ExternalData, signal: AbortSignal | undefined,
): Promise<OnnxModel> {
  await initOnnx();
  const loader = callOnnx('load', ({ OnnxLoader }) => new OnnxLoader(host));
  try {
    for await (const piece of reading.pieces()) callOnnx('load', () => loader.push(piece));
    const extents = callOnnx('load', () => loader.finishFile()) as Extent[];
    await loadExternal(loader, reading, extents, externalData, signal);
    signal?.throwIfAborted();
  } catch (error) {
    loader.free();
    throw error;
  }
  return new OnnxModel(callOnnx('load', () => loader.program()));
}

/** Reads the elements outside of the file, in the order of their places in the files. */
async function loadExternal(
  loader: OnnxLoader, model: Reading, extents: readonly Extent[], externalData: ExternalData, signal: AbortSignal | undefined,
): Promise<void> {
  let opened: { path: string; reading: Reading } | undefined;
  try {
    for (const [index, [path, offset, length]] of extents.entries()) {
      // Elements that several tensors have may overlap.
      if (opened?.path !== path || opened.reading.position > offset) {
        await opened?.reading.close();
        const given = Object.hasOwn(externalData, path) ? externalData[path] : undefined;
        opened = { path, reading: given === undefined ? model.beside(path) : readingOf(given, signal, undefined) };
      }
      const { reading } = opened;
      await reading.skipTo(offset, path);
      callOnnx('load', () => loader.begin(index));
      for await (const piece of reading.pieces(length, path)) callOnnx('load', () => loader.bytes(piece));
      callOnnx('load', () => loader.end());
    }
  } finally {
    await opened?.reading.close();
  }
}

/** Checks the option `externalData`. */
export function checkExternal(given: unknown): ExternalData {
  if (given === undefined) return {};
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as ExternalData;
  throw new LanthornError('argument', 'load', `externalData is an object of files by their paths, not ${describe(given)}`);
}
