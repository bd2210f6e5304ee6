/** A microphone as a stream of frames. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { registerEntries } from '../core/stack.js';
import { tensor } from '../tensor/from-data.js';
import type { Tensor } from '../tensor/tensor.js';

/** Options of {@link microphone}. */
export interface MicrophoneOptions {
  /** The samples of a channel in a frame (default: 1024). */
  frameLength?: number;
  /** The samples between the beginnings of two frames (default: `frameLength`). */
  hopLength?: number;
  /** The rate to which the browser converts the sound (default: 16000). */
  sampleRate?: number;
  /** The number of channels (default: 1). */
  channels?: number;
  /** The frames that wait for the program; older ones are dropped (default: 64). */
  maxWaiting?: number;
  /** Constraints on the browser's processing, such as `{ echoCancellation: false }`. */
  constraints?: MediaTrackConstraints;
  /** Ends the stream. */
  signal?: AbortSignal;
}

/** The processor on the audio thread: it cuts the sound into frames. */
const PROCESSOR = `
registerProcessor('lanthorn-frames', class extends AudioWorkletProcessor {
  constructor({ processorOptions: { frameLength, hopLength, channels } }) {
    super();
    Object.assign(this, { frameLength, hopLength, channels, filled: 0, skipped: 0, isOpen: true });
    this.frame = new Float32Array(channels * frameLength);
    this.port.onmessage = () => { this.isOpen = false; };
  }
  process([input]) {
    const count = input[0]?.length ?? 0;
    for (let index = 0; index < count; index++) {
      if (this.skipped > 0) { this.skipped--; continue; }
      for (let channel = 0; channel < this.channels; channel++) {
        this.frame[channel * this.frameLength + this.filled] = (input[channel] ?? input[0])[index];
      }
      if (++this.filled === this.frameLength) this.send();
    }
    return this.isOpen;
  }
  send() {
    const { frameLength, hopLength, channels } = this;
    this.port.postMessage(this.frame.slice());
    const kept = Math.max(frameLength - hopLength, 0);
    for (let channel = 0; channel < channels; channel++) {
      this.frame.copyWithin(channel * frameLength, channel * frameLength + frameLength - kept, (channel + 1) * frameLength);
    }
    [this.filled, this.skipped] = [kept, Math.max(hopLength - frameLength, 0)];
  }
});
`;

function refuse(message: string, cause?: unknown): LanthornError {
  return new LanthornError('device', 'microphone', message, { cause });
}

/** The message for an error of the browser, by its name. */
const REASONS: Readonly<Record<string, string>> = {
  NotAllowedError: 'the user or the page has not given permission',
  NotFoundError: 'there is no microphone',
  NotReadableError: 'the microphone is in use by another program',
  OverconstrainedError: 'no microphone satisfies the constraints',
  SecurityError: 'the page may not use the microphone',
};

/**
 * A stream of frames, each a tensor `[channels, frameLength]` of numbers from -1 to 1. It is read
 * by `for await`; the end of the loop stops the microphone.
 */
export class Microphone implements AsyncIterable<Tensor> {
  /** The samples of a channel in a second. */
  readonly sampleRate: number;
  /** The number of frames that were dropped, because the program took too long. */
  dropped = 0;
  readonly #context: AudioContext;
  readonly #stream: MediaStream;
  readonly #node: AudioWorkletNode;
  readonly #options: Required<Pick<MicrophoneOptions, 'frameLength' | 'channels' | 'maxWaiting'>>;
  #waiting: Float32Array[] = [];
  #wake: (() => void) | undefined;
  #isOpen = true;

  /** @internal */
  constructor(
    context: AudioContext,
    stream: MediaStream,
    node: AudioWorkletNode,
    options: Required<Pick<MicrophoneOptions, 'frameLength' | 'channels' | 'maxWaiting'>>,
  ) {
    this.#context = context;
    this.#stream = stream;
    this.#node = node;
    this.#options = options;
    this.sampleRate = context.sampleRate;
    node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => this.#take(data);
    // A device that is unplugged ends the stream.
    for (const track of stream.getAudioTracks()) track.onended = () => this.stop();
  }

