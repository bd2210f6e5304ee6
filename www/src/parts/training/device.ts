/** The device of a page: the choice, the device in use, and the actions after a failure. */
import { showDevice, showNoDevice } from '../badge';
import { byId } from '../dom';
import { showNotice } from '../notice';
import { choose } from './controls';
import type { DeviceChoice, DeviceName } from './protocol';
import { explain, whyCpu } from './words';

export function deviceChoice(): DeviceChoice {
  return byId('device', HTMLSelectElement).value as DeviceChoice;
}

/** Shows the device in use, and why it is not the one that was chosen. */
export function showOpened(device: DeviceName, adapter: string): void {
  showDevice(byId('badge', HTMLElement), device, adapter);
  const fallback = byId('fallback', HTMLElement);
  fallback.textContent = whyCpu(deviceChoice(), device);
  fallback.hidden = fallback.textContent === '';
}

/**
 * Shows an error that ended the work on `device`, if there was one. `open` starts again on the
 * chosen device.
 */
export function showFailure(
  { kind, message }: { kind: string; message: string }, device: unknown, open: () => void, useCpu = 'Use the CPU',
): void {
  const choice = deviceChoice();
  showNoDevice(byId('badge', HTMLElement), 'No device');
  const remedies = [{ label: 'Start again', act: open }];
  if (choice !== 'cpu' && device !== 'cpu') {
    const openCpu = () => {
      choose(byId('device', HTMLSelectElement), 'cpu');
      open();
    };
    remedies.push({ label: useCpu, act: openCpu });
  }
  showNotice(byId('notice', HTMLElement), explain(kind, message, choice, device !== undefined), message, remedies);
}
