/** Functions of signals, as `torch.signal`. */
export * as windows from '../generated/windows.js';
