/** The requests of one download. */
import type { LoadProgress } from '../io/options.js';
import { DownloadError, type DownloadReason } from './errors.js';
import { answerOf, type Answer } from './request.js';
import type { FileStore, Stored } from './store.js';

/** The bytes of a part: at most as many are lost if the program ends. */
const PART = 8 << 20;
/** The longest time in seconds that a server may ask to wait. */
const WAIT_LIMIT = 60;
const RETRIES = 4;

/** Options of a transfer. */
export interface TransferOptions {
  op: string;
  url: URL;
  name: string;
  headers?: Readonly<Record<string, string>> | undefined;
  retries?: number | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Whether a break may be continued without the server's ETag: the file's digest is known. */
  md5?: string | undefined;
  sha256?: string | undefined;
}

/** A failure after which the request is repeated. */
class Repeat extends Error {
  readonly failure: DownloadError;
  /** The time to wait in seconds, if the server named one. */
  readonly wait: number | undefined;

  constructor(failure: DownloadError, wait?: number) {
    super(failure.message);
    this.failure = failure;
    this.wait = wait;
  }
}

/** The reason of a refusal by its status. */
function reasonOf(status: number): DownloadReason {
  if (status === 401 || status === 403) return 'authorization';
  if (status === 404 || status === 410) return 'absent';
  return status === 429 || status === 503 ? 'busy' : 'status';
}

/** Statuses of servers that may answer in a moment. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** The seconds of a header `Retry-After`, which has a number or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Resolves after a time, or rejects with the signal's reason. */
function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', end, { once: true });
  });
}

export class Transfer {
  readonly #store: FileStore;
  readonly #options: TransferOptions;
  /** The SHA-256 that the hub's answer announced. */
  linkedSha256: string | undefined;

  constructor(store: FileStore, options: TransferOptions) {
    this.#store = store;
    this.#options = options;
  }

  #failure(reason: DownloadReason, message: string, options: ErrorOptions & { status?: number } = {}): DownloadError {
    return new DownloadError(this.#options.op, reason, this.#options.url.href, message, options);
  }

  /** Whether the server has another version than the stored one. */
  async hasChanged({ etag }: Stored): Promise<boolean> {
    const answer = await this.#answer('HEAD', 0);
    return etag === null || answer.etag !== etag;
  }

  /** All bytes of the file. */
  async run(): Promise<Stored> {
    const retries = this.#options.retries ?? RETRIES;
    for (let failures = 0; ; failures += 1) {
      this.#options.signal?.throwIfAborted();
      try {
        return await this.#attempt();
      } catch (error) {
        if (!(error instanceof Repeat)) throw error;
        if (failures >= retries) throw error.failure;
        if ((error.wait ?? 0) > WAIT_LIMIT) throw error.failure;
        await pause(error.wait ?? 0.25 * 2 ** failures, this.#options.signal);
      }
    }
  }

  /** The stored beginning of the file, if the rest can be requested. */
  async #beginning(): Promise<Stored | undefined> {
    const stored = await this.#store.find(this.#options.name);
    if (!stored || stored.size === 0) return undefined;
    const isKnown = stored.etag !== null || this.#options.md5 !== undefined || this.#options.sha256 !== undefined;
    return isKnown && stored.url === this.#options.url.href ? stored : undefined;
  }

