/** The error of a download. */
import { LanthornError } from '../core/errors.js';

/**
 * Why a download failed:
 * - `network`: no answer, or the connection broke more often than the download was repeated;
 * - `cors`: no answer from another origin, which is how a page sees a server that refuses it;
 * - `authorization`: the server answered 401 or 403;
 * - `absent`: the server answered 404 or 410, or the file is not stored and may not be requested;
 * - `busy`: the server answered 429 or 503 more often than the download was repeated;
 * - `status`: the server answered with another error;
 * - `checksum`, `size`: the file that arrived is not the expected one;
 * - `pointer`: the server sent a pointer of Git LFS instead of the file;
 * - `storage`: the storage is full, or refuses to be written.
 */
export type DownloadReason =
  | 'network' | 'cors' | 'authorization' | 'absent' | 'busy' | 'status' | 'checksum' | 'size' | 'pointer' | 'storage';

/** An error of {@link download}, of kind `file`, with the reason for programs. */
export class DownloadError extends LanthornError {
  /** The reason. */
  readonly reason: DownloadReason;
  /** The address that was requested, or the name of the stored file. */
  readonly url: string;
  /** The status of the server's answer, if it answered. */
  readonly status: number | undefined;

  constructor(op: string, reason: DownloadReason, url: string, message: string, options: ErrorOptions & { status?: number } = {}) {
    super('file', op, `${url}: ${message}`, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'DownloadError';
    this.reason = reason;
    this.url = url;
    this.status = options.status;
  }
}
