/**
 * The layout of WAV files.
 *
 * Source: IBM and Microsoft, "Multimedia Programming Interface and Data Specifications", 1991, and
 * Microsoft, "Multiple Channel Audio Data and WAVE Files", 2007.
 */
import { LanthornError } from '../core/errors.js';
import { registerHelpers } from '../core/stack.js';

/** How a file stores samples: signed integers, unsigned ones of 8 bits, or floats. */
export type AudioEncoding = 'pcm_s' | 'pcm_u' | 'pcm_f';

/** The header of a file. */
export class AudioMetaData {
  constructor(
    /** The samples of a channel in a second. */
    readonly sampleRate: number,
    /** The samples of a channel. */
    readonly numFrames: number,
    /** The number of channels. */
    readonly numChannels: number,
    /** The bits of a sample. */
    readonly bitsPerSample: number,
    /** How samples are stored. */
    readonly encoding: AudioEncoding,
  ) {}
}

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** The end of the identifier of a format in an extensible header. */
const SUBFORMAT = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
/** The length that a writer puts down before it knows the length. */
const UNKNOWN = 0xffff_ffff;

function refuse(op: string, message: string): LanthornError {
  return new LanthornError('file', op, message);
}

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

/** Whether bytes begin as a WAV file does. */
export function isWav(bytes: Uint8Array): boolean {
  return bytes.length >= 12 && nameAt(bytes, 0) === 'RIFF' && nameAt(bytes, 8) === 'WAVE';
}

/** The header of a file, and its samples. */
export function parse(op: string, bytes: Uint8Array): { about: AudioMetaData; data: Uint8Array } {
  if (!isWav(bytes)) throw refuse(op, 'the file is no WAV file: it does not begin with RIFF and WAVE');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: AudioMetaData | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const [name, size, left] = [nameAt(bytes, at), view.getUint32(at + 4, true), bytes.length - at - 8];
    if (name === 'data') {
      if (!format) throw refuse(op, 'the samples come before the format');
      // A stream is written with a length of 0 or of all ones.
      const isOpen = size === UNKNOWN || size === 0;
      if (size > left && !isOpen) throw refuse(op, `the file ends within the samples: ${left} of ${size} bytes are there`);
      return withSamples(op, format, bytes.subarray(at + 8, isOpen ? bytes.length : at + 8 + size));
    }
    if (size > left) throw refuse(op, `the file ends within a chunk of ${size} bytes`);
    if (name === 'fmt ') format = parseFormat(op, new DataView(bytes.buffer, bytes.byteOffset + at + 8, size));
    at += 8 + size + (size % 2);
  }
  throw refuse(op, 'the file ends before its samples');
}

function encodingOf(code: number, bits: number): AudioEncoding | undefined {
  if (code === PCM && bits === 8) return 'pcm_u';
  if (code === PCM && [16, 24, 32].includes(bits)) return 'pcm_s';
  return code === FLOAT && [32, 64].includes(bits) ? 'pcm_f' : undefined;
}

/** The rate, the channels, the bits and the encoding of a format chunk. */
function parseFormat(op: string, chunk: DataView): AudioMetaData {
  if (chunk.byteLength < 16) throw refuse(op, `the format has ${chunk.byteLength} bytes instead of 16`);
  let code = chunk.getUint16(0, true);
  if (code === EXTENSIBLE) {
    const isKnown = chunk.byteLength >= 40 && SUBFORMAT.every((byte, index) => chunk.getUint8(26 + index) === byte);
    if (!isKnown) throw refuse(op, 'the extensible format is incomplete or of another kind');
    code = chunk.getUint16(24, true);
  }
  const [channels, rate] = [chunk.getUint16(2, true), chunk.getUint32(4, true)];
  const [block, bits] = [chunk.getUint16(12, true), chunk.getUint16(14, true)];
  const encoding = encodingOf(code, bits);
  if (!encoding) throw refuse(op, `samples of format ${code} with ${bits} bits are not supported`);
  if (channels === 0 || rate === 0 || block !== (channels * bits) / 8) {
    const message = `${channels} channels of ${bits} bits at a rate of ${rate} in blocks of ${block} bytes`;
    throw refuse(op, `the format is invalid: ${message}`);
  }
  return new AudioMetaData(rate, 0, channels, bits, encoding);
}

