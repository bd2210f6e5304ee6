/** The interface of a library in the benchmark. */
import type { CaseName } from '../cases/list';

export type Device = 'webgpu' | 'cpu';

/** A case, ready to run: its arguments are on the device. */
export interface Subject {
  /** Computes once. It ends when one value of the result has been read back. */
  run(): Promise<void>;
  /**
   * The whole answer, which is compared with the other libraries' answers: the result in PyTorch's
   * order of dimensions, or the losses of the first steps. It is called after the first run.
   */
  answer(): Promise<Float32Array>;
}

export interface Engine {
  /** Loads the library's backend, and starts it on the device. */
  open(device: Device): Promise<void>;
  subjects: Readonly<Record<CaseName, () => Subject>>;
}
