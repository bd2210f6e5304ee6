/** Pictures, by the names of `torchvision`. */
export * from '../generated/vision/index.js';
