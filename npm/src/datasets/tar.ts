/** Archives of tar (POSIX ustar and pax, and GNU's long names), also compressed by gzip. */
import { LanthornError } from '../core/errors.js';
import type { Reading, Source } from '../io/source.js';
import { plainReading } from './bytes.js';

const OP = 'readTar';
const BLOCK = 512;
/** The longest name of a file, and the most bytes of its attributes. */
const HEADER_LIMIT = 1 << 20;

/** A file of an archive. */
export interface TarEntry {
  /** Its path in the archive. */
  name: string;
  /** Its bytes. */
  size: number;
  /** Reads the bytes; only until the next entry is asked for. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

const refuse = (message: string) => new LanthornError('file', OP, message);

function text(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

/** A number in octal digits, or in base 256 if the first bit is set. */
function number(header: Uint8Array, start: number, length: number): number {
  const field = header.subarray(start, start + length);
  if (field[0]! & 0x80) return field.reduce((value, byte, index) => value * 256 + (index === 0 ? byte & 0x7f : byte), 0);
  const digits = text(header, start, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw refuse(`the header has ${JSON.stringify(digits)} where an octal number belongs`);
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** Checks the sum of a header's bytes, in which the sum itself counts as spaces. */
function checkSum(header: Uint8Array): void {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== number(header, 148, 8)) throw refuse('a header has a wrong sum: the file is damaged, or no archive');
}

/** Attributes of pax: records of a length, a space, a key, an equals sign and a value. */
function attributes(bytes: Uint8Array): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const length = space < 0 ? 0 : Number(text(bytes, at, space - at));
    if (!(length > 0) || at + length > bytes.length) throw refuse('the attributes of a file are damaged');
    const record = new TextDecoder().decode(bytes.subarray(space + 1, at + length - 1));
    const equals = record.indexOf('=');
    found.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return found;
}

const padSize = (size: number) => Math.ceil(size / BLOCK) * BLOCK;

async function small(reading: Reading, size: number): Promise<Uint8Array> {
  if (size > HEADER_LIMIT) throw refuse(`a name or an attribute has ${size} bytes`);
  const bytes = (await reading.take(size, 'a header')).slice();
  await reading.skipTo(reading.position + padSize(size) - size, 'a header');
  return bytes;
}

/**
 * The files of an archive of tar, one after the other, as they are read. The archive may be
 * compressed by gzip. Folders and links are left out.
 *
 * @throws a LanthornError of kind `file`, if the archive ends early or is damaged.
 *
 * @example
 * for await (const { name, bytes } of readTar('pictures.tar.gz')) console.log(name, await bytes());
 */
export async function* readTar(source: Source): AsyncGenerator<TarEntry> {
  const reading = await plainReading(OP, source);
  try {
    yield* entriesOf(reading);
  } finally {
    await reading.close();
  }
}

async function* entriesOf(reading: Reading): AsyncGenerator<TarEntry> {
  let [longName, known] = [undefined as string | undefined, new Map<string, string>()];
  for (;;) {
    const header = (await reading.peek(BLOCK)).slice();
    // Two empty blocks end an archive; some programs write none.
    if (header.length === 0) return;
    if (header.length === BLOCK && header.every((byte) => byte === 0)) {
      // The rest has the sum of compressed data.
      for await (const piece of reading.pieces()) void piece;
      return;
    }
    await reading.take(BLOCK, 'a header');
    checkSum(header);
    const type = String.fromCharCode(header[156]!);
    const size = Number(known.get('size') ?? number(header, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0) throw refuse('a file has a size that is no number');
    if (type === 'L' || type === 'x') {
      const bytes = await small(reading, size);
      if (type === 'L') longName = text(bytes, 0, bytes.length);
      else known = attributes(bytes);
      continue;
    }
    const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
    const name = known.get('path') ?? longName ?? (prefix === '' ? '' : `${prefix}/`) + text(header, 0, 100);
    [longName, known] = [undefined, new Map()];
    const start = reading.position;
    if (type === '0' || type === '\0' || type === '7') yield entryOf(reading, name, start, size);
    await reading.skipTo(start + padSize(size), name);
  }
}

function entryOf(reading: Reading, name: string, start: number, size: number): TarEntry {
  const bytes = async () => {
    if (reading.position !== start) throw new LanthornError('argument', OP, `${name} was read already, or the next file was asked for`);
    return (await reading.take(size, name)).slice();
  };
  return { name, size, bytes };
}
