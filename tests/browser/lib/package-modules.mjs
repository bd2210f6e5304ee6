/** The modules of the built package, by the names that a program imports them by. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../../target/npm/', import.meta.url));

/** The module `lanthorn`, `lanthorn/nn` and so on. */
export function importModule(name) {
  const { exports } = JSON.parse(readFileSync(`${PACKAGE}package.json`, 'utf8'));
  return import(`${PACKAGE}${exports[name.replace('lanthorn', '.')].default}`);
}
