/** Models of ONNX: how they are loaded and written. */
import type { OnnxLoader } from '../../wasm/lanthorn_onnx.js';
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { readingOf, type Reading, type Source } from '../io/source.js';
import { host } from './host.js';
import { callOnnx, callWriter, initOnnx, initOnnxWriter } from './module.js';
import { GraphProgram, OnnxModel } from './classes.js';
import { registerEntries } from '../core/stack.js';

/** Files beside a model, by their paths in it: those with elements that the model's file does not contain. */
export type ExternalData = Readonly<Record<string, Source>>;

/** The field that begins a file of ONNX: the version of its format. */
const FIRST_FIELD = 0x08;

/** Whether these bytes are the beginning of a model. */
export function isOnnx(start: Uint8Array): boolean {
  return start[0] === FIRST_FIELD;
}

/** The message for a file that is no program, with the format if the first bytes are known. */
export async function foreignFile(start: Uint8Array): Promise<string> {
  await initOnnx();
  const known = callOnnx('load', ({ foreign }) => foreign(start));
  return known ?? 'no program: it takes files of torch.export.save and torch.jit.save, and models of ONNX';
}

/** Elements outside of the model's file. */
type Extent = readonly [path: string, offset: number, length: number];

/**
 * Loads a model. Its weights go to the device as they arrive, so that they are in memory once.
 * Elements outside of the file come from `externalData`, or from files in the same folder.
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
  const skeleton = callOnnx('load', () => loader.skeleton());
  return new OnnxModel(callOnnx('load', () => loader.program()), skeleton);
}

/** Reads the elements outside of the file, in the order of their offsets in the files. */
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

/**
 * A program as a model of ONNX, of operator set 21 or newer, with its parameters and buffers as
 * they are now: one that was loaded, of PyTorch or of ONNX, or that {@link exportProgram} or {@link
 * trace} made. The initializers have the names of the state, and dynamic dimensions stay dynamic.
 * Operators that ONNX does not have are refused with their names. The writer of models is a
 * separate WebAssembly module, fetched at the first use.
 *
 * @example
 * const model = await load('model.onnx');
 * await train(model);
 * const bytes = await exportOnnx(model);
 */
export async function exportOnnx(program: GraphProgram): Promise<Uint8Array> {
  if (!(program instanceof GraphProgram)) {
    throw new LanthornError('argument', 'exportOnnx', `takes a program of one graph, not ${describe(program)}; exportProgram makes one of a module`);
  }
  await initOnnxWriter();
  const { file, state } = await program.parts();
  return callWriter('exportOnnx', ({ writeOnnx }) => writeOnnx(file, state));
}

registerEntries([exportOnnx]);
