/** A request of a file, or of its rest, and the part of the answer that matters. */

/** An answer. */
export interface Answer {
  status: number;
  statusText: string;
  headers: Headers;
  /** The offset of the first byte. */
  start: number;
  /** The length of the whole file, if the server announces it. */
  total: number | undefined;
  /** The tag of the version, or null. */
  etag: string | null;
  /** Whether the bytes were compressed for the transport. */
  isEncoded: boolean;
  /** The SHA-256 that a hub announces for a large file. */
  sha256: string | undefined;
  /** The bytes, in pieces that stay valid. */
  body(): AsyncGenerator<Uint8Array<ArrayBuffer>>;
  cancel(): void;
}

/** The most redirects that are followed. */
const REDIRECTS = 8;

const isRedirect = (status: number) => status >= 300 && status < 400 && status !== 304;

/**
 * Answers along redirects. A page follows them itself and sees only the last answer. Elsewhere they
 * are followed here, because the hub announces the digest in the first one.
 */
async function follow(url: URL, init: RequestInit): Promise<{ response: Response; seen: Headers[] }> {
  if ((globalThis as { location?: unknown }).location !== undefined) {
    const response = await fetch(url, init);
    return { response, seen: [response.headers] };
  }
  const seen: Headers[] = [];
  let [address, headers] = [url, new Headers(init.headers)];
  for (let hops = 0; hops <= REDIRECTS; hops += 1) {
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    seen.push(response.headers);
    const target = response.headers.get('location');
    if (!isRedirect(response.status) || target === null) return { response, seen };
    await response.body?.cancel();
    const next = new URL(target, address);
    headers = new Headers(headers);
    // A token is for its own server.
    if (next.origin !== address.origin) headers.delete('authorization');
    address = next;
  }
  throw new Error(`more than ${REDIRECTS} redirects`);
}

const unquote = (tag: string | null | undefined) => tag?.replace(/^W\//, '').replace(/^"|"$/g, '');

/** Sends a request for the bytes of a file from an offset on. */
export async function answerOf(
  method: 'GET' | 'HEAD', url: URL, start: number, headers: Readonly<Record<string, string>>, signal: AbortSignal | undefined,
): Promise<Answer> {
  const init: RequestInit = { method, headers: { ...headers, ...(start > 0 && { Range: `bytes=${start}-` }) } };
  if (signal) init.signal = signal;
  const { response, seen } = await follow(url, init);
  const first = (name: string) => seen.map((each) => each.get(name)).find((value) => value !== null);
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '');
  const isEncoded = (response.headers.get('content-encoding') ?? 'identity') !== 'identity';
  const length = isEncoded ? null : response.headers.get('content-length');
  const linked = unquote(first('x-linked-etag'));
  const offset = response.status === 206 ? Number(range?.[1] ?? start) : 0;
  return {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    start: offset,
    total: range && range[2] !== '*' ? Number(range[2]) : length === null ? undefined : offset + Number(length),
    etag: response.headers.get('etag'),
    isEncoded,
    sha256: linked !== undefined && /^[0-9a-f]{64}$/.test(linked) ? linked : undefined,
    body: () => bodyOf(response),
    cancel: () => void response.body?.cancel().catch(() => undefined),
  };
}

async function* bodyOf(response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value as Uint8Array<ArrayBuffer>;
  } finally {
    reader.releaseLock();
  }
}
