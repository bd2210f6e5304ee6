/** Archives of zip, with zip64, whose files are stored or compressed by deflate. */
import { LanthornError } from '../core/errors.js';
import { readingOf, type Source } from '../io/source.js';
import { inflateRaw } from './bytes.js';

const OP = 'readZip';
/** The signatures of the parts. */
const [LOCAL, CENTRAL, END, END_64, LOCATOR_64] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];
/** The end of the directory without its comment, which has at most 65535 bytes. */
const END_SIZE = 22;
const COMMENT_LIMIT = 65_535;
const LOCATOR_SIZE = 20;
/** The sizes that zip64 has instead. */
const [WIDE_16, WIDE_32] = [0xffff, 0xffffffff];

/** A file of an archive. */
export interface ZipEntry {
  /** Its path in the archive. */
  name: string;
  /** Its bytes. */
  size: number;
  /** Reads the bytes. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

const refuse = (message: string) => new LanthornError('file', OP, message);

async function range(source: Source, start: number, end: number, what: string): Promise<DataView> {
  const reading = readingOf(source, undefined, undefined);
  try {
    await reading.length();
    const bytes = await reading.part(start, end, what);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  } finally {
    await reading.close();
  }
}

async function lengthOf(source: Source): Promise<number> {
  const reading = readingOf(source, undefined, undefined);
  try {
    return await reading.length();
  } finally {
    await reading.close();
  }
}

function wide(view: DataView, at: number): number {
  const value = Number(view.getBigUint64(at, true));
  if (!Number.isSafeInteger(value)) throw refuse('an offset is too large');
  return value;
}

/** The offsets of the directory's start and end, and the number of its entries. */
async function findDirectory(source: Source, length: number): Promise<[start: number, end: number, count: number]> {
  const from = Math.max(0, length - END_SIZE - COMMENT_LIMIT - LOCATOR_SIZE);
  const tail = await range(source, from, length, 'the directory');
  let at = tail.byteLength - END_SIZE;
  while (at >= 0 && tail.getUint32(at, true) !== END) at -= 1;
  if (at < 0) throw refuse('the file has no directory: it ends early, or is no archive');
  const [count, size, start] = [tail.getUint16(at + 10, true), tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)];
  if (count !== WIDE_16 && size !== WIDE_32 && start !== WIDE_32) return [start, start + size, count];
  const locator = at - LOCATOR_SIZE;
  if (locator < 0 || tail.getUint32(locator, true) !== LOCATOR_64) throw refuse('the directory has no offset');
  const offset = wide(tail, locator + 8);
  const end64 = await range(source, offset, offset + 56, 'the directory');
  if (end64.getUint32(0, true) !== END_64) throw refuse('the directory has no offset');
  const first = wide(end64, 48);
  return [first, first + wide(end64, 40), wide(end64, 32)];
}

/** The sizes and the offset of an entry that zip64 has in its extra field. */
function widen(view: DataView, at: number, length: number, values: number[]): number[] {
  if (!values.includes(WIDE_32)) return values;
  for (let field = at; field + 4 <= at + length;) {
    const [kind, size] = [view.getUint16(field, true), view.getUint16(field + 2, true)];
    let next = field + 4;
    if (kind === 1) {
      return values.map((value) => {
        if (value !== WIDE_32) return value;
        if (next + 8 > field + 4 + size) throw refuse('the sizes of a file are missing');
        next += 8;
        return wide(view, next - 8);
      });
    }
    field = next + size;
  }
  throw refuse('the sizes of a file are missing');
}

/**
 * The files of an archive of zip, in the order of its directory. Only the directory is read at
 * first, and then the bytes of each file that is asked for. Folders are left out.
 *
 * @throws a LanthornError of kind `file`, if the archive ends early, is damaged or encrypted, or
 * has another method than deflate.
 *
 * @example
 * for (const { name, bytes } of await readZip('pictures.zip')) console.log(name, await bytes());
 */
export async function readZip(source: Source): Promise<ZipEntry[]> {
  const length = await lengthOf(source);
  if (length < END_SIZE) throw refuse('the file has no directory: it ends early, or is no archive');
  const [start, end, count] = await findDirectory(source, length);
  if (!(start <= end && end <= length)) throw refuse('the directory lies outside of the file');
  const view = await range(source, start, end, 'the directory');
  const entries: ZipEntry[] = [];
  for (let at = 0, index = 0; index < count; index += 1) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== CENTRAL) throw refuse('the directory is damaged');
    const [names, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [number, number, number];
    if (at + 46 + names + extra + comment > view.byteLength) throw refuse('the directory is damaged');
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, names));
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    // Without the offset, if it fits: the fields are in this order, and only those that do not fit.
    const sizes = [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
    const [size, packed, offset] = widen(view, at + 46 + names, extra, sizes) as [number, number, number];
    if (!name.endsWith('/')) entries.push({ name, size, bytes: () => content(source, { name, size, packed, offset, flags, method }) });
    at += 46 + names + extra + comment;
  }
  return entries;
}

interface Packed {
  name: string;
  size: number;
  packed: number;
  offset: number;
  flags: number;
  method: number;
}

async function content(source: Source, { name, size, packed, offset, flags, method }: Packed): Promise<Uint8Array<ArrayBuffer>> {
  if (flags & 1) throw refuse(`${name} is encrypted`);
  const header = await range(source, offset, offset + 30, name);
  if (header.getUint32(0, true) !== LOCAL) throw refuse(`${name} is not where the directory has it`);
  const start = offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const view = await range(source, start, start + packed, name);
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  if (method !== 0 && method !== 8) throw refuse(`${name} is compressed by method ${method}; only deflate is known`);
  const plain = method === 0 ? bytes : await inflateRaw(OP, bytes);
  if (plain.length !== size) throw refuse(`${name} has ${plain.length} bytes, and its entry announces ${size}`);
  return plain as Uint8Array<ArrayBuffer>;
}
