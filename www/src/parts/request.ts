/** Requests whose failures have the words of this site: browsers have others. */

/** Nothing came from an address. */
export class Unreachable extends Error {
  readonly kind = 'unreachable';
}

/** The answer to a request for `what`; rejects with {@link Unreachable} if there is none. */
export async function request(address: string | URL, what: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, init);
  } catch (cause) {
    if (init?.signal?.aborted) {
      throw cause;
    }
    throw new Unreachable(`${what} could not be loaded: nothing answers at ${String(address)}, or its server keeps other sites out`, { cause });
  }
  if (!response.ok) {
    throw new Unreachable(`${what} could not be loaded: the server answered ${response.status} for ${String(address)}`);
  }
  return response;
}