  #take(frame: Float32Array): void {
    if (!this.#isOpen) return;
    this.#waiting.push(frame);
    if (this.#waiting.length > this.#options.maxWaiting) {
      this.#waiting.shift();
      this.dropped++;
    }
    this.#wake?.();
  }

  /** Stops the microphone and ends the stream. */
  stop(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const track of this.#stream.getTracks()) track.stop();
    this.#node.port.postMessage('stop');
    this.#node.disconnect();
    void this.#context.close();
    this.#waiting = [];
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Tensor, void, undefined> {
    const { channels, frameLength } = this.#options;
    try {
      while (this.#isOpen) {
        const frame = this.#waiting.shift();
        if (frame) {
          yield tensor(frame, { shape: [channels, frameLength] });
          continue;
        }
        await new Promise<void>((resolve) => { this.#wake = resolve; });
        this.#wake = undefined;
      }
    } finally {
      this.stop();
    }
  }
}

function checkSize(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new LanthornError('argument', 'microphone', `${name} must be a whole number of at least 1, not ${String(value)}`);
}

/** Opens the device, after the browser has asked the user. */
async function openStream(channels: number, constraints: MediaTrackConstraints): Promise<MediaStream> {
  const devices = (globalThis as { navigator?: { mediaDevices?: MediaDevices } }).navigator?.mediaDevices;
  if (!devices) throw refuse('there is none here: it is part of pages that are loaded over https or from localhost');
  try {
    return await devices.getUserMedia({ audio: { channelCount: channels, ...constraints } });
  } catch (error) {
    const { name, message } = error as { name?: string; message?: string };
    throw refuse(REASONS[name ?? ''] ?? message ?? String(error), error);
  }
}

/** Loads the processor into a context. */
async function loadProcessor(context: AudioContext): Promise<void> {
  const address = URL.createObjectURL(new Blob([PROCESSOR], { type: 'text/javascript' }));
  try {
    await context.audioWorklet.addModule(address);
  } catch (error) {
    throw refuse('the page cannot load the AudioWorklet: its Content-Security-Policy must allow scripts of blob:', error);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * Opens the microphone: the browser asks the user for permission. The stream is read by
 * `for await`, and {@link Microphone.stop} ends it.
 *
 * @throws `device` without a microphone or without permission.
 *
 * @example
 * const stream = await microphone({ sampleRate: 16000, frameLength: 1600 });
 * for await (const frame of stream) {
 *   console.log(frame.shape); // [1, 1600]
 *   break;
 * }
 */
export async function microphone(options: MicrophoneOptions = {}): Promise<Microphone> {
  const names = ['frameLength', 'hopLength', 'sampleRate', 'channels', 'maxWaiting', 'constraints', 'signal'];
  const given = checkOptions('microphone', options, names);
  const frameLength = checkSize('frameLength', given.frameLength ?? 1024);
  const hopLength = checkSize('hopLength', given.hopLength ?? frameLength);
  const channels = checkSize('channels', given.channels ?? 1);
  const maxWaiting = checkSize('maxWaiting', given.maxWaiting ?? 64);
  const sampleRate = checkSize('sampleRate', given.sampleRate ?? 16000);
  given.signal?.throwIfAborted();
  const stream = await openStream(channels, given.constraints ?? {});
  const context = new AudioContext({ sampleRate });
  try {
    await loadProcessor(context);
    const processorOptions = { frameLength, hopLength, channels };
    const node = new AudioWorkletNode(context, 'lanthorn-frames', {
      numberOfOutputs: 0, channelCount: channels, channelCountMode: 'explicit', processorOptions,
    });
    context.createMediaStreamSource(stream).connect(node);
    // A context begins suspended where the user has not touched the page. It is not waited for.
    void context.resume();
    const opened = new Microphone(context, stream, node, { frameLength, channels, maxWaiting });
    given.signal?.addEventListener('abort', () => opened.stop(), { once: true });
    return opened;
  } catch (error) {
    for (const track of stream.getTracks()) track.stop();
    void context.close();
    throw error;
  }
}

registerEntries([microphone]);
