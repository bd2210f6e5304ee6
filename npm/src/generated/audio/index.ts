// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Sound, as `torchaudio`: spectrograms, filters, effects and decoders.
 *
 * The files of this crate outside of `host` keep to a subset of Rust that is printed as the
 * TypeScript of the npm package, so that each formula is written once.
 */
export * as functional from './functional/index.js';
