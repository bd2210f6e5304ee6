/**
 * MD5 (RFC 1321) and SHA-256 (FIPS 180-4) of bytes that arrive in pieces. `crypto.subtle` has no
 * MD5, takes whole files only, and is missing in pages of insecure origins.
 */

/** A digest of bytes. */
export interface Digest {
  /** Adds bytes. */
  update(bytes: Uint8Array): void;
  /** The digest of all bytes, in hexadecimal digits. */
  hex(): string;
}

const BLOCK = 64;
/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const ROUNDS = Uint32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);
/** The first 32 bits of the fractions of the square roots of the first 8 primes. */
const FRACTIONS = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;
/** The first 32 bits of the sines of 1 to 64. */
const SINES = Uint32Array.of(
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
  0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
  0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
  0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
  0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
  0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
  0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
);
const SHIFTS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]] as const;

/** The part that both digests share: blocks of 64 bytes, padding, and the length in bits. */
abstract class Blocks implements Digest {
  readonly #block = new Uint8Array(BLOCK);
  readonly #view = new DataView(this.#block.buffer);
  readonly #isLittleEndian: boolean;
  #length = 0;

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  /** The state as words. */
  protected abstract words(): readonly number[];
  protected abstract compress(view: DataView, at: number): void;

  update(bytes: Uint8Array): void {
    const filled = this.#length % BLOCK;
    this.#length += bytes.length;
    let at = 0;
    if (filled > 0) {
      at = Math.min(BLOCK - filled, bytes.length);
      this.#block.set(bytes.subarray(0, at), filled);
      if (filled + at < BLOCK) return;
      this.compress(this.#view, 0);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.compress(view, at);
    this.#block.set(bytes.subarray(at));
  }

  hex(): string {
    const bits = this.#length * 8;
    const padding = new Uint8Array(1 + ((2 * BLOCK - 9 - (this.#length % BLOCK)) % BLOCK) + 8);
    padding[0] = 0x80;
    const [low, high] = [bits >>> 0, Math.floor(bits / 2 ** 32)];
    const end = new DataView(padding.buffer, padding.length - 8);
    end.setUint32(this.#isLittleEndian ? 0 : 4, low, this.#isLittleEndian);
    end.setUint32(this.#isLittleEndian ? 4 : 0, high, this.#isLittleEndian);
    this.update(padding);
    const bytes = new DataView(new ArrayBuffer(4));
    return this.words().map((word) => {
      bytes.setInt32(0, word, this.#isLittleEndian);
      return bytes.getUint32(0).toString(16).padStart(8, '0');
    }).join('');
  }
}

class Md5 extends Blocks {
  #state: [number, number, number, number] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];

  constructor() {
    super(true);
  }

  protected words(): readonly number[] {
    return this.#state;
  }

  protected compress(view: DataView, at: number): void {
    let [a, b, c, d] = this.#state;
    for (let step = 0; step < 64; step += 1) {
      const round = step >> 4;
      const mixed = round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d);
      const index = (round === 0 ? step : round === 1 ? 5 * step + 1 : round === 2 ? 3 * step + 5 : 7 * step) & 15;
      const sum = (a + mixed + SINES[step]! + view.getInt32(at + 4 * index, true)) | 0;
      const shift = SHIFTS[round]![step & 3]!;
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
    }
    const [e, f, g, h] = this.#state;
    this.#state = [(a + e) | 0, (b + f) | 0, (c + g) | 0, (d + h) | 0];
  }
}

const rotate = (word: number, count: number) => (word >>> count) | (word << (32 - count));

class Sha256 extends Blocks {
  readonly #state = Int32Array.from(FRACTIONS);
  readonly #schedule = new Int32Array(64);

  constructor() {
    super(false);
  }

  protected words(): readonly number[] {
    return Array.from(this.#state);
  }

  protected compress(view: DataView, at: number): void {
    const schedule = this.#schedule;
    for (let step = 0; step < 16; step += 1) schedule[step] = view.getInt32(at + 4 * step);
    for (let step = 16; step < 64; step += 1) {
      const [early, late] = [schedule[step - 15]!, schedule[step - 2]!];
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
      schedule[step] = schedule[step - 16]! + first + schedule[step - 7]! + second;
    }
    this.#mix(schedule);
  }

  #mix(schedule: Int32Array): void {
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as [number, number, number, number, number, number, number, number];
    for (let step = 0; step < 64; step += 1) {
      const chosen = (e & f) ^ (~e & g);
      const one = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + chosen + ROUNDS[step]! + schedule[step]!) | 0;
      const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) this.#state[index]! += word;
  }
}

/** A digest that has no bytes yet. */
export function newDigest(algorithm: 'md5' | 'sha256'): Digest {
  return algorithm === 'md5' ? new Md5() : new Sha256();
}

/** The SHA-256 of a text. */
export function sha256(text: string): string {
  const digest = new Sha256();
  digest.update(new TextEncoder().encode(text));
  return digest.hex();
}
