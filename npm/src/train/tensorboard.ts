/**
 * The records of TensorBoard's event files. Sources: TensorFlow's `event.proto` and `summary.proto`
 * for the fields, and its documentation of TFRecord for the checksums.
 */
import type { Values } from './task.js';

/** CRC-32C's polynomial, with its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** The masked CRC-32C of a record. */
export function maskedCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** A record: its length, the checksum of the length, the data, and their checksum. */
export function recordOf(data: Uint8Array): Uint8Array {
  const record = new Uint8Array(data.length + 16);
  const view = new DataView(record.buffer);
  view.setUint32(0, data.length, true);
  view.setUint32(8, maskedCrc(record.subarray(0, 8)), true);
  record.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc(data), true);
  return record;
}

/** A message of protobuf, field by field. */
class Message {
  readonly #bytes: number[] = [];

  varint(field: number, value: number): this {
    this.#bytes.push(field << 3);
    return this.#number(value);
  }

  double(field: number, value: number): this {
    this.#bytes.push((field << 3) | 1, ...new Uint8Array(Float64Array.of(value).buffer));
    return this;
  }

  float(field: number, value: number): this {
    this.#bytes.push((field << 3) | 5, ...new Uint8Array(Float32Array.of(value).buffer));
    return this;
  }

  bytes(field: number, value: Uint8Array): this {
    this.#bytes.push((field << 3) | 2);
    this.#number(value.length);
    for (const byte of value) this.#bytes.push(byte);
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  #number(value: number): this {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) + 128);
    this.#bytes.push(rest);
    return this;
  }
}

/** An event: the version of the file, or the scalars of a step. */
export function eventOf(event: { time: number; version?: string; step?: number; values?: Values }): Uint8Array {
  const message = new Message().double(1, event.time);
  if (event.step !== undefined) message.varint(2, event.step);
  if (event.version !== undefined) message.text(3, event.version);
  if (event.values === undefined) return message.done();
  const summary = new Message();
  for (const [tag, value] of Object.entries(event.values)) summary.bytes(1, new Message().text(1, tag).float(2, value).done());
  return message.bytes(5, summary.done()).done();
}
