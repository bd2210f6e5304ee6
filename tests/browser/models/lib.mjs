/** Models and answers of the folder `tests/models/lm`. */

const answers = new Map();

/**
 * The answers of transformers for a model; a GGUF file has the answers of the folder that it was
 * made of.
 */
export async function expectedOf(given, name) {
  const folder = name.replace('.gguf', '');
  // Files with their weights in blocks have separate answers.
  const file = /_q\d$/.test(folder) ? `${folder}.json` : `${folder}/expected.json`;
  if (!answers.has(folder)) answers.set(folder, JSON.parse(new TextDecoder().decode(await given.read(file))));
  return answers.get(folder);
}

export function load(given, name, options) {
  return given.models.fromPretrained(`${given.folder}/${name}`, options);
}

/** A tokenizer with a character for each id: `A` for 0. */
export const letters = {
  vocabSize: 96,
  encode: (text) => ({ ids: Array.from(text, (character) => character.charCodeAt(0) - 65) }),
  decodeStream: () => ({ push: (id) => String.fromCharCode(65 + id), finish: () => '' }),
};

export const textOf = (ids) => ids.map((id) => String.fromCharCode(65 + id)).join('');
