/** Functions of signals, as `torch.signal`. */
export * as windows from './windows.generated.js';
