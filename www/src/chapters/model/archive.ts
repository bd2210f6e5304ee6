/**
 * Reads entries of a zip archive: the parts of a model's file that the package does not show, such
 * as declared shapes and source text. The package has read and checked the file before.
 */

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** The most bytes of an entry, if nothing less is asked for. */
const MAX_BYTES = 2 ** 28;

interface Entry {
  method: number;
  compressed: number;
  start: number;
}

export class Archive {
  private readonly entries = new Map<string, Entry>();
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = this.findEnd();
    const count = this.view.getUint16(end + 10, true);
    let at = this.view.getUint32(end + 16, true);
    for (let index = 0; index < count && this.view.getUint32(at, true) === CENTRAL; index += 1) {
      const [name, extra, comment] = [28, 30, 32].map((offset) => this.view.getUint16(at + offset, true)) as [number, number, number];
      const text = new TextDecoder().decode(bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + name));
      this.entries.set(text, {
        method: this.view.getUint16(at + 10, true),
        compressed: this.view.getUint32(at + 20, true),
        start: this.view.getUint32(at + 42, true),
      });
      at += CENTRAL_BYTES + name + extra + comment;
    }
  }

  get names(): string[] {
    return [...this.entries.keys()];
  }

  /** The text of an entry of at most `most` bytes. */
  async text(name: string, most = MAX_BYTES): Promise<string> {
    const entry = this.entries.get(name);
    if (!entry) {
      throw new Error(`the archive has no ${name}`);
    }
    const [nameBytes, extra] = [26, 28].map((offset) => this.view.getUint16(entry.start + offset, true)) as [number, number];
    const start = entry.start + LOCAL_BYTES + nameBytes + extra;
    const content = this.bytes.subarray(start, start + entry.compressed);
    if (content.length > most) {
      throw tooLarge(name);
    }
    if (entry.method === STORED) {
      return new TextDecoder().decode(content);
    }
    if (entry.method !== DEFLATED) {
      throw new Error(`the archive compresses ${name} by an unknown method`);
    }
    return inflate(content, name, most);
  }

  /** The offset of the record at the end, which a comment may follow. */
  private findEnd(): number {
    for (let at = this.bytes.length - END_BYTES; at >= 0 && at >= this.bytes.length - END_BYTES - 0xffff; at -= 1) {
      if (this.view.getUint32(at, true) === END) {
        return at;
      }
    }
    throw new Error('the archive has no end');
  }
}

async function inflate(content: Uint8Array<ArrayBuffer>, name: string, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let [text, total] = ['', 0];
  const reader = new Blob([content]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    total += value.length;
    if (total > most) {
      await reader.cancel();
      throw tooLarge(name);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function tooLarge(name: string): Error {
  return new Error(`${name} is too large to show`);
}
