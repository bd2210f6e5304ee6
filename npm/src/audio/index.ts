/**
 * Sound, by the names of `torchaudio`.
 *
 * `import { functional, load, transforms } from 'lanthorn/audio'`.
 */
export * from '../generated/audio/index.js';
export type { AudioLoadOptions, AudioSaveOptions } from './files.js';
export { Microphone, microphone, type MicrophoneOptions } from './microphone.js';
