/** The documentation of the crate, made by rustdoc, for the same version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './entries';

export class Rust {
  constructor(readonly version: string) {}

  /** The version of the checkout in `root`, whose package is built. */
  static of(root: string): Rust {
    const { version } = JSON.parse(readFileSync(join(root, 'target/npm/package.json'), 'utf8')) as { version: string };
    return new Rust(version);
  }

  get address(): string {
    return `https://docs.rs/lanthorn/${this.version}/lanthorn/index.html`;
  }

  /**
   * The address of a search for an entry of the tables. Functions and classes of TypeScript have
   * other names in Rust.
   */
  searchFor({ kind, name }: Entry): string | undefined {
    const parts = name.split('.');
    const word = kind === 'Operation' ? parts[0] : parts.at(-1);
    return kind === 'Function' || kind === 'Class' ? undefined : `${this.address}?search=${word}`;
  }
}
