/** The sentences for the events of a training page. */
import type { DeviceChoice, Work } from './protocol';

/**
 * Shown when the page computes on the CPU although it was not chosen; empty if there is nothing to
 * explain.
 */
export function whyCpu(choice: DeviceChoice, device: 'webgpu' | 'cpu'): string {
  if (device === 'webgpu' || choice === 'cpu') {
    return '';
  }
  return 'gpu' in navigator
    ? 'On the CPU: WebGPU has no graphics adapter here.'
    : 'On the CPU: this browser has no WebGPU.';
}

/** The meaning of an error of this kind for a visitor, and a suggested action. */
export function explain(kind: string, message: string, choice: DeviceChoice, opened: boolean): string {
  if (kind === 'diverged') {
    return 'The loss is no longer a number: the steps were too large. Choose a smaller learning rate and start again.';
  }
  if (/lost/i.test(kind + message)) {
    return 'The graphics device was lost; its driver may have restarted. Start again, from where training was last saved, or train on the CPU.';
  }
  if (/memory/i.test(kind + message)) {
    return 'There is not enough memory. Close other tabs or choose a smaller batch, then start again.';
  }
  if (kind === 'worker') {
    return 'The training code could not be loaded. Check the connection and start again; the browser must support module workers.';
  }
  if (!opened && choice === 'webgpu') {
    return 'WebGPU could not be started here. Use a browser with WebGPU turned on, or train on the CPU.';
  }
  return 'Something went wrong in training. Start again; should it come back, train on the CPU.';
}

/** The device counters of a training step. */
export function workInWords({ launches, dispatches, submits, made }: Work): string {
  const some = (count: number, one: string, more = `${one}s`) => `${Number(count.toFixed(1))} ${count === 1 ? one : more}`;
  const asked = dispatches > 0 ? `${some(dispatches, 'dispatch', 'dispatches')}, ${some(submits, 'submit')}` : some(launches, 'kernel');
  return `Each step: ${asked}, ${made === 0 ? 'nothing created' : `${some(made, 'buffer or plan', 'buffers or plans')} created`}.`;
}
