/** The options of loading, and the types of results. */
import type { HubOptions } from '../hub/settings.js';
import type { QuantizedTensor } from '../tensor/quantized-tensor.js';
import type { Tensor } from '../tensor/tensor.js';

/** The content of a file. A dictionary with other keys than strings is a `Map`. */
export type Loaded =
  | Tensor | QuantizedTensor | null | boolean | number | bigint | string | Uint8Array | Loaded[] | { [name: string]: Loaded } | Map<Loaded, Loaded>;

/** The progress of loading. */
export interface LoadProgress {
  /** The number of bytes that have arrived. */
  loaded: number;
  /** The total number of bytes, if the source announces it. */
  total: number | undefined;
}

/** Options of {@link load}, and of a hub's file. */
export interface LoadOptions extends HubOptions {
  /** Ends loading; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Called repeatedly with the progress. */
  onProgress?: (progress: LoadProgress) => void;
  /**
   * Loads only these tensors of a safetensors file; from a server with ranges, only their bytes are
   * fetched.
   */
  names?: readonly string[];
  /**
   * Whether the quantized tensors of a GGUF file become float32 (default: true). If not, they stay in their
   * blocks, each a {@link QuantizedTensor}.
   */
  dequantize?: boolean;
  /**
   * Whether a checkpoint may have values of other classes, as configurations, optimizers and whole
   * modules (default: false, an error that names one). They are left out of objects and are null in
   * arrays, and nothing of theirs runs; a function gets their list, and without one it is a warning
   * in the console.
   */
  tensorsOnly?: boolean | ((left: readonly LeftOut[]) => void);
}

/** A value that {@link load} left out of a checkpoint. */
export interface LeftOut {
  /** Where it was: names and indices joined by dots. */
  path: string;
  /** The name of its class in Python, with its module. */
  type: string;
}
