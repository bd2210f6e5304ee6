/** The cases of every library, each with the library's name before its own. */
import { cases as audio } from './audio.mjs';
import { cases as vision } from './vision.mjs';

const LIBRARIES = { audio, vision };

/** The libraries, by the names of their entries. */
export const NAMES = Object.keys(LIBRARIES);

const nameCases = ([library, cases]) => Object.entries(cases).map(([name, run]) => [`${library}: ${name}`, run]);

export const cases = Object.fromEntries(Object.entries(LIBRARIES).flatMap(nameCases));
