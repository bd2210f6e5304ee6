/**
 * A server that behaves as a hub and as the servers of data sets do: redirects to another origin,
 * ranges, tags, tokens, pointers of Git LFS, and answers that fail. Every request is recorded.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const listen = (server) => new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const close = (server) => new Promise((closed) => {
  server.close(closed);
  server.closeAllConnections();
});

/** Answers with a file, or with the range that is asked for. */
function sendFile(request, response, bytes, { etag, cut, isWithoutRanges, isWithoutTag } = {}) {
  const tag = etag ?? `"${createHash('md5').update(bytes).digest('hex')}"`;
  const range = isWithoutRanges ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = range ? Number(range[1]) : 0;
  const end = range?.[2] ? Math.min(bytes.length, Number(range[2]) + 1) : bytes.length;
  if (range && start >= bytes.length) return response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
  const headers = { 'content-length': end - start, ...(!isWithoutTag && { etag: tag }), ...(range && { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }) };
  response.writeHead(range ? 206 : 200, headers);
  if (request.method === 'HEAD') return response.end();
  if (!cut) return response.end(bytes.subarray(start, end));
  response.write(bytes.subarray(start, Math.min(end, start + cut)), () => setTimeout(() => response.destroy(), 30));
}

/**
 * Starts the server and, at another origin, the one that it redirects large files to. `files` are
 * bytes by path, as `owner/name/resolve/main/config.json`; a path may have a function that answers.
 */
export async function serveHub(files = {}) {
  const requests = [];
  const answer = (isLarge) => (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1);
    if (request.method === 'OPTIONS') return response.writeHead(204, allowed).end();
    for (const [name, value] of Object.entries(hub.isClosed ? {} : allowed)) response.setHeader(name, value);
    requests.push({ method: request.method, path, range: request.headers.range, token: request.headers.authorization, isLarge });
    const file = hub.files[path];
    if (typeof file === 'function') return file(request, response, requests.filter((each) => each.path === path).length);
    if (file === undefined) return response.writeHead(404, { 'x-error-message': 'Entry not found' }).end();
    sendFile(request, response, file);
  };
  const allowed = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'authorization, range',
    'access-control-expose-headers': 'content-range, etag, retry-after, x-linked-etag, x-linked-size, x-error-message',
  };
  const [server, large] = [createServer(answer(false)), createServer(answer(true))];
  await Promise.all([listen(server), listen(large)]);
  const originOf = (each) => `http://127.0.0.1:${each.address().port}`;
  const hub = {
    files,
    requests,
    origin: originOf(server),
    isClosed: false,
    /** The paths of the requests since the last call. */
    paths: () => requests.splice(0).map(({ path }) => path),
    close: () => Promise.all([close(server), close(large)]),
    /** Answers with a redirect to the other origin, as the hub does with large files. */
    redirect: (bytes, path) => {
      hub.files[path] = bytes;
      const digest = createHash('sha256').update(bytes).digest('hex');
      return (_, response) => response.writeHead(302, {
        location: `${originOf(large)}/${path}`, 'x-linked-etag': `"${digest}"`, 'x-linked-size': bytes.length, etag: `"${digest}"`,
      }).end();
    },
    /** Breaks the connection after `cut` bytes, each of the first `times` times. */
    breaking: (bytes, cut, times, options = {}) => (request, response, count) =>
      sendFile(request, response, bytes, { ...options, cut: count <= times ? cut : undefined }),
    /** Answers with a status each of the first `times` times. */
    failing: (bytes, status, times, headers = {}) => (request, response, count) =>
      (count <= times ? response.writeHead(status, headers).end() : sendFile(request, response, bytes)),
    /** Answers 401 to requests without the token. */
    guarded: (bytes, token) => (request, response) =>
      (request.headers.authorization === `Bearer ${token}` ? sendFile(request, response, bytes) : response.writeHead(401).end()),
    /** Answers without ranges. */
    plain: (bytes) => (request, response) => sendFile(request, response, bytes, { isWithoutRanges: true }),
  };
  return hub;
}