function withSamples(op: string, format: AudioMetaData, data: Uint8Array): { about: AudioMetaData; data: Uint8Array } {
  const { sampleRate, numChannels, bitsPerSample, encoding } = format;
  const block = (numChannels * bitsPerSample) / 8;
  if (data.length % block !== 0) throw refuse(op, `the file ends within a sample: ${data.length} bytes in blocks of ${block}`);
  return { about: new AudioMetaData(sampleRate, data.length / block, numChannels, bitsPerSample, encoding), data };
}

/** The numbers from -1 to 1 of stored samples. */
export function samplesOf(data: Uint8Array, { bitsPerSample, encoding }: AudioMetaData): Float32Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const size = bitsPerSample / 8;
  const samples = new Float32Array(data.length / size);
  const read = readerOf(view, encoding, bitsPerSample);
  for (let index = 0; index < samples.length; index++) samples[index] = read(index * size);
  return samples;
}

/** Reads the sample at an offset. */
function readerOf(view: DataView, encoding: AudioEncoding, bits: number): (at: number) => number {
  if (encoding === 'pcm_f') return bits === 32 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true);
  switch (bits) {
    case 8: return (at) => (view.getUint8(at) - 128) / 128;
    case 16: return (at) => view.getInt16(at, true) / 2 ** 15;
    case 24: return (at) => (view.getInt8(at + 2) * 2 ** 16 + view.getUint16(at, true)) / 2 ** 23;
    default: return (at) => view.getInt32(at, true) / 2 ** 31;
  }
}

/** Writes a sample at an offset; integers are rounded, and limited to their range. */
function writerOf(view: DataView, encoding: AudioEncoding, bits: number): (at: number, value: number) => void {
  if (encoding === 'pcm_f') {
    return bits === 32 ? (at, value) => view.setFloat32(at, value, true) : (at, value) => view.setFloat64(at, value, true);
  }
  const scale = 2 ** (bits - 1);
  const whole = (value: number) => Math.min(Math.max(Math.floor(value * scale + 0.5), -scale), scale - 1) || 0;
  switch (bits) {
    case 8: return (at, value) => view.setUint8(at, whole(value) + scale);
    case 16: return (at, value) => view.setInt16(at, whole(value), true);
    case 24: return (at, value) => {
      view.setUint16(at, whole(value) & 0xffff, true);
      view.setInt8(at + 2, whole(value) >> 16);
    };
    default: return (at, value) => view.setInt32(at, whole(value), true);
  }
}

/** The bytes of a file with these samples, one of each channel after another. */
export function fileOf(op: string, about: AudioMetaData, samples: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const { sampleRate, numChannels, bitsPerSample, encoding } = about;
  const code = encoding === 'pcm_f' ? FLOAT : PCM;
  // Programs expect the extensible form for more than two channels.
  const isExtensible = numChannels > 2;
  const formatSize = isExtensible ? 40 : 16;
  const [block, size] = [(numChannels * bitsPerSample) / 8, (samples.length * bitsPerSample) / 8];
  const riff = size + (size % 2) + 20 + formatSize;
  if (riff > UNKNOWN || numChannels > 0xffff || sampleRate > UNKNOWN) {
    throw refuse(op, 'a WAV file has up to 4 GiB, 65535 channels and 4294967295 samples a second');
  }
  const bytes = new Uint8Array(riff + 8);
  const view = new DataView(bytes.buffer);
  const text = (at: number, name: string) => bytes.set([...name].map((letter) => letter.charCodeAt(0)), at);
  text(0, 'RIFF');
  view.setUint32(4, riff, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, formatSize, true);
  view.setUint16(20, isExtensible ? EXTENSIBLE : code, true);
  view.setUint16(22, numChannels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, (sampleRate * block) % 2 ** 32, true);
  view.setUint16(32, block, true);
  view.setUint16(34, bitsPerSample, true);
  if (isExtensible) {
    view.setUint16(36, 22, true);
    view.setUint16(38, bitsPerSample, true);
    view.setUint16(44, code, true);
    bytes.set(SUBFORMAT, 46);
  }
  text(20 + formatSize, 'data');
  view.setUint32(24 + formatSize, size, true);
  const write = writerOf(view, encoding, bitsPerSample);
  for (let index = 0; index < samples.length; index++) write(28 + formatSize + (index * bitsPerSample) / 8, samples[index]!);
  return bytes;
}

registerHelpers([refuse]);
