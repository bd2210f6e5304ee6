/**
 * A server of files that misbehaves on request, by the first segment of a path: the failures of
 * loading over a network.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const FILES = fileURLToPath(new URL('../../pytorch/files/', import.meta.url));

/** A safetensors file of a small tensor, one of 8 MiB, and another small one. */
function large() {
  const size = 8 << 20;
  const row = (start, end) => ({ dtype: 'F32', shape: [(end - start) / 4], data_offsets: [start, end] });
  const header = JSON.stringify({ first: row(0, 16), big: row(16, 16 + size), last: row(16 + size, 32 + size) });
  const file = Buffer.alloc(8 + header.length + size + 32);
  file.writeBigUInt64LE(BigInt(header.length));
  file.write(header, 8);
  [1, 2, 3, 4].forEach((value, index) => file.writeFloatLE(value, file.length - 16 + 4 * index));
  return file;
}

const MADE = {
  'large.safetensors': large(),
  'a.safetensors': oneTensor('a', 1),
  'b.safetensors': oneTensor('b', 2),
  'model.safetensors.index.json': Buffer.from('{"metadata":{},"weight_map":{"a":"a.safetensors","b":"b.safetensors"}}'),
  'wrong.safetensors.index.json': Buffer.from('{"weight_map":{"a":"a.safetensors","c":"b.safetensors"}}'),
  empty: Buffer.alloc(0),
};

function oneTensor(name, value) {
  const header = JSON.stringify({ [name]: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } });
  const file = Buffer.alloc(8 + header.length + 4);
  file.writeBigUInt64LE(BigInt(header.length));
  file.write(header, 8);
  file.writeFloatLE(value, file.length - 4);
  return file;
}

/** Responses by the first segment of the path. */
const WAYS = {
  /** With ranges, as static servers do. */
  file(request, response, bytes, count) {
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (first === undefined) return WAYS.plain(request, response, bytes, count);
    const start = Number(first);
    const end = Math.min(bytes.length, last ? Number(last) + 1 : Infinity);
    if (start >= bytes.length) return response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    response.writeHead(206, { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}`, 'content-length': end - start, etag: '"1"' });
    count(end - start);
    return response.end(bytes.subarray(start, end));
  },
  /** Without ranges, in two pieces. */
  plain(_, response, bytes, count) {
    count(bytes.length);
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2));
    setTimeout(() => response.end(bytes.subarray(bytes.length / 2)), 200);
  },
  /** Without a length. */
  chunked(_, response, bytes) {
    response.writeHead(200);
    response.write(bytes.subarray(0, 100));
    setTimeout(() => response.end(bytes.subarray(100)), 20);
  },
  /** The connection breaks in the middle. */
  truncated(_, response, bytes) {
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  },
  /** Less than the file, with a length that agrees. */
  short(_, response, bytes) {
    response.writeHead(200, { 'content-length': bytes.length - 10 }).end(bytes.subarray(0, -10));
  },
  /** The second range belongs to another file. */
  changing(request, response, bytes) {
    const isFirst = request.headers.range?.startsWith('bytes=0-');
    response.writeHead(isFirst ? 206 : 200, isFirst ? { 'content-range': `bytes 0-65535/${bytes.length}` } : {});
    response.end(isFirst ? bytes.subarray(0, 65536) : bytes);
  },
  /** Half of the file, and then nothing. */
  stalled(_, response, bytes) {
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2));
  },
  /** Checkpoints of old versions. */
  old(request, response, bytes, count) {
    return WAYS.plain(request, response, bytes, count);
  },
  failing(_, response) {
    response.writeHead(500).end();
  },
};

/**
 * Serves the files written by PyTorch, and some others, to pages of other origins; `sent()` returns
 * the bytes sent since its last call.
 */
export async function serveFiles() {
  let sent = 0;
  const server = createServer(async (request, response) => {
    const [, way, name] = new URL(request.url, 'http://localhost').pathname.split('/');
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'range');
    response.setHeader('access-control-expose-headers', 'content-range, etag');
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    const bytes = MADE[name] ?? (await readFile(`${FILES}${way === 'old' ? '../old/' : ''}${name}`).catch(() => undefined));
    if (!bytes || !Object.hasOwn(WAYS, way)) return response.writeHead(404).end('not found');
    return WAYS[way](request, response, bytes, (count) => { sent += count; });
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    sent: () => [sent, (sent = 0)][0],
    close: () => new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    }),
  };
}
