/** Files of large weights in every format that `load` reads, written without the package. */
import { crc32, deflateRawSync } from 'node:zlib';
import { closeSync, openSync, writeSync } from 'node:fs';

/** A tensor: 4 MiB of float32. */
const ELEMENTS = 1 << 20;
const BYTES = 4 * ELEMENTS;
/** The number of tensors, if no other is given. */
const COUNT = 32;

const namesOf = (count) => Array.from({ length: count }, (_, index) => `w${index}`);

/** The bytes of the weights of a number of tensors. */
export const weightsOf = (count = COUNT) => count * BYTES;

/** The elements of a tensor: numbers from its index to the next, which repeat. */
function elements(index) {
  const numbers = new Float32Array(ELEMENTS);
  for (let at = 0; at < ELEMENTS; at += 1) numbers[at] = index + ((at * 2654435761) % 4096) / 4096;
  return Buffer.from(numbers.buffer);
}

const u16 = (value) => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value) => Buffer.concat([Buffer.from('X'), u32(value.length), Buffer.from(value)]);
const int = (value) => Buffer.concat([Buffer.from('J'), u32(value)]);
const op = (value) => Buffer.from(value, 'latin1');

/** The pickle of a dictionary of the tensors; `before16` adds the views of old files. */
function pickle(names, before16) {
  const tensor = (name, index) => [
    text(name), op('ctorch._utils\n_rebuild_tensor_v2\n('), op('('), text('storage'), op('ctorch\nFloatStorage\n'),
    text(String(index)), text('cpu'), int(ELEMENTS), op(before16 ? 'NtQ' : 'tQ'), int(0), int(ELEMENTS), op('\x85'), int(1), op('\x85'),
    op('\x89ccollections\nOrderedDict\n)RtR'),
  ];
  return Buffer.concat([op('\x80\x02}('), ...names.flatMap(tensor), op('u.')]);
}

/** An archive of entries, of which each is made when it is written. */
function* archive(entries) {
  const directory = [];
  let at = 0;
  for (const [name, make, deflates] of entries) {
    const content = make();
    const stored = deflates ? deflateRawSync(content, { level: 1 }) : content;
    const common = Buffer.concat([
      u16(20), u16(0), u16(deflates ? 8 : 0), u16(0), u16(0x21), u32(crc32(content)), u32(stored.length), u32(content.length), u16(name.length),
    ]);
    const local = Buffer.concat([u32(0x04034b50), common, u16(0), Buffer.from(name)]);
    directory.push(Buffer.concat([u32(0x02014b50), u16(20), common, Buffer.alloc(12), u32(at), Buffer.from(name)]));
    at += local.length + stored.length;
    yield* [local, stored];
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  yield* [...directory, u32(0x06054b50), u32(0), u16(directory.length), u16(directory.length), u32(size), u32(at), u16(0)];
}

function npy(index) {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${ELEMENTS},), }`.padEnd(117) + '\n';
  return Buffer.concat([op('\x93NUMPY\x01\x00'), u16(header.length), Buffer.from(header), elements(index)]);
}

const FILES = {
  * safetensors(names) {
    const row = (name, index) => [name, { dtype: 'F32', shape: [ELEMENTS], data_offsets: [index * BYTES, (index + 1) * BYTES] }];
    const header = Buffer.from(JSON.stringify(Object.fromEntries(names.map(row))));
    yield* [u64(header.length), header];
    for (let index = 0; index < names.length; index += 1) yield elements(index);
  },
  * pt(names) {
    const storages = names.map((_, index) => [`archive/data/${index}`, () => elements(index)]);
    yield* archive([['archive/data.pkl', () => pickle(names, false)], ...storages, ['archive/byteorder', () => Buffer.from('little')]]);
  },
  * legacy(names) {
    yield op('\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}X\x0d\x00\x00\x00little_endian\x88s.');
    yield pickle(names, true);
    yield Buffer.concat([op('\x80\x02]('), ...names.map((_, index) => text(String(index))), op('e.')]);
    for (let index = 0; index < names.length; index += 1) yield* [u64(ELEMENTS), elements(index)];
  },
  * npz(names) {
    yield* archive(names.map((name, index) => [`${name}.npy`, () => npy(index)]));
  },
  * deflate(names) {
    yield* archive(names.map((name, index) => [`${name}.npy`, () => npy(index), true]));
  },
  * gguf(names) {
    const string = (value) => Buffer.concat([u64(value.length), Buffer.from(value)]);
    const row = (name, index) => Buffer.concat([string(name), u32(1), u64(ELEMENTS), u32(0), u64(index * BYTES)]);
    const header = Buffer.concat([op('GGUF'), u32(3), u64(names.length), u64(0), ...names.map(row)]);
    yield* [header, Buffer.alloc((32 - (header.length % 32)) % 32)];
    for (let index = 0; index < names.length; index += 1) yield elements(index);
  },
};

/** The formats, as {@link writeWeights} names them. */
export const FORMATS = Object.keys(FILES);

/** Writes a number of tensors in a format to a file. */
export function writeWeights(format, path, count = COUNT) {
  const file = openSync(path, 'w');
  try {
    for (const piece of FILES[format](namesOf(count))) writeSync(file, piece);
  } finally {
    closeSync(file);
  }
}
