/** The chapter's page: the graph of an expression, and the derivatives of a curve. */
import '../../parts/theme.css';
import '../../parts/controls.css';
import '../../parts/code.css';
import '../../parts/layout.css';
import '../../parts/training/training.css';
import './style.css';
import { showNoDevice } from '../../parts/badge';
import { byId } from '../../parts/dom';
import { hideNotice } from '../../parts/notice';
import { Runner } from '../../parts/run/runner';
import { publish, readAddress } from '../../parts/training/automation';
import { choose } from '../../parts/training/controls';
import { deviceChoice, showFailure, showOpened } from '../../parts/training/device';
import { DEVICE, fieldOf } from '../../parts/training/panel';
import { Derivatives } from './derivatives';
import { Tree } from './tree';

let runner: Runner;

byId('fields', HTMLElement).append(fieldOf(DEVICE));
const device = byId('device', HTMLSelectElement);
choose(device, readAddress(location.search).device);
device.addEventListener('change', open);

const tree = new Tree((source) => runner.run(source));
const derivatives = new Derivatives((source) => runner.run(source));
open();

function open(): void {
  runner?.end();
  setState('loading', 'Getting the device ready…');
  hideNotice(byId('notice', HTMLElement));
  showNoDevice(byId('badge', HTMLElement), 'Looking for a device…');
  runner = new Runner({
    device: deviceChoice(),
    opened(name, adapter) {
      showOpened(name, adapter);
      publish({ device: name });
      setState('ready', 'Ready.');
    },
    failed(failure) {
      setState('error', 'There is no device.');
      showFailure(failure, undefined, open);
    },
  });
  void tree.compute();
  void derivatives.compute();
}

function setState(state: string, words: string): void {
  document.documentElement.dataset['state'] = state;
  byId('status', HTMLElement).textContent = words;
}
