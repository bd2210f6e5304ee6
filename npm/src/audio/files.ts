/** Sound files: WAV anywhere, and other formats in a page, whose browser decodes them. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { nodeModule } from '../core/source.js';
import { registerEntries } from '../core/stack.js';
import { readingOf, type Source } from '../io/source.js';
import { tensor } from '../tensor/from-data.js';
import { scope } from '../tensor/scope.js';
import { Tensor } from '../tensor/tensor.js';
import { AudioMetaData, fileOf, isWav, parse, samplesOf, type AudioEncoding } from './wav.js';

/** A file that is read at once has up to 2 GiB, as an array has. */
const LIMIT = 2 ** 31 - 1;

/** Options of {@link load} and {@link decode}. */
export interface AudioLoadOptions {
  /** The samples of a channel that are skipped (default: 0). */
  frameOffset?: number;
  /** The samples of a channel that are read (default: all). */
  numFrames?: number;
  /** Whether the tensor is `[channels, time]`, else `[time, channels]` (default: true). */
  channelsFirst?: boolean;
  /**
   * The rate of sound that the browser decodes itself (default: 48000). WAV files keep
   * their own.
   */
  sampleRate?: number;
  /** Cancels the download. */
  signal?: AbortSignal;
}

/** Options of {@link save} and {@link encode}. */
export interface AudioSaveOptions {
  /** Whether the tensor is `[channels, time]`, else `[time, channels]` (default: true). */
  channelsFirst?: boolean;
  /** How samples are stored (default: floats, or integers for `bitsPerSample`). */
  encoding?: AudioEncoding;
  /** The bits of a sample (default: 32 for floats, 16 for signed integers). */
  bitsPerSample?: number;
}

async function bytesOf(source: Source, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const reading = readingOf(source, signal, undefined);
  try {
    return await reading.rest(LIMIT);
  } finally {
    await reading.close();
  }
}

function checkCount(op: string, name: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return;
  throw new LanthornError('argument', op, `${name} must be a whole number of at least 0, not ${typeof value === 'number' ? value : describe(value)}`);
}

/**
 * The rate, the length and the encoding of a WAV file. The source is a URL (in Node also a path), a
 * `File`, a `Blob` or bytes.
 *
 * @example
 * const { sampleRate, numFrames } = await info('speech.wav');
 */
export async function info(source: Source): Promise<AudioMetaData> {
  return parse('info', await bytesOf(source, undefined)).about;
}

/**
 * The waveform of a sound file as float32 from -1 to 1, `[channels, time]`, and its sample rate.
 * The source is a URL (in Node also a path), a `File`, a `Blob` or bytes.
 *
 * WAV files are read anywhere. In a page and in its workers the browser decodes other formats, such
 * as FLAC, MP3 and Ogg, where it has `OfflineAudioContext`, at the rate `sampleRate`.
 *
 * @throws `file` if it cannot be read, ends early, or has a format that is not decoded here.
 *
 * @example
 * const [waveform, sampleRate] = await load('speech.wav');
 */
export async function load(source: Source, options: AudioLoadOptions = {}): Promise<[waveform: Tensor, sampleRate: number]> {
  const { signal } = checkOptions('load', options, ['frameOffset', 'numFrames', 'channelsFirst', 'sampleRate', 'signal']);
  return decode(await bytesOf(source, signal), options);
}

/**
 * {@link load} of the bytes of a file.
 *
 * @throws `file` for bytes that end early, or have a format that is not decoded here.
 *
 * @example
 * const bytes = await encode(rand(1, 16000), 16000);
 * const [waveform, sampleRate] = await decode(bytes);
 */
export async function decode(bytes: Uint8Array, options: AudioLoadOptions = {}): Promise<[waveform: Tensor, sampleRate: number]> {
  const names = ['frameOffset', 'numFrames', 'channelsFirst', 'sampleRate', 'signal'] as const;
  const { frameOffset = 0, numFrames = Infinity, channelsFirst = true, sampleRate = 48000 } = checkOptions('load', options, names);
  if (!(bytes instanceof Uint8Array)) throw new LanthornError('argument', 'decode', `bytes must be a Uint8Array, not ${describe(bytes)}`);
  checkCount('load', 'frameOffset', frameOffset);
  checkCount('load', 'numFrames', numFrames === Infinity ? 0 : numFrames);
  if (!isWav(bytes)) return decodeByBrowser(bytes, { frameOffset, numFrames, channelsFirst, sampleRate });
  const { about, data } = parse('load', bytes);
  const block = (about.numChannels * about.bitsPerSample) / 8;
  const [start, end] = [frameOffset, frameOffset + numFrames].map((frame) => Math.min(frame, about.numFrames) * block);
  const samples = samplesOf(data.subarray(start, end), about);
  const shape = [samples.length / about.numChannels, about.numChannels];
  const waveform = scope(() => {
    const rows = tensor(samples, { shape });
    return channelsFirst ? rows.t().contiguous() : rows;
  });
  return [waveform, about.sampleRate];
}

