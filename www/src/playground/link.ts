/** A program in the address, after the #: compressed, in the base64 of URLs. */

/** More than this is in no address. */
const MAX_CHARACTERS = 30_000;

/** The link of the playground with a program; `page` is its address, from another page. */
export async function linkOf(source: string, page = location.href): Promise<string> {
  const address = new URL(page);
  address.search = '';
  address.hash = `code=${toBase64(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(source)))}`;
  if (address.href.length > MAX_CHARACTERS) {
    throw new RangeError(`the program is too long for a link: ${source.length} characters`);
  }
  return address.href;
}

/** The program of an address; nothing if it has none. */
export async function programIn(hash: string): Promise<string | undefined> {
  const [, text] = /^#code=([\w-]+)$/.exec(hash) ?? [];
  if (text === undefined) {
    return undefined;
  }
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(await through(new DecompressionStream('deflate-raw'), bytes));
}

async function through(stream: CompressionStream | DecompressionStream, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const source = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(source).arrayBuffer());
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
