// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Sound as functions of tensors, as `torchaudio.functional`. */
export { dbToAmplitude } from '../functional/level.js';
