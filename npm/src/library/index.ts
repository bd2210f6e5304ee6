/** Operations of one's own, as `torch.library`. */
export * from './library.js';
