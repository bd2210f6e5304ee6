/** Tokenizers: a token for each character, or byte-pair encoding. */
export { BytePairTokenizer } from './byte-pair.js';
export { CharacterTokenizer } from './character.js';
