/** Runs the program of an entry's page. The worker starts at the first run. */
import { byId, make } from '../../parts/dom';
import { Runner } from '../../parts/run/runner';
import { readAddress } from '../../parts/training/automation';
import { ending, execute as executeIn } from '../../playground/execution';
import { Output } from '../../playground/output';

/** An example takes a moment; a visitor's change of it may not end. */
const SECONDS = 60;
const DEVICES = { webgpu: 'WebGPU', cpu: 'the CPU' };

const run = byId('run', HTMLButtonElement);
const stop = byId('stop', HTMLButtonElement);
const status = byId('status', HTMLElement);
const output = new Output(byId('output', HTMLElement));
let runner: Runner | undefined;
let device: keyof typeof DEVICES | undefined;

stop.addEventListener('click', () => runner?.stop());

export async function execute(source: string): Promise<void> {
  runner ??= new Runner({ device: readAddress(location.search).device, limit: SECONDS, onOpen: (name) => (device = name) });
  if (runner.isBusy) {
    return;
  }
  status.textContent = device ? 'Running…' : 'Getting the device ready…';
  const outcome = await executeIn({ run, stop, output }, runner, source);
  status.textContent = ending(outcome, device && DEVICES[device]);
  if (outcome.type === 'value' && byId('output', HTMLElement).childElementCount === 0) {
    output.add(make('p', { className: 'soft', textContent: 'It printed nothing.' }));
  }
  // A worker without a device has nothing more to give: the next run starts another one.
  if (outcome.type === 'failed') {
    runner.end();
    runner = undefined;
  }
}