/** The decoder of browsers, for formats other than WAV. */
async function decodeByBrowser(
  bytes: Uint8Array,
  { frameOffset, numFrames, channelsFirst, sampleRate }: Required<Omit<AudioLoadOptions, 'signal'>>,
): Promise<[waveform: Tensor, sampleRate: number]> {
  const Context = (globalThis as { OfflineAudioContext?: typeof OfflineAudioContext }).OfflineAudioContext;
  if (!Context) {
    throw new LanthornError('file', 'load', 'the file is no WAV file; other formats are decoded by a page, which has OfflineAudioContext');
  }
  let decoded: AudioBuffer;
  try {
    // The buffer is transferred, so the caller's bytes are copied.
    decoded = await new Context({ length: 1, sampleRate }).decodeAudioData(bytes.slice().buffer);
  } catch (error) {
    throw new LanthornError('file', 'load', 'the browser cannot decode the file: its format is unknown, or it is incomplete', { cause: error });
  }
  const [start, end] = [frameOffset, frameOffset + numFrames].map((frame) => Math.min(frame, decoded.length)) as [number, number];
  const samples = new Float32Array((end - start) * decoded.numberOfChannels);
  for (let channel = 0; channel < decoded.numberOfChannels; channel++) {
    samples.set(decoded.getChannelData(channel).subarray(start, end), channel * (end - start));
  }
  const waveform = tensor(samples, { shape: [decoded.numberOfChannels, end - start] });
  return [channelsFirst ? waveform : waveform.t().contiguous(), decoded.sampleRate];
}

/** The encoding and the bits of a sample. */
function storageOf(encoding: AudioEncoding | undefined, bits: number | undefined): [AudioEncoding, number] {
  const byBits = bits === undefined ? 'pcm_f' : bits === 8 ? 'pcm_u' : 'pcm_s';
  const chosen = encoding ?? byBits;
  const allowed = { pcm_s: [16, 24, 32], pcm_u: [8], pcm_f: [32, 64] }[chosen];
  if (!allowed) throw new LanthornError('argument', 'save', `encoding must be one of 'pcm_s', 'pcm_u', 'pcm_f', not ${JSON.stringify(encoding)}`);
  const count = bits ?? allowed[0]!;
  if (allowed.includes(count)) return [chosen, count];
  throw new LanthornError('argument', 'save', `bitsPerSample must be one that '${chosen}' has in a WAV file, ${allowed.join(', ')}, and is ${bits}`);
}

/**
 * The bytes of a WAV file of a waveform, `[channels, time]`. Samples are stored as floats of 32
 * bits, or as integers, rounded and limited to -1 and 1.
 *
 * @throws `shape` unless the waveform has two dimensions, and `argument` for bits that the encoding
 * does not have.
 *
 * @example
 * const bytes = await encode(rand(1, 16000), 16000, { bitsPerSample: 16 });
 */
export async function encode(src: Tensor, sampleRate: number, options: AudioSaveOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { channelsFirst = true, encoding, bitsPerSample } = checkOptions('save', options, ['channelsFirst', 'encoding', 'bitsPerSample']);
  if (!(src instanceof Tensor)) throw new LanthornError('argument', 'save', `src must be a tensor, not ${describe(src)}`);
  if (src.ndim !== 2) {
    throw new LanthornError('shape', 'save', `src has shape [${src.shape.join(', ')}], and takes [channels, time] or [time, channels]`);
  }
  checkCount('save', 'sampleRate', sampleRate);
  const [kind, bits] = storageOf(encoding, bitsPerSample);
  const [frames, channels] = (channelsFirst ? [...src.shape].reverse() : src.shape) as [number, number];
  if (channels === 0 || sampleRate === 0) throw new LanthornError('argument', 'save', 'a file has at least one channel and one sample a second');
  const rows = scope(() => (channelsFirst ? src.detach().t() : src.detach()).to('float32').contiguous());
  const samples = (await rows.data()) as Float32Array;
  rows.dispose();
  return fileOf('save', new AudioMetaData(sampleRate, frames, channels, bits, kind), samples);
}

/**
 * Writes a waveform, `[channels, time]`, as a WAV file: to a path in Node, and in a page as a
 * download with that name.
 *
 * @throws The errors of {@link encode}, and `file` if the file cannot be written.
 *
 * @example
 * await save('noise.wav', rand(1, 16000), 16000);
 */
export async function save(path: string | URL, src: Tensor, sampleRate: number, options: AudioSaveOptions = {}): Promise<void> {
  const bytes = await encode(src, sampleRate, options);
  if (typeof document !== 'undefined') {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' }));
    link.download = String(path);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    return;
  }
  try {
    const { writeFile } = await nodeModule<{ writeFile(path: string | URL, bytes: Uint8Array): Promise<void> }>('node:fs/promises');
    await writeFile(path, bytes);
  } catch (error) {
    throw new LanthornError('file', 'save', `${String(path)}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

registerEntries([decode, encode, info, load, save]);
