/** A file that a page downloads, with the part of Playwright's `Download` that tests use. */
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

let folder;

/** The folder of files without a path of their own, until this process ends. */
function ownFolder() {
  if (folder) return folder;
  folder = mkdtempSync(join(tmpdir(), 'lanthorn-download-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export class Download {
  #name;
  #bytes;

  constructor({ name, base64 }) {
    this.#name = name;
    this.#bytes = Buffer.from(base64, 'base64');
  }

  suggestedFilename() {
    return this.#name;
  }

  saveAs(path) {
    return writeFile(path, this.#bytes);
  }

  /** Writes the file, and resolves to its path. */
  async path() {
    const path = join(ownFolder(), basename(this.#name));
    await this.saveAs(path);
    return path;
  }
}