  async #attempt(): Promise<Stored> {
    const beginning = await this.#beginning();
    if (beginning && beginning.size === beginning.total) return beginning;
    const answer = await this.#answer('GET', beginning?.size ?? 0);
    this.linkedSha256 ??= answer.sha256;
    if (beginning && answer.start === beginning.size && answer.etag === beginning.etag) return this.#receive(answer, beginning);
    if (answer.start !== 0) {
      // Another version: the next request asks for all of it.
      answer.cancel();
      await this.#store.remove(this.#options.name);
      throw new Repeat(this.#failure('network', 'the file changed while it was downloaded'), 0);
    }
    const { etag, total } = answer;
    // Ranges of a compressed answer are not ranges of the file.
    const facts = { url: this.#options.url.href, etag: answer.isEncoded ? null : etag, total: total ?? null };
    return this.#receive(answer, await this.#write(() => this.#store.begin(this.#options.name, facts)));
  }

  /** The answer of the server, if it has the bytes. */
  async #answer(method: 'GET' | 'HEAD', start: number): Promise<Answer> {
    const { url, headers, signal } = this.#options;
    let answer: Answer;
    try {
      answer = await answerOf(method, url, start, headers ?? {}, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw this.#unreachable(cause);
    }
    const { status } = answer;
    if (status === 200 || status === 206) return answer;
    answer.cancel();
    if (status === 416) {
      await this.#store.remove(this.#options.name);
      throw new Repeat(this.#failure('network', 'the file changed while it was downloaded', { status }), 0);
    }
    const hint = reasonOf(status) === 'authorization' ? '; it may need a token, or its conditions to be accepted' : '';
    const told = answer.headers.get('x-error-message');
    const failure = this.#failure(reasonOf(status), `the server answered ${status} ${answer.statusText}`.trim() + (told ? `: ${told}` : '') + hint, { status });
    throw TEMPORARY.has(status) ? new Repeat(failure, retryAfter(answer.headers)) : failure;
  }

  /** The error of a request without an answer. A page does not learn whether it was refused. */
  #unreachable(cause: unknown): Error {
    const { url } = this.#options;
    const page = (globalThis as { location?: { origin: string } }).location;
    const told = cause instanceof Error ? cause.message : String(cause);
    if (page && url.protocol.startsWith('http') && url.origin !== page.origin) {
      return this.#failure('cors', `no answer (${told}): there is no connection, or the server does not let pages of ${page.origin} read the file (CORS); use a mirror, or the page's own server`, { cause });
    }
    return new Repeat(this.#failure('network', `no answer (${told})`, { cause }));
  }

  /** Runs a change of the store, and converts its errors. */
  async #write<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (cause) {
      const { name, code, message } = cause as { name?: string; code?: string; message?: string };
      if (name === 'QuotaExceededError' || code === 'ENOSPC' || code === 'EDQUOT') {
        throw this.#failure('storage', 'the storage is full; `removeDownloads` of lanthorn/hub frees it, and the next download continues this one', { cause });
      }
      throw this.#failure('storage', `the storage cannot be written: ${message ?? String(cause)}`, { cause });
    }
  }

  async #receive(answer: Answer, beginning: Stored): Promise<Stored> {
    let [stored, pieces, held] = [beginning, [] as Uint8Array<ArrayBuffer>[], 0];
    const flush = async () => {
      if (held === 0) return;
      stored = await this.#write(() => this.#store.append(stored, new Blob(pieces)));
      [pieces, held] = [[], 0];
    };
    try {
      for await (const piece of answer.body()) {
        this.#options.signal?.throwIfAborted();
        pieces.push(piece);
        held += piece.length;
        this.#options.onProgress?.({ loaded: stored.size + held, total: answer.total });
        if (held >= PART) await flush();
      }
    } catch (error) {
      answer.cancel();
      if (error instanceof DownloadError) throw error;
      await flush();
      this.#options.signal?.throwIfAborted();
      throw this.#breakError(stored, answer, error);
    }
    await flush();
    if (answer.total !== undefined && stored.size < answer.total) throw this.#breakError(stored, answer, undefined);
    if (answer.total !== undefined && stored.size > answer.total) {
      await this.#store.remove(stored.name);
      throw this.#failure('size', `${stored.size} bytes arrived where ${answer.total} were announced`);
    }
    return stored;
  }

  #breakError({ size }: Stored, { total }: Answer, cause: unknown): Repeat {
    const told = cause instanceof Error ? ` (${cause.message})` : '';
    return new Repeat(this.#failure('network', `the connection broke after ${size} of ${total ?? 'unknown'} bytes${told}`, { cause }));
  }
}
