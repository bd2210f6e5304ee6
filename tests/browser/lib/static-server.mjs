/** Serves a folder on 127.0.0.1, on a free port. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve, sep } from 'node:path';
import { hasScripts, withScripts } from './webkit/documents.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  // Without this type a browser refuses to compile the module while it is loading.
  '.wasm': 'application/wasm',
};

/** The headers of pages that may share memory with their workers: those that are cross-origin isolated. */
export const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/**
 * Resolves to the URL of the served folder and a function that stops the server. `mounts` are
 * further folders, by the first segment of their path: `{ npm: folder }` is served under /npm/.
 * Every response has `headers`.
 */
export async function serveFolder(folder, mounts = {}, headers = {}) {
  const root = resolve(folder);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const [, first, rest] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
    const found = Object.hasOwn(mounts, first) ? await fileFor(resolve(mounts[first]), rest) : await fileFor(root, pathname);
    if (!found) {
      response.writeHead(404).end('not found');
      return;
    }
    const type = extname(found.file);
    const document = type === '.html' && hasScripts() ? Buffer.from(withScripts(await readFile(found.file, 'utf8'))) : undefined;
    response.writeHead(200, {
      ...headers,
      'content-type': TYPES[type] ?? 'application/octet-stream',
      'content-length': document?.length ?? found.size,
      'cache-control': 'no-store',
    });
    if (document) response.end(document);
    else createReadStream(found.file).pipe(response);
  });
  await new Promise((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const close = () =>
    new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

async function fileFor(root, pathname) {
  let file;
  try {
    file = normalize(join(root, decodeURIComponent(pathname)));
  } catch {
    return undefined;
  }
  if (file !== root && !file.startsWith(root + sep)) {
    return undefined;
  }
  for (const candidate of [file, join(file, 'index.html')]) {
    const entry = await stat(candidate).catch(() => undefined);
    if (entry?.isFile()) {
      return { file: candidate, size: entry.size };
    }
  }
  return undefined;
}
