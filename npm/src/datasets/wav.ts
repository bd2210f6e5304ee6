/** Sounds in WAV (RIFF) with integers of 16 bits, the form of Speech Commands. */
import { LanthornError } from '../core/errors.js';
import { HostArray } from '../data/host-array.js';

/** A sound: float32 `[channels, time]`, from -1 to 1. */
export interface Sound {
  waveform: HostArray<Float32Array>;
  sampleRate: number;
}

const FULL = 32_768;
const textAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));

/** The sound in a file. */
export function readWav(bytes: Uint8Array): Sound {
  const refuse = (message: string) => new LanthornError('file', 'SPEECHCOMMANDS', message);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || textAt(bytes, 0) !== 'RIFF' || textAt(bytes, 8) !== 'WAVE') throw refuse('a sound is not WAV');
  let [channels, sampleRate] = [0, 0];
  for (let at = 12; at + 8 <= bytes.length;) {
    const [kind, size] = [textAt(bytes, at), view.getUint32(at + 4, true)];
    const start = at + 8;
    if (start + size > bytes.length) throw refuse(`a sound ends within its part ${kind}`);
    if (kind === 'fmt ') {
      if (size < 16 || view.getUint16(start, true) !== 1 || view.getUint16(start + 14, true) !== 16) throw refuse('a sound has other samples than integers of 16 bits');
      [channels, sampleRate] = [view.getUint16(start + 2, true), view.getUint32(start + 4, true)];
    }
    if (kind === 'data') {
      if (channels === 0) throw refuse('a sound has its samples before its format');
      const time = Math.floor(size / (2 * channels));
      const samples = new Float32Array(channels * time);
      for (let index = 0; index < samples.length; index += 1) {
        samples[index] = view.getInt16(start + 2 * ((index % time) * channels + Math.floor(index / time)), true) / FULL;
      }
      return { waveform: new HostArray(samples, [channels, time]), sampleRate };
    }
    at = start + size + (size % 2);
  }
  throw refuse('a sound has no samples');
}
