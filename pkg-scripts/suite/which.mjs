/** Finds programs on the PATH. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program, or an empty text. */
export function which(name) {
  const isRunnable = (file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)).find(isRunnable) ?? '';
}
