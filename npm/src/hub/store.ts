/** Stored files that outlive the program: in the browser's storage, or on disk in Node. */

/** The content of a stored file: a `Blob` of the browser, or the address of a file on disk. */
export type Content = Blob | URL;

/** A stored file. */
export interface StoredFile {
  /** Its name, a path with slashes. */
  name: string;
  /** The number of its bytes that are stored. */
  size: number;
  /** Whether all bytes are there; if not, the next download of the file continues. */
  isComplete: boolean;
}

/** Facts about a file from the server's answer. */
export interface Facts {
  /** The address. */
  url: string;
  /** The tag of the version, or null if the server has none. */
  etag: string | null;
  /** The length in bytes, or null if the server does not announce it. */
  total: number | null;
}

/** A file, all of it or its beginning. */
export interface Stored extends Facts, StoredFile {}

/** A store of files by name. Errors are the system's own. */
export interface FileStore {
  /** A text that no other store has. */
  readonly key: string;
  /** A file by name, complete or not. */
  find(name: string): Promise<Stored | undefined>;
  /** The stored bytes of a file. */
  content(stored: Stored): Promise<Content>;
  /** Begins a file, and removes the stored file of that name. */
  begin(name: string, facts: Facts): Promise<Stored>;
  /** Adds bytes to a file that is not complete. */
  append(stored: Stored, bytes: Blob): Promise<Stored>;
  /** Marks a file as complete. */
  finish(stored: Stored): Promise<Stored>;
  /** All files. */
  list(): Promise<StoredFile[]>;
  /** Removes a file, complete or not. */
  remove(name: string): Promise<void>;
}

const isFile = (part: string) => part !== '' && part !== '.' && part !== '..';

/** Whether a name is a relative path that stays in its folder. */
export function isName(name: string): boolean {
  return typeof name === 'string' && !/[\\\0]/.test(name) && name.split('/').every(isFile);
}
