// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Decodes the emissions of acoustic models to texts, as `torchaudio.models.decoder`. */
export { CTCDecoder, CTCHypothesis, ctcDecoder } from '../decoder/beam.js';
export { ctcGreedyDecoder } from '../decoder/greedy.js';
